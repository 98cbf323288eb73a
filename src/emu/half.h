/* FP16 in words: conversions without branches, for lane loops. */
#ifndef SUBCORE_EMU_HALF_H
#define SUBCORE_EMU_HALF_H

#include "emu/float.h"

#define HALF_NAN 0x7fffu /* every FP16 and BF16 result that is a NaN */
#define HALF_SIGN 0x8000u
#define HALF_INF 0x7c00u
#define HALF_BF16_INF 0x7f80u

/* Exact; NaN gives some NaN. */
FLOAT_INLINE float half_to_float(uint32_t half)
{
    uint32_t magnitude = half & 0x7fff, sign = (half & HALF_SIGN) << 16;
    /* The fields fit those of FP32; the bias differs by 112. */
    uint32_t bits = float_bits(float_of(magnitude << 13) * 0x1p112f);
    uint32_t special = (0u - (uint32_t)(magnitude > HALF_INF - 1)) & FLOAT_INF;
    return float_of(bits | special | sign);
}

/* Rounds to nearest even; NaN is canonical. */
FLOAT_INLINE uint32_t half_from_float(float f)
{
    uint32_t bits = float_bits(f), magnitude = bits & ~FLOAT_SIGN, sign = bits >> 16 & HALF_SIGN;
    uint32_t normal = magnitude - ((127u - 15) << 23);
    normal = (normal + 0xfff + (normal >> 13 & 1)) >> 13;
    /* Adding 0.5 leaves the last place at 2^-24, that of FP16 denormals. */
    uint32_t denormal = float_bits(float_of(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t half = float_pick(magnitude < (127u - 14) << 23, denormal, normal);
    half = float_pick(magnitude > ((127u + 16) << 23) - 1, HALF_INF, half) | sign;
    return float_pick(magnitude > FLOAT_INF, HALF_NAN, half);
}

/* a * b + c of values that came from FP16, so that rounding it to FP16 rounds once: the last bit of
 * an inexact result is made 1, away from all rounding boundaries ("round to odd"). */
FLOAT_INLINE float half_fma(float a, float b, float c)
{
    float product = a * b; /* exact: 22 bits */
    float sum = product + c;
    float part = sum - product;
    float rest = (product - (sum - part)) + (c - part);
    uint32_t bits = float_bits(sum), below = float_bits(rest);
    int32_t size = (int32_t)(below & ~FLOAT_SIGN);
    /* With infinities the rest is a NaN. */
    bool inexact = (size > 0) & (size < (int32_t)FLOAT_INF);
    uint32_t away = (below ^ bits) >> 31; /* the sum is farther from 0 than the exact value */
    return float_of(float_pick(inexact, (bits - away) | 1, bits));
}

/* How to take a half from a source word: shift, then signs. */
struct half_source {
    uint32_t shift, keep, flip;
};

FLOAT_INLINE struct half_source half_source_of(const struct emu_source *s, uint32_t part)
{
    bool high = s->half == 0 ? part != 0 : s->half == 2;
    return (struct half_source){high ? 16 : 0, s->abs ? 0x7fff : 0xffff, s->neg ? HALF_SIGN : 0};
}

FLOAT_INLINE uint32_t half_take(uint32_t word, struct half_source s)
{
    return (word >> s.shift & s.keep) ^ s.flip;
}

FLOAT_INLINE uint32_t half_flush(uint32_t half)
{
    return half & ((0u - (uint32_t)((half & HALF_INF) != 0)) | HALF_SIGN);
}

/* Parses "dest, source..." of a packed half instruction from argument 1 on: a pair of immediates is
 * one source. Bit i of *wide: source i is an FP32 value (.F32). *next is the argument after them.
 */
bool half_decode_sources(struct emu_op *op, const struct emu_decode *d, uint32_t first,
                         uint32_t sources, uint32_t *wide, uint32_t *next, struct sim_err *err);

#endif

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
    uint32_t rebias = magnitude >= HALF_INF ? 2u * (127 - 15) << 23 : (127u - 15) << 23;
    uint32_t normal = (magnitude << 13) + rebias;
    uint32_t denormal = float_bits((float)(int32_t)magnitude * 0x1p-24f);
    return float_of((magnitude < 0x400 ? denormal : normal) | sign);
}

/* Rounds to nearest even; NaN is canonical. Values above 2^16 overflow like those from 65520. */
FLOAT_INLINE uint32_t half_from_float(float f)
{
    uint32_t bits = float_bits(f), magnitude = bits & ~FLOAT_SIGN, sign = bits >> 16 & HALF_SIGN;
    uint32_t normal = magnitude - ((127u - 15) << 23);
    normal = (normal + 0xfff + (normal >> 13 & 1)) >> 13;
    /* Adding 0.5 leaves the last place at 2^-24, that of FP16 denormals. */
    uint32_t denormal = float_bits(float_of(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t half = magnitude < (127u - 14) << 23 ? denormal : normal;
    half = magnitude >= (127u + 16) << 23 ? HALF_INF : half;
    half |= sign;
    return magnitude > FLOAT_INF ? HALF_NAN : half;
}

/* a * b + c of values that came from FP16, so that rounding it to FP16 rounds once: the last bit of
 * an inexact result is made 1, away from all rounding boundaries ("round to odd"). */
FLOAT_INLINE float half_fma(float a, float b, float c)
{
    float product = a * b; /* exact: 22 bits */
    float sum = product + c;
    float part = sum - product;
    float rest = (product - (sum - part)) + (c - part);
    uint32_t bits = float_bits(sum);
    bool inexact = rest > 0 || rest < 0;  /* false with infinities, whose rest is a NaN */
    bool above = (rest < 0) != (sum < 0); /* the sum is farther from 0 than the exact value */
    uint32_t odd = (above ? bits - 1 : bits) | 1;
    return float_of(inexact ? odd : bits);
}

/* One half of a source word; `select` as in struct emu_source. */
FLOAT_INLINE uint32_t half_of(uint32_t word, uint32_t select, uint32_t part)
{
    bool high = select == 0 ? part != 0 : select == 2;
    return high ? word >> 16 : word & 0xffff;
}

FLOAT_INLINE uint32_t half_flush(uint32_t half)
{
    return half & HALF_INF ? half : half & HALF_SIGN;
}

FLOAT_INLINE uint32_t half_signed(uint32_t half, const struct emu_source *s)
{
    half = s->abs ? half & ~HALF_SIGN : half;
    return s->neg ? half ^ HALF_SIGN : half;
}

/* Parses "dest, source..." of a packed half instruction from argument 1 on: a pair of immediates is
 * one source. Bit i of *wide: source i is an FP32 value (.F32). *next is the argument after them.
 */
bool half_decode_sources(struct emu_op *op, const struct emu_decode *d, uint32_t first,
                         uint32_t sources, uint32_t *wide, uint32_t *next, struct sim_err *err);

#endif

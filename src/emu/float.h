/* What the floating-point families share: bit patterns, source modifiers, flushing, stores.
 *
 * Lanes are held as words; arithmetic is the host's IEEE arithmetic in round to nearest, which
 * every host has. What a GPU does otherwise (canonical NaNs, FTZ, SAT) is applied to the bits. */
#ifndef SUBCORE_EMU_FLOAT_H
#define SUBCORE_EMU_FLOAT_H

#include <string.h>

#include "emu/float_format.h"
#include "emu/op.h"

#define FLOAT_NAN 0x7fffffffu /* every FP32 result that is a NaN */
#define FLOAT_INF 0x7f800000u
#define FLOAT_SIGN 0x80000000u
#define FLOAT_ONE 0x3f800000u

/* For functions that handlers of several forms are made of. */
#define FLOAT_INLINE static inline __attribute__((always_inline))

#define FLOAT_LANES(i) for (uint32_t i = 0; i < WARP_LANES; i++)

FLOAT_INLINE float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

FLOAT_INLINE uint32_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

FLOAT_INLINE double float_double_of(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

FLOAT_INLINE uint64_t float_double_bits(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

FLOAT_INLINE bool float_is_nan(uint32_t bits)
{
    return (bits & ~FLOAT_SIGN) > FLOAT_INF;
}

/* A choice by masks: in lane loops compilers turn ?: into branches, which then are no vectors. */
FLOAT_INLINE uint32_t float_pick(bool which, uint32_t yes, uint32_t no)
{
    return no ^ ((yes ^ no) & (0u - (uint32_t)which));
}

/* Denormals become zeros of their sign. */
FLOAT_INLINE uint32_t float_flush(uint32_t bits)
{
    return bits & FLOAT_INF ? bits : bits & FLOAT_SIGN;
}

/* |x| and -x of a source as a mask that keeps bits and one that flips them. */
struct float_sign {
    uint32_t keep, flip;
};

FLOAT_INLINE struct float_sign float_sign_of(const struct emu_source *s)
{
    return (struct float_sign){s->abs ? ~FLOAT_SIGN : ~0u, s->neg ? FLOAT_SIGN : 0};
}

FLOAT_INLINE uint32_t float_source(uint32_t bits, struct float_sign s, bool ftz)
{
    bits = (bits & s.keep) ^ s.flip;
    return ftz ? float_flush(bits) : bits;
}

/* Bits of a result with canonical NaN, FTZ and SAT applied; SAT turns NaN into 0. */
FLOAT_INLINE uint32_t float_result(float f, bool ftz, bool sat)
{
    if (sat) {
        f = f > 0.0f ? f : 0.0f;
        f = f < 1.0f ? f : 1.0f;
        return ftz ? float_flush(float_bits(f)) : float_bits(f);
    }
    uint32_t bits = f != f ? FLOAT_NAN : float_bits(f);
    return ftz ? float_flush(bits) : bits;
}

/* Writes the lanes of `mask`. */
FLOAT_INLINE void float_store(struct emu_warp *w, uint32_t row, const uint32_t *lanes,
                              uint32_t mask)
{
    uint32_t *to = w->r[row];
    if (mask == ~0u) {
        memcpy(to, lanes, sizeof(emu_lanes));
        return;
    }
    FLOAT_LANES(i) to[i] = mask >> i & 1 ? lanes[i] : to[i];
}

/* The rounding of the instruction: .RM, .RP, .RZ, else to nearest. */
enum float_rounding float_rounding_of(const struct emu_decode *d);

/* a + b, a * b and a * b + c rounded once, in any mode. NaNs are not canonical yet. */
uint32_t float_add_rounded(uint32_t a, uint32_t b, enum float_rounding mode);
uint32_t float_mul_rounded(uint32_t a, uint32_t b, enum float_rounding mode);
uint32_t float_fma_rounded(uint32_t a, uint32_t b, uint32_t c, enum float_rounding mode);

/* The float next to the exact value `sum` + `rest` in direction `mode`; `rest` is at most half a
 * last place of `sum`, which is finite and not 0. */
float float_round_exact(double sum, double rest, enum float_rounding mode);

#define FLOAT_LEAST 0x00800000u /* 2^-126, the smallest normal number */

/* Whether FTZ flushes a result that rounded to FLOAT_LEAST: it does when the exact value sum + rest
 * rounds to less than 2^-126 with 24 bits and any exponent (measured on an H200). */
bool float_is_tiny(double sum, double rest, enum float_rounding mode);

enum float_arithmetic { FLOAT_ADD, FLOAT_MUL, FLOAT_FMA };
#define FLOAT_FTZ 1u
#define FLOAT_SAT 2u

/* x[0] + x[1], x[0] * x[1] or x[0] * x[1] + x[2] with flags and rounding of an instruction. */
uint32_t float_compute(enum float_arithmetic what, const uint32_t x[3], uint32_t flags,
                       enum float_rounding mode);

/* A comparison as the set of outcomes for which it is true. */
#define FLOAT_LESS 1u
#define FLOAT_EQUAL 2u
#define FLOAT_GREATER 4u
#define FLOAT_UNORDERED 8u

/* Reads .LT, .GEU and so on; false when there is none. */
bool float_compare_of(const struct emu_decode *d, uint32_t *set);

/* Boolean operation of a SETP: value OP predicate. */
enum float_combine { FLOAT_AND, FLOAT_OR, FLOAT_XOR };
enum float_combine float_combine_of(const struct emu_decode *d);

FLOAT_INLINE uint32_t float_combine(uint32_t value, uint32_t with, uint32_t how)
{
    return how == FLOAT_AND ? value & with : how == FLOAT_OR ? value | with : value ^ with;
}

/* Decodes "dest, source..." with `sources` float sources of `bits` from argument 1. 64-bit operands
 * must be register pairs. */
bool float_decode_sources(struct emu_op *op, const struct emu_decode *d, uint32_t sources,
                          uint32_t bits, struct sim_err *err);

/* Fails when a register group of `count` from register row `first` passes the last register. */
bool float_check_group(const struct emu_decode *d, uint32_t first, uint32_t count,
                       struct sim_err *err);

/* Fails on a modifier that is not among the words of `known`. */
bool float_check_modifiers(const struct emu_decode *d, const char *known, struct sim_err *err);

/* True when text argument `arg` is a uniform register. */
bool float_arg_is_uniform(const struct emu_decode *d, uint32_t arg);

#endif

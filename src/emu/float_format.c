#include "emu/float_format.h"

#include <math.h>
#include <string.h>

const struct float_format float_f16 = {10, -14, 0x7c00, 0x7fff, 0x8000};
const struct float_format float_bf16 = {7, -126, 0x7f80, 0x7fff, 0x8000};
/* TF32 is held in the high 19 bits of a word. */
const struct float_format float_tf32 = {10, -126, 0x3fc00, 0x3ffff, 0x40000};
const struct float_format float_f32 = {23, -126, 0x7f800000, 0x7fffffff, 0x80000000};
const struct float_format float_f64 = {52, -1022, 0x7ff0000000000000, 0x7ff8000000000000,
                                       0x8000000000000000};
/* E4M3 has no infinity: its highest pattern is the NaN. */
const struct float_format float_e4m3 = {3, -6, 0x7f, 0x7f, 0x80};
const struct float_format float_e5m2 = {2, -14, 0x7c, 0x7f, 0x80};

/* Whether the magnitude `kept` + rest / 2^shift is rounded up. */
static bool rounds_up(bool negative, uint64_t kept, uint64_t rest, uint64_t half,
                      enum float_rounding mode)
{
    switch (mode) {
    case FLOAT_RN:
        return rest > half || (rest == half && (kept & 1));
    case FLOAT_RNA:
        return rest >= half;
    case FLOAT_RM:
        return negative && rest;
    case FLOAT_RP:
        return !negative && rest;
    default:
        return false;
    }
}

uint64_t float_pack(const struct float_format *f, bool negative, uint64_t significand,
                    int32_t exponent, enum float_rounding mode)
{
    uint64_t sign = negative ? f->sign : 0;
    if (significand == 0)
        return sign;
    int32_t top = 63 - __builtin_clzll(significand) + exponent;
    int32_t scale = top < f->least ? f->least : top;
    int32_t shift = scale - (int32_t)f->fraction - exponent; /* bits that fall away */
    uint64_t kept;
    if (shift <= 0) {
        kept = significand << -shift;
    } else if (shift > 63) { /* far below half of the last place */
        kept = rounds_up(negative, 0, 1, 2, mode);
    } else {
        kept = significand >> shift;
        uint64_t rest = significand & ((UINT64_C(1) << shift) - 1);
        kept += rounds_up(negative, kept, rest, UINT64_C(1) << (shift - 1), mode);
    }
    if (scale - f->least > 2048)
        scale = f->least + 2048;
    /* The hidden bit of `kept` adds 1 to the exponent field. */
    uint64_t bits = ((uint64_t)(scale - f->least) << f->fraction) + kept;
    if (bits >= f->infinity) {
        bool toward = mode == FLOAT_RZ || mode == (negative ? FLOAT_RP : FLOAT_RM);
        bits = toward ? f->infinity - 1 : f->infinity;
    }
    return sign | bits;
}

uint64_t float_pack_sum(const struct float_format *f, double sum, double rest,
                        enum float_rounding mode)
{
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    bool negative = bits >> 63;
    uint64_t field = bits >> 52 & 0x7ff, fraction = bits & 0xfffffffffffff;
    if (field == 0x7ff)
        return fraction ? f->nan : f->infinity | (negative ? f->sign : 0);
    if (field)
        fraction |= UINT64_C(1) << 52;
    uint64_t significand = fraction << 3; /* room for what is below the last place */
    if (rest > 0 || rest < 0)
        significand = (rest < 0) == negative ? significand + 1 : significand - 1;
    return float_pack(f, negative, significand, (field ? (int32_t)field : 1) - 1075 - 3, mode);
}

double float_unpack(const struct float_format *f, uint32_t bits)
{
    bool negative = bits & f->sign;
    uint64_t magnitude = bits & (f->sign - 1);
    double value;
    if (magnitude > f->infinity || magnitude == f->nan)
        return NAN;
    if (magnitude == f->infinity) {
        value = INFINITY;
    } else {
        uint64_t field = magnitude >> f->fraction;
        uint64_t fraction = magnitude & ((UINT64_C(1) << f->fraction) - 1);
        if (field)
            fraction |= UINT64_C(1) << f->fraction;
        value = ldexp((double)fraction, (field ? (int)field - 1 : 0) + f->least - (int)f->fraction);
    }
    return negative ? -value : value;
}

double float_fma_exact(double a, double b, double c, double *rest)
{
    double product = a * b, sum = product + c;
    double part = sum - product;
    *rest = (product - (sum - part)) + (c - part);
    return sum;
}

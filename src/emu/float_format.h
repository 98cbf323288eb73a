/* Binary floating-point formats and exact conversion into them, in integer arithmetic. */
#ifndef SUBCORE_EMU_FLOAT_FORMAT_H
#define SUBCORE_EMU_FLOAT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum float_rounding {
    FLOAT_RN,
    FLOAT_RM,
    FLOAT_RP,
    FLOAT_RZ,
    FLOAT_RNA /* to nearest, ties away from zero */
};

struct float_format {
    uint32_t fraction; /* stored bits of the significand */
    int32_t least;     /* exponent of the smallest normal number */
    uint64_t infinity; /* bits of +infinity, or of the first pattern above the finite ones */
    uint64_t nan;      /* canonical NaN */
    uint64_t sign;     /* sign bit */
};

extern const struct float_format float_f16, float_bf16, float_tf32, float_f32, float_f64;
extern const struct float_format float_e4m3, float_e5m2;

/* (-1)^negative * significand * 2^exponent as bits of `f`, rounded once. A significand of 0 gives a
 * zero. Overflow gives infinity, or the largest finite number where `mode` says so. */
uint64_t float_pack(const struct float_format *f, bool negative, uint64_t significand,
                    int32_t exponent, enum float_rounding mode);

/* sum + rest (exact, |rest| at most half a last place of sum) as bits of `f`; NaN is canonical. */
uint64_t float_pack_sum(const struct float_format *f, double sum, double rest,
                        enum float_rounding mode);

/* The value of bits of any format but FP64; exact. */
double float_unpack(const struct float_format *f, uint32_t bits);

/* a * b + c as sum and rest, exact when a * b is: factors of up to 26 bits. */
double float_fma_exact(double a, double b, double c, double *rest);

#endif

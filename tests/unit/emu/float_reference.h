/* Floating point in 128-bit integer arithmetic, written apart from the emulator's: the reference of
 * its tests. */
#ifndef SUBCORE_TESTS_UNIT_EMU_FLOAT_REFERENCE_H
#define SUBCORE_TESTS_UNIT_EMU_FLOAT_REFERENCE_H

#include "support.h"

__extension__ typedef unsigned __int128 wide_int;

struct ref_format {
    int exponent_bits, fraction_bits;
};
#define REF_F16 ((struct ref_format){5, 10})
#define REF_BF16 ((struct ref_format){8, 7})
#define REF_F32 ((struct ref_format){8, 23})
#define REF_F64 ((struct ref_format){11, 52})

enum ref_mode { REF_RN, REF_RM, REF_RP, REF_RZ, REF_MODES };
static const char *const ref_mode_names[] = {"", ".RM", ".RP", ".RZ"};

/* (-1)^negative * m * 2^e; the lowest bit of m may stand for all that is below it. */
struct ref {
    bool nan, infinite, negative;
    wide_int m;
    int e;
};

static inline int ref_bias(struct ref_format f)
{
    return (1 << (f.exponent_bits - 1)) - 1;
}

static inline struct ref ref_of(struct ref_format f, uint64_t bits)
{
    uint64_t fraction = bits & ((UINT64_C(1) << f.fraction_bits) - 1);
    int field = (int)(bits >> f.fraction_bits & ((1u << f.exponent_bits) - 1));
    struct ref r = {.negative = bits >> (f.fraction_bits + f.exponent_bits) & 1};
    if (field == (1 << f.exponent_bits) - 1) {
        r.nan = fraction != 0;
        r.infinite = !r.nan;
        return r;
    }
    r.m = field ? fraction | UINT64_C(1) << f.fraction_bits : fraction;
    r.e = (field ? field : 1) - ref_bias(f) - f.fraction_bits;
    return r;
}

static inline int ref_length(wide_int m)
{
    int n = 0;
    while (m >> n)
        n++;
    return n;
}

/* Shifts right, keeping in the lowest bit that something was there. */
static inline wide_int ref_jam(wide_int m, int n)
{
    if (n <= 0)
        return m << -n;
    if (n > 127)
        return m != 0;
    return m >> n | ((m & (((wide_int)1 << n) - 1)) != 0);
}

static inline struct ref ref_mul(struct ref a, struct ref b)
{
    struct ref r = {.negative = a.negative != b.negative};
    r.nan = a.nan || b.nan || (a.infinite && !b.infinite && b.m == 0) ||
            (b.infinite && !a.infinite && a.m == 0);
    r.infinite = a.infinite || b.infinite;
    r.m = a.m * b.m;
    r.e = a.e + b.e;
    return r;
}

static inline struct ref ref_add(struct ref a, struct ref b, enum ref_mode mode)
{
    struct ref r = {0};
    if (a.nan || b.nan || (a.infinite && b.infinite && a.negative != b.negative)) {
        r.nan = true;
        return r;
    }
    if (a.infinite || b.infinite)
        return a.infinite ? a : b;
    if (a.m == 0 && b.m == 0) {
        r.negative = a.negative == b.negative ? a.negative : mode == REF_RM;
        return r;
    }
    if (a.m == 0 || b.m == 0)
        return a.m ? a : b;
    int ta = ref_length(a.m) + a.e, tb = ref_length(b.m) + b.e, top = ta > tb ? ta : tb;
    r.e = top - 126;
    wide_int x = ref_jam(a.m, r.e - a.e), y = ref_jam(b.m, r.e - b.e);
    if (a.negative == b.negative) {
        r.m = x + y;
        r.negative = a.negative;
    } else {
        r.m = x > y ? x - y : y - x;
        r.negative = x == y ? mode == REF_RM : x > y ? a.negative : b.negative;
    }
    return r;
}

/* Rounds; NaN gives all ones but the sign. `tiny` tells whether the value rounds to less than the
 * smallest normal number when any exponent is possible. */
static inline uint64_t ref_round(struct ref_format f, struct ref r, enum ref_mode mode, bool *tiny)
{
    uint64_t sign = (uint64_t)r.negative << (f.fraction_bits + f.exponent_bits);
    uint64_t infinity = ((UINT64_C(1) << f.exponent_bits) - 1) << f.fraction_bits;
    *tiny = false;
    if (r.nan)
        return (UINT64_C(1) << (f.fraction_bits + f.exponent_bits)) - 1;
    if (r.infinite)
        return sign | infinity;
    if (r.m == 0)
        return sign;
    int least = 1 - ref_bias(f) - f.fraction_bits; /* exponent of the last place of denormals */
    uint64_t kept = 0;
    int e = 0;
    for (int bounded = 0; bounded < 2; bounded++) {
        e = ref_length(r.m) + r.e - f.fraction_bits - 1;
        if (bounded && e < least)
            e = least;
        wide_int extended = ref_jam(r.m, e - r.e - 2); /* two bits below the last place */
        kept = (uint64_t)(extended >> 2);
        int below = (int)(extended & 3);
        bool up = mode == REF_RN   ? below > 2 || (below == 2 && kept & 1)
                  : mode == REF_RM ? r.negative && below
                  : mode == REF_RP ? !r.negative && below
                                   : false;
        kept += up;
        if (!bounded && kept >> (f.fraction_bits + 1)) {
            kept >>= 1;
            e++;
        }
        if (!bounded)
            *tiny = e < least;
    }
    uint64_t bits = kept + ((uint64_t)(e - least) << f.fraction_bits);
    if (bits < infinity)
        return sign | bits;
    bool stays =
        mode == REF_RZ || (mode == REF_RM && !r.negative) || (mode == REF_RP && r.negative);
    return sign | (stays ? infinity - 1 : infinity);
}

static inline uint64_t ref_flush(struct ref_format f, uint64_t bits)
{
    uint64_t exponent = ((UINT64_C(1) << f.exponent_bits) - 1) << f.fraction_bits;
    return bits & exponent ? bits : bits & UINT64_C(1) << (f.fraction_bits + f.exponent_bits);
}

static inline bool ref_is_nan(struct ref_format f, uint64_t bits)
{
    return ref_of(f, bits).nan;
}

enum ref_op { REF_ADD, REF_MUL, REF_FMA };

/* Bits of a + b, a * b or a * b + c, all of format `f`, rounded to `to`. */
static inline uint64_t ref_compute(struct ref_format f, struct ref_format to, enum ref_op what,
                                   const uint64_t *v, enum ref_mode mode, bool ftz, bool sat)
{
    struct ref x[3];
    for (int k = 0; k < 3; k++)
        x[k] = ref_of(f, ftz ? ref_flush(f, v[k]) : v[k]);
    struct ref r = what == REF_ADD   ? ref_add(x[0], x[1], mode)
                   : what == REF_MUL ? ref_mul(x[0], x[1])
                                     : ref_add(ref_mul(x[0], x[1]), x[2], mode);
    bool tiny;
    uint64_t bits = ref_round(to, r, mode, &tiny);
    uint64_t sign = UINT64_C(1) << (to.fraction_bits + to.exponent_bits);
    if (ftz && (tiny || !(bits & ~sign)))
        bits &= sign;
    uint64_t one = (uint64_t)ref_bias(to) << to.fraction_bits;
    if (sat)
        bits = ref_is_nan(to, bits) || bits & sign ? 0 : bits > one ? one : bits;
    return bits;
}

/* Bits that are often special or near others: near 1, denormal, with few digits. */
static inline uint64_t ref_random(struct ref_format f, uint64_t *state)
{
    uint64_t x = test_random(state), kind = test_random(state);
    int width = 1 + f.exponent_bits + f.fraction_bits;
    uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    uint64_t sign = UINT64_C(1) << (width - 1), one = (uint64_t)ref_bias(f) << f.fraction_bits;
    uint64_t infinity = ((UINT64_C(1) << f.exponent_bits) - 1) << f.fraction_bits;
    uint64_t fraction = (UINT64_C(1) << f.fraction_bits) - 1;
    uint64_t special[] = {0,
                          1,
                          fraction,
                          fraction + 1,
                          one,
                          one - 1,
                          one + 1,
                          one / 2,
                          infinity,
                          infinity - 1,
                          infinity + 1,
                          infinity + one / 8,
                          one << 1,
                          one + (one >> 4)};
    x &= all;
    switch (kind & 7) {
    case 0:
        return special[x % (sizeof special / sizeof special[0])] | (x & sign);
    case 1:
        return x & (sign | fraction | (fraction + 1)); /* denormals and their neighbours */
    case 2:
    case 3: /* near 1 */
        return (x & (sign | fraction)) |
               (one + ((kind >> 8) % 7 << f.fraction_bits) - (3 * (fraction + 1)));
    case 4: /* few digits */
        return x & ~(fraction >> 3);
    case 5: /* wider around 1 */
        return (x & (sign | fraction)) |
               (one + ((kind >> 8) % (uint64_t)(f.fraction_bits) << f.fraction_bits) -
                ((uint64_t)(f.fraction_bits / 2) << f.fraction_bits));
    default:
        return x;
    }
}

#endif

/* FP64: DADD, DMUL, DFMA, DSETP, DMNMX. Operands are register pairs. */
#include <fenv.h>

#include "emu/float.h"
#include "emu/hot.h"
#include "emu/semantics.h"

#define QUIET 0x0008000000000000u
#define INVALID 0xfff8000000000000u /* the NaN of an invalid operation */
#define SIGN 0x8000000000000000u
#define INFINITE 0x7ff0000000000000u

typedef uint64_t wide_lanes[WARP_LANES];

FLOAT_INLINE bool is_nan(uint64_t bits)
{
    return (bits & ~SIGN) > INFINITE;
}

/* The lanes of a 64-bit source, with its modifiers. */
FLOAT_INLINE void load(const struct emu_warp *w, const struct emu_source *s, uint64_t *out)
{
    emu_lanes tl, th;
    const uint32_t *lo = emu_lanes_of(w, s, tl), *hi = emu_lanes_hi_of(w, s, th);
    struct float_sign sign = float_sign_of(s);
    FLOAT_LANES(i) out[i] = (uint64_t)((hi[i] & sign.keep) ^ sign.flip) << 32 | lo[i];
}

FLOAT_INLINE void store(struct emu_warp *w, uint32_t row, const uint64_t *v, uint32_t mask)
{
    emu_lanes lo, hi;
    FLOAT_LANES(i)
    {
        lo[i] = (uint32_t)v[i];
        hi[i] = (uint32_t)(v[i] >> 32);
    }
    float_store(w, row, lo, mask);
    float_store(w, row + 1, hi, mask);
}

/* Unlike FP32, a NaN operand passes through, made quiet: b before c before a. */
FLOAT_INLINE uint64_t result(double r, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t nan = is_nan(b) ? b | QUIET : is_nan(c) ? c | QUIET : is_nan(a) ? a | QUIET : INVALID;
    return r != r ? nan : float_double_bits(r);
}

enum arithmetic { ADD, MUL, FMA };

FLOAT_INLINE void arithmetic_lanes(const struct emu_warp *w, const struct emu_op *op, uint64_t *out,
                                   enum arithmetic what)
{
    wide_lanes a, b, c = {0};
    load(w, &op->source[0], a);
    load(w, &op->source[1], b);
    if (what == FMA)
        load(w, &op->source[2], c);
    FLOAT_LANES(i)
    {
        double x = float_double_of(a[i]), y = float_double_of(b[i]), z = float_double_of(c[i]);
        double r = what == ADD ? x + y : what == MUL ? x * y : __builtin_fma(x, y, z);
        out[i] = result(r, a[i], b[i], c[i]);
    }
}

#define ARITHMETIC(name, what)                                                                     \
    EMU_HOT static void run_##name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)     \
    {                                                                                              \
        wide_lanes out;                                                                            \
        arithmetic_lanes(w, op, out, what);                                                        \
        store(w, op->dest, out, mask);                                                             \
    }

ARITHMETIC(dadd, ADD)
ARITHMETIC(dmul, MUL)
ARITHMETIC(dfma, FMA)

/* Directed rounding, by the host's. Volatile values keep the arithmetic between the two changes of
 * the mode. param[0] = what, param[1] = rounding. */
static void run_directed(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    wide_lanes v[3] = {0}, out;
    for (uint32_t k = 0; k < op->source_count; k++)
        load(w, &op->source[k], v[k]);
    int before = fegetround();
    fesetround(modes[op->param[1]]);
    FLOAT_LANES(i)
    {
        volatile double x = float_double_of(v[0][i]), y = float_double_of(v[1][i]);
        volatile double z = float_double_of(v[2][i]), r;
        if (op->param[0] == ADD)
            r = x + y;
        else if (op->param[0] == MUL)
            r = x * y;
        else
            r = __builtin_fma(x, y, z);
        out[i] = result(r, v[0][i], v[1][i], v[2][i]);
    }
    fesetround(before);
    store(w, op->dest, out, mask);
}

static bool decode(struct emu_op *op, const struct emu_decode *d, enum arithmetic what,
                   struct sim_err *err)
{
    TRY(float_check_modifiers(d, "RN RM RP RZ", err));
    TRY(float_decode_sources(op, d, what == FMA ? 3 : 2, 64, err));
    op->param[0] = what;
    op->param[1] = float_rounding_of(d);
    op->run = op->param[1] != FLOAT_RN ? run_directed
              : what == ADD            ? run_dadd
              : what == MUL            ? run_dmul
                                       : run_dfma;
    return true;
}

bool emu_decode_dadd(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode(op, d, ADD, err);
}

bool emu_decode_dmul(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode(op, d, MUL, err);
}

bool emu_decode_dfma(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode(op, d, FMA, err);
}

/* DSETP: param[0] = set of outcomes, param[1] = boolean operation. */
EMU_HOT static void run_dsetp(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    wide_lanes a, b;
    load(w, &op->source[0], a);
    load(w, &op->source[1], b);
    uint32_t value = 0;
    FLOAT_LANES(i)
    {
        double x = float_double_of(a[i]), y = float_double_of(b[i]);
        uint32_t r = x > y ? FLOAT_GREATER : FLOAT_UNORDERED;
        r = x == y ? FLOAT_EQUAL : r;
        r = x < y ? FLOAT_LESS : r;
        value |= (r & op->param[0] ? 1u : 0u) << i;
    }
    uint32_t with = emu_predicate_of(w, &op->psource[0]);
    emu_write_predicate(w, op->pdest[0], float_combine(value, with, op->param[1]), mask);
    emu_write_predicate(w, op->pdest[1], float_combine(~value, with, op->param[1]), mask);
}

/* Ascending as signed integers, with -0 below +0. */
FLOAT_INLINE int64_t order_key(uint64_t bits)
{
    return (int64_t)(bits ^ (bits & SIGN ? ~SIGN : 0));
}

/* True when the minimum (or maximum) is the first operand. */
FLOAT_INLINE bool takes_first(uint64_t a, uint64_t b, bool min)
{
    if (is_nan(a) || is_nan(b))
        return !is_nan(a);
    return min ? order_key(a) < order_key(b) : order_key(a) > order_key(b);
}

/* DSETP.MIN, DSETP.MAX, the first half of a minimum: whether the result is the first operand, and
 * whether it is a NaN because both are. param[0] = minimum. */
static void run_dsetp_minmax(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    wide_lanes a, b;
    load(w, &op->source[0], a);
    load(w, &op->source[1], b);
    uint32_t first = 0, nan = 0;
    FLOAT_LANES(i)
    {
        first |= (takes_first(a[i], b[i], op->param[0]) ? 1u : 0u) << i;
        nan |= (is_nan(a[i]) && is_nan(b[i]) ? 1u : 0u) << i;
    }
    uint32_t with = emu_predicate_of(w, &op->psource[0]);
    emu_write_predicate(w, op->pdest[0], float_combine(first, with, op->param[1]), mask);
    emu_write_predicate(w, op->pdest[1], float_combine(nan, with, op->param[1]), mask);
}

bool emu_decode_dsetp(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(
        d, "F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T AND OR XOR MIN MAX", err));
    TRY(emu_pdest_from_arg(op, 0, d, 0, err));
    TRY(emu_pdest_from_arg(op, 1, d, 1, err));
    for (uint32_t i = 0; i < 2; i++) {
        TRY(emu_source_from_arg(op, d, 2 + i, 64, true, err));
        if (op->source[i].kind == EMU_SRC_REG)
            TRY(float_check_group(d, op->source[i].reg, 2, err));
    }
    TRY(emu_psource_from_arg(op, 0, d, 4, err));
    op->param[1] = float_combine_of(d);
    op->run = run_dsetp;
    if (float_compare_of(d, &op->param[0]))
        return true;
    op->run = run_dsetp_minmax;
    op->param[0] = emu_has(d, "MIN");
    return op->param[0] || emu_has(d, "MAX") ||
           emu_decode_error(d, err, "expected a comparison such as .LT, found none");
}

static void run_dmnmx(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    wide_lanes a, b, out;
    load(w, &op->source[0], a);
    load(w, &op->source[1], b);
    uint32_t least = emu_predicate_of(w, &op->psource[0]);
    FLOAT_LANES(i)
    {
        uint64_t r = takes_first(a[i], b[i], least >> i & 1) ? a[i] : b[i];
        out[i] = is_nan(r) ? r | QUIET : r;
    }
    store(w, op->dest, out, mask);
}

bool emu_decode_dmnmx(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d, "", err));
    TRY(float_decode_sources(op, d, 2, 64, err));
    TRY(emu_psource_from_arg(op, 0, d, 3, err));
    op->run = run_dmnmx;
    return true;
}

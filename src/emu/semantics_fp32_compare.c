/* FP32 comparison and selection: FSETP, FSET, FMNMX, FMNMX3, FSEL, FCHK and their uniform forms. */
#include "emu/float.h"
#include "emu/hot.h"
#include "emu/semantics.h"

/* param[] */
enum { SET, HOW, FLAGS };
#define FLAG_FTZ 1u
#define FLAG_NAN 2u     /* FMNMX: a NaN operand gives NaN */
#define FLAG_XORSIGN 4u /* FMNMX: the sign is that of a * b */
#define FLAG_BF 8u      /* FSET: true is 1.0, else all ones */

FLOAT_INLINE uint32_t outcome(uint32_t a, uint32_t b)
{
    float x = float_of(a), y = float_of(b);
    uint32_t r = x > y ? FLOAT_GREATER : FLOAT_UNORDERED;
    r = x == y ? FLOAT_EQUAL : r;
    return x < y ? FLOAT_LESS : r;
}

FLOAT_INLINE uint32_t compare_lanes(const struct emu_warp *w, const struct emu_op *op, bool ftz)
{
    emu_lanes ta, tb;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], ta);
    const uint32_t *b = emu_lanes_of(w, &op->source[1], tb);
    struct float_sign sa = float_sign_of(&op->source[0]), sb = float_sign_of(&op->source[1]);
    uint32_t set = op->param[SET], value = 0;
    FLOAT_LANES(i)
    {
        uint32_t r = outcome(float_source(a[i], sa, ftz), float_source(b[i], sb, ftz)) & set;
        value |= (r != 0 ? 1u : 0u) << i;
    }
    return value;
}

static void write_predicates(struct emu_warp *w, const struct emu_op *op, uint32_t value,
                             uint32_t mask)
{
    uint32_t with = emu_predicate_of(w, &op->psource[0]);
    uint32_t first = float_combine(value, with, op->param[HOW]);
    uint32_t second = float_combine(~value, with, op->param[HOW]);
    emu_write_predicate(w, op->pdest[0], first, mask);
    emu_write_predicate(w, op->pdest[1], second, mask);
}

EMU_HOT static void run_fsetp(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    write_predicates(w, op, compare_lanes(w, op, false), mask);
}

EMU_HOT static void run_fsetp_ftz(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    write_predicates(w, op, compare_lanes(w, op, true), mask);
}

static void write_uniform(struct emu_warp *w, uint32_t index, bool value)
{
    if (index != 7)
        w->up = (uint8_t)((w->up & ~(1u << index)) | (uint32_t)value << index);
}

static void run_ufsetp(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t value = compare_lanes(w, op, op->param[FLAGS] & FLAG_FTZ);
    uint32_t with = emu_predicate_of(w, &op->psource[0]);
    write_uniform(w, op->pdest[0], float_combine(value, with, op->param[HOW]) & 1);
    write_uniform(w, op->pdest[1], float_combine(~value, with, op->param[HOW]) & 1);
}

/* What a handler of a register result needs; the lanes go to a register or a uniform register. */
#define REGISTER_HANDLERS(name)                                                                    \
    EMU_HOT static void run_##name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)     \
    {                                                                                              \
        emu_lanes out;                                                                             \
        name##_lanes(w, op, out);                                                                  \
        float_store(w, op->dest, out, mask);                                                       \
    }                                                                                              \
    static void run_u##name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)            \
    {                                                                                              \
        (void)mask;                                                                                \
        emu_lanes out;                                                                             \
        name##_lanes(w, op, out);                                                                  \
        w->ur[op->dest] = out[0];                                                                  \
    }

FLOAT_INLINE void fset_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out)
{
    uint32_t value = compare_lanes(w, op, op->param[FLAGS] & FLAG_FTZ);
    value = float_combine(value, emu_predicate_of(w, &op->psource[0]), op->param[HOW]);
    uint32_t yes = op->param[FLAGS] & FLAG_BF ? FLOAT_ONE : ~0u;
    FLOAT_LANES(i) out[i] = value >> i & 1 ? yes : 0;
}

REGISTER_HANDLERS(fset)

FLOAT_INLINE void fsel_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out)
{
    emu_lanes ta, tb;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], ta);
    const uint32_t *b = emu_lanes_of(w, &op->source[1], tb);
    struct float_sign sa = float_sign_of(&op->source[0]), sb = float_sign_of(&op->source[1]);
    uint32_t first = emu_predicate_of(w, &op->psource[0]);
    bool ftz = op->param[FLAGS] & FLAG_FTZ;
    FLOAT_LANES(i)
    {
        uint32_t x = float_source(a[i], sa, ftz), y = float_source(b[i], sb, ftz);
        out[i] = first >> i & 1 ? x : y;
    }
}

REGISTER_HANDLERS(fsel)

/* Ascending as signed integers, with -0 below +0. */
FLOAT_INLINE int32_t order_key(uint32_t bits)
{
    return (int32_t)(bits ^ (0u - (bits >> 31)) >> 1);
}

/* Minimum where `min` is all ones, maximum where it is 0; with one NaN the other operand, or NaN
 * when `nan` says so. */
FLOAT_INLINE uint32_t select_number(uint32_t x, uint32_t y, uint32_t min, bool nan)
{
    uint32_t less = 0u - (uint32_t)(order_key(x) < order_key(y)), first = ~(less ^ min);
    uint32_t r = y ^ ((x ^ y) & first);
    r = float_pick(float_is_nan(x), nan ? FLOAT_NAN : y, r);
    r = float_pick(float_is_nan(y), nan ? FLOAT_NAN : x, r);
    return float_pick(float_is_nan(r), FLOAT_NAN, r);
}

FLOAT_INLINE void minmax_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out,
                               uint32_t flags)
{
    emu_lanes ta, tb;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], ta);
    const uint32_t *b = emu_lanes_of(w, &op->source[1], tb);
    struct float_sign sa = float_sign_of(&op->source[0]), sb = float_sign_of(&op->source[1]);
    uint32_t least = emu_predicate_of(w, &op->psource[0]);
    bool ftz = flags & FLAG_FTZ, nan = flags & FLAG_NAN;
    FLOAT_LANES(i)
    {
        uint32_t x = float_source(a[i], sa, ftz), y = float_source(b[i], sb, ftz);
        uint32_t r = select_number(x, y, 0u - (least >> i & 1), nan);
        if (flags & FLAG_XORSIGN)
            r = float_is_nan(r) ? r : (r & ~FLOAT_SIGN) | ((a[i] ^ b[i]) & FLOAT_SIGN);
        out[i] = r;
    }
}

EMU_HOT static void run_fmnmx_plain(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes out;
    minmax_lanes(w, op, out, 0);
    float_store(w, op->dest, out, mask);
}

FLOAT_INLINE void fmnmx_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out)
{
    minmax_lanes(w, op, out, op->param[FLAGS]);
}

REGISTER_HANDLERS(fmnmx)

FLOAT_INLINE void fmnmx3_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out)
{
    emu_lanes tc;
    const uint32_t *c = emu_lanes_of(w, &op->source[2], tc);
    struct float_sign sc = float_sign_of(&op->source[2]);
    uint32_t least = emu_predicate_of(w, &op->psource[0]);
    bool ftz = op->param[FLAGS] & FLAG_FTZ, nan = op->param[FLAGS] & FLAG_NAN;
    minmax_lanes(w, op, out, op->param[FLAGS]);
    FLOAT_LANES(i)
    out[i] = select_number(out[i], float_source(c[i], sc, ftz), 0u - (least >> i & 1), nan);
}

REGISTER_HANDLERS(fmnmx3)

/* True where a division needs the slow path: decided by the exponents alone. Measured on an H200
 * for all pairs of exponents. */
EMU_HOT static uint32_t slow_lanes(const struct emu_warp *w, const struct emu_op *op)
{
    emu_lanes ta, tb;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], ta);
    const uint32_t *b = emu_lanes_of(w, &op->source[1], tb);
    uint32_t slow = 0;
    FLOAT_LANES(i)
    {
        int32_t ea = (int32_t)(a[i] >> 23 & 255), eb = (int32_t)(b[i] >> 23 & 255);
        bool fast =
            ea >= 25 && ea <= 254 && eb >= 2 && eb <= 251 && ea - eb >= -124 && ea - eb <= 126;
        slow |= (fast ? 0u : 1u) << i;
    }
    return slow;
}

static void run_fchk(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_write_predicate(w, op->pdest[0], slow_lanes(w, op), mask);
}

static uint32_t flags_of(const struct emu_decode *d)
{
    return (emu_has(d, "FTZ") ? FLAG_FTZ : 0) | (emu_has(d, "NAN") ? FLAG_NAN : 0) |
           (emu_has(d, "XORSIGN") ? FLAG_XORSIGN : 0) | (emu_has(d, "BF") ? FLAG_BF : 0);
}

/* Comparison, its combination with a predicate in argument `arg`, FTZ. */
static bool decode_compare(struct emu_op *op, const struct emu_decode *d, uint32_t arg,
                           struct sim_err *err)
{
    TRY(float_check_modifiers(
        d, "F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T AND OR XOR FTZ BF", err));
    if (!float_compare_of(d, &op->param[SET]))
        return emu_decode_error(d, err, "expected a comparison such as .LT, found none");
    op->param[HOW] = float_combine_of(d);
    op->param[FLAGS] = flags_of(d);
    return emu_psource_from_arg(op, 0, d, arg, err);
}

bool emu_decode_fsetp(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(emu_pdest_from_arg(op, 0, d, 0, err));
    TRY(emu_pdest_from_arg(op, 1, d, 1, err));
    TRY(emu_source_from_arg(op, d, 2, 32, true, err));
    TRY(emu_source_from_arg(op, d, 3, 32, true, err));
    TRY(decode_compare(op, d, 4, err));
    bool uniform = d->text.args[0].regs[0].file == REG_UNIFORM_PREDICATE;
    op->run = uniform ? run_ufsetp : op->param[FLAGS] & FLAG_FTZ ? run_fsetp_ftz : run_fsetp;
    return true;
}

bool emu_decode_fset(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_decode_sources(op, d, 2, 32, err));
    TRY(decode_compare(op, d, 3, err));
    op->run = float_arg_is_uniform(d, 0) ? run_ufset : run_fset;
    return true;
}

bool emu_decode_fsel(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d, "FTZ", err));
    TRY(float_decode_sources(op, d, 2, 32, err));
    TRY(emu_psource_from_arg(op, 0, d, 3, err));
    op->param[FLAGS] = flags_of(d);
    op->run = float_arg_is_uniform(d, 0) ? run_ufsel : run_fsel;
    return true;
}

bool emu_decode_fmnmx(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d, "FTZ NAN XORSIGN", err));
    TRY(float_decode_sources(op, d, 2, 32, err));
    TRY(emu_psource_from_arg(op, 0, d, 3, err));
    op->param[FLAGS] = flags_of(d);
    op->run = float_arg_is_uniform(d, 0) ? run_ufmnmx
              : op->param[FLAGS]         ? run_fmnmx
                                         : run_fmnmx_plain;
    return true;
}

bool emu_decode_fmnmx3(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d, "FTZ NAN", err));
    TRY(float_decode_sources(op, d, 3, 32, err));
    TRY(emu_psource_from_arg(op, 0, d, 4, err));
    op->param[FLAGS] = flags_of(d);
    op->run = float_arg_is_uniform(d, 0) ? run_ufmnmx3 : run_fmnmx3;
    return true;
}

bool emu_decode_fchk(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d, "DIVIDE", err));
    TRY(emu_pdest_from_arg(op, 0, d, 0, err));
    TRY(emu_source_from_arg(op, d, 1, 32, true, err));
    TRY(emu_source_from_arg(op, d, 2, 32, true, err));
    op->run = run_fchk;
    return true;
}

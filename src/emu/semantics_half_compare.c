/* Packed half comparison: HSETP2, HSET2, HMNMX2. */
#include "emu/half.h"
#include "emu/hot.h"
#include "emu/semantics.h"

/* param[] */
enum { SET, HOW, FLAGS };
#define FLAG_FTZ 1u
#define FLAG_NAN 2u
#define FLAG_XORSIGN 4u
#define FLAG_BF 8u
#define FLAG_BF16 16u
#define FLAG_BOTH 32u /* HSETP2.H_AND: one result for both halves */

FLOAT_INLINE uint32_t load(uint32_t word, struct half_source s, uint32_t flags)
{
    uint32_t half = half_take(word, s);
    return flags & FLAG_FTZ ? half_flush(half) : half;
}

FLOAT_INLINE float number(uint32_t half, uint32_t flags)
{
    return flags & FLAG_BF16 ? float_of(half << 16) : half_to_float(half);
}

/* A bit a lane: the comparison holds for half `part`. */
EMU_HOT static uint32_t compare_lanes(const struct emu_warp *w, const struct emu_op *op,
                                      uint32_t part)
{
    emu_lanes ta, tb;
    const struct emu_source *sa = &op->source[0], *sb = &op->source[1];
    const uint32_t *a = emu_lanes_of(w, sa, ta), *b = emu_lanes_of(w, sb, tb);
    struct half_source ha = half_source_of(sa, part), hb = half_source_of(sb, part);
    uint32_t flags = op->param[FLAGS], value = 0;
    FLOAT_LANES(i)
    {
        float x = number(load(a[i], ha, flags), flags);
        float y = number(load(b[i], hb, flags), flags);
        uint32_t r = x > y ? FLOAT_GREATER : FLOAT_UNORDERED;
        r = x == y ? FLOAT_EQUAL : r;
        r = x < y ? FLOAT_LESS : r;
        value |= (r & op->param[SET] ? 1u : 0u) << i;
    }
    return value;
}

static void run_hsetp2(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t low = compare_lanes(w, op, 0), high = compare_lanes(w, op, 1);
    if (op->param[FLAGS] & FLAG_BOTH) {
        low &= high;
        high = ~low;
    }
    uint32_t with = emu_predicate_of(w, &op->psource[0]);
    emu_write_predicate(w, op->pdest[0], float_combine(low, with, op->param[HOW]), mask);
    emu_write_predicate(w, op->pdest[1], float_combine(high, with, op->param[HOW]), mask);
}

static void run_hset2(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t with = emu_predicate_of(w, &op->psource[0]), how = op->param[HOW];
    uint32_t low = float_combine(compare_lanes(w, op, 0), with, how);
    uint32_t high = float_combine(compare_lanes(w, op, 1), with, how);
    uint32_t one = op->param[FLAGS] & FLAG_BF16 ? 0x3f80 : 0x3c00;
    uint32_t yes = op->param[FLAGS] & FLAG_BF ? one : 0xffff;
    emu_lanes out;
    FLOAT_LANES(i) out[i] = (low >> i & 1 ? yes : 0) | (high >> i & 1 ? yes << 16 : 0);
    float_store(w, op->dest, out, mask);
}

FLOAT_INLINE int32_t order_key(uint32_t half)
{
    return half & HALF_SIGN ? ~(int32_t)(half & 0x7fff) : (int32_t)half;
}

FLOAT_INLINE uint32_t select_number(uint32_t x, uint32_t y, bool min, uint32_t flags)
{
    uint32_t infinity = flags & FLAG_BF16 ? HALF_BF16_INF : HALF_INF;
    bool xn = (x & 0x7fff) > infinity, yn = (y & 0x7fff) > infinity;
    bool less = order_key(x) < order_key(y);
    uint32_t r = less == min ? x : y;
    uint32_t other = flags & FLAG_NAN || (xn && yn) ? HALF_NAN : xn ? y : x;
    return xn || yn ? other : r;
}

EMU_HOT static void minmax_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out)
{
    emu_lanes ta, tb;
    const struct emu_source *sa = &op->source[0], *sb = &op->source[1];
    const uint32_t *a = emu_lanes_of(w, sa, ta), *b = emu_lanes_of(w, sb, tb);
    uint32_t flags = op->param[FLAGS], least = emu_predicate_of(w, &op->psource[0]);
    for (uint32_t part = 0; part < 2; part++) {
        struct half_source ha = half_source_of(sa, part), hb = half_source_of(sb, part);
        FLOAT_LANES(i)
        {
            uint32_t x = load(a[i], ha, flags), y = load(b[i], hb, flags);
            uint32_t r = select_number(x, y, least >> i & 1, flags);
            uint32_t sign = a[i] >> ha.shift ^ b[i] >> hb.shift;
            if (flags & FLAG_XORSIGN)
                r = r == HALF_NAN ? r : (r & ~HALF_SIGN) | (sign & HALF_SIGN);
            out[i] = part == 0 ? r : out[i] | r << 16;
        }
    }
}

static void run_hmnmx2(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes out;
    minmax_lanes(w, op, out);
    float_store(w, op->dest, out, mask);
}

static uint32_t flags_of(const struct emu_decode *d)
{
    return (emu_has(d, "FTZ") ? FLAG_FTZ : 0) | (emu_has(d, "NAN") ? FLAG_NAN : 0) |
           (emu_has(d, "XORSIGN") ? FLAG_XORSIGN : 0) | (emu_has(d, "BF") ? FLAG_BF : 0) |
           (emu_has(d, "BF16_V2") ? FLAG_BF16 : 0) | (emu_has(d, "H_AND") ? FLAG_BOTH : 0);
}

/* Sources from argument `first`, then a predicate. */
static bool decode_sources(struct emu_op *op, const struct emu_decode *d, uint32_t first,
                           struct sim_err *err)
{
    uint32_t wide, next;
    TRY(half_decode_sources(op, d, first, 2, &wide, &next, err));
    if (wide)
        return emu_decode_error(d, err, "an FP32 source has no semantics here");
    op->param[FLAGS] = flags_of(d);
    return emu_psource_from_arg(op, 0, d, next, err);
}

static bool decode_compare(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d,
                              "F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T AND OR XOR "
                              "FTZ BF BM BF16_V2 H_AND",
                              err));
    op->param[HOW] = float_combine_of(d);
    return float_compare_of(d, &op->param[SET]) ||
           emu_decode_error(d, err, "expected a comparison such as .LT, found none");
}

bool emu_decode_hsetp2(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(emu_pdest_from_arg(op, 0, d, 0, err));
    TRY(emu_pdest_from_arg(op, 1, d, 1, err));
    TRY(decode_sources(op, d, 2, err));
    op->run = run_hsetp2;
    return decode_compare(op, d, err);
}

bool emu_decode_hset2(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(emu_dest_from_arg(op, d, 0, err));
    TRY(decode_sources(op, d, 1, err));
    op->run = run_hset2;
    return decode_compare(op, d, err);
}

bool emu_decode_hmnmx2(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d, "FTZ NAN XORSIGN BF16_V2", err));
    TRY(emu_dest_from_arg(op, d, 0, err));
    TRY(decode_sources(op, d, 1, err));
    op->run = run_hmnmx2;
    return true;
}

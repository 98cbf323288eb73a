/* ISETP, SEL and their uniform forms.
 *
 * ISETP P, Q, a, b, S: P = (a compared with b) AND/OR/XOR S, Q = the same of the opposite result.
 * .EX compares high words and takes the result for the low words as its last predicate. */
#include "emu/lanes.h"
#include "emu/operands.h"
#include "emu/semantics.h"

/* A comparison is a set of outcomes. */
#define LESS 1u
#define EQUAL 2u
#define GREATER 4u

static const struct {
    const char *name;
    uint32_t outcomes;
} comparisons[] = {
    {"F", 0},        {"LT", LESS},           {"EQ", EQUAL},           {"LE", LESS | EQUAL},
    {"GT", GREATER}, {"NE", LESS | GREATER}, {"GE", GREATER | EQUAL}, {"T", LESS | EQUAL | GREATER},
};
#define COMPARISONS (sizeof comparisons / sizeof comparisons[0])

enum combine { COMBINE_AND, COMBINE_OR, COMBINE_XOR };

/* Meaning of param[] for ISETP. */
#define P_OUTCOMES 0
#define P_COMBINE 1
#define P_SIGNED 2
#define P_EXTENDED 3

static inline uint32_t combine(uint32_t how, uint32_t x, uint32_t y)
{
    return how == COMBINE_AND ? x & y : how == COMBINE_OR ? x | y : x ^ y;
}

static inline void finish(struct emu_warp *w, const struct emu_op *op, uint32_t bits, uint32_t mask)
{
    uint32_t source = emu_predicate_of(w, &op->psource[0]);
    emu_write_predicate(w, op->pdest[0], combine(op->param[P_COMBINE], bits, source), mask);
    emu_write_predicate(w, op->pdest[1], combine(op->param[P_COMBINE], ~bits, source), mask);
}

static void finish_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t bit)
{
    uint32_t source = uniform_predicate(w, &op->psource[0]);
    uniform_write_predicate(w, op->pdest[0], combine(op->param[P_COMBINE], bit, source));
    uniform_write_predicate(w, op->pdest[1], combine(op->param[P_COMBINE], bit ^ 1, source));
}

/* A handler of one comparison and, with param[P_OUTCOMES] = ~0, of the opposite one. */
#define COMPARE(name, expression)                                                                  \
    EMU_HOT static void name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)           \
    {                                                                                              \
        emu_lanes ta, tb;                                                                          \
        const uint32_t *a = lanes_of(w, &op->source[0], ta);                                       \
        const uint32_t *b = lanes_of(w, &op->source[1], tb);                                       \
        uint32_t bits = 0;                                                                         \
        EACH_LANE(i)                                                                               \
        {                                                                                          \
            bits |= (uint32_t)(expression) << i;                                                   \
        }                                                                                          \
        finish(w, op, bits ^ op->param[P_OUTCOMES], mask);                                         \
    }

COMPARE(run_equal, a[i] == b[i])
COMPARE(run_less, a[i] < b[i])
COMPARE(run_less_equal, a[i] <= b[i])
COMPARE(run_less_signed, (int32_t)a[i] < (int32_t)b[i])
COMPARE(run_less_equal_signed, (int32_t)a[i] <= (int32_t)b[i])

static void pick_simple(struct emu_op *op)
{
    uint32_t outcomes = op->param[P_OUTCOMES];
    bool is_signed = op->param[P_SIGNED];
    bool opposite = outcomes & GREATER;
    op->param[P_OUTCOMES] = opposite ? ~0u : 0;
    if (opposite)
        outcomes ^= LESS | EQUAL | GREATER;
    if (outcomes == EQUAL)
        op->run = run_equal;
    else if (outcomes == LESS)
        op->run = is_signed ? run_less_signed : run_less;
    else
        op->run = is_signed ? run_less_equal_signed : run_less_equal;
}

/* Outcomes that hold, from the lanes that are less and equal. With .EX an equal high word leaves it
 * to the low words. */
static inline uint32_t outcomes_of(const uint32_t *param, uint32_t less, uint32_t equal,
                                   uint32_t low)
{
    uint32_t outcomes = param[P_OUTCOMES];
    uint32_t result = outcomes & LESS ? less : 0;
    if (outcomes & GREATER)
        result |= ~(less | equal);
    if (param[P_EXTENDED])
        result |= equal & low;
    else if (outcomes & EQUAL)
        result |= equal;
    return result;
}

EMU_HOT static void run_compare_full(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb;
    const uint32_t *a = lanes_of(w, &op->source[0], ta);
    const uint32_t *b = lanes_of(w, &op->source[1], tb);
    const uint32_t bias = op->param[P_SIGNED] ? 0x80000000u : 0;
    uint32_t less = 0, equal = 0;
    EACH_LANE(i)
    {
        less |= (uint32_t)((a[i] ^ bias) < (b[i] ^ bias)) << i;
        equal |= (uint32_t)(a[i] == b[i]) << i;
    }
    uint32_t low = emu_predicate_of(w, &op->psource[1]);
    finish(w, op, outcomes_of(op->param, less, equal, low), mask);
}

static void run_compare_full_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t a = uniform_of(w, &op->source[0]), b = uniform_of(w, &op->source[1]);
    uint32_t bias = op->param[P_SIGNED] ? 0x80000000u : 0;
    uint32_t low = uniform_predicate(w, &op->psource[1]);
    finish_uniform(w, op, outcomes_of(op->param, (a ^ bias) < (b ^ bias), a == b, low) & 1);
}

#define SIGN_64 ((uint64_t)1 << 63)

EMU_HOT static void run_compare_64(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    struct lanes64 a, b;
    lanes64_read(&a, w, &op->source[0]);
    lanes64_read(&b, w, &op->source[1]);
    const uint32_t bias = op->param[P_SIGNED] ? 0x80000000u : 0;
    uint32_t less = 0, same = 0, less_low = 0, same_low = 0;
    EACH_LANE(i)
    {
        less |= (uint32_t)((a.hi[i] ^ bias) < (b.hi[i] ^ bias)) << i;
        same |= (uint32_t)(a.hi[i] == b.hi[i]) << i;
        less_low |= (uint32_t)(a.lo[i] < b.lo[i]) << i;
        same_low |= (uint32_t)(a.lo[i] == b.lo[i]) << i;
    }
    less |= same & less_low;
    finish(w, op, outcomes_of(op->param, less, same & same_low, 0), mask);
}

static void run_compare_64_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint64_t bias = op->param[P_SIGNED] ? SIGN_64 : 0;
    uint64_t x = uniform64_of(w, &op->source[0]) ^ bias, y = uniform64_of(w, &op->source[1]) ^ bias;
    finish_uniform(w, op, outcomes_of(op->param, x < y, x == y, 0) & 1);
}

static bool read_comparison(const struct emu_decode *d, uint32_t *param, struct sim_err *err)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < COMPARISONS; i++) {
        if (emu_has(d, comparisons[i].name)) {
            param[P_OUTCOMES] = comparisons[i].outcomes;
            found++;
        }
    }
    bool and_op = emu_has(d, "AND"), or_op = emu_has(d, "OR"), xor_op = emu_has(d, "XOR");
    if (found != 1 || and_op + or_op + xor_op != 1)
        return emu_decode_error(d, err, "expected one comparison and one of .AND, .OR and .XOR");
    param[P_COMBINE] = and_op ? COMBINE_AND : or_op ? COMBINE_OR : COMBINE_XOR;
    param[P_SIGNED] = !emu_has(d, "U32") && !emu_has(d, "U64");
    param[P_EXTENDED] = emu_has(d, "EX");
    return true;
}

bool emu_decode_isetp(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "F LT EQ LE GT NE GE T U32 S32 U64 S64 AND OR XOR EX", err));
    TRY(read_comparison(d, op->param, err));
    bool wide = emu_has(d, "U64") || emu_has(d, "S64"), extended = op->param[P_EXTENDED];
    bool constant = op->param[P_OUTCOMES] == 0 || op->param[P_OUTCOMES] == 7;
    if (extended && (wide || constant))
        return emu_decode_error(d, err, ".EX continues a comparison of low words");
    TRY(operands_pdests(&o, 2));
    TRY(operands_source(&o, wide ? 64 : 32));
    TRY(operands_source(&o, wide ? 64 : 32));
    TRY(operands_psource(&o, 0));
    if (extended)
        TRY(operands_psource(&o, 1));
    if (wide)
        LANES_PICK(&o, run_compare_64);
    else if (extended || constant || o.uniform)
        LANES_PICK(&o, run_compare_full);
    else
        pick_simple(op);
    return operands_end(&o);
}

EMU_HOT static void run_select(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb;
    const uint32_t *a = lanes_of(w, &op->source[0], ta);
    const uint32_t *b = lanes_of(w, &op->source[1], tb);
    uint32_t first = emu_predicate_of(w, &op->psource[0]);
    uint32_t *d = w->r[op->dest];
    LANES_STORE(d, mask, lane_choose(lane_ones(first, i), a[i], b[i]))
}

static void run_select_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    bool first = uniform_predicate(w, &op->psource[0]);
    w->ur[op->dest] = uniform_of(w, &op->source[first ? 0 : 1]);
}

EMU_HOT static void run_select_64(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    struct lanes64 a, b;
    lanes64_read(&a, w, &op->source[0]);
    lanes64_read(&b, w, &op->source[1]);
    uint32_t first = emu_predicate_of(w, &op->psource[0]);
    emu_lanes hi;
    EACH_LANE(i)
    {
        hi[i] = lane_choose(lane_ones(first, i), a.hi[i], b.hi[i]);
    }
    uint32_t *d = w->r[op->dest], *e = w->r[op->dest + 1];
    LANES_STORE(d, mask, lane_choose(lane_ones(first, i), a.lo[i], b.lo[i]))
    LANES_STORE(e, mask, hi[i])
}

static void run_select_64_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    bool first = uniform_predicate(w, &op->psource[0]);
    uniform64_write(w, op->dest, uniform64_of(w, &op->source[first ? 0 : 1]));
}

/* SEL d, a, b, P: a where P holds, else b. */
bool emu_decode_sel(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "64", err));
    uint32_t words = emu_has(d, "64") ? 2 : 1;
    TRY(operands_dest(&o, words));
    TRY(operands_source(&o, 32 * words));
    TRY(operands_source(&o, 32 * words));
    TRY(operands_psource(&o, 0));
    if (words == 2)
        LANES_PICK(&o, run_select_64);
    else
        LANES_PICK(&o, run_select);
    return operands_end(&o);
}

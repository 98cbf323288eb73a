/* LOP3, LOP, LOP32I and their uniform forms.
 *
 * LOP3 applies a truth table bit by bit. Its predicate is (result is not 0) OR source predicate, or
 * AND with .PAND. Sources with "~" are inverted before. */
#include "emu/lanes.h"
#include "emu/operands.h"
#include "emu/semantics.h"
#include "emu/truth.h"

static inline uint32_t logic_and(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return a & b;
}
LANES_2(run_and, logic_and)

static inline uint32_t logic_or(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return a | b;
}
LANES_2(run_or, logic_or)

static inline uint32_t logic_xor(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return a ^ b;
}
LANES_2(run_xor, logic_xor)

/* c is 0: p = the table's entries for that, of a and b. */
static inline uint32_t logic_2(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)q;
    return truth_2(p, a, b);
}
LANES_2(run_logic_2, logic_2)

static inline uint32_t logic_3(uint32_t a, uint32_t b, uint32_t c, uint32_t p, uint32_t q)
{
    (void)q;
    return truth_3(p, a, b, c);
}
LANES_3(run_logic_3, logic_3)

/* With a predicate: p = table, q = .PAND. */
EMU_HOT static void run_logic_full(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb, tc;
    const uint32_t *a = lanes_of(w, &op->source[0], ta);
    const uint32_t *b = lanes_of(w, &op->source[1], tb);
    const uint32_t *c = lanes_of(w, &op->source[2], tc);
    const uint32_t table = op->param[0];
    uint32_t *d = w->r[op->dest];
    uint32_t set = 0;
    EACH_LANE(i)
    {
        uint32_t v = truth_3(table, a[i], b[i], c[i]);
        set |= (uint32_t)(v != 0) << i;
        d[i] = lane_choose(lane_ones(mask, i), v, d[i]);
    }
    uint32_t source = emu_predicate_of(w, &op->psource[0]);
    emu_write_predicate(w, op->pdest[0], op->param[1] ? set & source : set | source, mask);
}

static void run_logic_full_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t v = truth_3(op->param[0], uniform_of(w, &op->source[0]), uniform_of(w, &op->source[1]),
                         uniform_of(w, &op->source[2]));
    bool source = uniform_predicate(w, &op->psource[0]);
    w->ur[op->dest] = v;
    uniform_write_predicate(w, op->pdest[0], op->param[1] ? v && source : v || source);
}

/* Entries of the table for c = 0. */
static uint32_t without_c(uint32_t table)
{
    return (table & 1) | (table >> 1 & 2) | (table >> 2 & 4) | (table >> 3 & 8);
}

static void pick_table(struct operands *o, uint32_t table)
{
    struct emu_op *op = o->op;
    op->param[0] = table;
    if (op->pdest[0] != 7) {
        LANES_PICK(o, run_logic_full);
        return;
    }
    if (!operands_is_zero(o, 2)) {
        LANES_PICK(o, run_logic_3);
        return;
    }
    op->param[0] = without_c(table);
    if (op->param[0] == 0x8)
        LANES_PICK(o, run_and);
    else if (op->param[0] == 0xe)
        LANES_PICK(o, run_or);
    else if (op->param[0] == 0x6)
        LANES_PICK(o, run_xor);
    else
        LANES_PICK(o, run_logic_2);
}

/* LOP3.LUT [P,] d, a, b, c, table, P */
bool emu_decode_lop3(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    uint32_t table;
    TRY(operands_start(&o, op, d, "LUT PAND", err));
    TRY(operands_pdests(&o, 1));
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 3));
    TRY(operands_number(&o, 0xff, &table));
    if (operands_left(&o))
        TRY(operands_psource(&o, 0));
    else
        op->psource[0].neg = !emu_has(d, "PAND");
    op->param[1] = emu_has(d, "PAND");
    pick_table(&o, table);
    return operands_end(&o);
}

/* LOP.AND d, a, b and LOP32I.AND d, a, b: AND, OR, XOR or PASS_B. */
bool emu_decode_lop(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "AND OR XOR PASS_B", err));
    uint32_t table = emu_has(d, "AND")      ? 0xc0
                     : emu_has(d, "OR")     ? 0xfc
                     : emu_has(d, "XOR")    ? 0x3c
                     : emu_has(d, "PASS_B") ? 0xcc
                                            : 0x100;
    if (table > 0xff)
        return emu_decode_error(d, err, "expected .AND, .OR, .XOR or .PASS_B");
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 2));
    operands_zero_source(&o);
    pick_table(&o, table);
    return operands_end(&o);
}

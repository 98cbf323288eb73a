/* PLOP3, PSETP, P2R, R2P and their uniform forms UPLOP3, UPSETP, UP2UR, UR2UP. */
#include "emu/lanes.h"
#include "emu/operands.h"
#include "emu/semantics.h"
#include "emu/truth.h"
#include "isa/modifier.h"

/* Truth tables in param[0] and [1], one a destination. */
static void run_table(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t a = emu_predicate_of(w, &op->psource[0]);
    uint32_t b = emu_predicate_of(w, &op->psource[1]);
    uint32_t c = emu_predicate_of(w, &op->psource[2]);
    emu_write_predicate(w, op->pdest[0], truth_3(op->param[0], a, b, c), mask);
    emu_write_predicate(w, op->pdest[1], truth_3(op->param[1], a, b, c), mask);
}

static void run_table_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t a = uniform_predicate(w, &op->psource[0]);
    uint32_t b = uniform_predicate(w, &op->psource[1]);
    uint32_t c = uniform_predicate(w, &op->psource[2]);
    uniform_write_predicate(w, op->pdest[0], truth_3(op->param[0], a, b, c) & 1);
    uniform_write_predicate(w, op->pdest[1], truth_3(op->param[1], a, b, c) & 1);
}

static bool read_pdests(struct operands *o)
{
    if (operands_left(o) < 2)
        return emu_decode_error(o->d, o->err, "expected two predicates to write to");
    return operands_pdests(o, 2);
}

/* PLOP3.LUT P, P, a, b, c, table, table */
bool emu_decode_plop3(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "LUT", err));
    TRY(read_pdests(&o));
    for (uint32_t i = 0; i < 3; i++)
        TRY(operands_psource(&o, i));
    TRY(operands_number(&o, 0xff, &op->param[0]));
    TRY(operands_number(&o, 0xff, &op->param[1]));
    LANES_PICK(&o, run_table);
    return operands_end(&o);
}

/* x AND, OR or XOR y; `name` is the modifier. */
static uint32_t combine(struct modifier name, uint32_t x, uint32_t y)
{
    return modifier_is(name, "AND") ? x & y : modifier_is(name, "OR") ? x | y : x ^ y;
}

/* PSETP.AND.OR P, P, a, b, c: (a AND b) OR c, and for the second (NOT (a AND b)) OR c. */
bool emu_decode_psetp(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "AND OR XOR", err));
    const char *cursor = d->inst->opcode;
    struct modifier first, second, extra;
    if (!modifier_next(&cursor, &first) || !modifier_next(&cursor, &second) ||
        modifier_next(&cursor, &extra))
        return emu_decode_error(d, err, "expected two of .AND, .OR and .XOR");
    TRY(read_pdests(&o));
    for (uint32_t i = 0; i < 3; i++)
        TRY(operands_psource(&o, i));
    op->param[0] = op->param[1] = 0;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t ab = combine(first, i >> 2, i >> 1 & 1);
        op->param[0] |= combine(second, ab, i & 1) << i;
        op->param[1] |= combine(second, ab ^ 1, i & 1) << i;
    }
    LANES_PICK(&o, run_table);
    return operands_end(&o);
}

/* Predicates as bits of a word: byte param[1] of a, under the mask param[0]. */
EMU_HOT static void run_p2r(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta;
    const uint32_t *a = lanes_of(w, &op->source[0], ta);
    const uint32_t field = op->param[0], shift = 8 * op->param[1];
    uint32_t *d = w->r[op->dest];
    EACH_LANE(i)
    {
        uint32_t bits = 0;
        for (uint32_t k = 0; k < 7; k++)
            bits |= (w->p[k] >> i & 1) << k;
        uint32_t v = (a[i] & ~(field << shift)) | (bits & field) << shift;
        d[i] = lane_choose(lane_ones(mask, i), v, d[i]);
    }
}

static void run_p2r_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t field = op->param[0], shift = 8 * op->param[1];
    w->ur[op->dest] = (uniform_of(w, &op->source[0]) & ~(field << shift)) | (w->up & field)
                                                                                << shift;
}

EMU_HOT static void run_r2p(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta;
    const uint32_t *a = lanes_of(w, &op->source[0], ta);
    const uint32_t field = op->param[0], shift = 8 * op->param[1];
    for (uint32_t k = 0; k < 7; k++) {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < WARP_LANES; i++)
            bits |= (a[i] >> (shift + k) & 1) << i;
        if (field >> k & 1)
            emu_write_predicate(w, k, bits, mask);
    }
}

static void run_r2p_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t bits = uniform_of(w, &op->source[0]) >> 8 * op->param[1];
    for (uint32_t k = 0; k < 7; k++)
        if (op->param[0] >> k & 1)
            uniform_write_predicate(w, k, bits >> k & 1);
}

/* The byte that ".B1" names, 0 without. */
static uint32_t byte_of(const char *text, size_t len)
{
    for (size_t i = 0; i + 2 < len; i++)
        if (text[i] == '.' && text[i + 1] == 'B' && text[i + 2] >= '0' && text[i + 2] <= '3')
            return (uint32_t)(text[i + 2] - '0');
    return 0;
}

/* P2R.B1 d, PR, a, mask */
bool emu_decode_p2r(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "B0 B1 B2 B3", err));
    TRY(operands_dest(&o, 1));
    TRY(operands_predicate_set(&o));
    TRY(operands_source(&o, 32));
    TRY(operands_number(&o, 0x7f, &op->param[0]));
    op->param[1] = byte_of(d->text.opcode, d->text.opcode_len);
    LANES_PICK(&o, run_p2r);
    return operands_end(&o);
}

/* R2P PR, a.B1, mask */
bool emu_decode_r2p(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "", err));
    o.suffixes = "reuse B0 B1 B2 B3";
    TRY(operands_predicate_set(&o));
    const struct sass_arg *a = &d->text.args[o.next];
    TRY(operands_source(&o, 32));
    TRY(operands_number(&o, 0x7f, &op->param[0]));
    op->param[1] = byte_of(a->text, a->len);
    LANES_PICK(&o, run_r2p);
    return operands_end(&o);
}

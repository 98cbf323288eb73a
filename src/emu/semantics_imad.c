/* IMAD, IMUL, IDP and their uniform forms.
 *
 * .WIDE and .HI add a 64-bit C, a register pair, to the 64-bit product: .WIDE keeps all of the sum,
 * .HI its high word. Their carry is that of the 64-bit sum; .X adds one in. */
#include "emu/lanes.h"
#include "emu/operands.h"
#include "emu/semantics.h"
#include "isa/modifier.h"

static inline uint32_t mad(uint32_t a, uint32_t b, uint32_t c, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return a * b + c;
}
LANES_3(run_mad, mad)

/* IMAD.IADD and others with B = 1: A and C. */
static inline uint32_t mad_one(uint32_t a, uint32_t c, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return a + c;
}
LANES_2(run_mad_one, mad_one)

/* IMAD.MOV and others with A or B = 0: C. */
static inline uint32_t mad_zero(uint32_t c, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return c;
}
LANES_1(run_mad_zero, mad_zero)

/* IMAD.SHL and others with B = 2^p and C = 0: A. */
static inline uint32_t mad_shift(uint32_t a, uint32_t p, uint32_t q)
{
    (void)q;
    return a << p;
}
LANES_1(run_mad_shift, mad_shift)

EMU_HOT static void run_mad_extended(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb, tc;
    const uint32_t *a = lanes_of(w, &op->source[0], ta);
    const uint32_t *b = lanes_of(w, &op->source[1], tb);
    const uint32_t *c = lanes_of(w, &op->source[2], tc);
    uint32_t carry = emu_predicate_of(w, &op->psource[0]);
    uint32_t *d = w->r[op->dest];
    LANES_STORE(d, mask, a[i] * b[i] + c[i] + (carry >> i & 1))
}

static void run_mad_extended_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    w->ur[op->dest] = uniform_of(w, &op->source[0]) * uniform_of(w, &op->source[1]) +
                      uniform_of(w, &op->source[2]) + uniform_predicate(w, &op->psource[0]);
}

/* High word of the product. What signed operands take off the unsigned one is under
 * `signs`, all ones for signed operands. */
static inline uint32_t high_product(uint32_t a, uint32_t b, uint32_t signs)
{
    uint32_t negative = (b & (0 - (a >> 31))) + (a & (0 - (b >> 31)));
    return (uint32_t)((uint64_t)a * b >> 32) - (negative & signs);
}

/* param[0] = all ones for signed operands, [1] = high word only, [2] = carry in. */
#define SIGNS 0
#define HIGH 1
#define EXTENDED 2

EMU_HOT static void run_wide(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb, hi;
    const uint32_t *a = lanes_of(w, &op->source[0], ta);
    const uint32_t *b = lanes_of(w, &op->source[1], tb);
    struct lanes64 c;
    lanes64_read(&c, w, &op->source[2]);
    const uint32_t signs = op->param[SIGNS];
    uint32_t *d = w->r[op->dest], *e = w->r[op->dest + 1];
    EACH_LANE(i)
    {
        uint32_t carry = a[i] * b[i] + c.lo[i] < c.lo[i];
        hi[i] = high_product(a[i], b[i], signs) + c.hi[i] + carry;
    }
    LANES_STORE(d, mask, a[i] * b[i] + c.lo[i])
    LANES_STORE(e, mask, hi[i])
}

static void run_wide_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t a = uniform_of(w, &op->source[0]), b = uniform_of(w, &op->source[1]);
    uint64_t p = (uint64_t)high_product(a, b, op->param[SIGNS]) << 32 | a * b;
    uniform64_write(w, op->dest, p + uniform64_of(w, &op->source[2]));
}

/* All of .WIDE and .HI. */
EMU_HOT static void run_wide_full(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb, lo, hi;
    const uint32_t *a = lanes_of(w, &op->source[0], ta);
    const uint32_t *b = lanes_of(w, &op->source[1], tb);
    struct lanes64 c;
    lanes64_read(&c, w, &op->source[2]);
    const uint32_t signs = op->param[SIGNS];
    uint32_t in = op->param[EXTENDED] ? emu_predicate_of(w, &op->psource[0]) : 0, out = 0;
    EACH_LANE(i)
    {
        uint32_t one = in >> i & 1, sum = a[i] * b[i] + c.lo[i];
        lo[i] = sum + one;
        uint32_t carry = (uint32_t)(sum < c.lo[i]) + (uint32_t)(lo[i] < one);
        uint32_t high = high_product(a[i], b[i], signs) + c.hi[i];
        hi[i] = high + carry;
        out |= ((uint32_t)(high < c.hi[i]) | (uint32_t)(hi[i] < carry)) << i;
    }
    emu_write_predicate(w, op->pdest[0], out, mask);
    uint32_t *d = w->r[op->dest];
    if (op->param[HIGH]) {
        LANES_STORE(d, mask, hi[i])
        return;
    }
    uint32_t *e = w->r[op->dest + 1];
    LANES_STORE(d, mask, lo[i])
    LANES_STORE(e, mask, hi[i])
}

static void run_wide_full_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t a = uniform_of(w, &op->source[0]), b = uniform_of(w, &op->source[1]);
    uint64_t p = (uint64_t)high_product(a, b, op->param[SIGNS]) << 32 | a * b;
    uint64_t in = op->param[EXTENDED] ? uniform_predicate(w, &op->psource[0]) : 0;
    uint64_t s = p + uniform64_of(w, &op->source[2]), sum = s + in;
    if (op->param[HIGH])
        w->ur[op->dest] = (uint32_t)(sum >> 32);
    else
        uniform64_write(w, op->dest, sum);
    uniform_write_predicate(w, op->pdest[0], s < p || sum < in);
}

static bool is_power_of_two(const struct emu_source *s)
{
    uint32_t v = (uint32_t)s->value;
    return s->kind == EMU_SRC_VALUE && !s->neg && !s->inv && v != 0 && (v & (v - 1)) == 0;
}

static void pick_low(struct operands *o)
{
    struct emu_op *op = o->op;
    if (operands_is_zero(o, 0) || operands_is_zero(o, 1)) {
        op->source[0] = op->source[2];
        LANES_PICK(o, run_mad_zero);
    } else if (operands_is_value(o, 1, 1)) {
        op->source[1] = op->source[2];
        LANES_PICK(o, run_mad_one);
    } else if (is_power_of_two(&op->source[1]) && operands_is_zero(o, 2)) {
        op->param[0] = (uint32_t)__builtin_ctz((uint32_t)op->source[1].value);
        LANES_PICK(o, run_mad_shift);
    } else {
        LANES_PICK(o, run_mad);
    }
}

static bool decode_multiply(struct operands *o, bool has_c)
{
    const struct emu_decode *d = o->d;
    struct emu_op *op = o->op;
    bool high = emu_has(d, "HI"), wide = emu_has(d, "WIDE"), extended = emu_has(d, "X");
    TRY(operands_dest(o, wide ? 2 : 1));
    TRY(operands_pdests(o, 1));
    TRY(operands_sources(o, 2));
    if (has_c)
        TRY(operands_source(o, high || wide ? 64 : 32));
    else
        operands_zero_source(o);
    if (extended)
        TRY(operands_psource(o, 0));
    op->param[SIGNS] = emu_has(d, "U32") ? 0 : ~0u;
    op->param[HIGH] = high;
    op->param[EXTENDED] = extended;
    if (wide && !extended && op->pdest[0] == 7) {
        LANES_PICK(o, run_wide);
    } else if (wide || high) {
        LANES_PICK(o, run_wide_full);
    } else {
        TRY(operands_no_pdest(o)); /* what the carry of a low product would be is not known */
        if (extended)
            LANES_PICK(o, run_mad_extended);
        else
            pick_low(o);
    }
    return operands_end(o);
}

bool emu_decode_imad(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "MOV SHL IADD X WIDE HI U32 S32", err));
    return decode_multiply(&o, true);
}

bool emu_decode_imul(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "WIDE HI U32 S32", err));
    return decode_multiply(&o, false);
}

static inline uint32_t extend(uint32_t v, uint32_t bits, uint32_t is_signed)
{
    uint32_t sign = is_signed << (bits - 1);
    v &= (bits == 32 ? 0 : 1u << bits) - 1;
    return (v ^ sign) - sign;
}

/* p: A is signed, q: B is signed. */
static inline uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, uint32_t p, uint32_t q)
{
    for (uint32_t i = 0; i < 32; i += 8)
        c += extend(a >> i, 8, p) * extend(b >> i, 8, q);
    return c;
}
LANES_3(run_dot4, dot4)

/* Halves of A by bytes of B; bit 1 of q selects the upper two bytes. */
static inline uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, uint32_t p, uint32_t q)
{
    b >>= (q & 2) * 8;
    for (uint32_t i = 0; i < 2; i++)
        c += extend(a >> 16 * i, 16, p) * extend(b >> 8 * i, 8, q & 1);
    return c;
}
LANES_3(run_dot2, dot2)

/* IDP.4A.S8.U8, IDP.2A.HI.U16.S8: the types of A and B in order. */
bool emu_decode_idp(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "4A 2A LO HI S8 U8 S16 U16", err));
    bool two = emu_has(d, "2A");
    uint32_t types = 0, is_signed[2] = {0, 0};
    const char *cursor = d->inst->opcode;
    struct modifier m;
    while (modifier_next(&cursor, &m)) {
        bool s = modifier_is(m, "S8") || modifier_is(m, "S16");
        bool u = modifier_is(m, "U8") || modifier_is(m, "U16");
        if ((s || u) && types < 2)
            is_signed[types] = s;
        types += s || u;
    }
    if (types != 2)
        return emu_decode_error(d, err, "expected the types of A and B");
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 3));
    op->param[0] = is_signed[0];
    op->param[1] = is_signed[1] | (two && emu_has(d, "HI") ? 2u : 0);
    if (two)
        LANES_PICK(&o, run_dot2);
    else
        LANES_PICK(&o, run_dot4);
    return operands_end(&o);
}

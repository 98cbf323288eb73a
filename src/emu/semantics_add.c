/* IADD3, IADD, IADD32I and their uniform forms.
 *
 * "-x" is ~x + 1, so carries of a subtraction are those of a 33-bit sum: 1 = no borrow. With .X the
 * operands carry "~" and the + 1 comes in through predicates. Two predicates hold the carry of
 * three operands, 0 to 2, in unary; the measured convention of which is which is not known, and
 * code always adds both. */
#include "emu/lanes.h"
#include "emu/operands.h"
#include "emu/semantics.h"

static inline uint32_t add2(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return a + b;
}
LANES_2(run_add2, add2)

static inline uint32_t add3(uint32_t a, uint32_t b, uint32_t c, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return a + b + c;
}
LANES_3(run_add3, add3)

/* *sum = a + b + c + k; returns the carry, 0 to 3. `k` is what signs and carries add. */
static inline uint32_t add_carry(uint32_t a, uint32_t b, uint32_t c, uint32_t k, uint32_t *sum)
{
    uint32_t ab = a + b, abc = ab + c;
    *sum = abc + k;
    return (uint32_t)(ab < a) + (uint32_t)(abc < c) + (uint32_t)(*sum < k);
}

static uint32_t count_negative(const struct emu_op *op)
{
    return (uint32_t)op->source[0].neg + op->source[1].neg + op->source[2].neg;
}

/* All that IADD3 and IADD3.X can do. */
EMU_HOT static void run_add_full(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb, tc;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], ta);
    const uint32_t *b = emu_lanes_of(w, &op->source[1], tb);
    const uint32_t *c = emu_lanes_of(w, &op->source[2], tc);
    const uint32_t fa = sign_flip(&op->source[0]), fb = sign_flip(&op->source[1]);
    const uint32_t fc = sign_flip(&op->source[2]), k = count_negative(op);
    bool extended = op->param[0] != 0;
    uint32_t in0 = extended ? emu_predicate_of(w, &op->psource[0]) : 0;
    uint32_t in1 = extended ? emu_predicate_of(w, &op->psource[1]) : 0;
    uint32_t *d = w->r[op->dest];
    uint32_t once = 0, twice = 0;
    EACH_LANE(i)
    {
        uint32_t sum, carry = k + (in0 >> i & 1) + (in1 >> i & 1);
        uint32_t high = add_carry(a[i] ^ fa, b[i] ^ fb, c[i] ^ fc, carry, &sum);
        once |= (uint32_t)(high >= 1) << i;
        twice |= (uint32_t)(high >= 2) << i;
        d[i] = lane_choose(lane_ones(mask, i), sum, d[i]);
    }
    emu_write_predicate(w, op->pdest[0], once, mask);
    emu_write_predicate(w, op->pdest[1], twice, mask);
}

static void run_add_full_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    const struct emu_source *s = op->source;
    uint32_t k = count_negative(op);
    if (op->param[0])
        k += uniform_predicate(w, &op->psource[0]) + uniform_predicate(w, &op->psource[1]);
    uint32_t sum, high = add_carry(uniform_raw(w, &s[0]) ^ sign_flip(&s[0]),
                                   uniform_raw(w, &s[1]) ^ sign_flip(&s[1]),
                                   uniform_raw(w, &s[2]) ^ sign_flip(&s[2]), k, &sum);
    w->ur[op->dest] = sum;
    uniform_write_predicate(w, op->pdest[0], high >= 1);
    uniform_write_predicate(w, op->pdest[1], high >= 2);
}

/* Two or three 64-bit operands. */
EMU_HOT static void run_add64(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes lo = {0}, hi = {0};
    for (uint32_t n = 0; n < op->source_count; n++) {
        struct lanes64 s;
        lanes64_read(&s, w, &op->source[n]);
        EACH_LANE(i)
        {
            lo[i] += s.lo[i];
            hi[i] += s.hi[i] + (uint32_t)(lo[i] < s.lo[i]);
        }
    }
    uint32_t *d = w->r[op->dest], *e = w->r[op->dest + 1];
    LANES_STORE(d, mask, lo[i])
    LANES_STORE(e, mask, hi[i])
}

static void run_add64_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint64_t sum = 0;
    for (uint32_t n = 0; n < op->source_count; n++)
        sum += uniform64_of(w, &op->source[n]);
    uniform64_write(w, op->dest, sum);
}

/* IADD.64, IADD3.64: carries are not known. */
static bool decode_add64(struct operands *o, uint32_t count)
{
    TRY(operands_dest(o, 2));
    TRY(operands_pdests(o, 2));
    TRY(operands_no_pdest(o));
    for (uint32_t i = 0; i < count; i++)
        TRY(operands_source(o, 64));
    LANES_PICK(o, run_add64);
    return operands_end(o);
}

static bool decode_extended(struct operands *o)
{
    o->op->param[0] = 1;
    for (uint32_t i = 0; i < o->op->source_count; i++)
        if (o->op->source[i].neg)
            return emu_decode_error(o->d, o->err, "a source of .X is inverted, not negated");
    TRY(operands_psource(o, 0));
    if (operands_left(o))
        TRY(operands_psource(o, 1));
    else
        o->op->psource[1].neg = true; /* no second carry */
    LANES_PICK(o, run_add_full);
    return operands_end(o);
}

bool emu_decode_iadd3(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "X 64", err));
    if (emu_has(d, "64"))
        return decode_add64(&o, 3);
    TRY(operands_dest(&o, 1));
    TRY(operands_pdests(&o, 2));
    TRY(operands_sources(&o, 3));
    op->param[0] = 0;
    if (emu_has(d, "X"))
        return decode_extended(&o);
    if (op->pdest[0] != 7 || op->pdest[1] != 7)
        LANES_PICK(&o, run_add_full);
    else if (operands_is_zero(&o, 2))
        LANES_PICK(&o, run_add2);
    else
        LANES_PICK(&o, run_add3);
    return operands_end(&o);
}

/* IADD, IADD32I: two operands. */
bool emu_decode_iadd(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "64", err));
    if (emu_has(d, "64"))
        return decode_add64(&o, 2);
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 2));
    LANES_PICK(&o, run_add2);
    return operands_end(&o);
}

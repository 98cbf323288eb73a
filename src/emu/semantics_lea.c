/* LEA, ISCADD and their uniform forms.
 *
 *   LEA         b + (a << s)
 *   LEA.HI      b + the high word of {c,a} << s; with .SX32 c is the sign of a
 *
 * .X adds a carry in; the carry out is that of a 33-bit sum, as for IADD3. */
#include "emu/lanes.h"
#include "emu/operands.h"
#include "emu/semantics.h"

#define FLAG_HIGH 1u
#define FLAG_SIGN 2u /* .SX32 */
#define FLAG_X 4u

static inline uint32_t lea(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)q;
    return (a << p) + b;
}
LANES_2(run_lea, lea)

/* The shifted operand. */
static inline uint32_t shifted(uint32_t a, uint32_t c, uint32_t shift, uint32_t flags)
{
    if (!(flags & FLAG_HIGH))
        return a << shift;
    if (flags & FLAG_SIGN)
        c = 0 - (a >> 31);
    return c << shift | a >> 1 >> (31 - shift);
}

EMU_HOT static void run_lea_full(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb, tc;
    const struct emu_source *s = op->source;
    const uint32_t *a = emu_lanes_of(w, &s[0], ta), *b = emu_lanes_of(w, &s[1], tb);
    const uint32_t *c = emu_lanes_of(w, &s[2], tc);
    const uint32_t fa = sign_flip(&s[0]), fb = sign_flip(&s[1]), fc = sign_flip(&s[2]);
    const uint32_t shift = op->param[0], flags = op->param[1], k = (uint32_t)s[0].neg + s[1].neg;
    uint32_t in = flags & FLAG_X ? emu_predicate_of(w, &op->psource[0]) : 0, out = 0;
    uint32_t *d = w->r[op->dest];
    EACH_LANE(i)
    {
        uint32_t x = shifted(a[i], c[i] ^ fc, shift, flags) ^ fa, one = k + (in >> i & 1);
        uint32_t part = x + (b[i] ^ fb), sum = part + one;
        out |= ((uint32_t)(part < x) | (uint32_t)(sum < one)) << i;
        d[i] = lane_choose(lane_ones(mask, i), sum, d[i]);
    }
    emu_write_predicate(w, op->pdest[0], out, mask);
}

static void run_lea_full_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    const struct emu_source *s = op->source;
    uint32_t x = shifted(uniform_raw(w, &s[0]), uniform_of(w, &s[2]), op->param[0], op->param[1]);
    uint32_t in = op->param[1] & FLAG_X ? uniform_predicate(w, &op->psource[0]) : 0;
    uint64_t sum = (uint64_t)(x ^ sign_flip(&s[0])) + (uniform_raw(w, &s[1]) ^ sign_flip(&s[1])) +
                   s[0].neg + s[1].neg + in;
    w->ur[op->dest] = (uint32_t)sum;
    uniform_write_predicate(w, op->pdest[0], sum >> 32 != 0);
}

/* Signs that are understood: "-" on a of the low form, on b without .X, "~" on b with it. */
static bool check_signs(const struct operands *o, uint32_t flags)
{
    const struct emu_source *s = o->op->source;
    if (flags & FLAG_HIGH)
        TRY(operands_no_sign(o, 0));
    TRY(operands_no_sign(o, 2));
    bool odd = flags & FLAG_X ? s[0].neg || s[1].neg : s[0].inv || s[1].inv;
    return !odd || emu_decode_error(o->d, o->err, "a sign that this form may not have");
}

/* Sources that the form has; the third is 0 where it has none. */
static bool read_sources(struct operands *o, uint32_t flags)
{
    bool three = (flags & FLAG_HIGH) && !(flags & FLAG_SIGN);
    TRY(operands_sources(o, three ? 3 : 2));
    if (!three)
        operands_zero_source(o);
    return true;
}

bool emu_decode_lea(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "HI X SX32", err));
    uint32_t flags = (emu_has(d, "HI") ? FLAG_HIGH : 0) | (emu_has(d, "SX32") ? FLAG_SIGN : 0) |
                     (emu_has(d, "X") ? FLAG_X : 0);
    TRY(operands_dest(&o, 1));
    TRY(operands_pdests(&o, 1));
    TRY(read_sources(&o, flags));
    TRY(check_signs(&o, flags));
    TRY(operands_number(&o, 31, &op->param[0]));
    op->param[1] = flags;
    if (flags & FLAG_X)
        TRY(operands_psource(&o, 0));
    const struct emu_source *s = op->source;
    if (flags || op->pdest[0] != 7 || s[0].neg)
        LANES_PICK(&o, run_lea_full);
    else
        LANES_PICK(&o, run_lea);
    return operands_end(&o);
}

/* ISCADD d, a, b, s: (a << s) + b. */
bool emu_decode_iscadd(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "", err));
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 2));
    TRY(operands_no_sign(&o, 0));
    TRY(operands_number(&o, 31, &op->param[0]));
    LANES_PICK(&o, run_lea);
    return operands_end(&o);
}

/* SHF, SHL, SHR, SGXT, BMSK and their uniform forms.
 *
 * SHF shifts the pair {c,a} by b and keeps the low word, or the high one with .HI. The count is
 * clamped to the width of the type, 32 or 64 bits, or taken modulo it with .W. Signed types shift
 * the sign of the pair in. */
#include "emu/lanes.h"
#include "emu/operands.h"
#include "emu/semantics.h"

static inline uint32_t shift_left(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return b < 32 ? a << (b & 31) : 0;
}
LANES_2(run_shift_left, shift_left)

static inline uint32_t shift_left_wrap(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return a << (b & 31);
}
LANES_2(run_shift_left_wrap, shift_left_wrap)

static inline uint32_t shift_right(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return b < 32 ? a >> (b & 31) : 0;
}
LANES_2(run_shift_right, shift_right)

static inline uint32_t shift_right_wrap(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return a >> (b & 31);
}
LANES_2(run_shift_right_wrap, shift_right_wrap)

/* Arithmetic shift of a word without relying on >> of negative numbers. */
static inline uint32_t sign_shift(uint32_t a, uint32_t n)
{
    uint32_t sign = 0 - (a >> 31);
    return (a ^ sign) >> n ^ sign;
}

static inline uint32_t shift_right_signed(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return sign_shift(a, b < 31 ? b : 31);
}
LANES_2(run_shift_right_signed, shift_right_signed)

static inline uint32_t shift_right_signed_wrap(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return sign_shift(a, b & 31);
}
LANES_2(run_shift_right_signed_wrap, shift_right_signed_wrap)

#define FUNNEL_RIGHT 1u
#define FUNNEL_SIGNED 2u
#define FUNNEL_HIGH 4u
#define FUNNEL_WRAP 8u

/* Any SHF: p = flags, q = bits of the type. */
static inline uint32_t funnel(uint32_t a, uint32_t b, uint32_t c, uint32_t p, uint32_t q)
{
    uint64_t v = (uint64_t)c << 32 | a;
    uint32_t n = p & FUNNEL_WRAP ? b & (q - 1) : b < q ? b : q;
    uint64_t sign = p & FUNNEL_SIGNED ? 0 - (v >> 63) : 0;
    uint64_t left = n < 64 ? v << (n & 63) : 0;
    uint64_t right = (n < 64 ? (v ^ sign) >> (n & 63) : 0) ^ sign;
    uint64_t result = p & FUNNEL_RIGHT ? right : left;
    return (uint32_t)(p & FUNNEL_HIGH ? result >> 32 : result);
}
LANES_3(run_funnel, funnel)

/* Shifts of the one word `value` of the three sources by source 1. */
static void pick_word(struct operands *o, uint32_t value, bool right, bool is_signed, bool wrap)
{
    o->op->source[0] = o->op->source[value];
    if (!right && wrap)
        LANES_PICK(o, run_shift_left_wrap);
    else if (!right)
        LANES_PICK(o, run_shift_left);
    else if (is_signed && wrap)
        LANES_PICK(o, run_shift_right_signed_wrap);
    else if (is_signed)
        LANES_PICK(o, run_shift_right_signed);
    else if (wrap)
        LANES_PICK(o, run_shift_right_wrap);
    else
        LANES_PICK(o, run_shift_right);
}

bool emu_decode_shf(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "L R W HI U32 S32 U64 S64", err));
    bool right = emu_has(d, "R"), wide = emu_has(d, "U64") || emu_has(d, "S64");
    bool is_signed = emu_has(d, "S32") || emu_has(d, "S64");
    bool high = emu_has(d, "HI"), wrap = emu_has(d, "W");
    if (right == emu_has(d, "L") || !(wide || is_signed || emu_has(d, "U32")))
        return emu_decode_error(d, err, "expected a direction and a type");
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 3));
    op->param[0] = (right ? FUNNEL_RIGHT : 0) | (is_signed ? FUNNEL_SIGNED : 0) |
                   (high ? FUNNEL_HIGH : 0) | (wrap ? FUNNEL_WRAP : 0);
    op->param[1] = wide ? 64 : 32;
    if (!wide && right == high) /* one of the words does not matter */
        pick_word(&o, right ? 2 : 0, right, is_signed, wrap);
    else
        LANES_PICK(&o, run_funnel);
    return operands_end(&o);
}

/* SHL d, a, b and SHR d, a, b; SHR is signed unless .U32. */
bool emu_decode_shift(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "W U32 S32", err));
    const char *name = d->inst->opcode + o.uniform;
    bool right = name[2] == 'R';
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 2));
    pick_word(&o, 0, right, !emu_has(d, "U32"), emu_has(d, "W"));
    return operands_end(&o);
}

/* The low b bits of a, extended: p = signed, q = modulo 32 instead of clamped to it. */
static inline uint32_t sign_extend(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    uint32_t n = q ? b & 31 : b < 32 ? b : 32;
    uint32_t unused = 32 - n;
    if (n == 0)
        return 0;
    a <<= unused & 31;
    return p ? sign_shift(a, unused) : a >> (unused & 31);
}
LANES_2(run_sign_extend, sign_extend)

bool emu_decode_sgxt(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "W U32 S32", err));
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 2));
    op->param[0] = !emu_has(d, "U32");
    op->param[1] = emu_has(d, "W");
    LANES_PICK(&o, run_sign_extend);
    return operands_end(&o);
}

/* b ones from bit a on. */
static inline uint32_t bit_mask(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    uint32_t ones = b < 32 ? (1u << (b & 31)) - 1 : ~0u;
    return a < 32 ? ones << (a & 31) : 0;
}
LANES_2(run_bit_mask, bit_mask)

static inline uint32_t bit_mask_wrap(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    return bit_mask(a & 31, b & 31, p, q);
}
LANES_2(run_bit_mask_wrap, bit_mask_wrap)

bool emu_decode_bmsk(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "W", err));
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 2));
    if (emu_has(d, "W"))
        LANES_PICK(&o, run_bit_mask_wrap);
    else
        LANES_PICK(&o, run_bit_mask);
    return operands_end(&o);
}

/* VIADD, VABSDIFF, VABSDIFF4, I2I, I2IP. Minima and maxima are in semantics_minmax.c. */
#include "emu/lanes.h"
#include "emu/operands.h"
#include "emu/packed.h"
#include "emu/semantics.h"
#include "isa/modifier.h"

static inline uint32_t add_word(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return a + b;
}
LANES_2(run_add_word, add_word)

/* Sum of elements without carries between them; `below` is all but the top bit of each. */
static inline uint32_t add_elements(uint32_t a, uint32_t b, uint32_t below)
{
    return ((a & below) + (b & below)) ^ ((a ^ b) & ~below);
}

/* p = all but the top bits of elements; q = 1 in each for a subtraction, else 0. */
static inline uint32_t add_packed(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    uint32_t addend = q ? add_elements(~b, q, p) : b;
    return add_elements(a, addend, p);
}
LANES_2(run_add_packed, add_packed)

/* VIADD[.16x2|.U8x4] d, a, b */
bool emu_decode_viadd(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "16x2 U8x4", err));
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 2));
    bool halves = emu_has(d, "16x2"), bytes = emu_has(d, "U8x4");
    if (!halves && !bytes) {
        LANES_PICK(&o, run_add_word);
        return operands_end(&o);
    }
    TRY(operands_no_sign(&o, 0));
    if (op->source[1].inv)
        return emu_decode_error(d, err, "packed elements may be negated, not inverted");
    op->param[0] = halves ? 0x7fff7fff : 0x7f7f7f7f;
    op->param[1] = !op->source[1].neg ? 0 : halves ? 0x00010001 : 0x01010101;
    op->source[1].neg = false;
    LANES_PICK(&o, run_add_packed);
    return operands_end(&o);
}

/* |a - b| + c; p = signed. */
static inline uint32_t absolute_difference(uint32_t a, uint32_t b, uint32_t c, uint32_t p,
                                           uint32_t q)
{
    (void)q;
    uint32_t bias = p << 31;
    return ((a ^ bias) > (b ^ bias) ? a - b : b - a) + c;
}
LANES_3(run_absolute_difference, absolute_difference)

bool emu_decode_vabsdiff(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "U32 S32", err));
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 3));
    op->param[0] = !emu_has(d, "U32");
    LANES_PICK(&o, run_absolute_difference);
    return operands_end(&o);
}

/* Of four bytes: side by side, or with p (.ACC) added to c. */
static inline uint32_t byte_differences(uint32_t a, uint32_t b, uint32_t c, uint32_t p, uint32_t q)
{
    (void)q;
    uint32_t sum = c, bytes = 0;
    for (uint32_t at = 0; at < 32; at += 8) {
        uint32_t x = a >> at & 0xff, y = b >> at & 0xff;
        uint32_t difference = x > y ? x - y : y - x;
        sum += difference;
        bytes |= difference << at;
    }
    return p ? sum : bytes;
}
LANES_3(run_byte_differences, byte_differences)

bool emu_decode_vabsdiff4(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "U8 ACC", err));
    if (!emu_has(d, "U8"))
        return emu_decode_error(d, err, "expected .U8");
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 3));
    op->param[0] = emu_has(d, "ACC");
    if (!op->param[0] && !operands_is_zero(&o, 2))
        return emu_decode_error(d, err, "expected RZ as addend without .ACC");
    LANES_PICK(&o, run_byte_differences);
    return operands_end(&o);
}

/* An integer type "U8", "S16"... as its width and sign. */
static bool read_type(struct modifier m, uint32_t *bits, bool *is_signed)
{
    *is_signed = m.len > 0 && m.text[0] == 'S';
    if (m.len < 2 || (m.text[0] != 'S' && m.text[0] != 'U'))
        return false;
    struct modifier number = {m.text + 1, m.len - 1};
    *bits = modifier_number(number);
    return *bits == 2 || *bits == 4 || *bits == 8 || *bits == 16 || *bits == 32;
}

/* The two types of I2I.U8.S32.SAT: destination and source. */
static bool read_types(const struct emu_decode *d, uint32_t bits[2], bool is_signed[2],
                       struct sim_err *err)
{
    const char *cursor = d->inst->opcode;
    for (uint32_t i = 0; i < 2; i++) {
        struct modifier m;
        if (!modifier_next(&cursor, &m) || !read_type(m, &bits[i], &is_signed[i]))
            return emu_decode_error(d, err, "expected the types of destination and source");
    }
    return true;
}

/* Limits of a type, as 32-bit words: of a signed source value when `from_signed`. */
static uint32_t type_least(uint32_t bits, bool is_signed)
{
    return is_signed ? 0 - (1u << (bits - 1)) : 0;
}

static uint32_t type_most(uint32_t bits, bool is_signed)
{
    return ~0u >> (32 - bits + is_signed);
}

/* A signed word limited to p..q. */
static inline uint32_t clamp_signed(uint32_t a, uint32_t p, uint32_t q)
{
    int32_t x = (int32_t)a, least = (int32_t)p, most = (int32_t)q;
    return (uint32_t)(x < least ? least : x > most ? most : x);
}
LANES_1(run_clamp_signed, clamp_signed)

/* I2I.U8.S32.SAT d, a: other sources and conversions that wrap are not seen in code. */
bool emu_decode_i2i(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    uint32_t bits[2];
    bool is_signed[2];
    TRY(operands_start(&o, op, d, "S8 U8 S16 U16 S32 SAT", err));
    TRY(read_types(d, bits, is_signed, err));
    if (bits[0] > 16 || bits[1] != 32 || !is_signed[1] || !emu_has(d, "SAT"))
        return emu_decode_error(d, err, "expected a saturating conversion from .S32");
    TRY(operands_dest(&o, 1));
    TRY(operands_source(&o, 32));
    op->param[0] = type_least(bits[0], is_signed[0]);
    op->param[1] = type_most(bits[0], is_signed[0]);
    LANES_PICK(&o, run_clamp_signed);
    return operands_end(&o);
}

/* {c, a, b}: a and b limited to a type of `p & 0xff` bits (p >> 8: signed) below what is left of c.
 */
static inline uint32_t pack(uint32_t a, uint32_t b, uint32_t c, uint32_t p, uint32_t q)
{
    uint32_t bits = p & 0xff, least = p >> 8 ? 0 - (1u << (bits - 1)) : 0;
    uint32_t x = packed_cut(clamp_signed(a, least, q), bits);
    uint32_t y = packed_cut(clamp_signed(b, least, q), bits);
    uint32_t above = bits < 16 ? c << (2 * bits & 31) : 0;
    return above | x << bits | y;
}
LANES_3(run_pack, pack)

/* I2IP.S4.S32.SAT d, a, b, c.24: the suffix says how many bits of c are kept. */
bool emu_decode_i2ip(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    uint32_t bits[2];
    bool is_signed[2];
    TRY(operands_start(&o, op, d, "S2 U2 S4 U4 S8 U8 S16 U16 S32 SAT", err));
    TRY(read_types(d, bits, is_signed, err));
    if (bits[0] > 16 || bits[1] != 32 || !is_signed[1] || !emu_has(d, "SAT"))
        return emu_decode_error(d, err, "expected a saturating conversion from .S32");
    o.suffixes = bits[0] == 4 ? "reuse 24" : bits[0] == 2 ? "reuse 28" : "reuse";
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 3));
    op->param[0] = bits[0] | (is_signed[0] ? 0x100u : 0);
    op->param[1] = type_most(bits[0], is_signed[0]);
    LANES_PICK(&o, run_pack);
    return operands_end(&o);
}

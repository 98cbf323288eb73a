/* BREV, FLO, POPC, IABS, PRMT and their uniform forms. */
#include "emu/lanes.h"
#include "emu/operands.h"
#include "emu/semantics.h"

static inline uint32_t reverse(uint32_t a, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
    return a >> 16 | a << 16;
}
LANES_1(run_reverse, reverse)

static inline uint32_t count_ones(uint32_t a, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    a -= a >> 1 & 0x55555555u;
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0fu;
    return a * 0x01010101u >> 24;
}
LANES_1(run_count_ones, count_ones)

/* Bit of the leading one, all ones when there is none. p = signed: of the leading bit that is not
 * the sign; q = .SH: the shift that brings it to bit 31. */
static inline uint32_t find_leading(uint32_t a, uint32_t p, uint32_t q)
{
    a ^= p ? 0 - (a >> 31) : 0;
    for (uint32_t n = 1; n < 32; n *= 2)
        a |= a >> n;
    uint32_t bit = count_ones(a, p, q) - 1;
    return q ? (31 - bit) | (0 - (uint32_t)(a == 0)) : bit;
}
LANES_1(run_find_leading, find_leading)

static inline uint32_t absolute(uint32_t a, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    uint32_t sign = 0 - (a >> 31);
    return (a ^ sign) - sign;
}
LANES_1(run_absolute, absolute)

static bool decode_unary(struct operands *o)
{
    TRY(operands_dest(o, 1));
    TRY(operands_source(o, 32));
    return operands_end(o);
}

bool emu_decode_brev(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "", err));
    LANES_PICK(&o, run_reverse);
    return decode_unary(&o);
}

bool emu_decode_flo(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "U32 S32 SH", err));
    op->param[0] = !emu_has(d, "U32");
    op->param[1] = emu_has(d, "SH");
    LANES_PICK(&o, run_find_leading);
    return decode_unary(&o);
}

bool emu_decode_popc(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "", err));
    LANES_PICK(&o, run_count_ones);
    return decode_unary(&o);
}

bool emu_decode_iabs(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "", err));
    LANES_PICK(&o, run_absolute);
    return decode_unary(&o);
}

/* Byte i of the result is byte (selector's nibble i) of {c,a}, or eight copies of its sign with the
 * nibble's top bit. */
static inline uint32_t permute(uint32_t a, uint32_t selector, uint32_t c, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t nibble = selector >> 4 * i;
        uint32_t word = lane_choose(0 - (nibble >> 2 & 1), c, a);
        uint32_t byte = word >> 8 * (nibble & 3) & 0xff;
        uint32_t sign = 0 - (byte >> 7);
        result |= (lane_choose(0 - (nibble >> 3 & 1), sign, byte) & 0xff) << 8 * i;
    }
    return result;
}
LANES_3(run_permute, permute)

/* The modes, as the selectors that they stand for at selector & 3. */
static const struct {
    const char *name;
    uint16_t selector[4];
} permute_modes[] = {
    {"F4E", {0x3210, 0x4321, 0x5432, 0x6543}}, {"B4E", {0x5670, 0x6701, 0x7012, 0x0123}},
    {"RC8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ECL", {0x3210, 0x3211, 0x3222, 0x3333}},
    {"ECR", {0x0000, 0x1110, 0x2210, 0x3210}}, {"RC16", {0x1010, 0x3232, 0x1010, 0x3232}},
};
#define PERMUTE_MODES (sizeof permute_modes / sizeof permute_modes[0])

static inline uint32_t permute_mode(uint32_t a, uint32_t selector, uint32_t c, uint32_t p,
                                    uint32_t q)
{
    return permute(a, permute_modes[p].selector[selector & 3], c, p, q);
}
LANES_3(run_permute_mode, permute_mode)

bool emu_decode_prmt(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "F4E B4E RC8 ECL ECR RC16", err));
    TRY(operands_dest(&o, 1));
    TRY(operands_sources(&o, 3));
    LANES_PICK(&o, run_permute);
    for (uint32_t i = 0; i < PERMUTE_MODES; i++) {
        if (emu_has(d, permute_modes[i].name)) {
            op->param[0] = i;
            LANES_PICK(&o, run_permute_mode);
        }
    }
    return operands_end(&o);
}

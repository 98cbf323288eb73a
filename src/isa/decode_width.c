/* How many registers an operand spans, and how many bytes a lane a memory operation moves. */
#include "isa/decode.h"
#include "isa/modifier.h"

#include <string.h>

#define MAX_REGISTERS 128u /* the accumulator of HGMMA.64x256 */
#define MAX_BYTES 64u      /* of one lane; anything above is no width */

static uint8_t at_least_one(uint32_t n)
{
    if (n < 1)
        return 1;
    return (uint8_t)(n < MAX_REGISTERS ? n : MAX_REGISTERS);
}

/* Bytes that one modifier says, or 0: "64", "U8", "F64", "F16x2", "BF16x2"... */
static uint32_t modifier_bytes(struct modifier m)
{
    static const char *const types[] = {"BF", "F", "U", "S"};
    uint32_t bits = modifier_number(m);
    if (bits == 0) {
        for (uint32_t i = 0; i < sizeof types / sizeof types[0] && bits == 0; i++) {
            size_t skip = strlen(types[i]);
            if (m.len <= skip || memcmp(m.text, types[i], skip) != 0)
                continue;
            const char *x = memchr(m.text, 'x', m.len);
            size_t len = x ? (size_t)(x - m.text) : m.len;
            if (len <= skip)
                continue;
            bits = modifier_number((struct modifier){m.text + skip, len - skip});
            if (x)
                bits *= modifier_number((struct modifier){x + 1, m.len - len - 1});
        }
    }
    bool whole = bits % 8 == 0 && bits / 8 <= MAX_BYTES;
    return whole ? bits / 8 : 0;
}

/* Matrices of LDSM and STSM: the last number, in .16.M88.4. */
static uint8_t matrices(const char *opcode)
{
    struct modifier m;
    uint32_t n = 0;
    while (modifier_next(&opcode, &m))
        n = modifier_number(m);
    return n == 2 || n == 4 ? (uint8_t)n : 1;
}

uint8_t width_memory(const char *opcode, enum op_class c)
{
    if (c == OP_CLASS_ldsm || c == OP_CLASS_stsm)
        return (uint8_t)(4 * matrices(opcode));
    uint8_t bytes = 4;
    const char *cursor = opcode;
    struct modifier m;
    while (modifier_next(&cursor, &m)) {
        uint32_t b = modifier_bytes(m);
        if (modifier_is(m, "TRANS64"))
            b = 8;
        if (b)
            bytes = (uint8_t)b;
    }
    return bytes;
}

/* Matrix multiply: "16816" is m = 16, n = 8, k = 16; m is 8 or 16 and n is 8. */
struct shape {
    uint32_t m, n, k;
};

static bool shape_parse(const char *opcode, struct shape *out)
{
    struct modifier mod;
    while (modifier_next(&opcode, &mod)) {
        if (!modifier_number(mod) || mod.len < 3)
            continue;
        size_t skip = memcmp(mod.text, "168", 3) == 0 ? 3 : memcmp(mod.text, "88", 2) == 0 ? 2 : 0;
        if (skip == 0 || skip == mod.len)
            continue;
        struct modifier k = {mod.text + skip, mod.len - skip};
        *out = (struct shape){skip == 3 ? 16 : 8, 8, modifier_number(k)};
        return out->k > 0;
    }
    return false;
}

/* Bits of one element of A and B. */
static uint32_t element_bits(const char *opcode, enum op_class c)
{
    if (c == OP_CLASS_dmma)
        return 64;
    if (c == OP_CLASS_bmma)
        return 1;
    if (modifier_has(opcode, "TF32"))
        return 32;
    if (modifier_base_is(opcode, "HMMA"))
        return 16;
    bool nibble = modifier_has(opcode, "S4") || modifier_has(opcode, "U4");
    return nibble || modifier_base_is(opcode, "OMMA") ? 4 : 8;
}

/* Bits of one element of the accumulator. */
static uint32_t accumulator_bits(const char *opcode, enum op_class c)
{
    if (c == OP_CLASS_dmma)
        return 64;
    return modifier_has(opcode, "F16") && !modifier_has(opcode, "F32") ? 16 : 32;
}

/* A matrix is spread over 32 lanes of 32-bit registers; sparse A holds half of its elements.
 * Volta's HMMA.884 works on quads in four steps: two registers each. */
static uint8_t width_matrix(const struct form *f, uint32_t i, enum op_class c)
{
    const uint32_t bits_a_register = WARP_LANES * 32;
    uint8_t position = f->position[i]; /* of a source; NO_POSITION for the destination */
    struct shape s;
    if (position != NO_POSITION && position > 2)
        return 1; /* metadata and scales */
    if (!shape_parse(f->opcode, &s))
        return 1;
    if (s.k == 4 && s.m == 8 && c != OP_CLASS_dmma)
        return 2;
    uint32_t bits = element_bits(f->opcode, c);
    if (position == 0)
        return at_least_one(s.m * s.k * bits / bits_a_register /
                            (modifier_has(f->opcode, "SP") ? 2 : 1));
    if (position == 1)
        return at_least_one(s.k * s.n * bits / bits_a_register);
    return at_least_one(s.m * s.n * accumulator_bits(f->opcode, c) / bits_a_register);
}

/* HGMMA.64x256x16.F32: four warps hold the 64 x n accumulator; A from registers takes four. */
static uint8_t width_gmma(const struct form *f, uint32_t i)
{
    uint32_t n = 0;
    const char *cursor = f->opcode;
    struct modifier m;
    while (!n && modifier_next(&cursor, &m)) {
        const char *x = memchr(m.text, 'x', m.len);
        size_t at = x ? (size_t)(x - m.text) + 1 : m.len;
        const char *y = at < m.len ? memchr(m.text + at, 'x', m.len - at) : NULL;
        if (y)
            n = modifier_number((struct modifier){m.text + at, (size_t)(y - m.text) - at});
    }
    bool first_source = f->position[i] == 0 && f->value_count > 1;
    if (!n || f->args[i].regs[0].file != REG_GENERAL)
        return 1;
    return first_source ? 4 : at_least_one(n * accumulator_bits(f->opcode, OP_CLASS_gmma) / 64);
}

/* LDTM.x32, LDTM.16dp256bit.x8: repetitions times registers of one. */
static uint8_t width_tensor_memory(const char *opcode)
{
    uint32_t n = 1, unit = 1;
    struct modifier m;
    while (modifier_next(&opcode, &m)) {
        if (m.len > 1 && m.text[0] == 'x' &&
            modifier_number((struct modifier){m.text + 1, m.len - 1}))
            n = modifier_number((struct modifier){m.text + 1, m.len - 1});
        else if (modifier_is(m, "16dp256bit"))
            unit = 4;
        else if (modifier_is(m, "16dp128bit"))
            unit = 2;
    }
    return at_least_one(n * unit);
}

/* F2F.F32.F64, F2I.S64.F64, I2F.F64.U32, FRND.F64: destination and source types in that order. */
static uint8_t width_conversion(const struct form *f, bool dest)
{
    bool f64 = modifier_has(f->opcode, "F64");
    bool i64 = modifier_has(f->opcode, "S64") || modifier_has(f->opcode, "U64");
    if (strncmp(f->opcode, "I2F", 3) == 0 || strncmp(f->opcode, "UI2F", 4) == 0)
        return (dest ? f64 : i64) ? 2 : 1;
    if (strncmp(f->opcode, "F2I", 3) == 0 || strncmp(f->opcode, "UF2I", 4) == 0)
        return (dest ? i64 : f64) ? 2 : 1;
    if (modifier_base_is(f->opcode, "F2F") || modifier_base_is(f->opcode, "UF2F")) {
        struct modifier m;
        const char *cursor = f->opcode;
        uint32_t seen = 0;
        while (modifier_next(&cursor, &m))
            if (m.len > 1 && (m.text[0] == 'F' || m.text[0] == 'B' || m.text[0] == 'T') &&
                modifier_bytes(m) && seen++ == (dest ? 0u : 1u))
                return modifier_is(m, "F64") ? 2 : 1;
        return 1;
    }
    return modifier_base_is(f->opcode, "FRND") && f64 ? 2 : 1;
}

/* Opcodes all of whose registers are pairs. */
static bool is_packed_pair(const char *opcode)
{
    return modifier_base_is(opcode, "FADD2") || modifier_base_is(opcode, "FMUL2") ||
           modifier_base_is(opcode, "FFMA2");
}

/* Code addresses are 64-bit. */
static bool holds_code_address(const char *opcode)
{
    static const char *const names[] = {"CALL", "RET",  "BRX",  "BRXU",
                                        "JMX",  "JMXU", "LEPC", "ULEPC"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (modifier_base_is(opcode, names[i]))
            return true;
    return false;
}

/* IMAD.WIDE adds and gives 64 bits; IMAD.HI adds 64 bits and gives the high half. */
static uint8_t width_imad_wide(const struct form *f, bool dest, uint8_t position)
{
    if (dest)
        return modifier_has(f->opcode, "WIDE") ? 2 : 1;
    return position == 2 ? 2 : 1;
}

static uint8_t width_arithmetic(const struct form *f, uint32_t i)
{
    bool dest = i < f->dest_count;
    if (is_packed_pair(f->opcode) || holds_code_address(f->opcode) || modifier_has(f->opcode, "64"))
        return 2;
    if (modifier_base_is(f->opcode, "CS2R") || modifier_base_is(f->opcode, "CS2UR"))
        return modifier_has(f->opcode, "32") ? 1 : 2;
    if (modifier_has(f->opcode, "WIDE") || modifier_has(f->opcode, "HI"))
        if (modifier_base_is(f->opcode, "UIMAD") || modifier_base_is(f->opcode, "IMAD"))
            return width_imad_wide(f, dest, f->position[i]);
    bool wide_source = modifier_has(f->opcode, "S64") || modifier_has(f->opcode, "U64");
    bool compares = modifier_base_is(f->opcode, "ISETP") || modifier_base_is(f->opcode, "UISETP") ||
                    modifier_base_is(f->opcode, "MATCH");
    if (wide_source && compares && !dest)
        return 2;
    return width_conversion(f, dest);
}

uint8_t width_value(const struct form *f, uint32_t i, enum op_class c)
{
    const struct sass_reg *reg = &f->args[i].regs[0];
    if (reg->file == REG_PREDICATE || reg->file == REG_UNIFORM_PREDICATE ||
        reg->file == REG_BARRIER)
        return 1;
    switch (c) {
    case OP_CLASS_fp64:
    case OP_CLASS_fp64_predicate:
        return 2;
    case OP_CLASS_hmma_1688_f32:
    case OP_CLASS_hmma_1688_f16:
    case OP_CLASS_hmma_1688_tf32:
    case OP_CLASS_hmma_16816_f32:
    case OP_CLASS_hmma_16816_f16:
    case OP_CLASS_hmma_sparse:
    case OP_CLASS_imma_8816:
    case OP_CLASS_imma_16816:
    case OP_CLASS_imma_16832:
    case OP_CLASS_bmma:
    case OP_CLASS_dmma:
        return width_matrix(f, i, c);
    case OP_CLASS_gmma:
        return width_gmma(f, i);
    default:
        break;
    }
    if (modifier_base_is(f->opcode, "LDTM") || modifier_base_is(f->opcode, "STTM"))
        return width_tensor_memory(f->opcode);
    if (!op_class_is_memory(c))
        return width_arithmetic(f, i);
    if (modifier_base_is(f->opcode, "CCTL") || modifier_base_is(f->opcode, "QSPC"))
        return 1;
    /* The mbarrier is 64-bit, the counts and phases that ARRIVE and PHASECHK take are not. */
    if (modifier_base_is(f->opcode, "SYNCS") && i >= f->dest_count &&
        !modifier_has(f->opcode, "EXCH"))
        return 1;
    uint32_t registers = width_memory(f->opcode, c) / 4u;
    return at_least_one(registers < 4 ? registers : 4);
}

/* UTMALDG.3D [UR8], [UR4]: UR8 is followed by the mbarrier and the coordinates, UR4 is a pointer.
 */
static uint8_t width_tma(const struct form *f, uint32_t i)
{
    for (uint32_t d = 1; d <= 5; d++) {
        const char name[] = {(char)('0' + d), 'D', '\0'};
        if (modifier_has(f->opcode, name))
            return i == 0 ? (uint8_t)(2 + d) : 2;
    }
    return 2;
}

uint8_t width_address(const struct form *f, uint32_t i, const struct sass_reg *reg, enum op_class c)
{
    if (c == OP_CLASS_tma)
        return width_tma(f, i);
    if (f->args[i].kind == SASS_CONST)
        return reg->descriptor ? 2 : 1;
    if (reg->descriptor) {
        if (c != OP_CLASS_gmma)
            return f->args[i].text[0] == 't' ? 1 : 2;          /* tmem[] is 32 bits, desc[] 64 */
        bool both = f->opcode[0] != 'U' && f->value_count < 2; /* A and B in one group */
        return f->args[i].text[0] == 'g' && both ? 4 : f->args[i].text[0] == 't' ? 1 : 2;
    }
    if (reg->wide)
        return 2;
    if (c == OP_CLASS_ldgsts && i == 0)
        return 1; /* the shared address */
    uint8_t space = f->info ? f->info->mem_space : MEM_NONE;
    bool global = space == MEM_GLOBAL || space == MEM_GENERIC;
    bool far = global && modifier_has(f->opcode, "E") && !reg->narrow;
    return far ? 2 : 1;
}

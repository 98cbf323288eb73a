/* Which slot a register source has: the operand of d = a * b + c that it is, and the bit of the
 * reuse flags (122 = A, 123 = B, 124 = C). Checked against every instruction of seven compiler
 * listings by tests/unit/isa/test_listing.c. */
#include "isa/decode.h"
#include "isa/modifier.h"

enum { SLOT_A, SLOT_B, SLOT_C };

/* One-source opcodes, whose source sits in slot B. */
static bool is_unary(const struct form *f, enum op_class c)
{
    static const char *const names[] = {"MOV", "IABS", "I2FP"};
    if (c == OP_CLASS_xu)
        return !modifier_base_is(f->opcode, "FCHK");
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (modifier_base_is(f->opcode, names[i]))
            return true;
    return false;
}

static bool has_address_source(const struct form *f)
{
    for (uint32_t i = f->dest_count; i < f->arg_count; i++)
        if (f->args[i].kind == SASS_ADDRESS)
            return true;
    return false;
}

uint8_t slot_value(const struct form *f, uint32_t i, enum op_class c)
{
    uint8_t position = f->position[i];
    if (op_class_is_memory(c) && has_address_source(f)) /* the address is in A, data follow */
        position++;
    if (is_unary(f, c))
        return SLOT_B;
    if (position == 1 && modifier_base_is(f->opcode, "DADD"))
        return SLOT_C;
    return position < SLOT_C ? position : SLOT_C;
}

/* Classes with the plain arithmetic layout of operand fields. */
static bool is_arithmetic(enum op_class c)
{
    switch (c) {
    case OP_CLASS_alu:
    case OP_CLASS_predicate:
    case OP_CLASS_fma:
    case OP_CLASS_imad:
    case OP_CLASS_imad_wide:
    case OP_CLASS_half:
    case OP_CLASS_half_mma:
    case OP_CLASS_fp64:
    case OP_CLASS_fp64_predicate:
    case OP_CLASS_xu:
        return true;
    default:
        return false;
    }
}

/* Register number that the encoding holds for a slot. Bits 9-11 are the form: in 2, 3 and 7 operand
 * C is no register (it takes bits 32-63) and B moves to bits 64-71. */
static uint32_t encoded(uint64_t lo, uint64_t hi, uint32_t slot)
{
    uint32_t form = (uint32_t)(lo >> 9) & 7u;
    bool moved = form == 2 || form == 3 || form == 7;
    if (slot == SLOT_A)
        return (uint32_t)(lo >> 24) & 0xffu;
    if (slot == SLOT_B)
        return (uint32_t)(moved ? hi : lo >> 32) & 0xffu;
    return moved ? UINT32_MAX : (uint32_t)hi & 0xffu;
}

void slot_correct(struct inst *out, uint64_t lo, uint64_t hi)
{
    if (!is_arithmetic((enum op_class)out->op_class))
        return;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < out->operand_count; i++) {
        struct operand *o = &out->operands[i];
        if (o->role != OPERAND_SOURCE || o->file != REG_GENERAL)
            continue;
        bool fits = encoded(lo, hi, o->slot) == o->index;
        for (uint32_t s = SLOT_A; s <= SLOT_C && !fits; s++) {
            fits = encoded(lo, hi, s) == o->index && !((taken >> s) & 1u);
            if (fits)
                o->slot = (uint8_t)s;
        }
        taken |= 1u << o->slot;
    }
}

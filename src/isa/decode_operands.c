/* The operand list of an instruction: destinations first, then sources in the order of the text. */
#include "isa/decode.h"

static bool add(struct inst *out, const struct form *f, struct operand o, struct sim_err *err)
{
    if (out->operand_count == INST_MAX_OPERANDS)
        return err_set(err, ERR_INPUT, f->at.file, f->at.line, 0,
                       "more than %d register operands in %.60s", INST_MAX_OPERANDS, out->opcode);
    out->operands[out->operand_count++] = o;
    return true;
}

static bool add_value(struct inst *out, const struct form *f, uint32_t i, struct sim_err *err)
{
    const struct sass_reg *r = &f->args[i].regs[0];
    bool dest = i < f->dest_count;
    if (r->zero)
        return true;
    struct operand o = {
        .file = r->file,
        .role = dest ? OPERAND_DEST : OPERAND_SOURCE,
        .index = r->index,
        .count = width_value(f, i, (enum op_class)out->op_class),
        .reuse = !dest && r->reuse,
    };
    if (!dest && f->position[i] != NO_POSITION)
        o.slot = slot_value(f, i, (enum op_class)out->op_class);
    if (dest && (r->file == REG_PREDICATE || r->file == REG_UNIFORM_PREDICATE))
        out->flags |= INST_PREDICATE_DEST;
    return add(out, f, o, err);
}

static bool add_address(struct inst *out, const struct form *f, uint32_t i, struct sim_err *err)
{
    for (uint32_t j = 0; j < f->args[i].reg_count; j++) {
        const struct sass_reg *r = &f->args[i].regs[j];
        if (r->zero)
            continue;
        struct operand o = {
            .file = r->file,
            .role = OPERAND_ADDRESS,
            .index = r->index,
            .count = width_address(f, i, r, (enum op_class)out->op_class),
            .reuse = r->reuse,
        };
        /* The shared address of LDGSTS is kept in the destination field; B is free there. */
        o.slot = out->op_class == OP_CLASS_ldgsts && i == 0 ? 1 : 0;
        TRY(add(out, f, o, err));
    }
    return true;
}

/* R2P and P2R name the whole predicate file and a mask. */
static bool add_predicate_set(struct inst *out, const struct form *f, uint32_t i,
                              struct sim_err *err)
{
    uint64_t mask = 0x7f;
    for (uint32_t j = i + 1; j < f->arg_count; j++)
        if (f->args[j].kind == SASS_IMMEDIATE && f->args[j].is_integer)
            mask = f->args[j].value & 0x7f;
    bool dest = i < f->dest_count;
    struct operand o = {
        .file = f->args[i].text[0] == 'U' ? REG_UNIFORM_PREDICATE : REG_PREDICATE,
        .role = dest ? OPERAND_DEST : OPERAND_SOURCE,
    };
    while (mask && !(mask & 1)) {
        mask >>= 1;
        o.index++;
    }
    for (; mask; mask >>= 1)
        o.count++;
    if (o.count == 0)
        return true;
    if (dest)
        out->flags |= INST_PREDICATE_DEST;
    return add(out, f, o, err);
}

/* Bits 122-124 mean reuse only where registers are read; branches and DEPBAR use them for other
 * things. */
static void reuse_from_encoding(struct inst *out, uint64_t hi)
{
    bool ignored = out->op_class == OP_CLASS_branch || out->op_class == OP_CLASS_depbar ||
                   out->op_class == OP_CLASS_tex;
    uint8_t bits = ignored ? 0 : ctrl_reuse(hi);
    for (uint32_t i = 0; i < out->operand_count; i++) {
        struct operand *o = &out->operands[i];
        bool reads = o->role != OPERAND_DEST && o->file == REG_GENERAL;
        o->reuse = reads && ((bits >> o->slot) & 1u);
    }
}

bool operands_build(struct inst *out, const struct form *f, const uint64_t *lo, const uint64_t *hi,
                    struct sim_err *err)
{
    for (uint32_t i = 0; i < f->arg_count; i++) {
        switch (f->args[i].kind) {
        case SASS_REGISTER:
            TRY(add_value(out, f, i, err));
            break;
        case SASS_ADDRESS:
        case SASS_CONST:
            TRY(add_address(out, f, i, err));
            break;
        case SASS_PREDICATE_SET:
            TRY(add_predicate_set(out, f, i, err));
            break;
        default:
            break;
        }
    }
    if (lo && hi)
        slot_correct(out, *lo, *hi);
    if (hi)
        reuse_from_encoding(out, *hi);
    return true;
}

#include "isa/decode.h"
#include "isa/modifier.h"

bool form_is_reg(const struct form *f, uint32_t i, enum reg_file file)
{
    return i < f->arg_count && f->args[i].kind == SASS_REGISTER && f->args[i].regs[0].file == file;
}

static bool is_predicate(const struct form *f, uint32_t i)
{
    return form_is_reg(f, i, REG_PREDICATE) || form_is_reg(f, i, REG_UNIFORM_PREDICATE);
}

static bool is_result_register(const struct form *f, uint32_t i)
{
    return form_is_reg(f, i, REG_GENERAL) || form_is_reg(f, i, REG_UNIFORM) ||
           form_is_reg(f, i, REG_BARRIER);
}

/* A register with the optional predicates printed around it: "P0, R7, ..." or "R4, P1, PT, ...".
 * The last of several arguments is always a source (VOTE.ANY R8, PT, P1). */
static uint32_t count_open(const struct form *f)
{
    uint32_t limit = f->arg_count > 1 ? f->arg_count - 1 : f->arg_count;
    uint32_t n = 0;
    while (n < limit && is_predicate(f, n) && !f->args[n].negated)
        n++;
    if (n == limit || !is_result_register(f, n))
        return n;
    n++;
    /* 256-bit loads have two destinations. */
    if (modifier_has(f->opcode, "256") && n < limit && is_result_register(f, n))
        n++;
    while (n < limit && is_predicate(f, n) && !f->args[n].negated)
        n++;
    return n;
}

static uint32_t count_dests(const struct form *f)
{
    if (!f->info)
        return f->arg_count && f->args[0].kind == SASS_REGISTER ? count_open(f) : 0;
    uint32_t n = f->info->dest_operands;
    bool exact = n > 1 || (f->info->flags & INST_PREDICATE_DEST);
    if (n == 0 || exact)
        return n < f->arg_count ? n : f->arg_count;
    return count_open(f);
}

/* Two immediates in a row are one packed operand of the half-precision opcodes. */
static bool continues_packed(const struct form *f, uint32_t i)
{
    return f->opcode[0] == 'H' && i > f->dest_count && f->args[i].kind == SASS_IMMEDIATE &&
           f->args[i - 1].kind == SASS_IMMEDIATE && f->position[i - 1] != NO_POSITION;
}

void form_init(struct form *f)
{
    form_set_dests(f, count_dests(f));
}

void form_set_dests(struct form *f, uint32_t dest_count)
{
    f->dest_count = dest_count;
    f->value_count = 0;
    for (uint32_t i = 0; i < SASS_MAX_ARGS; i++)
        f->position[i] = NO_POSITION;
    for (uint32_t i = f->dest_count; i < f->arg_count; i++) {
        uint8_t kind = f->args[i].kind;
        bool value = kind == SASS_IMMEDIATE || kind == SASS_CONST ||
                     (kind == SASS_REGISTER && !is_predicate(f, i));
        if (value && !continues_packed(f, i))
            f->position[i] = (uint8_t)f->value_count++;
    }
}

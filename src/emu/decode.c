/* What the decode functions of all families share: operands from text and encoding. */
#include <stdio.h>
#include <string.h>

#include "emu/op.h"
#include "isa/modifier.h"

#define SHOWN 60 /* characters of an operand shown in a message */

bool emu_has(const struct emu_decode *d, const char *modifier)
{
    return modifier_has(d->inst->opcode, modifier);
}

bool emu_decode_error(const struct emu_decode *d, struct sim_err *err, const char *fmt, ...)
{
    char message[SIM_ERR_MESSAGE_SIZE / 2];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    return err_set(err, ERR_INPUT, NULL, 0, 0, "kernel %s: pc 0x%04x: %s: %s", d->kernel,
                   d->inst->pc, d->inst->text ? d->inst->text : d->inst->opcode, message);
}

static const struct sass_arg *get_arg(const struct emu_decode *d, uint32_t arg, struct sim_err *err)
{
    if (arg < d->text.arg_count)
        return &d->text.args[arg];
    emu_decode_error(d, err, "expected at least %u operands, found %u", arg + 1, d->text.arg_count);
    return NULL;
}

static int shown(const struct sass_arg *a)
{
    return (int)(a->len < SHOWN ? a->len : SHOWN);
}

/* Signs written before an argument; they stand directly before its text. */
static void read_signs(const struct sass_arg *a, struct emu_source *s)
{
    for (const char *p = a->text - 1; strchr("-+~!|", *p) && *p; p--) {
        s->neg |= *p == '-';
        s->abs |= *p == '|';
        s->inv |= *p == '~';
    }
}

static bool text_has(const struct sass_arg *a, const char *token)
{
    size_t n = strlen(token);
    for (size_t i = 0; i + n <= a->len; i++)
        if (memcmp(a->text + i, token, n) == 0)
            return true;
    return false;
}

static bool set_value(struct emu_source *s, const struct emu_decode *d, uint64_t value,
                      uint32_t bits, struct sim_err *err)
{
    s->kind = EMU_SRC_VALUE;
    s->value = bits == 64 ? value : (uint32_t)value;
    uint32_t words = bits / 32;
    uint32_t *lanes = arena_array(d->arena, (size_t)words * WARP_LANES, sizeof *lanes);
    if (!lanes)
        return err_memory(err, "decoding a kernel");
    for (uint32_t i = 0; i < words * WARP_LANES; i++)
        lanes[i] = (uint32_t)(i < WARP_LANES ? s->value : s->value >> 32);
    s->lanes = lanes;
    s->lanes_hi = bits == 64 ? lanes + WARP_LANES : NULL;
    return true;
}

static bool set_register(struct emu_source *s, const struct sass_arg *a, const struct emu_decode *d,
                         uint32_t bits, struct sim_err *err)
{
    const struct sass_reg *r = &a->regs[0];
    if (r->file == REG_UNIFORM && r->zero)
        return set_value(s, d, 0, bits, err);
    if (r->file != REG_GENERAL && r->file != REG_UNIFORM)
        return emu_decode_error(d, err, "expected a register as operand, found \"%.*s\"", shown(a),
                                a->text);
    s->kind = r->file == REG_GENERAL ? EMU_SRC_REG : EMU_SRC_UREG;
    s->reg = r->index;
    return true;
}

static bool set_constant(struct emu_source *s, const struct sass_arg *a, const struct emu_decode *d,
                         uint32_t bits, struct sim_err *err)
{
    if (a->reg_count > 0)
        return emu_decode_error(d, err,
                                "a constant addressed by a register is no operand here: \"%.*s\"",
                                shown(a), a->text);
    uint32_t words[2] = {0};
    for (uint32_t i = 0; i < bits / 32; i++)
        TRY(d->constant(d->user, a->bank, (uint32_t)a->value + 4 * i, &words[i], err));
    return set_value(s, d, (uint64_t)words[1] << 32 | words[0], bits, err);
}

/* The immediate in bits 32 to 63 of the encoding. */
static uint64_t encoded_float(const struct emu_decode *d, uint32_t bits)
{
    uint32_t word = (uint32_t)(d->lo >> 32);
    return bits == 64 ? (uint64_t)word << 32 : word;
}

static bool set_immediate(struct emu_source *s, const struct sass_arg *a,
                          const struct emu_decode *d, uint32_t bits, bool as_float,
                          struct sim_err *err)
{
    bool whole = a->kind == SASS_IMMEDIATE && a->is_integer && !as_float;
    uint64_t value = whole ? a->value : encoded_float(d, bits);
    if (whole && s->neg)
        value = 0 - value;
    if (whole && s->inv)
        value = ~value;
    if (!as_float && !whole && bits == 64)
        return emu_decode_error(d, err, "expected a whole number, found \"%.*s\"", shown(a),
                                a->text);
    s->neg = s->inv = s->abs = false;
    return set_value(s, d, value, bits, err);
}

/* "32@lo((.L_x_12))": the linker has put its value into the encoding. */
static bool is_symbol_part(const struct sass_arg *a)
{
    return text_has(a, "@lo(") || text_has(a, "@hi(");
}

bool emu_source_from_arg(struct emu_op *op, const struct emu_decode *d, uint32_t arg, uint32_t bits,
                         bool as_float, struct sim_err *err)
{
    const struct sass_arg *a = get_arg(d, arg, err);
    if (!a)
        return false;
    if (op->source_count == EMU_MAX_SOURCES)
        return emu_decode_error(d, err, "more than %d sources", EMU_MAX_SOURCES);
    struct emu_source s = {0};
    read_signs(a, &s);
    if (a->kind == SASS_REGISTER || a->kind == SASS_CONST)
        s.half = text_has(a, ".H0_H0") ? 1 : text_has(a, ".H1_H1") ? 2 : 0;
    if (a->kind == SASS_REGISTER)
        TRY(set_register(&s, a, d, bits, err));
    else if (a->kind == SASS_CONST)
        TRY(set_constant(&s, a, d, bits, err));
    else if (a->kind == SASS_IMMEDIATE || (a->kind == SASS_NAME && is_symbol_part(a)))
        TRY(set_immediate(&s, a, d, bits, as_float, err));
    else
        return emu_decode_error(d, err,
                                "expected a register, constant or immediate, found \"%.*s\"",
                                shown(a), a->text);
    op->source[op->source_count++] = s;
    return true;
}

bool emu_dest_from_arg(struct emu_op *op, const struct emu_decode *d, uint32_t arg,
                       struct sim_err *err)
{
    const struct sass_arg *a = get_arg(d, arg, err);
    if (!a)
        return false;
    bool is_register = a->kind == SASS_REGISTER &&
                       (a->regs[0].file == REG_GENERAL || a->regs[0].file == REG_UNIFORM);
    if (!is_register)
        return emu_decode_error(d, err, "expected a destination register, found \"%.*s\"", shown(a),
                                a->text);
    op->dest = a->regs[0].zero ? EMU_SINK : a->regs[0].index;
    return true;
}

/* Text argument `arg` as a predicate, or NULL. */
static const struct sass_arg *predicate_arg(const struct emu_decode *d, uint32_t arg,
                                            struct sim_err *err)
{
    const struct sass_arg *a = get_arg(d, arg, err);
    if (!a)
        return NULL;
    if (a->kind == SASS_REGISTER &&
        (a->regs[0].file == REG_PREDICATE || a->regs[0].file == REG_UNIFORM_PREDICATE))
        return a;
    emu_decode_error(d, err, "expected a predicate, found \"%.*s\"", shown(a), a->text);
    return NULL;
}

bool emu_pdest_from_arg(struct emu_op *op, uint32_t i, const struct emu_decode *d, uint32_t arg,
                        struct sim_err *err)
{
    const struct sass_arg *a = predicate_arg(d, arg, err);
    if (!a)
        return false;
    op->pdest[i] = (uint8_t)a->regs[0].index;
    return true;
}

bool emu_psource_from_arg(struct emu_op *op, uint32_t i, const struct emu_decode *d, uint32_t arg,
                          struct sim_err *err)
{
    const struct sass_arg *a = predicate_arg(d, arg, err);
    if (!a)
        return false;
    op->psource[i] = (struct emu_predicate){.index = (uint8_t)a->regs[0].index,
                                            .neg = a->negated,
                                            .uniform = a->regs[0].file == REG_UNIFORM_PREDICATE};
    return true;
}

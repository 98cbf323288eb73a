#include "emu/operands.h"

#include <string.h>

#include "isa/modifier.h"

#define SHOWN 60 /* characters of an operand shown in a message */

/* True when the `len` bytes at `token` are a word of `list`. */
static bool in_list(const char *list, const char *token, size_t len)
{
    for (const char *s = list; *s;) {
        size_t n = strcspn(s, " ");
        if (n == len && memcmp(s, token, n) == 0)
            return true;
        s += n;
        s += strspn(s, " ");
    }
    return false;
}

bool operands_start(struct operands *o, struct emu_op *op, const struct emu_decode *d,
                    const char *modifiers, struct sim_err *err)
{
    bool uniform = d->inst->opcode[0] == 'U';
    *o = (struct operands){.op = op,
                           .d = d,
                           .err = err,
                           .uniform = uniform,
                           .dest_file = uniform ? REG_UNIFORM : REG_GENERAL,
                           .suffixes = "reuse"};
    op->dest = op->dest2 = EMU_SINK;
    op->pdest[0] = op->pdest[1] = 7;
    for (uint32_t i = 0; i < sizeof op->psource / sizeof op->psource[0]; i++)
        op->psource[i] = (struct emu_predicate){.index = 7};
    op->source_count = 0;
    const char *cursor = d->inst->opcode;
    struct modifier m;
    while (modifier_next(&cursor, &m))
        if (!in_list(modifiers, m.text, m.len))
            return emu_decode_error(d, err, "modifier .%.*s is not known here", (int)m.len, m.text);
    return true;
}

uint32_t operands_left(const struct operands *o)
{
    return o->d->text.arg_count - o->next;
}

static const struct sass_arg *here(const struct operands *o)
{
    return operands_left(o) ? &o->d->text.args[o->next] : NULL;
}

static bool bad_arg(const struct operands *o, const char *expected)
{
    const struct sass_arg *a = here(o);
    if (!a)
        return emu_decode_error(o->d, o->err, "expected %s as operand %u, found no more", expected,
                                o->next + 1);
    return emu_decode_error(o->d, o->err, "expected %s, found \"%.*s\"", expected,
                            (int)(a->len < SHOWN ? a->len : SHOWN), a->text);
}

static bool is_predicate(const struct sass_arg *a)
{
    return a->kind == SASS_REGISTER &&
           (a->regs[0].file == REG_PREDICATE || a->regs[0].file == REG_UNIFORM_PREDICATE);
}

bool operands_at_predicate(const struct operands *o)
{
    const struct sass_arg *a = here(o);
    return a && is_predicate(a);
}

static bool check_suffix(const struct operands *o, const struct sass_arg *a)
{
    if (a->kind != SASS_REGISTER)
        return true;
    const char *end = a->text + a->len;
    for (const char *dot = memchr(a->text, '.', a->len); dot;) {
        const char *token = dot + 1;
        dot = memchr(token, '.', (size_t)(end - token));
        const char *stop = dot ? dot : end;
        if (!in_list(o->suffixes, token, (size_t)(stop - token)))
            return bad_arg(o, "a plain register");
    }
    return true;
}

bool operands_dest(struct operands *o, uint32_t words)
{
    const struct sass_arg *a = here(o);
    if (!a || a->kind != SASS_REGISTER || a->regs[0].file != o->dest_file)
        return bad_arg(o, o->dest_file == REG_UNIFORM ? "a uniform register" : "a register");
    TRY(check_suffix(o, a));
    TRY(emu_dest_from_arg(o->op, o->d, o->next, o->err));
    if (o->op->dest != EMU_SINK && o->op->dest + words > REG_RZ)
        return bad_arg(o, "a register with room for all words after it");
    o->next++;
    return true;
}

bool operands_pdests(struct operands *o, uint32_t max)
{
    uint8_t file = o->uniform ? REG_UNIFORM_PREDICATE : REG_PREDICATE;
    for (uint32_t i = 0; i < max && operands_at_predicate(o); i++) {
        if (here(o)->regs[0].file != file || here(o)->negated)
            return bad_arg(o, "a predicate to write to");
        TRY(emu_pdest_from_arg(o->op, i, o->d, o->next++, o->err));
    }
    return true;
}

bool operands_source(struct operands *o, uint32_t bits)
{
    const struct sass_arg *a = here(o);
    if (!a)
        return bad_arg(o, "a source");
    TRY(check_suffix(o, a));
    TRY(emu_source_from_arg(o->op, o->d, o->next, bits, false, o->err));
    const struct emu_source *s = &o->op->source[o->op->source_count - 1];
    if (s->abs || s->half || a->negated || (o->uniform && s->kind == EMU_SRC_REG))
        return bad_arg(o, o->uniform ? "a uniform integer source" : "an integer source");
    o->next++;
    return true;
}

bool operands_sources(struct operands *o, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        TRY(operands_source(o, 32));
    return true;
}

void operands_zero_source(struct operands *o)
{
    struct emu_source *s = &o->op->source[o->op->source_count++];
    *s = (struct emu_source){.kind = o->uniform ? EMU_SRC_VALUE : EMU_SRC_REG,
                             .reg = o->uniform ? 0 : REG_RZ};
}

bool operands_psource(struct operands *o, uint32_t i)
{
    const struct sass_arg *a = here(o);
    if (!a || !is_predicate(a))
        return bad_arg(o, "a predicate");
    if (o->uniform && a->regs[0].file != REG_UNIFORM_PREDICATE)
        return bad_arg(o, "a uniform predicate");
    return emu_psource_from_arg(o->op, i, o->d, o->next++, o->err);
}

bool operands_number(struct operands *o, uint32_t max, uint32_t *out)
{
    const struct sass_arg *a = here(o);
    bool whole = a && a->kind == SASS_IMMEDIATE && a->is_integer && a->text[-1] != '-';
    if (!whole || a->value > max)
        return bad_arg(o, "a number that fits its field");
    *out = (uint32_t)a->value;
    o->next++;
    return true;
}

bool operands_predicate_set(struct operands *o)
{
    const struct sass_arg *a = here(o);
    if (!a || a->kind != SASS_PREDICATE_SET || (a->text[0] == 'U') != o->uniform)
        return bad_arg(o, o->uniform ? "UPR" : "PR");
    o->next++;
    return true;
}

bool operands_end(struct operands *o)
{
    return operands_left(o) == 0 || bad_arg(o, "no more operands");
}

bool operands_no_sign(const struct operands *o, uint32_t i)
{
    const struct emu_source *s = &o->op->source[i];
    if (s->neg || s->inv)
        return emu_decode_error(o->d, o->err, "source %u may not have a sign", i + 1);
    return true;
}

bool operands_no_pdest(const struct operands *o)
{
    if (o->op->pdest[0] != 7 || o->op->pdest[1] != 7)
        return emu_decode_error(o->d, o->err, "predicates written by this form are not known");
    return true;
}

bool operands_is_value(const struct operands *o, uint32_t i, uint32_t value)
{
    const struct emu_source *s = &o->op->source[i];
    if (s->neg || s->inv)
        return false;
    if (s->kind == EMU_SRC_REG && s->reg == REG_RZ)
        return value == 0;
    return s->kind == EMU_SRC_VALUE && s->value == value;
}

bool operands_is_zero(const struct operands *o, uint32_t i)
{
    return operands_is_value(o, i, 0);
}

#include "isa/sass_text.h"

#include <ctype.h>
#include <string.h>

#define SHOWN 100 /* characters of the text shown in a message */

static int shown(size_t len)
{
    return (int)(len < SHOWN ? len : SHOWN);
}

static const char *skip_blanks(const char *s, const char *end)
{
    while (s < end && isspace((unsigned char)*s))
        s++;
    return s;
}

static const char *trim_end(const char *s, const char *end)
{
    while (end > s && isspace((unsigned char)end[-1]))
        end--;
    return end;
}

/* "@!UP0 " in front of the opcode. */
static bool parse_guard(struct sass_text *out, const char **cursor, const char *end,
                        const struct sass_place *at, struct sim_err *err)
{
    const char *s = *cursor;
    out->guard = 7;
    out->guard_file = REG_PREDICATE;
    if (s == end || *s != '@')
        return true;
    const char *stop = s;
    while (stop < end && !isspace((unsigned char)*stop))
        stop++;
    struct sass_arg arg;
    const char *rest;
    TRY(sass_arg_parse(&arg, s + 1, (size_t)(stop - s - 1), &rest, at, err));
    bool predicate = arg.kind == SASS_REGISTER && (arg.regs[0].file == REG_PREDICATE ||
                                                   arg.regs[0].file == REG_UNIFORM_PREDICATE);
    if (!predicate || rest != stop)
        return err_set(err, ERR_INPUT, at->file, at->line, 0,
                       "expected a guard such as @P0 or @!UP1, found \"%.*s\"",
                       shown((size_t)(stop - s)), s);
    out->guard = (uint8_t)arg.regs[0].index;
    out->guard_file = arg.regs[0].file;
    out->guard_negate = arg.negated;
    *cursor = skip_blanks(stop, end);
    return true;
}

static bool parse_opcode(struct sass_text *out, const char **cursor, const char *end,
                         const struct sass_place *at, struct sim_err *err)
{
    const char *s = *cursor, *stop = s;
    while (stop < end && (isalnum((unsigned char)*stop) || *stop == '_' || *stop == '.'))
        stop++;
    bool ends_well = stop == end || isspace((unsigned char)*stop);
    if (stop == s || !isupper((unsigned char)*s) || !ends_well)
        return err_set(err, ERR_INPUT, at->file, at->line, 0,
                       "expected an opcode such as LDG.E.64, found \"%.*s\"",
                       shown((size_t)(end - s)), s);
    out->opcode = s;
    out->opcode_len = (size_t)(stop - s);
    *cursor = skip_blanks(stop, end);
    return true;
}

/* End of the argument that starts at `s`: the next comma outside brackets, or `end`. */
static const char *find_comma(const char *s, const char *end, int *depth)
{
    *depth = 0;
    for (; s < end; s++) {
        if (strchr("([{", *s) && *s)
            ++*depth;
        else if (strchr(")]}", *s) && *s)
            --*depth;
        else if (*s == ',' && *depth == 0)
            break;
        if (*depth < 0)
            break;
    }
    return s;
}

/* One part between commas, which may hold several arguments set apart by blanks. */
static bool parse_part(struct sass_text *out, const char *s, const char *end,
                       const struct sass_place *at, struct sim_err *err)
{
    do {
        if (out->arg_count == SASS_MAX_ARGS)
            return err_set(err, ERR_INPUT, at->file, at->line, 0,
                           "more than %d operands in \"%.*s\"", SASS_MAX_ARGS, shown(out->body_len),
                           out->body);
        const char *rest;
        TRY(sass_arg_parse(&out->args[out->arg_count], s, (size_t)(end - s), &rest, at, err));
        out->arg_count++;
        s = skip_blanks(rest, end);
    } while (s < end);
    return true;
}

static bool parse_args(struct sass_text *out, const char *s, const char *end,
                       const struct sass_place *at, struct sim_err *err)
{
    while (s < end) {
        int depth;
        const char *stop = find_comma(s, end, &depth);
        if (depth != 0)
            return err_set(err, ERR_INPUT, at->file, at->line, 0, "unbalanced brackets in \"%.*s\"",
                           shown(out->body_len), out->body);
        const char *first = skip_blanks(s, stop);
        const char *last = trim_end(first, stop);
        bool more = stop < end;
        if (first == last || (more && skip_blanks(stop + 1, end) == end))
            return err_set(err, ERR_INPUT, at->file, at->line, 0,
                           "expected an operand at each side of a comma in \"%.*s\"",
                           shown(out->body_len), out->body);
        TRY(parse_part(out, first, last, at, err));
        s = more ? stop + 1 : stop;
    }
    return true;
}

bool sass_text_parse(struct sass_text *out, const char *text, const struct sass_place *at,
                     struct sim_err *err)
{
    *out = (struct sass_text){0};
    const char *end = trim_end(text, text + strlen(text));
    const char *s = skip_blanks(text, end);
    if (end > s && end[-1] == ';')
        end = trim_end(s, end - 1);
    if (s == end)
        return err_set(err, ERR_INPUT, at->file, at->line, 0,
                       "expected an instruction, found nothing");
    out->body = s;
    out->body_len = (size_t)(end - s);
    TRY(parse_guard(out, &s, end, at, err));
    TRY(parse_opcode(out, &s, end, at, err));
    return parse_args(out, s, end, at, err);
}

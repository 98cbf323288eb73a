#include "emu/half.h"

static bool has_suffix(const struct sass_arg *a, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= a->len; i++)
        if (a->text[i] == '.' && memcmp(a->text + i, word, len) == 0)
            return true;
    return false;
}

/* Suffixes of half operands, so that none is passed over. */
static bool check_suffix(const struct emu_decode *d, const struct sass_arg *a, struct sim_err *err)
{
    static const char *const known[] = {".H0_H0", ".H1_H1", ".H1_H0", ".F32", ".reuse"};
    size_t covered = 0, dots = 0;
    for (size_t i = 0; i < a->len; i++)
        dots += a->text[i] == '.';
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        covered += has_suffix(a, known[i]);
    return dots == covered ||
           emu_decode_error(d, err, "half selection of \"%.*s\" has no semantics", (int)a->len,
                            a->text);
}

bool half_decode_sources(struct emu_op *op, const struct emu_decode *d, uint32_t first,
                         uint32_t sources, uint32_t *wide, uint32_t *next, struct sim_err *err)
{
    *wide = 0;
    for (uint32_t i = 0; i < sources; i++) {
        TRY(emu_source_from_arg(op, d, first, 32, true, err));
        const struct sass_arg *a = &d->text.args[first++];
        if (a->kind == SASS_IMMEDIATE) {
            if (first >= d->text.arg_count || d->text.args[first].kind != SASS_IMMEDIATE)
                return emu_decode_error(d, err, "expected two half immediates, found one");
            first++;
            continue;
        }
        TRY(check_suffix(d, a, err));
        if (has_suffix(a, ".F32"))
            *wide |= 1u << i;
    }
    *next = first;
    return true;
}

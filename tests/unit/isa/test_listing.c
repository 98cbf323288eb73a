/* Decodes every instruction of the seven compiler listings beside the repository, when they are
 * there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "isa/opcode.h"

#define MIN_INSTRUCTIONS 9000

struct listed {
    char text[512];
    uint32_t pc;
    uint64_t lo, hi;
};

/* Value of the "0x" word in the last comment of the line. */
static bool last_word(const char *line, uint64_t *out)
{
    const char *open = NULL;
    for (const char *p = strstr(line, "/* 0x"); p; p = strstr(p + 1, "/* 0x"))
        open = p;
    if (!open)
        return false;
    *out = strtoull(open + 5, NULL, 16);
    return true;
}

/* Reads up to the next instruction: a line with offset, text and low word, then one with the high
 * word. */
static bool next_instruction(gzFile f, struct listed *out)
{
    char line[1024];
    bool have = false;
    while (gzgets(f, line, sizeof line)) {
        const char *p = line + strspn(line, " \t");
        uint64_t word;
        if (strncmp(p, "/*", 2) != 0 || !last_word(p, &word))
            continue;
        if (p[2] == ' ') {
            if (!have)
                continue;
            out->hi = word;
            return true;
        }
        const char *text = strstr(p, "*/") + 2;
        const char *end = strstr(text, "/* 0x");
        if ((size_t)(end - text) >= sizeof out->text)
            return false;
        memcpy(out->text, text, (size_t)(end - text));
        out->text[end - text] = '\0';
        out->pc = (uint32_t)strtoul(p + 2, NULL, 16);
        out->lo = word;
        have = true;
    }
    return false;
}

static void check_same(const struct inst *coded, const struct inst *plain, const char *text)
{
    bool same = coded->operand_count == plain->operand_count;
    for (uint32_t i = 0; same && i < coded->operand_count; i++) {
        const struct operand *a = &coded->operands[i], *b = &plain->operands[i];
        same = a->file == b->file && a->role == b->role && a->index == b->index &&
               a->count == b->count && a->slot == b->slot && a->reuse == b->reuse;
    }
    if (!same)
        fail_msg("operands with and without the encoding differ: %s", text);
}

/* A register printed with .reuse whose slot has no bit shows as a difference in check_same, unless
 * it is RZ, which is listed nowhere. */
static void check_instruction(const struct listed *l, uint32_t sm, struct arena *arena)
{
    struct sim_err err = {0};
    struct inst coded, plain;
    if (!inst_from_text(&coded, l->text, l->pc, sm, &l->lo, &l->hi, arena, "listing", 1, &err))
        fail_msg("%s: %s", l->text, err.msg);
    if (!inst_from_text(&plain, l->text, l->pc, sm, NULL, NULL, arena, "listing", 1, &err))
        fail_msg("%s: %s", l->text, err.msg);
    if (coded.flags & INST_UNKNOWN)
        fail_msg("unknown opcode: %s", l->text);
    uint32_t guard = (uint32_t)(l->lo >> 12) & 15u;
    if (guard != (coded.guard | (coded.guard_negate ? 8u : 0u)))
        fail_msg("guard differs from bits 12-15: %s", l->text);
    check_same(&coded, &plain, l->text);
    if (coded.ctrl.stall > 11 && !coded.ctrl.yield)
        fail_msg("stall above 11 without yield: %s", l->text);
}

static void check_listing(uint32_t sm)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/../shared/sass/kernels.sm_%u.sass.gz", SUBCORE_SOURCE_DIR, sm);
    gzFile f = gzopen(path, "rb");
    if (!f)
        skip();
    struct arena arena = {0};
    struct listed l;
    uint32_t n = 0;
    while (next_instruction(f, &l)) {
        check_instruction(&l, sm, &arena);
        if (++n % 1024 == 0)
            arena_reset(&arena);
    }
    gzclose(f);
    arena_free(&arena);
    assert_true(n > MIN_INSTRUCTIONS);
}

#define LISTINGS(X) X(75) X(80) X(86) X(89) X(90) X(100) X(120)

#define X(sm)                                                                                      \
    static void sm_##sm##_listing_decodes_fully(void **state)                                      \
    {                                                                                              \
        (void)state;                                                                               \
        check_listing(sm);                                                                         \
    }
LISTINGS(X)
#undef X

int main(void)
{
    const struct CMUnitTest tests[] = {
#define X(sm) cmocka_unit_test(sm_##sm##_listing_decodes_fully),
        LISTINGS(X)
#undef X
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

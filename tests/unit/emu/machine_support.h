/* Kernels of a few lines of SASS, run on the machine. */
#ifndef SUBCORE_TESTS_UNIT_EMU_MACHINE_SUPPORT_H
#define SUBCORE_TESTS_UNIT_EMU_MACHINE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emu/machine.h"
#include "emu/program.h"
#include "isa/opcode.h"

#define TEST_MAX_INSTS 4096

struct test_kernel {
    struct arena arena;
    struct inst insts[TEST_MAX_INSTS];
    struct sass_word words[TEST_MAX_INSTS];
    struct sass_label labels[TEST_MAX_INSTS];
    struct emu_count counts[TEST_MAX_INSTS];
    struct sass_function code;
    struct emu_launch launch;
    struct emu_program *program;
    struct emu_record record;
    uint32_t bank0[256];
};

/* Appends a line: "NAME:" or an instruction. */
static inline void test_line(struct test_kernel *k, const char *line)
{
    size_t len = strlen(line);
    char *text = arena_strndup(&k->arena, line, len);
    assert_non_null(text);
    assert_true(k->code.inst_count < TEST_MAX_INSTS);
    if (line[len - 1] == ':') {
        text[len - 1] = '\0';
        k->labels[k->code.label_count++] = (struct sass_label){text, k->code.inst_count};
        return;
    }
    struct sim_err err = {0};
    uint32_t i = k->code.inst_count++;
    if (!inst_from_text(&k->insts[i], text, i * INST_BYTES, k->launch.sm, &k->words[i].lo,
                        &k->words[i].hi, &k->arena, "test", i, &err))
        fail_msg("%s: %s", text, err.msg);
}

/* An empty kernel of one warp. */
static inline struct test_kernel *test_kernel_new(uint32_t sm)
{
    struct test_kernel *k = calloc(1, sizeof *k);
    assert_non_null(k);
    k->code = (struct sass_function){
        .name = "test", .sm = sm, .insts = k->insts, .words = k->words, .labels = k->labels};
    k->launch = (struct emu_launch){.kernel = "test",
                                    .code = &k->code,
                                    .sm = sm,
                                    .grid = {1, 1, 1},
                                    .block = {32, 1, 1},
                                    .counts = k->counts};
    k->launch.constants.data[0] = (const uint8_t *)k->bank0;
    k->launch.constants.bytes[0] = sizeof k->bank0;
    return k;
}

/* Lines set apart by "\n". */
static inline void test_lines(struct test_kernel *k, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        char line[160];
        assert_true(len < sizeof line);
        memcpy(line, text, len);
        line[len] = '\0';
        test_line(k, line);
        text += len + (text[len] == '\n');
    }
}

static inline bool test_create(struct test_kernel *k, struct sim_err *err)
{
    emu_program_free(k->program);
    k->program = NULL;
    return emu_program_create(&k->program, &k->launch, err);
}

/* Runs CTA `id`; fails the test when that fails. */
static inline void test_run_cta(struct test_kernel *k, uint64_t id)
{
    struct sim_err err = {0};
    if (!k->program && !test_create(k, &err))
        fail_msg("%s", err.msg);
    if (!emu_run_cta(k->program, id, &k->record, &err))
        fail_msg("%s\n%s", err.msg, err.detail ? err.detail : "");
}

/* Runs CTA 0 and expects an error that holds `part` in message or detail. */
static inline void test_expect_fault(struct test_kernel *k, const char *part)
{
    struct sim_err err = {0};
    if (!k->program && !test_create(k, &err))
        fail_msg("%s", err.msg);
    assert_false(emu_run_cta(k->program, 0, &k->record, &err));
    if (!strstr(err.msg, part) && !(err.detail && strstr(err.detail, part)))
        fail_msg("expected \"%s\", found \"%s\" \"%s\"", part, err.msg,
                 err.detail ? err.detail : "");
    err_clear(&err);
}

static inline void test_kernel_free(struct test_kernel *k)
{
    emu_program_free(k->program);
    emu_record_free(&k->record);
    arena_free(&k->arena);
    free(k);
}

/* Register `r` of a lane of the CTA that ran last. */
static inline uint32_t test_reg(const struct test_kernel *k, uint32_t warp, uint32_t r,
                                uint32_t lane)
{
    return k->program->warps[warp].warp.r[r][lane];
}

#endif

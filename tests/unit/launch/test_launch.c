/* Launches: constant bank 0, buffers, resources, and what does not fit together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "emu/memory.h"
#include "launch/launch.h"

static struct err_list errors;

/* All that a launch needs, from text. */
struct set {
    struct launch_file *file;
    struct sass_file *sass;
    struct res_usage *res;
    struct launch_sources src;
    struct launch *launch;
};

static void temp_file(char path[32], const char *text)
{
    strcpy(path, "/tmp/subcore_launch_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* Two instructions; `first` is the text of the first one. */
static void load_sass(struct set *s, unsigned sm, const char *first)
{
    char path[32];
    struct buf text = {0};
    struct sim_err err = {.code = ERR_NONE};
    if (sm != 0)
        buf_printf(&text, "\tcode for sm_%u\n", sm);
    buf_printf(&text,
               "\t\tFunction : k\n"
               "        /*0000*/  %s ;  /* 0x0000000000007918 */\n"
               "                        /* 0x000fc00000000000 */\n"
               "        /*0010*/  EXIT ; /* 0x000000000000794d */\n"
               "                        /* 0x000fea0003800000 */\n",
               first);
    temp_file(path, text.data);
    buf_free(&text);
    if (!sass_file_load(&s->sass, path, &err))
        fail_msg("%s", err.msg);
    unlink(path);
    s->src.sass = s->sass;
    s->src.sass_path = "k.sass";
}

static void load_usage(struct set *s, const char *numbers)
{
    char path[32], text[256];
    struct sim_err err = {.code = ERR_NONE};
    snprintf(text, sizeof text, " Function k:\n  %s\n", numbers);
    temp_file(path, text);
    assert_true(res_usage_load(&s->res, path, &err));
    unlink(path);
    s->src.res = s->res;
}

/* `rest` is what follows name, grid and block. */
static bool make(struct set *s, const char *rest, struct sim_err *err)
{
    char text[1024];
    memset(&errors, 0, sizeof errors);
    snprintf(text, sizeof text, "- {name: x, kernel: k, grid: [5, 6, 7], block: [32, 4, 2], %s}\n",
             rest);
    if (!launch_file_parse(&s->file, "l.yaml", text, strlen(text), &errors))
        fail_msg("%s", errors.items[0].msg);
    s->src.file = s->file;
    return launch_create(&s->launch, &s->file->launches[0], &s->src, err);
}

static void free_set(struct set *s)
{
    launch_free(s->launch);
    launch_file_free(s->file);
    sass_file_free(s->sass);
    res_usage_free(s->res);
}

static uint32_t bank_word(const struct set *s, uint32_t offset)
{
    uint32_t v;
    assert_true(offset + 4 <= s->launch->emu.constants.bytes[0]);
    memcpy(&v, s->launch->emu.constants.data[0] + offset, sizeof v);
    return v;
}

#define ARGS                                                                                       \
    "args: [{buf: u32, count: 3, init: iota}, {i32: -2}, {f64: 1.5}, {u8: 7}, "                    \
    "{buf: f16, count: 300, init: zeros}]"

static void bank_0_is_laid_out_as_the_architecture_wants(void **state)
{
    (void)state;
    static const struct {
        unsigned sm;
        uint32_t block, grid, stack, params;
    } rows[] = {{75, 0x0, 0xc, 0x28, 0x160},      {80, 0x0, 0xc, 0x28, 0x160},
                {86, 0x0, 0xc, 0x28, 0x160},      {89, 0x0, 0xc, 0x28, 0x160},
                {90, 0x0, 0xc, 0x28, 0x210},      {100, 0x360, 0x370, 0x37c, 0x380},
                {120, 0x360, 0x370, 0x37c, 0x380}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct set s = {.file = NULL};
        struct sim_err err = {.code = ERR_NONE};
        load_sass(&s, rows[i].sm, "NOP");
        load_usage(&s, "REG:20 STACK:96 SHARED:0 LOCAL:0");
        assert_true(make(&s, ARGS, &err));
        assert_int_equal(s.launch->emu.sm, rows[i].sm);
        static const uint32_t block[3] = {32, 4, 2};
        for (uint32_t k = 0; k < 3; k++) {
            assert_int_equal(bank_word(&s, rows[i].block + 4 * k), block[k]);
            assert_int_equal(bank_word(&s, rows[i].grid + 4 * k), 5 + k);
        }
        assert_int_equal(bank_word(&s, rows[i].stack), emu_memory_stack_pointer(&s.launch->emu));
        assert_int_equal(bank_word(&s, rows[i].stack), 96);
        uint32_t p = rows[i].params;
        uint64_t first = LAUNCH_FIRST_ADDRESS, second = first + 2 * LAUNCH_ALIGN;
        assert_int_equal(bank_word(&s, p), (uint32_t)first);
        assert_int_equal(bank_word(&s, p + 4), (uint32_t)(first >> 32));
        assert_int_equal(bank_word(&s, p + 8), 0xfffffffe);
        assert_int_equal(bank_word(&s, p + 16), 0);
        assert_int_equal(bank_word(&s, p + 20), 0x3ff80000);
        assert_int_equal(bank_word(&s, p + 24), 7);
        assert_int_equal(bank_word(&s, p + 32), (uint32_t)second);
        free_set(&s);
    }
}

static void buffers_are_apart_aligned_and_filled(void **state)
{
    (void)state;
    struct set s = {.file = NULL};
    struct sim_err err = {.code = ERR_NONE};
    uint32_t w[3];
    load_sass(&s, 90, "NOP");
    assert_true(make(&s, ARGS, &err));
    const struct emu_launch *e = &s.launch->emu;
    assert_int_equal(e->buffer_count, 2);
    assert_int_equal(s.launch->buffer_arg[0], 0);
    assert_int_equal(s.launch->buffer_arg[1], 4);
    assert_string_equal(e->buffers[1].name, "argument 4");
    assert_int_equal(e->buffers[0].bytes, 12);
    assert_int_equal(e->buffers[1].bytes, 600);
    assert_int_equal(e->buffers[1].addr % LAUNCH_ALIGN, 0);
    assert_true(e->buffers[1].addr >= e->buffers[0].addr + 12 + LAUNCH_ALIGN);
    memcpy(w, e->buffers[0].data, sizeof w);
    assert_int_equal(w[2], 2);
    free_set(&s);
}

static void resources_come_from_the_best_source(void **state)
{
    (void)state;
    struct set s = {.file = NULL};
    struct sim_err err = {.code = ERR_NONE};
    load_sass(&s, 90, "IMAD.WIDE R6, R0, 0x4, R40");
    assert_true(make(&s, "args: []", &err));
    assert_int_equal(s.launch->emu.registers, 42);
    assert_int_equal(s.launch->emu.local_bytes, 0);
    free_set(&s);

    s = (struct set){.file = NULL};
    load_sass(&s, 90, "NOP");
    load_usage(&s, "REG:20 STACK:64 SHARED:1056 LOCAL:8");
    assert_true(make(&s, "args: [], shared: 100", &err));
    assert_int_equal(s.launch->emu.registers, 20);
    assert_int_equal(s.launch->emu.local_bytes, 72);
    assert_int_equal(s.launch->emu.shared_bytes, 1156);
    assert_int_equal(s.launch->shared_charge, 132);
    free_set(&s);

    s = (struct set){.file = NULL};
    load_sass(&s, 90, "LDL R2, [R1]");
    load_usage(&s, "REG:20 STACK:0 SHARED:0 LOCAL:0");
    assert_true(make(&s, "args: [], shared: 100, registers: 33", &err));
    assert_int_equal(s.launch->emu.registers, 33);
    assert_int_equal(s.launch->emu.local_bytes, 0);
    assert_int_equal(s.launch->emu.shared_bytes, 1124);
    assert_int_equal(s.launch->shared_charge, 100);
    free_set(&s);

    s = (struct set){.file = NULL};
    load_sass(&s, 75, "LDL R2, [R1]");
    assert_true(make(&s, "args: [], shared: 100", &err));
    assert_int_equal(s.launch->emu.local_bytes, LAUNCH_DEFAULT_STACK);
    assert_int_equal(s.launch->emu.shared_bytes, 100);
    assert_int_equal(s.launch->shared_charge, 100);
    free_set(&s);
}

static void expect_error(unsigned sm, const char *inst, const char *rest, const char *message)
{
    struct set s = {.file = NULL};
    struct sim_err err = {.code = ERR_NONE};
    load_sass(&s, sm, inst);
    assert_false(make(&s, rest, &err));
    assert_string_equal(err.msg, message);
    assert_int_equal(err.code, ERR_INPUT);
    assert_string_equal(err.file, "l.yaml");
    assert_int_equal(err.line, 1);
    free_set(&s);
}

static void launches_that_cannot_be_made_say_why(void **state)
{
    (void)state;
    expect_error(90, "NOP", "args: [], cluster: [3]",
                 "launch 'x': the grid must be whole clusters of 3x1x1 CTAs");
    expect_error(0, "NOP", "args: []",
                 "launch 'x': k.sass does not say for which architecture it is (expected a line "
                 "'code for sm_..')");
    expect_error(90, "LDS R2, [R3]", "args: []",
                 "launch 'x': kernel k uses shared memory; --cubin or --res-usage must say how "
                 "much");
}

/* The suite's cubin knows the parameters. */
static void arguments_are_checked_against_the_cubin(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"args: [{buf: u32, count: 1, init: zeros}]",
         "launch 'x' has 1 arguments, but kernel local_array has 3 parameters"},
        {"args: [{buf: u32, count: 1, init: zeros}, {i32: 1}, {i32: 1}]",
         "launch 'x': argument 1 has 4 bytes, but the parameter of kernel local_array has 8"},
        {"args: [{buf: u32, count: 1, init: zeros}, {u64: 0}, {i32: 1}]", NULL}};
    static const char folder[] = SUBCORE_SOURCE_DIR "/../shared/sass/kernels.sm_90";
    struct sim_err err = {.code = ERR_NONE};
    struct cubin *cubin = NULL;
    struct sass_file *sass = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s.cubin.gz", folder);
    if (access(path, R_OK) != 0)
        skip();
    assert_true(cubin_load(&cubin, path, &err));
    snprintf(path, sizeof path, "%s.sass.gz", folder);
    assert_true(sass_file_load(&sass, path, &err));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        struct launch_file *f = NULL;
        struct launch *l = NULL;
        memset(&errors, 0, sizeof errors);
        snprintf(text, sizeof text,
                 "- {name: x, kernel: local_array, grid: [1], block: [32], %s}\n", rows[i][0]);
        assert_true(launch_file_parse(&f, "l.yaml", text, strlen(text), &errors));
        struct launch_sources src = {
            .file = f, .sass = sass, .sass_path = "k.sass", .cubin = cubin};
        bool ok = launch_create(&l, &f->launches[0], &src, &err);
        assert_int_equal(ok, rows[i][1] == NULL);
        if (!ok)
            assert_string_equal(err.msg, rows[i][1]);
        else
            assert_int_equal(l->emu.local_bytes, 128);
        err_clear(&err);
        launch_free(l);
        launch_file_free(f);
    }
    sass_file_free(sass);
    cubin_free(cubin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bank_0_is_laid_out_as_the_architecture_wants),
        cmocka_unit_test(buffers_are_apart_aligned_and_filled),
        cmocka_unit_test(resources_come_from_the_best_source),
        cmocka_unit_test(launches_that_cannot_be_made_say_why),
        cmocka_unit_test(arguments_are_checked_against_the_cubin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

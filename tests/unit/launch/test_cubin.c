/* Cubins and resource usage: real files, and damage that must not get past the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/stream.h"
#include "launch/cubin.h"
#include "launch/res_usage.h"

#define SASS SUBCORE_SOURCE_DIR "/../shared/sass/kernels.sm_"

static struct cubin_kernel kernel;

static struct cubin *open_suite(const char *sm)
{
    char path[512];
    struct cubin *c = NULL;
    struct sim_err err = {.code = ERR_NONE};
    snprintf(path, sizeof path, SASS "%s.cubin.gz", sm);
    if (access(path, R_OK) != 0)
        skip();
    assert_true(cubin_load(&c, path, &err));
    return c;
}

static void resources_of_a_kernel_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *sm, *kernel;
        uint32_t registers, frame, shared, params, param_bytes, base;
    } rows[] = {{"90", "softmax_row", 32, 0, 1056, 3, 20, 0x210},
                {"90", "local_array", 30, 128, 0, 3, 20, 0x210},
                {"75", "softmax_row", 43, 0, 32, 3, 20, 0x160},
                {"75", "local_array", 38, 128, 0, 3, 20, 0x160},
                {"100", "local_array", 30, 128, 0, 3, 20, 0x380}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sim_err err = {.code = ERR_NONE};
        struct cubin *c = open_suite(rows[i].sm);
        assert_int_equal(cubin_sm(c), atoi(rows[i].sm));
        assert_true(cubin_kernel(c, rows[i].kernel, &kernel, &err));
        assert_int_equal(kernel.registers, rows[i].registers);
        assert_int_equal(kernel.frame_bytes, rows[i].frame);
        assert_int_equal(kernel.shared_bytes, rows[i].shared);
        assert_true(kernel.has_params);
        assert_int_equal(kernel.param_count, rows[i].params);
        assert_int_equal(kernel.param_bytes, rows[i].param_bytes);
        assert_int_equal(kernel.param_base, rows[i].base);
        assert_int_equal(kernel.params[1].offset, 8);
        assert_int_equal(kernel.params[2].offset, 16);
        assert_int_equal(kernel.params[2].bytes, 4);
        cubin_free(c);
    }
}

static void constant_banks_of_the_kernel_and_of_the_module_are_found(void **state)
{
    (void)state;
    struct sim_err err = {.code = ERR_NONE};
    struct cubin *c = open_suite("75");
    assert_true(cubin_kernel(c, "dfma_chains", &kernel, &err));
    assert_int_equal(kernel.bank_bytes[2], 8);
    assert_int_equal(kernel.bank_bytes[3], 4096);
    assert_null(kernel.bank[4]);
    assert_false(cubin_kernel(c, "absent", &kernel, &err));
    assert_string_equal(err.msg, "cubin: holds no kernel 'absent' (no section .text.absent)");
    cubin_free(c);
}

/* A small ELF with .text.k and an .nv.info that each test may damage. */
enum { NAMES = 64, INFO = 128, TABLE = 160, SMALL = TABLE + 4 * 64 };

static void put(uint8_t *at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(v >> (8 * i));
}

static void section(uint8_t *d, unsigned i, unsigned name, uint64_t offset, uint64_t bytes)
{
    uint8_t *row = d + TABLE + 64 * i;
    put(row, name, 4);
    put(row + 4, 1, 4);
    put(row + 24, offset, 8);
    put(row + 32, bytes, 8);
}

static void make_small(uint8_t d[SMALL])
{
    static const char names[] = "\0.text.k\0.nv.info.k\0.names";
    memset(d, 0, SMALL);
    memcpy(d,
           "\x7f"
           "ELF\2\1\1\x41\x8",
           9);
    put(d + 18, 190, 2);
    put(d + 40, TABLE, 8);
    put(d + 48, 0x5a00, 4);
    put(d + 58, 64, 2);
    put(d + 60, 4, 2);
    put(d + 62, 3, 2);
    memcpy(d + NAMES, names, sizeof names);
    section(d, 1, 1, NAMES, 16);
    section(d, 2, 9, INFO, 12);
    section(d, 3, 20, NAMES, sizeof names);
    d[INFO] = 4;
    d[INFO + 1] = 0x0a;
    put(d + INFO + 2, 8, 2);
    put(d + INFO + 8, 0x210, 2);
    put(d + INFO + 10, 12, 2);
}

static bool read_small(const uint8_t *d, size_t len, struct sim_err *err)
{
    struct cubin *c = NULL;
    bool ok = cubin_parse(&c, "k.cubin", d, len, err) && cubin_kernel(c, "k", &kernel, err);
    cubin_free(c);
    return ok;
}

static void a_small_cubin_is_read(void **state)
{
    (void)state;
    uint8_t d[SMALL];
    struct sim_err err = {.code = ERR_NONE};
    make_small(d);
    assert_true(read_small(d, SMALL, &err));
    assert_int_equal(kernel.code_bytes, 16);
    assert_int_equal(kernel.param_base, 0x210);
    assert_int_equal(kernel.param_bytes, 12);
}

struct damage {
    unsigned at, bytes;
    uint64_t value;
    const char *message;
};

static void damage_is_named(void **state)
{
    (void)state;
    static const struct damage rows[] = {
        {0, 1, 0, "cubin: expected an ELF file, found something else"},
        {4, 1, 1, "cubin: expected 64-bit little-endian ELF"},
        {18, 2, 62, "cubin: expected the machine NVIDIA CUDA (190), found 62"},
        {40, 8, UINT64_MAX, "cubin: the section table lies outside the file (truncated?)"},
        {60, 2, 5, "cubin: the section table lies outside the file (truncated?)"},
        {62, 2, 4, "cubin: section names are in section 4 of 4"},
        {TABLE + 64 + 24, 8, UINT64_MAX, "cubin: section 1 lies outside the file (truncated?)"},
        {TABLE + 64 + 32, 8, UINT64_MAX, "cubin: section 1 lies outside the file (truncated?)"},
        {TABLE + 64, 4, 1000, "cubin: the name of section 1 lies outside its table"},
        {INFO + 2, 2, 9, "cubin: .nv.info.k ends inside a record"},
        {TABLE + 128 + 32, 8, 14, "cubin: .nv.info.k ends inside a record"},
        {NAMES + 7, 1, 'j', "cubin: holds no kernel 'k' (no section .text.k)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t d[SMALL];
        struct sim_err err = {.code = ERR_NONE};
        make_small(d);
        put(d + rows[i].at, rows[i].value, rows[i].bytes);
        assert_false(read_small(d, SMALL, &err));
        assert_string_equal(err.msg, rows[i].message);
        assert_string_equal(err.file, "k.cubin");
        assert_int_equal(err.code, ERR_INPUT);
    }
}

static void every_cut_and_every_changed_byte_ends_well(void **state)
{
    (void)state;
    uint8_t d[SMALL];
    for (size_t i = 0; i < SMALL; i++) {
        struct sim_err err = {.code = ERR_NONE};
        uint8_t *cut = malloc(i + 1);
        assert_non_null(cut);
        make_small(d);
        memcpy(cut, d, i);
        assert_false(read_small(cut, i, &err));
        free(cut);
        for (unsigned v = 0; v < 256; v++) {
            struct sim_err other = {.code = ERR_NONE};
            make_small(d);
            d[i] = (uint8_t)v;
            if (!read_small(d, SMALL, &other))
                assert_int_equal(other.code, ERR_INPUT);
        }
    }
}

static bool read_usage(struct res_usage **r, const char *text, struct sim_err *err)
{
    char path[] = "/tmp/subcore_res_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    bool ok = res_usage_load(r, path, err);
    unlink(path);
    return ok;
}

static void resource_usage_is_read(void **state)
{
    (void)state;
    struct res_usage *r = NULL;
    struct sim_err err = {.code = ERR_NONE};
    assert_true(read_usage(&r,
                           "Fatbin elf code:\n\nResource usage:\n Common:\n  GLOBAL:0\n"
                           " Function _Z1k:\n  REG:18 STACK:64 SHARED:1056 LOCAL:8 "
                           "CONSTANT[0]:548 TEXTURE:0\n",
                           &err));
    const struct res_usage_kernel *k = res_usage_find(r, "_Z1k");
    assert_non_null(k);
    assert_int_equal(k->registers, 18);
    assert_int_equal(k->stack_bytes, 64);
    assert_int_equal(k->shared_bytes, 1056);
    assert_int_equal(k->local_bytes, 8);
    assert_null(res_usage_find(r, "k"));
    res_usage_free(r);
}

static void bad_resource_usage_is_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"hello\n", "expected the output of cuobjdump -res-usage, found no function"},
        {" Function k:\n", "ends before the resources of function k"},
        {" Function k:\n  REG:x\n", "expected REG:N STACK:N SHARED:N LOCAL:N, found 'REG:x'"},
        {" Function l:\n  nothing\n",
         "expected the resources of function l (REG:...), found 'nothing'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct res_usage *r = NULL;
        struct sim_err err = {.code = ERR_NONE};
        assert_false(read_usage(&r, rows[i][0], &err));
        assert_string_equal(err.msg, rows[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resources_of_a_kernel_are_read),
        cmocka_unit_test(constant_banks_of_the_kernel_and_of_the_module_are_found),
        cmocka_unit_test(a_small_cubin_is_read),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(every_cut_and_every_changed_byte_ends_well),
        cmocka_unit_test(resource_usage_is_read),
        cmocka_unit_test(bad_resource_usage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Initialisers: against values measured on a GPU (inputs of shared/hw/h200) and by definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "launch/launch_init.h"

static uint8_t *fill(enum launch_type type, uint64_t count, enum launch_init init, uint64_t number)
{
    struct launch_arg arg = {
        .is_buffer = true, .type = type, .count = count, .init = init, .number = number};
    struct sim_err err = {.code = ERR_NONE};
    uint8_t *data = calloc(count, launch_type_info(type)->bytes);
    assert_non_null(data);
    assert_true(launch_init_fill(data, &arg, NULL, &err));
    return data;
}

static uint32_t crc(const uint8_t *data, size_t len)
{
    return (uint32_t)crc32(0, data, (uInt)len);
}

/* Buffers that no kernel of the suite writes keep the CRC that run_hw.py measured. */
static void inputs_have_the_measured_checksums(void **state)
{
    (void)state;
    static const struct {
        enum launch_type type;
        uint64_t count;
        enum launch_init init;
        uint64_t number;
        uint32_t crc;
    } rows[] = {{LAUNCH_TYPE_u32, 32769, LAUNCH_INIT_times, 8, 0x46baba52u},
                {LAUNCH_TYPE_u32, 262144, LAUNCH_INIT_hash, 1, 0x7fcece82u},
                {LAUNCH_TYPE_f32, 262144, LAUNCH_INIT_hash, 2, 0xe9dd6dc7u},
                {LAUNCH_TYPE_f16, 65536, LAUNCH_INIT_hash, 1, 0x81c075fau},
                {LAUNCH_TYPE_u32, 2048, LAUNCH_INIT_ring, 32, 0x2252a210u},
                {LAUNCH_TYPE_f32, 32, LAUNCH_INIT_zeros, 0, 0xc2a8fa9du}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t *data = fill(rows[i].type, rows[i].count, rows[i].init, rows[i].number);
        assert_int_equal(crc(data, rows[i].count * launch_type_info(rows[i].type)->bytes),
                         rows[i].crc);
        free(data);
    }
}

static void f64_takes_53_bits_of_the_hash(void **state)
{
    (void)state;
    double d[2];
    uint64_t h[2];
    uint8_t *f = fill(LAUNCH_TYPE_f64, 2, LAUNCH_INIT_hash, 9);
    uint8_t *u = fill(LAUNCH_TYPE_u64, 2, LAUNCH_INIT_hash, 9);
    memcpy(d, f, sizeof d);
    memcpy(h, u, sizeof h);
    for (int i = 0; i < 2; i++)
        assert_true(d[i] * 0x1p53 == (double)(h[i] >> 11));
    assert_true(h[0] != h[1]);
    free(f);
    free(u);
}

static void integers_wrap_and_floats_round(void **state)
{
    (void)state;
    uint8_t *b = fill(LAUNCH_TYPE_u8, 300, LAUNCH_INIT_iota, 0);
    assert_int_equal(b[299], 299 - 256);
    free(b);
    uint32_t w[3];
    b = fill(LAUNCH_TYPE_u32, 3, LAUNCH_INIT_times, 0x100000001u);
    memcpy(w, b, sizeof w);
    assert_int_equal(w[2], 2);
    free(b);
    float f[2];
    b = fill(LAUNCH_TYPE_f32, 2, LAUNCH_INIT_times, 16777217);
    memcpy(f, b, sizeof f);
    assert_true(f[1] == 16777216.0f);
    free(b);
}

static void rings_visit_multiples_of_the_stride(void **state)
{
    (void)state;
    uint32_t w[64];
    uint8_t *b = fill(LAUNCH_TYPE_u32, 64, LAUNCH_INIT_ring, 8);
    memcpy(w, b, sizeof w);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(w[i], i % 8 ? 0 : (i / 8 * 1664525u + 1013904223u) % 8 * 8);
    free(b);
}

static void halves_round_to_nearest_even(void **state)
{
    (void)state;
    static const struct {
        float f;
        uint16_t half;
    } rows[] = {{0.0f, 0},          {-0.0f, 0x8000},        {1.0f, 0x3c00},
                {-2.0f, 0xc000},    {0x1.002p0f, 0x3c00},   {0x1.006p0f, 0x3c02},
                {65504.0f, 0x7bff}, {65519.0f, 0x7bff},     {65520.0f, 0x7c00},
                {0x1p-14f, 0x0400}, {0x1.ff8p-15f, 0x03ff}, {0x1p-24f, 0x0001},
                {0x1p-25f, 0x0000}, {0x1.8p-25f, 0x0001},   {0x1.8p-24f, 0x0002},
                {0x1p-26f, 0x0000}, {0x1.ffcp-15f, 0x0400}, {0x1.ffffp-15f, 0x0400}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(launch_init_half(rows[i].f), rows[i].half);
}

static void read_file(const char *bytes, size_t len, uint64_t count, const char *message)
{
    char path[] = "/tmp/subcore_init_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    close(fd);
    struct launch_arg arg = {
        .is_buffer = true, .type = LAUNCH_TYPE_u16, .count = count, .init = LAUNCH_INIT_file};
    struct sim_err err = {.code = ERR_NONE};
    uint8_t data[64] = {0};
    bool ok = launch_init_fill(data, &arg, path, &err);
    unlink(path);
    if (message)
        assert_string_equal(err.msg, message);
    else
        assert_memory_equal(data, bytes, len);
    assert_int_equal(ok, message == NULL);
}

static void files_must_have_the_size_of_the_buffer(void **state)
{
    (void)state;
    read_file("abcd", 4, 2, NULL);
    read_file("abc", 3, 2, "the buffer has 4 bytes, but the file has fewer");
    read_file("abcde", 5, 2, "the buffer has 4 bytes, but the file has more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_have_the_measured_checksums),
        cmocka_unit_test(f64_takes_53_bits_of_the_hash),
        cmocka_unit_test(integers_wrap_and_floats_round),
        cmocka_unit_test(rings_visit_multiples_of_the_stride),
        cmocka_unit_test(halves_round_to_nearest_even),
        cmocka_unit_test(files_must_have_the_size_of_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

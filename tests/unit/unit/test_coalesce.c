/* Lines and sectors of global accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/coalesce.h"

#define ALL 0xffffffffu

static struct dyn_inst strided(uint64_t base, int32_t stride, uint32_t mask)
{
    return (struct dyn_inst){
        .mask = mask, .addr_mode = ADDR_STRIDE, .stride = stride, .addr.base = base};
}

struct line_row {
    const char *name;
    uint64_t base;
    int32_t stride;
    uint32_t width, mask;
    uint32_t lines, sectors; /* expected, sectors of all lines together */
    uint64_t first_line;
    uint32_t first_sectors;
};

static const struct line_row line_rows[] = {
    {"32 bits in a row", 0x1000, 4, 4, ALL, 1, 4, 0x20, 0xf},
    {"64 bits in a row", 0x1000, 8, 8, ALL, 2, 8, 0x20, 0xf},
    {"128 bits in a row", 0x1000, 16, 16, ALL, 4, 16, 0x20, 0xf},
    {"bytes in a row", 0x1000, 1, 1, ALL, 1, 1, 0x20, 0x1},
    {"one address", 0x1064, 0, 4, ALL, 1, 1, 0x20, 0x8},
    {"one lane", 0x1040, 4, 4, 1, 1, 1, 0x20, 0x4},
    {"the upper half warp", 0x1000, 4, 4, 0xffff0000, 1, 2, 0x20, 0xc},
    {"every second word", 0x1000, 8, 4, ALL, 2, 8, 0x20, 0xf},
    {"a sector each", 0x1000, 32, 4, ALL, 8, 32, 0x20, 0xf},
    {"a line each", 0x1000, 128, 4, ALL, 32, 32, 0x20, 0x1},
    {"backwards", 0x107c, -4, 4, ALL, 1, 4, 0x20, 0xf},
    {"across a line from the middle", 0x1040, 4, 4, ALL, 2, 4, 0x20, 0xc},
    {"over the edge of a sector", 0x101e, 0, 4, 1, 1, 2, 0x20, 0x3},
    {"over the edge of a line", 0x107e, 0, 4, 1, 2, 2, 0x20, 0x8},
    {"every lane over an edge", 0x107e, 128, 4, ALL, 33, 64, 0x20, 0x8},
    {"every lane over its own edge", 0x107e, 256, 4, ALL, 64, 64, 0x20, 0x8},
    {"no lane", 0x1000, 4, 4, 0, 0, 0, 0, 0},
    {"width unknown", 0x1000, 4, 0, ALL, 1, 4, 0x20, 0xf},
};

static void lanes_are_joined_into_lines_and_sectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof line_rows / sizeof line_rows[0]; i++) {
        const struct line_row *r = &line_rows[i];
        struct line_access out[COALESCE_MAX_LINES];
        struct dyn_inst d = strided(r->base, r->stride, r->mask);
        uint32_t n = coalesce_lines(&d, r->width, 128, 32, out), sectors = 0;
        for (uint32_t l = 0; l < n; l++)
            sectors += (uint32_t)__builtin_popcount(out[l].sectors);
        if (n != r->lines || sectors != r->sectors)
            fail_msg("%s: %u lines, %u sectors; expected %u, %u", r->name, n, sectors, r->lines,
                     r->sectors);
        if (n > 0 && (out[0].line != r->first_line || out[0].sectors != r->first_sectors))
            fail_msg("%s: first line 0x%llx sectors 0x%x", r->name, (unsigned long long)out[0].line,
                     out[0].sectors);
    }
}

static void lines_come_in_order_of_their_first_lane(void **state)
{
    (void)state;
    uint64_t list[WARP_LANES] = {0};
    struct dyn_inst d = {.mask = 0x17, .addr_mode = ADDR_LIST, .addr.list = list};
    struct line_access out[COALESCE_MAX_LINES];
    list[0] = 0x500;
    list[1] = 0x100;
    list[2] = 0x520;
    list[3] = 0x900; /* inactive */
    list[4] = 0x0;
    assert_int_equal(coalesce_lines(&d, 4, 128, 32, out), 3);
    assert_int_equal(out[0].line, 0x500 / 128);
    assert_int_equal(out[0].sectors, 3);
    assert_int_equal(out[1].line, 0x100 / 128);
    assert_int_equal(out[2].line, 0);
}

static void an_instruction_without_addresses_touches_nothing(void **state)
{
    (void)state;
    struct dyn_inst d = {.mask = ALL, .addr_mode = ADDR_NONE};
    struct line_access out[COALESCE_MAX_LINES];
    assert_int_equal(coalesce_lines(&d, 4, 128, 32, out), 0);
}

static void parts_are_words_of_a_line(void **state)
{
    (void)state;
    struct line_access out[COALESCE_MAX_LINES];
    struct dyn_inst d = strided(0x1004, 8, 0x3);
    assert_int_equal(coalesce_lines(&d, 4, 128, 32, out), 1);
    assert_int_equal(out[0].parts, 0xa);
    d = strided(0x1070, 16, 0x3);
    assert_int_equal(coalesce_lines(&d, 16, 128, 32, out), 2);
    assert_int_equal(out[0].parts, 0xf0000000);
    assert_int_equal(out[1].parts, 0xf);
    assert_int_equal(coalesce_lines(&d, 16, 64, 32, out), 2); /* 2 bytes a part */
    assert_int_equal(out[0].parts, 0xff000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_joined_into_lines_and_sectors),
        cmocka_unit_test(lines_come_in_order_of_their_first_lane),
        cmocka_unit_test(an_instruction_without_addresses_touches_nothing),
        cmocka_unit_test(parts_are_words_of_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

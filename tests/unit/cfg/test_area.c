/* G8: area of dependence management against the 256 KB register file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cfg/area.h"

static const uint64_t RF_BITS = 2097152; /* 256 KB */

static void control_bits_take_the_papers_area(void **state)
{
    (void)state;
    assert_int_equal(area_register_file_bits(65536), RF_BITS);
    struct area a = area_control_bits(48, RF_BITS);
    assert_int_equal(a.warp_bits, 41);
    assert_int_equal(a.sm_bits, 1968);
    assert_int_equal(a.percent_hundredths, 9);
    a = area_control_bits(64, RF_BITS);
    assert_int_equal(a.sm_bits, 2624);
    assert_int_equal(a.percent_hundredths, 13);
}

static void scoreboards_take_the_papers_area(void **state)
{
    (void)state;
    struct area a = area_scoreboards(48, 63, RF_BITS);
    assert_int_equal(a.warp_bits, 2324);
    assert_int_equal(a.sm_bits, 111552);
    assert_int_equal(a.percent_hundredths, 532);
    a = area_scoreboards(64, 63, RF_BITS);
    assert_int_equal(a.sm_bits, 148736);
    assert_int_equal(a.percent_hundredths, 709);
}

static void a_counter_has_room_for_zero_to_all_consumers(void **state)
{
    (void)state;
    static const struct {
        uint32_t consumers, bits;
    } rows[] = {{0, 332},     {1, 664},      {2, 332 * 3},  {3, 332 * 3},
                {4, 332 * 4}, {31, 332 * 6}, {32, 332 * 7}, {65535, 332 * 17}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(area_scoreboards(1, rows[i].consumers, RF_BITS).warp_bits, rows[i].bits);
}

static void no_register_file_gives_no_share(void **state)
{
    (void)state;
    assert_int_equal(area_control_bits(48, 0).percent_hundredths, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_bits_take_the_papers_area),
        cmocka_unit_test(scoreboards_take_the_papers_area),
        cmocka_unit_test(a_counter_has_room_for_zero_to_all_consumers),
        cmocka_unit_test(no_register_file_gives_no_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

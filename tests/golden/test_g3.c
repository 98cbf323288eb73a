/* G3: register read ports (paper, section 3 and 5.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/harness.h"

static void check_clocks(const char *name, uint64_t expected)
{
    char path[256];
    snprintf(path, sizeof path, "traces/micro/%s.sass", name);
    struct run r;
    run_listing(&r, path, NULL);
    uint64_t difference = run_clock_difference(&r, 0, 0);
    run_free(&r);
    assert_int_equal(difference, expected);
}

static void odd_registers_do_not_conflict(void **state)
{
    (void)state;
    check_clocks("g3_odd", 5);
}

static void one_even_register_costs_one_bubble(void **state)
{
    (void)state;
    check_clocks("g3_one_even", 6);
}

static void two_even_registers_cost_two_bubbles(void **state)
{
    (void)state;
    check_clocks("g3_both_even", 7);
}

static void conflicts_do_not_keep_the_next_instruction_from_issuing(void **state)
{
    (void)state;
    const char *const names[] = {"odd", "one_even", "both_even"};
    for (size_t i = 0; i < 3; i++) {
        char path[256];
        snprintf(path, sizeof path, "traces/micro/g3_%s_no_nop.sass", names[i]);
        struct run r;
        run_listing(&r, path, NULL);
        uint64_t distance = run_issue(&r, 0, "CS2R", 1) - run_issue(&r, 0, "FFMA", 1);
        run_free(&r);
        assert_int_equal(distance, 1);
    }
}

/* Issue distance of a stream once its pipeline is full: the last 12 of 24 instructions. */
static void check_stream(const char *name, const char *opcode, uint64_t expected)
{
    char path[256];
    snprintf(path, sizeof path, "traces/micro/%s.sass", name);
    struct run r;
    run_listing(&r, path, NULL);
    for (uint32_t i = 12; i < 24; i++)
        assert_int_equal(run_issue(&r, 0, opcode, i) - run_issue(&r, 0, opcode, i - 1), expected);
    run_free(&r);
}

static void two_sources_in_two_banks_stream_without_bubbles(void **state)
{
    (void)state;
    check_stream("g3_fmul_different", "FMUL", 1);
}

static void two_sources_in_one_bank_cost_a_bubble(void **state)
{
    (void)state;
    check_stream("g3_fmul_same", "FMUL", 2);
}

static void three_sources_in_one_bank_cost_two_bubbles(void **state)
{
    (void)state;
    check_stream("g3_ffma_three_same", "FFMA", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_registers_do_not_conflict),
        cmocka_unit_test(one_even_register_costs_one_bubble),
        cmocka_unit_test(two_even_registers_cost_two_bubbles),
        cmocka_unit_test(conflicts_do_not_keep_the_next_instruction_from_issuing),
        cmocka_unit_test(two_sources_in_two_banks_stream_without_bubbles),
        cmocka_unit_test(two_sources_in_one_bank_cost_a_bubble),
        cmocka_unit_test(three_sources_in_one_bank_cost_two_bubbles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

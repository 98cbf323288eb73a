/* G6: dependence counters (paper, section 4 and figure 2). Distances are from the first load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/harness.h"

/* A listing and the distance from the first timed load to the issue of an instruction. */
static void check(const char *name, const char *opcode, uint64_t expected)
{
    char path[256];
    snprintf(path, sizeof path, "traces/micro/g6_%s.sass", name);
    struct run r;
    run_listing(&r, path, NULL);
    uint64_t distance = run_issue(&r, 0, opcode, 0) - run_issue(&r, 0, "LDG", 0);
    run_free(&r);
    if (distance != expected)
        fail_msg("%s: %s issues %llu cycles after the load, expected %llu", path, opcode,
                 (unsigned long long)distance, (unsigned long long)expected);
}

static void next_cycle_does_not_see_the_increment(void **state)
{
    (void)state;
    check("stall1", "IADD3", 1);
}

static void stall_two_sees_the_increment(void **state)
{
    (void)state;
    check("stall2", "IADD3", 32);
}

static void yield_sees_the_increment(void **state)
{
    (void)state;
    check("yield", "IADD3", 32);
}

/* Loads leave the sub-core 4 cycles apart (G1), the first result is there after 32 (G2). */
static void figure_two_waits_for_the_second_load_only(void **state)
{
    (void)state;
    check("figure2", "IADD3", 36);
    check("figure2_all", "IADD3", 40);
}

static void figure_two_stands_at_its_addresses(void **state)
{
    (void)state;
    struct run r;
    run_listing(&r, "traces/micro/g6_figure2.sass", NULL);
    for (uint32_t i = 0; i < 3; i++) {
        const struct issue_record *load = run_find(&r, 0, "LDG", i);
        assert_int_equal(r.kernel->insts[load->inst]->pc, 0x50 + 0x10 * i);
    }
    const struct issue_record *add = run_find(&r, 0, "IADD3", 0);
    assert_int_equal(r.kernel->insts[add->inst]->pc, 0x80);
    run_free(&r);
}

static void depbar_waits_for_the_first_of_several(void **state)
{
    (void)state;
    check("depbar_first_of_four", "DEPBAR", 36);
}

static void depbar_waits_for_the_counters_of_its_list(void **state)
{
    (void)state;
    check("depbar_list", "DEPBAR", 40);
}

static void one_counter_serves_sources_and_result(void **state)
{
    (void)state;
    check("one_counter_war_raw", "DEPBAR", 11);
    check("one_counter_war_raw", "IADD3", 32);
}

static void one_load_counts_in_two_counters(void **state)
{
    (void)state;
    check("two_counters", "MOV", 11);
    check("two_counters", "IADD3", 32);
}

static void a_shared_counter_waits_for_all_its_producers(void **state)
{
    (void)state;
    check("shared_counter", "IADD3", 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_cycle_does_not_see_the_increment),
        cmocka_unit_test(stall_two_sees_the_increment),
        cmocka_unit_test(yield_sees_the_increment),
        cmocka_unit_test(figure_two_waits_for_the_second_load_only),
        cmocka_unit_test(figure_two_stands_at_its_addresses),
        cmocka_unit_test(depbar_waits_for_the_first_of_several),
        cmocka_unit_test(depbar_waits_for_the_counters_of_its_list),
        cmocka_unit_test(one_counter_serves_sources_and_result),
        cmocka_unit_test(one_load_counts_in_two_counters),
        cmocka_unit_test(a_shared_counter_waits_for_all_its_producers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tables of counters, ratios and stall reasons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result.h"

static void every_counter_has_its_own_place_and_a_sentence(void **state)
{
    (void)state;
    assert_int_equal(stat_count() * sizeof(uint64_t), offsetof(struct sim_stats, stalls));
    for (size_t i = 0; i < stat_count(); i++) {
        const struct stat_info *s = stat_info(i);
        assert_int_equal(s->offset, i * sizeof(uint64_t));
        assert_int_equal(s->doc[strlen(s->doc) - 1], '.');
        assert_true(s->unit[0] != '\0');
    }
}

static void a_hardware_counter_has_one_statistic_and_a_roll_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < stat_count(); i++) {
        const char *name = stat_info(i)->counter;
        if (!name[0])
            continue;
        assert_non_null(strstr(name, "__"));
        assert_string_equal(name + strlen(name) - 4, ".sum");
        for (size_t k = i + 1; k < stat_count(); k++)
            assert_string_not_equal(name, stat_info(k)->counter);
    }
}

static void groups_are_contiguous(void **state)
{
    (void)state;
    for (size_t i = 0; i < stat_count(); i++)
        for (size_t k = i + 2; k < stat_count(); k++)
            if (strcmp(stat_info(i)->group, stat_info(k)->group) == 0)
                assert_string_equal(stat_info(k - 1)->group, stat_info(i)->group);
}

static void sum_adds_every_counter_and_reason(void **state)
{
    (void)state;
    struct sim_stats a, b;
    uint64_t *pa = (uint64_t *)&a, *pb = (uint64_t *)&b;
    size_t n = sizeof a / sizeof *pa;
    for (size_t i = 0; i < n; i++) {
        pa[i] = i;
        pb[i] = 1000 + 2 * i;
    }
    stats_add(&a, &b);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pa[i], 1000 + 3 * i);
}

static void ratios_belong_to_a_group_and_read_the_counters(void **state)
{
    (void)state;
    struct sim_stats s = {.l1d_global_load_sector_hits = 3, .l1d_global_load_sectors = 4};
    bool found = false;
    for (size_t i = 0; i < ratio_count(); i++) {
        const struct ratio_info *r = ratio_info(i);
        bool known = false;
        for (size_t k = 0; k < stat_count(); k++)
            known = known || strcmp(stat_info(k)->group, r->group) == 0;
        assert_true(known);
        if (strcmp(r->group, "l1d") != 0 || strcmp(r->name, "load_hit_rate") != 0)
            continue;
        uint64_t num = 0, den = 0;
        ratio_value(&s, i, &num, &den);
        assert_int_equal(num, 3);
        assert_int_equal(den, 4);
        found = true;
    }
    assert_true(found);
}

static void stall_names_are_those_of_nsight_compute(void **state)
{
    (void)state;
    assert_string_equal(stall_name(STALL_long_scoreboard), "long_scoreboard");
    assert_string_equal(stall_name(STALL_math_pipe_throttle), "math_pipe_throttle");
    for (uint32_t r = 0; r < STALL_COUNT; r++)
        assert_true(strlen(stall_doc((enum stall_reason)r)) > 5);
}

static void freed_result_is_empty(void **state)
{
    (void)state;
    struct kernel_result r = {.cycles = 7};
    r.counts = calloc(2, sizeof *r.counts);
    r.inst_count = 2;
    r.hazards = calloc(1, sizeof *r.hazards);
    kernel_result_free(&r);
    assert_null(r.counts);
    assert_null(r.hazards);
    assert_int_equal(r.inst_count, 0);
    kernel_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_has_its_own_place_and_a_sentence),
        cmocka_unit_test(a_hardware_counter_has_one_statistic_and_a_roll_up),
        cmocka_unit_test(groups_are_contiguous),
        cmocka_unit_test(sum_adds_every_counter_and_reason),
        cmocka_unit_test(ratios_belong_to_a_group_and_read_the_counters),
        cmocka_unit_test(stall_names_are_those_of_nsight_compute),
        cmocka_unit_test(freed_result_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

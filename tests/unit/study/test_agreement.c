/* Numbers of a comparison, and statistics by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "study/agreement.h"
#include "study/statistic.h"

static void expect_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-12))
        fail_msg("%.17g, expected %.17g", value, expected);
}

static void errors_and_correlations_of_four_pairs(void **state)
{
    (void)state;
    const struct pair pairs[] = {
        {104, 100, 95, 105}, {180, 200, NAN, NAN}, {300, 300, 290, 310}, {560, 400, 380, 410}};
    struct agreement a;
    assert_true(agreement_of(&a, pairs, 4));
    assert_int_equal(a.n, 4);
    expect_near(a.mape, (0.04 + 0.1 + 0 + 0.4) / 4);
    expect_near(a.bias, (0.04 - 0.1 + 0 + 0.4) / 4);
    expect_near(a.p50, 0.04);
    expect_near(a.p90, 0.4);
    expect_near(a.max, 0.4);
    expect_near(a.within_5, 0.5);
    expect_near(a.within_10, 0.75);
    expect_near(a.within_25, 0.75);
    expect_near(a.spearman, 1);
    /* means 286 and 250; sxy 74400, sxx 119632, syy 50000 */
    expect_near(a.pearson, 74400 / sqrt(119632.0 * 50000));
    assert_int_equal(a.ranged, 3);
    expect_near(a.spread, (0.1 + 20.0 / 300 + 30.0 / 400) / 3);
    expect_near(a.in_range, 2.0 / 3);
}

static void equal_values_share_a_rank(void **state)
{
    (void)state;
    const struct pair pairs[] = {{1, 10, NAN, NAN}, {1, 20, NAN, NAN}, {2, 30, NAN, NAN}};
    struct agreement a;
    assert_true(agreement_of(&a, pairs, 3));
    /* ranks 0.5 0.5 2 and 0 1 2 */
    expect_near(a.spearman, 1.5 / sqrt(1.5 * 2));
}

static void what_is_measured_as_zero_is_an_infinite_error(void **state)
{
    (void)state;
    const struct pair pairs[] = {{0, 0, NAN, NAN}, {5, 0, NAN, NAN}, {11, 10, NAN, NAN}};
    struct agreement a;
    assert_true(agreement_of(&a, pairs, 3));
    assert_int_equal(a.n, 3);
    assert_int_equal(a.unmeasured, 1);
    expect_near(a.mape, 0.05);
    assert_true(isinf(a.max));
    expect_near(a.within_25, 2.0 / 3);
}

static void nothing_has_no_numbers(void **state)
{
    (void)state;
    const struct pair one = {1, 1, NAN, NAN};
    struct agreement a;
    assert_true(agreement_of(&a, NULL, 0));
    assert_true(isnan(a.mape) && isnan(a.bias) && isnan(a.max) && isnan(a.pearson));
    assert_true(agreement_of(&a, &one, 1));
    assert_true(isnan(a.pearson) && isnan(a.spearman));
    expect_near(a.max, 0);
}

static void every_statistic_is_found_by_its_name(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < statistic_count(); i++) {
        char name[STATISTIC_NAME_SIZE];
        uint32_t found, near;
        statistic_name(i, name);
        assert_true(statistic_find(name, &found, &near));
        if (found != i)
            fail_msg("two statistics are called %s", name);
    }
}

static void statistics_have_values_and_hardware_counters(void **state)
{
    (void)state;
    struct summary s = {.cycles = 400, .warp_instructions = 300, .sm_active_cycles_sum = 600};
    s.stats.icache_l0_hits = 7;
    s.stats.issue_issued = 300;
    s.stats.stalls[STALL_wait] = 150;
    static const struct {
        const char *name, *counter;
        double value;
    } rows[] = {
        {"cycles", "", 400},
        {"ipc", "sm__inst_executed.avg.per_cycle_active", 0.5},
        {"warp_instructions", "smsp__inst_executed.sum", 300},
        {"icache.l0.hits", "", 7},
        {"issue.stalls.wait", "", 150},
        {"stalls_per_issue.wait", "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
         0.5},
        {"dram.read_bytes", "dram__bytes_read.sum", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t found, near;
        char counter[STATISTIC_NAME_SIZE];
        double value;
        assert_true(statistic_find(rows[i].name, &found, &near));
        statistic_counter(found, counter);
        assert_string_equal(counter, rows[i].counter);
        assert_true(statistic_value(found, &s, &value));
        expect_near(value, rows[i].value);
    }
    uint32_t found, near;
    double value;
    char name[STATISTIC_NAME_SIZE];
    assert_true(statistic_find("occupancy", &found, &near));
    assert_false(statistic_value(found, &s, &value));
    assert_false(statistic_find("icache.l0.hit", &found, &near));
    statistic_name(near, name);
    assert_string_equal(name, "icache.l0.hits");
    assert_false(statistic_find("bananas", &found, &near));
    assert_int_equal(near, statistic_count());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_and_correlations_of_four_pairs),
        cmocka_unit_test(equal_values_share_a_rank),
        cmocka_unit_test(what_is_measured_as_zero_is_an_infinite_error),
        cmocka_unit_test(nothing_has_no_numbers),
        cmocka_unit_test(every_statistic_is_found_by_its_name),
        cmocka_unit_test(statistics_have_values_and_hardware_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* --ctas: numbers of the whole kernel from those of its first CTAs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/sample.h"

/* 10 SMs of 4 CTAs: a wave is 40 CTAs. */
static struct kernel_result measured(uint64_t ctas)
{
    struct kernel_result r = {.sms = 10,
                              .ctas_per_sm = 4,
                              .cycles = 700,
                              .elapsed_cycles = 1000,
                              .ctas = ctas,
                              .ctas_simulated = ctas,
                              .sm_active_cycles_max = 650,
                              .sm_active_cycles_sum = 5000,
                              .sms_used = 10,
                              .warp_instructions = 333};
    r.stats.issue_issued = 333;
    r.stats.stalls[STALL_wait] = 7;
    return r;
}

static void cycles_are_scaled_by_waves_and_counters_by_ctas(void **state)
{
    (void)state;
    struct kernel_result r = measured(80);
    struct inst_count counts[1] = {{.inst = 8, .thread = 20}};
    r.counts = counts;
    r.inst_count = 1;
    sample_scale(&r, 1000);
    assert_true(r.sampled);
    assert_int_equal(r.ctas, 1000);
    assert_int_equal(r.ctas_simulated, 80);
    assert_int_equal(r.waves_simulated, 2);
    assert_int_equal(r.waves, 25);
    assert_int_equal(r.cycles, 8750);
    assert_int_equal(r.elapsed_cycles, 9050);
    assert_int_equal(r.sm_active_cycles_max, 8125);
    assert_int_equal(r.sm_active_cycles_sum, 62500);
    assert_int_equal(r.sms_used, 10);
    assert_int_equal(r.stats.issue_issued, 4163); /* 4162.5 */
    assert_int_equal(r.warp_instructions, 4163);
    assert_int_equal(r.stats.stalls[STALL_wait], 88); /* 87.5 */
    assert_int_equal(counts[0].inst, 100);
    assert_int_equal(counts[0].thread, 250);
}

static void less_than_a_wave_is_a_wave(void **state)
{
    (void)state;
    struct kernel_result r = measured(5);
    r.sms_used = 5;
    sample_scale(&r, 1000);
    assert_int_equal(r.waves_simulated, 1);
    assert_int_equal(r.cycles, 700 * 25);
    assert_int_equal(r.sms_used, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_are_scaled_by_waves_and_counters_by_ctas),
        cmocka_unit_test(less_than_a_wave_is_a_wave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

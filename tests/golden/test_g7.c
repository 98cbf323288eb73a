/* G7: --check-hazards of a fixed-latency result, alone and behind read-port conflicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/harness.h"

static const uint32_t conflicts[] = {0, 1, 2, 4};
#define CONFLICTS (sizeof conflicts / sizeof conflicts[0])

static void run_g7(struct run *r, uint32_t stall, uint32_t behind, bool check_hazards)
{
    char path[256];
    snprintf(path, sizeof path, "traces/micro/g7_stall%u_conflicts%u.sass", stall, behind);
    const struct run_setup setup = {.check_hazards = check_hazards};
    run_listing(r, path, &setup);
}

static uint64_t all_hazards(const struct kernel_result *result)
{
    uint64_t n = 0;
    for (uint32_t kind = 0; kind < HAZARD_KIND_COUNT; kind++)
        n += result->hazard_total[kind];
    return n;
}

static void stall_four_is_clean(void **state)
{
    (void)state;
    for (size_t i = 0; i < CONFLICTS; i++) {
        struct run r;
        run_g7(&r, 4, conflicts[i], true);
        uint64_t n = all_hazards(&r.result);
        run_free(&r);
        if (n)
            fail_msg("behind %u conflicts: %llu hazards, expected none", conflicts[i],
                     (unsigned long long)n);
    }
}

static void stall_three_is_reported_at_its_pc(void **state)
{
    (void)state;
    for (size_t i = 0; i < CONFLICTS; i++) {
        struct run r;
        run_g7(&r, 3, conflicts[i], true);
        if (all_hazards(&r.result) != 1)
            fail_msg("behind %u conflicts: %llu hazards, expected 1", conflicts[i],
                     (unsigned long long)all_hazards(&r.result));
        assert_int_equal(r.result.hazard_total[HAZARD_RAW], 1);
        assert_int_equal(r.result.hazard_kept, 1);
        const struct hazard_record *hazard = &r.result.hazards[0];
        assert_int_equal(hazard->kind, HAZARD_RAW);
        assert_int_equal(hazard->file, REG_GENERAL);
        assert_int_equal(hazard->reg, 9);
        const struct issue_record *producer = run_find(&r, 0, "IADD3", 0);
        const struct issue_record *consumer = run_find(&r, 0, "IADD3", 1);
        assert_int_equal(r.kernel->insts[hazard->inst]->pc, r.kernel->insts[consumer->inst]->pc);
        assert_int_equal(r.kernel->insts[hazard->producer]->pc,
                         r.kernel->insts[producer->inst]->pc);
        assert_int_equal(hazard->cycle, consumer->cycle);
        run_free(&r);
    }
}

/* The check observes: a wrong stall count is not repaired, and checking changes no cycle. */
static void the_check_changes_no_cycle(void **state)
{
    (void)state;
    for (size_t i = 0; i < CONFLICTS; i++) {
        struct run checked;
        struct run plain;
        run_g7(&checked, 3, conflicts[i], true);
        run_g7(&plain, 3, conflicts[i], false);
        assert_int_equal(checked.issue_count, plain.issue_count);
        for (size_t k = 0; k < plain.issue_count; k++)
            assert_int_equal(checked.issues[k].cycle, plain.issues[k].cycle);
        assert_int_equal(all_hazards(&plain.result), 0);
        run_free(&checked);
        run_free(&plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stall_four_is_clean),
        cmocka_unit_test(stall_three_is_reported_at_its_pc),
        cmocka_unit_test(the_check_changes_no_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

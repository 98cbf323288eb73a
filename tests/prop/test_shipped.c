/* How a simulation is run never changes what comes out of the inputs in traces/: threads, window,
 * skipping of idle cycles, order of sub-cores. Results and issue logs are compared whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/harness.h"

/* An RTX A6000, or an H200, whose SMs share instruction caches. */
static const struct {
    const char *path, *config;
} listings[] = {
    {"traces/micro/g1_4subcores.sass", NULL},    {"traces/micro/g5_a.sass", NULL},
    {"traces/listings/vecadd.sass", NULL},       {"traces/listings/block_scan.sass", NULL},
    {"traces/listings/strided_read.sass", NULL}, {"traces/listings/transpose_padded.sass", NULL},
    {"traces/kernels/diverge.sct", NULL},        {"traces/kernels/histogram.sct", NULL},
    {"traces/kernels/hgemm_wmma.sct", NULL},     {"traces/kernels/softmax_row.sct", NULL},
    {"traces/listings/block_scan.sass", "h200"}, {"traces/kernels/diverge.sct", "h200"},
    {"traces/kernels/softmax_row.sct", "h200"},
};
#define LISTINGS (sizeof listings / sizeof listings[0])
#define CTAS 96
#define SMS 3 /* enough to be shared out unevenly, few enough that CTAs wait for a place */

static void compare_issue(const struct run *a, const struct run *b, const char *listing)
{
    assert_int_equal(a->issue_count, b->issue_count);
    for (size_t i = 0; i < a->issue_count; i++) {
        const struct issue_record *x = &a->issues[i];
        const struct issue_record *y = &b->issues[i];
        if (x->cycle != y->cycle || x->control != y->control || x->cta != y->cta ||
            x->sm != y->sm || x->inst != y->inst || x->warp_slot != y->warp_slot ||
            x->warp != y->warp || x->subcore != y->subcore)
            fail_msg("%s: issue record %zu differs: cycle %llu and %llu", listing, i,
                     (unsigned long long)x->cycle, (unsigned long long)y->cycle);
    }
}

static void compare_results(const struct kernel_result *a, const struct kernel_result *b)
{
    assert_int_equal(a->cycles, b->cycles);
    assert_int_equal(a->elapsed_cycles, b->elapsed_cycles);
    assert_int_equal(a->start_cycle, b->start_cycle);
    assert_int_equal(a->sm_active_cycles_max, b->sm_active_cycles_max);
    assert_int_equal(a->sm_active_cycles_sum, b->sm_active_cycles_sum);
    assert_int_equal(a->sms_used, b->sms_used);
    assert_int_equal(a->ctas, b->ctas);
    assert_int_equal(a->warp_instructions, b->warp_instructions);
    assert_int_equal(a->thread_instructions, b->thread_instructions);
    for (size_t i = 0; i < stat_count(); i++) {
        const struct stat_info *stat = stat_info(i);
        uint64_t x, y;
        memcpy(&x, (const char *)&a->stats + stat->offset, sizeof x);
        memcpy(&y, (const char *)&b->stats + stat->offset, sizeof y);
        if (x != y)
            fail_msg("%s.%s: %llu and %llu", stat->group, stat->name, (unsigned long long)x,
                     (unsigned long long)y);
    }
    assert_memory_equal(a->stats.stalls, b->stats.stalls, sizeof a->stats.stalls);
    assert_int_equal(a->inst_count, b->inst_count);
    for (uint32_t i = 0; i < a->inst_count; i++) {
        assert_int_equal(a->counts[i].inst, b->counts[i].inst);
        assert_int_equal(a->counts[i].thread, b->counts[i].thread);
    }
    if (a->by_inst && b->by_inst)
        assert_memory_equal(a->by_inst, b->by_inst, a->inst_count * sizeof *a->by_inst);
}

/* Runs every listing with `setup` and compares with the plain runs. */
static void check_setup(const struct run *plain, struct run_setup setup)
{
    setup.sms = SMS;
    setup.max_ctas = CTAS;
    for (size_t i = 0; i < LISTINGS; i++) {
        struct run r;
        setup.config = listings[i].config;
        run_listing(&r, listings[i].path, &setup);
        compare_issue(&plain[i], &r, listings[i].path);
        compare_results(&plain[i].result, &r.result);
        run_free(&r);
    }
}

static void check_same(const struct run *plain, struct run_setup setup)
{
    setup.by_inst = true;
    check_setup(plain, setup);
}

static void a_second_run_gives_the_same(void **state)
{
    check_same(*state, (struct run_setup){.threads = 1});
}

static void threads_change_nothing(void **state)
{
    check_same(*state, (struct run_setup){.threads = 2});
    check_same(*state, (struct run_setup){.threads = 7});
}

static void the_window_changes_nothing(void **state)
{
    check_same(*state, (struct run_setup){.window = 1});
    check_same(*state, (struct run_setup){.window = 7, .threads = 2});
}

static void skipping_idle_cycles_changes_nothing(void **state)
{
    check_same(*state, (struct run_setup){.no_skip = true});
}

static void the_order_of_subcores_changes_nothing(void **state)
{
    check_same(*state, (struct run_setup){.tick_order = TICK_REVERSE});
    check_same(*state, (struct run_setup){.tick_order = TICK_ROTATE});
}

/* Conservation: every resident warp and cycle has one reason, every issue is counted once. */
static void every_warp_cycle_has_one_reason(void **state)
{
    const struct run *plain = *state;
    for (size_t i = 0; i < LISTINGS; i++) {
        const struct sim_stats *s = &plain[i].result.stats;
        uint64_t reasons = 0;
        for (uint32_t reason = 0; reason < STALL_COUNT; reason++)
            reasons += s->stalls[reason];
        assert_int_equal(reasons, s->issue_resident_warp_cycles);
        assert_int_equal(s->stalls[STALL_selected], s->issue_issued);
        assert_int_equal(s->issue_issued, plain[i].result.warp_instructions);
        assert_int_equal(s->issue_issued, plain[i].issue_count);
        assert_int_equal(s->issue_active_cycles, s->issue_issued + s->issue_bubbles);
    }
}

static void statistics_by_instruction_change_nothing(void **state)
{
    check_setup(*state, (struct run_setup){.by_inst = false});
}

/* Counters that the instructions make up together; what fetching code reads has no instruction, nor
 * has the pass of a completed barrier. */
static bool adds_up(const struct stat_info *info)
{
    static const char *const groups[] = {"constant", "l1d", "shared"};
    static const char *const names[] = {"issued", "thread_instructions", "read_port_stalls",
                                        "unknown_opcodes", "write_sectors"};
    if (strcmp(info->name, "mshr_stalls") == 0 || strcmp(info->name, "wavefronts") == 0)
        return false;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (strcmp(info->group, groups[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(info->name, names[i]) == 0 && strcmp(info->group, "icache_prefetch") != 0)
            return true;
    return false;
}

static void instructions_add_up_to_the_run(void **state)
{
    const struct run *plain = *state;
    for (size_t i = 0; i < LISTINGS; i++) {
        const struct kernel_result *r = &plain[i].result;
        struct sim_stats sum = {0};
        for (uint32_t k = 0; k < r->inst_count; k++) {
            stats_add(&sum, &r->by_inst[k]);
            assert_int_equal(r->by_inst[k].issue_issued, r->counts[k].inst);
            assert_int_equal(r->by_inst[k].stalls[STALL_selected], r->counts[k].inst);
        }
        assert_memory_equal(sum.stalls, r->stats.stalls, sizeof sum.stalls);
        for (size_t k = 0; k < stat_count(); k++) {
            uint64_t x, y;
            memcpy(&x, (const char *)&sum + stat_info(k)->offset, sizeof x);
            memcpy(&y, (const char *)&r->stats + stat_info(k)->offset, sizeof y);
            if (x > y || (x != y && adds_up(stat_info(k))))
                fail_msg("%s: %s.%s: %llu of instructions, %llu of the run", listings[i].path,
                         stat_info(k)->group, stat_info(k)->name, (unsigned long long)x,
                         (unsigned long long)y);
        }
        assert_true(r->stats.l2_read_sectors == 0 || sum.l2_read_sectors > 0 ||
                    r->stats.l1d_fill_sectors == 0);
    }
}

static int run_plain(void **state)
{
    struct run_setup setup = {.sms = SMS, .max_ctas = CTAS, .threads = 1, .by_inst = true};
    struct run *plain = calloc(LISTINGS, sizeof *plain);
    assert_non_null(plain);
    for (size_t i = 0; i < LISTINGS; i++) {
        setup.config = listings[i].config;
        run_listing(&plain[i], listings[i].path, &setup);
    }
    *state = plain;
    return 0;
}

static int free_plain(void **state)
{
    struct run *plain = *state;
    for (size_t i = 0; i < LISTINGS; i++)
        run_free(&plain[i]);
    free(plain);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_run_gives_the_same),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(the_window_changes_nothing),
        cmocka_unit_test(skipping_idle_cycles_changes_nothing),
        cmocka_unit_test(the_order_of_subcores_changes_nothing),
        cmocka_unit_test(every_warp_cycle_has_one_reason),
        cmocka_unit_test(statistics_by_instruction_change_nothing),
        cmocka_unit_test(instructions_add_up_to_the_run),
    };
    return cmocka_run_group_tests(tests, run_plain, free_plain);
}

/* G5: which of four warps of one sub-core issues (paper, figure 4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/harness.h"

#define COUNT 32 /* timed instructions of a warp: FADDs after the barrier */

/* A run of instructions issued by one warp. */
struct stretch {
    uint32_t warp, count;
};

/* Checks that sub-core 0 issued its FADDs in these stretches, one after the other. */
static void check_order(const struct run *r, const struct stretch *stretches, size_t n)
{
    size_t at = 0;
    uint32_t seen = 0;
    uint32_t position = 0;
    for (size_t i = 0; i < r->issue_count; i++) {
        const struct issue_record *record = &r->issues[i];
        if (record->subcore != 0 || strcmp(run_opcode(r, record), "FADD") != 0)
            continue;
        if (at < n && seen == stretches[at].count) {
            at++;
            seen = 0;
        }
        position++;
        if (at == n)
            fail_msg("warp %u issues FADD number %u, but all should be over", record->warp,
                     position);
        if (record->warp != stretches[at].warp)
            fail_msg("FADD number %u is of warp %u, expected warp %u", position, record->warp,
                     stretches[at].warp);
        seen++;
    }
    assert_int_equal(position, 4 * COUNT);
}

/* Small, slow instruction caches make the miss fall in the middle of the 32 instructions and be
 * served before the next warp gets there, as in the figure: lines of 32 instructions, no prefetch,
 * 8 cycles to the L1, which another sub-core has warmed. */
static void cold_code_goes_youngest_first_to_the_miss(void **state)
{
    (void)state;
    const struct run_setup setup = {
        .sets = {"icache.line_bytes=512", "icache.stream_buffer_lines=0",
                 "icache.l1_request_cycles=4", "icache.l1_reply_cycles=4"}};
    const struct stretch expected[] = {{12, 16}, {8, 32}, {12, 16}, {4, 32}, {0, 32}};
    struct run r;
    run_listing(&r, "traces/micro/g5_a.sass", &setup);
    check_order(&r, expected, sizeof expected / sizeof expected[0]);
    run_free(&r);
}

static void a_stall_passes_control_to_the_youngest_ready_warp(void **state)
{
    (void)state;
    const struct stretch expected[] = {{12, 2}, {8, 2},  {4, 2}, {12, 30},
                                       {8, 30}, {4, 30}, {0, 32}};
    struct run r;
    run_listing(&r, "traces/micro/g5_b.sass", NULL);
    check_order(&r, expected, sizeof expected / sizeof expected[0]);
    assert_int_equal(run_issue(&r, 0, "FADD", 2) - run_issue(&r, 0, "FADD", 1), 4);
    run_free(&r);
}

static void a_yield_passes_control_to_the_youngest_other_warp_and_back(void **state)
{
    (void)state;
    const struct stretch expected[] = {{12, 2}, {8, 2}, {12, 30}, {8, 30},
                                       {4, 2},  {0, 2}, {4, 30},  {0, 30}};
    struct run r;
    run_listing(&r, "traces/micro/g5_c.sass", NULL);
    check_order(&r, expected, sizeof expected / sizeof expected[0]);
    run_free(&r);
}

/* Distances of the 32 instructions of a lone warp: `second` after the second, else 1. */
static void check_alone(const char *listing, uint64_t second)
{
    struct run r;
    run_listing(&r, listing, NULL);
    for (uint32_t i = 1; i < COUNT; i++)
        assert_int_equal(run_issue(&r, 0, "FADD", i) - run_issue(&r, 0, "FADD", i - 1),
                         i == 2 ? second : 1);
    run_free(&r);
}

static void a_stall_of_a_lone_warp_leaves_three_slots_empty(void **state)
{
    (void)state;
    check_alone("traces/micro/g5_b_alone.sass", 4);
}

static void a_yield_of_a_lone_warp_leaves_one_slot_empty(void **state)
{
    (void)state;
    check_alone("traces/micro/g5_c_alone.sass", 2);
}

/* No issue slot is lost while another warp is ready: the nth FADD of the last warp comes as many
 * cycles after the first FADD of all as FADDs, and EXITs of the other warps, come before it. */
static void check_no_slot_lost(const char *listing, uint32_t nth, uint64_t before)
{
    struct run r;
    run_listing(&r, listing, NULL);
    uint64_t first = run_issue(&r, 12, "FADD", 0);
    assert_int_equal(run_issue(&r, 0, "FADD", nth) - first, before);
    run_free(&r);
}

static void four_warps_hide_stalls_and_yields(void **state)
{
    (void)state;
    check_no_slot_lost("traces/micro/g5_b.sass", 1, 3 * COUNT + 3 + 1);
    check_no_slot_lost("traces/micro/g5_c.sass", COUNT - 1, 4 * COUNT - 1 + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cold_code_goes_youngest_first_to_the_miss),
        cmocka_unit_test(a_stall_passes_control_to_the_youngest_ready_warp),
        cmocka_unit_test(a_yield_passes_control_to_the_youngest_other_warp_and_back),
        cmocka_unit_test(a_stall_of_a_lone_warp_leaves_three_slots_empty),
        cmocka_unit_test(a_yield_of_a_lone_warp_leaves_one_slot_empty),
        cmocka_unit_test(four_warps_hide_stalls_and_yields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

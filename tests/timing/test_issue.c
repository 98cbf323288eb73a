/* When an instruction may issue: stall counts, yield, dependence counters, barriers, schedulers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "support/distance.h"

static void a_warp_issues_again_after_its_stall_count(void **state)
{
    (void)state;
    for (uint32_t stall = 0; stall <= 15; stall++) {
        char code[128];
        snprintf(code, sizeof code, "[B------:R-:W-:-:S%02u] MOV R1, R2 ;\n" S(01) "NOP ;\n",
                 stall);
        const struct distance_row row = {
            "stall", WARM, code, {0, "MOV", 0}, {0, "NOP", 0}, stall ? stall : 2, {0}};
        check_distance(&row);
    }
}

#define PAIR(first) first "MOV R1, R2 ;\n" S(01) "NOP ;\n"

static const struct distance_row control_rows[] = {
    {"yield", WARM, PAIR(Y(01)), {0, "MOV", 0}, {0, "NOP", 0}, 2, {0}},
    {"yield, stall 2", WARM, PAIR(Y(02)), {0, "MOV", 0}, {0, "NOP", 0}, 2, {0}},
    {"yield, stall 9", WARM, PAIR(Y(09)), {0, "MOV", 0}, {0, "NOP", 0}, 9, {0}},
    {"drain", WARM, PAIR(Y(00)), {0, "MOV", 0}, {0, "NOP", 0}, 46, {0}},
    {"long drain",
     WARM,
     PAIR(Y(00)),
     {0, "MOV", 0},
     {0, "NOP", 0},
     255,
     {"issue.drain_cycles=255"}},
    {"long drain behind read ports",
     WARM,
     S(01) "FFMA R1, R2, R4, R6 ;\n" S(01) "FFMA R3, R2, R4, R8 ;\n" PAIR(Y(00)),
     {0, "MOV", 0},
     {0, "NOP", 0},
     257,
     {"issue.drain_cycles=255"}},
};

static void yield_and_drain_hold_the_warp(void **state)
{
    (void)state;
    CHECK_DISTANCES(control_rows);
}

/* Warps 0 and 4 share a sub-core; the younger one issues first. Its stall count stands still while
 * the other one's instruction is held in Allocate. */
#define TWO_WARPS ".warps 8\n" WARM
#define HELD(first) S(05) "BAR.SYNC 0x0 ;\n" S(04) first S(01) "MOV R1, R2 ;\n"
static const struct distance_row held_rows[] = {
    {"own ports free",
     TWO_WARPS,
     HELD("FFMA R9, R3, R4, RZ ;\n"),
     {4, "FFMA", 0},
     {4, "MOV", 0},
     4,
     {0}},
    {"two registers of a bank, the other warp is held a cycle",
     TWO_WARPS,
     HELD("FFMA R9, R2, R3, R6 ;\n"),
     {4, "FFMA", 0},
     {4, "MOV", 0},
     5,
     {0}},
    {"the other warp is held two cycles",
     TWO_WARPS,
     HELD("FFMA R9, R2, R4, R6 ;\n"),
     {4, "FFMA", 0},
     {4, "MOV", 0},
     6,
     {0}},
};

static void stall_counts_stand_still_while_allocate_holds(void **state)
{
    (void)state;
    CHECK_DISTANCES(held_rows);
}

#define MUFU "MUFU.RCP R1, R2 ;\n"
static const struct distance_row counter_rows[] = {
    {"a counter is not seen in the next cycle",
     WARM,
     W0(01) MUFU WAIT0 "NOP ;\n",
     {0, "MUFU", 0},
     {0, "NOP", 0},
     1,
     {0}},
    {"it is seen in the one after",
     WARM,
     W0(02) MUFU WAIT0 "NOP ;\n",
     {0, "MUFU", 0},
     {0, "NOP", 0},
     18,
     {0}},
    {"a yield is enough",
     WARM,
     "[B------:R-:W0:Y:S01] " MUFU WAIT0 "NOP ;\n",
     {0, "MUFU", 0},
     {0, "NOP", 0},
     18,
     {0}},
    {"another counter", WARM, W0(02) MUFU WAIT1 "NOP ;\n", {0, "MUFU", 0}, {0, "NOP", 0}, 2, {0}},
    {"the sources have been read",
     WARM,
     R0(02) MUFU WAIT0 "NOP ;\n",
     {0, "MUFU", 0},
     {0, "NOP", 0},
     8,
     {0}},
    {"DEPBAR.LE waits for all but n",
     WARM,
     W0(01) MUFU W0(02) MUFU S(01) "DEPBAR.LE SB0, 0x1 ;\n",
     {0, "MUFU", 0},
     {0, "DEPBAR", 0},
     18,
     {0}},
    {"DEPBAR.LE 0 waits for all",
     WARM,
     W0(01) MUFU W0(02) MUFU S(01) "DEPBAR.LE SB0, 0x0 ;\n",
     {0, "MUFU", 1},
     {0, "DEPBAR", 0},
     25,
     {0}},
    {"DEPBAR.LE waits for its list",
     WARM,
     W1(01) MUFU W0(02) MUFU S(01) "DEPBAR.LE SB0, 0x1, {1} ;\n",
     {0, "MUFU", 0},
     {0, "DEPBAR", 0},
     18,
     {0}},
    {"a full counter holds its next producer",
     WARM,
     W0(02) MUFU W0(01) MUFU,
     {0, "MUFU", 0},
     {0, "MUFU", 1},
     18,
     {"issue.counter_limit=1"}},
    {"a full counter holds its next producer only",
     WARM,
     W0(02) MUFU W1(01) MUFU,
     {0, "MUFU", 0},
     {0, "MUFU", 1},
     2,
     {"issue.counter_limit=1"}},
    {"a fixed-latency write barrier",
     WARM,
     W0(02) "FADD R1, R2, R3 ;\n" WAIT0 "NOP ;\n",
     {0, "FADD", 0},
     {0, "NOP", 0},
     4,
     {0}},
};

static void counters_hold_who_waits_for_them(void **state)
{
    (void)state;
    CHECK_DISTANCES(counter_rows);
}

/* 64 loads that miss everywhere: the 63rd issues at the pace of the queue, the 64th finds the
 * counter at 63 until the first load is back. */
static void a_counter_holds_63(void **state)
{
    (void)state;
    struct buf code = {0};
    struct run r;
    for (uint32_t i = 0; i < 64; i++)
        buf_printf(&code, W0(02) "LDG.E R%u, [R2.64] ; // @addr 0x%x stride 4\n", 4 + i % 8,
                   0x200000 + 4096 * i);
    run_code(&r, ".block 1\n" WARM_CODE, code.data, NULL);
    buf_free(&code);
    uint64_t first = run_issue(&r, 0, "LDG", 0);
    assert_int_equal(run_issue(&r, 0, "LDG", 62) - run_issue(&r, 0, "LDG", 61), 4);
    assert_int_equal(run_issue(&r, 0, "LDG", 63) - first, 32 + 211 + 243 + 46);
    run_free(&r);
}

#define BAR S(01) "BAR.SYNC 0x0 ;\n" S(01) "NOP ;\n"
#define TOGETHER_START "sm.warp_launch_cycles=0"

static const struct distance_row barrier_rows[] = {
    {"one warp", ".warps 1\n" WARM, BAR, {0, "BAR", 0}, {0, "NOP", 0}, 12 + 2, {TOGETHER_START}},
    {"two warps", ".warps 2\n" WARM, BAR, {1, "BAR", 0}, {0, "NOP", 0}, 12 + 4, {TOGETHER_START}},
    {"four warps", ".warps 4\n" WARM, BAR, {0, "BAR", 0}, {3, "NOP", 0}, 12 + 8, {TOGETHER_START}},
    {"eight warps, from the first",
     ".warps 8\n" WARM,
     BAR,
     {4, "BAR", 0},
     {4, "NOP", 0},
     12 + 16,
     {TOGETHER_START}},
    {"a late warp, from it",
     ".warps 4\n" WARM,
     ".warp 3\n" S(15) "MOV R1, R2 ;\n.endwarp\n" BAR,
     {3, "BAR", 0},
     {0, "NOP", 0},
     12 + 2,
     {TOGETHER_START}},
    /* The others come 10 cycles after their MOV, past code that is not theirs. */
    {"a warp that is 3 late",
     ".warps 4\n" WARM,
     ".warp 0,1,2\n" S(05) "MOV R1, R2 ;\n.endwarp\n.warp 3\n" S(13) "MOV R1, R2 ;\n.endwarp\n" BAR,
     {0, "BAR", 0},
     {0, "NOP", 0},
     6 + 2 + 12,
     {TOGETHER_START}},
    {"other parameters",
     ".warps 4\n" WARM,
     BAR,
     {0, "BAR", 0},
     {0, "NOP", 0},
     20 + 4 * 5,
     {"sm.barrier_base_cycles=20", "sm.barrier_warp_cycles=5", TOGETHER_START}},
    {"a warp that has exited is not waited for",
     ".warps 2\n.active_warps 0\n" WARM,
     S(15) "MOV R1, R2 ;\n" BAR,
     {0, "BAR", 0},
     {0, "NOP", 0},
     12 + 2,
     {TOGETHER_START}},
    {"no lane arrives: no barrier",
     ".warps 2\n" WARM,
     ".warp 1\n" S(01) "@P0 BAR.SYNC 0x0 ; // @mask 0\n" S(01) "NOP ;\n.endwarp\n",
     {1, "BAR", 0},
     {1, "NOP", 0},
     1,
     {TOGETHER_START}},
};

static void a_barrier_is_released_after_its_last_warp(void **state)
{
    (void)state;
    CHECK_DISTANCES(barrier_rows);
}

#define STORE R0(02) "STG.E [R2.64], R4 ; // @addr 0x200000 stride 4\n"
#define MEMBAR(scope) S(01) "MEMBAR.SC." scope " ;\n" S(01) "NOP ;\n"
/* A store is acknowledged 10 (hand-over) + 13 (tags) + 211 cycles after its issue. */
static const struct distance_row membar_rows[] = {
    {"CTA", WARM, MEMBAR("CTA"), {0, "MEMBAR", 0}, {0, "NOP", 0}, 53, {0}},
    {"GPU", WARM, MEMBAR("GPU"), {0, "MEMBAR", 0}, {0, "NOP", 0}, 186, {0}},
    {"SYS", WARM, MEMBAR("SYS"), {0, "MEMBAR", 0}, {0, "NOP", 0}, 2900, {0}},
    {"behind a store",
     ".block 1\n" WARM,
     STORE MEMBAR("GPU"),
     {0, "STG", 0},
     {0, "NOP", 0},
     10 + 13 + 211 + 186,
     {0}},
    {"behind a load",
     ".block 1\n" WARM,
     W0(02) "LDG.E R4, [R2.64] ; // @addr 0x100000 stride 4\n" MEMBAR("CTA"),
     {0, "LDG", 0},
     {0, "NOP", 0},
     32 + 53,
     {0}},
    {"without a cost",
     WARM,
     MEMBAR("CTA"),
     {0, "MEMBAR", 0},
     {0, "NOP", 0},
     1,
     {"membar.cta_cycles=0"}},
};

static void a_memory_barrier_waits_for_earlier_accesses(void **state)
{
    (void)state;
    CHECK_DISTANCES(membar_rows);
}

#define COPY "[B------:R-:W-:-:S02] LDGSTS.E [R4], [R2.64] ; // @addr 0x100000 stride 4\n"
#define GROUP(sb) "[B------:R-:W" #sb ":-:S02] LDGDEPBAR ;\n"
static const struct distance_row copy_rows[] = {
    {"a group",
     ".block 1\n.shared 1024\n" WARM,
     COPY GROUP(0) WAIT0 "NOP ;\n",
     {0, "LDGSTS", 0},
     {0, "NOP", 0},
     39 + 1,
     {0}},
    {"a group without copies",
     ".block 1\n.shared 1024\n" WARM,
     GROUP(0) WAIT0 "NOP ;\n",
     {0, "LDGDEPBAR", 0},
     {0, "NOP", 0},
     3,
     {0}},
    {"all but one group",
     ".block 1\n.shared 1024\n" WARM,
     COPY GROUP(0) COPY GROUP(0) S(01) "DEPBAR.LE SB0, 0x1 ;\n",
     {0, "LDGSTS", 0},
     {0, "DEPBAR", 0},
     39 + 1,
     {0}},
    {"all groups",
     ".block 1\n.shared 1024\n" WARM,
     COPY GROUP(0) COPY GROUP(0) S(01) "DEPBAR.LE SB0, 0x0 ;\n",
     {0, "LDGSTS", 0},
     {0, "DEPBAR", 0},
     6 + 39 + 1,
     {0}},
    {"all but one group, on scoreboards",
     ".block 1\n.shared 1024\n" WARM,
     COPY GROUP(0) COPY GROUP(0) S(01) "DEPBAR.LE SB0, 0x1 ;\n",
     {0, "LDGSTS", 0},
     {0, "DEPBAR", 0},
     39,
     {"dependence.mode=scoreboard"}},
};

static void groups_of_copies_end_with_their_last_copy(void **state)
{
    (void)state;
    CHECK_DISTANCES(copy_rows);
}

/* Three warps of one sub-core, ready together. */
#define ALONE ".warps 12\n.active_warps 0,4,8\n" WARM
#define TOGETHER S(02) "BAR.SYNC 0x0 ;\n"
#define FADD(stall) S(stall) "FADD R1, R2, R3 ;\n"

static const struct {
    const char *scheduler, *code, *order;
} order_rows[] = {
    {"cggty", TOGETHER FADD(01) FADD(01) FADD(01), "iiieeeaaa"},
    {"gto", TOGETHER FADD(01) FADD(01) FADD(01), "aaaeeeiii"},
    {"oldest", TOGETHER FADD(01) FADD(01) FADD(01), "aaaeeeiii"},
    {"lrr", TOGETHER FADD(01) FADD(01) FADD(01), "eiaeiaeia"},
    {"cggty", TOGETHER FADD(02) FADD(02) FADD(02), "ieieieaaa"},
    {"gto", TOGETHER FADD(02) FADD(02) FADD(02), "aeaeaeiii"},
    /* Warp 0 waits 3 cycles after its first. */
    {"gto",
     TOGETHER ".warp 0\n" FADD(03) FADD(01) ".endwarp\n.warp 4\n" FADD(01) FADD(01) FADD(01)
         FADD(01) FADD(01) ".endwarp\n",
     "aeeeeea"},
    {"oldest",
     TOGETHER ".warp 0\n" FADD(03) FADD(01) ".endwarp\n.warp 4\n" FADD(01) FADD(01) FADD(01)
         FADD(01) FADD(01) ".endwarp\n",
     "aeeaeee"},
    {"cggty",
     TOGETHER ".warp 8\n" FADD(03) FADD(01) ".endwarp\n.warp 4\n" FADD(01) FADD(01) FADD(01)
         FADD(01) FADD(01) ".endwarp\n",
     "ieeeeei"},
};

static void the_scheduler_chooses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof order_rows / sizeof order_rows[0]; i++) {
        struct run_setup setup = {0};
        struct run r;
        char set[64], order[64];
        snprintf(set, sizeof set, "issue.scheduler=%s", order_rows[i].scheduler);
        setup.sets[0] = set;
        setup.sets[1] = TOGETHER_START;
        run_code(&r, ALONE, order_rows[i].code, &setup);
        issue_order(&r, "FADD", order, sizeof order);
        run_free(&r);
        if (strcmp(order, order_rows[i].order) != 0)
            fail_msg("row %zu, %s: %s, expected %s", i, order_rows[i].scheduler, order,
                     order_rows[i].order);
    }
}

/* Issue is held behind IMAD.WIDE while every warp is stalled; when both are ready again in one
 * cycle the greedy warp has lost its greed, also when the cycles between are skipped. */
static void greed_is_lost_in_skipped_cycles_too(void **state)
{
    (void)state;
    for (uint32_t no_skip = 0; no_skip < 2; no_skip++) {
        const struct run_setup setup = {.no_skip = no_skip != 0};
        struct run r;
        char order[16];
        run_code(&r, ".warps 8\n.active_warps 0,4\n" WARM,
                 TOGETHER ".warp 0\n" S(04) "IMAD.WIDE R4, R2, R3, R6 ;\n" FADD(
                     01) ".endwarp\n"
                         ".warp 4\n" S(05) "MOV R1, R2 ;\n" FADD(01) ".endwarp\n",
                 &setup);
        issue_order(&r, "FADD", order, sizeof order);
        assert_int_equal(run_issue(&r, 0, "IMAD", 0), run_issue(&r, 4, "MOV", 0) + 1);
        run_free(&r);
        assert_string_equal(order, "ea");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_issues_again_after_its_stall_count),
        cmocka_unit_test(yield_and_drain_hold_the_warp),
        cmocka_unit_test(stall_counts_stand_still_while_allocate_holds),
        cmocka_unit_test(counters_hold_who_waits_for_them),
        cmocka_unit_test(a_counter_holds_63),
        cmocka_unit_test(a_barrier_is_released_after_its_last_warp),
        cmocka_unit_test(a_memory_barrier_waits_for_earlier_accesses),
        cmocka_unit_test(groups_of_copies_end_with_their_last_copy),
        cmocka_unit_test(the_scheduler_chooses),
        cmocka_unit_test(greed_is_lost_in_skipped_cycles_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

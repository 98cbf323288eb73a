/* Front end: branches, instruction buffer, instruction caches, stream buffer, constant operands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "support/distance.h"

#define NOP S(01) "NOP ;\n"
#define MOV S(01) "MOV R1, R2 ;\n"

static const struct distance_row branch_rows[] = {
    {"taken, forward",
     WARM,
     NOP S(01) "BRA L ; // @taken\n" MOV "L:\n" S(01) "FADD R1, R2, R3 ;\n",
     {0, "BRA", 0},
     {0, "FADD", 0},
     10,
     {0}},
    {"not taken",
     WARM,
     NOP S(01) "@P0 BRA L ;\n" MOV "L:\n" NOP,
     {0, "BRA", 0},
     {0, "MOV", 0},
     1,
     {0}},
    {"taken, backward",
     WARM,
     "L:\n" MOV NOP S(01) "@P0 BRA L ; // @taken 1\n",
     {0, "BRA", 0},
     {0, "MOV", 1},
     10,
     {0}},
    {"a loop of the listing",
     WARM,
     ".loop 3\n" MOV NOP NOP NOP ".endloop\n",
     {0, "NOP", 2},
     {0, "MOV", 1},
     10,
     {0}},
    {"stall 5 of a taken branch is hidden",
     WARM,
     S(05) "BRA L ; // @taken\n" NOP "L:\n" MOV,
     {0, "BRA", 0},
     {0, "MOV", 0},
     10,
     {0}},
    {"stall 15 is not",
     WARM,
     S(15) "BRA L ; // @taken\n" NOP "L:\n" MOV,
     {0, "BRA", 0},
     {0, "MOV", 0},
     15,
     {0}},
    {"another cost",
     WARM,
     S(01) "BRA L ; // @taken\n" NOP "L:\n" MOV,
     {0, "BRA", 0},
     {0, "MOV", 0},
     7,
     {"fetch.branch_cycles=7"}},
};

static void a_taken_branch_refills_the_front_end(void **state)
{
    (void)state;
    CHECK_DISTANCES(branch_rows);
}

#define TWO_WARPS ".warps 8\n.active_warps 0,4\n" WARM S(02) "BAR.SYNC 0x0 ;\n"
#define FADDS                                                                                      \
    S(01)                                                                                          \
    "FADD R1, R2, R3 ;\n" S(01) "FADD R1, R2, R3 ;\n" S(01) "FADD R1, R2, R3 ;\n" S(               \
        01) "FADD R1, R2, R3 ;\n" S(01) "FADD R1, R2, R3 ;\n" S(01) "FADD R1, R2, R3 ;\n"

static void greedy_issue_needs_three_buffer_entries(void **state)
{
    (void)state;
    char order[32];
    struct run r;
    run_code(&r, TWO_WARPS, FADDS, NULL);
    issue_order(&r, "FADD", order, sizeof order);
    assert_string_equal(order, "eeeeeeaaaaaa");
    /* The second follows the EXIT of the first at once. */
    assert_int_equal(run_issue(&r, 0, "FADD", 5) - run_issue(&r, 4, "FADD", 0), 12);
    run_free(&r);
    const struct run_setup two = {.sets = {"fetch.buffer_entries=2"}};
    run_code(&r, TWO_WARPS, FADDS, &two);
    issue_order(&r, "FADD", order, sizeof order);
    assert_string_not_equal(order, "eeeeeeaaaaaa");
    run_free(&r);
}

static const struct distance_row buffer_rows[] = {
    {"3 entries: one a cycle",
     WARM,
     NOP NOP NOP NOP MOV NOP NOP S(01) "FADD R1, R2, R3 ;\n",
     {0, "MOV", 0},
     {0, "FADD", 0},
     3,
     {0}},
    {"2 entries: a bubble every second cycle",
     WARM,
     NOP NOP NOP NOP MOV NOP NOP NOP S(01) "FADD R1, R2, R3 ;\n",
     {0, "MOV", 0},
     {0, "FADD", 0},
     6,
     {"fetch.buffer_entries=2"}},
    {"1 entry: fetch, decode, issue",
     WARM,
     NOP NOP NOP NOP MOV NOP S(01) "FADD R1, R2, R3 ;\n",
     {0, "MOV", 0},
     {0, "FADD", 0},
     6,
     {"fetch.buffer_entries=1"}},
};

static void the_buffer_bounds_the_rate(void **state)
{
    (void)state;
    CHECK_DISTANCES(buffer_rows);
}

#define EIGHT(x) x x x x x x x x
/* A line is 8 instructions; the fifth line ends with FADD, the sixth begins with MOV. */
#define LINE EIGHT(NOP)
#define SEVEN NOP NOP NOP NOP NOP NOP NOP
#define LINES LINE LINE LINE LINE SEVEN S(01) "FADD R1, R2, R3 ;\n" MOV SEVEN LINE
/* An L0 of two lines, so that a second pass misses in it and hits in the L1. */
#define SMALL "icache.l0_bytes=256", "icache.l0_ways=2"

static const struct distance_row icache_rows[] = {
    {"both caches warm", WARM, LINES, {0, "FADD", 0}, {0, "MOV", 0}, 1, {0}},
    /* Fetch runs two instructions ahead of issue: the miss is looked up in the cycle of FADD's
     * fetch + 1, asked for a cycle later, comes 39 + 39 later and issues 2 after its fetch. */
    {"L0 miss",
     WARM,
     ".loop 2\n" LINES ".endloop\n",
     {0, "FADD", 1},
     {0, "MOV", 1},
     1 + 1 + 39 + 39,
     {SMALL, "icache.stream_buffer_lines=0"}},
    {"L0 miss, other latencies",
     WARM,
     ".loop 2\n" LINES ".endloop\n",
     {0, "FADD", 1},
     {0, "MOV", 1},
     1 + 1 + 5 + 7,
     {SMALL, "icache.stream_buffer_lines=0", "icache.l1_request_cycles=5",
      "icache.l1_reply_cycles=7"}},
    {"the stream buffer hides it",
     WARM,
     ".loop 2\n" LINES ".endloop\n",
     {0, "FADD", 1},
     {0, "MOV", 1},
     1,
     {SMALL}},
    {"a perfect cache", "", LINES, {0, "FADD", 0}, {0, "MOV", 0}, 1, {"icache.perfect=true"}},
    /* Cold: each line comes from the L2, which has fetched it from DRAM (243, 44 for the row, 8 for
       the line). */
    {"L1 miss",
     "",
     LINES,
     {0, "FADD", 0},
     {0, "MOV", 0},
     1 + 1 + 39 + 211 + 295 + 39,
     {"icache.stream_buffer_lines=0"}},
    {"L1 misses are prefetched", "", LINES, {0, "FADD", 0}, {0, "MOV", 0}, 1, {0}},
    {"one line ahead hides one line",
     "",
     LINES,
     {0, "NOP", 6},
     {0, "NOP", 8},
     2,
     {"icache.stream_buffer_lines=1"}},
};

static void a_miss_costs_its_way(void **state)
{
    (void)state;
    CHECK_DISTANCES(icache_rows);
}

/* First issue of a cold kernel: 24 cycles until the warp starts, then a fetch, a request to the L1
 * one cycle later, to the L2 after 39; 90 + 31 there, 243, 22 + 22 for the row and 8 for the line
 * in DRAM, 90 back, 39 to the L0, 2 to issue. */
static void a_cold_kernel_starts_with_a_miss_to_dram(void **state)
{
    (void)state;
    struct run r;
    run_code(&r, "", MOV, NULL);
    assert_int_equal(r.issues[0].cycle, 24 + 1 + 39 + 90 + 31 + 295 + 90 + 39 + 2);
    run_free(&r);
    run_code(&r, WARM, MOV, NULL);
    assert_int_equal(r.issues[0].cycle, 24 + 2);
    run_free(&r);
}

/* Four sub-cores ask for one line at once: the L1 takes one request a cycle. */
static void subcores_take_turns_at_the_l1(void **state)
{
    (void)state;
    struct run r;
    const struct run_setup setup = {.sets = {SMALL, "icache.stream_buffer_lines=0"}};
    run_code(&r, ".warps 4\n" WARM, ".loop 2\n" LINES ".endloop\n", &setup);
    uint64_t cycle[4];
    for (uint32_t w = 0; w < 4; w++)
        cycle[w] = run_issue(&r, w, "MOV", 1);
    run_free(&r);
    for (uint32_t a = 0; a < 4; a++) {
        for (uint32_t b = 0; b < a; b++)
            assert_int_not_equal(cycle[a], cycle[b]);
    }
}

#define CONST S(01) "FADD R1, R2, c[0x0][0x160] ;\n"
static const struct distance_row constant_rows[] = {
    {"hit", WARM, MOV CONST, {0, "MOV", 0}, {0, "FADD", 0}, 1, {0}},
    {"miss", WARM_CODE, MOV CONST, {0, "MOV", 0}, {0, "FADD", 0}, 1 + 79, {0}},
    {"the second operand of the line hits",
     WARM_CODE,
     CONST S(01) "FMUL R1, R2, c[0x0][0x164] ;\n",
     {0, "FADD", 0},
     {0, "FMUL", 0},
     1,
     {0}},
    {"another line misses",
     WARM_CODE,
     CONST S(01) "FMUL R1, R2, c[0x0][0x1a4] ;\n",
     {0, "FADD", 0},
     {0, "FMUL", 0},
     1 + 79,
     {0}},
    {"LDC does not fill it",
     WARM_CODE,
     W0(02) "LDC R1, c[0x0][0x160] ;\n" WAIT0 "MOV R1, R2 ;\n" CONST,
     {0, "MOV", 0},
     {0, "FADD", 0},
     1 + 79,
     {0}},
    {"LDC miss",
     WARM_CODE,
     W0(02) "LDC R1, c[0x0][0x160] ;\n" WAIT0 "MOV R1, R2 ;\n",
     {0, "LDC", 0},
     {0, "MOV", 0},
     26 + 79,
     {0}},
    {"LDC hit",
     WARM,
     W0(02) "LDC R1, c[0x0][0x160] ;\n" WAIT0 "MOV R1, R2 ;\n",
     {0, "LDC", 0},
     {0, "MOV", 0},
     26,
     {0}},
    {"a perfect cache",
     "",
     MOV CONST,
     {0, "MOV", 0},
     {0, "FADD", 0},
     1,
     {"constant.perfect=true", "icache.perfect=true"}},
};

static void a_constant_operand_waits_for_its_line(void **state)
{
    (void)state;
    CHECK_DISTANCES(constant_rows);
}

/* Warp 4, the youngest, misses in the cycle after its MOV; warp 0 is ready then, but issues only
 * when the scheduler gives up, 4 cycles later; warp 4 when its line is there. */
static void the_scheduler_turns_to_others_after_four_cycles(void **state)
{
    (void)state;
    for (uint32_t cycles = 0; cycles <= 8; cycles += 4) {
        char set[64];
        struct run r;
        snprintf(set, sizeof set, "constant.switch_cycles=%u", cycles);
        const struct run_setup setup = {.sets = {set}};
        run_code(&r, ".warps 8\n.active_warps 0,4\n" WARM_CODE,
                 S(02) "BAR.SYNC 0x0 ;\n.warp 4\n" MOV CONST
                       ".endwarp\n.warp 0\n" S(01) "FMUL R1, R2, R3 ;\n.endwarp\n",
                 &setup);
        uint64_t miss = run_issue(&r, 4, "MOV", 0) + 1;
        assert_int_equal(run_issue(&r, 0, "FMUL", 0), miss + (cycles ? cycles : 1));
        assert_int_equal(run_issue(&r, 4, "FADD", 0), miss + 79);
        run_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_taken_branch_refills_the_front_end),
        cmocka_unit_test(greedy_issue_needs_three_buffer_entries),
        cmocka_unit_test(the_buffer_bounds_the_rate),
        cmocka_unit_test(a_miss_costs_its_way),
        cmocka_unit_test(a_cold_kernel_starts_with_a_miss_to_dram),
        cmocka_unit_test(subcores_take_turns_at_the_l1),
        cmocka_unit_test(a_constant_operand_waits_for_its_line),
        cmocka_unit_test(the_scheduler_turns_to_others_after_four_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Loads and stores through the memory system: levels, lines, sectors, bank conflicts, MSHRs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/distance.h"

#define USE WAIT0 "FADD R1, R2, R3 ;\n"
#define LOAD(addr) W0(02) "LDG.E R4, [R2.64] ; // @addr " addr "\n"
#define LOAD64(addr) W0(02) "LDG.E.64 R4, [R2.64] ; // @addr " addr "\n"
#define DIRECT(addr) W0(02) "LDG.E.STRONG.GPU R4, [R2.64] ; // @addr " addr "\n"
#define LDS(addr) W0(02) "LDS R4, [R2] ; // @addr " addr "\n"
#define SHARED_HEAD ".shared 8192\n" WARM
#define ONE ".block 1\n" WARM

#define HIT 32
#define L2 211
#define DRAM (243 + 22 + 22 + 2) /* a row that has to be opened, and the burst */

static const struct distance_row level_rows[] = {
    {"L1 hit", ONE, LOAD("0x100000 stride 4") USE, {0, "LDG", 0}, {0, "FADD", 0}, HIT, {0}},
    {"DRAM",
     ONE,
     LOAD("0x200000 stride 4") USE,
     {0, "LDG", 0},
     {0, "FADD", 0},
     HIT + L2 + DRAM,
     {0}},
    {"L2 hit",
     ONE,
     DIRECT("0x200000 stride 4") WAIT0 "NOP ;\n" LOAD("0x200000 stride 4") USE,
     {0, "LDG", 1},
     {0, "FADD", 0},
     HIT + L2,
     {0}},
    {"past the L1",
     ONE,
     DIRECT("0x100000 stride 4") WAIT0 "NOP ;\n" DIRECT("0x100000 stride 4") USE,
     {0, "LDG", 1},
     {0, "FADD", 0},
     HIT + L2,
     {0}},
    {"the second load hits",
     ONE,
     LOAD("0x200000 stride 4") WAIT0 "NOP ;\n" LOAD("0x200000 stride 4") USE,
     {0, "LDG", 1},
     {0, "FADD", 0},
     HIT,
     {0}},
    {"another sector of the line misses",
     ONE,
     LOAD("0x200000 stride 4") WAIT0 "NOP ;\n" LOAD("0x200020 stride 4") USE,
     {0, "LDG", 1},
     {0, "FADD", 0},
     HIT + L2 + DRAM - 22, /* the row is open */
     {0}},
    {"a load joins the miss of its sector",
     ONE,
     LOAD("0x200000 stride 4") W1(02) "LDG.E R6, [R2.64] ; // @addr 0x200004 stride 4\n" WAIT1
                                      "FADD R1, R2, R3 ;\n",
     {0, "LDG", 0},
     {0, "FADD", 0},
     HIT + L2 + DRAM + 2,
     {0}},
    {"other latencies of the L2",
     ONE,
     DIRECT("0x200000 stride 4") WAIT0 "NOP ;\n" LOAD("0x200000 stride 4") USE,
     {0, "LDG", 1},
     {0, "FADD", 0},
     HIT + 10 + 20 + 30,
     {"l2.request_cycles=10", "l2.access_cycles=20", "l2.reply_cycles=30"}},
    {"other latency of the DRAM",
     ONE,
     LOAD("0x200000 stride 4") USE,
     {0, "LDG", 0},
     {0, "FADD", 0},
     HIT + L2 + 100 + 46,
     {"dram.access_cycles=100"}},
    {"no lane is active",
     ONE,
     W0(02) "@P0 LDG.E R4, [R2.64] ; // @addr 0x200000 stride 4 @mask 0\n" USE,
     {0, "LDG", 0},
     {0, "FADD", 0},
     HIT,
     {0}},
    {"an atomic goes to the L2",
     ONE,
     DIRECT("0x200000 stride 4") WAIT0 "NOP ;\n" W0(
         02) "ATOMG.E.ADD.STRONG.GPU PT, R4, [R2.64], R5 ; // @addr 0x200000 stride 4\n" USE,
     {0, "ATOMG", 0},
     {0, "FADD", 0},
     HIT + L2 + 130,
     {0}},
};

static void each_level_adds_its_latency(void **state)
{
    (void)state;
    CHECK_DISTANCES(level_rows);
}

static const struct distance_row line_rows[] = {
    {"one line", WARM, LOAD("0x100000 stride 4") USE, {0, "LDG", 0}, {0, "FADD", 0}, HIT, {0}},
    {"two lines", WARM, LOAD("0x100000 stride 8") USE, {0, "LDG", 0}, {0, "FADD", 0}, HIT + 2, {0}},
    {"32 lines",
     WARM,
     LOAD("0x100000 stride 128") USE,
     {0, "LDG", 0},
     {0, "FADD", 0},
     HIT + 62,
     {0}},
    {"64 bits, the two lines of a whole warp",
     WARM,
     LOAD64("0x100000 stride 8") USE,
     {0, "LDG", 0},
     {0, "FADD", 0},
     34,
     {0}},
    {"64 bits, four lines",
     WARM,
     LOAD64("0x100000 stride 16") USE,
     {0, "LDG", 0},
     {0, "FADD", 0},
     34 + 4,
     {0}},
    {"a line costs 5",
     WARM,
     LOAD("0x100000 stride 16") USE,
     {0, "LDG", 0},
     {0, "FADD", 0},
     HIT + 15,
     {"l1d.line_cycles=5"}},
    /* The unit is taken for 32 cycles; the next load is handed over then. */
    {"the next load waits for the lines",
     WARM,
     LOAD("0x100000 stride 128") W1(02) "LDG.E R6, [R2.64] ; // @addr 0x100000 stride 4\n" WAIT1
                                        "FADD R1, R2, R3 ;\n",
     {0, "LDG", 0},
     {0, "FADD", 0},
     10 + 32 + 22,
     {"l1d.return_interval=1"}},
};

static void each_further_line_costs(void **state)
{
    (void)state;
    CHECK_DISTANCES(line_rows);
}

#define LDS_HIT 24
static const struct distance_row bank_rows[] = {
    {"no conflict",
     SHARED_HEAD,
     LDS("0x0 stride 4") USE,
     {0, "LDS", 0},
     {0, "FADD", 0},
     LDS_HIT,
     {0}},
    {"broadcast",
     SHARED_HEAD,
     LDS("0x40 stride 0") USE,
     {0, "LDS", 0},
     {0, "FADD", 0},
     LDS_HIT,
     {0}},
    {"2 ways",
     SHARED_HEAD,
     LDS("0x0 stride 8") USE,
     {0, "LDS", 0},
     {0, "FADD", 0},
     LDS_HIT + 2,
     {0}},
    {"4 ways",
     SHARED_HEAD,
     LDS("0x0 stride 16") USE,
     {0, "LDS", 0},
     {0, "FADD", 0},
     LDS_HIT + 6,
     {0}},
    {"32 ways",
     SHARED_HEAD,
     LDS("0x0 stride 128") USE,
     {0, "LDS", 0},
     {0, "FADD", 0},
     LDS_HIT + 62,
     {0}},
    {"atomics on one word",
     SHARED_HEAD,
     W0(02) "ATOMS.ADD R4, [R2], R5 ; // @addr 0x0 stride 0\n" USE,
     {0, "ATOMS", 0},
     {0, "FADD", 0},
     27 + 62,
     {0}},
    {"a pass costs 3",
     SHARED_HEAD,
     LDS("0x0 stride 8") USE,
     {0, "LDS", 0},
     {0, "FADD", 0},
     LDS_HIT + 3,
     {"shared_memory.conflict_cycles=3"}},
    /* Handed over at 10; its 32 passes keep the unit for 32 cycles; the next one's way from there
     * takes 24 - 10. */
    {"the next access waits for the passes",
     SHARED_HEAD,
     LDS("0x0 stride 128") W1(02) "LDS R6, [R2] ; // @addr 0x0 stride 4\n" WAIT1
                                  "FADD R1, R2, R3 ;\n",
     {0, "LDS", 0},
     {0, "FADD", 0},
     10 + 32 + 14,
     {"shared_memory.conflict_cycles=0"}},
};

static void conflicts_cost_two_cycles_a_way(void **state)
{
    (void)state;
    CHECK_DISTANCES(bank_rows);
}

/* Sub-cores share the unit: it takes one access every two cycles, in turn. */
static void the_shared_unit_takes_subcores_in_turn(void **state)
{
    (void)state;
    struct run r;
    uint64_t cycle[4];
    run_code(&r, ".warps 4\n" SHARED_HEAD, S(02) "BAR.SYNC 0x0 ;\n" LDS("0x0 stride 4") USE, NULL);
    for (uint32_t w = 0; w < 4; w++)
        cycle[w] = run_issue(&r, w, "FADD", 0) - run_issue(&r, w, "LDS", 0);
    run_free(&r);
    uint32_t seen = 0;
    for (uint32_t w = 0; w < 4; w++) {
        assert_in_range(cycle[w], LDS_HIT, LDS_HIT + 6);
        assert_int_equal(cycle[w] % 2, 0);
        seen |= 1u << ((cycle[w] - LDS_HIT) / 2);
    }
    assert_int_equal(seen, 0xf);
}

/* Results come back at 512 bits a cycle: two for a register of 32 lanes. */
static void the_return_link_delivers_half_a_register_a_cycle(void **state)
{
    (void)state;
    struct run r;
    run_code(&r, WARM,
             W0(01) "LDG.E.128 R4, [R2.64] ; // @addr 0x100000 stride 16\n" W1(
                 02) "LDG.E.128 R8, [R2.64] ; // @addr 0x100000 stride 16\n" WAIT0
                     "FADD R1, R2, R3 ;\n" WAIT1 "FMUL R1, R2, R3 ;\n",
             &(struct run_setup){.sets = {"l1d.line_cycles=0", "l1d.return_interval=8"}});
    uint64_t between = run_issue(&r, 0, "FMUL", 0) - run_issue(&r, 0, "FADD", 0);
    run_free(&r);
    assert_int_equal(between, 4 * 8 - 4); /* the first takes raw - grant = 28 at most */
}

/* Loads of one line: the third waits until the first two, which share its miss, are served. */
static void a_miss_takes_so_many_loads(void **state)
{
    (void)state;
    struct run r;
    const struct run_setup setup = {.sets = {"l1d.mshr_merges=2"}};
    run_code(&r, ONE,
             LOAD("0x200000 stride 4") LOAD("0x200000 stride 4")
                 W1(02) "LDG.E R4, [R2.64] ; // @addr 0x200000 stride 4\n" WAIT0
                        "FADD R1, R2, R3 ;\n" WAIT1 "FMUL R1, R2, R3 ;\n",
             &setup);
    uint64_t first = run_issue(&r, 0, "LDG", 0);
    uint64_t reply = first + 10 + 13 + L2 + DRAM; /* the line is here */
    assert_int_equal(run_issue(&r, 0, "FADD", 0), first + HIT + L2 + DRAM + 2);
    assert_int_equal(run_issue(&r, 0, "FMUL", 0), reply + (HIT - 10));
    assert_true(r.result.stats.l1d_mshr_stalls > 400);
    run_free(&r);
}

/* 32 + 32 lines on their way; a third store of 32 lines starts when enough are acknowledged. */
static void stores_on_their_way_are_limited(void **state)
{
    (void)state;
    struct run r;
    const char *code = S(02) "STG.E [R2.64], R4 ; // @addr 0x200000 stride 128\n" S(
        02) "STG.E [R2.64], R4 ; // @addr 0x300000 stride 128\n" S(02) "STG.E [R2.64], R4 ; // "
                                                                       "@addr "
                                                                       "0x400000 stride 128\n" W0(
                                                                           02) "LDG.E R4, [R2.64] "
                                                                               "; // @addr "
                                                                               "0x100000 stride "
                                                                               "4\n" USE;
    const struct run_setup setup = {.sets = {"l1d.store_lines=64"}};
    run_code(&r, WARM, code, NULL);
    uint64_t free = run_issue(&r, 0, "FADD", 0);
    run_free(&r);
    run_code(&r, WARM, code, &setup);
    assert_in_range(run_issue(&r, 0, "FADD", 0) - free, 150, 250);
    assert_int_equal(r.result.stats.l2_write_sectors, 96);
    run_free(&r);
}

static void without_a_free_mshr_a_load_waits(void **state)
{
    (void)state;
    struct run r;
    const struct run_setup setup = {.sets = {"l1d.mshrs=64"}};
    /* 32 + 32 lines in flight; a third load of 32 lines starts when enough of them are here. */
    run_code(&r, WARM,
             LOAD("0x200000 stride 128") LOAD("0x300000 stride 128") LOAD("0x400000 stride 128")
                 USE,
             &setup);
    assert_true(r.result.stats.l1d_mshr_stalls > 300);
    assert_int_equal(r.result.stats.l1d_global_load_sector_misses, 96);
    run_free(&r);
    run_code(&r, WARM,
             LOAD("0x200000 stride 128") LOAD("0x300000 stride 128") LOAD("0x400000 stride 128")
                 USE,
             NULL);
    assert_int_equal(r.result.stats.l1d_mshr_stalls, 0);
    run_free(&r);
}

/* Local memory: lanes with one offset share a line; every warp slot has its own. */
static void local_memory_is_interleaved_and_private(void **state)
{
    (void)state;
    struct run r;
    run_code(&r, ".warps 8\n" WARM, W0(02) "LDL R4, [R2] ; // @addr 0x10 stride 0\n" USE, NULL);
    assert_int_equal(r.result.stats.l1d_lines, 8);
    assert_int_equal(r.result.stats.l1d_local_load_sectors, 8 * 4);
    assert_int_equal(r.result.stats.l1d_local_load_sector_misses, 8 * 4);
    run_free(&r);
}

/* A CTA ends when its stores have left the SM, long before the L2 acknowledges them; its successor
 * starts 300 cycles later. */
static void a_successor_does_not_wait_for_acknowledgements(void **state)
{
    (void)state;
    struct run r;
    run_code(&r, ".grid 2\n.block 1\n.shared 101376\n" WARM,
             R0(02) "STG.E [R2.64], R4 ; // @addr 0x200000 stride 4\n", NULL);
    uint64_t store = r.issues[0].cycle;
    assert_string_equal(run_opcode(&r, &r.issues[2]), "STG.E");
    assert_int_equal(r.issues[2].cta, 1);
    assert_int_equal(r.issues[2].cycle, store + 14 + 300 + 24 + 2);
    assert_int_equal(r.result.cycles, r.issues[2].cycle + 14);
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_adds_its_latency),
        cmocka_unit_test(each_further_line_costs),
        cmocka_unit_test(conflicts_cost_two_cycles_a_way),
        cmocka_unit_test(the_shared_unit_takes_subcores_in_turn),
        cmocka_unit_test(the_return_link_delivers_half_a_register_a_cycle),
        cmocka_unit_test(a_miss_takes_so_many_loads),
        cmocka_unit_test(stores_on_their_way_are_limited),
        cmocka_unit_test(without_a_free_mshr_a_load_waits),
        cmocka_unit_test(local_memory_is_interleaved_and_private),
        cmocka_unit_test(a_successor_does_not_wait_for_acknowledgements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

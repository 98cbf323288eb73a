/* How often execution units take instructions, alone and in mixes; dependences on scoreboards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "support/distance.h"

#define TWICE(x) x x
#define EIGHT(x) TWICE(TWICE(TWICE(x)))
/* One register of each bank: ports are no limit. */
#define FFMA S(01) "FFMA R1, R2, R3, R3 ;\n"
#define IMAD S(01) "IMAD R1, R2, R3, R3 ;\n"
#define IADD3 S(01) "IADD3 R8, R2, R3, RZ ;\n"
#define HADD2 S(01) "HADD2 R9, R2, R3 ;\n"
#define WIDE S(01) "IMAD.WIDE R10, R2, R3, R6 ;\n"
#define NOP S(01) "NOP ;\n"

/* From the seventh to the eighth of a stream, when it is steady. */
#define STREAM(name, code, opcode, distance)                                                       \
    {                                                                                              \
        name, WARM, EIGHT(code), {0, opcode, 6}, {0, opcode, 7}, distance,                         \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

static const struct distance_row rate_rows[] = {
    STREAM("FFMA, two halves", FFMA, "FFMA", 1),
    STREAM("IADD3, half a warp a cycle", IADD3, "IADD3", 2),
    STREAM("IMAD on the heavy half", IMAD, "IMAD", 2),
    STREAM("HADD2 on both halves", HADD2, "HADD2", 2),
    STREAM("IMAD and NOP", IMAD NOP, "IMAD", 2),
    STREAM("FFMA and IMAD", FFMA IMAD, "IMAD", 2),
    STREAM("FFMA and IADD3", FFMA IADD3, "IADD3", 2),
    STREAM("IMAD and IADD3", IMAD IADD3, "IADD3", 2),
    STREAM("FFMA and HADD2", FFMA HADD2, "HADD2", 4),
    STREAM("IADD3 and HADD2", IADD3 HADD2, "HADD2", 2),
    STREAM("IMAD.WIDE", WIDE, "IMAD", 4),
    STREAM("MUFU", S(01) "MUFU.RCP R1, R2 ;\n", "MUFU", 8),
    STREAM("HMMA", S(01) "HMMA.16816.F32 R0, R8, R12, R16 ;\n", "HMMA", 16),
    STREAM("DADD of one sub-core", S(01) "DADD R0, R2, R4 ;\n", "DADD", 16),
    STREAM("S2R", S(01) "S2R R0, SR_TID.X ;\n", "S2R", 2),
    STREAM("SHFL", S(01) "SHFL.BFLY PT, R1, R2, 0x1, 0x1f ;\n", "SHFL", 2),
    STREAM("uniform", S(01) "UIADD3 UR4, UR5, UR6, URZ ;\n", "UIADD3", 2),
    STREAM("ISETP", S(01) "ISETP.GE.AND P0, PT, R2, R3, PT ;\n", "ISETP", 2),
};

static void units_take_instructions_at_their_rate(void **state)
{
    (void)state;
    CHECK_DISTANCES(rate_rows);
}

/* The instruction after the first, which has just left the unit free or not. */
static const struct distance_row latch_rows[] = {
    {"IADD3 after IADD3",
     WARM,
     IADD3 S(01) "LOP3.LUT R1, R2, R3, R6, 0xc0, !PT ;\n",
     {0, "IADD3", 0},
     {0, "LOP3", 0},
     2,
     {0}},
    {"another unit",
     WARM,
     IADD3 S(01) "FADD R1, R2, R3 ;\n",
     {0, "IADD3", 0},
     {0, "FADD", 0},
     1,
     {0}},
    {"Allocate is held by IMAD.WIDE, Control by the next",
     WARM,
     WIDE NOP NOP NOP,
     {0, "NOP", 1},
     {0, "NOP", 2},
     2,
     {0}},
    {"Control behind IMAD.WIDE is free", WARM, WIDE NOP NOP, {0, "IMAD", 0}, {0, "NOP", 0}, 1, {0}},
    {"a third FFMA-like needs a half",
     WARM,
     IMAD FFMA S(01) "FADD R1, R2, R3 ;\n",
     {0, "IMAD", 0},
     {0, "FADD", 0},
     2,
     {0}},
    {"HADD2 waits for both halves", WARM, FFMA HADD2, {0, "FFMA", 0}, {0, "HADD2", 0}, 2, {0}},
    {"ports that an instruction waits for do not hold its unit",
     WARM,
     S(01) "FFMA R1, R2, R4, R6 ;\n" S(01) "IADD3 R3, R8, R10, R12 ;\n" S(
         01) "LOP3.LUT R1, R3, R5, R7, 0xc0, !PT ;\n",
     {0, "IADD3", 0},
     {0, "LOP3", 0},
     2,
     {0}},
};

static void a_taken_unit_holds_the_next_instruction(void **state)
{
    (void)state;
    CHECK_DISTANCES(latch_rows);
}

#define BOARD                                                                                      \
    {                                                                                              \
        "dependence.mode=scoreboard"                                                               \
    }
#define DATA " // @addr 0x100000 stride 4\n"
#define SHARED " // @addr 0x0 stride 4\n"
/* Control bits do not count: stall 1 everywhere. */
static const struct distance_row scoreboard_rows[] = {
    {"RAW of an ALU",
     WARM,
     S(01) "IADD3 R4, R2, R3, RZ ;\n" S(01) "LOP3.LUT R5, R4, R3, R2, 0xc0, !PT ;\n",
     {0, "IADD3", 0},
     {0, "LOP3", 0},
     4,
     BOARD},
    {"RAW of an FMA",
     WARM,
     S(01) "FFMA R4, R2, R3, R3 ;\n" S(01) "FADD R5, R4, R3 ;\n",
     {0, "FFMA", 0},
     {0, "FADD", 0},
     4,
     BOARD},
    {"RAW with release at write-back",
     WARM,
     S(01) "FFMA R4, R2, R3, R3 ;\n" S(01) "FADD R5, R4, R3 ;\n",
     {0, "FFMA", 0},
     {0, "FADD", 0},
     10,
     {"dependence.mode=scoreboard", "dependence.scoreboard_release_cycles=6"}},
    {"independent",
     WARM,
     S(15) "FFMA R4, R2, R3, R3 ;\n" S(01) "FADD R5, R6, R3 ;\n",
     {0, "FFMA", 0},
     {0, "FADD", 0},
     1,
     BOARD},
    {"predicate to guard",
     WARM,
     S(01) "ISETP.GE.AND P0, PT, R2, R3, PT ;\n" S(01) "@P0 NOP ;\n",
     {0, "ISETP", 0},
     {0, "NOP", 0},
     13,
     BOARD},
    {"use of a global load",
     ".block 1\n" WARM,
     S(01) "LDG.E R4, [R2.64] ;" DATA S(01) "FADD R5, R4, R3 ;\n",
     {0, "LDG", 0},
     {0, "FADD", 0},
     32,
     BOARD},
    {"use of a shared load",
     ".block 1\n.shared 1024\n" WARM,
     S(01) "LDS R4, [R2] ;" SHARED S(01) "FADD R5, R4, R3 ;\n",
     {0, "LDS", 0},
     {0, "FADD", 0},
     24,
     BOARD},
    {"WAW of a shared load",
     ".block 1\n.shared 1024\n" WARM,
     S(01) "LDS R4, [R2] ;" SHARED S(01) "FADD R4, R5, R3 ;\n",
     {0, "LDS", 0},
     {0, "FADD", 0},
     24,
     BOARD},
    {"WAR of a shared store",
     ".block 1\n.shared 1024\n" WARM,
     S(01) "STS [R2], R4 ;" SHARED S(01) "FADD R4, R5, R3 ;\n",
     {0, "STS", 0},
     {0, "FADD", 0},
     12,
     BOARD},
    {"WAR of an address",
     ".block 1\n" WARM,
     S(01) "LDG.E R4, [R2.64] ;" DATA S(01) "FADD R3, R5, R6 ;\n",
     {0, "LDG", 0},
     {0, "FADD", 0},
     11,
     BOARD},
    {"no WAR of a fixed reader",
     WARM,
     S(01) "FADD R4, R2, R3 ;\n" S(01) "FMUL R2, R5, R3 ;\n",
     {0, "FADD", 0},
     {0, "FMUL", 0},
     1,
     BOARD},
    {"one counted reader",
     ".block 1\n.shared 1024\n" WARM,
     TWICE(S(01) "LDS R4, [R2] ;" SHARED "[B------:R-:W-:-:S01] LDS R6, [R2] ;" SHARED),
     {0, "LDS", 0},
     {0, "LDS", 1},
     9,
     {"dependence.mode=scoreboard", "dependence.war_consumers=1"}},
    {"unlimited readers",
     ".block 1\n.shared 1024\n" WARM,
     S(01) "LDS R4, [R2] ;" SHARED S(01) "LDS R6, [R2] ;" SHARED,
     {0, "LDS", 0},
     {0, "LDS", 1},
     1,
     {"dependence.mode=scoreboard", "dependence.war_consumers=0"}},
};

static void scoreboards_keep_dependent_instructions_apart(void **state)
{
    (void)state;
    CHECK_DISTANCES(scoreboard_rows);
}

struct hazard_row {
    const char *name, *head, *code;
    uint64_t raw, waw, war;
};

#define LDG(control) control "LDG.E R4, [R2.64] ;" DATA
static const struct hazard_row hazard_rows[] = {
    {"result of a load not waited for", ".block 1\n" WARM, LDG(W0(02)) S(01) "FADD R5, R4, R6 ;\n",
     1, 0, 0},
    {"waited for", ".block 1\n" WARM, LDG(W0(02)) WAIT0 "FADD R5, R4, R6 ;\n", 0, 0, 0},
    {"waited for in the next cycle", ".block 1\n" WARM, LDG(W0(01)) WAIT0 "FADD R5, R4, R6 ;\n", 1,
     0, 0},
    {"WAW", ".block 1\n" WARM, LDG(W0(02)) S(01) "FADD R4, R5, R6 ;\n", 0, 1, 0},
    {"no WAW", ".block 1\n" WARM, LDG(W0(02)) WAIT0 "FADD R4, R5, R6 ;\n", 0, 0, 0},
    {"WAR", ".block 1\n" WARM, LDG(R0(02)) S(01) "FADD R2, R5, R6 ;\n", 0, 0, 1},
    {"WAR, stall count one short", ".block 1\n" WARM, LDG(S(10)) S(01) "FADD R2, R5, R6 ;\n", 0, 0,
     1},
    {"WAR, stall count long enough", ".block 1\n" WARM, LDG(S(11)) S(01) "FADD R2, R5, R6 ;\n", 0,
     0, 0},
    {"no WAR", ".block 1\n" WARM, LDG(R0(02)) WAIT0 "FADD R2, R5, R6 ;\n", 0, 0, 0},
    {"predicate, one short", WARM, S(12) "ISETP.GE.AND P0, PT, R2, R3, PT ;\n" S(01) "@P0 NOP ;\n",
     1, 0, 0},
    {"predicate", WARM, S(13) "ISETP.GE.AND P0, PT, R2, R3, PT ;\n" S(01) "@P0 NOP ;\n", 0, 0, 0},
};

static void hazards_are_reported_and_not_repaired(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hazard_rows / sizeof hazard_rows[0]; i++) {
        const struct hazard_row *h = &hazard_rows[i];
        const struct run_setup setup = {.check_hazards = true};
        struct run r, plain;
        run_code(&r, h->head, h->code, &setup);
        run_code(&plain, h->head, h->code, NULL);
        const uint64_t *n = r.result.hazard_total;
        if (n[HAZARD_RAW] != h->raw || n[HAZARD_WAW] != h->waw || n[HAZARD_WAR] != h->war)
            fail_msg("%s: %llu RAW, %llu WAW, %llu WAR", h->name, (unsigned long long)n[HAZARD_RAW],
                     (unsigned long long)n[HAZARD_WAW], (unsigned long long)n[HAZARD_WAR]);
        assert_int_equal(r.result.hazard_kept, h->raw + h->waw + h->war);
        assert_int_equal(r.result.cycles, plain.result.cycles);
        run_free(&r);
        run_free(&plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_take_instructions_at_their_rate),
        cmocka_unit_test(a_taken_unit_holds_the_next_instruction),
        cmocka_unit_test(scoreboards_keep_dependent_instructions_apart),
        cmocka_unit_test(hazards_are_reported_and_not_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Scoreboards: RAW, WAW, WAR, and the limit of counted readers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exec_support.h"
#include "unit/scoreboard.h"

struct row {
    const char *name, *first, *second;
    enum scoreboard_block blocked;    /* while the first is in flight */
    enum scoreboard_block after_read; /* its sources have been read */
};

static const struct row rows[] = {
    {"RAW on an ALU", "FADD R4, R2, R3 ;", "FADD R5, R4, R3 ;", SCOREBOARD_FIXED, SCOREBOARD_FIXED},
    {"RAW on a load", "LDG.E R4, [R2.64] ;", "FADD R5, R4, R3 ;", SCOREBOARD_LONG, SCOREBOARD_LONG},
    {"RAW on the XU", "MUFU.RCP R4, R2 ;", "FADD R5, R4, R3 ;", SCOREBOARD_SHORT, SCOREBOARD_SHORT},
    {"RAW on the second register", "LDG.E.64 R4, [R2.64] ;", "FADD R6, R5, R3 ;", SCOREBOARD_LONG,
     SCOREBOARD_LONG},
    {"RAW through an address", "LDS R4, [R2] ;", "LDS R5, [R4] ;", SCOREBOARD_SHORT,
     SCOREBOARD_SHORT},
    {"RAW on a predicate", "ISETP.GE.AND P1, PT, R2, R3, PT ;", "@P1 NOP ;", SCOREBOARD_FIXED,
     SCOREBOARD_FIXED},
    {"RAW on a uniform register", "R2UR UR4, R2 ;", "IADD3 R5, R2, UR4, R3 ;", SCOREBOARD_SHORT,
     SCOREBOARD_SHORT},
    {"WAW", "LDS R4, [R2] ;", "FADD R4, R5, R6 ;", SCOREBOARD_SHORT, SCOREBOARD_SHORT},
    {"WAW of fixed results", "FADD R4, R2, R3 ;", "IADD3 R4, R5, R6, R7 ;", SCOREBOARD_FIXED,
     SCOREBOARD_FIXED},
    {"WAR of a queued reader", "STS [R4], R6 ;", "FADD R6, R7, R8 ;", SCOREBOARD_SHORT,
     SCOREBOARD_FREE},
    {"WAR of an address", "LDS R9, [R4] ;", "FADD R4, R7, R8 ;", SCOREBOARD_SHORT, SCOREBOARD_FREE},
    {"no WAR of a fixed reader", "FADD R4, R6, R7 ;", "FADD R6, R8, R9 ;", SCOREBOARD_FREE,
     SCOREBOARD_FREE},
    {"two readers", "LDS R4, [R6] ;", "LDS R5, [R6] ;", SCOREBOARD_FREE, SCOREBOARD_FREE},
    {"independent", "LDG.E R4, [R2.64] ;", "FADD R5, R6, R7 ;", SCOREBOARD_FREE, SCOREBOARD_FREE},
};

static void dependent_instructions_wait_for_the_right_thing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        struct code c;
        struct scoreboard s = {0};
        code_defaults(&c);
        code_add(&c, r->first, false);
        code_add(&c, r->second, false);
        const struct exec_inst *first = &c.table.insts[0], *second = &c.table.insts[1];
        assert_int_equal(scoreboard_check(&s, first, 0), SCOREBOARD_FREE);
        scoreboard_issue(&s, first);
        if (scoreboard_check(&s, second, 0) != r->blocked)
            fail_msg("%s: %d, expected %d", r->name, scoreboard_check(&s, second, 0), r->blocked);
        scoreboard_read_done(&s, first);
        if (scoreboard_check(&s, second, 0) != r->after_read)
            fail_msg("%s: wrong after the read", r->name);
        scoreboard_write_done(&s, first);
        if (scoreboard_check(&s, second, 0) != SCOREBOARD_FREE)
            fail_msg("%s: blocked after the write", r->name);
        code_free(&c);
    }
}

static void the_worst_reason_is_told(void **state)
{
    (void)state;
    struct code c;
    struct scoreboard s = {0};
    code_defaults(&c);
    code_add(&c, "FADD R4, R2, R3 ;", false);
    code_add(&c, "LDG.E R5, [R2.64] ;", false);
    code_add(&c, "FADD R6, R4, R5 ;", false);
    const struct exec_inst *e = c.table.insts;
    scoreboard_issue(&s, &e[0]);
    scoreboard_issue(&s, &e[1]);
    assert_int_equal(scoreboard_check(&s, &e[2], 0), SCOREBOARD_LONG);
    scoreboard_write_done(&s, &e[1]);
    assert_int_equal(scoreboard_check(&s, &e[2], 0), SCOREBOARD_FIXED);
    code_free(&c);
}

static void readers_are_counted_up_to_the_limit(void **state)
{
    (void)state;
    struct code c;
    struct scoreboard s = {0};
    code_defaults(&c);
    code_add(&c, "LDS R9, [R4] ;", false);
    code_add(&c, "FADD R5, R4, R3 ;", false);
    code_add(&c, "FADD R4, R5, R3 ;", false);
    const struct exec_inst *e = c.table.insts;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(scoreboard_check(&s, &e[0], 3), SCOREBOARD_FREE);
        scoreboard_issue(&s, &e[0]);
        scoreboard_write_done(&s, &e[0]);
    }
    assert_int_equal(scoreboard_check(&s, &e[0], 3), SCOREBOARD_SHORT);
    assert_int_equal(scoreboard_check(&s, &e[0], 0), SCOREBOARD_FREE); /* unlimited */
    assert_int_equal(scoreboard_check(&s, &e[1], 3), SCOREBOARD_FREE); /* not counted */
    scoreboard_read_done(&s, &e[0]);
    assert_int_equal(scoreboard_check(&s, &e[0], 3), SCOREBOARD_FREE);
    assert_int_equal(scoreboard_check(&s, &e[2], 3), SCOREBOARD_SHORT); /* two still read */
    scoreboard_read_done(&s, &e[0]);
    scoreboard_read_done(&s, &e[0]);
    assert_int_equal(scoreboard_check(&s, &e[2], 3), SCOREBOARD_FREE);
    code_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_instructions_wait_for_the_right_thing),
        cmocka_unit_test(the_worst_reason_is_told),
        cmocka_unit_test(readers_are_counted_up_to_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

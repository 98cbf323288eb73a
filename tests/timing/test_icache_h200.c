/* Instruction and constant caches of an H200: rates of straight code, costs of jumps, and costs of
 * constant misses. In comments what an H200 was measured to take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "support/distance.h"

#define LINE_INSTS 8 /* of a 128-byte line */
#define NOP S(01) "NOP ;\n"

static uint64_t cycles_of(const struct buf *text, uint32_t sms, uint64_t ctas_wanted)
{
    const struct run_setup setup = {.config = "h200", .sms = sms};
    struct run r;
    run_text(&r, text->data, &setup);
    uint64_t cycles = r.result.cycles;
    assert_int_equal(r.result.ctas, ctas_wanted);
    run_free(&r);
    return cycles;
}

/* `kb` of NOPs, `passes` times, by one warp of each of `ctas` CTAs. */
static uint64_t straight(uint32_t kb, uint32_t passes, uint32_t ctas)
{
    struct buf text = {0};
    buf_printf(&text, ".sm 90\n.grid %u\n.loop %u\n", ctas, passes);
    for (uint32_t i = 0; i < kb * 64; i++)
        buf_puts(&text, NOP);
    buf_puts(&text, ".endloop\n" S(01) "EXIT ;\n");
    uint64_t cycles = cycles_of(&text, ctas, ctas);
    buf_free(&text);
    return cycles;
}

/* Cycles of 1,000 instructions in further passes over straight code. */
static uint64_t straight_rate(uint32_t kb, uint32_t ctas)
{
    uint64_t first = straight(kb, 2, ctas), more = straight(kb, 4, ctas);
    return (more - first) * 1000 / (2 * kb * 64);
}

static void straight_code_runs_at_the_rate_of_its_level(void **state)
{
    (void)state;
    assert_int_equal(straight_rate(5, 1), 1028);         /* L0: 1,003, a branch less */
    assert_int_equal(straight_rate(24, 1), 1013);        /* L1: 1,001 */
    assert_in_range(straight_rate(64, 1), 2090, 2240);   /* L1.5: 2,196 */
    assert_in_range(straight_rate(192, 1), 5500, 6000);  /* L2: 5,657 */
    assert_in_range(straight_rate(64, 132), 2600, 2900); /* of all SMs: 2,757 */
}

/* Closed chain of jumps from line to line, `gap` lines apart, in order or mixed up. */
static uint64_t chain(uint32_t lines, uint32_t gap, bool mixed, uint32_t passes)
{
    uint32_t *next = calloc(lines, sizeof *next), *order = calloc(lines, sizeof *order);
    struct buf text = {0};
    assert_true(next && order);
    for (uint32_t i = 0; i < lines; i++)
        order[i] = i;
    uint64_t seed = 1;
    for (uint32_t i = lines - 2; mixed && i > 1; i--) { /* the first and the last stay */
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t k = 1 + (uint32_t)((seed >> 33) % i), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    for (uint32_t i = 0; i + 1 < lines; i++)
        next[order[i]] = order[i + 1];
    buf_puts(&text, ".sm 90\n");
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t pc = i * gap * LINE_INSTS * 16;
        buf_printf(&text, "L%u:\n", i);
        if (i + 1 < lines)
            buf_printf(&text, S(01) "/*%04x*/ BRA L%u ; // @taken\n", pc, next[i]);
        else
            buf_printf(&text, S(01) "/*%04x*/ BRA L0 ; // @taken %u\n" S(01) "EXIT ;\n", pc,
                       passes - 1);
    }
    uint64_t cycles = cycles_of(&text, 1, 1);
    buf_free(&text);
    free(next);
    free(order);
    return cycles;
}

/* Hundredths of a cycle a jump in further passes. */
static uint64_t jump_cost(uint32_t lines, uint32_t gap, bool mixed)
{
    uint64_t first = chain(lines, gap, mixed, 3), more = chain(lines, gap, mixed, 7);
    return (more - first) * 100 / (4 * lines);
}

static void jumps_cost_what_their_level_costs(void **state)
{
    (void)state;
    assert_int_equal(jump_cost(40, 1, false), 1000);         /* L0: 10 */
    assert_int_equal(jump_cost(62, 4, false), 2200);         /* L1: 21.5 */
    assert_int_equal(jump_cost(60, 16, false), 6900);        /* L1.5: 68 */
    assert_in_range(jump_cost(80, 1, true), 1500, 1800);     /* 15.8 */
    assert_in_range(jump_cost(250, 1, true), 1950, 2100);    /* 20.7 */
    assert_in_range(jump_cost(512, 1, true), 4800, 5300);    /* 50.8 */
    assert_in_range(jump_cost(1000, 1, true), 5700, 6100);   /* 58.7 */
    assert_in_range(jump_cost(1536, 1, true), 13500, 16500); /* 144.6 */
}

/* A jump brings three lines into the L0, which has 48. */
static void prefetched_lines_take_room_in_the_l0(void **state)
{
    (void)state;
    assert_int_equal(jump_cost(46, 1, false), 1000);
    assert_int_equal(jump_cost(22, 2, false), 1000); /* 10.9 */
    assert_true(jump_cost(26, 2, false) > 1400);     /* 16.5 */
    assert_int_equal(jump_cost(16, 4, false), 1000); /* 11.7 */
    assert_true(jump_cost(20, 4, false) > 1600);     /* 16.7 */
}

#define CLOCK S(01) "CLOCK R1 ;\n"

/* Issue of the nth instruction of an opcode to the nth clock read after the first. */
static uint64_t to_clock(const char *code, const char *opcode, uint32_t nth, uint32_t clock)
{
    const struct run_setup setup = {.config = "h200"};
    struct run r;
    run_code(&r, ".sm 90\n" WARM_CODE, code, &setup);
    uint64_t d = run_issue(&r, 0, "CS2R", clock) - run_issue(&r, 0, opcode, nth);
    run_free(&r);
    return d;
}

/* Issue to issue is one less than what two clocks differ by. */
#define D(clocks) ((clocks)-1)

#define LDC(bank, offset) W0(02) "LDC R4, c[" bank "][" offset "] ;\n" WAIT0 "CLOCK R2 ;\n"

static void a_constant_miss_goes_to_the_cache_of_the_gpc(void **state)
{
    (void)state;
    const char *fl = CLOCK NOP S(01) "FADD R2, R3, c[0x0][0x40] ;\n" NOP CLOCK /* cold: 63 */
        NOP S(01) "FADD R2, R3, c[0x0][0x60] ;\n" NOP CLOCK;                   /* 4 */
    assert_int_equal(to_clock(fl, "CS2R", 0, 1), 4 + 59);
    assert_int_equal(to_clock(fl, "CS2R", 1, 2), 4);
    const char *ldc = CLOCK LDC("0x0", "0x40") LDC("0x0", "0x60");
    assert_int_equal(to_clock(ldc, "LDC", 0, 1), D(94));
    assert_int_equal(to_clock(ldc, "LDC", 1, 2), D(26));
}

static void the_constant_caches_do_not_warm_each_other(void **state)
{
    (void)state;
    const char *code = CLOCK S(15) "FADD R2, R3, c[0x0][0x40] ;\n" LDC("0x0", "0x40");
    assert_int_equal(to_clock(code, "LDC", 0, 1), D(94));
}

/* Bank 0 comes with the launch, other banks from the L2 and from DRAM. */
static void the_first_touch_of_another_bank_goes_to_dram(void **state)
{
    (void)state;
    const char *first = CLOCK LDC("0x3", "0x40");
    assert_in_range(to_clock(first, "LDC", 0, 1), 430, 840);
    const char *same = CLOCK S(15) "FADD R2, R3, c[0x3][0xc0] ;\n" LDC("0x3", "0x40");
    assert_int_equal(to_clock(same, "LDC", 0, 1), D(94)); /* one line of 256 bytes */
}

/* A word each takes the unit 2 cycles, as an LDC does: assumed. */
static void lanes_that_load_different_constants_take_turns(void **state)
{
    (void)state;
#define LDC_INDEX(note) W0(02) "LDC R4, c[0x0][R2] ; // " note "\n" WAIT0 "CLOCK R2 ;\n"
    const char *code = CLOCK LDC_INDEX("@addr 0x40 stride 4") LDC_INDEX("@addr 0x40 stride 4")
        LDC_INDEX("@addr 0x40 stride 0") LDC_INDEX("@addr 0x140 stride 0");
    assert_int_equal(to_clock(code, "LDC", 1, 2), D(29) + 31 * 2);
    assert_int_equal(to_clock(code, "LDC", 2, 3), D(29));
    assert_int_equal(to_clock(code, "LDC", 3, 4), D(29) + 68); /* the line of the index */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code_runs_at_the_rate_of_its_level),
        cmocka_unit_test(jumps_cost_what_their_level_costs),
        cmocka_unit_test(prefetched_lines_take_room_in_the_l0),
        cmocka_unit_test(a_constant_miss_goes_to_the_cache_of_the_gpc),
        cmocka_unit_test(the_constant_caches_do_not_warm_each_other),
        cmocka_unit_test(the_first_touch_of_another_bank_goes_to_dram),
        cmocka_unit_test(lanes_that_load_different_constants_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The hazard checker: what it reports, and what is clean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "exec_support.h"
#include "unit/hazard.h"

#define ALL 0xffffffffu

struct fixture {
    struct code code;
    struct hazard_state *s;
    struct hazard_list out;
};

static void start(struct fixture *f)
{
    code_defaults(&f->code);
    f->s = calloc(1, sizeof *f->s);
    assert_non_null(f->s);
    f->out = (struct hazard_list){0};
}

static void stop(struct fixture *f)
{
    free(f->s);
    free(f->out.items);
    code_free(&f->code);
}

/* Issues `text` at `cycle`; returns its index. */
static uint32_t issue(struct fixture *f, const char *text, cycle_t cycle, uint32_t mask)
{
    uint32_t i = f->code.kernel.inst_count;
    const struct exec_inst *e = code_add(&f->code, text, true);
    const struct hazard_issue h = {.table = f->code.table.insts,
                                   .e = e,
                                   .sets = f->code.table.sets,
                                   .inst = i,
                                   .mask = mask,
                                   .effective = cycle,
                                   .where = {.cycle = cycle, .warp = 3}};
    hazard_issue(f->s, &f->code.cfg.latency, &h, &f->out);
    return i;
}

struct raw_row {
    const char *name, *producer, *consumer;
    cycle_t distance; /* the smallest clean one */
};

static const struct raw_row raw_rows[] = {
    {"ALU to ALU", "IADD3 R4, R2, R3, RZ ;", "IADD3 R5, R4, R3, RZ ;", 4},
    {"FMA to FMA", "FFMA R4, R2, R3, R3 ;", "FFMA R5, R4, R3, R3 ;", 4},
    {"ALU to FMA", "IADD3 R4, R2, R3, RZ ;", "FFMA R5, R4, R3, R3 ;", 5},
    {"FMA to ALU", "FFMA R4, R2, R3, R3 ;", "IADD3 R5, R4, R3, RZ ;", 5},
    {"half to half", "HADD2 R4, R2, R3 ;", "HADD2 R5, R4, R3 ;", 5},
    {"predicate to guard", "ISETP.GE.AND P0, PT, R2, R3, PT ;", "@P0 IADD3 R5, R2, R3, RZ ;", 13},
    {"predicate to operand", "ISETP.GE.AND P0, PT, R2, R3, PT ;", "SEL R5, R2, R3, P0 ;", 4},
    {"uniform to regular", "UIADD3 UR4, UR5, UR6, URZ ;", "IADD3 R5, R2, UR4, R3 ;", 6},
    {"ALU to address", "IADD3 R4, R2, R3, RZ ;", "LDS R5, [R4] ;", 2},
};

static void a_result_read_too_early_is_a_raw_hazard(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof raw_rows / sizeof raw_rows[0]; i++) {
        const struct raw_row *r = &raw_rows[i];
        struct fixture f;
        start(&f);
        issue(&f, r->producer, 100, ALL);
        issue(&f, r->consumer, 100 + r->distance, ALL);
        if (f.out.count != 0)
            fail_msg("%s: %u hazards at distance %u", r->name, f.out.count, (unsigned)r->distance);
        stop(&f);
        start(&f);
        issue(&f, r->producer, 100, ALL);
        issue(&f, r->consumer, 100 + r->distance - 1, ALL);
        if (f.out.count != 1 || f.out.total[HAZARD_RAW] != 1)
            fail_msg("%s: %u hazards one cycle early", r->name, f.out.count);
        const struct hazard_record *h = &f.out.items[0];
        assert_int_equal(h->kind, HAZARD_RAW);
        assert_int_equal(h->inst, 1);
        assert_int_equal(h->producer, 0);
        assert_int_equal(h->early_by, 1);
        assert_int_equal(h->warp, 3);
        stop(&f);
    }
}

static void the_register_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *producer, *consumer;
        uint32_t file, reg;
    } rows[] = {
        {"IADD3 R4, R2, R3, RZ ;", "FADD R5, R4, R3 ;", REG_GENERAL, 4},
        {"UIADD3 UR7, UR5, UR6, URZ ;", "IADD3 R5, R2, UR7, R3 ;", REG_UNIFORM, 7},
        {"ISETP.GE.AND P2, PT, R2, R3, PT ;", "@P2 NOP ;", REG_PREDICATE, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        start(&f);
        issue(&f, rows[i].producer, 100, ALL);
        issue(&f, rows[i].consumer, 101, ALL);
        assert_int_equal(f.out.count, 1);
        assert_int_equal(f.out.items[0].file, rows[i].file);
        assert_int_equal(f.out.items[0].reg, rows[i].reg);
        stop(&f);
    }
}

static void a_load_must_be_waited_for(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    uint32_t load = issue(&f, "LDG.E R4, [R2.64] ;", 100, ALL);
    issue(&f, "FADD R5, R4, R4 ;", 10000, ALL);
    assert_int_equal(f.out.total[HAZARD_RAW], 1);
    assert_int_equal(f.out.items[0].early_by, 0); /* unknown */
    issue(&f, "FADD R4, R6, R7 ;", 10010, ALL);
    assert_int_equal(f.out.total[HAZARD_WAW], 1);
    hazard_read_done(f.s, &f.code.table.insts[load]);
    hazard_write_done(f.s, &f.code.table.insts[load]);
    issue(&f, "FADD R8, R4, R4 ;", 10020, ALL);
    issue(&f, "FADD R4, R6, R7 ;", 10030, ALL);
    assert_int_equal(f.out.count, 2);
    stop(&f);
}

/* UMOV is faster than UIADD3: only 6 cycles later is its result the later one. */
static void a_faster_result_must_not_overtake(void **state)
{
    (void)state;
    for (cycle_t distance = 1; distance < 9; distance++) {
        struct fixture f;
        start(&f);
        uint32_t slow = issue(&f, "UIADD3 UR4, UR5, UR6, URZ ;", 100, ALL);
        issue(&f, "UMOV UR4, UR7 ;", 100 + distance, ALL);
        assert_int_equal(f.out.total[HAZARD_WAW], distance < 6);
        if (distance < 6) {
            assert_int_equal(f.out.items[0].producer, slow);
            assert_int_equal(f.out.items[0].early_by, 6 - distance);
        }
        stop(&f);
    }
}

static void sources_of_a_queued_instruction_must_not_be_overwritten(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    uint32_t store = issue(&f, "STG.E [R2.64], R4 ;", 100, ALL);
    issue(&f, "FADD R4, R6, R7 ;", 101, ALL);
    assert_int_equal(f.out.total[HAZARD_WAR], 1);
    assert_int_equal(f.out.items[0].producer, store);
    assert_int_equal(f.out.items[0].reg, 4);
    issue(&f, "MUFU.RCP R4, R9 ;", 102, ALL); /* queued: reads in order with it */
    assert_int_equal(f.out.total[HAZARD_WAR], 1);
    hazard_read_done(f.s, &f.code.table.insts[store]);
    issue(&f, "FADD R2, R6, R7 ;", 103, ALL);
    assert_int_equal(f.out.total[HAZARD_WAR], 1);
    stop(&f);
}

static void other_lanes_do_not_depend(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    issue(&f, "IADD3 R4, R2, R3, RZ ;", 100, 0xffff);
    issue(&f, "IADD3 R5, R4, R3, RZ ;", 101, 0xffff0000);
    assert_int_equal(f.out.count, 0);
    issue(&f, "IADD3 R5, R4, R3, RZ ;", 102, 0x18000);
    assert_int_equal(f.out.count, 1);
    stop(&f);
}

static void an_instruction_without_lanes_changes_nothing(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    issue(&f, "IADD3 R4, R2, R3, RZ ;", 100, ALL);
    issue(&f, "@P0 IADD3 R4, R4, R3, RZ ;", 101, 0);
    assert_int_equal(f.out.count, 0);
    issue(&f, "IADD3 R5, R4, R3, RZ ;", 102, ALL); /* too early for the first */
    assert_int_equal(f.out.count, 1);
    assert_int_equal(f.out.items[0].producer, 0);
    stop(&f);
}

/* The records kept do not depend on the order in which the sub-cores of a cycle come. */
static void records_end_with_a_whole_cycle(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    code_add(&f.code, "IADD3 R4, R2, R3, RZ ;", true);
    code_add(&f.code, "IADD3 R5, R4, R3, RZ ;", true);
    for (uint32_t i = 0; i < 3000; i++) {
        struct hazard_issue h = {.table = f.code.table.insts,
                                 .e = &f.code.table.insts[0],
                                 .sets = f.code.table.sets,
                                 .mask = ALL,
                                 .effective = 100 + i / 3};
        hazard_issue(f.s, &f.code.cfg.latency, &h, &f.out);
        h.e = &f.code.table.insts[1];
        h.inst = 1;
        h.where.cycle = 100 + i / 3;
        hazard_issue(f.s, &f.code.cfg.latency, &h, &f.out);
    }
    assert_int_equal(f.out.total[HAZARD_RAW], 3000);
    assert_int_equal(f.out.count, HAZARD_RECORDS_MAX + 2); /* 334 cycles of 3 */
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_read_too_early_is_a_raw_hazard),
        cmocka_unit_test(the_register_is_named),
        cmocka_unit_test(a_load_must_be_waited_for),
        cmocka_unit_test(a_faster_result_must_not_overtake),
        cmocka_unit_test(sources_of_a_queued_instruction_must_not_be_overwritten),
        cmocka_unit_test(other_lanes_do_not_depend),
        cmocka_unit_test(an_instruction_without_lanes_changes_nothing),
        cmocka_unit_test(records_end_with_a_whole_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

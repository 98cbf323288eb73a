/* Register file: read ports, register-file cache, write ports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exec_support.h"
#include "unit/register_file.h"

#define WARP 5

struct fixture {
    struct code code;
    struct register_file rf;
    struct sim_stats stats;
};

static void start(struct fixture *f, uint32_t ports, bool cache)
{
    code_defaults(&f->code);
    f->code.cfg.register_file.read_ports = ports;
    f->code.cfg.register_file.cache = cache;
    f->stats = (struct sim_stats){0};
    register_file_init(&f->rf, &f->code.cfg.register_file);
}

/* First read cycle of an instruction issued at `now` that finds Allocate free two cycles later. */
static cycle_t read_at(struct fixture *f, const char *text, cycle_t now)
{
    const struct exec_inst *e = code_add(&f->code, text, true);
    return register_file_read(&f->rf, e, WARP, now, now + 2, &f->stats);
}

static bool try_read(struct fixture *f, const char *text, cycle_t now)
{
    return register_file_try_read(&f->rf, code_add(&f->code, text, true), false, now, &f->stats);
}

static void three_reads_of_a_bank_fill_its_window(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    assert_int_equal(read_at(&f, "FFMA R1, R2, R4, R6 ;", 100), 103);
    /* The bank is taken in cycles 103 to 105. One more read needs a window that reaches 106. */
    assert_int_equal(read_at(&f, "FADD R1, R2, R3 ;", 101), 104);
    assert_int_equal(f.stats.register_file_read_port_stalls, 0);
    code_free(&f.code);
}

static void a_conflict_moves_the_window_as_far_as_it_must(void **state)
{
    (void)state;
    static const struct {
        const char *second;
        cycle_t at; /* issued in cycle 101: 104 undelayed */
    } rows[] = {
        {"FADD R1, R3, R5 ;", 104},     /* the other bank */
        {"FADD R1, R2, R3 ;", 104},     /* one read: cycle 106 */
        {"FADD R1, R2, R4 ;", 105},     /* two: 106, 107 */
        {"FFMA R1, R2, R4, R6 ;", 106}, /* three: 106, 107, 108 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        start(&f, 1, true);
        read_at(&f, "FFMA R1, R2, R4, R6 ;", 100);
        cycle_t at = read_at(&f, rows[i].second, 101);
        if (at != rows[i].at)
            fail_msg("%s reads in cycle %llu, expected %llu", rows[i].second,
                     (unsigned long long)at, (unsigned long long)rows[i].at);
        assert_int_equal(f.stats.register_file_read_port_stalls, at - 104);
        code_free(&f.code);
    }
}

static void two_ports_serve_twice_as_many_reads(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2, true);
    assert_int_equal(read_at(&f, "FFMA R1, R2, R4, R6 ;", 100), 103);
    assert_int_equal(read_at(&f, "FFMA R1, R2, R4, R6 ;", 101), 104);
    /* Reads are as late in the window as they can be: 105 and 106 are full. */
    assert_int_equal(read_at(&f, "FFMA R1, R2, R4, R6 ;", 102), 106);
    assert_int_equal(f.stats.register_file_read_port_stalls, 1);
    code_free(&f.code);
}

static void more_reads_than_three_cycles_hold_lengthen_the_window(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, false);
    /* 10 registers, 5 of each bank: cycles 103 to 107. */
    assert_int_equal(read_at(&f, "HMMA.16816.F32 R0, R4, R8, R12 ;", 100), 103);
    assert_int_equal(read_at(&f, "FADD R1, R2, R3 ;", 101), 106);
    code_free(&f.code);
}

/* The masks hold 64 cycles; an instruction can be held in Allocate for longer. */
static void a_window_beyond_the_masks_has_its_ports(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    const struct exec_inst *e = code_add(&f.code, "FFMA R1, R2, R4, R6 ;", true);
    assert_int_equal(register_file_read(&f.rf, e, WARP, 100, 160, &f.stats), 161);
    assert_int_equal(register_file_read(&f.rf, e, WARP, 100, 161, &f.stats), 162);
    assert_int_equal(register_file_read(&f.rf, e, WARP, 100, 300, &f.stats), 301);
    code_free(&f.code);
}

static void ideal_ports_never_wait(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, false);
    f.code.cfg.register_file.ideal = true;
    for (cycle_t now = 100; now < 110; now++)
        assert_int_equal(read_at(&f, "FFMA R1, R2, R4, R6 ;", now), now + 3);
    assert_true(try_read(&f, "STG.E.128 [R2.64], R4 ;", 112));
    code_free(&f.code);
}

static void a_register_named_twice_is_read_once(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    read_at(&f, "FFMA R1, R2, R2, R2 ;", 100);
    assert_int_equal(f.stats.register_file_reads, 1);
    code_free(&f.code);
}

static void queued_instructions_take_what_is_left(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    read_at(&f, "FADD R1, R2, R4 ;", 100); /* even bank: 104, 105 */
    assert_false(try_read(&f, "STG.E [R2.64], R5 ;", 104));
    assert_false(try_read(&f, "STG.E [R2.64], R5 ;", 105));
    assert_true(try_read(&f, "STG.E [R2.64], R5 ;", 106));
    assert_int_equal(f.stats.register_file_variable_read_stalls, 2);
    assert_false(try_read(&f, "LDS R1, [R6] ;", 106)); /* its port is taken now */
    assert_true(try_read(&f, "LDS R1, [R6] ;", 107));
    code_free(&f.code);
}

static void a_queued_instruction_that_has_waited_displaces_a_read(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    read_at(&f, "FADD R1, R2, R4 ;", 100); /* even bank: 104, 105 */
    const struct exec_inst *e = code_add(&f.code, "LDS R1, [R6] ;", true);
    assert_true(register_file_try_read(&f.rf, e, true, 104, &f.stats)); /* its read is 106's */
    assert_false(try_read(&f, "LDS R1, [R8] ;", 106));
    assert_true(try_read(&f, "LDS R1, [R8] ;", 107));
    code_free(&f.code);
}

static void a_false_guard_drops_what_is_kept(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    read_at(&f, "FADD R1, R2.reuse, R3 ;", 100);
    register_file_drop(&f.rf, code_add(&f.code, "FADD R1, R5, R2 ;", true)); /* other places */
    read_at(&f, "FADD R1, R2.reuse, R3 ;", 110);
    assert_int_equal(f.stats.rfc_hits, 1);
    register_file_drop(&f.rf, code_add(&f.code, "FADD R1, R4, R3 ;", true));
    read_at(&f, "FADD R1, R2, R3 ;", 120);
    assert_int_equal(f.stats.rfc_hits, 1);
    code_free(&f.code);
}

/* The cache answers by position: a register named twice is read unless both places keep it. */
static void a_register_named_twice_hits_at_both_places(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    read_at(&f, "FFMA R1, R2.reuse, R3, R5 ;", 100);
    read_at(&f, "FFMA R1, R2.reuse, R2.reuse, R5 ;", 110);
    assert_int_equal(f.stats.rfc_hits, 0);
    read_at(&f, "FFMA R1, R2, R2, R5 ;", 120);
    assert_int_equal(f.stats.rfc_hits, 1);
    code_free(&f.code);
}

/* A queued reader holds its port against a window that starts in its cycle. */
static void a_queued_read_counts_against_later_windows(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    assert_true(try_read(&f, "LDS R1, [R6] ;", 103));
    const struct exec_inst *e = code_add(&f.code, "FFMA R1, R2, R4, R6 ;", true);
    assert_int_equal(register_file_read(&f.rf, e, WARP, 103, 102, &f.stats), 104);
    code_free(&f.code);
}

struct rfc_row {
    const char *name, *first, *second, *third;
    uint32_t second_hits, third_hits;
};

/* The paper's examples (listing 4). */
static void the_cache_hits_as_in_the_paper(void **state)
{
    (void)state;
    static const struct rfc_row rows[] = {
        {"a", "IADD3 R1, R2.reuse, R3, R4 ;", "FFMA R5, R2, R7, R8 ;", "IADD3 R10, R2, R12, R13 ;",
         1, 0},
        {"b", "IADD3 R1, R2.reuse, R3, R4 ;", "FFMA R5, R2.reuse, R7, R8 ;",
         "IADD3 R10, R2, R12, R13 ;", 1, 1},
        {"c", "IADD3 R1, R2.reuse, R3, R4 ;", "FFMA R5, R7, R2, R8 ;", "IADD3 R10, R2, R12, R13 ;",
         0, 1},
        {"d", "IADD3 R1, R2.reuse, R3, R4 ;", "FFMA R5, R4, R7, R8 ;", "IADD3 R10, R2, R12, R13 ;",
         0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        start(&f, 1, true);
        read_at(&f, rows[i].first, 100);
        assert_int_equal(f.stats.rfc_allocations, 1);
        read_at(&f, rows[i].second, 110);
        if (f.stats.rfc_hits != rows[i].second_hits)
            fail_msg("example %s: the second instruction hits %u times", rows[i].name,
                     (unsigned)f.stats.rfc_hits);
        read_at(&f, rows[i].third, 120);
        if (f.stats.rfc_hits != rows[i].second_hits + rows[i].third_hits)
            fail_msg("example %s: the third instruction is wrong", rows[i].name);
        assert_int_equal(f.stats.register_file_reads + f.stats.rfc_hits, 9);
        code_free(&f.code);
    }
}

static void a_hit_frees_the_port(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    read_at(&f, "FFMA R1, R2.reuse, R4, R6 ;", 100);
    assert_int_equal(read_at(&f, "FFMA R1, R2, R4, R3 ;", 101), 104); /* one read: 106 */
    code_free(&f.code);
    start(&f, 1, false);
    read_at(&f, "FFMA R1, R2.reuse, R4, R6 ;", 100);
    assert_int_equal(read_at(&f, "FFMA R1, R2, R4, R3 ;", 101), 105); /* two */
    code_free(&f.code);
}

static void values_are_kept_for_their_warp_only(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    read_at(&f, "FADD R1, R2.reuse, R3 ;", 100);
    const struct exec_inst *e = code_add(&f.code, "FADD R1, R2.reuse, R3 ;", true);
    register_file_read(&f.rf, e, WARP + 1, 110, 112, &f.stats);
    assert_int_equal(f.stats.rfc_hits, 0);
    e = code_add(&f.code, "FADD R1, R2.reuse, R3 ;", true);
    register_file_read(&f.rf, e, WARP + 1, 120, 122, &f.stats);
    assert_int_equal(f.stats.rfc_hits, 1);
    register_file_forget_warp(&f.rf, WARP);
    register_file_read(&f.rf, e, WARP + 1, 130, 132, &f.stats);
    assert_int_equal(f.stats.rfc_hits, 2);
    register_file_forget_warp(&f.rf, WARP + 1);
    register_file_read(&f.rf, e, WARP + 1, 140, 142, &f.stats);
    assert_int_equal(f.stats.rfc_hits, 2);
    register_file_forget(&f.rf);
    register_file_read(&f.rf, e, WARP + 1, 150, 152, &f.stats);
    assert_int_equal(f.stats.rfc_hits, 2);
    code_free(&f.code);
}

static void operands_of_two_registers_use_both_banks_of_the_cache(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    read_at(&f, "HMMA.16816.F32 R0, R4.reuse, R8, RZ ;", 100);
    assert_int_equal(f.stats.rfc_allocations, 2); /* R4 and R5 of R4..R7 */
    read_at(&f, "HMMA.16816.F32 R0, R4, R8, RZ ;", 120);
    assert_int_equal(f.stats.rfc_hits, 2);
    code_free(&f.code);
}

static void a_load_waits_for_fixed_results(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    struct register_file *rf = &f.rf;
    for (uint32_t i = 0; i < 3; i++) {
        const struct exec_inst *e = code_add(&f.code, "FADD R2, R4, R5 ;", true);
        register_file_write_fixed(rf, e, 100, 110 + i);
    }
    const struct exec_inst *odd = code_add(&f.code, "LDS R3, [R6] ;", true);
    assert_int_equal(register_file_write_load(rf, odd, 100, 110, &f.stats), 110);
    assert_int_equal(f.stats.register_file_write_port_stalls, 0);
    const struct exec_inst *even = code_add(&f.code, "LDS R2, [R6] ;", true);
    assert_int_equal(register_file_write_load(rf, even, 100, 110, &f.stats), 113);
    assert_int_equal(f.stats.register_file_write_port_stalls, 3);
    assert_int_equal(register_file_write_load(rf, even, 100, 110, &f.stats), 114);
    assert_int_equal(register_file_write_load(rf, odd, 101, 110, &f.stats), 111);
    code_free(&f.code);
}

/* Two fixed results of one cycle: the second one leaves the result queue a cycle later. */
static void fixed_results_of_one_cycle_queue(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1, true);
    const struct exec_inst *e = code_add(&f.code, "FADD R2, R4, R5 ;", true);
    register_file_write_fixed(&f.rf, e, 100, 110);
    register_file_write_fixed(&f.rf, e, 100, 110);
    e = code_add(&f.code, "LDS R2, [R6] ;", true);
    assert_int_equal(register_file_write_load(&f.rf, e, 100, 110, &f.stats), 112);
    code_free(&f.code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_reads_of_a_bank_fill_its_window),
        cmocka_unit_test(a_conflict_moves_the_window_as_far_as_it_must),
        cmocka_unit_test(two_ports_serve_twice_as_many_reads),
        cmocka_unit_test(more_reads_than_three_cycles_hold_lengthen_the_window),
        cmocka_unit_test(a_window_beyond_the_masks_has_its_ports),
        cmocka_unit_test(ideal_ports_never_wait),
        cmocka_unit_test(a_register_named_twice_is_read_once),
        cmocka_unit_test(queued_instructions_take_what_is_left),
        cmocka_unit_test(a_queued_instruction_that_has_waited_displaces_a_read),
        cmocka_unit_test(a_false_guard_drops_what_is_kept),
        cmocka_unit_test(a_register_named_twice_hits_at_both_places),
        cmocka_unit_test(a_queued_read_counts_against_later_windows),
        cmocka_unit_test(the_cache_hits_as_in_the_paper),
        cmocka_unit_test(a_hit_frees_the_port),
        cmocka_unit_test(values_are_kept_for_their_warp_only),
        cmocka_unit_test(operands_of_two_registers_use_both_banks_of_the_cache),
        cmocka_unit_test(a_load_waits_for_fixed_results),
        cmocka_unit_test(fixed_results_of_one_cycle_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

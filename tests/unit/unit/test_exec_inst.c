/* Timing decode of static instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "exec_support.h"

static void the_stall_count_says_when_the_warp_may_issue_again(void **state)
{
    (void)state;
    static const struct {
        const char *control;
        uint32_t stall;
        bool drain;
    } rows[] = {
        {"[B------:R-:W-:-:S01]", 1, false}, {"[B------:R-:W-:-:S15]", 15, false},
        {"[B------:R-:W-:-:S00]", 2, false}, {"[B------:R-:W-:Y:S01]", 2, false},
        {"[B------:R-:W-:Y:S04]", 4, false}, {"[B------:R-:W-:Y:S02]", 2, false},
        {"[B------:R-:W-:Y:S00]", 46, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct code c;
        char text[64];
        code_defaults(&c);
        snprintf(text, sizeof text, "%s NOP ;", rows[i].control);
        const struct exec_inst *e = code_add(&c, text, true);
        if (e->stall != rows[i].stall)
            fail_msg("%s: stall %u, expected %u", text, e->stall, rows[i].stall);
        assert_int_equal((e->flags & EXEC_DRAIN) != 0, rows[i].drain);
        code_free(&c);
    }
}

static void without_control_bits_nothing_of_them_is_kept(void **state)
{
    (void)state;
    struct code c;
    code_defaults(&c);
    const struct exec_inst *e = code_add(&c, "[B0-2---:R3:W4:Y:S09] MUFU.RCP R1, R2 ;", false);
    assert_int_equal(e->stall, 1);
    assert_int_equal(e->wait_mask, 0);
    assert_int_equal(e->write_bar, NO_COUNTER);
    assert_int_equal(e->read_bar, NO_COUNTER);
    assert_false(e->flags & EXEC_CONTROL_BITS);
    code_free(&c);
    code_defaults(&c);
    e = code_add(&c, "[B0-2---:R3:W4:Y:S09] MUFU.RCP R1, R2 ;", true);
    assert_int_equal(e->wait_mask, 5);
    assert_int_equal(e->write_bar, 4);
    assert_int_equal(e->read_bar, 3);
    assert_true(e->flags & EXEC_CONTROL_BITS);
    code_free(&c);
}

struct flag_row {
    const char *text;
    uint32_t flags;
};

static void memory_instructions_know_where_they_go(void **state)
{
    (void)state;
    static const struct flag_row rows[] = {
        {"LDG.E R1, [R2.64] ;", EXEC_MEMORY | EXEC_LONG | EXEC_GLOBAL | EXEC_RESULT},
        {"LDG.E.STRONG.GPU R1, [R2.64] ;",
         EXEC_MEMORY | EXEC_LONG | EXEC_GLOBAL | EXEC_RESULT | EXEC_TO_L2},
        {"STG.E [R2.64], R1 ;", EXEC_MEMORY | EXEC_LONG | EXEC_GLOBAL},
        {"LDL R1, [R2] ;", EXEC_MEMORY | EXEC_LONG | EXEC_GLOBAL | EXEC_RESULT | EXEC_LOCAL},
        {"LDS R1, [R2] ;", EXEC_MEMORY | EXEC_SHARED | EXEC_RESULT},
        {"ATOMS.ADD R1, [R2], R3 ;", EXEC_MEMORY | EXEC_SHARED | EXEC_RESULT},
        {"RED.E.ADD.STRONG.GPU [R2.64], R3 ;", EXEC_MEMORY | EXEC_LONG | EXEC_GLOBAL | EXEC_TO_L2},
        {"LDG.E.NA R1, [R2.64] ;",
         EXEC_MEMORY | EXEC_LONG | EXEC_GLOBAL | EXEC_RESULT | EXEC_NO_ALLOCATE},
        {"LDG.E.LU R1, [R2.64] ;",
         EXEC_MEMORY | EXEC_LONG | EXEC_GLOBAL | EXEC_RESULT | EXEC_NO_ALLOCATE},
        {"LDG.E.EF R1, [R2.64] ;", EXEC_MEMORY | EXEC_LONG | EXEC_GLOBAL | EXEC_RESULT},
        {"ATOMS.POPC.INC.32 RZ, [R2] ;", EXEC_MEMORY | EXEC_SHARED | EXEC_COUNTING},
        {"ATOMS.CAS R1, [R2], R3, R4 ;", EXEC_MEMORY | EXEC_SHARED | EXEC_RESULT | EXEC_CAS},
        {"ATOMS.CAST.SPIN R1, [R2], R3, R4 ;", EXEC_MEMORY | EXEC_SHARED | EXEC_RESULT | EXEC_CAS},
        {"SHFL.BFLY PT, R1, R2, 0x1, 0x1f ;", EXEC_RESULT | EXEC_LANE_PASS},
        {"S2R R1, SR_TID.X ;", EXEC_RESULT | EXEC_LANE_PASS},
        {"S2R R1, SR_CTAID.X ;", EXEC_RESULT},
        {"LDC R1, c[0x3][0x10] ;", EXEC_CONSTANT | EXEC_RESULT},
        {"FADD R1, R2, R3 ;", EXEC_RESULT},
        {"NOP ;", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct code c;
        code_defaults(&c);
        const struct exec_inst *e = code_add(&c, rows[i].text, false);
        uint32_t cared = e->flags & ~(uint32_t)EXEC_COPY;
        if (cared != rows[i].flags)
            fail_msg("%s: flags 0x%x, expected 0x%x", rows[i].text, cared, rows[i].flags);
        code_free(&c);
    }
    struct code c;
    code_defaults(&c);
    assert_true(code_add(&c, "LDGSTS.E [R4], [R2.64] ;", false)->flags & EXEC_COPY);
    code_free(&c);
}

static void the_l1d_tells_operations_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum l1d_op op;
    } rows[] = {
        {"LDG.E R1, [R2.64] ;", L1D_GLOBAL_LOAD},
        {"LD.E R1, [R2.64] ;", L1D_GLOBAL_LOAD},
        {"LDGSTS.E [R4], [R2.64] ;", L1D_GLOBAL_LOAD},
        {"STG.E [R2.64], R1 ;", L1D_GLOBAL_STORE},
        {"LDL R1, [R2] ;", L1D_LOCAL_LOAD},
        {"STL [R2], R1 ;", L1D_LOCAL_STORE},
        {"RED.E.ADD.STRONG.GPU [R2.64], R3 ;", L1D_REDUCTION},
        {"ATOMG.E.ADD.STRONG.GPU PT, R1, [R2.64], R3 ;", L1D_ATOMIC},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct code c;
        code_defaults(&c);
        const struct exec_inst *e = code_add(&c, rows[i].text, false);
        if (e->l1d_op != rows[i].op)
            fail_msg("%s: operation %u, expected %u", rows[i].text, e->l1d_op, rows[i].op);
        code_free(&c);
    }
}

static void latencies_follow_the_width(void **state)
{
    (void)state;
    static const char *const texts[] = {"LDG.E R4, [R2.64] ;", "LDG.E.64 R4, [R2.64] ;",
                                        "LDG.E.128 R4, [R2.64] ;"};
    for (uint32_t i = 0; i < 3; i++) {
        struct code c;
        code_defaults(&c);
        for (uint32_t w = 0; w < 3; w++) {
            c.cfg.op[OP_CLASS_ldg_reg].raw[w] = 100 + w;
            c.cfg.op[OP_CLASS_ldg_reg].war[w] = 200 + w;
            c.cfg.op[OP_CLASS_ldg_reg].interval[w] = 30 + w;
            c.cfg.op[OP_CLASS_ldg_reg].shared_interval[w] = 40 + w;
        }
        const struct exec_inst *e = code_add(&c, texts[i], false);
        assert_int_equal(e->raw, 100 + i);
        assert_int_equal(e->war, 200 + i);
        assert_int_equal(e->interval, 30 + i);
        assert_int_equal(e->shared_interval, 40 + i);
        assert_int_equal(e->return_registers, 1u << i);
        code_free(&c);
    }
}

static void reads_have_bank_position_and_reuse(void **state)
{
    (void)state;
    struct code c;
    code_defaults(&c);
    const struct exec_inst *e = code_add(&c, "FFMA R1, R2.reuse, R5, R8 ;", true);
    static const struct reg_read expected[] = {
        {2, 0, 1, 1, true}, {5, 1, 2, 0, true}, {8, 0, 4, 0, true}};
    assert_int_equal(e->read_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(e->reads[i].reg, expected[i].reg);
        assert_int_equal(e->reads[i].slots, expected[i].slots);
        assert_int_equal(e->reads[i].bank, expected[i].bank);
        assert_int_equal(e->reads[i].reuse, expected[i].reuse);
        assert_int_equal(e->reads[i].cacheable, expected[i].cacheable);
    }
    assert_int_equal(e->bank_reads[0], 2);
    assert_int_equal(e->bank_reads[1], 1);
    assert_int_equal(e->bank_writes[0], 0);
    assert_int_equal(e->bank_writes[1], 1);
    code_free(&c);
}

static void the_zero_register_takes_no_port(void **state)
{
    (void)state;
    struct code c;
    code_defaults(&c);
    const struct exec_inst *e = code_add(&c, "IADD3 RZ, RZ, R4, RZ ;", true);
    assert_int_equal(e->read_count, 1);
    assert_int_equal(e->bank_writes[0] + e->bank_writes[1], 0);
    assert_int_equal(e->dest_count, 0);
    code_free(&c);
}

static void guards_and_uniform_registers_are_dependences(void **state)
{
    (void)state;
    struct code c;
    code_defaults(&c);
    const struct exec_inst *e = code_add(&c, "@!P2 IADD3 R1, R2, UR5, R3 ;", true);
    bool guard = false, uniform = false;
    for (uint32_t i = 0; i < e->source_count; i++) {
        guard |= e->sources[i] == DEP_PREDICATE_BASE + 2;
        uniform |= e->sources[i] == DEP_UNIFORM_BASE + 5;
    }
    assert_true(guard);
    assert_true(uniform);
    assert_int_equal(e->read_count, 2); /* R2, R3 */
    e = code_add(&c, "ISETP.GE.AND P3, PT, R1, R2, PT ;", true);
    assert_int_equal(e->dest_count, 1);
    assert_int_equal(e->dests[0], DEP_PREDICATE_BASE + 3);
    code_free(&c);
}

static void registers_of_every_file_have_their_own_number(void **state)
{
    (void)state;
    assert_int_equal(dep_register(REG_GENERAL, 254), 254);
    assert_int_equal(dep_register(REG_GENERAL, REG_RZ), DEP_REGISTERS);
    assert_int_equal(dep_register(REG_UNIFORM, 0), DEP_UNIFORM_BASE);
    assert_int_equal(dep_register(REG_PREDICATE, 6), DEP_PREDICATE_BASE + 6);
    assert_int_equal(dep_register(REG_PREDICATE, 7), DEP_REGISTERS);
    assert_int_equal(dep_register(REG_UNIFORM_PREDICATE, 0), DEP_UNIFORM_PREDICATE_BASE);
    assert_int_equal(dep_register(REG_BARRIER, 0), DEP_REGISTERS);
}

static void classes_with_the_same_units_share_a_set(void **state)
{
    (void)state;
    struct code c;
    code_defaults(&c);
    uint32_t fma = code_add(&c, "FFMA R1, R2, R3, R4 ;", true)->unit_set;
    uint32_t half = code_add(&c, "HADD2 R1, R2, R3 ;", true)->unit_set;
    uint32_t alu = code_add(&c, "IADD3 R1, R2, R3, R4 ;", true)->unit_set;
    assert_int_not_equal(fma, half); /* either half, both halves */
    assert_int_not_equal(fma, alu);
    assert_int_equal(code_add(&c, "FADD R1, R2, R3 ;", true)->unit_set, fma);
    assert_int_equal(code_add(&c, "NOP ;", true)->unit_set, 0);
    assert_false(c.table.sets[fma].all);
    assert_true(c.table.sets[half].all);
    code_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stall_count_says_when_the_warp_may_issue_again),
        cmocka_unit_test(without_control_bits_nothing_of_them_is_kept),
        cmocka_unit_test(memory_instructions_know_where_they_go),
        cmocka_unit_test(the_l1d_tells_operations_apart),
        cmocka_unit_test(latencies_follow_the_width),
        cmocka_unit_test(reads_have_bank_position_and_reuse),
        cmocka_unit_test(the_zero_register_takes_no_port),
        cmocka_unit_test(guards_and_uniform_registers_are_dependences),
        cmocka_unit_test(registers_of_every_file_have_their_own_number),
        cmocka_unit_test(classes_with_the_same_units_share_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

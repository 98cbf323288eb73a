#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/opcode.h"
#include "operand_text.h"

#define LOAD INST_LOAD
#define STORE INST_STORE
#define ATOMIC INST_ATOMIC
#define BYPASS_L1 INST_BYPASS_L1
#define BRANCH INST_BRANCH
#define EXIT INST_EXIT
#define VARIABLE INST_VARIABLE
#define CLOCK INST_CLOCK
#define BARRIER_SYNC INST_BARRIER_SYNC
#define BARRIER_ARRIVE INST_BARRIER_ARRIVE
#define DEPBAR INST_DEPBAR
#define LDGDEPBAR INST_LDGDEPBAR
#define MEMBAR_CTA INST_MEMBAR_CTA
#define MEMBAR_GPU INST_MEMBAR_GPU
#define CONST_OPERAND INST_CONST_OPERAND
#define PREDICATE_DEST INST_PREDICATE_DEST
#define SLEEP INST_SLEEP
#define WARP_SYNC INST_WARP_SYNC

struct row {
    uint32_t sm;
    const char *text;
    enum op_class op_class;
    uint32_t flags;
    uint8_t mem_width;
    const char *operands;
};

static const struct row rows[] = {
#define ROW(sm, text, op_class, flags, width, operands)                                            \
    {sm, text, OP_CLASS_##op_class, flags, width, operands},
#include "decode_rows.def"
#undef ROW
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

static struct arena arena;

static struct inst decode(const char *text, uint32_t sm, const uint64_t *lo, const uint64_t *hi)
{
    struct inst inst;
    struct sim_err err = {0};
    if (!inst_from_text(&inst, text, 0x40, sm, lo, hi, &arena, "in.sass", 3, &err))
        fail_msg("%s: %s", text, err.msg);
    return inst;
}

static void texts_decode_to_class_flags_width_and_operands(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct row *r = &rows[i];
        struct inst inst = decode(r->text, r->sm, NULL, NULL);
        char operands[256];
        operand_text(&inst, operands, sizeof operands);
        if (inst.op_class != r->op_class)
            fail_msg("%s: class %s", r->text, op_class_name((enum op_class)inst.op_class));
        if (inst.flags != r->flags)
            fail_msg("%s: flags 0x%x, expected 0x%x", r->text, inst.flags, r->flags);
        if (inst.mem_width != r->mem_width)
            fail_msg("%s: %u bytes a lane", r->text, inst.mem_width);
        if (strcmp(operands, r->operands) != 0)
            fail_msg("%s: operands \"%s\"", r->text, operands);
        assert_string_equal(inst.text, r->text);
        assert_int_equal(inst.pc, 0x40);
    }
}

static void guard_is_kept_apart_from_operands(void **state)
{
    (void)state;
    struct inst inst = decode("  @!P3 MOV R1, R2 ;", 86, NULL, NULL);
    assert_int_equal(inst.guard, 3);
    assert_int_equal(inst.guard_file, REG_PREDICATE);
    assert_true(inst.guard_negate);
    assert_int_equal(inst.operand_count, 2);
    assert_string_equal(inst.text, "@!P3 MOV R1, R2");
    assert_string_equal(inst.opcode, "MOV");
    inst = decode("@UP1 UMOV UR4, 0x1", 90, NULL, NULL);
    assert_int_equal(inst.guard, 1);
    assert_int_equal(inst.guard_file, REG_UNIFORM_PREDICATE);
    assert_false(inst.guard_negate);
    inst = decode("@!PT LDS RZ, [RZ]", 86, NULL, NULL);
    assert_int_equal(inst.guard, 7);
    assert_true(inst.guard_negate);
    assert_int_equal(decode("NOP;", 86, NULL, NULL).guard, 7);
}

static void uniform_register_63_is_zero_only_before_sm_100(void **state)
{
    (void)state;
    assert_int_equal(decode("UMOV UR4, UR63", 90, NULL, NULL).operand_count, 1);
    assert_int_equal(decode("UMOV UR4, UR63", 100, NULL, NULL).operand_count, 2);
    assert_int_equal(decode("UMOV UR4, UR79", 120, NULL, NULL).operands[1].index, 79);
}

static void constant_operands_give_bank_and_offset(void **state)
{
    (void)state;
    struct inst inst = decode("FFMA R9, R9, c[0x0][0x170], R13", 75, NULL, NULL);
    assert_int_equal(inst.const_bank, 0);
    assert_int_equal(inst.const_offset, 0x170);
    inst = decode("HADD2 R7, -RZ.H0_H0, c[0x2] [0x8].F32", 75, NULL, NULL);
    assert_int_equal(inst.const_bank, 2);
    assert_int_equal(inst.const_offset, 8);
    inst = decode("LDC R8, c[0x3][R12+0x10]", 86, NULL, NULL);
    assert_int_equal(inst.const_bank, 3);
    assert_int_equal(inst.const_offset, 0x10);
    assert_int_equal(inst.mem_space, MEM_CONSTANT);
    assert_false(inst.flags & INST_CONST_OPERAND);
}

static void barriers_give_number_and_thread_count(void **state)
{
    (void)state;
    struct inst inst = decode("BAR.SYNC.DEFER_BLOCKING 0x3, 0x80", 86, NULL, NULL);
    assert_int_equal(inst.barrier_id, 3);
    assert_int_equal(inst.barrier_count, 128);
    inst = decode("BAR.RED.POPC.DEFER_BLOCKING 0x1, P2", 86, NULL, NULL);
    assert_int_equal(inst.barrier_id, 1);
    assert_int_equal(inst.barrier_count, 0);
    inst = decode("BAR.ARV R2, 0x40", 86, NULL, NULL);
    assert_int_equal(inst.barrier_id, 0);
    assert_int_equal(inst.barrier_count, 64);
}

static void depbar_gives_counter_limit_and_set(void **state)
{
    (void)state;
    struct inst inst = decode("DEPBAR.LE SB2, 0x1, {4,3}", 86, NULL, NULL);
    assert_int_equal(inst.depbar_counter, 2);
    assert_int_equal(inst.depbar_limit, 1);
    assert_int_equal(inst.depbar_mask, 0x18);
    inst = decode("DEPBAR {5,1}", 86, NULL, NULL);
    assert_int_equal(inst.depbar_counter, 1);
    assert_int_equal(inst.depbar_limit, 0);
    assert_int_equal(inst.depbar_mask, 0x22);
}

static void ldsm_and_stsm_give_matrix_count(void **state)
{
    (void)state;
    assert_int_equal(decode("LDSM.16.M88 R4, [R2]", 86, NULL, NULL).matrix_count, 1);
    assert_int_equal(decode("LDSM.16.MT88.2 R4, [R2]", 86, NULL, NULL).matrix_count, 2);
    assert_int_equal(decode("STSM.16.M88.4 [R2], R4", 90, NULL, NULL).matrix_count, 4);
    assert_int_equal(decode("LDS.128 R4, [R2]", 90, NULL, NULL).matrix_count, 0);
}

static void fp64_latency_is_variable_by_architecture(void **state)
{
    (void)state;
    static const struct {
        uint32_t sm;
        bool fp64, r2ur;
    } archs[] = {{75, true, true},   {80, true, true},    {86, true, true},  {89, true, true},
                 {90, false, false}, {100, false, false}, {120, true, false}};
    for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++) {
        struct inst dadd = decode("DADD R4, R6, R8", archs[i].sm, NULL, NULL);
        struct inst r2ur = decode("R2UR UR4, R6", archs[i].sm, NULL, NULL);
        assert_int_equal((dadd.flags & INST_VARIABLE) != 0, archs[i].fp64);
        assert_int_equal((r2ur.flags & INST_VARIABLE) != 0, archs[i].r2ur);
    }
}

static void encoding_gives_control_bits(void **state)
{
    (void)state;
    const uint64_t lo = 0x0000000406029981, hi = 0x000ea2000c1e1900;
    struct inst inst = decode("@!P1 LDG.E R2, desc[UR4][R6.64]", 90, &lo, &hi);
    assert_true(inst.flags & INST_HAS_CTRL);
    assert_int_equal(inst.ctrl.stall, 1);
    assert_false(inst.ctrl.yield);
    assert_int_equal(inst.ctrl.write_bar, 2);
    assert_int_equal(inst.ctrl.read_bar, NO_COUNTER);
    assert_int_equal(inst.ctrl.wait_mask, 0);
}

#define REUSE(slot) ((uint64_t)1 << (58 + (slot)))

static void reuse_bits_follow_slots_not_positions(void **state)
{
    (void)state;
    const uint64_t lo = 0x0000000200047202; /* MOV R4, R2: the source is in slot B */
    const uint64_t bit_b = REUSE(1), bit_a = REUSE(0);
    assert_true(decode("MOV R4, R2.reuse", 86, &lo, &bit_b).operands[1].reuse);
    /* The bits win over the text. */
    assert_true(decode("MOV R4, R2", 86, &lo, &bit_b).operands[1].reuse);
    assert_false(decode("MOV R4, R2.reuse", 86, &lo, &bit_a).operands[1].reuse);
}

static void reuse_bits_of_depbar_and_branches_are_ignored(void **state)
{
    (void)state;
    const uint64_t lo = 0, hi = REUSE(0) | REUSE(1) | REUSE(2);
    assert_int_equal(decode("DEPBAR.LE SB0, 0x1", 86, &lo, &hi).operand_count, 0);
    assert_false(decode("RET.REL.NODEC R4 0x0", 86, &lo, &hi).operands[0].reuse);
}

static void slots_come_from_the_encoding_where_it_differs(void **state)
{
    (void)state;
    /* SEL with its second source encoded in slot C, which the rules do not expect. */
    const uint64_t lo = (uint64_t)5 << 24 | (uint64_t)9 << 32 | 1u << 9, hi = 6;
    assert_int_equal(decode("SEL R4, R5, R6, P0", 86, &lo, &hi).operands[2].slot, 2);
}

static void unknown_opcodes_get_a_class_by_prefix(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum op_class op_class;
        uint32_t flags;
    } cases[] = {
        {"FOOBAR R1, R2", OP_CLASS_alu, 0},
        {"UFOO UR2, UR3", OP_CLASS_uniform, 0},
        {"XMMA.16816 R4, R8, R12, R4", OP_CLASS_hmma_16816_f32, 0},
        {"LDXYZ.64 R2, [R4.64]", OP_CLASS_ldg_reg, LOAD | VARIABLE},
        {"STXYZ [UR4], R2", OP_CLASS_stg_ureg, STORE | VARIABLE},
        {"ATOMXYZ R2, [R4], R6", OP_CLASS_atomg, LOAD | ATOMIC | BYPASS_L1 | VARIABLE},
        {"REDXYZ [R4], R6", OP_CLASS_redg, STORE | ATOMIC | BYPASS_L1 | VARIABLE},
        {"UTMXYZ [UR4]", OP_CLASS_tma, 0},
        {"UBLKXYZ [UR4]", OP_CLASS_tma, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct inst inst = decode(cases[i].text, 90, NULL, NULL);
        assert_int_equal(inst.opcode_id, OPCODE_UNKNOWN);
        assert_int_equal(inst.op_class, cases[i].op_class);
        assert_int_equal(inst.flags, cases[i].flags | INST_UNKNOWN);
    }
    struct inst inst = decode("LDXYZ.64 R2, [R4.64]", 90, NULL, NULL);
    assert_int_equal(inst.mem_width, 8);
    assert_int_equal(inst.operands[0].count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_decode_to_class_flags_width_and_operands),
        cmocka_unit_test(guard_is_kept_apart_from_operands),
        cmocka_unit_test(uniform_register_63_is_zero_only_before_sm_100),
        cmocka_unit_test(constant_operands_give_bank_and_offset),
        cmocka_unit_test(barriers_give_number_and_thread_count),
        cmocka_unit_test(depbar_gives_counter_limit_and_set),
        cmocka_unit_test(ldsm_and_stsm_give_matrix_count),
        cmocka_unit_test(fp64_latency_is_variable_by_architecture),
        cmocka_unit_test(encoding_gives_control_bits),
        cmocka_unit_test(reuse_bits_follow_slots_not_positions),
        cmocka_unit_test(reuse_bits_of_depbar_and_branches_are_ignored),
        cmocka_unit_test(slots_come_from_the_encoding_where_it_differs),
        cmocka_unit_test(unknown_opcodes_get_a_class_by_prefix),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}

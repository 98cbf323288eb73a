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

/* An Accel-Sim line: opcode, destinations and sources as "R4 UR5", immediate. */
struct row {
    uint32_t sm;
    const char *opcode, *dst, *src;
    int64_t imm;
    enum op_class op_class;
    uint8_t mem_width;
    const char *operands;
};

static const struct row rows[] = {
    {86, "FFMA", "R15", "R14 R15 R13", 0, OP_CLASS_fma, 0, "=R15 R14.A R15.B R13.C"},
    {86, "FFMA", "R3", "R3 R0", 0, OP_CLASS_fma, 0, "=R3 R3.A R0.C"},
    {86, "MOV", "R4", "R2", 0, OP_CLASS_alu, 0, "=R4 R2.B"},
    {86, "IADD3", "R8", "R10 R7 R255", 0, OP_CLASS_alu, 0, "=R8 R10.A R7.B"},
    {86, "IMAD.MOV.U32", "R17", "R255 R255 R11", 0, OP_CLASS_imad, 0, "=R17 R11.C"},
    {86, "IMAD.WIDE", "R4", "R6 R7", 0, OP_CLASS_imad_wide, 0, "=R4x2 R6.A R7.B"},
    {86, "IMAD.WIDE", "R4", "R6 R2", 4, OP_CLASS_imad_wide, 0, "=R4x2 R6.A R2x2.C"},
    {90, "IMAD.WIDE.U32", "R4", "R6 R2", 0, OP_CLASS_imad_wide, 0, "=R4x2 R6.A R2x2.C"},
    {86, "ISETP.GE.AND", "", "R0 R15", 0, OP_CLASS_predicate, 0, "R0.A R15.B"},
    {86, "MUFU.RCP", "R4", "R4", 0, OP_CLASS_xu, 0, "=R4 R4.B"},
    {86, "DFMA", "R4", "R6 R8 R10", 0, OP_CLASS_fp64, 0, "=R4x2 R6x2.A R8x2.B R10x2.C"},
    {86, "HMMA.16816.F32", "R8", "R16 R24 R8", 0, OP_CLASS_hmma_16816_f32, 0,
     "=R8x4 R16x4.A R24x2.B R8x4.C"},
    {90, "HMMA.16816.F32", "R8 R9 R10 R11", "R16 R24 R8", 0, OP_CLASS_hmma_16816_f32, 0,
     "=R8x4 R16x4.A R24x2.B R8x4.C"},
    {86, "SHFL.IDX", "R5", "R2 R255", 31, OP_CLASS_shfl, 0, "=R5 R2.A"},
    {86, "S2R", "R0", "", 0, OP_CLASS_s2r, 0, "=R0"},
    {86, "CS2R", "R2", "", 0, OP_CLASS_cs2r, 0, "=R2x2"},
    {86, "LDG.E", "R4", "R6", 0, OP_CLASS_ldg_reg, 4, "=R4 @R6x2.A"},
    {86, "LDG.E.128.CONSTANT", "R4", "R6", 0, OP_CLASS_ldg_reg, 16, "=R4x4 @R6x2.A"},
    {86, "LDG.E", "R4", "", 0, OP_CLASS_ldg_ureg, 4, "=R4"},
    {90, "LDG.E.64", "R4", "UR4 R6", 0, OP_CLASS_ldg_reg, 8, "=R4x2 @UR4x2 @R6x2.A"},
    {86, "LD.E", "R4", "R6", 0, OP_CLASS_ldg_reg, 4, "=R4 @R6x2.A"},
    {86, "LDL.128", "R4", "R6", 0, OP_CLASS_ldg_reg, 16, "=R4x4 @R6.A"},
    {86, "LDS.U16", "R3", "R2", 0, OP_CLASS_lds_reg, 2, "=R3 @R2.A"},
    {86, "LDS.128", "R8", "R255", 0, OP_CLASS_lds_ureg, 16, "=R8x4"},
    {86, "LDSM.16.M88.4", "R8", "R2", 0, OP_CLASS_ldsm, 16, "=R8x4 @R2.A"},
    {86, "LDC", "R1", "", 0, OP_CLASS_ldc_imm, 4, "=R1"},
    {86, "LDC.64", "R2", "R6", 0, OP_CLASS_ldc_reg, 8, "=R2x2 @R6.A"},
    {86, "STG.E", "", "R10 R8", 0, OP_CLASS_stg_reg, 4, "@R10x2.A R8.B"},
    {86, "STG.E.128", "", "R10 R4", 0, OP_CLASS_stg_reg, 16, "@R10x2.A R4x4.B"},
    {86, "STG.E", "", "R8", 0, OP_CLASS_stg_ureg, 4, "R8.B"},
    {86, "STG.E.U8", "", "R4 R255", 0, OP_CLASS_stg_reg, 1, "@R4x2.A"},
    {86, "STS.64", "", "R2 R8", 0, OP_CLASS_sts_reg, 8, "@R2.A R8x2.B"},
    {90, "STS", "", "UR4 R8", 0, OP_CLASS_sts_ureg, 4, "@UR4 R8.B"},
    {86, "LDGSTS.E.BYPASS.128", "", "R6 R14", 0, OP_CLASS_ldgsts, 16, "@R6.B @R14x2.A"},
    {86, "LDGSTS.E.BYPASS.128", "", "R14", 0, OP_CLASS_ldgsts, 16, "@R14x2.A"},
    {86, "ATOMG.E.CAS.64.STRONG.GPU", "R2", "R4 R6 R8", 0, OP_CLASS_atomg, 8,
     "=R2x2 @R4x2.A R6x2.B R8x2.C"},
    {86, "ATOMS.ADD", "R2", "R4 R6", 0, OP_CLASS_atoms, 4, "=R2 @R4.A R6.B"},
    {86, "ATOMS.POPC.INC.32", "R255", "R4", 0, OP_CLASS_atoms, 4, "@R4.A"},
    {86, "RED.E.ADD.F64.RN.STRONG.GPU", "", "R4 R6", 0, OP_CLASS_redg, 8, "@R4x2.A R6x2.B"},
    {86, "RET.REL.NODEC", "", "R4", 0, OP_CLASS_branch, 0, "R4x2.A"},
    {86, "BAR.SYNC.DEFER_BLOCKING", "", "", 1, OP_CLASS_barrier, 0, ""},
    {86, "EXIT", "", "", 0, OP_CLASS_branch, 0, ""},
    {86, "FOOBAR.X", "R1", "R2", 0, OP_CLASS_alu, 0, "=R1 R2.A"},
    {86, "LDFOO.64", "R2", "R4", 0, OP_CLASS_ldg_reg, 8, "=R2x2 @R4.A"},
};

static uint32_t read_regs(const char *text, struct trace_reg *out)
{
    uint32_t n = 0;
    while (*text) {
        bool uniform = *text == 'U';
        unsigned index;
        int used;
        assert_int_equal(sscanf(text + uniform, "R%u%n", &index, &used), 1);
        out[n++] = (struct trace_reg){uniform ? REG_UNIFORM : REG_GENERAL, (uint16_t)index};
        text += used + uniform;
        text += *text == ' ';
    }
    return n;
}

static struct inst from_row(const struct row *r, struct arena *arena)
{
    struct trace_reg dst[8], src[8];
    uint32_t n_dst = read_regs(r->dst, dst), n_src = read_regs(r->src, src);
    struct inst inst;
    struct sim_err err = {0};
    if (!inst_from_trace(&inst, r->opcode, 0x80, r->sm, dst, n_dst, src, n_src, r->imm, arena,
                         &err))
        fail_msg("%s: %s", r->opcode, err.msg);
    return inst;
}

static void lines_decode_to_class_width_and_operands(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        struct inst inst = from_row(r, &arena);
        char operands[256];
        operand_text(&inst, operands, sizeof operands);
        if (inst.op_class != r->op_class)
            fail_msg("%s: class %s", r->opcode, op_class_name((enum op_class)inst.op_class));
        if (inst.mem_width != r->mem_width)
            fail_msg("%s: %u bytes a lane", r->opcode, inst.mem_width);
        if (strcmp(operands, r->operands) != 0)
            fail_msg("%s: operands \"%s\"", r->opcode, operands);
        assert_string_equal(inst.opcode, r->opcode);
        assert_null(inst.text);
        assert_int_equal(inst.pc, 0x80);
        assert_int_equal(inst.guard, 7);
        assert_false(inst.flags & INST_HAS_CTRL);
    }
    arena_free(&arena);
}

static void depbar_takes_its_limit_from_the_immediate(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct row r = {.sm = 86, .opcode = "DEPBAR.LE", .dst = "", .src = "", .imm = 3};
    struct inst inst = from_row(&r, &arena);
    assert_true(inst.flags & INST_DEPBAR);
    assert_int_equal(inst.depbar_limit, 3);
    assert_int_equal(inst.depbar_counter, 0);
    arena_free(&arena);
}

static void predicate_results_are_flagged_though_not_listed(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct row r = {.sm = 86, .opcode = "ISETP.NE.AND", .dst = "", .src = "R1"};
    assert_true(from_row(&r, &arena).flags & INST_PREDICATE_DEST);
    r.opcode = "IADD3";
    r.dst = "R2";
    assert_false(from_row(&r, &arena).flags & INST_PREDICATE_DEST);
    arena_free(&arena);
}

static void refuses(const char *opcode, uint32_t n_dst, struct trace_reg reg, int64_t imm,
                    const char *message)
{
    struct arena arena = {0};
    struct inst inst;
    struct sim_err err = {0};
    struct trace_reg dst[32];
    for (uint32_t i = 0; i < 32; i++)
        dst[i] = reg;
    assert_false(inst_from_trace(&inst, opcode, 0, 86, dst, n_dst, NULL, 0, imm, &arena, &err));
    assert_int_equal(err.code, ERR_INPUT);
    if (!strstr(err.msg, message))
        fail_msg("%s: %s", opcode, err.msg);
    arena_free(&arena);
}

static void impossible_lines_are_errors(void **state)
{
    (void)state;
    const struct trace_reg r4 = {REG_GENERAL, 4};
    refuses("", 0, r4, 0, "expected an opcode");
    refuses("7f", 0, r4, 0, "expected an opcode");
    refuses("MOV R1", 0, r4, 0, "expected an opcode");
    refuses("MOV", 13, r4, 0, "more than 12 registers");
    refuses("MOV", UINT32_MAX, r4, 0, "more than 12 registers");
    refuses("MOV", 1, (struct trace_reg){REG_GENERAL, 256}, 0, "out of range");
    refuses("MOV", 1, (struct trace_reg){REG_FILE_COUNT, 1}, 0, "out of range");
    refuses("DEPBAR.LE", 0, r4, 64, "counter limit");
    refuses("DEPBAR.LE", 0, r4, -1, "counter limit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_decode_to_class_width_and_operands),
        cmocka_unit_test(depbar_takes_its_limit_from_the_immediate),
        cmocka_unit_test(predicate_results_are_flagged_though_not_listed),
        cmocka_unit_test(impossible_lines_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

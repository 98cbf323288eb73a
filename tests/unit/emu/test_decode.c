#include "machine_support.h"

struct decoded {
    struct emu_op op;
    struct emu_decode d;
    struct inst inst;
    struct arena arena;
    struct sim_err err;
};

static bool constant(void *user, uint32_t bank, uint32_t offset, uint32_t *word,
                     struct sim_err *err)
{
    (void)user;
    *word = bank << 16 | offset;
    return bank != 9 || err_set(err, ERR_INPUT, NULL, 0, 0, "no such bank");
}

static void parse(struct decoded *x, const char *text, uint32_t sm, uint64_t lo)
{
    *x = (struct decoded){0};
    uint64_t hi = 0;
    struct sass_place at = {"test", 1, sm};
    assert_true(inst_from_text(&x->inst, text, 0x120, sm, &lo, &hi, &x->arena, "test", 1, &x->err));
    x->d = (struct emu_decode){.inst = &x->inst,
                               .lo = lo,
                               .sm = sm,
                               .kernel = "k",
                               .arena = &x->arena,
                               .constant = constant};
    assert_true(sass_text_parse(&x->d.text, x->inst.text, &at, &x->err));
}

/* Source of argument `arg` of an instruction. */
static struct emu_source source(struct decoded *x, const char *text, uint32_t arg, uint32_t bits,
                                bool as_float, uint64_t lo)
{
    parse(x, text, 90, lo);
    if (!emu_source_from_arg(&x->op, &x->d, arg, bits, as_float, &x->err))
        fail_msg("%s", x->err.msg);
    assert_int_equal(x->op.source_count, 1);
    return x->op.source[0];
}

static void done(struct decoded *x)
{
    arena_free(&x->arena);
    err_clear(&x->err);
}

static void registers_carry_their_modifiers(void **state)
{
    (void)state;
    struct decoded x;
    struct emu_source s = source(&x, "FADD R0, -|R2.reuse|, R3", 1, 32, false, 0);
    assert_true(s.kind == EMU_SRC_REG && s.reg == 2 && s.neg && s.abs && !s.inv);
    done(&x);
    s = source(&x, "HADD2 R0, -R2.H1_H1, R3.H0_H0", 1, 32, false, 0);
    assert_true(s.reg == 2 && s.neg && s.half == 2);
    done(&x);
    s = source(&x, "HADD2 R0, -R2.H1_H1, R3.H0_H0", 2, 32, false, 0);
    assert_true(s.reg == 3 && !s.neg && s.half == 1);
    done(&x);
    s = source(&x, "IADD3.X R5, R3, ~R4, RZ, P0, !PT", 2, 32, false, 0);
    assert_true(s.reg == 4 && s.inv && !s.neg);
    done(&x);
    s = source(&x, "IADD3.X R5, R3, ~R4, RZ, P0, !PT", 3, 32, false, 0);
    assert_true(s.kind == EMU_SRC_REG && s.reg == REG_RZ);
    done(&x);
    s = source(&x, "IADD3 R5, R3, UR7, RZ", 2, 32, false, 0);
    assert_true(s.kind == EMU_SRC_UREG && s.reg == 7);
    done(&x);
}

static void zero_of_the_uniform_registers_is_a_value(void **state)
{
    (void)state;
    struct decoded x;
    struct emu_source s = source(&x, "BRA.DIV ~URZ, 0x40", 0, 32, false, 0);
    assert_true(s.kind == EMU_SRC_VALUE && s.value == 0 && s.inv);
    done(&x);
    parse(&x, "IADD3 R5, R3, UR63, RZ", 100, 0);
    assert_true(emu_source_from_arg(&x.op, &x.d, 2, 64, false, &x.err));
    assert_true(x.op.source[0].kind == EMU_SRC_UREG && x.op.source[0].reg == 63);
    done(&x);
    parse(&x, "IADD3 R5, R3, UR63, RZ", 90, 0);
    assert_true(emu_source_from_arg(&x.op, &x.d, 2, 64, false, &x.err));
    assert_true(x.op.source[0].kind == EMU_SRC_VALUE && x.op.source[0].lanes_hi[31] == 0);
    done(&x);
}

static void integers_come_from_the_text(void **state)
{
    (void)state;
    struct decoded x;
    struct emu_source s = source(&x, "IADD3 R0, R1, -0x10, RZ", 2, 32, false, 0);
    assert_true(s.kind == EMU_SRC_VALUE && !s.neg);
    assert_int_equal(s.value, 0xfffffff0u);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        assert_int_equal(s.lanes[i], 0xfffffff0u);
    done(&x);
    s = source(&x, "IADD.64 R0, R2, -0x10", 2, 64, false, 0);
    assert_true(s.value == 0xfffffffffffffff0u);
    assert_int_equal(s.lanes[5], 0xfffffff0u);
    assert_int_equal(s.lanes_hi[31], 0xffffffffu);
    done(&x);
}

static void floats_come_from_the_encoding(void **state)
{
    (void)state;
    struct decoded x;
    struct emu_source s = source(&x, "FMUL R0, R0, -1.4427", 2, 32, true, 0xbfb8aa3b00007820);
    assert_true(s.value == 0xbfb8aa3b && !s.neg);
    done(&x);
    s = source(&x, "FADD R0, R0, -1", 2, 32, true, 0xbf80000000007421);
    assert_true(s.value == 0xbf800000 && !s.neg && s.lanes[3] == 0xbf800000);
    done(&x);
    s = source(&x, "FADD R0, R0, -QNAN", 2, 32, true, 0xffc0000000007421);
    assert_true(s.value == 0xffc00000);
    done(&x);
    s = source(&x, "DADD R2, R2, 0.5", 2, 64, true, 0x3fe0000000007429);
    assert_true(s.value == 0x3fe0000000000000 && s.lanes[0] == 0);
    assert_int_equal(s.lanes_hi[0], 0x3fe00000);
    done(&x);
    s = source(&x, "HFMA2.MMA R3, -RZ, RZ, 1.49e-06, 1549", 3, 32, true, 0x0019660dff037435);
    assert_int_equal(s.value, 0x0019660d);
    done(&x);
}

static void constants_are_read_at_once(void **state)
{
    (void)state;
    struct decoded x;
    struct emu_source s = source(&x, "IADD3 R0, R1, -c[0x0][0x168], RZ", 2, 32, false, 0);
    assert_true(s.kind == EMU_SRC_VALUE && s.value == 0x168 && s.neg);
    done(&x);
    s = source(&x, "DADD R0, R2, c[0x3][0x10]", 2, 64, true, 0);
    assert_true(s.value == 0x0003001400030010u && s.lanes_hi[9] == 0x00030014);
    done(&x);
    parse(&x, "IADD3 R0, R1, c[0x9][0x168], RZ", 90, 0);
    assert_false(emu_source_from_arg(&x.op, &x.d, 2, 32, false, &x.err));
    assert_string_equal(x.err.msg, "no such bank");
    done(&x);
    parse(&x, "IADD3 R0, R1, c[0x0][R2+0x168], RZ", 90, 0);
    assert_false(emu_source_from_arg(&x.op, &x.d, 2, 32, false, &x.err));
    assert_non_null(strstr(x.err.msg, "kernel k: pc 0x0120: IADD3 R0"));
    done(&x);
}

static void destinations_and_predicates_are_found(void **state)
{
    (void)state;
    struct decoded x;
    parse(&x, "ISETP.GE.AND P3, PT, RZ, R2, !UP1", 90, 0);
    assert_true(emu_pdest_from_arg(&x.op, 0, &x.d, 0, &x.err));
    assert_true(emu_pdest_from_arg(&x.op, 1, &x.d, 1, &x.err));
    assert_true(x.op.pdest[0] == 3 && x.op.pdest[1] == 7);
    assert_true(emu_psource_from_arg(&x.op, 2, &x.d, 4, &x.err));
    assert_true(x.op.psource[2].index == 1 && x.op.psource[2].neg && x.op.psource[2].uniform);
    assert_true(emu_dest_from_arg(&x.op, &x.d, 2, &x.err));
    assert_int_equal(x.op.dest, EMU_SINK);
    assert_true(emu_dest_from_arg(&x.op, &x.d, 3, &x.err));
    assert_int_equal(x.op.dest, 2);
    assert_false(emu_dest_from_arg(&x.op, &x.d, 5, &x.err));
    assert_non_null(strstr(x.err.msg, "expected at least 6 operands, found 5"));
    err_clear(&x.err);
    assert_false(emu_dest_from_arg(&x.op, &x.d, 0, &x.err));
    assert_non_null(strstr(x.err.msg, "expected a destination register, found \"P3\""));
    err_clear(&x.err);
    assert_false(emu_psource_from_arg(&x.op, 0, &x.d, 3, &x.err));
    assert_non_null(strstr(x.err.msg, "expected a predicate, found \"R2\""));
    done(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_carry_their_modifiers),
        cmocka_unit_test(zero_of_the_uniform_registers_is_a_value),
        cmocka_unit_test(integers_come_from_the_text),
        cmocka_unit_test(floats_come_from_the_encoding),
        cmocka_unit_test(constants_are_read_at_once),
        cmocka_unit_test(destinations_and_predicates_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

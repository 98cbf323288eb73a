/* Joining a trace with the SASS of its function. */
#include "trace_support.h"

#define HEAD "\tcode for sm_86\n\t\tFunction : k\n\t.headerflags\t@\"X\"\n"
#define LDG                                                                                        \
    "        /*0000*/              @!P1 LDG.E R2, desc[UR4][R6.64] ;   /* 0x0000000406029981 */\n" \
    "                                                                  /* 0x000ea2000c1e1900 */\n"
#define EXIT                                                                                       \
    "        /*0010*/                   EXIT ;                         /* 0x000000000000794d */\n" \
    "                                                                  /* 0x000fea0003800000 */\n"

static char sass_path[64];
static struct sass_file *sass;

static void load_sass(const char *text)
{
    struct sim_err err = {0};
    temp_write(sass_path, text, strlen(text));
    if (!sass_file_load(&sass, sass_path, &err))
        fail_msg("%s", err.msg);
    unlink(sass_path);
}

static int setup(void **state)
{
    (void)state;
    load_sass(HEAD LDG EXIT);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sass_file_free(sass);
    return 0;
}

static bool open_text(struct kernel **k, const char *text, struct diag *diag, struct sim_err *err)
{
    char path[64];
    temp_write(path, text, strlen(text));
    bool ok = accelsim_open(k, path, sass, diag, err);
    unlink(path);
    return ok;
}

#define LINE_LDG(opcode) "0000 00000003 1 R2 " opcode " 1 R6 4 1 0x100 4 0\n"

static void control_bits_and_operands_come_from_the_sass(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k;
    const char *text = HEADER("5") ONE_WARP("2", LINE_LDG("LDG.E") "0010 ffffffff 0 EXIT 0 0 0\n");
    if (!open_text(&k, text, &diag, &err))
        fail_msg("%s", err.msg);
    assert_true(k->has_ctrl);
    struct buf out = {0};
    assert_true(dump_kernel(k, &out, &err));
    assert_string_equal(out.data, "cta 0,0,0\n0: 0000 LDG.E 00000003 global/4 0x100+4\n"
                                  "0: 0010 EXIT ffffffff\n");
    assert_true(k->insts[0]->flags & INST_HAS_CTRL);
    assert_int_equal(k->insts[0]->guard, 1);
    assert_true(k->insts[0]->guard_negate);
    assert_int_equal(k->insts[0]->ctrl.write_bar, 2);
    assert_non_null(k->insts[0]->text);
    assert_int_equal(k->inst_count, 2);
    expect_warning(&diag, "CTAs of the grid");
    expect_warning(&diag, "a warp of a CTA has no instructions");
    assert_int_equal(diag.count, 2);
    assert_int_equal(diag.items[0].count, 1); /* reading twice warns once */
    buf_free(&out);
    accelsim_close(k);
}

static void raw_traces_are_joined_too(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k;
    const char *text = HEADER("5") "0 0 0 1 0010 ffffffff 0 EXIT 0 0 0\n"
                                   "0 0 0 0 0010 ffffffff 0 EXIT 0 0 0\n";
    if (!open_text(&k, text, &diag, &err))
        fail_msg("%s", err.msg);
    assert_true(k->has_ctrl);
    struct buf out = {0};
    assert_true(dump_kernel(k, &out, &err));
    assert_string_equal(out.data, "cta 0,0,0\n0: 0010 EXIT ffffffff\n1: 0010 EXIT ffffffff\n");
    buf_free(&out);
    accelsim_close(k);
}

static void another_opcode_at_a_pc_is_an_error(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k;
    assert_false(
        open_text(&k, HEADER("5") ONE_WARP("1", "0010 ffffffff 0 NOP 0 0 0\n"), &diag, &err));
    assert_string_equal(err.msg, "kernel k, CTA 0,0,0, warp 0: expected EXIT at pc 0x10 as in the "
                                 "SASS, found NOP");
    assert_int_equal(err.line, FIRST_LINE);
}

static void other_modifiers_are_a_warning(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k;
    assert_true(open_text(&k, HEADER("5") ONE_WARP("1", LINE_LDG("LDG.E.CONSTANT")), &diag, &err));
    expect_warning(&diag, "kernel k: the SASS has LDG.E at pc 0x0, the trace LDG.E.CONSTANT");
    assert_true(k->has_ctrl);
    accelsim_close(k);
}

static void a_pc_without_sass_takes_the_control_bits_away(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k;
    const char *text = HEADER("5") ONE_WARP("2", LINE_LDG("LDG.E") "0020 ffffffff 0 EXIT 0 0 0\n");
    assert_true(open_text(&k, text, &diag, &err));
    assert_false(k->has_ctrl);
    expect_warning(&diag, "1 instructions of the trace have no control bits in the SASS");
    accelsim_close(k);
}

static void a_function_that_the_sass_lacks_is_a_warning(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k;
    const char *text = "-kernel name = other\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
                       "-binary version = 86\n-accelsim tracer version = 5\n#\n" ONE_WARP(
                           "1", "0010 ffffffff 0 EXIT 0 0 0\n");
    assert_true(open_text(&k, text, &diag, &err));
    assert_false(k->has_ctrl);
    expect_warning(&diag, "kernel other: the SASS has no function of this name");
    assert_int_equal(diag.count, 1);
    accelsim_close(k);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(control_bits_and_operands_come_from_the_sass),
        CASE(raw_traces_are_joined_too),
        CASE(another_opcode_at_a_pc_is_an_error),
        CASE(other_modifiers_are_a_warning),
        CASE(a_pc_without_sass_takes_the_control_bits_away),
        CASE(a_function_that_the_sass_lacks_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

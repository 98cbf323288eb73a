#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/sass_file.h"

#define SHARED_SASS SUBCORE_SOURCE_DIR "/../shared/sass/"

static char path[64];
static struct sim_err err;
static struct sass_file *file;

static bool load_text(const char *text)
{
    strcpy(path, "/tmp/subcore_sass_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (long)strlen(text));
    close(fd);
    bool ok = sass_file_load(&file, path, &err);
    unlink(path);
    return ok;
}

static void expect_error(const char *text, uint32_t line, const char *message)
{
    assert_false(load_text(text));
    assert_string_equal(err.msg, message);
    assert_int_equal(err.line, line);
    assert_string_equal(err.file, path);
    err_clear(&err);
}

static int teardown(void **state)
{
    (void)state;
    sass_file_free(file);
    file = NULL;
    err_clear(&err);
    return 0;
}

#define HEAD "\tcode for sm_90a\n\t.target\tsm_90a\n\n\t\tFunction : f\n\t.headerflags\t@\"X\"\n"
#define LDG                                                                                        \
    "        /*0000*/              @!P1 LDG.E R2, desc[UR4][R6.64] ;   /* 0x0000000406029981 */\n" \
    "                                                                  /* 0x000ea2000c1e1900 */\n"
#define EXIT                                                                                       \
    "        /*0010*/                   EXIT ;                         /* 0x000000000000794d */\n" \
    "                                                                  /* 0x000fea0003800000 */\n"

static void source_comments_give_file_and_line(void **state)
{
    (void)state;
    assert_true(load_text(
        HEAD "\t//## File \"/src/a.h\", line 3 inlined at \"/src/b.cu\", line 12\n"
             "\t//## File \"/src/b.cu\", line 12\n" LDG "\t//## File \"/src/c.cu\", line 7\n" EXIT
             "\t\t..........\n\n\t\tFunction : g\n" LDG));
    const struct sass_function *f = sass_file_find(file, "f");
    assert_string_equal(f->insts[0].source, "/src/b.cu");
    assert_int_equal(f->insts[0].line, 12);
    assert_string_equal(f->insts[1].source, "/src/c.cu");
    assert_int_equal(f->insts[1].line, 7);
    assert_null(sass_file_find(file, "g")->insts[0].source);
}

static void cuobjdump_function_is_decoded_with_control_bits(void **state)
{
    (void)state;
    assert_true(load_text(HEAD LDG EXIT "\t\t..........\n\n\t\tFunction : g\n" LDG));
    assert_int_equal(sass_file_count(file), 2);
    const struct sass_function *f = sass_file_find(file, "f");
    assert_ptr_equal(f, sass_file_function(file, 0));
    assert_string_equal(sass_file_function(file, 1)->name, "g");
    assert_null(sass_file_find(file, "h"));
    assert_int_equal(f->sm, 90);
    assert_int_equal(f->inst_count, 2);
    const struct inst *in = &f->insts[0];
    assert_string_equal(in->opcode, "LDG.E");
    assert_int_equal(in->guard, 1);
    assert_true(in->guard_negate);
    assert_true((in->flags & INST_HAS_CTRL) != 0);
    assert_int_equal(in->ctrl.write_bar, 2);
    assert_int_equal(in->ctrl.read_bar, NO_COUNTER);
    assert_int_equal(in->ctrl.stall, 1);
    assert_int_equal(f->insts[1].pc, 16);
    assert_true((f->insts[1].flags & INST_EXIT) != 0);
}

static void nvdisasm_follows_text_sections_only(void **state)
{
    (void)state;
    assert_true(load_text("\t.target\tsm_86\n"
                          "\t.section\t.debug_frame,\"\",@progbits\n.debug_frame:\n"
                          "        /*0000*/ \t.byte\t0xff, 0xff\n"
                          "        /*0010*/ \t.dword\tf\n"
                          "\t.section\t.text.f,\"ax\",@progbits\n\t.align\t128\n"
                          "        .global         f\nf:\n.text.f:\n"
                          "\t//## File \"/x line 7/k.cu\", line 12\n" LDG ".L_x_0:\n" EXIT
                          "\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"\n"
                          "        /*0000*/ \t.byte\t0x04\n"));
    assert_int_equal(sass_file_count(file), 1);
    const struct sass_function *f = sass_file_find(file, "f");
    assert_non_null(f);
    assert_int_equal(f->sm, 86);
    assert_int_equal(f->inst_count, 2);
    assert_int_equal(f->insts[0].line, 12);
}

static void instruction_without_semicolon_is_read(void **state)
{
    (void)state;
    assert_true(
        load_text(HEAD "/*0000*/ ERRBAR  /* 0x00000000000079ab */\n /* 0x000fea0003800000 */\n"));
    assert_string_equal(sass_file_function(file, 0)->insts[0].opcode, "ERRBAR");
}

static void nvdisasm_branch_label_is_read(void **state)
{
    (void)state;
    assert_true(load_text(HEAD "/*0000*/ BRA `(.L_x_313);  /* 0xfffffffc00fc7947 */\n"
                               " /* 0x000fc0000383ffff */\n"));
    assert_true((sass_file_function(file, 0)->insts[0].flags & INST_BRANCH) != 0);
}

static void faults_name_file_and_line(void **state)
{
    (void)state;
    expect_error("", 0,
                 "no SASS function found: expected the output of cuobjdump -sass or nvdisasm -hex");
    expect_error(HEAD "/*0000*/ EXIT ; /* 0x000000000000794d */\n", 6,
                 "the instruction at 0x0 has no second line with its high word");
    expect_error(HEAD "/*0000*/ EXIT ; /* 0x000000000000794d */\n\n", 6,
                 "the instruction at 0x0 has no second line with its high word");
    expect_error(HEAD " /* 0x000fea0003800000 */\n", 6,
                 "a high word without an instruction on the line before");
    expect_error(HEAD EXIT, 6, "expected offset 0x0, found 0x10");
    expect_error(HEAD LDG "/*0008*/ EXIT ; /* 0x000000000000794d */\n", 8,
                 "expected offset 0x10, found 0x8 (code before sm_70 is not supported)");
    expect_error(HEAD "/*0000*/ EXIT ;\n", 6,
                 "the instruction at 0x0 has no encoding (use cuobjdump -sass or nvdisasm -hex)");
    expect_error(HEAD "/*0000*/ EXIT ; /* 0x0000000g */\n", 6,
                 "the encoding is not a word as /* 0x0123456789abcdef */");
    expect_error(HEAD "/*zz*/ EXIT ;\n", 6,
                 "the offset is not a hexadecimal number of at most 32 bits");
    expect_error(HEAD "/*0000*/ ; /* 0x000000000000794d */\n", 6,
                 "no instruction before the end of the line");
    expect_error(HEAD "garbage\n", 6, "expected an instruction, found text");
    expect_error(HEAD "\t\t..........\n", 6, "function \"f\" holds no instructions");
    expect_error("code for sm_90\n" LDG, 2,
                 "an instruction outside a function: expected \"Function : NAME\" or a section "
                 ".text.NAME before it");
}

/* Totals counted with grep over lines that begin with an offset. */
static const struct {
    const char *name;
    uint32_t sm, insts;
} dumps[] = {
    {"kernels.sm_75.sass.gz", 75, 9808},    {"kernels.sm_80.sass.gz", 80, 10208},
    {"kernels.sm_86.sass.gz", 86, 10192},   {"kernels.sm_89.sass.gz", 89, 10192},
    {"kernels.sm_90.sass.gz", 90, 10448},   {"kernels.sm_100.sass.gz", 100, 10712},
    {"kernels.sm_120.sass.gz", 120, 10728}, {"kernels.sm_90.nvdisasm-hex.gz", 90, 10448},
};

static void load_shared(struct sass_file **out, const char *name)
{
    char full[512], message[3000];
    snprintf(full, sizeof full, "%s%s", SHARED_SASS, name);
    if (access(full, R_OK) != 0)
        skip();
    if (!sass_file_load(out, full, &err)) {
        err_format(&err, message, sizeof message);
        fail_msg("%s", message);
    }
}

static void real_dumps_are_read_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dumps / sizeof dumps[0]; i++) {
        load_shared(&file, dumps[i].name);
        assert_int_equal(sass_file_count(file), 45);
        uint32_t insts = 0;
        for (size_t f = 0; f < 45; f++) {
            const struct sass_function *fn = sass_file_function(file, f);
            assert_int_equal(fn->sm, dumps[i].sm);
            assert_ptr_equal(sass_file_find(file, fn->name), fn);
            insts += fn->inst_count;
        }
        assert_int_equal(insts, dumps[i].insts);
        sass_file_free(file);
        file = NULL;
    }
}

static void cuobjdump_and_nvdisasm_agree(void **state)
{
    (void)state;
    struct sass_file *other = NULL;
    load_shared(&file, "kernels.sm_90.sass.gz");
    load_shared(&other, "kernels.sm_90.nvdisasm-hex.gz");
    for (size_t f = 0; f < sass_file_count(file); f++) {
        const struct sass_function *a = sass_file_function(file, f);
        const struct sass_function *b = sass_file_find(other, a->name);
        assert_non_null(b);
        assert_int_equal(a->inst_count, b->inst_count);
        for (uint32_t i = 0; i < a->inst_count; i++) {
            const struct inst *x = &a->insts[i], *y = &b->insts[i];
            assert_string_equal(x->opcode, y->opcode);
            assert_int_equal(x->pc, y->pc);
            assert_int_equal(x->flags, y->flags);
            assert_int_equal(x->ctrl.stall, y->ctrl.stall);
            assert_int_equal(x->ctrl.wait_mask, y->ctrl.wait_mask);
            assert_true(a->words[i].lo == b->words[i].lo && a->words[i].hi == b->words[i].hi);
        }
    }
    const struct sass_function *nothing = sass_file_find(other, "nothing");
    assert_int_equal(nothing->words[0].lo, 0x00000a00ff017b82);
    assert_int_equal(sass_file_find(file, "nothing")->label_count, 0);
    assert_true(nothing->label_count >= 3);
    assert_string_equal(nothing->labels[0].name, "nothing");
    assert_int_equal(nothing->labels[0].inst, 0);
    assert_string_equal(nothing->labels[2].name, ".L_x_0");
    assert_int_equal(nothing->labels[2].inst, 6);
    assert_int_equal(sass_file_find(other, "vecadd")->insts[1].line, 12);
    sass_file_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(source_comments_give_file_and_line, teardown),
        cmocka_unit_test_teardown(cuobjdump_function_is_decoded_with_control_bits, teardown),
        cmocka_unit_test_teardown(nvdisasm_follows_text_sections_only, teardown),
        cmocka_unit_test_teardown(instruction_without_semicolon_is_read, teardown),
        cmocka_unit_test_teardown(nvdisasm_branch_label_is_read, teardown),
        cmocka_unit_test_teardown(faults_name_file_and_line, teardown),
        cmocka_unit_test_teardown(real_dumps_are_read_whole, teardown),
        cmocka_unit_test_teardown(cuobjdump_and_nvdisasm_agree, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Versions of the tracer, headers, blocks and warps. */
#include "trace_support.h"

static void version_3_has_no_immediate(void **state)
{
    (void)state;
    expect_dump(HEADER("3") ONE_WARP("3", "0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 \n"
                                          "0010 0000000f 1 R8 LDG.E.64 1 R4 8 1 0x1000 8 \n"
                                          "0020 ffffffff 0 EXIT 0 0 \n"),
                "cta 0,0,0\n0: 0000 IMAD.MOV.U32 ffffffff\n"
                "0: 0010 LDG.E.64 0000000f global/8 0x1000+8\n0: 0020 EXIT ffffffff\n",
                NULL);
    expect_error(HEADER("3") ONE_WARP("1", "0000 ffffffff 0 EXIT 0 0 7\n"), FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected the end of the line, found '7'");
}

static void version_4_with_and_without_immediate(void **state)
{
    (void)state;
    expect_dump(HEADER("4") ONE_WARP("4", "0000 ffffffff 1 R0 S2R 0 0 \n"
                                          "0010 00000003 0 STG.E 2 R10 R8 4 2 0x100 256 \n"
                                          "0010 00000003 0 STG.E 2 R10 R8 4 2 0x100 256 0 \n"
                                          "0020 ffffffff 0 DEPBAR.LE 0 0 1 \n"),
                "cta 0,0,0\n0: 0000 S2R ffffffff\n0: 0010 STG.E 00000003 global/4 0x100+256\n"
                "0: 0010 STG.E 00000003 global/4 0x100+256\n0: 0020 DEPBAR.LE ffffffff\n",
                NULL);
}

static void version_5_requires_the_immediate(void **state)
{
    (void)state;
    expect_error(HEADER("5") ONE_WARP("1", "0000 ffffffff 1 R0 S2R 0 0 \n"), FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected an immediate, found the end of the line");
    expect_dump(HEADER("5") ONE_WARP("1", "0000 ffffffff 1 R0 MOV 0 0 -12 \n"),
                "cta 0,0,0\n0: 0000 MOV ffffffff\n", NULL);
}

static void version_1_2_repeats_cta_and_warp_on_lines(void **state)
{
    (void)state;
    expect_dump(HEADER("1.2") ONE_WARP("2", "0 0 0 0 00d0 ffffffff 1 R0 S2R 0 0 \n"
                                            "0 0 0 0 00e0 00000003 1 R2 LDG.E 1 R4 4 0 0x8 0x20\n"),
                "cta 0,0,0\n0: 00d0 S2R ffffffff\n0: 00e0 LDG.E 00000003 global/4 0x8+24\n", NULL);
    expect_error(HEADER("1.2") ONE_WARP("1", "0 0 0 1 00d0 ffffffff 1 R0 S2R 0 0 \n"), FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected a line of this CTA and warp, found one of "
                 "0,0,0 warp 1");
}

static void missing_version_takes_both_line_starts(void **state)
{
    (void)state;
    expect_dump(HEADER_OF("") ONE_WARP("1", "0 0 0 0 00d0 ffffffff 1 R0 S2R 0 0 \n"),
                "cta 0,0,0\n0: 00d0 S2R ffffffff\n", NULL);
    expect_dump(HEADER_OF("") ONE_WARP("1", "00d0 ffffffff 1 R0 S2R 0 0 \n"),
                "cta 0,0,0\n0: 00d0 S2R ffffffff\n", NULL);
}

static void first_tracer_lists_addresses_without_a_mode(void **state)
{
    (void)state;
    expect_dump(HEADER_OF("") ONE_WARP("2", "0 0 0 0 0010 00000005 1 R2 LDG.E 1 R4 4 0x10 0x40\n"
                                            "0 0 0 0 0010 00000000 1 R2 LDG.E 1 R4 4 \n"),
                "cta 0,0,0\n0: 0010 LDG.E 00000005 global/4 0x10+24\n"
                "0: 0010 LDG.E 00000000\n",
                NULL);
}

static void line_numbers_may_be_negative(void **state)
{
    (void)state;
    const char *text = HEADER_OF("-enable lineinfo = 1\n-accelsim tracer version = 5\n")
        ONE_WARP("3", "42 0000 ffffffff 1 R0 S2R 0 0 0\n-1 0010 ffffffff 1 R0 S2R 0 0 0\n"
                      "0 0020 ffffffff 1 R0 S2R 0 0 0\n");
    char path[64];
    temp_write(path, text, strlen(text));
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k;
    assert_true(accelsim_open(&k, path, NULL, &diag, &err));
    assert_true(dump_kernel(k, NULL, &err));
    assert_int_equal(k->inst_count, 3);
    assert_int_equal(k->insts[0]->line, 42);
    assert_int_equal(k->insts[1]->line, 0);
    assert_int_equal(k->insts[2]->line, 0);
    accelsim_close(k);
    unlink(path);
}

static void version_6_has_typed_registers_and_values(void **state)
{
    (void)state;
    const char *text =
        HEADER("6") "#BEGIN_TB\nthread block = 0,0,0\ncluster id = 0,0,0\n"
                    "cluster cta = 1,0,0\ncluster rank = 1\nwarp = 0\ninsts = 6\n"
                    "0000 ffffffff 4 R20 R21 R22 R23 HMMA.16816.F32 3 R4 R8 R20 0 0 0 NoVal\n"
                    "0010 ffffffff 1 UR4 UMOV 1 UR6 0 7 0 NoVal\n"
                    "0020 ffffffff 1 P0 ISETP.GE.AND 2 R3 UP1 0 0 0 NoVal\n"
                    "0030 ffffffff 1 R7 MOV 1 R3 0 0 0 Val 1 2a 1 2a\n"
                    "0040 ffffffff 1 R24 HGMMA.64x64x16.F32 2 UR4 R24 1 0 0 0 NoVal\n"
                    "0050 00000003 1 R2 LDG.E 1 R4 4 2 0x100 64 0 0 NoVal\n"
                    "warp = 1\ninsts = 0\n" BLOCK_END;
    expect_dump(text,
                "cta 0,0,0\n0: 0000 HMMA.16816.F32 ffffffff\n0: 0010 UMOV ffffffff\n"
                "0: 0020 ISETP.GE.AND ffffffff\n0: 0030 MOV ffffffff\n"
                "0: 0040 HGMMA.64x64x16.F32 ffffffff\n0: 0050 LDG.E 00000003 global/4 0x100+64\n",
                NULL);
    expect_error(HEADER("6") ONE_WARP("1", "0030 ffffffff 1 R7 MOV 1 R3 0 0 0 Val 2 2a 1 2a\n"),
                 FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected a number of register values, 1 or 32, "
                 "found '2'");
    expect_error(HEADER("6") ONE_WARP("1", "0030 ffffffff 1 R7 MOV 1 R3 0 0 0\n"), FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected Val or NoVal, found the end of the line");
}

static void version_6_bulk_copies_have_their_own_memory_part(void **state)
{
    (void)state;
    expect_dump(
        HEADER("6") ONE_WARP(
            "4",
            "02f0 ffffffff 0 SYNCS.ARRIVE.TRANS64 2 R5 R2 8 2 0x400 0 0 NoVal\n"
            "0300 00000001 0 UTMALDG.2D 2 UR8 UR4 128 0x400 0 8192 0 4 0x7f5a14000000 3 128 "
            "128 0 0 NoVal\n"
            "0310 00000001 0 UTMALDG.2D 2 UR8 UR4 0 0x400 1 ff 8192 0 3 2 0x10 0x20 0 0 NoVal\n"
            "0320 00000001 0 UBLKCP 2 UR8 UR4 0 0x400 0 8192 0 4 0x7f5a14000000 0 0 0 NoVal\n"),
        "cta 0,0,0\n0: 02f0 SYNCS.ARRIVE.TRANS64 ffffffff shared/8 0x400+0\n"
        "0: 0300 UTMALDG.2D 00000001\n0: 0310 UTMALDG.2D 00000001\n0: 0320 UBLKCP 00000001\n",
        NULL);
    expect_error(
        HEADER("6") ONE_WARP("1", "0300 00000001 0 UTMALDG.2D 2 UR8 UR4 128 0x400 0 8192 0 "
                                  "2 0x7f5a14000000 0 0 NoVal\n"),
        FIRST_LINE, "kernel k, CTA 0,0,0, warp 0: expected address mode 3 or 4, found '2'");
}

static void replay_marks_are_no_instructions(void **state)
{
    (void)state;
    const char *want = "cta 0,0,0\n0: 0010 NOP ffffffff\n";
#define REPLAY                                                                                     \
    "0000 ffffffff 0 REPLAY_START 0 0 0 0 NoVal\n0010 ffffffff 0 NOP 0 0 0 0 NoVal\n"              \
    "0020 ffffffff 0 REPLAY_END 0 0 0 0 NoVal\n"
    expect_dump(HEADER("6") ONE_WARP("3", REPLAY), want, NULL);
    expect_dump(HEADER("6") ONE_WARP("1", REPLAY), want, NULL);
}

static void header_keys_come_in_any_order(void **state)
{
    (void)state;
    const char *text =
        "-enable lineinfo = 0\r\n-block dim = ( 32 , 2, 1 )\r\n-grid dim = (3,2,1)\r\n"
        "-trace version = 5\r\n-cuda stream id = -5\r\n-nvbit version = 1.7\r\n"
        "-kernel name = void f<int, 3>(float*) \r\n-binary version = 90\r\n"
        "-nregs = 255\r\n-shmem = 4096\r\n-kernel id = 12\r\n"
        "#traces format = x\r\n\r\n#BEGIN_TB\r\n\r\nthread block = 1,1,0\r\n#END_TB";
    char path[64];
    temp_write(path, text, strlen(text));
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k;
    if (!accelsim_open(&k, path, NULL, &diag, &err))
        fail_msg("%s", err.msg);
    assert_string_equal(k->name, "void f<int, 3>(float*)");
    assert_int_equal(k->id, 12);
    assert_int_equal(k->grid.x, 3);
    assert_int_equal(k->grid.y, 2);
    assert_int_equal(k->block.x, 32);
    assert_int_equal(k->block.y, 2);
    assert_int_equal(k->cta_count, 6);
    assert_int_equal(k->registers, 255);
    assert_int_equal(k->shared_bytes, 4096);
    assert_int_equal(k->sm_version, 90);
    assert_true(k->stream == (uint64_t)-5);
    assert_false(k->has_ctrl);
    struct cta_stream *cta;
    assert_true(k->ops->open_cta(k, &cta, &err));
    assert_int_equal(cta->linear_id, 4);
    assert_int_equal(cta->warp_count, 2);
    k->ops->close_cta(cta);
    accelsim_close(k);
    unlink(path);
}

static void warps_may_be_missing_and_blocks_absent(void **state)
{
    (void)state;
    struct diag diag = {0};
    expect_dump(HEADER("5") "#BEGIN_TB\nthread block = 1,0,0\nwarp = 1\ninsts = 1\n"
                            "0000 ffffffff 0 EXIT 0 0 0" /* no newline */
                            "\n#END_TB",
                "cta 1,0,0\n1: 0000 EXIT ffffffff\n", &diag);
    expect_warning(&diag, "kernel k: the trace holds 1 of 2 CTAs of the grid");
    expect_warning(&diag, "kernel k: a warp of a CTA has no instructions in the trace");
    assert_int_equal(diag.count, 2);
}

static void comments_and_blanks_are_free(void **state)
{
    (void)state;
    expect_dump(HEADER("5") "\n# hello\n#BEGIN_TB\n\n# id\nthread block = 0,0,0\n\nwarp = 0\n#x\n"
                            "insts = 2\n\n0000 ffffffff 1 R0 S2R 0 0 0\n# between\n\n"
                            " 0010 ffffffff 0 EXIT 0 0 0   \n\n#END_TB\n\n# end\n",
                "cta 0,0,0\n0: 0000 S2R ffffffff\n0: 0010 EXIT ffffffff\n", NULL);
}

static void open_ctas_keep_their_instructions(void **state)
{
    (void)state;
    const char *text = HEADER("5") ONE_WARP(
        "1",
        "0000 0000000b 1 R2 LDG.E 1 R4 4 0 0x10 0x14 0x40 0\n") "#BEGIN_TB\nthread block = "
                                                                "1,0,0\nwarp = 1\ninsts = 1\n"
                                                                "0000 0000000b 1 R2 LDG.E 1 R4 4 0 "
                                                                "0x50 0x54 0x90 0\n#END_TB\n";
    char path[64];
    temp_write(path, text, strlen(text));
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k;
    assert_true(accelsim_open(&k, path, NULL, &diag, &err));
    struct cta_stream *a, *b, *none;
    assert_true(k->ops->open_cta(k, &a, &err));
    assert_true(k->ops->open_cta(k, &b, &err));
    assert_true(k->ops->open_cta(k, &none, &err));
    assert_null(none);
    assert_int_equal(k->inst_count, 1);
    assert_true(k->ops->refill(&a->warps[0], &err));
    assert_true(k->ops->refill(&b->warps[1], &err));
    assert_int_equal(a->warps[0].next->addr.list[3], 0x40);
    assert_int_equal(b->warps[1].next->addr.list[3], 0x90);
    assert_ptr_equal(b->warps[0].next, b->warps[0].end);
    assert_true(k->ops->refill(&b->warps[0], &err));
    assert_true(b->warps[0].finished);
    k->ops->close_cta(a);
    accelsim_close(k); /* frees b, which is still open */
    unlink(path);
}

static void barriers_are_for_the_whole_cta(void **state)
{
    (void)state;
    const char *text = HEADER("5") ONE_WARP("2", "0000 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 3\n"
                                                 "0010 ffffffff 0 BAR.ARV 0 0 64\n");
    char path[64];
    temp_write(path, text, strlen(text));
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k;
    assert_true(accelsim_open(&k, path, NULL, &diag, &err));
    assert_true(dump_kernel(k, NULL, &err));
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(k->insts[i]->flags & INST_BARRIER_SYNC);
        assert_false(k->insts[i]->flags & INST_BARRIER_ARRIVE);
        assert_int_equal(k->insts[i]->barrier_id, 0);
        assert_int_equal(k->insts[i]->barrier_count, 0);
    }
    accelsim_close(k);
    unlink(path);
}

static void unusual_things_are_warnings(void **state)
{
    (void)state;
    struct diag diag = {0};
    expect_dump("-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-foo = 3\n"
                "-binary version = 55\n-accelsim tracer version = 5\n#\n"
                "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
                "1 2 0000 ffffffff 0 FROBNICATE.X 0 0 0\n"
                "1 2 0010 00000001 1 R2 LDG.E 1 R4 4 1 0x0 0 0\n#END_TB\n",
                "cta 0,0,0\n0: 0000 FROBNICATE.X ffffffff\n0: 0010 LDG.E 00000001 global/4 0x0+0\n",
                &diag);
    expect_warning(&diag, "unknown header key '-foo = 3'");
    expect_warning(&diag, "the binary version 55 is not known");
    expect_warning(&diag, "lines carry an SM and a warp slot");
    expect_warning(&diag, "opcode FROBNICATE.X is not known");
    expect_warning(&diag, "global accesses to address 0 (LDG.E)");
    expect_warning(&diag, "a warp ends without an EXIT");
    assert_int_equal(diag.count, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_3_has_no_immediate),
        cmocka_unit_test(version_4_with_and_without_immediate),
        cmocka_unit_test(version_5_requires_the_immediate),
        cmocka_unit_test(version_1_2_repeats_cta_and_warp_on_lines),
        cmocka_unit_test(missing_version_takes_both_line_starts),
        cmocka_unit_test(first_tracer_lists_addresses_without_a_mode),
        cmocka_unit_test(line_numbers_may_be_negative),
        cmocka_unit_test(version_6_has_typed_registers_and_values),
        cmocka_unit_test(version_6_bulk_copies_have_their_own_memory_part),
        cmocka_unit_test(replay_marks_are_no_instructions),
        cmocka_unit_test(header_keys_come_in_any_order),
        cmocka_unit_test(warps_may_be_missing_and_blocks_absent),
        cmocka_unit_test(comments_and_blanks_are_free),
        cmocka_unit_test(open_ctas_keep_their_instructions),
        cmocka_unit_test(barriers_are_for_the_whole_cta),
        cmocka_unit_test(unusual_things_are_warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

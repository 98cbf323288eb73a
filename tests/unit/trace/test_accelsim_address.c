/* Address modes, memory spaces, widths, LDGSTS pairs. */
#include "trace_support.h"

static void stride_starts_at_the_first_active_lane(void **state)
{
    (void)state;
    expect_dump(HEADER("5") ONE_WARP("4", "0000 ffff0000 1 R8 LDG.E 1 R4 4 1 0x1000 -4 0\n"
                                          "0010 ffffffff 1 R8 LDG.E 1 R4 4 1 0x1000 0 0\n"
                                          "0020 00000000 1 R8 LDG.E 1 R4 4 1 0x0 0 0\n"
                                          "0030 80000000 1 R8 LDG.E 1 R4 4 1 0x1000 8 0\n"),
                "cta 0,0,0\n0: 0000 LDG.E ffff0000 global/4 0x1040-4\n"
                "0: 0010 LDG.E ffffffff global/4 0x1000+0\n0: 0020 LDG.E 00000000\n"
                "0: 0030 LDG.E 80000000 global/4 0xf08+8\n",
                NULL);
    expect_error(HEADER("5") ONE_WARP("1", "0000 00000005 1 R8 LDG.E 1 R4 4 1 0x1000 8 0\n"),
                 FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected one run of active lanes with "
                 "address mode 1, found mask 00000005");
    expect_error(HEADER("5")
                     ONE_WARP("1", "0000 0000000f 1 R8 LDG.E 1 R4 4 1 0x1000 4294967296 0\n"),
                 FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected a decimal stride of 32 bits, "
                 "found '4294967296'");
}

static void deltas_are_one_fewer_than_active_lanes(void **state)
{
    (void)state;
    expect_dump(HEADER("5") ONE_WARP("4", "0000 0000001d 1 R8 LDG.E 1 R4 4 2 0x1000 16 -8 4 99\n"
                                          "0010 00000100 1 R8 LDG.E 1 R4 4 2 0x1000 99\n"
                                          "0020 00000000 1 R8 LDG.E 1 R4 4 2 0x0 99\n"
                                          "0030 00000003 1 R8 LDG.E 1 R4 4 2 0x1000 5 99\n"),
                "cta 0,0,0\n0: 0000 LDG.E 0000001d global/4 0:0x1000 2:0x1010 3:0x1008 4:0x100c\n"
                "0: 0010 LDG.E 00000100 global/4 0x1000+0\n0: 0020 LDG.E 00000000\n"
                "0: 0030 LDG.E 00000003 global/4 0x1000+5\n",
                NULL);
    expect_error(HEADER("5") ONE_WARP("1", "0000 00000007 1 R8 LDG.E 1 R4 4 2 0x1000 16 0\n"),
                 FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected an immediate, found the end of the line");
    expect_error(HEADER("3") ONE_WARP("1", "0000 00000007 1 R8 LDG.E 1 R4 4 2 0x1000 16\n"),
                 FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected a decimal address delta, found the end of "
                 "the line");
}

static void listed_addresses_are_one_per_active_lane(void **state)
{
    (void)state;
    expect_dump(HEADER("5") ONE_WARP("2", "0000 00000015 1 R8 LDG.E 1 R4 4 0 0x0000000000000008 "
                                          "0xffffffffffffff00 0x10 0\n"
                                          "0010 00000007 1 R8 LDG.E 1 R4 4 0 0x10 0x30 0x50 0\n"),
                "cta 0,0,0\n0: 0000 LDG.E 00000015 global/4 0:0x8 2:0xffffffffffffff00 4:0x10\n"
                "0: 0010 LDG.E 00000007 global/4 0x10+32\n",
                NULL);
    expect_error(HEADER("5") ONE_WARP("1", "0000 00000005 1 R8 LDG.E 1 R4 4 0 0x8 0\n"), FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected an immediate, found the end of the line");
    expect_error(HEADER("5") ONE_WARP("1", "0000 00000001 1 R8 LDG.E 1 R4 4 3 0x8 0\n"), FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected an address mode, 0 to 2, found '3'");
}

static void an_active_access_needs_an_address(void **state)
{
    (void)state;
    expect_error(HEADER("5") ONE_WARP("1", "0010 00000001 1 R8 LDG.E 1 R4 0 0\n"), FIRST_LINE,
                 "kernel k, CTA 0,0,0, warp 0: expected addresses of LDG.E at pc 0x10 with mask "
                 "00000001, found none");
    expect_dump(HEADER("5") ONE_WARP("2", "0010 00000000 1 R8 LDG.E 1 R4 0 0\n"
                                          "0020 ffffffff 1 R1 LDC 0 0 0\n"),
                "cta 0,0,0\n0: 0010 LDG.E 00000000\n0: 0020 LDC ffffffff\n", NULL);
}

static void widths_come_from_the_opcode(void **state)
{
    (void)state;
    expect_dump(HEADER("5") ONE_WARP(
                    "5", "0000 00000001 1 R8 LDSM.16.M88.4 1 R4 2 2 0x100 0\n"
                         "0010 00000001 1 R8 LDG.E.S8 1 R4 4 2 0x100 0\n"
                         "0020 00000001 1 R8 LDG.E.U16 1 R4 2 2 0x100 0\n"
                         "0030 00000001 0 RED.E.ADD.F64.RN.STRONG.GPU 2 R4 R6 4 2 0x100 0\n"
                         "0040 00000001 1 R8 LDG.E.LTC128B.64 1 R4 8 2 0x100 0\n"),
                "cta 0,0,0\n0: 0000 LDSM.16.M88.4 00000001 shared/16 0x100+0\n"
                "0: 0010 LDG.E.S8 00000001 global/1 0x100+0\n"
                "0: 0020 LDG.E.U16 00000001 global/2 0x100+0\n"
                "0: 0030 RED.E.ADD.F64.RN.STRONG.GPU 00000001 global/8 0x100+0\n"
                "0: 0040 LDG.E.LTC128B.64 00000001 global/8 0x100+0\n",
                NULL);
}

static void generic_accesses_are_told_by_the_first_active_lane(void **state)
{
    (void)state;
    expect_dump(HEADER("5")
                    ONE_WARP("6", "0000 00000003 1 R8 LD.E 1 R4 4 1 0x7f0000000040 4 0\n"
                                  "0000 00000003 1 R8 LD.E 1 R4 4 1 0x7f0001000040 4 0\n"
                                  "0000 00000003 1 R8 LD.E 1 R4 4 1 0x7e0000000040 4 0\n"
                                  "0000 00000006 1 R8 LD.E 1 R4 4 2 0x7f0000000010 512 0\n"
                                  "0000 00000000 1 R8 LD.E 1 R4 4 1 0x0 0 0\n"
                                  "0010 0000000d 0 ST.E 2 R4 R6 4 2 0x7f0000000010 512 8 0\n"),
                "cta 0,0,0\n0: 0000 LD.E 00000003 shared/4 0x40+4\n"
                "0: 0000 LD.E 00000003 local/4 0x7f0001000040+4\n"
                "0: 0000 LD.E 00000003 global/4 0x7e0000000040+4\n"
                "0: 0000 LD.E 00000006 shared/4 0xfffffffffffffe10+512\n"
                "0: 0000 LD.E 00000000\n"
                "0: 0010 ST.E 0000000d shared/4 0:0x10 2:0x210 3:0x218\n",
                NULL);
}

#define BASES(shared, local)                                                                       \
    "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 80\n"         \
    "-shmem base_addr = " shared "\n-local mem base_addr = " local                                 \
    "\n-accelsim tracer version = 5\n#\n"

static void windows_may_come_in_either_order(void **state)
{
    (void)state;
    expect_dump(BASES("0x7f0002000000", "0x7f0000000000")
                    ONE_WARP("2", "0000 00000001 1 R8 LD.E 1 R4 4 2 0x7f0002000040 0\n"
                                  "0000 00000001 1 R8 LD.E 1 R4 4 2 0x7f0000000040 0\n"),
                "cta 0,0,0\n0: 0000 LD.E 00000001 shared/4 0x40+0\n"
                "0: 0000 LD.E 00000001 local/4 0x7f0000000040+0\n",
                NULL);
}

static void generic_accesses_without_windows_are_shared(void **state)
{
    (void)state;
    struct diag diag = {0};
    expect_dump(BASES("0x0", "0x7f0000000000")
                    ONE_WARP("1", "0000 00000001 1 R8 LD.E 1 R4 4 2 0x40 0\n"),
                "cta 0,0,0\n0: 0000 LD.E 00000001 shared/4 0x40+0\n", &diag);
    expect_warning(&diag, "generic accesses are taken as shared");
}

static void shared_addresses_become_offsets(void **state)
{
    (void)state;
    expect_dump(HEADER("5") ONE_WARP("3", "0000 00010000 1 R3 LDS.U16 1 R2 2 2 0x180 0\n"
                                          "0010 00000003 1 R3 LDS 1 R2 4 1 0x7f0000000180 4 0\n"
                                          "0020 00000001 1 R3 LDS 1 R2 4 2 0x0 0\n"),
                "cta 0,0,0\n0: 0000 LDS.U16 00010000 shared/2 0x180+0\n"
                "0: 0010 LDS 00000003 shared/4 0x180+4\n0: 0020 LDS 00000001 shared/4 0x0+0\n",
                NULL);
}

static void second_line_of_an_ldgsts_pair_is_kept(void **state)
{
    (void)state;
    /* With line numbers grouping leaves both lines. */
    expect_dump(HEADER_OF("-accelsim tracer version = 5\n-enable lineinfo = 1\n") ONE_WARP(
                    "6", "1 00b0 0000000f 0 LDGSTS.E.BYPASS.128 2 R6 R14 16 1 0x40 16 0\n"
                         "1 00b0 0000000f 0 LDGSTS.E.BYPASS.128 2 R6 R14 16 1 0x7f5a12200000 16 0\n"
                         "1 00b0 000000f0 0 LDGSTS.E.BYPASS.128 2 R6 R14 16 1 0x40 16 0\n"
                         "1 00b0 000000f0 0 LDGSTS.E.BYPASS.128 2 R6 R14 16 1 0x7f5a12300040 16 0\n"
                         "1 00c0 0000000f 0 LDGDEPBAR 0 0 0\n"
                         "1 00d0 0000000f 0 LDGSTS.E 2 R6 R14 4 1 0x7f5a12200000 4 0\n"),
                "cta 0,0,0\n0: 00b0 LDGSTS.E.BYPASS.128 0000000f global/16 0x7f5a12200000+16\n"
                "0: 00b0 LDGSTS.E.BYPASS.128 000000f0 global/16 0x7f5a12300000+16\n"
                "0: 00c0 LDGDEPBAR 0000000f\n0: 00d0 LDGSTS.E 0000000f global/4 0x7f5a12200000+4\n",
                NULL);
}

static void distinct_registers_or_immediates_make_distinct_instructions(void **state)
{
    (void)state;
    const char *text =
        HEADER("5") ONE_WARP("6", "0000 ffffffff 1 R1 MOV 0 0 1\n0000 ffffffff 1 R1 MOV 0 0 2\n"
                                  "0000 ffffffff 1 R2 MOV 0 0 1\n0000 ffffffff 1 R1 MOV 0 0 1\n"
                                  "0000 0000ffff 1 R1 MOV 0 0 1\n0010 0000ffff 1 R1 MOV 0 0 1\n");
    char path[64];
    temp_write(path, text, strlen(text));
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k;
    assert_true(accelsim_open(&k, path, NULL, &diag, &err));
    struct cta_stream *cta;
    assert_true(k->ops->open_cta(k, &cta, &err));
    assert_true(k->ops->refill(&cta->warps[0], &err));
    static const uint32_t want[] = {0, 1, 2, 0, 0, 3};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(cta->warps[0].next[i].inst, want[i]);
    assert_int_equal(k->inst_count, 4);
    accelsim_close(k);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stride_starts_at_the_first_active_lane),
        cmocka_unit_test(deltas_are_one_fewer_than_active_lanes),
        cmocka_unit_test(listed_addresses_are_one_per_active_lane),
        cmocka_unit_test(an_active_access_needs_an_address),
        cmocka_unit_test(widths_come_from_the_opcode),
        cmocka_unit_test(generic_accesses_are_told_by_the_first_active_lane),
        cmocka_unit_test(windows_may_come_in_either_order),
        cmocka_unit_test(generic_accesses_without_windows_are_shared),
        cmocka_unit_test(shared_addresses_become_offsets),
        cmocka_unit_test(second_line_of_an_ldgsts_pair_is_kept),
        cmocka_unit_test(distinct_registers_or_immediates_make_distinct_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

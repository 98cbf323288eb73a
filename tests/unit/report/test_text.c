/* The table of a run: exact text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "report/hazard_report.h"
#include "report/table.h"

#include "fixture.h"

static void expect_narrow(const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (n > TABLE_PAGE)
            fail_msg("%zu columns: %.*s", n, (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static const char block[] =
    "Kernel 3: axpy(float*, \"x\")\n"
    "  grid 8x1x1, block 256x1x1, 40 registers, 4096 bytes of shared memory\n"
    "  8 CTAs of 8 warps on 2 of 84 SMs; 6 fit an SM (limited by registers); dependences by "
    "control bits\n";

static const char cells[] =
    "  Cycles                               1,234,567    Warp instructions                    "
    "1,150,000\n"
    "  Active cycles, busiest SM            1,200,000    Thread instructions                 "
    "34,500,000\n"
    "  IPC of an SM                             0.500    IPC of the card                          "
    "0.932\n"
    "  Occupancy                               50.0 %    Active lanes an instruction             "
    "30.000\n"
    "  L1D load hits                           62.5 %    L2 read hits                              "
    "   "
    "-\n"
    "  L0 instruction cache hits               66.7 %    Shared-memory bank conflicts              "
    "   "
    "0\n"
    "  DRAM bytes read                      1,048,576    DRAM bytes written                        "
    "   "
    "0\n"
    "  Warp cycles went to  long_scoreboard 64.6 %, wait 33.3 %, selected 2.1 %\n"
    "  Most issued opcodes  FADD 56.5 %, LDG 43.5 %\n";

static void kernel_block_is_aligned_and_fits_the_page(void **state)
{
    (void)state;
    struct fixture f;
    struct buf out = {0}, want = {0};
    fixture_make(&f);
    result_text_kernel(&out, &f.info, &f.report);
    buf_printf(&want, "%s%s\n", block, cells);
    assert_string_equal(out.data, want.data);
    expect_narrow(out.data);
    buf_free(&out);
    buf_free(&want);
    summary_free(&f.summary);
}

static void wall_time_and_hazards_are_printed_on_demand(void **state)
{
    (void)state;
    struct fixture f;
    struct buf out = {0};
    fixture_make(&f);
    f.info.with_host = true;
    f.info.with_hazards = true;
    result_text_kernel(&out, &f.info, &f.report);
    assert_non_null(strstr(out.data, "  Hazards: 1 RAW, 0 WAW, 0 WAR\nRAW hazard: kernel 3 pc"));
    assert_non_null(strstr(out.data, "0.25 s, 4,600,000 warp instructions a second\n"));
    buf_free(&out);
    summary_free(&f.summary);
}

static void hazards_read_as_sentences(void **state)
{
    (void)state;
    struct fixture f;
    struct buf out = {0};
    fixture_make(&f);
    hazard_text(&out, &f.kernel, &f.hazard);
    buf_puts(&out, "\n");
    f.hazard.kind = HAZARD_WAR;
    f.hazard.file = REG_PREDICATE;
    f.hazard.early_by = 0;
    f.insts[1].text = "LDG.E R4, [R2]";
    hazard_text(&out, &f.kernel, &f.hazard);
    assert_string_equal(
        out.data, "RAW hazard: kernel 3 pc 0x0010 LDG.E read R4 2 cycles before the result of pc "
                  "0x0000 is available (cycle 41, SM 0, CTA 0, warp 3)\n"
                  "WAR hazard: kernel 3 pc 0x0010 LDG.E R4, [R2] wrote P4 before the read of pc "
                  "0x0000 (cycle 41, SM 0, CTA 0, warp 3)");
    buf_free(&out);
    summary_free(&f.summary);
}

static void long_names_are_cut_and_partial_kernels_marked(void **state)
{
    (void)state;
    char name[300];
    struct fixture f;
    struct buf out = {0};
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    fixture_make(&f);
    f.kernel.name = name;
    f.report.complete = false;
    result_text_kernel(&out, &f.info, &f.report);
    expect_narrow(out.data);
    assert_non_null(strstr(out.data, "nnn... (stopped early)\n"));
    buf_free(&out);
    summary_free(&f.summary);
}

static void the_second_of_two_runs_is_marked(void **state)
{
    (void)state;
    struct fixture f;
    struct buf out = {0}, want = {0};
    fixture_make(&f);
    f.report.warm = true;
    result_text_kernel(&out, &f.info, &f.report);
    buf_printf(&want, "%s  second of two runs on the same buffers and caches (--warm)\n%s\n", block,
               cells);
    assert_string_equal(out.data, want.data);
    buf_free(&out);
    buf_free(&want);
    summary_free(&f.summary);
}

static void a_sample_is_said_plainly(void **state)
{
    (void)state;
    struct fixture f;
    struct buf out = {0};
    fixture_make(&f);
    f.result.sampled = true;
    f.result.ctas = 4096;
    f.result.ctas_simulated = 1056;
    f.result.waves = 4;
    f.result.waves_simulated = 1;
    result_text_kernel(&out, &f.info, &f.report);
    assert_non_null(strstr(out.data, "  SAMPLE: the first 1,056 of 4,096 CTAs (--ctas); cycles are "
                                     "scaled by waves, 4 / 1,\n  all counters by CTAs, 4,096 / "
                                     "1,056\n"));
    buf_free(&out);
    summary_free(&f.summary);
}

static void total_lists_copies_warnings_and_failures(void **state)
{
    (void)state;
    struct fixture f;
    struct sim_err err = {0};
    struct summary total = {0};
    struct diag diag = {
        .count = 2,
        .items = {{.text = "a.traceg:3: odd", .count = 7}, {.text = "b.traceg: too", .count = 1}}};
    struct buf out = {0};
    fixture_make(&f);
    assert_true(summary_add(&total, &f.summary, 1236067, &err));
    struct run_end end = {.total = &total,
                          .diag = &diag,
                          .kernels = 1,
                          .memcpy_count = 2,
                          .memcpy_bytes = 8192,
                          .interrupted = true};
    result_text_end(&out, &f.info, &end, "a.traceg:7: bad line\n");
    expect_narrow(out.data);
    assert_non_null(strstr(out.data, "Total: 1 kernel, 8 CTAs, 2 copies to the device (8,192 "
                                     "bytes) (interrupted), on rtx_test\n"
                                     "  Cycles                               1,236,067"));
    assert_non_null(strstr(out.data, "  Warnings, and how often:\n"
                                     "    7 x a.traceg:3: odd\n"
                                     "    1 x b.traceg: too\n"
                                     "  Kernels that could not be simulated:\n"
                                     "    a.traceg:7: bad line\n"));
    buf_free(&out);
    summary_free(&total);
    summary_free(&f.summary);
}

static void lists_break_at_the_page(void **state)
{
    (void)state;
    struct buf out = {0};
    struct table_list l;
    table_list_begin(&l, &out, "Label");
    for (int i = 0; i < 12; i++)
        table_list_share(&l, "some_long_reason", 1, 12);
    table_list_end(&l);
    expect_narrow(out.data);
    assert_non_null(strstr(out.data, "%,\n                       some_long_reason 8.3 %"));
    buf_free(&out);
    table_list_begin(&l, &out, "Label");
    table_list_end(&l);
    assert_string_equal(out.data, "  Label                -\n");
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_block_is_aligned_and_fits_the_page),
        cmocka_unit_test(wall_time_and_hazards_are_printed_on_demand),
        cmocka_unit_test(hazards_read_as_sentences),
        cmocka_unit_test(long_names_are_cut_and_partial_kernels_marked),
        cmocka_unit_test(the_second_of_two_runs_is_marked),
        cmocka_unit_test(a_sample_is_said_plainly),
        cmocka_unit_test(total_lists_copies_warnings_and_failures),
        cmocka_unit_test(lists_break_at_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

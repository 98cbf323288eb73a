/* JSON, CSV, issue log and executions by pc of a made-up run. */
#define _XOPEN_SOURCE 700 /* mkstemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/issue_log.h"
#include "report/pc_counts.h"

#include "fixture.h"

static struct err_list errors;

static void load(struct fixture *f)
{
    fixture_make(f);
    static const char *const sets[] = {"fetch.buffer_entries=5"};
    assert_true(
        config_load(&f->config, SUBCORE_SOURCE_DIR "/configs/rtx_a6000.yaml", sets, 1, &errors));
}

static void unload(struct fixture *f)
{
    summary_free(&f->summary);
    config_free(&f->config);
}

/* Brackets outside of strings are balanced and nothing follows the outermost value. */
static void expect_balanced(const char *s)
{
    int depth = 0;
    bool quoted = false;
    for (; *s; s++) {
        if (quoted && *s == '\\')
            s++;
        else if (*s == '"')
            quoted = !quoted;
        else if (!quoted && (*s == '{' || *s == '['))
            depth++;
        else if (!quoted && (*s == '}' || *s == ']'))
            assert_true(--depth >= 0 && (depth > 0 || strcmp(s + 1, "\n") == 0));
    }
    assert_int_equal(depth, 0);
    assert_false(quoted);
}

static char *whole_report(struct fixture *f, enum report_format format)
{
    struct buf out = {0};
    struct run_report r;
    struct sim_err err = {0};
    struct summary total = {0};
    static struct diag diag;
    run_report_begin(&r, format, &f->info, &out);
    run_report_kernel(&r, &f->report);
    assert_true(summary_add(&total, &f->summary, 1236067, &err));
    err_set(&err, ERR_INPUT, "b.traceg", 7, 0, "two\nlines");
    run_report_failed(&r, &err);
    struct run_end end = {.total = &total, .diag = &diag, .kernels = 1};
    run_report_end(&r, &end);
    summary_free(&total);
    assert_false(out.failed);
    return buf_take(&out);
}

static void expect_in_order(const char *text, const char *const *parts)
{
    for (; *parts; parts++) {
        const char *at = strstr(text, *parts);
        if (!at)
            fail_msg("not found, or too early: %s", *parts);
        text = at + strlen(*parts);
    }
}

/* A second kernel: what counts from the start of the run goes on, the rest does not. */
static void accelsim_prints_kernel_and_running_totals(void **state)
{
    (void)state;
    struct fixture f;
    struct buf out = {0};
    struct run_report r;
    struct summary total = {0};
    static struct diag diag;
    load(&f);
    f.result.stats.l2_read_sectors = 3000;
    f.summary.stats.l2_read_sectors = 3000;
    run_report_begin(&r, REPORT_ACCELSIM, &f.info, &out);
    run_report_kernel(&r, &f.report);
    out.len = 0;
    f.result.start_cycle = 1237567;
    run_report_kernel(&r, &f.report);
    struct run_end end = {.total = &total, .diag = &diag, .kernels = 2};
    run_report_end(&r, &end);
    assert_string_equal(out.data,
                        "\nkernel_name = axpy(float*, \"x\") \n"
                        "kernel_launch_uid = 3\n"
                        "gpu_sim_cycle = 1236067\n"
                        "gpu_sim_insn = 34500000\n"
                        "gpu_ipc =      27.9111\n"
                        "gpu_occupancy = 50.0000%\n"
                        "L2_BW =       0.1398 GB/Sec\n"
                        "gpu_tot_sim_cycle = 2472134\n"
                        "gpu_tot_sim_insn = 69000000\n"
                        "gpu_tot_ipc =      27.9111\n"
                        "gpu_tot_issued_cta = 16\n"
                        "gpu_tot_occupancy = 50.0000%\n"
                        "gpgpu_n_tot_thrd_icount = 69000000\n"
                        "gpgpu_n_tot_w_icount = 2300000\n"
                        "gpgpu_n_shmem_bkconflict = 0\n"
                        "Total_core_cache_stats:\n"
                        "\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = 1250\n"
                        "\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][MSHR_HIT] = 0\n"
                        "\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][MISS] = 0\n"
                        "\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][TOTAL_ACCESS] = 2000\n"
                        "\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] = 0\n"
                        "L2_cache_stats:\n"
                        "L2_total_cache_accesses = 6000\n"
                        "\tL2_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = 0\n"
                        "\tL2_cache_stats_breakdown[GLOBAL_ACC_R][MISS] = 0\n"
                        "\tL2_cache_stats_breakdown[GLOBAL_ACC_R][TOTAL_ACCESS] = 6000\n"
                        "\tL2_cache_stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] = 0\n"
                        "total dram reads = 65536\n"
                        "total dram writes = 0\n"
                        "icnt_total_pkts_mem_to_simt = 0\n"
                        "icnt_total_pkts_simt_to_mem = 0\n"
                        "\nGPGPU-Sim: *** exit detected ***\n");
    buf_free(&out);
    unload(&f);
}

/* Scripts take a run without the last line for one that failed. */
static void accelsim_ends_otherwise_when_a_kernel_failed(void **state)
{
    (void)state;
    struct fixture f;
    load(&f);
    f.info.with_host = true;
    char *text = whole_report(&f, REPORT_ACCELSIM);
    static const char *const parts[] = {
        "Accel-Sim output format [build subcore-9.9.9]\n",
        "gpgpu_simulation_time = 0 days, 0 hrs, 0 min, 0 sec (0 sec)\n",
        "gpgpu_simulation_rate = 138000000 (inst/sec)\n",
        "gpgpu_simulation_rate = 4944268 (cycle/sec)\n",
        "\nsubcore: kernels passed over:\nb.traceg:7: two lines\n"
        "\nsubcore: the run is incomplete\n",
        NULL};
    expect_in_order(text, parts);
    assert_null(strstr(text, "exit detected"));
    free(text);
    unload(&f);
}

static void json_has_the_documented_members_in_order(void **state)
{
    (void)state;
    struct fixture f;
    load(&f);
    f.info.with_host = true;
    f.info.with_hazards = true;
    char *text = whole_report(&f, REPORT_JSON);
    expect_balanced(text);
    static const char *const parts[] = {
        "{\n  \"version\": \"9.9.9\",",
        "\"config\": {",
        "\"buffer_entries\": {\"value\": 5, \"origin\": \"--set",
        "\"input\": [\n    \"k.traceg\"\n  ],",
        "\"kernels\": [",
        "\"kernel\": 3,",
        "\"name\": \"axpy(float*, \\\"x\\\")\",",
        "\"launch\": null,",
        "\"grid\": [8, 1, 1],",
        "\"mode\": \"control_bits\",",
        "\"area_percent_of_register_file\": 0.09",
        "\"cycles\": 1234567,",
        "\"sm_active_cycles_avg\": 1150000.0000,",
        "\"ipc\": 0.5000,",
        "\"ipc_gpu\": 0.9315,",
        "\"occupancy\": 0.5000,",
        "\"issue\": {",
        "\"stalls\": {",
        "\"long_scoreboard\": 35650000,",
        "\"register_file\": {",
        "\"rfc\": {",
        "\"icache\": {\n        \"l0\": {",
        "\"hit_rate\": 0.6667",
        "\"l1\": {",
        "\"prefetch\": {",
        "\"constant\": {",
        "\"l1d\": {",
        "\"shared\": {",
        "\"l2\": {",
        "\"dram\": {",
        "\"noc\": {",
        "\"FADD\": {\"warp_instructions\": 650000, \"thread_instructions\": 19500000},",
        "{\"kind\": \"RAW\", \"pc\": \"0x0010\", \"producer_pc\": \"0x0000\", \"register\": \"R4\"",
        "\"host\": {\n        \"seconds\": 0.250000,",
        "\"warp_instructions_per_second\": 4600000,",
        "\"failed\": [\n    \"b.traceg:7: two lines\"\n  ],",
        "\"total\": {",
        "\"cycles\": 1236067,",
        "\"host\": {",
        NULL};
    expect_in_order(text, parts);
    free(text);
    unload(&f);
}

static void no_host_leaves_wall_time_out(void **state)
{
    (void)state;
    struct fixture f;
    load(&f);
    char *text = whole_report(&f, REPORT_JSON);
    f.info.threads = 7;
    f.result.host_seconds = 99;
    char *again = whole_report(&f, REPORT_JSON);
    assert_null(strstr(text, "\"host\""));
    assert_string_equal(text, again);
    free(text);
    free(again);
    unload(&f);
}

static size_t fields(const char *line)
{
    size_t n = 1;
    bool quoted = false;
    for (; *line && *line != '\n'; line++) {
        if (*line == '"')
            quoted = !quoted;
        n += *line == ',' && !quoted;
    }
    return n;
}

static void csv_has_a_column_for_every_field(void **state)
{
    (void)state;
    struct fixture f;
    load(&f);
    char *text = whole_report(&f, REPORT_CSV);
    const char *row = strchr(text, '\n') + 1;
    assert_int_equal(fields(text), 28 + stat_count() + STALL_COUNT);
    assert_int_equal(fields(row), fields(text));
    static const char head[] =
        "3,\"axpy(float*, \"\"x\"\")\",\"\",1,0,0,8,8,1,1,256,1,1,40,4096,8,6,2,"
        "1500,1234567,1236067,1200000,1150000.0000,1150000,34500000,0.5000,"
        "0.9315,0.5000,1150000,";
    assert_memory_equal(row, head, sizeof head - 1);
    free(text);
    unload(&f);
}

static void pc_counts_add_up_by_pc_and_leave_unknown_lanes_out(void **state)
{
    (void)state;
    struct fixture f;
    struct sim_err err = {0};
    struct buf out = {0};
    fixture_make(&f);
    f.insts[2].pc = 0;
    f.kernel.name = "axpy";
    pc_counts_begin(&out);
    assert_true(pc_counts_kernel(&out, &f.kernel, &f.result, &err));
    f.kernel.launch = "big, cold";
    f.counts[0].inst = f.counts[2].inst = 0;
    assert_true(pc_counts_kernel(&out, &f.kernel, &f.result, &err));
    assert_string_equal(out.data, "kernel,launch,pc,inst,thread,thread_true\n"
                                  "axpy,3,0x0000,650000,19500000,19500000\n"
                                  "axpy,3,0x0010,500000,,15000000\n"
                                  "axpy,\"big, cold\",0x0010,500000,,15000000\n");
    buf_free(&out);
    summary_free(&f.summary);
}

/* Writes `n` records through the log and returns the text. */
static char *logged(const struct kernel *k, const struct issue_record *r, size_t n)
{
    static struct issue_log log;
    char path[] = "/tmp/subcore-log-XXXXXX";
    struct sim_err err = {0};
    struct outfile file;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(outfile_open(&file, path, &err));
    assert_true(issue_log_begin(&log, &file, &err));
    for (size_t i = 0; i < n; i++)
        assert_true(issue_log_add(&log, k, r, 2, &err));
    assert_true(issue_log_end(&log, &err));
    assert_true(outfile_commit(&file, &err));
    struct buf text = {0};
    char part[4096];
    FILE *in = fopen(path, "r");
    for (size_t got; (got = fread(part, 1, sizeof part, in)) > 0;)
        buf_add(&text, part, got);
    fclose(in);
    unlink(path);
    return buf_take(&text);
}

static void issue_log_prints_every_record(void **state)
{
    (void)state;
    struct fixture f;
    fixture_make(&f);
    f.insts[1].pc = 0x12340;
    const struct issue_record r[2] = {
        {.cycle = 0, .cta = 5, .sm = 2, .inst = 0, .warp_slot = 9, .warp = 1, .subcore = 3},
        {.cycle = UINT64_MAX, .cta = 10, .inst = 1, .warp_slot = 47, .warp = 31}};
    static const char lines[] = "3,0,2,3,9,5,1,0x0000,FADD.FTZ\n"
                                "3,18446744073709551615,0,0,47,10,31,0x12340,LDG.E\n";
    static const char header[] = "kernel,cycle,sm,subcore,warp_slot,cta,warp,pc,opcode\n";
    char *text = logged(&f.kernel, r, 3000); /* several buffers full */
    const char *at = text + strlen(header);
    assert_memory_equal(text, header, strlen(header));
    assert_int_equal(strlen(at), 3000 * strlen(lines));
    for (size_t i = 0; i < 3000; i++)
        assert_memory_equal(at + i * strlen(lines), lines, strlen(lines));
    free(text);
    summary_free(&f.summary);
}

static void ranking_orders_by_count_then_name(void **state)
{
    (void)state;
    struct fixture f;
    struct sim_err err = {0};
    struct opcode_tally t = {0};
    fixture_make(&f);
    f.counts[0].inst = 450000;
    assert_true(opcode_tally_add(&t, f.table, f.counts, 3, &err));
    assert_true(opcode_tally_merge(&t, &t, &err));
    assert_int_equal(t.count, 2);
    assert_string_equal(t.rows[0].name, "FADD");
    assert_int_equal(t.rows[0].inst, 1000000);
    assert_int_equal(t.rows[1].inst, 1000000);
    size_t *ranking = opcode_tally_ranking(&t);
    assert_int_equal(ranking[0], 0);
    t.rows[1].inst++;
    free(ranking);
    ranking = opcode_tally_ranking(&t);
    assert_int_equal(ranking[0], 1);
    free(ranking);
    opcode_tally_free(&t);
    summary_free(&f.summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelsim_prints_kernel_and_running_totals),
        cmocka_unit_test(accelsim_ends_otherwise_when_a_kernel_failed),
        cmocka_unit_test(json_has_the_documented_members_in_order),
        cmocka_unit_test(no_host_leaves_wall_time_out),
        cmocka_unit_test(csv_has_a_column_for_every_field),
        cmocka_unit_test(pc_counts_add_up_by_pc_and_leave_unknown_lanes_out),
        cmocka_unit_test(issue_log_prints_every_record),
        cmocka_unit_test(ranking_orders_by_count_then_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

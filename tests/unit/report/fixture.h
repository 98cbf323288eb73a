/* A made-up kernel and its result, the same for all tests of the writers. */
#ifndef SUBCORE_TESTS_REPORT_FIXTURE_H
#define SUBCORE_TESTS_REPORT_FIXTURE_H

#include <string.h>

#include "report/run_report.h"

struct fixture {
    struct inst insts[3];
    const struct inst *table[3];
    struct inst_count counts[3];
    struct hazard_record hazard;
    struct kernel kernel;
    struct kernel_result result;
    struct summary summary;
    struct kernel_report report;
    struct loaded_config config;
    struct run_info info;
    const char *inputs[1];
};

static inline void fixture_counters(struct kernel_result *r)
{
    r->cycles = 1234567;
    r->elapsed_cycles = 1236067;
    r->start_cycle = 1500;
    r->sm_active_cycles_max = 1200000;
    r->sm_active_cycles_sum = 2300000;
    r->sms = 84;
    r->sms_used = 2;
    r->ctas = 8;
    r->ctas_per_sm = 6;
    r->ctas_limited_by = "registers";
    r->warps_per_cta = 8;
    r->max_warps = 48;
    r->dependence_mode = DEPENDENCE_control_bits;
    r->warp_instructions = 1150000;
    r->thread_instructions = 34500000;
    r->ctas_simulated = 8;
    r->host_seconds = 0.25;
    r->stats.issue_issued = 1150000;
    r->stats.issue_thread_instructions = 34500000;
    r->stats.issue_resident_warp_cycles = 55200000;
    r->stats.stalls[STALL_selected] = 1150000;
    r->stats.stalls[STALL_wait] = 18400000;
    r->stats.stalls[STALL_long_scoreboard] = 35650000;
    r->stats.l1d_global_load_sectors = 1000;
    r->stats.l1d_global_load_sector_hits = 625;
    r->stats.icache_l0_accesses = 3;
    r->stats.icache_l0_hits = 2;
    r->stats.dram_read_bytes = 1048576;
}

/* Fills everything but the configuration, which has to be loaded. */
static inline void fixture_make(struct fixture *f)
{
    static const char *const opcodes[3] = {"FADD.FTZ", "LDG.E", "FADD"};
    static const uint64_t counts[3] = {600000, 500000, 50000};
    struct sim_err err = {0};
    memset(f, 0, sizeof *f);
    for (uint32_t i = 0; i < 3; i++) {
        f->insts[i] = (struct inst){.pc = 16 * i, .opcode = opcodes[i], .guard = i == 1 ? 0 : 7};
        f->table[i] = &f->insts[i];
        f->counts[i] = (struct inst_count){counts[i], counts[i] * 30};
    }
    f->kernel = (struct kernel){.name = "axpy(float*, \"x\")",
                                .id = 3,
                                .grid = {8, 1, 1},
                                .block = {256, 1, 1},
                                .registers = 40,
                                .shared_bytes = 4096,
                                .insts = f->table,
                                .inst_count = 3,
                                .file = "k.traceg"};
    fixture_counters(&f->result);
    f->result.counts = f->counts;
    f->result.inst_count = 3;
    f->hazard = (struct hazard_record){.kind = HAZARD_RAW,
                                       .cycle = 41,
                                       .warp = 3,
                                       .inst = 1,
                                       .producer = 0,
                                       .file = REG_GENERAL,
                                       .reg = 4,
                                       .early_by = 2};
    f->result.hazards = &f->hazard;
    f->result.hazard_kept = 1;
    f->result.hazard_total[HAZARD_RAW] = 1;
    summary_of_kernel(&f->summary, &f->kernel, &f->result, &err);
    f->report = (struct kernel_report){&f->kernel, &f->result, &f->summary, true, false, NULL};
    f->inputs[0] = "k.traceg";
    strcpy(f->config.name, "rtx_test");
    f->info = (struct run_info){.version = "9.9.9",
                                .config = &f->config,
                                .inputs = f->inputs,
                                .input_count = 1,
                                .threads = 2};
}

#endif

#include "report/result_accelsim.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"
#include "report/number.h"

/* Accel-Sim counts DRAM accesses of this many bytes, and accesses of the caches by sector. */
#define ACCESS_BYTES 32

static void add_u64(struct buf *out, const char *name, uint64_t value)
{
    buf_printf(out, "%s = %" PRIu64 "\n", name, value);
}

/* "name = <num / den><unit>"; nothing when there is no such ratio. */
static void add_ratio(struct buf *out, const char *name, uint64_t num, uint64_t den,
                      const char *unit)
{
    char text[NUMBER_SIZE];
    if (den == 0)
        return;
    number_ratio(text, num, den, 4);
    buf_printf(out, "%s = %12s%s\n", name, text, unit);
}

static void add_percent(struct buf *out, const char *name, uint64_t num, uint64_t den)
{
    char text[NUMBER_SIZE];
    if (den == 0)
        return;
    number_percent(text, num, den, 4);
    buf_printf(out, "%s = %s%%\n", name, text);
}

static void add_breakdown(struct buf *out, const char *cache, const char *access,
                          const char *outcome, uint64_t value)
{
    buf_printf(out, "\t%s_cache_stats_breakdown[%s][%s] = %" PRIu64 "\n", cache, access, outcome,
               value);
}

void result_accelsim_begin(struct buf *out, const struct run_info *info)
{
    buf_printf(out,
               "Accel-Sim output format [build subcore-%s]\n"
               "GPGPU-Sim output format [build subcore-%s]\n"
               "subcore_card = %s\n",
               info->version, info->version, info->config->name);
}

static void add_to_totals(struct accelsim_totals *t, const struct kernel_report *k)
{
    const struct summary *s = k->summary;
    t->cycles = max_u64(t->cycles, k->result->start_cycle + s->cycles);
    t->warp_instructions += s->warp_instructions;
    t->thread_instructions += s->thread_instructions;
    t->ctas += s->ctas;
    t->warp_capacity += s->warp_capacity;
    t->host_seconds += s->host_seconds;
    stats_add(&t->stats, &s->stats);
}

static void add_kernel(struct buf *out, const struct run_info *info, const struct kernel_report *k)
{
    const struct summary *s = k->summary;
    uint64_t l2_bytes = ACCESS_BYTES * (s->stats.l2_read_sectors + s->stats.l2_write_sectors);
    buf_printf(out, "\nkernel_name = %s \n", k->kernel->name);
    add_u64(out, "kernel_launch_uid", k->kernel->id);
    add_u64(out, "gpu_sim_cycle", s->elapsed_cycles);
    add_u64(out, "gpu_sim_insn", s->thread_instructions);
    add_ratio(out, "gpu_ipc", s->thread_instructions, s->elapsed_cycles, "");
    add_percent(out, "gpu_occupancy", s->stats.issue_resident_warp_cycles, s->warp_capacity);
    /* Bytes a cycle times MHz are MB a second. */
    add_ratio(out, "L2_BW", l2_bytes * info->config->cfg.gpu.core_mhz, 1000 * s->elapsed_cycles,
              " GB/Sec");
}

static void add_memory(struct buf *out, const struct sim_stats *s)
{
    add_u64(out, "gpgpu_n_shmem_bkconflict", s->shared_bank_conflicts);
    buf_puts(out, "Total_core_cache_stats:\n");
    add_breakdown(out, "Total_core", "GLOBAL_ACC_R", "HIT",
                  s->l1d_global_load_sector_hits - s->l1d_pending_sector_hits);
    add_breakdown(out, "Total_core", "GLOBAL_ACC_R", "MSHR_HIT", s->l1d_pending_sector_hits);
    add_breakdown(out, "Total_core", "GLOBAL_ACC_R", "MISS", s->l1d_global_load_sector_misses);
    add_breakdown(out, "Total_core", "GLOBAL_ACC_R", "TOTAL_ACCESS", s->l1d_global_load_sectors);
    add_breakdown(out, "Total_core", "GLOBAL_ACC_W", "TOTAL_ACCESS", s->l1d_global_store_sectors);
    buf_puts(out, "L2_cache_stats:\n");
    add_u64(out, "L2_total_cache_accesses", s->l2_read_sectors + s->l2_write_sectors);
    add_breakdown(out, "L2", "GLOBAL_ACC_R", "HIT", s->l2_read_hits);
    add_breakdown(out, "L2", "GLOBAL_ACC_R", "MISS", s->l2_read_misses);
    add_breakdown(out, "L2", "GLOBAL_ACC_R", "TOTAL_ACCESS", s->l2_read_sectors);
    add_breakdown(out, "L2", "GLOBAL_ACC_W", "TOTAL_ACCESS", s->l2_write_sectors);
    add_u64(out, "total dram reads", s->dram_read_bytes / ACCESS_BYTES);
    add_u64(out, "total dram writes", s->dram_write_bytes / ACCESS_BYTES);
    add_u64(out, "icnt_total_pkts_mem_to_simt", s->noc_replies);
    add_u64(out, "icnt_total_pkts_simt_to_mem", s->noc_requests);
}

static void add_host(struct buf *out, const struct accelsim_totals *t)
{
    uint64_t us = t->host_seconds > 0 ? (uint64_t)(t->host_seconds * 1e6) : 0;
    uint64_t seconds = us / 1000000;
    if (us == 0)
        us = 1;
    buf_printf(out,
               "gpgpu_simulation_time = %" PRIu64 " days, %" PRIu64 " hrs, %" PRIu64
               " min, %" PRIu64 " sec (%" PRIu64 " sec)\n",
               seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, seconds);
    double rate = 1e6 / (double)us;
    buf_printf(out, "gpgpu_simulation_rate = %" PRIu64 " (inst/sec)\n",
               (uint64_t)((double)t->thread_instructions * rate));
    buf_printf(out, "gpgpu_simulation_rate = %" PRIu64 " (cycle/sec)\n",
               (uint64_t)((double)t->cycles * rate));
}

void result_accelsim_kernel(struct buf *out, const struct run_info *info,
                            struct accelsim_totals *so_far, const struct kernel_report *k)
{
    add_to_totals(so_far, k);
    add_kernel(out, info, k);
    add_u64(out, "gpu_tot_sim_cycle", so_far->cycles);
    add_u64(out, "gpu_tot_sim_insn", so_far->thread_instructions);
    add_ratio(out, "gpu_tot_ipc", so_far->thread_instructions, so_far->cycles, "");
    add_u64(out, "gpu_tot_issued_cta", so_far->ctas);
    add_percent(out, "gpu_tot_occupancy", so_far->stats.issue_resident_warp_cycles,
                so_far->warp_capacity);
    add_u64(out, "gpgpu_n_tot_thrd_icount", so_far->thread_instructions);
    add_u64(out, "gpgpu_n_tot_w_icount", so_far->warp_instructions);
    add_memory(out, &so_far->stats);
    if (info->with_host)
        add_host(out, so_far);
}

void result_accelsim_end(struct buf *out, const struct run_end *end, const char *failures)
{
    bool failed = failures && *failures;
    if (failed)
        buf_printf(out, "\nsubcore: kernels passed over:\n%s", failures);
    if (end->interrupted || end->stopped || failed)
        buf_puts(out, "\nsubcore: the run is incomplete\n");
    else
        buf_puts(out, "\nGPGPU-Sim: *** exit detected ***\n");
}

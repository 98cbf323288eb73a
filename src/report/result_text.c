#include <inttypes.h>
#include <string.h>

#include "report/hazard_report.h"
#include "report/number.h"
#include "report/run_report.h"
#include "report/table.h"

/* Hazards listed a kernel; the JSON has more of them. */
#define TEXT_HAZARDS 20u

/* Stall reasons in the table. */
#define TOP_STALLS 6u

static void stall_lines(struct buf *out, const struct sim_stats *s)
{
    struct table_list l;
    bool shown[STALL_COUNT] = {false};
    table_list_begin(&l, out, "Warp cycles went to");
    for (uint32_t n = 0; n < TOP_STALLS; n++) {
        uint32_t best = STALL_COUNT;
        for (uint32_t r = 0; r < STALL_COUNT; r++)
            if (!shown[r] && s->stalls[r] > 0 &&
                (best == STALL_COUNT || s->stalls[r] > s->stalls[best]))
                best = r;
        if (best == STALL_COUNT)
            break;
        shown[best] = true;
        table_list_share(&l, stall_name((enum stall_reason)best), s->stalls[best],
                         s->issue_resident_warp_cycles);
    }
    table_list_end(&l);
}

static void summary_table(struct buf *out, const struct summary *s)
{
    struct table t = {.out = out};
    const struct sim_stats *c = &s->stats;
    table_count(&t, "Cycles", s->cycles);
    table_count(&t, "Warp instructions", s->warp_instructions);
    table_count(&t, "Active cycles, busiest SM", s->sm_active_cycles_max);
    table_count(&t, "Thread instructions", s->thread_instructions);
    table_ratio(&t, "IPC of an SM", s->warp_instructions, s->sm_active_cycles_sum);
    table_ratio(&t, "IPC of the card", s->warp_instructions, s->cycles);
    table_percent(&t, "Occupancy", c->issue_resident_warp_cycles, s->warp_capacity);
    table_ratio(&t, "Active lanes an instruction", c->issue_thread_instructions, c->issue_issued);
    table_percent(&t, "L1D load hits",
                  c->l1d_global_load_sector_hits + c->l1d_local_load_sector_hits,
                  c->l1d_global_load_sectors + c->l1d_local_load_sectors);
    table_percent(&t, "L2 read hits", c->l2_read_hits, c->l2_read_sectors);
    table_percent(&t, "L0 instruction cache hits", c->icache_l0_hits, c->icache_l0_accesses);
    table_count(&t, "Shared-memory bank conflicts", c->shared_bank_conflicts);
    table_count(&t, "DRAM bytes read", c->dram_read_bytes);
    table_count(&t, "DRAM bytes written", c->dram_write_bytes);
    table_end(&t);
    stall_lines(out, c);
    opcode_tally_text(out, &s->opcodes, s->warp_instructions);
}

static void wall_time(struct buf *out, const struct run_info *info, const struct summary *s)
{
    if (!info->with_host || s->host_seconds <= 0)
        return;
    char rate[NUMBER_SIZE];
    number_grouped(rate, (uint64_t)((double)s->warp_instructions / s->host_seconds));
    buf_printf(out, "  %-20s%.2f s, %s warp instructions a second\n", "Wall time", s->host_seconds,
               rate);
}

static void geometry(struct buf *out, const struct kernel *k, const struct kernel_result *r)
{
    char ctas[NUMBER_SIZE];
    number_grouped(ctas, r->ctas);
    buf_printf(out, "  grid %ux%ux%u, block %ux%ux%u, %u registers, %u bytes of shared memory\n",
               k->grid.x, k->grid.y, k->grid.z, k->block.x, k->block.y, k->block.z, k->registers,
               k->shared_bytes);
    buf_printf(out, "  %s CTA%s of %u warp%s on %u of %u SMs; %u fit an SM", ctas,
               r->ctas == 1 ? "" : "s", r->warps_per_cta, r->warps_per_cta == 1 ? "" : "s",
               r->sms_used, r->sms, r->ctas_per_sm);
    if (r->ctas_limited_by)
        buf_printf(out, " (limited by %s)", r->ctas_limited_by);
    buf_printf(out, "; dependences by %s\n",
               r->dependence_mode == DEPENDENCE_control_bits ? "control bits" : "scoreboard");
}

/* --ctas: what was simulated and how the numbers were scaled. */
static void sample_line(struct buf *out, const struct kernel_result *r)
{
    char simulated[NUMBER_SIZE], all[NUMBER_SIZE];
    number_grouped(simulated, r->ctas_simulated);
    number_grouped(all, r->ctas);
    buf_printf(out,
               "  SAMPLE: the first %s of %s CTAs (--ctas); cycles are scaled by waves, %" PRIu64
               " / %" PRIu64 ",\n  all counters by CTAs, %s / %s\n",
               simulated, all, r->waves, r->waves_simulated, all, simulated);
}

static void hazard_lines(struct buf *out, const struct summary *s, const struct kernel_report *k)
{
    buf_printf(out, "  Hazards: %" PRIu64 " RAW, %" PRIu64 " WAW, %" PRIu64 " WAR\n",
               s->hazards[HAZARD_RAW], s->hazards[HAZARD_WAW], s->hazards[HAZARD_WAR]);
    uint32_t kept = k ? k->result->hazard_kept : 0;
    for (uint32_t i = 0; i < kept && i < TEXT_HAZARDS; i++) {
        hazard_text(out, k->kernel, &k->result->hazards[i]);
        buf_puts(out, "\n");
    }
    if (kept > TEXT_HAZARDS)
        buf_printf(out, "  (%u more are in the JSON result)\n", kept - TEXT_HAZARDS);
}

void result_text_kernel(struct buf *out, const struct run_info *info, const struct kernel_report *k)
{
    table_title(out, k->kernel->id, k->kernel->name, k->complete ? "" : " (stopped early)");
    geometry(out, k->kernel, k->result);
    if (k->result->sampled)
        sample_line(out, k->result);
    if (k->warm)
        buf_puts(out, "  second of two runs on the same buffers and caches (--warm)\n");
    summary_table(out, k->summary);
    if (info->with_hazards)
        hazard_lines(out, k->summary, k);
    if (k->pcs)
        pc_table_text(out, k->pcs);
    wall_time(out, info, k->summary);
    buf_puts(out, "\n");
}

/* How often each warning came; its text was printed when it came first. */
static void warning_lines(struct buf *out, const struct diag *d)
{
    if (d->count == 0)
        return;
    buf_puts(out, "  Warnings, and how often:\n");
    for (uint32_t i = 0; i < d->count; i++)
        buf_printf(out, "    %" PRIu64 " x %s\n", d->items[i].count, d->items[i].text);
    if (d->dropped > 0)
        buf_printf(out, "    %" PRIu64 " x others\n", d->dropped);
}

void result_text_end(struct buf *out, const struct run_info *info, const struct run_end *end,
                     const char *failures)
{
    buf_puts(out, "Total: ");
    table_plural(out, end->kernels, "kernel");
    buf_puts(out, ", ");
    table_plural(out, end->total->ctas, "CTA");
    if (end->memcpy_count > 0) {
        char bytes[NUMBER_SIZE];
        number_grouped(bytes, end->memcpy_bytes);
        buf_printf(out, ", %" PRIu64 " %s to the device (%s bytes)", end->memcpy_count,
                   end->memcpy_count == 1 ? "copy" : "copies", bytes);
    }
    if (end->interrupted)
        buf_puts(out, " (interrupted)");
    else if (end->stopped)
        buf_puts(out, " (stopped by an error)");
    buf_printf(out, ", on %s\n", info->config->name);
    summary_table(out, end->total);
    if (info->with_hazards)
        hazard_lines(out, end->total, NULL);
    wall_time(out, info, end->total);
    warning_lines(out, end->diag);
    if (failures && *failures) {
        buf_puts(out, "  Kernels that could not be simulated:\n");
        while (*failures) {
            size_t n = strcspn(failures, "\n");
            buf_printf(out, "    %.*s\n", (int)n, failures);
            failures += n + (failures[n] == '\n');
        }
    }
}

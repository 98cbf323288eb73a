#include <stdlib.h>
#include <string.h>

#include "gpu/internal.h"

static bool sum_counts(struct gpu *g, struct kernel_result *r, struct sim_err *err)
{
    r->inst_count = g->exec.count;
    r->counts = calloc(r->inst_count ? r->inst_count : 1, sizeof *r->counts);
    if (!r->counts)
        return err_memory(err, "counting instructions");
    for (uint32_t w = 0; w < g->worker_count; w++) {
        for (uint32_t i = 0; i < r->inst_count; i++) {
            r->counts[i].inst += g->counts[w][i].inst;
            r->counts[i].thread += g->counts[w][i].thread;
        }
    }
    return true;
}

static bool sum_by_inst(struct gpu *g, struct kernel_result *r, struct sim_err *err)
{
    if (!g->by_inst)
        return true;
    r->by_inst = calloc(r->inst_count ? r->inst_count : 1, sizeof *r->by_inst);
    if (!r->by_inst)
        return err_memory(err, "counting by instruction");
    for (uint32_t w = 0; w < g->worker_count; w++) {
        for (uint32_t i = 0; i < r->inst_count; i++)
            stats_add(&r->by_inst[i], &g->by_inst[w][i]);
    }
    return true;
}

static int compare_hazards(const void *a, const void *b)
{
    const struct hazard_record *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    if (x->cta != y->cta)
        return x->cta < y->cta ? -1 : 1;
    if (x->warp != y->warp)
        return x->warp < y->warp ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static bool sum_hazards(struct gpu *g, struct kernel_result *r, struct sim_err *err)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->sm_count; i++)
        n += g->sms[i].hazards.count;
    if (n > 0) {
        r->hazards = malloc(n * sizeof *r->hazards);
        if (!r->hazards)
            return err_memory(err, "collecting hazards");
    }
    n = 0;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct hazard_list *h = &g->sms[i].hazards;
        if (h->count)
            memcpy(r->hazards + n, h->items, h->count * sizeof *h->items);
        n += h->count;
        for (uint32_t k = 0; k < HAZARD_KIND_COUNT; k++)
            r->hazard_total[k] += h->total[k];
        h->count = 0;
        memset(h->total, 0, sizeof h->total);
    }
    if (n > 0)
        qsort(r->hazards, n, sizeof *r->hazards, compare_hazards);
    r->hazard_kept = n < HAZARD_RECORDS_MAX ? n : HAZARD_RECORDS_MAX;
    return true;
}

static void fill_occupancy(struct kernel_result *r, const struct occupancy *o)
{
    r->ctas_per_sm = o->ctas_per_sm;
    r->ctas_limited_by = o->limited_by;
    memcpy(r->ctas_limit, o->limit, sizeof r->ctas_limit);
    r->shared_config_bytes = o->shared_bytes;
    r->warps_per_cta = o->warps_per_cta;
}

/* One of the kernels that ran together. */
static bool fill_member(struct gpu *g, uint32_t member, const struct kernel_result *all,
                        struct kernel_result *r, struct sim_err *err)
{
    struct bundle_member *m = &g->bundle->members[member];
    cycle_t start = m->start == CYCLE_NEVER ? g->start : m->start;
    r->start_cycle = start;
    r->cycles = m->end > start ? m->end - start : 0;
    r->elapsed_cycles = r->cycles + g->cfg.gpu.kernel_launch_cycles;
    r->sms = g->sm_count;
    r->ctas = r->ctas_simulated = m->opened;
    r->max_warps = all->max_warps;
    r->dependence_mode = all->dependence_mode;
    fill_occupancy(r, &m->occupancy);
    bundle_active(m, r);
    r->inst_count = m->number_count;
    r->counts = calloc(r->inst_count + 1, sizeof *r->counts);
    if (g->opt.by_inst)
        r->by_inst = calloc(r->inst_count + 1, sizeof *r->by_inst);
    if (!r->counts || (g->opt.by_inst && !r->by_inst))
        return err_memory(err, "counting instructions");
    for (uint32_t i = 0; i < r->inst_count; i++) {
        uint32_t n = m->numbers[i];
        if (n >= all->inst_count)
            continue;
        r->counts[i] = all->counts[n];
        stats_add(&r->stats, &all->by_inst[n]);
        if (r->by_inst)
            r->by_inst[i] = all->by_inst[n];
    }
    r->stats.issue_resident_warp_cycles = 0;
    for (uint32_t i = 0; i < STALL_COUNT; i++)
        r->stats.issue_resident_warp_cycles += r->stats.stalls[i];
    return true;
}

bool summary_split(struct gpu *g, struct kernel_result *all, struct kernel_result *results,
                   struct sim_err *err)
{
    struct sim_stats rest = all->stats, none = {0}, of_all = {0};
    for (uint32_t i = 0; i < g->bundle->count; i++) {
        TRY(fill_member(g, i, all, &results[i], err));
        stats_add(&of_all, &results[i].stats);
    }
    /* What is left is of no instruction. */
    stats_add_since(&none, &rest, &of_all);
    stats_add(&results[0].stats, &none);
    results[0].host_seconds = all->host_seconds;
    for (uint32_t i = 0; i < g->bundle->count; i++) {
        results[i].warp_instructions = results[i].stats.issue_issued;
        results[i].thread_instructions = results[i].stats.issue_thread_instructions;
    }
    return true;
}

bool summary_fill(struct gpu *g, const struct occupancy *o, cycle_t end, struct kernel_result *r,
                  struct sim_err *err)
{
    r->start_cycle = g->start;
    r->cycles = end - g->start;
    r->elapsed_cycles = r->cycles + g->cfg.gpu.kernel_launch_cycles;
    r->sms = g->sm_count;
    r->ctas = r->ctas_simulated = g->opened;
    fill_occupancy(r, o);
    r->max_warps = g->cfg.sm.warps;
    r->dependence_mode = g->exec.control_bits ? DEPENDENCE_control_bits : DEPENDENCE_scoreboard;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct sm *sm = &g->sms[i];
        sm_settle(sm, end);
        stats_add(&r->stats, &sm->stats);
        r->sm_active_cycles_sum += sm->active_cycles;
        if (sm->active_cycles > r->sm_active_cycles_max)
            r->sm_active_cycles_max = sm->active_cycles;
        r->sms_used += sm->active_cycles > 0;
    }
    for (uint32_t i = 0; i < g->gpc_count; i++) {
        stats_add(&r->stats, &g->gpcs[i].stats);
        memset(&g->gpcs[i].stats, 0, sizeof g->gpcs[i].stats);
    }
    memory_take_stats(&g->memory, &r->stats);
    r->warp_instructions = r->stats.issue_issued;
    r->thread_instructions = r->stats.issue_thread_instructions;
    return sum_counts(g, r, err) && sum_by_inst(g, r, err) && sum_hazards(g, r, err);
}

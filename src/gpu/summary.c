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

bool summary_fill(struct gpu *g, const struct occupancy *o, cycle_t end, struct kernel_result *r,
                  struct sim_err *err)
{
    r->start_cycle = g->start;
    r->cycles = end - g->start;
    r->elapsed_cycles = r->cycles + g->cfg.gpu.kernel_launch_cycles;
    r->sms = g->sm_count;
    r->ctas = r->ctas_simulated = g->opened;
    r->ctas_per_sm = o->ctas_per_sm;
    r->ctas_limited_by = o->limited_by;
    memcpy(r->ctas_limit, o->limit, sizeof r->ctas_limit);
    r->shared_config_bytes = o->shared_bytes;
    r->warps_per_cta = o->warps_per_cta;
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

/* Kernels of different streams at once. */
#include <stdlib.h>
#include <string.h>

#include "gpu/internal.h"

/* Statistics by instruction tell the kernels that run together apart. */
static bool keep_by_inst(struct gpu *g, struct sim_err *err)
{
    g->by_inst = calloc(g->worker_count, sizeof *g->by_inst);
    bool ok = g->by_inst != NULL;
    for (uint32_t w = 0; ok && g->counts_cap > 0 && w < g->worker_count; w++) {
        g->by_inst[w] = calloc(g->counts_cap, sizeof *g->by_inst[w]);
        ok = g->by_inst[w] != NULL;
    }
    for (uint32_t i = 0; ok && i < g->sm_count; i++)
        g->sms[i].by_inst = g->by_inst[0];
    return ok || err_memory(err, "counting by instruction");
}

static void drop_by_inst(struct gpu *g)
{
    for (uint32_t w = 0; g->by_inst && w < g->worker_count; w++)
        free(g->by_inst[w]);
    free(g->by_inst);
    g->by_inst = NULL;
    for (uint32_t i = 0; i < g->sm_count; i++)
        g->sms[i].by_inst = NULL;
}

/* Runs g->bundle. */
static bool run_bundle(struct gpu *g, struct kernel_result *results, struct sim_err *err)
{
    struct kernel_result all = {0};
    for (uint32_t i = 0; i < g->bundle->count; i++) {
        struct bundle_member *m = &g->bundle->members[i];
        m->start = CYCLE_NEVER;
        TRY(occupancy_of(&g->cfg, m->kernel, &m->occupancy, err));
    }
    TRY(g->opt.by_inst || keep_by_inst(g, err));
    bool ok = gpu_run_kernel(g, &g->bundle->kernel, &all, err);
    struct sim_err late = {0};
    bool split = all.inst_count == 0 || summary_split(g, &all, results, ok ? err : &late);
    if (!g->opt.by_inst)
        drop_by_inst(g);
    kernel_result_free(&all);
    return ok && split;
}

bool gpu_run_together(struct gpu *g, struct kernel *const *kernels, uint32_t count,
                      struct kernel_result *results, struct sim_err *err)
{
    if (count == 1)
        return gpu_run_kernel(g, kernels[0], results, err);
    memset(results, 0, count * sizeof *results);
    TRY(bundle_create(&g->bundle, kernels, count, g->opt.max_ctas, err));
    bool ok = run_bundle(g, results, err);
    bundle_free(g->bundle);
    g->bundle = NULL;
    return ok;
}

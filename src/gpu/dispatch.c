/* CTAs to SMs: first one round over all SMs after the other until they are full, then a successor
 * on the SM whose CTA ended. CTAs come in ascending linear id. */
#include <stdlib.h>
#include <string.h>

#include "gpu/internal.h"

static bool grow_counts(struct gpu *g, struct sim_err *err)
{
    if (g->exec.count <= g->counts_cap)
        return true;
    uint32_t cap = g->counts_cap ? g->counts_cap : 256;
    while (cap < g->exec.count)
        cap *= 2;
    for (uint32_t w = 0; w < g->worker_count; w++) {
        struct inst_count *p = realloc(g->counts[w], cap * sizeof *p);
        if (!p)
            return err_memory(err, "counting instructions");
        memset(p + g->counts_cap, 0, (cap - g->counts_cap) * sizeof *p);
        g->counts[w] = p;
    }
    for (uint32_t w = 0; g->by_inst && w < g->worker_count; w++) {
        struct sim_stats *p = realloc(g->by_inst[w], cap * sizeof *p);
        if (!p)
            return err_memory(err, "counting by instruction");
        memset(p + g->counts_cap, 0, (cap - g->counts_cap) * sizeof *p);
        g->by_inst[w] = p;
    }
    for (uint32_t i = 0; g->by_inst && i < g->sm_count; i++)
        g->sms[i].by_inst = g->by_inst[0];
    g->counts_cap = cap;
    return true;
}

/* Opens the next CTA; *out = NULL when there is none. */
static bool open_next(struct gpu *g, struct cta_stream **out, struct sim_err *err)
{
    *out = NULL;
    if (g->all_opened || (g->opt.max_ctas && g->opened >= g->opt.max_ctas)) {
        g->all_opened = true;
        return true;
    }
    TRY(g->kernel->ops->open_cta(g->kernel, out, err));
    if (!*out) {
        g->all_opened = true;
        return true;
    }
    g->opened++;
    return exec_table_grow(&g->exec, g->kernel, &g->cfg, err) && grow_counts(g, err);
}

bool dispatch_first(struct gpu *g, const struct occupancy *o, struct sim_err *err)
{
    for (uint32_t round = 0; round < o->ctas_per_sm; round++) {
        for (uint32_t i = 0; i < g->sm_count; i++) {
            struct cta_stream *cta;
            TRY(open_next(g, &cta, err));
            if (!cta)
                return true;
            sm_launch(&g->sms[i], cta, g->start);
        }
    }
    return true;
}

struct ended {
    struct finished_cta cta;
    uint32_t sm;
};

static int compare_ended(const void *a, const void *b)
{
    const struct ended *x = a, *y = b;
    if (x->cta.cycle != y->cta.cycle)
        return x->cta.cycle < y->cta.cycle ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    return x->cta.cta_slot < y->cta.cta_slot ? -1 : x->cta.cta_slot > y->cta.cta_slot;
}

bool dispatch_next(struct gpu *g, struct sim_err *err)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->sm_count; i++)
        n += g->sms[i].finished_count;
    if (n == 0)
        return true;
    struct ended *ended = malloc(n * sizeof *ended);
    if (!ended)
        return err_memory(err, "dispatching CTAs");
    n = 0;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct sm *sm = &g->sms[i];
        for (uint32_t f = 0; f < sm->finished_count; f++)
            ended[n++] = (struct ended){sm->finished[f], i};
        sm->finished_count = 0;
    }
    qsort(ended, n, sizeof *ended, compare_ended);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) {
        struct cta_stream *cta = NULL;
        g->kernel->ops->close_cta(ended[i].cta.stream);
        g->closed++;
        if (ended[i].cta.cycle > g->end)
            g->end = ended[i].cta.cycle;
        ok = ok && open_next(g, &cta, err);
        if (ok && cta)
            sm_launch(&g->sms[ended[i].sm], cta, ended[i].cta.cycle + g->cfg.gpu.cta_launch_cycles);
    }
    free(ended);
    return ok;
}

void dispatch_abandon(struct gpu *g)
{
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct sm *sm = &g->sms[i];
        for (uint32_t f = 0; f < sm->finished_count; f++)
            g->kernel->ops->close_cta(sm->finished[f].stream);
        sm->finished_count = 0;
        for (uint32_t c = 0; c < SM_MAX_CTAS; c++) {
            if (sm->ctas[c].stream)
                g->kernel->ops->close_cta(sm->ctas[c].stream);
            sm->ctas[c].stream = NULL;
        }
    }
}

/* The caches of the GPCs: their part in a window. */
#include <stdlib.h>

#include "base/bits.h"
#include "gpu/internal.h"

bool gpc_init_all(struct gpu *g)
{
    if (g->cfg.icache.l15_bytes == 0)
        return true;
    g->gpcs = calloc(g->cfg.gpu.gpcs, sizeof *g->gpcs);
    if (!g->gpcs)
        return false;
    g->gpc_count = g->cfg.gpu.gpcs;
    for (uint32_t i = 0; i < g->gpc_count; i++) {
        if (!gpc_cache_init(&g->gpcs[i], i, &g->cfg, &g->arena))
            return false;
    }
    return true;
}

void gpc_free_all(struct gpu *g)
{
    for (uint32_t i = 0; i < g->gpc_count; i++)
        gpc_cache_free(&g->gpcs[i]);
    free(g->gpcs);
    g->gpcs = NULL;
    g->gpc_count = 0;
}

/* Behind the last instruction of a member of the bundle, or of the running kernel. */
static uint64_t code_end(const struct gpu *g, uint32_t member, uint64_t code)
{
    uint64_t end = code;
    for (uint32_t i = 0; i < g->exec.count; i++)
        if (!g->bundle || bundle_origin(g->bundle, i).member == member)
            end = max_u64(end, code + g->exec.insts[i].inst->pc + INST_BYTES);
    return end;
}

static void begin_code(struct gpu *g, uint32_t member, uint64_t code)
{
    uint64_t end = code_end(g, member, code);
    for (uint32_t i = 0; i < g->gpc_count; i++) {
        uint32_t sm = 0;
        while (sm < g->sm_count && g->topology.gpc[sm] != i)
            sm++;
        if (sm < g->sm_count) /* nobody asks a GPC whose SMs are not simulated */
            gpc_cache_begin_kernel(&g->gpcs[i], code, end, sm, g->start);
    }
}

/* Codes in their order, so that the end of the last one is the end of all. */
void gpc_begin_kernel(struct gpu *g)
{
    const struct bundle *b = g->bundle;
    bool begun[BUNDLE_MAX] = {false};
    if (!b)
        begin_code(g, 0, g->exec.code_base);
    for (uint32_t n = 0; b && n < b->count; n++) {
        uint32_t first = BUNDLE_MAX;
        for (uint32_t i = 0; i < b->count; i++)
            if (!begun[i] &&
                (first == BUNDLE_MAX || b->members[i].code_base < b->members[first].code_base))
                first = i;
        begun[first] = true;
        begin_code(g, first, b->members[first].code_base);
    }
}

/* Gives the answers of a cache to those who wait for them. */
static void deliver(struct gpu *g, struct gpc_cache *c)
{
    for (uint32_t i = 0; i < c->reply_count; i++) {
        const struct gpc_reply *r = &c->replies[i];
        if (r->request.kind == MEM_IFETCH)
            tpc_reply(&g->tpcs[r->request.user], r->cycle, r->request.line);
        else
            sm_reply(&g->sms[r->request.sm], r->cycle, &r->request);
    }
    c->reply_count = 0;
}

bool gpc_serve_window(struct gpu *g, struct sim_err *err)
{
    if (g->near_count > 1)
        qsort(g->near, g->near_count, sizeof *g->near, request_compare);
    for (uint32_t i = 0; i < g->near_count; i++)
        gpc_cache_serve(&g->gpcs[g->topology.gpc[g->near[i].sm]], &g->near[i]);
    g->near_count = 0;
    for (uint32_t i = 0; i < g->gpc_count; i++) {
        struct gpc_cache *c = &g->gpcs[i];
        deliver(g, c);
        for (uint32_t r = 0; r < c->to_l2_count; r++)
            TRY(request_add(&g->pending, &g->pending_count, &g->pending_cap, &c->to_l2[r], err));
        c->to_l2_count = 0;
        if (c->failed)
            return err_memory(err, "following lines of code and constants");
    }
    return true;
}

void gpc_fill(struct gpu *g, const struct mem_request *r, cycle_t cycle)
{
    struct gpc_cache *c = &g->gpcs[r->user];
    gpc_cache_fill(c, r, cycle);
    deliver(g, c);
}

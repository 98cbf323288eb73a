/* One window: every TPC alone for some cycles, then what crosses between TPCs, in a fixed order.
 *
 * The window is no longer than the shortest way from one TPC to anything else (request and reply of
 * the GPC's cache or the L2, launch of a successor CTA), so nothing an SM does in a window can
 * reach one of another TPC, or itself through the L2, within it. Results are the same for every
 * window and number of threads. */
#include <stdlib.h>

#include "base/bits.h"
#include "gpu/internal.h"

/* SMs a worker takes at once: enough for the taking to cost nothing, few enough that all workers
 * end a window together. */
#define TASK_SMS 4

static uint32_t task_tpcs(const struct gpu *g)
{
    return (uint32_t)max_u64(1, TASK_SMS / g->tpc_sms);
}

/* Task 0 opens CTAs ahead, the others run the TPCs. */
static void run_tpcs(void *user, uint32_t task, uint32_t worker)
{
    struct gpu *g = user;
    if (task == 0) {
        ahead_fill(g);
        return;
    }
    uint32_t n = task_tpcs(g), end = (uint32_t)min_u64(g->tpc_count, task * (uint64_t)n);
    for (uint32_t i = (task - 1) * n; i < end; i++) {
        struct tpc *tpc = &g->tpcs[i];
        for (uint32_t s = 0; s < tpc->sm_count; s++) {
            tpc->sms[s].counts = g->counts[worker];
            if (g->by_inst)
                tpc->sms[s].by_inst = g->by_inst[worker];
        }
        tpc_run(tpc, g->run_end);
    }
}

int request_compare(const void *a, const void *b)
{
    const struct mem_request *x = a, *y = b;
    if (x->send != y->send)
        return x->send < y->send ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

bool request_add(struct mem_request **list, uint32_t *count, uint32_t *cap,
                 const struct mem_request *r, struct sim_err *err)
{
    if (*count == *cap) {
        uint32_t more = *cap ? *cap * 2 : 1024;
        struct mem_request *p = realloc(*list, more * sizeof *p);
        if (!p)
            return err_memory(err, "keeping requests of the SMs");
        *list = p;
        *cap = more;
    }
    (*list)[(*count)++] = *r;
    return true;
}

/* Code and constants go to the cache of the GPC where there is one. */
static bool keep(struct gpu *g, const struct mem_request *r, struct sim_err *err)
{
    if (g->gpc_count > 0 && r->kind >= MEM_IFETCH)
        return request_add(&g->near, &g->near_count, &g->near_cap, r, err);
    return request_add(&g->pending, &g->pending_count, &g->pending_cap, r, err);
}

static bool collect_requests(struct gpu *g, struct sim_err *err)
{
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct sm *sm = &g->sms[i];
        for (uint32_t r = 0; r < sm->request_count; r++)
            TRY(keep(g, &sm->requests[r], err));
        sm->request_count = 0;
    }
    for (uint32_t i = 0; i < g->tpc_count; i++) {
        struct tpc *tpc = &g->tpcs[i];
        for (uint32_t r = 0; r < tpc->request_count; r++)
            TRY(keep(g, &tpc->requests[r], err));
        tpc->request_count = 0;
    }
    return true;
}

/* Serves what left an SM before `end`: nothing that leaves later can come before it. */
static bool serve(struct gpu *g, cycle_t end, struct sim_err *err)
{
    uint32_t later = 0, n = g->pending_count;
    for (uint32_t i = 0; i < n;) {
        if (g->pending[i].send < end) {
            i++;
            continue;
        }
        struct mem_request swap = g->pending[i];
        g->pending[i] = g->pending[--n];
        g->pending[n] = swap;
        later++;
    }
    if (n > 1)
        qsort(g->pending, n, sizeof *g->pending, request_compare);
    TRY(serve_in_order(g, n, err));
    for (uint32_t i = 0; i < n; i++) {
        const struct mem_request *r = &g->pending[i];
        cycle_t reply = g->replies[i];
        if (g->gpc_count > 0 && r->kind >= MEM_IFETCH)
            gpc_fill(g, r, reply);
        else if (r->kind == MEM_IFETCH)
            tpc_reply(&g->tpcs[r->user], reply, r->line);
        else
            sm_reply(&g->sms[r->sm], reply, r);
    }
    for (uint32_t i = 0; i < later; i++)
        g->pending[i] = g->pending[n + i];
    g->pending_count = later;
    return true;
}

bool window_run(struct gpu *g, cycle_t end, struct sim_err *err)
{
    g->run_end = end;
    uint32_t n = task_tpcs(g);
    workers_run(g->workers, 1 + (g->tpc_count + n - 1) / n, run_tpcs, g);
    g->now = end;
    for (uint32_t i = 0; i < g->tpc_count; i++) {
        struct sim_err *e = &g->tpcs[i].err;
        if (e->code != ERR_NONE) {
            *err = *e;
            *e = (struct sim_err){0};
            return false;
        }
    }
    TRY(collect_requests(g, err));
    TRY(gpc_serve_window(g, err));
    TRY(serve(g, end, err));
    TRY(logs_flush(g, end, err));
    return dispatch_next(g, err);
}

cycle_t window_next_event(const struct gpu *g)
{
    cycle_t t = CYCLE_NEVER;
    for (uint32_t i = 0; i < g->tpc_count; i++)
        t = min_u64(t, tpc_next(&g->tpcs[i]));
    for (uint32_t i = 0; i < g->pending_count; i++)
        t = min_u64(t, g->pending[i].send);
    return t;
}

/* One window: every SM alone for some cycles, then what crosses between SMs, in a fixed order.
 *
 * The window is no longer than the shortest way from one SM to anything else (request and reply of
 * the L2, launch of a successor CTA), so nothing an SM does in a window can reach another one, or
 * itself through the L2, within it. Results are the same for every window and number of threads. */
#include <stdlib.h>

#include "base/bits.h"
#include "gpu/internal.h"

/* SMs a worker takes at once: enough for the taking to cost nothing, few enough that all workers
 * end a window together. */
#define TASK_SMS 4

static void run_sms(void *user, uint32_t task, uint32_t worker)
{
    struct gpu *g = user;
    uint32_t end = (uint32_t)min_u64(g->sm_count, (task + 1) * (uint64_t)TASK_SMS);
    for (uint32_t i = task * TASK_SMS; i < end; i++) {
        g->sms[i].counts = g->counts[worker];
        if (g->by_inst)
            g->sms[i].by_inst = g->by_inst[worker];
        sm_run(&g->sms[i], g->run_end);
    }
}

static int compare_requests(const void *a, const void *b)
{
    const struct mem_request *x = a, *y = b;
    if (x->send != y->send)
        return x->send < y->send ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool collect_requests(struct gpu *g, struct sim_err *err)
{
    uint32_t n = g->pending_count;
    for (uint32_t i = 0; i < g->sm_count; i++)
        n += g->sms[i].request_count;
    if (n > g->pending_cap) {
        uint32_t cap = g->pending_cap ? g->pending_cap : 1024;
        while (cap < n)
            cap *= 2;
        struct mem_request *p = realloc(g->pending, cap * sizeof *p);
        if (!p)
            return err_memory(err, "keeping requests to the L2");
        g->pending = p;
        g->pending_cap = cap;
    }
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct sm *sm = &g->sms[i];
        for (uint32_t r = 0; r < sm->request_count; r++)
            g->pending[g->pending_count++] = sm->requests[r];
        sm->request_count = 0;
    }
    return true;
}

/* memory_serve(); what it counts is also the instruction's. */
static cycle_t serve_by_inst(struct gpu *g, const struct mem_request *r)
{
    const struct sim_stats *stats = memory_stats(&g->memory, r->line);
    struct sim_stats before = *stats;
    cycle_t reply = memory_serve(&g->memory, r);
    if (r->kind != MEM_IFETCH)
        stats_add_since(&g->by_inst[0][r->inst], stats, &before);
    return reply;
}

/* Serves what left an SM before `end`: nothing that leaves later can come before it. */
static void serve(struct gpu *g, cycle_t end)
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
        qsort(g->pending, n, sizeof *g->pending, compare_requests);
    for (uint32_t i = 0; i < n; i++) {
        const struct mem_request *r = &g->pending[i];
        sm_reply(&g->sms[r->sm], g->by_inst ? serve_by_inst(g, r) : memory_serve(&g->memory, r), r);
    }
    for (uint32_t i = 0; i < later; i++)
        g->pending[i] = g->pending[n + i];
    g->pending_count = later;
}

bool window_run(struct gpu *g, cycle_t end, struct sim_err *err)
{
    g->run_end = end;
    workers_run(g->workers, (g->sm_count + TASK_SMS - 1) / TASK_SMS, run_sms, g);
    g->now = end;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct sim_err *e = &g->sms[i].err;
        if (e->code != ERR_NONE) {
            *err = *e;
            *e = (struct sim_err){0};
            return false;
        }
    }
    TRY(collect_requests(g, err));
    serve(g, end);
    TRY(logs_flush(g, end, err));
    return dispatch_next(g, err);
}

cycle_t window_next_event(const struct gpu *g)
{
    cycle_t t = CYCLE_NEVER;
    for (uint32_t i = 0; i < g->sm_count; i++)
        t = min_u64(t, sm_next(&g->sms[i]));
    for (uint32_t i = 0; i < g->pending_count; i++)
        t = min_u64(t, g->pending[i].send);
    return t;
}

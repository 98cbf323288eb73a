/* The part of the memory in a window: requests of the SMs are served in order.
 *
 * Parts of the memory share nothing. With several threads requests are listed by part, and the
 * parts are served side by side, each in order; the answers are the same. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "gpu/internal.h"

/* Requests that one thread serves sooner than several would agree to. */
#define SERVE_ALONE 64

static bool grow(struct gpu *g, uint32_t n, struct sim_err *err)
{
    if (n <= g->serve_cap)
        return true;
    uint32_t cap = g->serve_cap ? g->serve_cap : 1024;
    while (cap < n)
        cap *= 2;
    free(g->replies);
    free(g->by_part);
    free(g->part_of);
    g->replies = malloc(cap * sizeof *g->replies);
    g->by_part = malloc(cap * sizeof *g->by_part);
    g->part_of = malloc(cap * sizeof *g->part_of);
    g->serve_cap = cap;
    return (g->replies && g->by_part && g->part_of) || err_memory(err, "serving requests");
}

/* memory_serve(); what it counts is also the instruction's. */
static cycle_t serve_by_inst(struct gpu *g, const struct mem_request *r, uint32_t worker)
{
    const struct sim_stats *stats = memory_stats(&g->memory, r->line);
    struct sim_stats before = *stats;
    cycle_t reply = memory_serve(&g->memory, r);
    if (r->kind < MEM_IFETCH)
        stats_add_since(&g->by_inst[worker][r->inst], stats, &before);
    return reply;
}

static void serve_one(struct gpu *g, uint32_t i, uint32_t worker)
{
    const struct mem_request *r = &g->pending[i];
    g->replies[i] = g->by_inst ? serve_by_inst(g, r, worker) : memory_serve(&g->memory, r);
}

/* Requests between the one being served and the one whose tags are fetched from the host's memory.
 */
#define PREFETCH_AHEAD 6

/* A task: the requests of some parts. */
static void serve_parts(void *user, uint32_t task, uint32_t worker)
{
    struct gpu *g = user;
    uint64_t parts = g->memory.part_count;
    uint32_t first = (uint32_t)(task * parts / g->serve_tasks);
    uint32_t last = (uint32_t)((task + 1) * parts / g->serve_tasks);
    uint32_t end = g->part_begin[last];
    for (uint32_t i = g->part_begin[first]; i < end; i++) {
        if (end - i > PREFETCH_AHEAD)
            memory_prefetch(&g->memory, &g->pending[g->by_part[i + PREFETCH_AHEAD]]);
        serve_one(g, g->by_part[i], worker);
    }
}

/* Lists the first n requests by part, in order within each. */
static void list_by_part(struct gpu *g, uint32_t n)
{
    uint32_t parts = g->memory.part_count, *begin = g->part_begin;
    memset(begin, 0, (parts + 1) * sizeof *begin);
    for (uint32_t i = 0; i < n; i++) {
        g->part_of[i] = (uint16_t)memory_part(&g->memory, g->pending[i].line);
        begin[g->part_of[i]]++;
    }
    /* Ends of the parts, which the listing from behind turns into beginnings. */
    for (uint32_t p = 1; p <= parts; p++)
        begin[p] += begin[p - 1];
    for (uint32_t i = n; i-- > 0;)
        g->by_part[--begin[g->part_of[i]]] = i;
}

bool serve_in_order(struct gpu *g, uint32_t n, struct sim_err *err)
{
    TRY(grow(g, n, err));
    if (g->worker_count == 1 || n < SERVE_ALONE) {
        for (uint32_t i = 0; i < n; i++)
            serve_one(g, i, 0);
        return true;
    }
    list_by_part(g, n);
    g->serve_tasks = (uint32_t)min_u64(g->memory.part_count, 4 * (uint64_t)g->worker_count);
    workers_run(g->workers, g->serve_tasks, serve_parts, g);
    return true;
}

/* Cache of a GPC for code and constants ("L1.5"), behind the L1 instruction caches of its TPCs and
 * the constant caches of its SMs.
 *
 * Main thread only. Requests are served in order of (send cycle, SM, order in the SM), where `send`
 * is the cycle they leave the SM or TPC. What hits is answered l15_request_cycles +
 * l15_reply_cycles later at the earliest. What misses goes to the L2: the owner takes `to_l2` out,
 * serves it, and tells gpc_cache_fill() of the replies. Every access asks for the lines behind it
 * as well. Answers lie in `replies` until the owner takes them out. */
#ifndef SUBCORE_MEM_GPC_CACHE_H
#define SUBCORE_MEM_GPC_CACHE_H

#include "cfg/config.h"
#include "sim/message.h"
#include "sim/result.h"
#include "sim/tags.h"

/* An answer that arrives at the requester at `cycle`. */
struct gpc_reply {
    cycle_t cycle;
    struct mem_request request;
};

/* A request that waits for its line; `start` is when it was looked up. */
struct gpc_waiter {
    uint64_t line;
    cycle_t start;
    struct mem_request request;
};

/* A line on its way from the L2. */
struct gpc_miss {
    uint64_t line;
    uint32_t missing; /* L2 lines that have not been served */
    cycle_t ready;    /* of those that have */
};

struct gpc_cache {
    const struct config *cfg;
    uint32_t id;
    struct tags tags;
    uint64_t code_end;  /* first line behind the running kernel's code */
    uint64_t port_free; /* in units of 1 / l15_bytes_per_cycle cycles */
    uint32_t order;     /* of the requests to the L2 */
    struct gpc_miss *misses;
    uint32_t miss_count, miss_cap;
    struct gpc_waiter *waiters;
    uint32_t waiter_count, waiter_cap;
    struct mem_request *to_l2;
    uint32_t to_l2_count, to_l2_cap;
    struct gpc_reply *replies;
    uint32_t reply_count, reply_cap;
    struct sim_stats stats;
    bool failed; /* out of memory: something was lost; the owner must stop */
};

bool gpc_cache_init(struct gpc_cache *c, uint32_t id, const struct config *cfg,
                    struct arena *arena);
void gpc_cache_free(struct gpc_cache *c);

/* Shortest time from a request's send cycle to its answer. */
cycle_t gpc_cache_latency(const struct config *cfg);

/* A kernel whose code is [code, code_end) starts at `now`. Its launch has brought the first line
 * of code and the first bytes of constant bank 0 here; l15_launch_bytes of code are asked of the
 * L2, for SM `sm` of the GPC. */
void gpc_cache_begin_kernel(struct gpc_cache *c, uint64_t code, uint64_t code_end, uint32_t sm,
                            cycle_t now);

/* Serves a request for a line of an L1 instruction cache or a constant cache. Call in order. */
void gpc_cache_serve(struct gpc_cache *c, const struct mem_request *r);

/* The L2 has served a request of to_l2: it arrives at `cycle`. */
void gpc_cache_fill(struct gpc_cache *c, const struct mem_request *r, cycle_t cycle);

#endif

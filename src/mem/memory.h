/* What lies behind the L1: network, L2 and DRAM.
 *
 * A plain model behind a port: fixed latencies and limited bandwidth. Requests are served in order
 * of (send cycle, SM, order in the SM), each as a whole: its slice serves a sector a cycle, misses
 * take the DRAM's bandwidth and latency, the reply takes the SM's share of the network. So the
 * cycle of a reply is known when the request is served, and nothing here ticks.
 *
 * Main thread only. Replies come at least memory_latency() cycles after a request leaves the SM. */
#ifndef SUBCORE_MEM_MEMORY_H
#define SUBCORE_MEM_MEMORY_H

#include "cfg/config.h"
#include "sim/message.h"
#include "sim/result.h"
#include "sim/tags.h"

struct memory {
    const struct config *cfg;
    uint32_t sms;
    struct tags l2;
    cycle_t *slice_free; /* [l2.slices] */
    cycle_t *reply_free; /* [sms]: network to an SM, in sectors * sm_sectors_per_cycle */
    uint64_t dram_free;  /* in units of 1 / dram_scale cycles */
    uint64_t dram_scale, dram_sector_cost;
    struct sim_stats stats;
};

bool memory_init(struct memory *m, const struct config *cfg, uint32_t sms, struct arena *arena);

/* Shortest time from a request's send cycle to its reply. */
cycle_t memory_latency(const struct config *cfg);

/* Serves a request; returns the cycle at which its reply arrives at the SM. Call in order. */
cycle_t memory_serve(struct memory *m, const struct mem_request *r);

/* A copy from the host leaves its lines in the L2. */
void memory_copy(struct memory *m, uint64_t addr, uint64_t bytes);

#endif

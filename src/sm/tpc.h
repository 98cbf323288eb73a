/* A TPC: the SMs that share an L1 instruction cache, advanced by one thread.
 *
 * Its SMs meet only in that cache. What an SM asks of it at cycle t is answered at
 * t + l1_request_cycles + l1_reply_cycles at the earliest, so each SM runs alone until then, and
 * the cache serves what has arrived, in order of arrival and, within a cycle, of the SM. Nothing
 * depends on how far the SMs happened to run. */
#ifndef SUBCORE_SM_TPC_H
#define SUBCORE_SM_TPC_H

#include "sm/sm.h"

/* A line from behind the L1, on its way. */
struct line_fill {
    cycle_t cycle;
    uint64_t line;
};

struct tpc {
    uint32_t id;
    const struct icache_cfg *cfg;
    struct sm *sms; /* sm_count of them, in a row */
    uint32_t sm_count;
    struct l1i l1i;
    cycle_t port_free; /* next cycle the cache takes a request */
    cycle_t last_fill; /* that has arrived */
    struct line_fill *fills;
    uint32_t fill_count, fill_cap;

    /* Outbox, emptied between windows: lines asked for behind the L1. */
    struct mem_request *requests;
    uint32_t request_count, request_cap, request_order;
    struct sim_err err;
};

bool tpc_init(struct tpc *tpc, uint32_t id, struct sm *sms, uint32_t sm_count,
              const struct config *cfg, struct arena *arena);
void tpc_free(struct tpc *tpc);

/* A kernel begins: a listing may start with its code in the caches. */
void tpc_begin_kernel(struct tpc *tpc, const struct kernel *k, const struct exec_table *exec);

/* sm_set_code() of its SMs; the L1 prefetches as far. */
void tpc_set_code(struct tpc *tpc);

/* Advances its SMs to `end` (exclusive). Failures are left in tpc->err. */
void tpc_run(struct tpc *tpc, cycle_t end);

/* Earliest cycle at which anything can change, or CYCLE_NEVER. */
cycle_t tpc_next(const struct tpc *tpc);

/* A line from behind the L1 arrives at `cycle`, which the TPC has not reached. */
void tpc_reply(struct tpc *tpc, cycle_t cycle, uint64_t line);

#endif

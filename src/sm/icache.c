/* The arbiter between the L0 instruction caches of an SM and the L1. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sm/subcore.h"

/* The SM goes no further than the answer can come (tpc.h). */
static void send(struct sm *sm, const struct subcore *sc, uint64_t line, cycle_t now)
{
    struct line_queue *q = &sm->line_requests;
    const struct icache_cfg *cfg = &sm->cfg->icache;
    if (q->count == q->cap && q->head > 0) {
        memmove(q->items, q->items + q->head, (q->count - q->head) * sizeof *q->items);
        q->count -= q->head;
        q->head = 0;
    }
    if (q->count == q->cap) {
        uint32_t cap = q->cap ? q->cap * 2 : 64;
        struct line_request *p = realloc(q->items, cap * sizeof *p);
        if (!p) {
            err_memory(&sm->err, "asking for lines of code");
            return;
        }
        q->items = p;
        q->cap = cap;
    }
    cycle_t arrive = now + cfg->l1_request_cycles;
    q->items[q->count++] =
        (struct line_request){.arrive = arrive, .line = line, .subcore = sc->index};
    sm->run_end = min_u64(sm->run_end, arrive + cfg->l1_reply_cycles);
}

/* Sends one request of the L0 caches to the L1 instruction cache: demand misses before prefetches,
 * sub-cores in turn. */
void icache_arbitrate(struct sm *sm, cycle_t now)
{
    bool any = false;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 1; i <= SUBCORES; i++) {
            struct subcore *sc = &sm->subcores[(sm->arbiter_last + i) % SUBCORES];
            bool demand = sc->l0i.demand_sent < sc->l0i.demand_count, prefetch;
            if (!l0i_wants_request(&sc->l0i) || (pass == 0 && !demand))
                continue;
            any = true;
            uint64_t line = l0i_next_request(&sc->l0i, &prefetch, &sc->stats);
            if (line == UINT64_MAX)
                continue;
            send(sm, sc, line, now);
            sm->arbiter_last = sc->index;
            sm->arbiter_next = now + sm->cfg->icache.l1_interval;
            return;
        }
    }
    sm->arbiter_pending = any;
}

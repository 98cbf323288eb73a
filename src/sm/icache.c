/* The instruction caches behind the L0s: an arbiter in front of the L1, and what serves its misses.
 */
#include "base/bits.h"
#include "sm/subcore.h"

/* An L1 miss: the cache behind it, or the L2. */
static void fetch_behind_l1(struct sm *sm, uint64_t line, cycle_t now)
{
    const struct icache_cfg *cfg = &sm->cfg->icache;
    if (cfg->l15_bytes > 0) {
        uint32_t e = tags_find(&sm->l15, line);
        bool first = e == TAGS_NONE && cfg->l15_preloaded &&
                     sm->l15_lines < cfg->l15_bytes / cfg->line_bytes;
        bool hit = e != TAGS_NONE || first;
        if (e != TAGS_NONE)
            tags_touch(&sm->l15, e);
        else
            tags_insert(&sm->l15, line);
        if (first)
            sm->l15_lines++;
        if (hit) {
            wheel_push(&sm->wheel, now + cfg->l15_cycles,
                       (struct event){.type = EVENT_L1I_FILL, .c = line});
            return;
        }
    }
    access_fetch_line(sm, line, now);
}

/* Sends one request of the L0 caches to the L1 instruction cache: demand misses before prefetches,
 * sub-cores in turn. */
void icache_arbitrate(struct sm *sm, cycle_t now)
{
    const struct icache_cfg *cfg = &sm->cfg->icache;
    if (sm->l1i.miss_count == L1I_MAX_MISSES) {
        sm->arbiter_pending = false; /* a fill starts it again */
        return;
    }
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
            enum l1i_result r = l1i_lookup(&sm->l1i, line, sc->index);
            sm->stats.icache_l1_accesses++;
            if (r == L1I_HIT) {
                sm->stats.icache_l1_hits++;
                wheel_push(&sm->wheel, now + cfg->l1_request_cycles + cfg->l1_reply_cycles,
                           (struct event){.type = EVENT_L0_FILL, .a = sc->index, .c = line});
            } else {
                sm->stats.icache_l1_misses++;
                if (r == L1I_MISS)
                    fetch_behind_l1(sm, line, now + cfg->l1_request_cycles);
            }
            sm->arbiter_last = sc->index;
            sm->arbiter_next = now + cfg->l1_interval;
            return;
        }
    }
    sm->arbiter_pending = any;
}

void icache_fill(struct sm *sm, uint64_t line, cycle_t now)
{
    uint32_t subcores = l1i_fill(&sm->l1i, line);
    sm->arbiter_pending = true;
    for (; subcores != 0; subcores &= subcores - 1)
        wheel_push(
            &sm->wheel, now + sm->cfg->icache.l1_reply_cycles,
            (struct event){.type = EVENT_L0_FILL, .a = (uint8_t)lowest_bit(subcores), .c = line});
}

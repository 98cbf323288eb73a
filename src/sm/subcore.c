/* One cycle of a sub-core, and the account of what its warps waited for. */
#include "sm/subcore.h"

#include <string.h>

#include "base/bits.h"
#include "sm/pipe_log.h"

static uint32_t count(warp_mask m)
{
    return popcount32(m);
}

/* The instruction a warp is at: the next to issue; of a warp that has just issued or has ended, the
 * last one. */
static uint32_t current_inst(const struct warp *w, enum stall_reason r)
{
    if (r == STALL_selected)
        return w->last_inst;
    if (w->count > 0)
        return w->buffer[w->head].dyn.inst;
    return w->stream->next < w->stream->end ? w->stream->next->inst : w->last_inst;
}

/* Equal cycles being charged. */
struct charge {
    struct subcore *sc;
    cycle_t at;
    uint64_t cycles;
    warp_mask rest;            /* warps without a reason yet */
    struct sim_stats *by_inst; /* NULL = not kept */
    bool detailed;             /* kept by instruction, or for the timeline */
};

static void charge_detail(const struct charge *c, warp_mask m, enum stall_reason r)
{
    if (c->sc->sm->opt.timeline)
        pipe_log_stall(c->sc, m, r, c->at, c->cycles);
    for (; c->by_inst && m != 0; m &= (warp_mask)(m - 1))
        c->by_inst[current_inst(&c->sc->warps[lowest_bit(m)], r)].stalls[r] += c->cycles;
}

/* Moves the warps of the rest that are in `m` to reason `r`. */
static inline void charge(struct charge *c, warp_mask m, enum stall_reason r)
{
    warp_mask hit = c->rest & m;
    c->sc->stats.stalls[r] += c->cycles * count(hit);
    c->rest &= (warp_mask)~hit;
    if (c->detailed)
        charge_detail(c, hit, r);
}

static warp_mask blocked_by_queues(const struct subcore *sc, uint32_t q)
{
    return sc->queues[q].used >= sc->sm->cfg->queue[q].entries ? sc->by_queue[q] : 0;
}

static inline void charge_queues(struct charge *c)
{
    const struct subcore *sc = c->sc;
    for (uint32_t qs = sc->queues_wanted; qs != 0; qs &= qs - 1) {
        uint32_t q = lowest_bit(qs);
        warp_mask m = blocked_by_queues(sc, q);
        if (q == QUEUE_texture)
            charge(c, m, STALL_tex_throttle);
        charge(c, m & sc->global_head, STALL_lg_throttle);
        charge(c, m, STALL_mio_throttle);
    }
}

/* Charges n equal cycles that start at `at`; `issued` is the warp that issued, or -1. */
static void charge_cycles(struct subcore *sc, cycle_t at, uint64_t n, int issued)
{
    struct sim_stats *s = &sc->stats;
    struct sm *sm = sc->sm;
    struct charge c = {sc, at, n, sc->resident, sm->by_inst, sm->by_inst || sm->opt.timeline};
    s->issue_active_cycles += n;
    s->issue_resident_warp_cycles += n * count(c.rest);
    if (issued >= 0)
        charge(&c, (warp_mask)(1u << issued), STALL_selected);
    else
        s->issue_bubbles += n;
    if (c.rest == 0)
        return;
    charge(&c, sc->exited, STALL_drain);
    charge(&c, subcore_at_barrier(sc), STALL_barrier);
    charge(&c, sc->membar, STALL_membar);
    charge(&c, sc->draining, STALL_drain);
    charge(&c, sc->stalled, STALL_wait);
    charge(&c, sc->redirecting & (warp_mask)~sc->valid, STALL_branch_resolving);
    charge(&c, (warp_mask)~sc->valid, STALL_no_instruction);
    charge(&c, sc->dep_long, STALL_long_scoreboard);
    charge(&c, sc->dep_short, STALL_short_scoreboard);
    charge(&c, sc->dep_fixed, STALL_wait);
    charge(&c, sc->const_wait, STALL_imc_miss);
    if (c.rest == 0)
        return;
    charge(&c, issue_blocked_by_units(sc, c.rest, at), STALL_math_pipe_throttle);
    charge_queues(&c);
    if (issued < 0)
        charge(&c, c.rest, STALL_dispatch_stall);
    else
        charge(&c, c.rest, STALL_not_selected);
}

void subcore_account(struct subcore *sc, cycle_t until)
{
    if (until <= sc->accounted)
        return;
    if (sc->resident)
        charge_cycles(sc, sc->accounted, until - sc->accounted, -1);
    sc->accounted = until;
}

cycle_t subcore_set_ready(const struct subcore *sc, const struct unit_set *set)
{
    cycle_t best = set->all ? 0 : CYCLE_NEVER;
    for (uint32_t us = set->units; us != 0; us &= us - 1) {
        cycle_t free = sc->unit_free[lowest_bit(us)];
        best = set->all ? max_u64(best, free) : min_u64(best, free);
    }
    return best;
}

/* Next cycle at which something can change by itself when nothing issued in `now`. */
static cycle_t idle_wake(const struct subcore *sc, cycle_t now)
{
    if (sc->fetch_open)
        return now + 1;
    cycle_t t = CYCLE_NEVER;
    for (uint32_t m = sc->stalled; m != 0; m &= m - 1)
        t = min_u64(t, sc->warps[lowest_bit(m)].stall_until);
    for (uint32_t m = sc->armed & (uint32_t)~sc->valid; m != 0; m &= m - 1) {
        const struct warp *w = &sc->warps[lowest_bit(m)];
        t = min_u64(t, w->buffer[w->head].ready);
    }
    warp_mask ready =
        sc->valid & (warp_mask) ~(sc->stalled | sc->dep_long | sc->dep_short | sc->dep_fixed |
                                  subcore_at_barrier(sc) | sc->membar | sc->const_wait);
    if (ready) {
        if (sc->issue_free > now)
            t = min_u64(t, sc->issue_free);
        if (sc->const_hold > now)
            t = min_u64(t, sc->const_hold);
        for (uint32_t ss = sc->sets; ss != 0; ss &= ss - 1) {
            uint32_t s = lowest_bit(ss);
            cycle_t free = subcore_set_ready(sc, &sc->sm->exec->sets[s]);
            if ((sc->by_set[s] & ready) && free > now)
                t = min_u64(t, free);
        }
    }
    return max_u64(t, now + 1);
}

void subcore_tick(struct subcore *sc, cycle_t now)
{
    subcore_account(sc, now);
    warp_mask *stall = &sc->stall_ring[now % STALL_RING];
    sc->stalled &= (warp_mask) ~*stall;
    sc->draining &= (warp_mask) ~*stall;
    *stall = 0;
    warp_mask *decode = &sc->decode_ring[now % DECODE_RING];
    sc->valid |= *decode;
    *decode = 0;
    if (!sc->resident) {
        sc->accounted = now + 1;
        sc->wake = CYCLE_NEVER;
        return;
    }
    fetch_tick(sc, now);
    int issued = issue_tick(sc, now);
    sc->accounted = now + 1;
    charge_cycles(sc, now, 1, issued);
    if (issued >= 0)
        retire_check(sc, &sc->warps[issued], now + 1);
    sc->wake = issued >= 0 ? now + 1 : idle_wake(sc, now);
}

void sm_account(struct sm *sm, cycle_t cycle)
{
    for (uint32_t i = 0; i < SUBCORES; i++)
        subcore_account(&sm->subcores[i], cycle);
}

void sm_settle(struct sm *sm, cycle_t cycle)
{
    for (uint32_t i = 0; i < SUBCORES; i++) {
        subcore_account(&sm->subcores[i], cycle);
        stats_add(&sm->stats, &sm->subcores[i].stats);
        memset(&sm->subcores[i].stats, 0, sizeof sm->subcores[i].stats);
    }
    if (sm->resident_ctas > 0) {
        sm->active_cycles += cycle - sm->active_since;
        sm->active_since = cycle;
    }
}

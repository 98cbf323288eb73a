/* CTA barriers, memory barriers, groups of asynchronous copies, and the end of warps. */
#include "base/bits.h"
#include "sm/subcore.h"

static void wake_warp_at(struct sm *sm, uint32_t slot, cycle_t at)
{
    struct subcore *sc = &sm->subcores[slot % SUBCORES];
    struct warp *w = &sc->warps[slot / SUBCORES];
    w->pending_events++;
    wheel_push(&sm->wheel, at,
               (struct event){.type = EVENT_WAKE_WARP, .a = sc->index, .warp = w->index});
}

/* Releases a barrier when all its warps have come. */
static void release(struct sm *sm, struct cta_slot *cta, struct cta_barrier *b)
{
    uint32_t expected = b->expected ? b->expected : cta->live;
    if (b->arrived == 0 || b->arrived < expected)
        return;
    cycle_t at = b->free + sm->cfg->sm.barrier_base_cycles;
    for (uint64_t m = b->waiting; m != 0; m &= m - 1)
        wake_warp_at(sm, lowest_bit(m), at);
    sm->stats.issue_barriers++;
    sm->stats.shared_wavefronts++;
    b->arrived = 0;
    b->waiting = 0;
}

/* The barrier holds the warp only some cycles after it was issued; BAR itself is held always. */
static void hold_later(struct sm *sm, struct subcore *sc, struct warp *w, cycle_t now)
{
    if (subcore_exec(sc, w->last_inst)->stall >= sm->cfg->sm.barrier_seen_cycles)
        return;
    sc->barrier_unseen |= warp_bit(w);
    w->pending_events++;
    wheel_push(&sm->wheel, now + sm->cfg->sm.barrier_seen_cycles,
               (struct event){.type = EVENT_BARRIER_SEEN, .a = sc->index, .warp = w->index});
}

void barrier_arrive(struct sm *sm, struct subcore *sc, struct warp *w, const struct inst *in,
                    cycle_t now)
{
    struct cta_slot *cta = &sm->ctas[w->cta_slot];
    struct cta_barrier *b = &cta->barriers[in->barrier_id % NAMED_BARRIERS];
    b->arrived++;
    b->expected = in->barrier_count / WARP_LANES;
    b->free = max_u64(b->free, now) + sm->cfg->sm.barrier_warp_cycles;
    if (in->flags & INST_BARRIER_SYNC) {
        b->waiting |= 1ull << w->slot;
        sc->barrier |= warp_bit(w);
        hold_later(sm, sc, w, now);
    }
    release(sm, cta, b);
}

void barrier_warp_exited(struct sm *sm, uint32_t cta_slot, cycle_t now)
{
    struct cta_slot *cta = &sm->ctas[cta_slot];
    cta->live--;
    for (uint32_t i = 0; i < NAMED_BARRIERS; i++) {
        struct cta_barrier *b = &cta->barriers[i];
        if (b->arrived == 0)
            continue;
        b->free = max_u64(b->free, now);
        release(sm, cta, b);
    }
}

/* The memory barrier starts when the warp's earlier accesses are done. */
void membar_check(struct subcore *sc, struct warp *w, cycle_t now)
{
    if (!w->membar_waits || w->inflight || w->stores_unacked)
        return;
    wake_warp_at(sc->sm, w->slot, now + w->membar_cycles);
    w->membar_waits = false;
}

/* LDGDEPBAR: its counter falls when the copies issued before it have written shared memory. Groups
 * of a warp complete in order; `copies_done` counts completions, whichever copy they belong to. */
void copies_group(struct subcore *sc, struct warp *w, uint32_t inst, cycle_t control)
{
    w->copy_groups++;
    w->group_target[(w->group_head + w->copy_groups - 1) % COPY_GROUPS] = w->copies_issued;
    w->group_inst[(w->group_head + w->copy_groups - 1) % COPY_GROUPS] = inst;
    w->group_least[(w->group_head + w->copy_groups - 1) % COPY_GROUPS] =
        control - 1 + sc->sm->cfg->issue.copy_group_least_cycles;
    copies_done(sc, w, control + 1);
}

void copies_done(struct subcore *sc, struct warp *w, cycle_t now)
{
    while (w->copy_groups > 0 && w->copies_done >= w->group_target[w->group_head]) {
        const struct exec_inst *e = subcore_exec(sc, w->group_inst[w->group_head]);
        if ((e->flags & EXEC_CONTROL_BITS) && e->write_bar != NO_COUNTER) {
            w->pending_events++;
            cycle_t at =
                max_u64(now + sc->sm->cfg->issue.copy_group_cycles, w->group_least[w->group_head]);
            wheel_push(&sc->sm->wheel, at,
                       (struct event){.type = EVENT_WRITE_DONE,
                                      .a = sc->index,
                                      .warp = w->index,
                                      .b = w->group_inst[w->group_head]});
        }
        w->group_head = (uint8_t)((w->group_head + 1) % COPY_GROUPS);
        w->copy_groups--;
    }
}

static void remove_from_order(struct subcore *sc, uint8_t index)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sc->order_count; i++) {
        if (sc->order[i] != index)
            sc->order[n++] = sc->order[i];
    }
    sc->order_count = (uint8_t)n;
}

static void retire_cta(struct sm *sm, uint32_t slot, cycle_t now)
{
    struct cta_slot *cta = &sm->ctas[slot];
    sm->finished[sm->finished_count++] =
        (struct finished_cta){now, cta->order, cta->owner, cta->since, cta->stream};
    cta->stream = NULL;
    if (--sm->resident_ctas == 0)
        sm->active_cycles += now - sm->active_since;
}

/* A warp whose instructions have all issued exits; it retires, and gives its slot back, when
 * nothing of it is in flight in the SM. It does not wait for its stores: on an H200 warps that end
 * with one spend 19 to 23 cycles in drain, the L2 is ten times as far. */
void retire_check(struct subcore *sc, struct warp *w, cycle_t now)
{
    struct sm *sm = sc->sm;
    warp_mask bit = warp_bit(w);
    if (!(sc->resident & bit) || w->count > 0 || !w->fetch_done || (sc->barrier & bit) ||
        (sc->membar & bit))
        return;
    if (!(sc->exited & bit)) {
        subcore_account(sc, now);
        sc->exited |= bit;
        barrier_warp_exited(sm, w->cta_slot, now);
    }
    if (w->inflight || w->pending_events)
        return;
    subcore_account(sc, now);
    warp_mask keep = (warp_mask)~bit;
    sc->resident &= keep;
    sc->exited &= keep;
    sc->stalled &= keep;
    sc->draining &= keep;
    sc->stall_ring[w->stall_until % STALL_RING] &= keep;
    remove_from_order(sc, w->index);
    register_file_forget_warp(&sc->rf, w->slot);
    if (sc->last_issued == w->index)
        sc->last_issued = sc->greedy = SUBCORE_WARPS;
    sm->released[sm->released_count++] =
        (struct released_warp){now, sm->ctas[w->cta_slot].order, sm->ctas[w->cta_slot].owner};
    if (--sm->ctas[w->cta_slot].warps_left == 0)
        retire_cta(sm, w->cta_slot, now);
}

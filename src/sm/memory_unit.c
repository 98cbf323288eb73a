/* Queues of the sub-cores and the units the sub-cores share.
 *
 * An instruction leaves Control into its queue, starts in the sub-core's stage (address generation;
 * its operands are read there, when fixed-latency instructions leave the register ports free), and
 * is handed over to the shared unit, which takes one instruction per interval, sub-cores in turn.
 * Its entry is free again the cycle after. Source: paper 5.4 and table 1. */
#include "base/bits.h"
#include "sm/pipe_log.h"
#include "sm/subcore.h"

/* Issue to the first cycle of the stage, undelayed: Control and the queue. */
#define ISSUE_TO_START 2

void memory_enqueue(struct subcore *sc, struct warp *w, const struct ibuffer_entry *entry,
                    cycle_t control)
{
    const struct exec_inst *e = subcore_exec(sc, entry->dyn.inst);
    struct var_queue *q = &sc->queues[e->queue];
    uint32_t at = (q->head + q->count++) % QUEUE_MAX_ENTRIES;
    q->ring[at] = (struct queued){
        .dyn = entry->dyn, .inst = entry->dyn.inst, .warp = w->index, .enter = control + 1};
    q->used++;
    sc->queue_mask |= 1u << e->queue;
    w->inflight++;
    if (e->flags & EXEC_COPY)
        w->copies_issued++;
    sc->sm->memory_wake = min_u64(sc->sm->memory_wake, control + 1);
}

static void read_done_at(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                         cycle_t at)
{
    struct warp *w = &sc->warps[q->warp];
    if (e->read_bar == NO_COUNTER && (e->flags & EXEC_CONTROL_BITS) && !w->hazard)
        return;
    w->pending_events++;
    wheel_push(
        &sc->sm->wheel, at,
        (struct event){.type = EVENT_READ_DONE, .a = sc->index, .warp = q->warp, .b = q->inst});
}

/* Starts the oldest instruction that has not started. Returns when to look again. */
static cycle_t start_next(struct subcore *sc, struct var_queue *q, cycle_t now)
{
    if (q->started == q->count)
        return CYCLE_NEVER;
    struct queued *next = &q->ring[(q->head + q->started) % QUEUE_MAX_ENTRIES];
    cycle_t at = max_u64(next->enter, q->stage_free);
    if (at > now)
        return at;
    const struct exec_inst *e = subcore_exec(sc, next->inst);
    bool last = now >= at + sc->sm->cfg->register_file.queued_wait_cycles;
    if (next->dyn.mask && !register_file_try_read(&sc->rf, e, last, now, &sc->stats))
        return now + 1;
    next->started = true;
    if (sc->sm->opt.timeline)
        pipe_log(sc, &sc->warps[next->warp], PIPE_START, next->inst, now);
    next->ready = now + e->grant - ISSUE_TO_START;
    q->started++;
    q->stage_free = now + e->interval;
    if (e->war <= e->grant)
        read_done_at(sc, next, e, now + e->war - ISSUE_TO_START);
    return max_u64(now + 1, q->stage_free);
}

/* Earliest cycle the head can be handed over, or CYCLE_NEVER. */
static cycle_t head_ready(const struct var_queue *q)
{
    if (q->started == 0)
        return CYCLE_NEVER;
    return max_u64(q->ring[q->head].ready, q->last_grant + 1);
}

/* access_start(); what it counts is also the instruction's. */
static uint32_t start_by_inst(struct subcore *sc, struct queued *head, cycle_t now)
{
    struct sim_stats before = sc->stats;
    uint32_t taken = access_start(sc, head, now);
    stats_add_since(&sc->sm->by_inst[head->inst], &sc->stats, &before);
    return taken;
}

static void hand_over(struct subcore *sc, uint32_t queue, cycle_t now)
{
    struct sm *sm = sc->sm;
    struct var_queue *q = &sc->queues[queue];
    struct queued *head = &q->ring[q->head];
    const struct exec_inst *e = subcore_exec(sc, head->inst);
    if (e->war > e->grant)
        read_done_at(sc, head, e, now + e->war - e->grant);
    if (sm->opt.timeline)
        pipe_log(sc, &sc->warps[head->warp], PIPE_HAND_OVER, head->inst, now);
    uint32_t taken = sm->by_inst ? start_by_inst(sc, head, now) : access_start(sc, head, now);
    uint32_t unit = e->shared_unit;
    if (unit != SHARED_UNIT_none) {
        sm->shared_free[unit] = now + max_u64(sm->cfg->shared_unit[unit].interval, taken);
        sm->shared_last[unit] = sc->index;
    }
    q->last_grant = now;
    q->head = (q->head + 1) % QUEUE_MAX_ENTRIES;
    q->count--;
    q->started--;
    if (q->count == 0)
        sc->queue_mask &= ~(1u << queue);
    wheel_push(&sm->wheel, now + 1,
               (struct event){.type = EVENT_CREDIT, .a = sc->index, .b = queue});
}

/* Shared unit of the head of a queue. */
static uint32_t head_unit(struct subcore *sc, const struct var_queue *q)
{
    return subcore_exec(sc, q->ring[q->head].inst)->shared_unit;
}

/* Lets one sub-core hand over to `unit`, in turn. Returns when to look again. */
static cycle_t arbitrate(struct sm *sm, uint32_t unit, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    for (uint32_t i = 1; i <= SUBCORES; i++) {
        struct subcore *sc = &sm->subcores[(sm->shared_last[unit] + i) % SUBCORES];
        for (uint32_t qs = sc->queue_mask; qs != 0; qs &= qs - 1) {
            uint32_t queue = lowest_bit(qs);
            struct var_queue *q = &sc->queues[queue];
            cycle_t ready = head_ready(q);
            if (ready == CYCLE_NEVER || head_unit(sc, q) != unit)
                continue;
            if (sm->shared_free[unit] > now)
                return sm->shared_free[unit];
            if (ready > now) {
                next = min_u64(next, ready);
                continue;
            }
            ready = access_ready(sc, &q->ring[q->head], now);
            if (ready <= now) {
                hand_over(sc, queue, now);
                return now + 1;
            }
            if (ready != CYCLE_NEVER)
                return ready; /* nothing passes what waits for the network */
        }
    }
    return next;
}

/* Instructions that execute in the sub-core's own unit go as soon as they are ready. */
static cycle_t hand_over_local(struct subcore *sc, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    for (uint32_t qs = sc->queue_mask; qs != 0; qs &= qs - 1) {
        uint32_t queue = lowest_bit(qs);
        struct var_queue *q = &sc->queues[queue];
        cycle_t ready = head_ready(q);
        if (ready == CYCLE_NEVER || head_unit(sc, q) != SHARED_UNIT_none)
            continue;
        if (ready <= now) {
            hand_over(sc, queue, now);
            ready = now + 1;
        }
        next = min_u64(next, ready);
    }
    return next;
}

void memory_tick(struct sm *sm, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    uint32_t units = 0;
    for (uint32_t s = 0; s < SUBCORES; s++) {
        struct subcore *sc = &sm->subcores[s];
        for (uint32_t qs = sc->queue_mask; qs != 0; qs &= qs - 1) {
            struct var_queue *q = &sc->queues[lowest_bit(qs)];
            next = min_u64(next, start_next(sc, q, now));
            if (q->started)
                units |= 1u << head_unit(sc, q);
        }
        if (units & (1u << SHARED_UNIT_none))
            next = min_u64(next, hand_over_local(sc, now));
    }
    for (units &= ~(1u << SHARED_UNIT_none); units != 0; units &= units - 1)
        next = min_u64(next, arbitrate(sm, lowest_bit(units), now));
    sm->memory_wake = next;
}

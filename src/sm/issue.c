/* Issue: which warps are ready, which one is chosen, and what its instruction takes on the way
 * through Control and Allocate.
 *
 * Those two stages are not ticked: they are in order and depend only on what was issued before, so
 * the cycles an instruction spends there are known when it issues. `control_free` is the first
 * cycle the next instruction can be in Control, `allocate_free` in Allocate; an instruction held in
 * Allocate for read ports holds the one in Control, and that one holds issue (paper 5.1.1). */
#include <stdlib.h>

#include "base/bits.h"
#include "sm/pipe_log.h"
#include "sm/subcore.h"

/* An instruction held in Allocate holds what is upstream, the stall counts of all warps included.
 * So the distance of two instructions of a warp at their operand reads is never less than their
 * stall counts say, and a dependence at stall 4 is right behind any port conflict, as measured
 * (golden table G7); and warps whose instructions conflict issue in turns, so that none is left
 * behind: on an H200 four warps of dependent FFMAs end when the register ports have served all of
 * them (straight_line_16w, fma_chain_16w). */

/* Issue, Control, Allocate, first read cycle of an undelayed instruction. */
#define ISSUE_TO_READ 3
/* From the end of the latency that consumers see to the write of the register file: results are
 * bypassed before. Artifact: written back 10 cycles after issue at latency 4. */
#define BYPASS_TO_WRITE 3

warp_mask issue_blocked_by_units(const struct subcore *sc, warp_mask candidates, cycle_t now)
{
    warp_mask blocked = 0;
    for (uint32_t ss = sc->sets; ss != 0; ss &= ss - 1) {
        uint32_t s = lowest_bit(ss);
        if (!(sc->by_set[s] & candidates))
            continue;
        const struct unit_set *set = &sc->sm->exec->sets[s];
        bool any_free = false, all_free = true;
        for (uint32_t us = set->units; us != 0; us &= us - 1) {
            bool free = sc->unit_free[lowest_bit(us)] <= now;
            any_free |= free;
            all_free &= free;
        }
        if (!(set->all ? all_free : any_free))
            blocked |= sc->by_set[s];
    }
    return blocked & candidates;
}

static warp_mask blocked_by_full_queues(const struct subcore *sc)
{
    warp_mask blocked = 0;
    for (uint32_t qs = sc->queues_wanted; qs != 0; qs &= qs - 1) {
        uint32_t q = lowest_bit(qs);
        if (sc->queues[q].used >= sc->sm->cfg->queue[q].entries)
            blocked |= sc->by_queue[q];
    }
    return blocked;
}

void issue_arm(struct subcore *sc, struct warp *w, cycle_t now)
{
    warp_mask bit = warp_bit(w);
    const struct ibuffer_entry *h = &w->buffer[w->head];
    const struct exec_inst *e = subcore_exec(sc, h->dyn.inst);
    sc->armed |= bit;
    if (e->unit_set) {
        sc->by_set[e->unit_set] |= bit;
        sc->sets |= 1u << e->unit_set;
    }
    if (e->queue != QUEUE_none) {
        sc->by_queue[e->queue] |= bit;
        sc->queues_wanted |= 1u << e->queue;
    }
    if (e->flags & EXEC_GLOBAL)
        sc->global_head |= bit;
    if (h->ready <= now)
        sc->valid |= bit;
    else
        sc->decode_ring[h->ready % DECODE_RING] |= bit;
    if (e->flags & EXEC_PASSES_BARRIER)
        sc->passes_barrier |= bit;
    if (e->inst_flags & (INST_BARRIER_SYNC | INST_BARRIER_ARRIVE))
        sc->barrier_unseen &= (warp_mask)~bit;
    issue_check_dependences(sc, w);
}

static void disarm(struct subcore *sc, struct warp *w, const struct exec_inst *e)
{
    warp_mask keep = (warp_mask)~warp_bit(w);
    sc->armed &= keep;
    sc->valid &= keep;
    sc->global_head &= keep;
    sc->dep_long &= keep;
    sc->dep_short &= keep;
    sc->dep_fixed &= keep;
    sc->passes_barrier &= keep;
    sc->by_set[e->unit_set] &= keep;
    if (!sc->by_set[e->unit_set])
        sc->sets &= ~(1u << e->unit_set);
    sc->by_queue[e->queue] &= keep;
    if (!sc->by_queue[e->queue])
        sc->queues_wanted &= ~(1u << e->queue);
}

static uint32_t youngest(const struct subcore *sc, warp_mask ready)
{
    if (sc->sm->cfg->issue.youngest == YOUNGEST_slot)
        return highest_bit(ready);
    uint32_t i = sc->order_count;
    do
        i--;
    while (!(ready >> sc->order[i] & 1));
    return sc->order[i];
}

static uint32_t oldest(const struct subcore *sc, warp_mask ready)
{
    uint32_t i = 0;
    while (!(ready >> sc->order[i] & 1))
        i++;
    return sc->order[i];
}

static uint32_t select_warp(const struct subcore *sc, warp_mask ready)
{
    bool greedy = sc->greedy < SUBCORE_WARPS && (ready >> sc->greedy & 1);
    switch (sc->sm->cfg->issue.scheduler) {
    case SCHEDULER_gto:
        return greedy ? sc->greedy : oldest(sc, ready);
    case SCHEDULER_lrr: {
        warp_mask after =
            sc->last_issued < SUBCORE_WARPS ? ready & (warp_mask)(~0u << (sc->last_issued + 1)) : 0;
        return lowest_bit(after ? after : ready);
    }
    case SCHEDULER_oldest:
        return oldest(sc, ready);
    default:
        return greedy ? sc->greedy : youngest(sc, ready);
    }
}

static void push_warp_event(struct subcore *sc, struct warp *w, enum sm_event type, uint32_t inst,
                            cycle_t at)
{
    w->pending_events++;
    wheel_push(&sc->sm->wheel, at,
               (struct event){.type = (uint8_t)type, .a = sc->index, .warp = w->index, .b = inst});
}

/* Units are taken from issue on: what an instruction waits in Allocate does not delay the next one
 * of its unit further. */
static void take_units(struct subcore *sc, const struct exec_inst *e, cycle_t now)
{
    const struct unit_set *set = &sc->sm->exec->sets[e->unit_set];
    for (uint32_t us = set->units; us != 0;) {
        /* Of several the last one: FP32 leaves the heavy half to what needs it. */
        uint32_t u = highest_bit(us);
        us &= ~(1u << u);
        if (!set->all && sc->unit_free[u] > now)
            continue;
        sc->unit_free[u] = now + e->interval;
        if (!set->all)
            break;
    }
    for (uint32_t us = e->blocks; us != 0; us &= us - 1) {
        cycle_t *free = &sc->unit_free[lowest_bit(us)];
        *free = max_u64(*free, now + e->blocks_interval);
    }
}

/* Counts of the warps that are stalled in cycle `from` stand still for `cycles`. */
static void freeze_stall_counts(struct subcore *sc, cycle_t from, uint32_t cycles)
{
    for (uint32_t m = sc->stalled & (uint32_t)~sc->draining; m != 0; m &= m - 1) {
        struct warp *w = &sc->warps[lowest_bit(m)];
        if (w->stall_until <= from)
            continue;
        sc->stall_ring[w->stall_until % STALL_RING] &= (warp_mask)~warp_bit(w);
        w->stall_until += cycles;
        sc->stall_ring[w->stall_until % STALL_RING] |= warp_bit(w);
    }
}

/* Control, Allocate, operand read and result of a fixed-latency instruction. Returns the issue
 * cycle as the units see it: later by the cycles spent in Allocate. */
static cycle_t issue_fixed(struct subcore *sc, struct warp *w, const struct exec_inst *e,
                           const struct dyn_inst *d, cycle_t now, cycle_t control)
{
    cycle_t allocate = max_u64(control + 1, sc->allocate_free);
    cycle_t read = allocate + 1;
    if (d->mask)
        read = register_file_read(&sc->rf, e, w->slot, now, allocate, &sc->stats);
    else
        register_file_drop(&sc->rf, e);
    if (e->unit_set)
        take_units(sc, e, now);
    read += e->allocate_hold;
    sc->control_free = allocate;
    sc->allocate_free = read;
    cycle_t effective = read - ISSUE_TO_READ;
    if (read > allocate + 1)
        freeze_stall_counts(sc, allocate, (uint32_t)(read - allocate - 1));
    if (d->mask && (e->bank_writes[0] | e->bank_writes[1])) {
        register_file_write_fixed(&sc->rf, e, now, read + e->latency + BYPASS_TO_WRITE);
        sc->stats.register_file_writes += (uint64_t)e->bank_writes[0] + e->bank_writes[1];
    }
    if (!(e->flags & EXEC_CONTROL_BITS)) {
        if (e->dest_count)
            push_warp_event(sc, w, EVENT_WRITE_DONE, d->inst, effective + e->scoreboard_latency);
    } else {
        if (e->read_bar != NO_COUNTER)
            push_warp_event(sc, w, EVENT_READ_DONE, d->inst,
                            read + sc->sm->cfg->register_file.read_cycles);
        /* That of LDGDEPBAR is released when the copies before it are done. */
        if (e->write_bar != NO_COUNTER && !(e->inst_flags & INST_LDGDEPBAR))
            push_warp_event(sc, w, EVENT_WRITE_DONE, d->inst,
                            max_u64(control + 2, effective + e->latency));
    }
    return effective;
}

static void record(struct subcore *sc, struct warp *w, const struct dyn_inst *d, cycle_t now,
                   cycle_t control)
{
    struct sm *sm = sc->sm;
    if (sm->log_count == sm->log_cap) {
        uint32_t cap = sm->log_cap ? sm->log_cap * 2 : 1024;
        struct issue_record *p = realloc(sm->log, cap * sizeof *p);
        if (!p) {
            err_memory(&sm->err, "keeping the issue log");
            return;
        }
        sm->log = p;
        sm->log_cap = cap;
    }
    sm->log[sm->log_count++] = (struct issue_record){.cycle = now - sm->kernel_start,
                                                     .control = control - sm->kernel_start,
                                                     .cta = w->stream->cta->linear_id,
                                                     .sm = sm->id,
                                                     .inst = d->inst,
                                                     .warp_slot = w->slot,
                                                     .warp = (uint16_t)w->stream->warp,
                                                     .subcore = sc->index};
}

/* For the timeline; `effective` as issue_fixed() gives it. */
static void log_stages(struct subcore *sc, const struct warp *w, const struct exec_inst *e,
                       const struct dyn_inst *d, cycle_t now, cycle_t control, cycle_t effective)
{
    struct pipe_record *r = pipe_log(sc, w, PIPE_ISSUE, d->inst, now);
    if (!r)
        return;
    cycle_t start = sc->sm->kernel_start, read = effective + ISSUE_TO_READ;
    r->control = control - start;
    if (e->queue != QUEUE_none)
        return;
    r->read = read - start;
    r->execute = r->read + sc->sm->cfg->register_file.read_cycles;
    r->write = max_u64(r->execute, r->read + e->latency + BYPASS_TO_WRITE);
}

static void check_hazards(struct subcore *sc, struct warp *w, const struct dyn_inst *d, cycle_t now,
                          cycle_t effective)
{
    struct sm *sm = sc->sm;
    struct hazard_issue h = {.table = sm->exec->insts,
                             .e = &sm->exec->insts[d->inst],
                             .sets = sm->exec->sets,
                             .inst = d->inst,
                             .mask = d->mask,
                             .effective = effective,
                             .where = {.cycle = now - sm->kernel_start,
                                       .cta = w->stream->cta->linear_id,
                                       .sm = sm->id,
                                       .warp = w->stream->warp}};
    hazard_issue(w->hazard, &sm->cfg->latency, &h, &sm->hazards);
}

static void count_issue(struct subcore *sc, const struct exec_inst *e, const struct dyn_inst *d)
{
    uint32_t lanes = popcount32(d->mask);
    struct inst_count *c = &sc->sm->counts[d->inst];
    c->inst++;
    c->thread += lanes;
    sc->stats.issue_issued++;
    sc->stats.issue_thread_instructions += lanes;
    if (e->inst_flags & INST_UNKNOWN)
        sc->stats.issue_unknown_opcodes++;
}

/* Barriers, memory barriers and groups of asynchronous copies. */
static void issue_special(struct subcore *sc, struct warp *w, const struct exec_inst *e,
                          cycle_t now)
{
    const struct membar_cfg *membar = &sc->sm->cfg->membar;
    if (e->inst_flags & (INST_BARRIER_SYNC | INST_BARRIER_ARRIVE))
        barrier_arrive(sc->sm, sc, w, e->inst, now);
    if (e->inst_flags & (INST_MEMBAR_CTA | INST_MEMBAR_GPU | INST_MEMBAR_SYS)) {
        w->membar_cycles = e->inst_flags & INST_MEMBAR_SYS   ? membar->sys_cycles
                           : e->inst_flags & INST_MEMBAR_GPU ? membar->gpu_cycles
                                                             : membar->cta_cycles;
        w->membar_waits = true;
        sc->membar |= warp_bit(w);
        membar_check(sc, w, now);
    }
}

/* Last cycle in which the warp's next instruction finds the values kept: it follows at once, or
 * behind one bubble that the stall count asked for; a yield or a busy unit in between loses them.
 */
static cycle_t reuse_end(const struct subcore *sc, const struct warp *w, const struct exec_inst *e)
{
    bool bubble = e->stall == 2 && !(e->flags & EXEC_YIELD);
    return max_u64(sc->control_free - 1, bubble ? w->stall_until : sc->issue_free);
}

static void issue_warp(struct subcore *sc, struct warp *w, cycle_t now)
{
    struct sm *sm = sc->sm;
    struct ibuffer_entry entry = w->buffer[w->head];
    const struct dyn_inst *d = &entry.dyn;
    const struct exec_inst *e = subcore_exec(sc, d->inst);
    cycle_t control = max_u64(now + 1, sc->control_free);
    cycle_t effective = now;

    disarm(sc, w, e);
    count_issue(sc, e, d);
    w->last_inst = d->inst;
    sc->issue_free = control;
    if (sm->cfg->register_file.cache_lost_on_switch &&
        (sc->last_issued != w->index || now > sc->reuse_until))
        register_file_forget(&sc->rf);
    sc->last_issued = sc->greedy = w->index;
    sm->last_issue = now;
    if (sm->opt.issue_log)
        record(sc, w, d, now, control);
    if (!(e->flags & EXEC_CONTROL_BITS))
        scoreboard_issue(&w->scoreboard, e);
    else if (e->write_bar != NO_COUNTER || e->read_bar != NO_COUNTER)
        push_warp_event(sc, w, EVENT_COUNT, d->inst, control + 1);
    if (e->queue == QUEUE_none) {
        effective = issue_fixed(sc, w, e, d, now, control);
    } else {
        cycle_t leaves = max_u64(control + 1, sc->allocate_free);
        effective = control - 1;
        sc->control_free = leaves;
        memory_enqueue(sc, w, &entry, leaves - 1);
    }
    if (sm->opt.timeline)
        log_stages(sc, w, e, d, now, control, effective);
    if (w->hazard)
        check_hazards(sc, w, d, now, effective);
    if (e->inst_flags & INST_LDGDEPBAR)
        copies_group(sc, w, d->inst, control);
    w->depbar_slips = false;
    if (e->inst_flags & INST_DEPBAR)
        issue_depbar(w, e, d->inst);
    if (e->stall > 1) {
        issue_stall(sc, w, effective + e->stall);
        if (e->flags & EXEC_DRAIN)
            sc->draining |= warp_bit(w);
    }
    sc->reuse_until = reuse_end(sc, w, e);
    w->head = (uint8_t)(w->head + 1 == (int)sm->cfg->fetch.buffer_entries ? 0 : w->head + 1);
    w->count--;
    if (entry.redirect)
        fetch_redirect(sc, w, now);
    if (d->mask)
        issue_special(sc, w, e, now);
    if (w->count > 0)
        issue_arm(sc, w, now + 1);
    fetch_open_warp(sc, w);
}

/* Issues the head of a warp; returns the warp, or -1. */
static int issue_head(struct subcore *sc, struct warp *w, cycle_t now)
{
    const struct exec_inst *e = subcore_exec(sc, w->buffer[w->head].dyn.inst);
    if (!constant_operand(sc, w, e, now))
        return -1;
    issue_warp(sc, w, now);
    return w->index;
}

/* The same; what it counts is also the instruction's. */
static int issue_head_by_inst(struct subcore *sc, struct warp *w, cycle_t now)
{
    struct sim_stats before = sc->stats;
    uint32_t inst = w->buffer[w->head].dyn.inst;
    int issued = issue_head(sc, w, now);
    stats_add_since(&sc->sm->by_inst[inst], &sc->stats, &before);
    return issued;
}

/* A greedy warp stays so while all it lacks is a free unit, unless another one issues meanwhile
 * (H200 probes, section 7: four warps of IADD3, or of IMAD, run one after the other). */
static void keep_greed(struct subcore *sc, warp_mask ready)
{
    if (sc->greedy == SUBCORE_WARPS || !(ready >> sc->greedy & 1))
        return;
    const struct warp *w = &sc->warps[sc->greedy];
    const struct exec_inst *e = subcore_exec(sc, w->buffer[w->head].dyn.inst);
    if (e->unit_set)
        sc->greedy_until = subcore_set_ready(sc, &sc->sm->exec->sets[e->unit_set]);
}

/* Issues from one of the ready warps; returns it, or -1. */
static int issue_ready(struct subcore *sc, cycle_t now)
{
    warp_mask ready =
        sc->valid & (warp_mask) ~(sc->stalled | sc->dep_long | sc->dep_short | sc->dep_fixed |
                                  subcore_at_barrier(sc) | sc->membar | sc->const_wait);
    if (!ready)
        return -1;
    if (sc->sets) {
        keep_greed(sc, ready);
        ready &= (warp_mask)~issue_blocked_by_units(sc, ready, now);
    }
    if (sc->queues_wanted)
        ready &= (warp_mask)~blocked_by_full_queues(sc);
    if (!ready)
        return -1;
    struct warp *w = &sc->warps[select_warp(sc, ready)];
    return sc->sm->by_inst ? issue_head_by_inst(sc, w, now) : issue_head(sc, w, now);
}

int issue_tick(struct subcore *sc, cycle_t now)
{
    if (now < sc->issue_free || now < sc->const_hold)
        return -1;
    /* Issue was possible in cycle issue_free, but the greedy warp was not ready: the choice is
     * free. Told by the clock, because idle cycles are skipped. */
    if (now > max_u64(sc->issue_free, sc->greedy_until))
        sc->greedy = SUBCORE_WARPS;
    return issue_ready(sc, now);
}

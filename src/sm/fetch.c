/* Fetch and decode of a sub-core: one instruction a cycle.
 *
 * The fetch follows the warp that issued last while its buffer has room, else the youngest warp
 * with room (paper 5.2). It runs down the sequential path; behind a taken branch it fetches
 * instructions that are thrown away when the branch issues. */
#include "base/bits.h"
#include "sm/pipe_log.h"
#include "sm/subcore.h"

static bool has_room(const struct subcore *sc, const struct warp *w)
{
    return (uint32_t)w->count + w->wrong_path < sc->sm->cfg->fetch.buffer_entries;
}

void fetch_open_warp(struct subcore *sc, struct warp *w)
{
    warp_mask bit = warp_bit(w);
    if (!w->fetch_done && has_room(sc, w) &&
        !((sc->redirecting | sc->fetch_wait | sc->refetch) & bit))
        sc->fetch_open |= bit;
    else
        sc->fetch_open &= (warp_mask)~bit;
}

static struct warp *choose(struct subcore *sc)
{
    if (sc->last_issued < SUBCORE_WARPS && (sc->fetch_open >> sc->last_issued & 1))
        return &sc->warps[sc->last_issued];
    if (sc->sm->cfg->issue.youngest == YOUNGEST_slot)
        return &sc->warps[highest_bit(sc->fetch_open)];
    for (uint32_t i = sc->order_count; i-- > 0;) {
        if (sc->fetch_open >> sc->order[i] & 1)
            return &sc->warps[sc->order[i]];
    }
    return NULL;
}

/* True when the line is in the L0; else the warp waits for it. */
static bool lookup(struct subcore *sc, struct warp *w, uint64_t line)
{
    if (sc->sm->cfg->icache.perfect)
        return true;
    if (w->last_line == line && w->last_line_epoch == sc->l0i.epoch) {
        sc->stats.icache_l0_accesses++;
        sc->stats.icache_l0_hits++;
        return true;
    }
    enum l0i_result r = l0i_fetch(&sc->l0i, line, &sc->stats);
    if (l0i_wants_request(&sc->l0i))
        sc->sm->arbiter_pending = true;
    if (r == L0I_HIT) {
        w->last_line = line;
        w->last_line_epoch = sc->l0i.epoch;
        return true;
    }
    sc->fetch_open &= (warp_mask)~warp_bit(w);
    if (r == L0I_WAIT) {
        sc->fetch_wait |= warp_bit(w);
        w->wait_line = line;
    } else {
        sc->refetch |= warp_bit(w);
    }
    return false;
}

static void fetch_wrong_path(struct subcore *sc, struct warp *w)
{
    const struct exec_table *exec = sc->sm->exec;
    uint32_t line_bytes = sc->sm->cfg->icache.line_bytes;
    if (!lookup(sc, w, (exec->code_base + w->wrong_pc) / line_bytes))
        return;
    w->wrong_path++;
    w->wrong_pc += INST_BYTES;
    sc->stats.icache_l0_wrong_path++;
    fetch_open_warp(sc, w);
}

/* Makes the next instruction of the stream visible; false at its end. */
static bool peek(struct subcore *sc, struct warp *w)
{
    struct warp_stream *s = w->stream;
    if (s->next == s->end && !s->finished && !s->cta->kernel->ops->refill(s, &sc->sm->err))
        return false;
    return s->next != s->end;
}

static void log_fetch(struct subcore *sc, const struct warp *w, const struct ibuffer_entry *entry,
                      cycle_t now)
{
    struct pipe_record *r = pipe_log(sc, w, PIPE_FETCH, entry->dyn.inst, now);
    if (r)
        r->ready = entry->ready - sc->sm->kernel_start;
}

/* BSYNC: the fetch starts anew behind it. */
static bool converges(const struct sm *sm, const struct exec_inst *e)
{
    const uint32_t bsync = INST_WARP_SYNC | INST_BRANCH;
    return sm->cfg->fetch.converge_cycles && (e->inst_flags & bsync) == bsync;
}

static void fetch_next(struct subcore *sc, struct warp *w, cycle_t now)
{
    struct sm *sm = sc->sm;
    if (!peek(sc, w)) {
        w->fetch_done = true;
        fetch_open_warp(sc, w);
        return;
    }
    const struct exec_inst *e = &sm->exec->insts[w->stream->next->inst];
    uint64_t base = sm->exec->code_base / sm->cfg->icache.line_bytes;
    if (!lookup(sc, w, base + e->line))
        return;
    uint32_t entries = sm->cfg->fetch.buffer_entries;
    uint32_t at = (uint32_t)w->head + w->count;
    struct ibuffer_entry *entry = &w->buffer[at >= entries ? at - entries : at];
    entry->dyn = *w->stream->next++;
    entry->ready = now + sm->cfg->fetch.fetch_to_issue_cycles;
    entry->redirect = false;
    if (!peek(sc, w)) {
        w->fetch_done = true;
    } else if (sm->exec->insts[w->stream->next->inst].inst->pc != e->inst->pc + INST_BYTES ||
               converges(sm, e)) {
        entry->redirect = true;
        w->fetching_wrong = true;
        w->wrong_pc = e->code_offset + e->inst->pc + INST_BYTES;
    }
    if (w->count++ == 0)
        issue_arm(sc, w, now);
    fetch_open_warp(sc, w);
    if (sm->opt.timeline)
        log_fetch(sc, w, entry, now);
}

void fetch_tick(struct subcore *sc, cycle_t now)
{
    if (!sc->fetch_open)
        return;
    struct warp *w = choose(sc);
    if (w->fetching_wrong)
        fetch_wrong_path(sc, w);
    else
        fetch_next(sc, w, now);
}

void fetch_fill(struct subcore *sc, uint64_t line, cycle_t now)
{
    bool ready = l0i_fill(&sc->l0i, line);
    if (l0i_wants_request(&sc->l0i))
        sc->sm->arbiter_pending = true;
    warp_mask again = sc->refetch;
    if (ready) {
        for (uint32_t m = sc->fetch_wait; m != 0; m &= m - 1) {
            if (sc->warps[lowest_bit(m)].wait_line == line)
                again |= (warp_mask)(1u << lowest_bit(m));
        }
    }
    if (!again)
        return;
    subcore_account(sc, now);
    sc->fetch_wait &= (warp_mask)~again;
    sc->refetch &= (warp_mask)~again;
    for (uint32_t m = again; m != 0; m &= m - 1)
        fetch_open_warp(sc, &sc->warps[lowest_bit(m)]);
    subcore_wake(sc, now);
}

void fetch_redirect(struct subcore *sc, struct warp *w, cycle_t now)
{
    const struct fetch_cfg *cfg = &sc->sm->cfg->fetch;
    warp_mask bit = warp_bit(w);
    w->wrong_path = 0;
    w->fetching_wrong = false;
    sc->fetch_wait &= (warp_mask)~bit;
    sc->refetch &= (warp_mask)~bit;
    sc->stats.issue_branches_taken++;
    uint32_t cycles = cfg->branch_cycles;
    if (converges(sc->sm, subcore_exec(sc, w->last_inst)))
        cycles = cfg->converge_cycles;
    cycle_t resume =
        now + max_u64(cycles, cfg->fetch_to_issue_cycles + 1) - cfg->fetch_to_issue_cycles;
    sc->redirecting |= bit;
    fetch_open_warp(sc, w);
    w->pending_events++;
    wheel_push(&sc->sm->wheel, resume,
               (struct event){.type = EVENT_FETCH_RESUME, .a = sc->index, .warp = w->index});
}

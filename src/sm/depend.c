/* What a warp's next instruction waits for: dependence counters, DEPBAR, scoreboards, stall counts.
 */
#include "base/bits.h"
#include "sm/subcore.h"

/* Stall count with which a DEPBAR holds the next instruction (paper 4, H200 probes). */
#define DEPBAR_STALL 4

/* Counters that do not allow a DEPBAR. */
static uint8_t depbar_counters(const struct warp *w, const struct inst *in)
{
    uint8_t blocked = in->depbar_mask & w->counters_nonzero;
    if (in->depbar_counter < DEP_COUNTERS && w->counters[in->depbar_counter] > in->depbar_limit)
        blocked |= (uint8_t)(1u << in->depbar_counter);
    return blocked;
}

/* Counters the instruction has to wait for. */
static uint8_t blocking_counters(struct subcore *sc, const struct warp *w,
                                 const struct exec_inst *e)
{
    uint8_t blocked = e->wait_mask & w->counters_nonzero;
    uint32_t limit = sc->sm->cfg->issue.counter_limit;
    if (w->depbar_holds && !w->depbar_slips)
        blocked |= depbar_counters(w, subcore_exec(sc, w->depbar)->inst);
    if ((e->inst_flags & INST_DEPBAR) && !sc->sm->cfg->issue.depbar_cycles)
        blocked |= depbar_counters(w, e->inst);
    if (e->write_bar != NO_COUNTER && w->counters[e->write_bar] >= limit)
        blocked |= (uint8_t)(1u << e->write_bar);
    if (e->read_bar != NO_COUNTER && w->counters[e->read_bar] >= limit)
        blocked |= (uint8_t)(1u << e->read_bar);
    return blocked;
}

void issue_stall(struct subcore *sc, struct warp *w, cycle_t at)
{
    warp_mask bit = warp_bit(w);
    if (sc->stalled & bit) {
        if (w->stall_until >= at)
            return;
        sc->stall_ring[w->stall_until % STALL_RING] &= (warp_mask)~bit;
    }
    w->stall_until = at;
    sc->stalled |= bit;
    sc->stall_ring[at % STALL_RING] |= bit;
}

void issue_check_depbar(struct subcore *sc, struct warp *w, cycle_t now)
{
    if (!w->depbar_holds || depbar_counters(w, subcore_exec(sc, w->depbar)->inst))
        return;
    w->depbar_holds = false;
    issue_stall(sc, w, now + sc->sm->cfg->issue.depbar_cycles);
}

/* A DEPBAR looks at the counters behind issue: it holds what comes DEPBAR_STALL cycles later. */
void issue_depbar(struct warp *w, const struct exec_inst *e, uint32_t inst)
{
    if (!(e->flags & EXEC_CONTROL_BITS) || !depbar_counters(w, e->inst))
        return;
    w->depbar = inst;
    w->depbar_holds = true;
    w->depbar_slips = e->stall < DEPBAR_STALL;
}

void issue_check_dependences(struct subcore *sc, struct warp *w)
{
    warp_mask bit = warp_bit(w);
    if (!(sc->armed & bit))
        return;
    const struct ibuffer_entry *h = &w->buffer[w->head];
    const struct exec_inst *e = subcore_exec(sc, h->dyn.inst);
    enum scoreboard_block block = SCOREBOARD_FREE;
    if (e->flags & EXEC_CONTROL_BITS) {
        uint8_t counters = blocking_counters(sc, w, e);
        if (counters)
            block = counters & w->counters_long ? SCOREBOARD_LONG : SCOREBOARD_SHORT;
    } else {
        block = scoreboard_check(&w->scoreboard, e, sc->sm->cfg->dependence.war_consumers);
        if ((e->inst_flags & INST_DEPBAR) && w->copy_groups > e->inst->depbar_limit)
            block = SCOREBOARD_LONG;
    }
    if ((e->inst_flags & INST_LDGDEPBAR) && w->copy_groups == COPY_GROUPS)
        block = SCOREBOARD_LONG;
    warp_mask keep = (warp_mask)~bit;
    sc->dep_long &= keep;
    sc->dep_short &= keep;
    sc->dep_fixed &= keep;
    if (block == SCOREBOARD_LONG)
        sc->dep_long |= bit;
    else if (block == SCOREBOARD_SHORT)
        sc->dep_short |= bit;
    else if (block == SCOREBOARD_FIXED)
        sc->dep_fixed |= bit;
}

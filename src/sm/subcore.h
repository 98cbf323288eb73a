/* The pipeline of a sub-core: fetch, issue, Control, Allocate, and the account of stall reasons.
 * Internal to the sm layer. */
#ifndef SUBCORE_SM_SUBCORE_H
#define SUBCORE_SM_SUBCORE_H

#include "sm/sm.h"

/* Advances one cycle and sets sc->wake. */
void subcore_tick(struct subcore *sc, cycle_t now);

/* Charges stall reasons for the cycles before `until` that nobody looked at. Call it before any
 * change of a warp's state from outside. */
void subcore_account(struct subcore *sc, cycle_t until);

/* Warps that a barrier keeps from issuing. */
static inline warp_mask subcore_at_barrier(const struct subcore *sc)
{
    return sc->barrier & (warp_mask) ~(sc->barrier_unseen | sc->passes_barrier);
}

/* First cycle at which a unit set can take an instruction. */
cycle_t subcore_set_ready(const struct subcore *sc, const struct unit_set *set);

/* Looks at the sub-core again at `cycle` at the latest. */
static inline void subcore_wake(struct subcore *sc, cycle_t cycle)
{
    if (cycle < sc->wake)
        sc->wake = cycle;
}

/* fetch.c: one fetch a cycle; a line has arrived; instructions behind a branch are thrown away. */
void fetch_tick(struct subcore *sc, cycle_t now);
void fetch_fill(struct subcore *sc, uint64_t line, cycle_t now);
void fetch_redirect(struct subcore *sc, struct warp *w, cycle_t now);
void fetch_open_warp(struct subcore *sc, struct warp *w);

/* issue.c: chooses and issues; returns the warp or -1. */
int issue_tick(struct subcore *sc, cycle_t now);

/* Makes the head of the buffer known to the masks (arm), after fetch or issue; or forgets it. */
void issue_arm(struct subcore *sc, struct warp *w, cycle_t now);

/* depend.c: the warp issues nothing before `at`. */
void issue_stall(struct subcore *sc, struct warp *w, cycle_t at);

/* The warp has issued the DEPBAR `e`, instruction `inst`. */
void issue_depbar(struct warp *w, const struct exec_inst *e, uint32_t inst);

/* Re-evaluates the dependences of a warp's head. */
void issue_check_dependences(struct subcore *sc, struct warp *w);

/* The counters of a warp have changed: its DEPBAR may be over. */
void issue_check_depbar(struct subcore *sc, struct warp *w, cycle_t now);

/* Unit sets and queues that cannot take an instruction now: warps blocked by each. */
warp_mask issue_blocked_by_units(const struct subcore *sc, warp_mask candidates, cycle_t now);

/* barrier.c: an LDGDEPBAR closes a group of LDGSTS; a copy has written shared memory. */
void copies_group(struct subcore *sc, struct warp *w, uint32_t inst, cycle_t control);
void copies_done(struct subcore *sc, struct warp *w, cycle_t now);

/* barrier.c: a warp may have ended; `now` is the first cycle without it. */
void retire_check(struct subcore *sc, struct warp *w, cycle_t now);

/* constant.c: the line of a constant in the bank that an instruction names. */
uint64_t constant_line(const struct sm *sm, const struct exec_inst *e, uint32_t offset);

/* Looks the constant operand of an instruction up. On a miss the warp waits, for a few cycles
 * nothing issues, and it returns false. */
bool constant_operand(struct subcore *sc, struct warp *w, const struct exec_inst *e, cycle_t now);

/* A line has arrived at the FL cache. */
void constant_fill(struct subcore *sc, uint64_t line, cycle_t now);

/* True when the LDC unit can take an instruction. */
bool constant_load_can_start(const struct sm *sm);

/* Hand-over of an LDC. Returns the cycles the shared unit is taken. */
uint32_t constant_load(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                       cycle_t grant);

/* A line has come from the cache of the GPC for `user`: a sub-core, or SUBCORES for LDC. */
void constant_reply(struct sm *sm, uint32_t user, uint64_t line, cycle_t now);

/* icache.c: one request of the L0 caches to the L1. */
void icache_arbitrate(struct sm *sm, cycle_t now);

/* barrier.c */
void barrier_arrive(struct sm *sm, struct subcore *sc, struct warp *w, const struct inst *in,
                    cycle_t now);
void barrier_warp_exited(struct sm *sm, uint32_t cta_slot, cycle_t now);
void membar_check(struct subcore *sc, struct warp *w, cycle_t now);

/* memory_unit.c: queues of the sub-cores and units shared by the SM. */
void memory_enqueue(struct subcore *sc, struct warp *w, const struct ibuffer_entry *entry,
                    cycle_t control);
void memory_tick(struct sm *sm, cycle_t now);
void memory_reply(struct sm *sm, const struct event *e, cycle_t now);
void memory_return(struct sm *sm, uint32_t access, cycle_t now);

/* access.c: what a granted instruction does in its unit. access_ready gives the cycle to look again
 * when it has no room there: now = it can start, CYCLE_NEVER = not before a reply. access_start
 * returns the cycles the unit is taken. */
cycle_t access_ready(struct subcore *sc, const struct queued *q, cycle_t now);
uint32_t access_start(struct subcore *sc, struct queued *q, cycle_t grant);

static inline struct exec_inst *subcore_exec(struct subcore *sc, uint32_t inst)
{
    return &sc->sm->exec->insts[inst];
}

static inline warp_mask warp_bit(const struct warp *w)
{
    return (warp_mask)(1u << w->index);
}

#endif

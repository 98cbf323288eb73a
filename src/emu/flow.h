/* Control flow inside a warp, as on Volta and later: lanes have their own pc; convergence barriers
 * (BSSY, BSYNC) and WARPSYNC bring diverged lanes together again, and groups set aside at one pc
 * may become one.
 *
 * Lanes with a common pc that execute together are a group. One group runs, until it ends, diverges
 * or has to wait; the others are set aside with their pc and what they wait for. */
#ifndef SUBCORE_EMU_FLOW_H
#define SUBCORE_EMU_FLOW_H

#include "emu/op.h"

#define EMU_CONVERGENCE_BARRIERS 16

enum emu_wait {
    EMU_WAIT_NONE,
    EMU_WAIT_BSYNC,    /* id: convergence barrier */
    EMU_WAIT_WARPSYNC, /* want: lanes of the instruction's mask */
    EMU_WAIT_BARRIER   /* id: CTA barrier */
};

struct emu_group {
    uint32_t mask; /* never 0 */
    uint32_t pc;   /* index of the instruction to go on with */
    uint8_t wait;  /* enum emu_wait */
    uint8_t id;
    uint32_t want;
};

struct emu_barriers;

struct emu_flow {
    uint32_t active;     /* lanes of the running group; 0 = none runs */
    uint32_t pc;         /* of the running group */
    bool yields;         /* the warp lets others run first (NANOSLEEP, wait for a load) */
    uint8_t pending;     /* counters of loads from memory that nothing has waited for */
    uint32_t code_count; /* instructions of the kernel */
    uint32_t count;
    struct emu_group
        groups[WARP_LANES]; /* not running; the last one that waits for nothing is next */
    /* Lanes of convergence barrier b as lane i saw them at its BSSY. Kept for each lane, because
     * diverged groups use the same barrier register for different sets. */
    uint32_t members[EMU_CONVERGENCE_BARRIERS][WARP_LANES];
    struct emu_barriers *barriers; /* of the CTA */
};

/* All lanes of `lanes` start at the first instruction. */
void emu_flow_start(struct emu_flow *f, uint32_t lanes);

/* Makes a group run when none does; false when all wait or have exited. */
bool emu_flow_pick(struct emu_flow *f);

/* Sends the running group behind all others that can run. */
void emu_flow_rotate(struct emu_flow *f);

/* The functions below are for handlers: f->pc is the next instruction already, `mask` lanes of the
 * running group. */

/* The running group falls apart into `to[n]`, which hold all of its lanes. The smallest runs first,
 * of equal ones the first in the list; so no more than log2(32) branches are ever open. The group
 * set aside last becomes one with another that stands at its pc before the next one is set aside.
 * Source: measured on an H200, tests/data/divergence. */
void emu_flow_split(struct emu_flow *f, const struct emu_group *to, uint32_t n);

/* Lanes of `mask` go on at `target`, the others of the group at the next instruction. */
void emu_flow_jump(struct emu_flow *f, uint32_t mask, uint32_t target);

/* Lanes of `mask` end, or leave barrier b: whoever waited for them only goes on. */
void emu_flow_exit(struct emu_warp *w, uint32_t mask);
void emu_flow_break(struct emu_warp *w, uint32_t b, uint32_t mask);

/* The lanes of `mask` become the members of barrier b. */
void emu_flow_set_members(struct emu_flow *f, uint32_t b, uint32_t mask);

/* Lanes of `mask` wait at barrier b until all of its members that have not exited do. */
void emu_flow_bsync(struct emu_warp *w, uint32_t b, uint32_t mask);

/* Lanes of `mask` wait until all lanes of `want` that have not exited wait likewise. */
void emu_flow_warpsync(struct emu_warp *w, uint32_t want, uint32_t mask);

/* Lanes of `mask` wait at a CTA barrier; emu_flow_release() lets those waiting at it go on. */
void emu_flow_block(struct emu_flow *f, uint32_t barrier, uint32_t mask);
void emu_flow_release(struct emu_flow *f, uint32_t barrier);

#endif

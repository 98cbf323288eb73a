/* A kernel decoded for one launch, and the CTA that is executed (private to the machine). */
#ifndef SUBCORE_EMU_PROGRAM_H
#define SUBCORE_EMU_PROGRAM_H

#include "emu/barrier.h"
#include "emu/cta.h"
#include "emu/flow.h"
#include "emu/machine.h"
#include "emu/op.h"

/* What the machine has to do around a handler. An instruction without any of these runs in the
 * tight loop. */
#define EMU_STEP_GUARDED (1u << 0)
#define EMU_STEP_MEMORY (1u << 1) /* has addresses in a trace */
#define EMU_STEP_FLOW (1u << 2)   /* may change the lanes or the pc of the running group */
#define EMU_STEP_CLOCK (1u << 3)  /* reads cta.steps */
#define EMU_STEP_WAIT (1u << 4)   /* may wait for what a load from memory brings */

struct emu_step {
    uint8_t flags;
    uint8_t waits; /* EMU_STEP_WAIT: counters, a bit each */
    uint8_t loads; /* the counter that such a load holds, a bit */
    struct emu_predicate guard;
};

/* A warp and its control flow. */
struct emu_machine_warp {
    _Alignas(64) struct emu_warp warp;
    struct emu_flow flow;
};

/* Executions since the last flush. inst and thread are differences: the entry at the first
 * instruction of a run is raised, the one behind its last is lowered. */
struct emu_tally {
    int64_t inst, thread;
    uint64_t masked; /* active lanes whose guard was false */
};

struct emu_program {
    struct emu_launch launch;
    struct arena arena;
    uint32_t count;          /* instructions; ops[count] is reached only past the end of the code */
    struct emu_op *ops;      /* [count + 1] */
    struct emu_step *steps;  /* likewise */
    struct inst end;         /* of ops[count] */
    uint32_t rows;           /* general registers that the code names */
    struct emu_tally *tally; /* [count + 1]; NULL without counts */
    struct emu_cta cta;
    struct emu_machine_warp *warps; /* [cta.warp_count] */
    struct emu_warp *warp_list[EMU_MAX_WARPS];
    struct emu_barriers barriers;
    struct emu_access access;
    uint64_t max_steps;
};

#endif

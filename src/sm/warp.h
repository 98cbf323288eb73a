/* State of one resident warp. */
#ifndef SUBCORE_SM_WARP_H
#define SUBCORE_SM_WARP_H

#include "sim/cycle.h"
#include "trace/kernel.h"
#include "unit/exec_inst.h"
#include "unit/hazard.h"
#include "unit/scoreboard.h"

#define IBUFFER_MAX 16
#define GENERATIONS (1u << 24)
#define COPY_GROUPS 64 /* LDGDEPBAR groups of a warp that are not complete */

/* One fetched instruction. */
struct ibuffer_entry {
    struct dyn_inst dyn;
    cycle_t ready; /* first cycle it can issue */
    bool redirect; /* the instruction after it is not the next one in memory */
};

struct warp {
    struct warp_stream *stream;
    uint16_t slot; /* in the SM */
    uint8_t index; /* in the sub-core */
    uint8_t cta_slot;

    /* Instruction buffer: entries [head, head + count) modulo fetch.buffer_entries, then
     * `wrong_path` entries fetched behind a taken branch. */
    struct ibuffer_entry buffer[IBUFFER_MAX];
    uint8_t head, count, wrong_path;
    uint64_t wrong_pc;        /* next pc on the wrong path, behind the table's code_base */
    uint64_t wait_line;       /* line the fetch waits for */
    uint64_t last_line;       /* line of the last fetch that hit */
    uint64_t last_line_epoch; /* L0 epoch at that time */
    bool fetch_done;          /* the stream has ended */
    bool fetching_wrong;      /* a redirect was fetched and has not issued */

    /* Dependences */
    uint8_t counters[DEP_COUNTERS];
    uint8_t counters_nonzero;            /* bit i: counters[i] != 0 */
    uint8_t counters_long;               /* bit i: last producer was an L1TEX access */
    uint32_t copies_issued, copies_done; /* LDGSTS */
    uint32_t copy_groups;                /* LDGDEPBAR groups not complete */
    uint8_t group_head;
    uint32_t group_target[COPY_GROUPS]; /* complete when copies_done reaches it */
    uint32_t group_inst[COPY_GROUPS];
    cycle_t group_least[COPY_GROUPS]; /* its counter does not fall before */
    uint32_t depbar;                  /* the DEPBAR that holds it */
    bool depbar_holds, depbar_slips;  /* it is not over; it does not hold the next instruction */
    uint32_t inflight;                /* queued or executing variable-latency instructions */
    uint32_t stores_unacked;          /* stores the L2 has not acknowledged */
    uint32_t generation;    /* which of the warps that had this slot; modulo GENERATIONS */
    bool membar_waits;      /* its memory barrier waits for earlier accesses */
    uint32_t last_inst;     /* issued last */
    uint32_t membar_cycles; /* latency of that barrier */
    uint64_t const_line;    /* line of the missing constant operand */
    cycle_t stall_until;
    uint32_t pending_events; /* events on the wheel that name this warp */

    struct scoreboard scoreboard;
    struct hazard_state *hazard; /* NULL unless hazards are checked */
};

#endif

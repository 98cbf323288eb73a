/* A streaming multiprocessor: four sub-cores, the units they share, and its clockwork.
 *
 * One SM is advanced by one thread at a time, alone for a window of cycles (sm_run). What leaves it
 * (requests to the L2, finished CTAs, issue records) lies in outboxes the gpu layer empties between
 * windows; what comes in are events pushed on its wheel by sm_reply and sm_launch.
 *
 * Within a cycle: events, L1 instruction-cache arbiter, sub-cores, queues and shared units. A
 * sub-core changes nothing of another one in the same cycle, so their order does not matter. */
#ifndef SUBCORE_SM_SM_H
#define SUBCORE_SM_SM_H

#include "sim/message.h"
#include "sim/result.h"
#include "sim/wheel.h"
#include "sm/warp.h"
#include "unit/coalesce.h"
#include "unit/l0i.h"
#include "unit/l1d.h"
#include "unit/l1i.h"
#include "unit/register_file.h"

#define SUBCORES 4
#define SUBCORE_WARPS 16
#define SM_MAX_CTAS 32
#define STALL_RING 512 /* more than the longest stall count (drain) and the wait for ports */
#define DECODE_RING 32
#define QUEUE_MAX_ENTRIES 32
#define NAMED_BARRIERS 16
#define LDC_MAX_WAITS 16   /* LDCs that wait for lines */
#define LDC_MAX_FLIGHTS 48 /* the most constant.ldc_misses, and one LDC's lines */

typedef uint16_t warp_mask; /* bit i = warp i of the sub-core */

/* What the gpu decides about engine and checks; never changes a result. */
struct sm_options {
    bool no_skip;
    uint32_t tick_order; /* enum tick_order of gpu.h */
    bool issue_log;
    bool timeline;
    bool check_hazards;
};

/* An instruction waiting in a queue of its sub-core. */
struct queued {
    struct dyn_inst dyn;
    uint32_t inst;
    uint8_t warp;  /* in the sub-core */
    bool started;  /* in the sub-core's stage */
    cycle_t enter; /* first cycle it can start */
    cycle_t ready; /* when started: cycle it can be handed over */
};

struct var_queue {
    struct queued ring[QUEUE_MAX_ENTRIES];
    uint32_t head, count, started; /* of `count` entries the first `started` are in the stage */
    uint32_t used;                 /* entries taken; freed a cycle after hand-over */
    cycle_t stage_free;
    cycle_t last_grant;
};

struct subcore {
    struct sm *sm;
    uint8_t index;
    cycle_t wake;      /* next cycle it must be looked at */
    cycle_t accounted; /* stall reasons are charged up to this cycle */

    /* Warps by state; bit i = warp i. */
    warp_mask resident;                       /* has a warp of a running CTA */
    warp_mask armed;                          /* the buffer's head is an instruction */
    warp_mask valid;                          /* and it is decoded */
    warp_mask stalled;                        /* stall count not 0 */
    warp_mask draining;                       /* of the stalled: a drain */
    warp_mask dep_long, dep_short, dep_fixed; /* head waits for a dependence */
    warp_mask barrier, membar;
    warp_mask barrier_unseen; /* of those at a barrier: issued it too lately to be held */
    warp_mask passes_barrier; /* head is an instruction that barriers do not hold */
    warp_mask const_wait;
    warp_mask exited;                   /* all instructions issued, accesses in flight */
    warp_mask redirecting;              /* no fetch until the taken branch is resolved */
    warp_mask fetch_wait;               /* waits for a line */
    warp_mask fetch_open;               /* room in the buffer, stream not ended, not waiting */
    warp_mask refetch;                  /* L0 had no room for another miss */
    warp_mask by_set[MAX_UNIT_SETS];    /* head needs this unit set */
    uint32_t sets;                      /* unit sets some head needs */
    warp_mask by_queue[QUEUE_COUNT];    /* head needs room in this queue */
    uint32_t queues_wanted;             /* queues some head needs */
    warp_mask global_head;              /* head is a global or local access */
    warp_mask stall_ring[STALL_RING];   /* warps whose stall ends at cycle mod STALL_RING */
    warp_mask decode_ring[DECODE_RING]; /* warps whose head is decoded at cycle mod DECODE_RING */

    uint8_t last_issued; /* warp, SUBCORE_WARPS = none */
    uint8_t greedy;      /* last_issued while it has greed: issues again if ready; or none */
    uint8_t order[SUBCORE_WARPS]; /* resident warps, oldest first */
    uint8_t order_count;

    cycle_t greedy_until; /* it is greedy, though not ready, up to this cycle: its unit is busy */
    cycle_t issue_free;   /* nothing issues before: the latch to Control is taken, or a hold */
    cycle_t const_hold;   /* nothing issues before: constant miss of the greedy warp */
    uint64_t const_hold_line; /* the line it misses */
    cycle_t control_free, allocate_free;
    cycle_t reuse_until; /* last issue that finds the register-file cache as last_issued left it */
    cycle_t unit_free[UNIT_COUNT];
    struct register_file rf;
    struct l0i l0i;
    struct tags constant;
    struct var_queue queues[QUEUE_COUNT];
    uint32_t queue_mask; /* queues with entries */
    cycle_t return_free; /* link from the shared units */
    struct warp warps[SUBCORE_WARPS];
    struct sim_stats stats;
};

struct cta_barrier {
    uint32_t arrived;  /* warps */
    cycle_t free;      /* arrivals are taken one after the other */
    uint64_t waiting;  /* warp slots of the SM */
    uint32_t expected; /* 0 = all live warps of the CTA */
};

struct cta_slot {
    struct cta_stream *stream; /* NULL = free */
    uint64_t order;            /* CTAs of the SM count from 0 */
    uint32_t owner;            /* as given to sm_launch() */
    cycle_t since;             /* on the SM */
    bool begun;
    uint32_t started;    /* warps that have started */
    uint32_t turn;       /* sub-core the next warp goes to */
    uint32_t warps_left; /* warps not retired */
    uint32_t live;       /* warps that have not exited (barriers) */
    uint64_t slots;      /* its warp slots */
    struct cta_barrier barriers[NAMED_BARRIERS];
};

/* Requests of the L0 instruction caches to the L1, in order of arrival there. */
struct line_request {
    cycle_t arrive;
    uint64_t line;
    uint8_t subcore;
};

struct line_queue {
    struct line_request *items; /* heap; waiting: [head, count) */
    uint32_t head, count, cap;
};

/* A memory access in flight. */
struct mem_access {
    uint32_t inst;
    uint8_t subcore, warp;
    uint16_t waiting; /* lines that have not arrived */
    uint16_t tail;    /* cycles from the last arrival to the return link */
    cycle_t earliest; /* not before: the part that hits */
    uint32_t next_free;
};

/* An LDC that waits for lines. */
struct ldc_wait {
    struct queued q;
    uint8_t subcore;
    uint64_t lines[WARP_LANES];
    uint32_t missing; /* of `lines` */
    cycle_t rest;     /* from the arrival of the last one to its completion */
};

struct finished_cta {
    cycle_t cycle;
    uint64_t cta_order;
    uint32_t owner;
    cycle_t since;             /* on the SM */
    struct cta_stream *stream; /* to be closed by the owner */
};

/* A warp that has given its slot and registers back. */
struct released_warp {
    cycle_t cycle;
    uint64_t cta_order;
    uint32_t owner;
};

struct sm {
    uint32_t id;
    const struct config *cfg;
    struct sm_options opt;
    struct exec_table *exec;
    const struct kernel *kernel;
    cycle_t kernel_start;
    cycle_t now;          /* everything before this cycle is done */
    cycle_t run_end;      /* sm_run() stops before this cycle */
    cycle_t memory_wake;  /* next cycle queues or shared units can move */
    cycle_t arbiter_next; /* next cycle the L1I accepts a request */
    bool arbiter_pending;
    uint32_t arbiter_last;
    struct wheel wheel;
    struct subcore subcores[SUBCORES];
    struct cta_slot ctas[SM_MAX_CTAS];
    uint32_t resident_ctas;
    uint64_t launched_ctas;
    struct line_queue line_requests; /* to the L1 instruction cache (tpc.h takes them out) */
    struct l1d l1d;
    struct tags ldc;
    uint64_t ldc_flights[LDC_MAX_FLIGHTS]; /* lines on their way from the cache of the GPC */
    uint32_t ldc_flight_count;
    struct ldc_wait ldc_waits[LDC_MAX_WAITS];
    uint32_t ldc_wait_count;
    uint64_t port_free; /* replies of the network: in sectors at the port's rate */
    cycle_t port_last;  /* latest cycle for which a reply waits or has waited */
    struct line_access lines[COALESCE_MAX_LINES]; /* of the access being handed over */
    uint32_t line_count;
    uint32_t store_lines; /* stores that the L2 has not acknowledged, by line */
    cycle_t link_free;    /* to the network: everything so far has been sent */
    uint64_t write_line;  /* of the last packet with a write, */
    uint32_t write_parts; /* the parts it writes whole, */
    cycle_t write_start;  /* and when it is sent; 0 = none */
    cycle_t mshr_blocked; /* since when the L1D has had no MSHR; CYCLE_NEVER = not */
    cycle_t shared_free[SHARED_UNIT_COUNT];
    uint32_t shared_last[SHARED_UNIT_COUNT];
    struct mem_access *accesses; /* heap, grows */
    uint32_t access_cap, free_access;
    cycle_t active_since, active_cycles; /* cycles with a resident CTA */
    cycle_t last_issue, last_event;
    struct sim_stats stats;
    struct inst_count
        *counts; /* [exec->count] of the running kernel; of the worker that runs the SM */
    struct sim_stats *by_inst; /* likewise; NULL = statistics are not kept by instruction */

    /* Outboxes, emptied between windows. */
    struct mem_request *requests;
    uint32_t request_count, request_cap, request_order;
    struct finished_cta finished[SM_MAX_CTAS];
    uint32_t finished_count;
    struct released_warp released[SUBCORES * SUBCORE_WARPS];
    uint32_t released_count;
    struct issue_record *log;
    uint32_t log_count, log_cap;
    struct pipe_record *pipe; /* unordered; not more than a window's */
    uint32_t pipe_count, pipe_cap;
    struct hazard_list hazards;
    struct sim_err err; /* a failure inside sm_run; the gpu stops at the end of the window */
};

/* Event types on an SM's wheel. */
enum sm_event {
    EVENT_COUNT,        /* a: sub-core, warp, b: inst. Dependence counters go up */
    EVENT_READ_DONE,    /* sources read */
    EVENT_WRITE_DONE,   /* result written */
    EVENT_CREDIT,       /* a: sub-core, b: queue. An entry is free again */
    EVENT_RETURN,       /* b: access number. Its data wants the return link */
    EVENT_CONST_FILL,   /* a: sub-core, c: line */
    EVENT_L0_FILL,      /* a: sub-core, c: line */
    EVENT_BARRIER_SEEN, /* a: sub-core, warp. Its barrier holds it from now on */
    EVENT_FETCH_RESUME, /* a: sub-core, warp. Branch target known */
    EVENT_WAKE_WARP,    /* a: sub-core, warp. Barrier, membar or sleep ends */
    EVENT_MEM_REPLY,    /* a: mem_kind, warp: sectors of data, b: sectors or user, c: line. At the
                           port */
    EVENT_MEM_DELIVER,  /* the same, through the port */
    EVENT_CTA_START     /* b: CTA slot. The CTA begins, or its next warp starts */
};

bool sm_init(struct sm *sm, uint32_t id, const struct config *cfg, const struct sm_options *opt,
             struct arena *arena);
void sm_free(struct sm *sm);

/* Prepares for a kernel that starts at `start`. `l1d_bytes`: L1 data cache left by shared memory.
 */
bool sm_begin_kernel(struct sm *sm, const struct kernel *k, struct exec_table *exec, cycle_t start,
                     uint64_t l1d_bytes, struct sim_err *err);

/* The code is known as far as the CTAs need it that start with the kernel: prefetching ends behind
 * it. */
void sm_set_code(struct sm *sm);

/* Starts a CTA at `cycle`. There must be room (gpu's occupancy rule). `owner` comes back with its
 * end and those of its warps. */
void sm_launch(struct sm *sm, struct cta_stream *cta, uint32_t owner, cycle_t cycle);

/* Advances to `end` (exclusive), or to the first cycle at which the L1 instruction cache may answer
 * what the SM has asked it since the call: sm->now tells how far. Failures are left in sm->err. */
void sm_run(struct sm *sm, cycle_t end);

/* Earliest cycle at which anything can change, or CYCLE_NEVER. */
cycle_t sm_next(const struct sm *sm);

/* A reply of the L2 that arrives at `cycle`. */
void sm_reply(struct sm *sm, cycle_t cycle, const struct mem_request *r);

/* Charges the stall reasons of all cycles before `cycle`, to which the SM has been advanced. */
void sm_account(struct sm *sm, cycle_t cycle);

/* Ends accounting at `cycle` (end of the kernel or of the simulation). */
void sm_settle(struct sm *sm, cycle_t cycle);

/* Adds a line for every resident warp: where it is and what it waits for. */
struct buf;
void sm_describe(const struct sm *sm, struct buf *out);

#endif

/* Internal to the gpu layer. */
#ifndef SUBCORE_GPU_INTERNAL_H
#define SUBCORE_GPU_INTERNAL_H

#include "gpu/gpu.h"
#include "gpu/occupancy.h"
#include "gpu/workers.h"
#include "mem/memory.h"
#include "sm/sm.h"

struct code_place {
    const char *name;
    uint64_t base;
};

struct gpu {
    struct config cfg;
    struct sim_options opt;
    struct arena arena;
    struct sm *sms;
    uint32_t sm_count;
    struct memory memory;
    struct workers *workers;
    uint32_t worker_count;
    cycle_t window;
    cycle_t now;             /* all SMs have been advanced to here */
    cycle_t run_end;         /* end of the window the workers run */
    cycle_t timeline;        /* end of the last kernel */
    struct code_place *code; /* heap; where each kernel's code lies */
    uint32_t code_count, code_cap;

    /* Requests that have left an SM and not been served, unordered. */
    struct mem_request *pending;
    uint32_t pending_count, pending_cap;

    /* Of the running kernel. */
    struct kernel *kernel;
    struct exec_table exec;
    struct inst_count **counts; /* [worker_count][counts_cap] */
    struct sim_stats **by_inst; /* likewise; NULL = not kept */
    uint32_t counts_cap;
    cycle_t start, end; /* end: of the last CTA so far */
    uint64_t opened, closed;
    bool all_opened;
    struct issue_record *log; /* heap: records of the last window */
    uint32_t log_cap;
};

/* dispatch.c: CTAs to SMs. */
bool dispatch_first(struct gpu *g, const struct occupancy *o, struct sim_err *err);
bool dispatch_next(struct gpu *g, struct sim_err *err);
void dispatch_abandon(struct gpu *g);

/* window.c: one window: SMs, then what crosses between them. */
bool window_run(struct gpu *g, cycle_t end, struct sim_err *err);
cycle_t window_next_event(const struct gpu *g);

/* summary.c: what the kernel's result says. */
bool summary_fill(struct gpu *g, const struct occupancy *o, cycle_t end, struct kernel_result *r,
                  struct sim_err *err);

#endif

/* Internal to the gpu layer. */
#ifndef SUBCORE_GPU_INTERNAL_H
#define SUBCORE_GPU_INTERNAL_H

#include "cfg/topology.h"
#include "gpu/bundle.h"
#include "gpu/gpu.h"
#include "gpu/occupancy.h"
#include "gpu/workers.h"
#include "mem/gpc_cache.h"
#include "mem/memory.h"
#include "sm/tpc.h"

/* CTAs opened before they are needed, with several threads: twice the SMs of a large card. */
#define AHEAD_CTAS 256

struct code_place {
    const char *name;
    uint64_t base;
};

/* What is left of an SM's resources. Those of a CTA are taken when its start is decided; a warp
 * gives its own back when it ends, the CTA the rest. */
struct sm_room {
    uint32_t ctas, warps, barriers;
    uint64_t registers, shared;
    cycle_t next_start; /* no CTA starts before */
};

struct gpu {
    struct config cfg;
    struct sim_options opt;
    struct arena arena;
    struct sm *sms;
    uint32_t sm_count;
    struct tpc *tpcs; /* what one worker advances: SMs in a row that share something */
    uint32_t tpc_count, tpc_sms;
    struct gpc_cache *gpcs; /* gpc_count of them; 0 = the card has none */
    uint32_t gpc_count;
    struct memory memory;
    struct workers *workers;
    uint32_t worker_count;
    struct topology topology;
    struct sm_room *rooms;
    cycle_t *tpc_next;      /* [topology.tpcs] no CTA starts before on its SMs */
    uint16_t *raster;       /* SMs in the order of CTAs' numbers */
    uint16_t *pick;         /* SMs in the order in which a few CTAs are spread within each group */
    uint64_t dispatch_free; /* in 1/100 cycles: the next CTA in place of another is sent then */
    cycle_t window;
    cycle_t now;             /* all SMs have been advanced to here */
    cycle_t run_end;         /* end of the window the workers run */
    cycle_t timeline;        /* end of the last kernel */
    struct code_place *code; /* heap; where each kernel's code lies */
    uint32_t code_count, code_cap;

    /* Requests to the L2 that have left an SM and not been served, unordered. */
    struct mem_request *pending;
    uint32_t pending_count, pending_cap;
    /* Of those that are served in the window. */
    cycle_t *replies;  /* [serve_cap] */
    uint32_t *by_part; /* [serve_cap] their indices, by part of the memory */
    uint16_t *part_of; /* [serve_cap] */
    uint32_t serve_cap;
    uint32_t *part_begin; /* [parts + 1] in by_part */
    uint32_t serve_tasks; /* tasks that share out the parts */

    /* CTAs that are open and have no place yet, in order. */
    struct cta_stream *ahead[AHEAD_CTAS];
    uint32_t ahead_first, ahead_count;
    bool ahead_ended;         /* there are no more */
    struct sim_err ahead_err; /* or opening the next one failed */
    /* Of the window, to the caches of the GPCs. */
    struct mem_request *near;
    uint32_t near_count, near_cap;

    /* Of the running kernel. */
    struct kernel *kernel;
    struct occupancy occupancy;
    struct bundle *bundle;   /* NULL, or the kernels that run together: `kernel` is of it */
    struct cta_stream *held; /* opened, waits for room */
    struct exec_table exec;
    struct inst_count **counts; /* [worker_count][counts_cap] */
    struct sim_stats **by_inst; /* likewise; NULL = not kept */
    uint32_t counts_cap;
    cycle_t start, end; /* end: of the last CTA so far */
    uint64_t opened, closed;
    bool all_opened;
    bool logs_on;             /* issue log and timeline */
    struct issue_record *log; /* heap: records of the last window */
    uint32_t log_cap;
    struct pipe_record *pipe; /* heap: likewise */
    uint32_t pipe_cap;
};

/* dispatch.c: CTAs to SMs. */
bool dispatch_first(struct gpu *g, struct sim_err *err);

/* Decodes the instructions of the running kernel that have become known. */
bool dispatch_grow_table(struct gpu *g, struct sim_err *err);
bool dispatch_next(struct gpu *g, struct sim_err *err);
void dispatch_abandon(struct gpu *g);

/* serve.c: serves the first n pending requests, which are in order; cycles of their replies are put
 * into `replies`. */
bool serve_in_order(struct gpu *g, uint32_t n, struct sim_err *err);

/* ahead.c: CTAs in order, opened when taken, or before by a thread that has nothing else to do. The
 * next CTA, or NULL when there is none; ahead_drop() closes those that were not taken. */
bool ahead_take(struct gpu *g, struct cta_stream **out, struct sim_err *err);
void ahead_fill(struct gpu *g);
void ahead_drop(struct gpu *g);

/* room.c: resources of SMs. room_init() at the start and after dispatch_abandon(). */
void room_init(struct gpu *g);
bool room_fits(const struct gpu *g, uint32_t sm, const struct occupancy *o);
void room_take(struct gpu *g, uint32_t sm, const struct occupancy *o);
void room_give_warp(struct gpu *g, uint32_t sm, const struct occupancy *o);
void room_give_cta(struct gpu *g, uint32_t sm, const struct occupancy *o);

/* Cycle from `earliest` on at which a CTA of `warps` warps can start on the SM; the next one starts
 * later. */
cycle_t room_start(struct gpu *g, uint32_t sm, cycle_t earliest, uint32_t warps);

/* place.c: SMs of the first CTAs of a kernel. place_init() once. */
bool place_init(struct gpu *g, struct sim_err *err);

/* Up to `want` different SMs with room for a CTA, the emptiest ones, in the order of the CTAs'
 * numbers. Returns how many. */
uint32_t place_layer(const struct gpu *g, const struct occupancy *o, uint64_t want, uint16_t *sms);

/* SMs of a cluster in one group of SMs, the emptiest ones; false when there is no room for it. */
bool place_cluster(const struct gpu *g, const struct occupancy *o, uint32_t group, uint16_t *sms);

/* False and an error when no group of SMs can ever hold a cluster of the kernel. */
bool place_check_cluster(const struct gpu *g, const struct occupancy *o, struct sim_err *err);

/* window.c: one window: SMs, then what crosses between them. */
bool window_run(struct gpu *g, cycle_t end, struct sim_err *err);
/* logs.c: what the issue log and the timeline get of the window that ended at `end`. */
bool logs_flush(struct gpu *g, cycle_t end, struct sim_err *err);

cycle_t window_next_event(const struct gpu *g);

/* gpc.c: the caches of the GPCs between the SMs and the L2. */
bool gpc_init_all(struct gpu *g);
void gpc_free_all(struct gpu *g);
void gpc_begin_kernel(struct gpu *g);
/* Serves the window's requests; what misses is added to those for the L2. */
bool gpc_serve_window(struct gpu *g, struct sim_err *err);
/* The L2 answers a request of a GPC at `cycle`. */
void gpc_fill(struct gpu *g, const struct mem_request *r, cycle_t cycle);

/* window.c: adds a request to a list that grows; false when out of memory. */
bool request_add(struct mem_request **list, uint32_t *count, uint32_t *cap,
                 const struct mem_request *r, struct sim_err *err);
int request_compare(const void *a, const void *b);

/* summary.c: results of the kernels that ran together, out of that of all. */
bool summary_split(struct gpu *g, struct kernel_result *all, struct kernel_result *results,
                   struct sim_err *err);

/* summary.c: what the kernel's result says. */
bool summary_fill(struct gpu *g, const struct occupancy *o, cycle_t end, struct kernel_result *r,
                  struct sim_err *err);

#endif

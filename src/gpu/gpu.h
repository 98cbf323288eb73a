/* The whole card: SMs, memory behind them, CTA dispatch, kernels one after the other.
 *
 *   struct gpu *g; gpu_create(&g, &cfg, &opt, &err); for each kernel gpu_run_kernel();
 * gpu_destroy(). Called from one thread; `threads` workers share out the SMs inside. Results do not
 * depend on threads, window, skipping or tick order. */
#ifndef SUBCORE_GPU_GPU_H
#define SUBCORE_GPU_GPU_H

#include <signal.h>

#include "cfg/config.h"
#include "sim/result.h"
#include "trace/kernel.h"

/* Events of the cycles before `until` that no earlier batch had, ordered by cycle, SM, sub-core and
 * event. */
struct pipe_batch {
    const struct kernel *kernel;
    const struct pipe_record *records;
    size_t count;
    uint64_t until; /* from the kernel's start */
};

enum tick_order { TICK_FORWARD, TICK_REVERSE, TICK_ROTATE };

struct sim_options {
    uint32_t threads; /* 0 = 1 */
    uint32_t sms;     /* simulate only this many SMs; 0 = all of the configuration */
    uint64_t window;  /* cycles SMs run alone; 0 = the largest allowed. Never changes a result */
    bool no_skip;     /* tick every cycle. Never changes a result */
    enum tick_order tick_order; /* order of sub-cores within a cycle. Never changes a result */
    uint64_t max_cycles;        /* of a kernel; 0 = no limit: ERR_SIM beyond it */
    uint64_t deadlock_cycles; /* nothing issues for this long while warps are resident: ERR_SIM with
                                 a report; 0 = 1,000,000 */
    uint64_t max_ctas;        /* only the first ones; 0 = all */
    bool check_hazards;
    bool by_inst;    /* statistics by instruction; never changes a result */
    bool force_mode; /* take `mode` instead of dependence.mode */
    uint32_t mode;   /* DEPENDENCE_... */
    /* Issue log: called with records in order; may be NULL. Returns false to stop with *err set. */
    bool (*issue_log)(void *user, const struct kernel *k, const struct issue_record *r, size_t n,
                      struct sim_err *err);
    void *issue_user;
    /* Timeline: called once a window with what the pipeline did in it; may be NULL. */
    bool (*timeline)(void *user, const struct pipe_batch *b, struct sim_err *err);
    void *timeline_user;
    uint32_t timeline_first_sm, timeline_last_sm; /* SMs that are followed */
    /* Called now and then from the main thread with the state of the running kernel; may be NULL.
     */
    void (*progress)(void *user, const struct kernel *k, uint64_t cycles,
                     uint64_t warp_instructions, uint64_t ctas_done, uint64_t ctas);
    void *progress_user;
    const volatile sig_atomic_t *stop; /* set by a signal handler: the kernel ends early with
                                          ERR_INTERRUPT and *result holds what was simulated */
    struct diag *diag;                 /* warnings; required */
};

struct gpu;

bool gpu_create(struct gpu **out, const struct config *cfg, const struct sim_options *opt,
                struct sim_err *err);

/* Host-to-device copy: counted, and its lines are put into the L2 (the copy leaves them there). */
void gpu_memcpy(struct gpu *g, uint64_t addr, uint64_t bytes);

/* Turns the issue log and the timeline off or on for the kernels that follow. */
void gpu_log_issues(struct gpu *g, bool on);

/* Runs one kernel to its end. On ERR_INTERRUPT and ERR_SIM `result` holds the statistics so far.
 * The caller frees it with kernel_result_free(). */
bool gpu_run_kernel(struct gpu *g, struct kernel *k, struct kernel_result *result,
                    struct sim_err *err);

/* Runs up to GPU_TOGETHER kernels at once: CTAs of a later one are placed when all of the earlier
 * ones have their places. `results` has one for each. Statistics are those of each kernel's
 * instructions; what no instruction causes is counted for the first kernel. Not for hazards and
 * timelines. */
#define GPU_TOGETHER 16
bool gpu_run_together(struct gpu *g, struct kernel *const *kernels, uint32_t count,
                      struct kernel_result *results, struct sim_err *err);

/* Cycles SMs may run alone with this configuration. */
uint64_t gpu_window(const struct gpu *g);

void gpu_destroy(struct gpu *g);

#endif

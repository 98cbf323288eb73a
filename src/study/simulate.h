/* One input on one configuration, from a cold card to its total: what studies are made of. */
#ifndef SUBCORE_STUDY_SIMULATE_H
#define SUBCORE_STUDY_SIMULATE_H

#include "gpu/gpu.h"
#include "launch/source.h"
#include "report/summary.h"

struct simulate_options {
    const struct config *config;
    struct source_files files;
    struct sim_options sim; /* `diag` is required */
    bool warm;              /* run each kernel twice and count the second run */
    /* Called after each kernel; may be NULL. Returns false to stop with *err set. */
    bool (*kernel)(void *user, const struct kernel *k, const struct summary *s,
                   struct sim_err *err);
    void *user;
};

/* Simulates all kernels of the input at `path` in order, those of different streams together as
 * `run` does, and sums them up in `total`, which the caller frees with summary_free() in any case.
 * An input without a kernel is an error. */
bool simulate(const char *path, const struct simulate_options *opt, struct summary *total,
              struct sim_err *err);

/* The first of two runs of a kernel on the same buffers and caches, which nobody reports: *k
 * becomes the kernel of the second one, *end the cycle of the timeline at which the first has
 * ended. On failure *r holds what was simulated. */
bool simulate_first_run(struct gpu *gpu, struct source *in, struct kernel **k,
                        struct kernel_result *r, uint64_t *end, struct sim_err *err);

/* Kernels of other streams that follow kernels[0] and run beside it: *count of them with it, at
 * most GPU_TOGETHER. They are numbered by their position behind `before`. */
bool simulate_gather(struct source *in, uint64_t before, struct kernel **kernels, uint32_t *count,
                     struct sim_err *err);

/* Warns when a kernel is of another architecture than the configuration. */
bool simulate_check_architecture(const struct kernel *k, const struct config *config,
                                 struct diag *diag, struct sim_err *err);

#endif

/* Progress bar on the standard error: share done, cycles, speed, time left; at most 5 times a
 * second. */
#ifndef SUBCORE_APP_PROGRESS_H
#define SUBCORE_APP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "app/cli.h"
#include "base/buf.h"
#include "trace/kernel.h"

struct progress {
    bool on;
    bool shown;            /* a line stands on the terminal */
    uint64_t kernels;      /* in all; 0 = unknown */
    uint64_t kernels_done; /* before the running one */
    uint64_t instructions; /* of the kernels before the running one */
    uint64_t started_ms, drawn_ms;
};

/* Starts the clock. `when` is enum cli_when. */
void progress_begin(struct progress *p, enum cli_when when, bool quiet);

/* State of the running kernel; fits struct sim_options. `user` is the struct progress. */
void progress_update(void *user, const struct kernel *k, uint64_t cycles,
                     uint64_t warp_instructions, uint64_t ctas_done, uint64_t ctas);

/* A kernel has ended. */
void progress_kernel_done(struct progress *p, uint64_t warp_instructions);

/* Takes the line away, so that other text can be printed. */
void progress_clear(struct progress *p);

/* Where a run stands, in numbers. */
struct progress_state {
    uint64_t kernel, kernels; /* running one from 1 on; kernels 0 = unknown */
    uint64_t ctas_done, ctas;
    uint64_t cycles, instructions;
    uint64_t elapsed_ms;
};

/* The line, without colours or line break. */
void progress_line(struct buf *out, const struct progress_state *s);

/* The line of a sweep: points done of all, those that failed, time left by the pace of the `fresh`
 * ones, which were simulated since the start. */
void progress_points_line(struct buf *out, uint64_t done, uint64_t points, uint64_t failed,
                          uint64_t fresh, uint64_t elapsed_ms);

/* Draws it. */
void progress_points(struct progress *p, uint64_t done, uint64_t points, uint64_t failed,
                     uint64_t fresh);

#endif

/* A sweep in progress: what `subcore sweep` and its executors share.
 *
 * An executor simulates the pending points and leaves each result as a file in the folder; the
 * sweep takes the files. So it goes on after any end of it, and workers may be anywhere. */
#ifndef SUBCORE_APP_SWEEP_H
#define SUBCORE_APP_SWEEP_H

#include "app/app.h"
#include "app/progress.h"
#include "app/stop.h"
#include "study/sweep_result.h"

struct sweep_run {
    const struct cli *cli;
    const char *file; /* as given */
    const char *dir;  /* of the results */
    struct sweep sweep;
    struct sweep_card card; /* of the command line, or the default */
    struct plan plan;
    double *measured;            /* of the inputs, or NULL */
    struct point_result *points; /* [plan.point_count] */
    uint32_t *pending;           /* points to simulate, in order */
    uint32_t pending_count;
    uint32_t done, failed; /* points; those that failed are done too */
    uint32_t fresh;        /* done since the start */
    struct progress progress;
    const volatile sig_atomic_t *stop;
};

/* Reads the result of a point that an executor is done with. When there is none, the point has
 * failed because of `why`. */
bool sweep_take(struct sweep_run *run, uint32_t point, const char *why, struct sim_err *err);

/* Reads the result of a point when it is there already. */
bool sweep_look(struct sweep_run *run, uint32_t point, struct sim_err *err);

/* Executors. Ctrl-C ends them with ERR_INTERRUPT. */
bool sweep_local(struct sweep_run *run, uint32_t jobs, struct sim_err *err);
bool sweep_slurm(struct sweep_run *run, struct sim_err *err);

/* Keeps only the pending points of task `task` of the last submission. */
bool sweep_slurm_task(struct sweep_run *run, uint64_t task, struct sim_err *err);

#endif

/* Simulations of a validation. Internal to study/validation*.c. */
#ifndef SUBCORE_STUDY_VALIDATION_JOB_H
#define SUBCORE_STUDY_VALIDATION_JOB_H

#include <pthread.h>

#include "cfg/load.h"
#include "study/simulate.h"
#include "study/validation.h"

/* An instruction that a warp issued: "WARP:OPCODE:N", the Nth (from 1) of this opcode in CTA 0,
 * from the first clock read on; WARP `*`: of any warp, in order of issue. "next": the one that the
 * warp issued behind the other. */
struct event {
    bool next, any_warp;
    uint32_t warp, nth;
    char opcode[40];
};

/* A distance that a row of measurements asks for. */
struct distance {
    struct event from, to;
    bool found;
    uint64_t issue, control; /* cycles from the one to the other */
};

struct job_kernel {
    const char *name;
    struct summary numbers; /* without opcodes */
};

/* One input, cold or warm. */
struct job {
    const struct suite_input *input;
    bool warm;
    const struct config *config;
    struct distance *distances; /* heap */
    uint32_t distance_count;
    struct issue_record *log; /* heap; kept when there are distances */
    size_t log_count, log_cap;
    struct arena arena;         /* of the thread that runs it */
    struct job_kernel *kernels; /* heap */
    uint32_t kernel_count;
    struct summary total;
    struct diag *diag; /* heap */
    struct sim_err err;
    bool done;
};

struct jobs {
    const struct validation_options *opt;
    struct job *items; /* heap */
    uint32_t count;
    struct loaded_config *configs; /* heap */
    uint32_t config_count;
    pthread_mutex_t lock; /* of `finished` and the caller's `done` */
    uint32_t finished;
};

/* Reads "WARP:OPCODE:N" or "next". */
bool event_read(struct event *e, const char *text);

bool event_same(const struct event *a, const struct event *b);

/* Finds the distances of a job in its log. `k` is the kernel that ran. */
void event_find(struct job *job, const struct kernel *k);

/* Runs all jobs, `threads` at a time. */
bool jobs_run(struct jobs *j, struct sim_err *err);

void jobs_free(struct jobs *j);

/* The job of an input; NULL when it was not run. */
struct job *jobs_find(const struct jobs *j, const struct suite_input *input, bool warm);

/* Compares a part with what was simulated: adds its rows. Errors are faults of measurements. */
bool validation_match(struct validation *v, const struct jobs *jobs, uint32_t part,
                      struct sim_err *err);

/* True when a part has a row for the input, as far as that can be told beforehand. */
bool validation_wants(const struct suite *s, const struct suite_part *p,
                      const struct suite_input *input);

/* Notes the distances that a part asks of a job's input. */
bool validation_distances(const struct suite *s, const struct suite_part *p, struct job *job,
                          struct sim_err *err);

#endif

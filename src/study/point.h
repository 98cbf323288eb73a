/* Results of points: simulated, kept as one file each, read back.
 *
 * A file appears under its name when it is complete, holds the point's key and ends with a hash of
 * what stands before. One that is damaged or has another key counts as not there. */
#ifndef SUBCORE_STUDY_POINT_H
#define SUBCORE_STUDY_POINT_H

#include <signal.h>

#include "study/plan.h"

struct point_result {
    bool done;
    bool failed;      /* `message` says why; there are no values */
    char *message;    /* heap; one line */
    uint64_t *values; /* heap; [statistic_count()], those that point_keeps() */
    char *warnings;   /* heap; one a line, or NULL */
};

/* True for statistics that are kept of a point: counts, but not of hazards, which nobody looks for
 * in a sweep. */
bool point_keeps(uint32_t statistic);

/* Simulates a point. What goes wrong in it is its result; false (and an error) only when it was
 * interrupted or memory ran out. */
bool point_run(const struct plan *p, uint32_t point, const volatile sig_atomic_t *stop,
               struct point_result *out, struct sim_err *err);

/* Name of the point's file in the folder `dir`. */
void point_path(const struct plan *p, uint32_t point, const char *dir, struct buf *out);

/* Writes the file of a result. */
bool point_store(const struct plan *p, uint32_t point, const char *dir,
                 const struct point_result *r, struct sim_err *err);

/* Reads the file of a result; `done` is false when there is none. False and an error only when
 * memory is out. */
bool point_load(const struct plan *p, uint32_t point, const char *dir, struct point_result *out,
                struct sim_err *err);

/* Makes a failed result. The message's line breaks become blanks. */
bool point_fail(struct point_result *out, const char *message, struct sim_err *err);

void point_free(struct point_result *r);

#endif

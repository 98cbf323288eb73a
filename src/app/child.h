/* Other programs: sbatch, squeue, gnuplot. */
#ifndef SUBCORE_APP_CHILD_H
#define SUBCORE_APP_CHILD_H

#include "base/buf.h"
#include "base/err.h"

/* Runs a program found in PATH with an empty standard input; argv ends with NULL. What it writes to
 * the standard output and error is appended to `out`. *status is its exit status, 128 + number
 * after a signal. False (ERR_RESOURCE) when it cannot be started. */
bool child_run(const char *const *argv, struct buf *out, int *status, struct sim_err *err);

#endif

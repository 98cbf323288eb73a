/* A pool of threads that run one function on every SM of their share, and wait for each other. */
#ifndef SUBCORE_GPU_WORKERS_H
#define SUBCORE_GPU_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct workers;

/* `run(user, worker)` is called in every worker, worker 0 being the caller's thread. */
bool workers_start(struct workers **out, uint32_t count, void (*run)(void *user, uint32_t worker),
                   void *user, struct sim_err *err);

/* Runs the function once in every worker; returns when all are done. */
void workers_run(struct workers *w);

void workers_stop(struct workers *w);

#endif

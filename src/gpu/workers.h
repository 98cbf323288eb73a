/* A pool of threads that share out the tasks of a phase and wait for each other at its end. */
#ifndef SUBCORE_GPU_WORKERS_H
#define SUBCORE_GPU_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct workers;

/* One task of a phase, done by whichever worker is free; worker 0 is the caller's thread. */
typedef void (*worker_task)(void *user, uint32_t task, uint32_t worker);

/* `count` workers, of which count - 1 are new threads. */
bool workers_start(struct workers **out, uint32_t count, struct sim_err *err);

/* Does tasks 0 to `tasks` - 1, each once; returns when all are done. Tasks are begun in ascending
 * order and must not depend on each other. */
void workers_run(struct workers *w, uint32_t tasks, worker_task run, void *user);

/* True while tasks of the phase have not been begun: whether a task that may be long should go on.
 * A hint: others take tasks at the same time. */
bool workers_have_tasks(const struct workers *w);

void workers_stop(struct workers *w);

#endif

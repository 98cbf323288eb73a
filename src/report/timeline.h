/* Timeline of a run: a Kanata log for Konata, or trace events for Perfetto.
 *
 * Fed window by window with the events of the pipeline (fits struct sim_options) and written as it
 * goes: memory is bounded by the instructions in flight. Cycles of the first kernel count from its
 * start, as in the issue log; later kernels follow it. */
#ifndef SUBCORE_REPORT_TIMELINE_H
#define SUBCORE_REPORT_TIMELINE_H

#include "base/buf.h"
#include "base/outfile.h"
#include "gpu/gpu.h"

enum timeline_format { TIMELINE_KANATA, TIMELINE_PERFETTO };

struct timeline_range {
    uint64_t first, last;
};

/* What is shown; by default everything. */
struct timeline_filter {
    struct timeline_range cycles; /* of a kernel: instructions fetched, stalls within */
    struct timeline_range sms, subcores;
    struct timeline_range slots; /* warp slots of the SM */
};

struct timeline;

/* "x.kanata" (or "x.log") for Konata, "x.json" for Perfetto; compression is not done here. */
bool timeline_format_of(const char *path, enum timeline_format *format, struct sim_err *err);

/* Starts a timeline in an open file. */
bool timeline_begin(struct timeline **out, struct outfile *file, enum timeline_format format,
                    const struct timeline_filter *filter, struct sim_err *err);

/* Adds a window; `user` is the struct timeline. */
bool timeline_add(void *user, const struct pipe_batch *b, struct sim_err *err);

/* The kernel has ended: what is still in flight is flushed. */
bool timeline_end_kernel(struct timeline *t, struct sim_err *err);

/* Takes back what was added since the last timeline_end_kernel(), apart from text that the file
 * itself takes back (outfile_drop). */
void timeline_drop(struct timeline *t);

/* Completes the text; the file stays open. */
bool timeline_end(struct timeline *t, struct sim_err *err);

/* NULL is allowed. */
void timeline_free(struct timeline *t);

#endif

/* Trace writers: what every output format of `subcore trace` and `convert` implements.
 *
 *   for each kernel: begin_kernel
 *     for each CTA in ascending linear id: begin_cta, inst ..., end_cta
 *   end_kernel; after the last kernel close
 *
 * Instructions come warp by warp in ascending order of warps. After a failure only close may be
 * called. Owner: one thread. */
#ifndef SUBCORE_TRACE_WRITER_H
#define SUBCORE_TRACE_WRITER_H

#include "trace/kernel.h"

struct trace_writer;

struct trace_writer_ops {
    bool (*begin_kernel)(struct trace_writer *w, const struct kernel *k, struct sim_err *err);
    bool (*begin_cta)(struct trace_writer *w, const struct cta_stream *cta, struct sim_err *err);
    bool (*inst)(struct trace_writer *w, uint32_t warp, const struct dyn_inst *d,
                 struct sim_err *err);
    bool (*end_cta)(struct trace_writer *w, struct sim_err *err);
    bool (*end_kernel)(struct trace_writer *w, struct sim_err *err);
    /* Completes the output; without `keep` nothing unfinished is left. Frees the writer. */
    bool (*close)(struct trace_writer *w, bool keep, struct sim_err *err);
};

struct trace_writer {
    const struct trace_writer_ops *ops;
};

/* Writes all CTAs of a kernel that are left to open. `stop` is asked between CTAs and may be NULL;
 * when it gives true, the kernel is left unfinished with ERR_INTERRUPT. */
bool trace_writer_kernel(struct trace_writer *w, struct kernel *k, bool (*stop)(void *user),
                         void *user, struct sim_err *err);

#endif

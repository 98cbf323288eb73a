/* Trace writers: what every output format of `subcore trace` and `convert` implements.
 *
 *   for each host copy: copy
 *   for each kernel: begin_kernel
 *     for each CTA in ascending linear id: begin_cta, inst ..., end_cta
 *   end_kernel; after the last kernel close
 *
 * Instructions come warp by warp in ascending order of warps. After a failure of the writer only
 * close may be called; after one of the kernel's input drop_kernel, too. Owner: one thread. */
#ifndef SUBCORE_TRACE_WRITER_H
#define SUBCORE_TRACE_WRITER_H

#include "trace/kernel.h"

struct trace_writer;

struct trace_writer_ops {
    /* Bytes that the host copied to the device before the next kernel. */
    bool (*copy)(struct trace_writer *w, uint64_t addr, uint64_t bytes, struct sim_err *err);
    bool (*begin_kernel)(struct trace_writer *w, const struct kernel *k, struct sim_err *err);
    bool (*begin_cta)(struct trace_writer *w, const struct cta_stream *cta, struct sim_err *err);
    bool (*inst)(struct trace_writer *w, uint32_t warp, const struct dyn_inst *d,
                 struct sim_err *err);
    bool (*end_cta)(struct trace_writer *w, struct sim_err *err);
    /* May be NULL. Writes a CTA that its kernel has packed already, in place of the three above. */
    bool (*packed_cta)(struct trace_writer *w, const struct cta_stream *cta,
                       const struct pack_warp *warps, struct sim_err *err);
    bool (*end_kernel)(struct trace_writer *w, struct sim_err *err);
    /* Takes back all of a kernel that was begun; needs `droppable`. */
    bool (*drop_kernel)(struct trace_writer *w, struct sim_err *err);
    /* Completes the output; without `keep` nothing unfinished is left. Frees the writer. */
    bool (*close)(struct trace_writer *w, bool keep, struct sim_err *err);
};

struct trace_writer {
    const struct trace_writer_ops *ops;
    bool droppable;       /* set by the owner before the first kernel */
    uint64_t ctas, insts; /* of the kernel written last */
};

/* Writes all CTAs of a kernel that are left to open. `stop` is asked between CTAs and may be NULL;
 * when it gives true, the kernel is left unfinished with ERR_INTERRUPT. In a droppable writer a
 * kernel that fails is dropped. */
bool trace_writer_kernel(struct trace_writer *w, struct kernel *k, bool (*stop)(void *user),
                         void *user, struct sim_err *err);

#endif

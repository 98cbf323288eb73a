#include "trace/native_trace.h"

#include <stdlib.h>
#include <string.h>

#include "trace/native.h"

/* Packs the warps of a CTA one after the other and hands them over together. */
struct native_trace {
    struct trace_writer writer;
    struct native_writer *file;
    const struct kernel *kernel;
    const struct cta_stream *cta;
    struct pack_warp *warps;
    uint32_t warp_cap;
};

static bool begin_kernel(struct trace_writer *tw, const struct kernel *k, struct sim_err *err)
{
    struct native_trace *t = (struct native_trace *)tw;
    t->kernel = k;
    if (tw->droppable)
        TRY(native_writer_hold(t->file, err));
    return native_writer_begin(t->file, k, err);
}

static bool put_copy(struct trace_writer *tw, uint64_t addr, uint64_t bytes, struct sim_err *err)
{
    struct native_trace *t = (struct native_trace *)tw;
    return native_writer_copy(t->file, addr, bytes, err);
}

static bool drop_kernel(struct trace_writer *tw, struct sim_err *err)
{
    struct native_trace *t = (struct native_trace *)tw;
    return native_writer_drop(t->file, err);
}

static bool begin_cta(struct trace_writer *tw, const struct cta_stream *cta, struct sim_err *err)
{
    struct native_trace *t = (struct native_trace *)tw;
    t->cta = cta;
    if (cta->warp_count > t->warp_cap) {
        struct pack_warp *grown = realloc(t->warps, cta->warp_count * sizeof *grown);
        if (!grown)
            return err_memory(err, "writing a trace");
        memset(grown + t->warp_cap, 0, (cta->warp_count - t->warp_cap) * sizeof *grown);
        t->warps = grown;
        t->warp_cap = cta->warp_count;
    }
    for (uint32_t i = 0; i < cta->warp_count; i++)
        pack_reset(&t->warps[i]);
    return true;
}

static bool put_inst(struct trace_writer *tw, uint32_t warp, const struct dyn_inst *d,
                     struct sim_err *err)
{
    struct native_trace *t = (struct native_trace *)tw;
    bool memory = pack_has_address(t->kernel->insts[d->inst]);
    bool ok =
        memory ? pack_add(&t->warps[warp], d) : pack_add_plain(&t->warps[warp], d->inst, d->mask);
    return ok || err_memory(err, "writing a trace");
}

static bool end_cta(struct trace_writer *tw, struct sim_err *err)
{
    struct native_trace *t = (struct native_trace *)tw;
    for (uint32_t i = 0; i < t->cta->warp_count; i++)
        if (!pack_end(&t->warps[i]))
            return err_memory(err, "writing a trace");
    return native_writer_cta(t->file, t->kernel, t->cta->linear_id, t->warps, t->cta->warp_count,
                             err);
}

static bool packed_cta(struct trace_writer *tw, const struct cta_stream *cta,
                       const struct pack_warp *warps, struct sim_err *err)
{
    struct native_trace *t = (struct native_trace *)tw;
    return native_writer_cta(t->file, t->kernel, cta->linear_id, warps, cta->warp_count, err);
}

static bool end_kernel(struct trace_writer *tw, struct sim_err *err)
{
    struct native_trace *t = (struct native_trace *)tw;
    return native_writer_end(t->file, err);
}

static bool close_trace(struct trace_writer *tw, bool keep, struct sim_err *err)
{
    struct native_trace *t = (struct native_trace *)tw;
    bool ok = !keep || native_writer_commit(t->file, err);
    native_writer_close(t->file);
    for (uint32_t i = 0; i < t->warp_cap; i++)
        pack_free(&t->warps[i]);
    free(t->warps);
    free(t);
    return ok;
}

static const struct trace_writer_ops native_trace_ops = {.copy = put_copy,
                                                         .drop_kernel = drop_kernel,
                                                         .begin_kernel = begin_kernel,
                                                         .begin_cta = begin_cta,
                                                         .inst = put_inst,
                                                         .end_cta = end_cta,
                                                         .packed_cta = packed_cta,
                                                         .end_kernel = end_kernel,
                                                         .close = close_trace};

bool native_trace_open(struct trace_writer **out, const char *path, struct sim_err *err)
{
    *out = NULL;
    struct native_trace *t = calloc(1, sizeof *t);
    if (!t)
        return err_memory(err, "writing a trace");
    t->writer.ops = &native_trace_ops;
    if (!native_writer_open(&t->file, path, err)) {
        free(t);
        return false;
    }
    *out = &t->writer;
    return true;
}

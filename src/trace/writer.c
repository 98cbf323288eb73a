#include "trace/writer.h"

#include "trace/pack.h"

static bool write_warp(struct trace_writer *w, struct warp_stream *s, struct sim_err *err)
{
    for (;;) {
        w->insts += (uint64_t)(s->end - s->next);
        for (; s->next < s->end; s->next++)
            TRY(w->ops->inst(w, s->warp, s->next, err));
        if (s->finished)
            return true;
        TRY(s->cta->kernel->ops->refill(s, err));
    }
}

static bool write_cta(struct trace_writer *w, struct cta_stream *cta, struct sim_err *err)
{
    const struct kernel_ops *from = cta->kernel->ops;
    const struct pack_warp *packed = w->ops->packed_cta && from->packed ? from->packed(cta) : NULL;
    if (packed) {
        for (uint32_t i = 0; i < cta->warp_count; i++)
            w->insts += packed[i].insts;
        return w->ops->packed_cta(w, cta, packed, err);
    }
    TRY(w->ops->begin_cta(w, cta, err));
    for (uint32_t i = 0; i < cta->warp_count; i++)
        TRY(write_warp(w, &cta->warps[i], err));
    return w->ops->end_cta(w, err);
}

static bool write_kernel(struct trace_writer *w, struct kernel *k, bool (*stop)(void *user),
                         void *user, struct sim_err *err)
{
    for (;;) {
        struct cta_stream *cta;
        if (stop && stop(user))
            return err_set(err, ERR_INTERRUPT, NULL, 0, 0, "interrupted");
        TRY(k->ops->open_cta(k, &cta, err));
        if (!cta)
            return w->ops->end_kernel(w, err);
        bool ok = write_cta(w, cta, err);
        k->ops->close_cta(cta);
        TRY(ok);
        w->ctas++;
    }
}

bool trace_writer_kernel(struct trace_writer *w, struct kernel *k, bool (*stop)(void *user),
                         void *user, struct sim_err *err)
{
    w->ctas = w->insts = 0;
    TRY(w->ops->begin_kernel(w, k, err));
    if (write_kernel(w, k, stop, user, err))
        return true;
    struct sim_err late = {0};
    if (w->droppable && !w->ops->drop_kernel(w, &late)) {
        err_clear(err);
        *err = late;
    }
    return false;
}

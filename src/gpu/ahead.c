/* CTAs opened ahead of their start.
 *
 * Opening a CTA executes it, or reads its part of a trace; CTAs are opened one after the other in
 * their order, so it does not matter when. With several threads one of them opens CTAs while the
 * others run the SMs, as long as there are SMs left to run. */
#include "gpu/internal.h"

static bool open_one(struct gpu *g, struct cta_stream **out, struct sim_err *err)
{
    *out = NULL;
    if (g->ahead_ended)
        return true;
    TRY(g->kernel->ops->open_cta(g->kernel, out, err));
    g->ahead_ended = !*out;
    return true;
}

bool ahead_take(struct gpu *g, struct cta_stream **out, struct sim_err *err)
{
    if (g->ahead_count > 0) {
        *out = g->ahead[g->ahead_first];
        g->ahead_first = (g->ahead_first + 1) % AHEAD_CTAS;
        g->ahead_count--;
        return true;
    }
    if (g->ahead_err.code != ERR_NONE) {
        *err = g->ahead_err;
        g->ahead_err = (struct sim_err){0};
        return false;
    }
    return open_one(g, out, err);
}

static bool wanted(const struct gpu *g)
{
    uint64_t most = g->opt.max_ctas;
    return g->kernel->opens_beside && !g->ahead_ended && g->ahead_err.code == ERR_NONE &&
           g->ahead_count < AHEAD_CTAS && (most == 0 || g->opened + g->ahead_count < most);
}

void ahead_fill(struct gpu *g)
{
    struct cta_stream *cta;
    while (wanted(g) && workers_have_tasks(g->workers)) {
        if (!open_one(g, &cta, &g->ahead_err))
            return;
        if (cta)
            g->ahead[(g->ahead_first + g->ahead_count++) % AHEAD_CTAS] = cta;
    }
}

void ahead_drop(struct gpu *g)
{
    for (; g->ahead_count > 0; g->ahead_count--) {
        g->kernel->ops->close_cta(g->ahead[g->ahead_first]);
        g->ahead_first = (g->ahead_first + 1) % AHEAD_CTAS;
    }
    err_clear(&g->ahead_err);
    g->ahead_ended = false;
}

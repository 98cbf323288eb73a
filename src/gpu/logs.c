/* Issue records and pipeline events of a window, in order, to those who asked for them. */
#include <stdlib.h>

#include "gpu/internal.h"

static int compare_records(const void *a, const void *b)
{
    const struct issue_record *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    return x->subcore < y->subcore ? -1 : x->subcore > y->subcore;
}

/* Records of kernels that run together: each with its kernel, from its start. */
static bool log_members(struct gpu *g, uint32_t n, struct sim_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        struct issue_record *r = &g->log[i];
        struct bundle_inst of = bundle_origin(g->bundle, r->inst);
        const struct bundle_member *m = &g->bundle->members[of.member];
        r->inst = of.inst;
        r->cycle -= m->start - g->start;
        r->control -= m->start - g->start;
        TRY(g->opt.issue_log(g->opt.issue_user, m->kernel, r, 1, err));
    }
    return true;
}

static bool flush_log(struct gpu *g, struct sim_err *err)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->sm_count; i++)
        n += g->sms[i].log_count;
    if (n == 0)
        return true;
    if (n > g->log_cap) {
        struct issue_record *p = realloc(g->log, n * sizeof *p);
        if (!p)
            return err_memory(err, "writing the issue log");
        g->log = p;
        g->log_cap = n;
    }
    n = 0;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct sm *sm = &g->sms[i];
        for (uint32_t r = 0; r < sm->log_count; r++)
            g->log[n++] = sm->log[r];
        sm->log_count = 0;
    }
    qsort(g->log, n, sizeof *g->log, compare_records);
    if (g->bundle)
        return log_members(g, n, err);
    return g->opt.issue_log(g->opt.issue_user, g->kernel, g->log, n, err);
}

/* By cycle, SM, sub-core and event; what is equal in all of them by warp and instruction. */
static int compare_events(const void *a, const void *b)
{
    const struct pipe_record *x = a, *y = b;
    const uint64_t pairs[][2] = {{x->cycle, y->cycle},         {x->sm, y->sm},
                                 {x->subcore, y->subcore},     {x->event, y->event},
                                 {x->warp_slot, y->warp_slot}, {x->inst, y->inst},
                                 {x->reason, y->reason}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
    return 0;
}

static bool flush_timeline(struct gpu *g, cycle_t end, struct sim_err *err)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        if (g->sms[i].opt.timeline)
            sm_account(&g->sms[i], end);
        n += g->sms[i].pipe_count;
    }
    if (n > g->pipe_cap) {
        struct pipe_record *p = realloc(g->pipe, n * sizeof *p);
        if (!p)
            return err_memory(err, "writing the timeline");
        g->pipe = p;
        g->pipe_cap = n;
    }
    n = 0;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct sm *sm = &g->sms[i];
        for (uint32_t r = 0; r < sm->pipe_count; r++)
            g->pipe[n++] = sm->pipe[r];
        sm->pipe_count = 0;
    }
    if (n > 1)
        qsort(g->pipe, n, sizeof *g->pipe, compare_events);
    struct pipe_batch batch = {g->kernel, g->pipe, n, end - g->start};
    return g->opt.timeline(g->opt.timeline_user, &batch, err);
}

bool logs_flush(struct gpu *g, cycle_t end, struct sim_err *err)
{
    if (g->opt.issue_log)
        TRY(flush_log(g, err));
    return !g->opt.timeline || flush_timeline(g, end, err);
}

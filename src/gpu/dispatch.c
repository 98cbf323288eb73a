/* CTAs to SMs: first layer by layer until they are full (place.c), then a successor where a warp or
 * CTA has left enough room. CTAs come in ascending linear id. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "gpu/internal.h"

static bool grow_counts(struct gpu *g, struct sim_err *err)
{
    if (g->exec.count <= g->counts_cap)
        return true;
    uint32_t cap = g->counts_cap ? g->counts_cap : 256;
    while (cap < g->exec.count)
        cap *= 2;
    for (uint32_t w = 0; w < g->worker_count; w++) {
        struct inst_count *p = realloc(g->counts[w], cap * sizeof *p);
        if (!p)
            return err_memory(err, "counting instructions");
        memset(p + g->counts_cap, 0, (cap - g->counts_cap) * sizeof *p);
        g->counts[w] = p;
    }
    for (uint32_t w = 0; g->by_inst && w < g->worker_count; w++) {
        struct sim_stats *p = realloc(g->by_inst[w], cap * sizeof *p);
        if (!p)
            return err_memory(err, "counting by instruction");
        memset(p + g->counts_cap, 0, (cap - g->counts_cap) * sizeof *p);
        g->by_inst[w] = p;
    }
    for (uint32_t i = 0; g->by_inst && i < g->sm_count; i++)
        g->sms[i].by_inst = g->by_inst[0];
    g->counts_cap = cap;
    return true;
}

bool dispatch_grow_table(struct gpu *g, struct sim_err *err)
{
    uint32_t known = g->exec.count, line_bytes = g->cfg.icache.line_bytes;
    TRY(exec_table_grow(&g->exec, g->kernel, &g->cfg, err));
    for (uint32_t i = known; g->bundle && i < g->exec.count; i++) {
        struct exec_inst *e = &g->exec.insts[i];
        const struct bundle_inst of = bundle_origin(g->bundle, i);
        e->code_offset = g->bundle->members[of.member].code_base - g->exec.code_base;
        e->line = (uint32_t)((e->code_offset + e->inst->pc) / line_bytes);
    }
    return grow_counts(g, err);
}

/* Opens the next CTA; *out = NULL when there is none. */
static bool open_next(struct gpu *g, struct cta_stream **out, struct sim_err *err)
{
    uint64_t most = g->bundle ? 0 : g->opt.max_ctas;
    *out = NULL;
    if (g->all_opened || (most && g->opened >= most)) {
        g->all_opened = true;
        return true;
    }
    TRY(ahead_take(g, out, err));
    if (!*out) {
        g->all_opened = true;
        return true;
    }
    g->opened++;
    return dispatch_grow_table(g, err);
}

/* The next CTA, which stays the next one until it is launched; NULL when there is none. */
static bool next_cta(struct gpu *g, struct cta_stream **out, struct sim_err *err)
{
    bool ok = g->held || open_next(g, &g->held, err);
    *out = g->held;
    return ok;
}

static uint32_t owner_of(const struct gpu *g, const struct cta_stream *cta)
{
    return g->bundle ? bundle_member_of(cta) : 0;
}

static const struct occupancy *occupancy_by_owner(const struct gpu *g, uint32_t owner)
{
    return g->bundle ? &g->bundle->members[owner].occupancy : &g->occupancy;
}

/* CTAs of the kernel whose CTA is next that have no place yet, as far as is known: a trace can hold
 * fewer. */
static uint64_t ctas_left(const struct gpu *g, uint32_t owner)
{
    const struct bundle_member *m = g->bundle ? &g->bundle->members[owner] : NULL;
    uint64_t all = m ? m->kernel->cta_count : g->kernel->cta_count;
    uint64_t opened = m ? m->opened : g->opened;
    if (g->opt.max_ctas && g->opt.max_ctas < all)
        all = g->opt.max_ctas;
    return (all > opened ? all - opened : 0) + (g->held ? 1 : 0);
}

/* Puts the next CTA on an SM that has room for it. */
static void launch(struct gpu *g, uint32_t sm, cycle_t earliest)
{
    struct cta_stream *cta = g->held;
    uint32_t owner = owner_of(g, cta);
    const struct occupancy *o = occupancy_by_owner(g, owner);
    cycle_t start = room_start(g, sm, earliest, o->warps_per_cta);
    g->held = NULL;
    if (g->bundle && start < g->bundle->members[owner].start)
        g->bundle->members[owner].start = start;
    room_take(g, sm, o);
    sm_launch(&g->sms[sm], cta, owner, start);
}

/* Launches the next CTAs of one kernel, each on its SM; false in *more when there are no more. */
static bool launch_all(struct gpu *g, uint32_t owner, const uint16_t *sms, uint32_t n,
                       cycle_t earliest, bool *more, struct sim_err *err)
{
    *more = true;
    for (uint32_t i = 0; i < n && *more; i++) {
        struct cta_stream *cta;
        TRY(next_cta(g, &cta, err));
        *more = cta && owner_of(g, cta) == owner;
        if (*more)
            launch(g, sms[i], earliest);
    }
    return true;
}

/* Clusters, a group of SMs after the other, until none has room. */
static bool first_clusters(struct gpu *g, struct sim_err *err)
{
    const struct topology *t = &g->topology;
    uint16_t sms[TOPOLOGY_MAX_SMS];
    TRY(place_check_cluster(g, &g->occupancy, err));
    for (bool any = true; any;) {
        any = false;
        for (uint32_t i = 0; i < t->groups; i++) {
            uint32_t group = i < t->singles ? t->gpcs + i : i - t->singles;
            bool more = ctas_left(g, 0) > 0;
            if (!more || !place_cluster(g, &g->occupancy, group, sms))
                continue;
            TRY(launch_all(g, 0, sms, g->occupancy.cluster_ctas, g->start, &more, err));
            any = more;
        }
    }
    return true;
}

bool dispatch_first(struct gpu *g, struct sim_err *err)
{
    uint16_t sms[TOPOLOGY_MAX_SMS];
    struct cta_stream *cta;
    if (g->occupancy.cluster_ctas > 1)
        return first_clusters(g, err);
    for (;;) {
        TRY(next_cta(g, &cta, err));
        if (!cta)
            return true;
        uint32_t owner = owner_of(g, cta);
        uint32_t n = place_layer(g, occupancy_by_owner(g, owner), ctas_left(g, owner), sms);
        bool more;
        if (n == 0)
            return true;
        TRY(launch_all(g, owner, sms, n, g->start, &more, err));
    }
}

/* The end of a warp or a CTA. */
struct ended {
    cycle_t cycle;
    uint32_t sm;
    uint64_t cta_order;
    uint32_t owner;
    cycle_t since;
    struct cta_stream *cta; /* NULL: a warp */
};

/* A CTA ends behind its warps. */
static int compare_ended(const void *a, const void *b)
{
    const struct ended *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    if (x->cta_order != y->cta_order)
        return x->cta_order < y->cta_order ? -1 : 1;
    return (x->cta != NULL) - (y->cta != NULL);
}

/* Takes the ends out of the SMs, in order. *out is on the heap. */
static bool collect_ended(struct gpu *g, struct ended **out, uint32_t *count, struct sim_err *err)
{
    uint32_t n = 0;
    *out = NULL;
    *count = 0;
    for (uint32_t i = 0; i < g->sm_count; i++)
        n += g->sms[i].finished_count + g->sms[i].released_count;
    if (n == 0)
        return true;
    struct ended *ended = malloc(n * sizeof *ended);
    if (!ended)
        return err_memory(err, "dispatching CTAs");
    n = 0;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct sm *sm = &g->sms[i];
        for (uint32_t w = 0; w < sm->released_count; w++)
            ended[n++] = (struct ended){.cycle = sm->released[w].cycle,
                                        .sm = i,
                                        .cta_order = sm->released[w].cta_order,
                                        .owner = sm->released[w].owner};
        for (uint32_t f = 0; f < sm->finished_count; f++)
            ended[n++] = (struct ended){.cycle = sm->finished[f].cycle,
                                        .sm = i,
                                        .cta_order = sm->finished[f].cta_order,
                                        .owner = sm->finished[f].owner,
                                        .since = sm->finished[f].since,
                                        .cta = sm->finished[f].stream};
        sm->finished_count = sm->released_count = 0;
    }
    qsort(ended, n, sizeof *ended, compare_ended);
    *out = ended;
    *count = n;
    return true;
}

/* A cycle of the place in the queue of CTAs that take the place of others: one after the other, for
 * the whole card. */
static cycle_t dispatch_turn(struct gpu *g, cycle_t now)
{
    uint64_t at = max_u64(now * 100, g->dispatch_free);
    g->dispatch_free = at + g->cfg.gpu.cta_interval;
    return (at + 99) / 100;
}

/* Fills the room that a warp or CTA has left on an SM, with whole clusters. */
static bool refill_sm(struct gpu *g, uint32_t sm, cycle_t now, struct sim_err *err)
{
    uint16_t sms[TOPOLOGY_MAX_SMS] = {(uint16_t)sm};
    for (;;) {
        struct cta_stream *cta;
        TRY(next_cta(g, &cta, err));
        if (!cta)
            return true;
        uint32_t owner = owner_of(g, cta);
        const struct occupancy *o = occupancy_by_owner(g, owner);
        uint32_t n = o->cluster_ctas;
        if (!room_fits(g, sm, o) || (n > 1 && !place_cluster(g, o, g->topology.group[sm], sms)))
            return true;
        cycle_t turn = 0;
        bool more;
        for (uint32_t i = 0; i < n; i++)
            turn = dispatch_turn(g, now);
        TRY(launch_all(g, owner, sms, n, turn + g->cfg.gpu.cta_launch_cycles, &more, err));
    }
}

/* The end of a CTA. */
static bool end_cta(struct gpu *g, const struct ended *e, struct sim_err *err)
{
    struct bundle_member *m = g->bundle ? &g->bundle->members[e->owner] : NULL;
    g->kernel->ops->close_cta(e->cta);
    g->closed++;
    g->end = max_u64(g->end, e->cycle);
    room_give_cta(g, e->sm, occupancy_by_owner(g, e->owner));
    if (!m)
        return true;
    m->closed++;
    m->end = max_u64(m->end, e->cycle);
    return bundle_add_span(m, e->sm, e->since, e->cycle, err);
}

bool dispatch_next(struct gpu *g, struct sim_err *err)
{
    struct ended *ended;
    uint32_t n;
    TRY(collect_ended(g, &ended, &n, err));
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct ended *e = &ended[i];
        if (e->cta)
            ok = end_cta(g, e, err) && ok;
        else
            room_give_warp(g, e->sm, occupancy_by_owner(g, e->owner));
        ok = ok && refill_sm(g, e->sm, e->cycle, err);
    }
    free(ended);
    return ok;
}

void dispatch_abandon(struct gpu *g)
{
    ahead_drop(g);
    if (g->held)
        g->kernel->ops->close_cta(g->held);
    g->held = NULL;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        struct sm *sm = &g->sms[i];
        for (uint32_t f = 0; f < sm->finished_count; f++)
            g->kernel->ops->close_cta(sm->finished[f].stream);
        sm->finished_count = sm->released_count = 0;
        for (uint32_t c = 0; c < SM_MAX_CTAS; c++) {
            if (sm->ctas[c].stream)
                g->kernel->ops->close_cta(sm->ctas[c].stream);
            sm->ctas[c].stream = NULL;
        }
    }
}

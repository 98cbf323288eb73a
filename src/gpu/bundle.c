#include "gpu/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buf.h"

/* Instructions a refill renumbers; addresses of the last 64 stay valid in the kernel below. */
#define CHUNK 64u

struct bundle_cta {
    struct cta_stream stream, *inner;
    uint32_t member;
    struct dyn_inst *chunks; /* CHUNK a warp */
};

static bool grow(struct bundle *b, struct bundle_member *m, uint32_t count, struct sim_err *err)
{
    uint32_t all = b->kernel.inst_count + count;
    if (count > m->number_cap) {
        uint32_t cap = count * 2;
        uint32_t *p = realloc(m->numbers, cap * sizeof *p);
        if (!p)
            return err_memory(err, "numbering instructions");
        m->numbers = p;
        m->number_cap = cap;
    }
    if (all > b->inst_cap) {
        uint32_t cap = all * 2;
        const struct inst **insts = realloc(b->insts, cap * sizeof *insts);
        if (insts)
            b->insts = insts;
        struct bundle_inst *origins = realloc(b->origins, cap * sizeof *origins);
        if (origins)
            b->origins = origins;
        if (!insts || !origins)
            return err_memory(err, "numbering instructions");
        b->inst_cap = cap;
    }
    b->kernel.insts = b->insts;
    return true;
}

/* Numbers the instructions of a kernel that have become known. */
static bool number_insts(struct bundle *b, uint32_t member, struct sim_err *err)
{
    struct bundle_member *m = &b->members[member];
    TRY(grow(b, m, m->kernel->inst_count, err));
    for (; m->number_count < m->kernel->inst_count; m->number_count++) {
        uint32_t i = b->kernel.inst_count++;
        b->insts[i] = m->kernel->insts[m->number_count];
        b->origins[i] = (struct bundle_inst){member, m->number_count};
        m->numbers[m->number_count] = i;
    }
    return true;
}

static void close_cta(struct cta_stream *cta)
{
    struct bundle_cta *c = cta->state;
    c->inner->kernel->ops->close_cta(c->inner);
    free(c->chunks);
    free(c->stream.warps);
    free(c);
}

static bool refill(struct warp_stream *w, struct sim_err *err)
{
    const struct bundle_cta *c = w->cta->state;
    const struct bundle *b = w->cta->kernel->state;
    const uint32_t *numbers = b->members[c->member].numbers;
    struct warp_stream *from = &c->inner->warps[w->warp];
    struct dyn_inst *to = &c->chunks[w->warp * CHUNK];
    if (from->next == from->end && !from->finished)
        TRY(c->inner->kernel->ops->refill(from, err));
    uint32_t n = (uint32_t)min_u64(CHUNK, (uint64_t)(from->end - from->next));
    for (uint32_t i = 0; i < n; i++) {
        to[i] = *from->next++;
        to[i].inst = numbers[to[i].inst];
    }
    w->next = to;
    w->end = to + n;
    w->finished = from->next == from->end && from->finished;
    return true;
}

static bool wrap(struct bundle *b, struct cta_stream *inner, struct cta_stream **out,
                 struct sim_err *err)
{
    struct bundle_cta *c = calloc(1, sizeof *c);
    struct warp_stream *warps = calloc(inner->warp_count, sizeof *warps);
    struct dyn_inst *chunks = calloc((size_t)inner->warp_count * CHUNK, sizeof *chunks);
    if (!c || !warps || !chunks) {
        inner->kernel->ops->close_cta(inner);
        free(c);
        free(warps);
        free(chunks);
        return err_memory(err, "opening a CTA");
    }
    *c = (struct bundle_cta){.stream = *inner, .inner = inner, .member = b->current};
    c->chunks = chunks;
    c->stream.kernel = &b->kernel;
    c->stream.warps = warps;
    c->stream.state = c;
    for (uint32_t i = 0; i < inner->warp_count; i++) {
        const struct warp_stream *from = &inner->warps[i];
        warps[i] = (struct warp_stream){
            .cta = &c->stream, .warp = i, .finished = from->finished && from->next == from->end};
    }
    *out = &c->stream;
    return true;
}

static bool open_cta(struct kernel *k, struct cta_stream **out, struct sim_err *err)
{
    struct bundle *b = k->state;
    *out = NULL;
    for (; b->current < b->count; b->current++) {
        struct bundle_member *m = &b->members[b->current];
        struct cta_stream *inner = NULL;
        if (b->max_ctas == 0 || m->opened < b->max_ctas)
            TRY(m->kernel->ops->open_cta(m->kernel, &inner, err));
        if (!inner)
            continue;
        m->opened++;
        TRY(wrap(b, inner, out, err));
        return number_insts(b, b->current, err);
    }
    return true;
}

static const struct kernel_ops ops = {
    .open_cta = open_cta, .refill = refill, .close_cta = close_cta};

/* What went wrong may be another kernel's than the first one's. */
static bool name_bundle(struct bundle *b, struct sim_err *err)
{
    struct buf name = {0};
    buf_printf(&name, "%s (with %u more)", b->kernel.name, b->count - 1);
    b->name = buf_take(&name);
    b->kernel.name = b->name;
    return b->name || err_memory(err, "running kernels together");
}

bool bundle_create(struct bundle **out, struct kernel *const *kernels, uint32_t count,
                   uint64_t max_ctas, struct sim_err *err)
{
    struct bundle *b = calloc(1, sizeof *b);
    *out = NULL;
    if (!b)
        return err_memory(err, "running kernels together");
    b->count = count;
    b->max_ctas = max_ctas;
    b->kernel = *kernels[0];
    b->kernel.ops = &ops;
    b->kernel.state = b;
    b->kernel.insts = NULL;
    b->kernel.inst_count = 0;
    b->kernel.active_lanes = NULL;
    b->kernel.cta_count = 0;
    b->kernel.opens_beside = false;
    b->kernel.cluster_ctas = 0;
    bool ok = name_bundle(b, err);
    for (uint32_t i = 0; ok && i < count; i++) {
        uint64_t ctas = kernels[i]->cta_count;
        b->members[i].kernel = kernels[i];
        b->kernel.has_ctrl = b->kernel.has_ctrl && kernels[i]->has_ctrl;
        b->kernel.cta_count += max_ctas && max_ctas < ctas ? max_ctas : ctas;
        ok = number_insts(b, i, err);
    }
    if (ok)
        *out = b;
    else
        bundle_free(b);
    return ok;
}

void bundle_free(struct bundle *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; i < b->count; i++) {
        free(b->members[i].numbers);
        free(b->members[i].spans);
    }
    free(b->name);
    free(b->insts);
    free(b->origins);
    free(b);
}

struct bundle_inst bundle_origin(const struct bundle *b, uint32_t inst)
{
    return b->origins[inst];
}

uint32_t bundle_member_of(const struct cta_stream *cta)
{
    const struct bundle_cta *c = cta->state;
    return c->member;
}

struct cta_stream *bundle_inner(const struct cta_stream *cta)
{
    const struct bundle_cta *c = cta->state;
    return c->inner;
}

bool bundle_add_span(struct bundle_member *m, uint32_t sm, cycle_t start, cycle_t end,
                     struct sim_err *err)
{
    if (m->span_count == m->span_cap) {
        uint32_t cap = m->span_cap ? m->span_cap * 2 : 256;
        struct bundle_span *p = realloc(m->spans, cap * sizeof *p);
        if (!p)
            return err_memory(err, "counting active cycles");
        m->spans = p;
        m->span_cap = cap;
    }
    m->spans[m->span_count++] = (struct bundle_span){sm, start, end};
    return true;
}

static int compare_spans(const void *a, const void *b)
{
    const struct bundle_span *x = a, *y = b;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

void bundle_active(struct bundle_member *m, struct kernel_result *r)
{
    if (m->span_count > 0)
        qsort(m->spans, m->span_count, sizeof *m->spans, compare_spans);
    for (uint32_t i = 0; i < m->span_count;) {
        uint32_t sm = m->spans[i].sm;
        cycle_t until = 0;
        uint64_t active = 0;
        for (; i < m->span_count && m->spans[i].sm == sm; i++) {
            cycle_t from = max_u64(m->spans[i].start, until);
            until = max_u64(until, m->spans[i].end);
            active += until > from ? until - from : 0;
        }
        r->sms_used++;
        r->sm_active_cycles_sum += active;
        r->sm_active_cycles_max = max_u64(r->sm_active_cycles_max, active);
    }
}

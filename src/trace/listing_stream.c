/* The dynamic stream of a listing, made lazily: a `.loop` costs a counter, never memory. */
#include <stdlib.h>

#include "trace/listing_code.h"

#define CHUNK 64u

/* A `.loop` that a warp is in. */
struct loop_frame {
    uint64_t left;    /* iterations after this one */
    uint64_t emitted; /* the warp's instructions when this iteration began */
};

struct warp_state {
    uint32_t op; /* next operation */
    uint32_t depth;
    struct loop_frame frames[LISTING_MAX_DEPTH];
    /* Progress that an endless cycle cannot make: steps of loops by nesting depth (1..), and
     * branches whose @taken count went down. */
    uint64_t steps[LISTING_MAX_DEPTH + 1];
    uint64_t counted;
    uint64_t emitted;
    uint64_t *slots; /* a branch: times taken, or 1 + progress when it was last taken */
    struct dyn_inst *chunk;
};

struct listing_cta {
    struct cta_stream stream;
    struct warp_state *warps;
    struct dyn_inst *chunks;
    uint64_t *slots;
};

static void set_address(struct dyn_inst *d, const struct listing_inst *li,
                        const struct warp_stream *w)
{
    const struct listing_note *n = &li->note;
    if (d->mask == 0 || n->addr_kind == LISTING_ADDR_NONE)
        return;
    if (n->addr_kind == LISTING_ADDR_LIST) {
        d->addr_mode = ADDR_LIST;
        d->addr.list = li->lists[w->warp];
        return;
    }
    d->addr_mode = ADDR_STRIDE;
    d->stride = (int32_t)n->stride;
    d->addr.base = n->base + (uint64_t)n->warp * w->warp + (uint64_t)n->cta * w->cta->linear_id;
}

/* Whether the branch is taken now. An always taken branch that comes again without any progress in
 * the loops around its target will come again forever: an error. */
static bool take_branch(struct warp_state *s, const struct listing *l,
                        const struct listing_inst *li, bool *taken, struct sim_err *err)
{
    uint64_t *slot = &s->slots[li->slot];
    *taken = true;
    if (li->note.taken != UINT64_MAX) {
        *taken = *slot < li->note.taken;
        *slot += *taken;
        s->counted += *taken;
        return true;
    }
    uint32_t around = l->blocks[li->target_block].loop_depth;
    uint64_t progress = 1 + s->counted;
    for (uint32_t d = 1; d <= around; d++)
        progress += s->steps[d];
    if (*slot == progress)
        return err_set(err, ERR_INPUT, l->kernel.file, li->line, 0,
                       "this branch is always taken and closes a loop without end: give \"@taken "
                       "K\" or use .loop");
    *slot = progress;
    return true;
}

static void end_loop(struct warp_state *s, const struct listing_op *op)
{
    struct loop_frame *f = &s->frames[s->depth - 1];
    s->steps[s->depth]++;
    if (f->left == 0 || f->emitted == s->emitted) {
        s->depth--;
        s->op++;
        return;
    }
    f->left--;
    f->emitted = s->emitted;
    s->op = op->index + 1;
}

/* Runs a `.loop`, `.warp` or end operation. */
static void run_block_op(struct warp_state *s, const struct listing_op *op, uint32_t warp)
{
    switch (op->kind) {
    case LISTING_LOOP:
        if (op->count == 0) {
            s->op = op->index + 1;
            return;
        }
        s->frames[s->depth++] = (struct loop_frame){op->count - 1, s->emitted};
        break;
    case LISTING_END_LOOP:
        end_loop(s, op);
        return;
    case LISTING_WARP:
        if ((op->warps & 1u << warp) == 0) {
            s->op = op->index + 1;
            return;
        }
        break;
    case LISTING_END_WARP:
    case LISTING_INST:
        break;
    }
    s->op++;
}

/* Appends the instruction at the warp's position to its chunk and moves on. */
static bool emit(struct warp_stream *w, const struct listing *l, uint32_t index, uint32_t at,
                 struct sim_err *err)
{
    struct warp_state *s = w->state;
    const struct listing_inst *li = &l->insts[index];
    struct dyn_inst *d = &s->chunk[at];
    *d = (struct dyn_inst){.inst = index, .mask = listing_inst_mask(l, li, w->warp)};
    s->emitted++;
    if (!listing_is_control(li->inst)) {
        set_address(d, li, w);
        s->op++;
        return true;
    }
    bool taken = listing_taken(li) > 0;
    if (li->slot != LISTING_NO_INDEX)
        TRY(take_branch(s, l, li, &taken, err));
    if (!taken && (li->inst->guard != 7 || li->inst->guard_negate))
        d->mask = 0;
    if (!taken)
        s->op++;
    else if ((li->inst->flags & INST_EXIT) != 0)
        w->finished = true;
    else {
        s->op = li->target;
        s->depth = l->blocks[li->target_block].loop_depth;
    }
    return true;
}

static bool listing_refill(struct warp_stream *w, struct sim_err *err)
{
    const struct listing *l = w->cta->kernel->state;
    struct warp_state *s = w->state;
    uint32_t n = 0;
    if ((l->active_warps & 1u << w->warp) == 0 && !w->finished) {
        s->chunk[n++] = (struct dyn_inst){.inst = l->exit_inst, .mask = listing_lanes(l, w->warp)};
        w->finished = true;
    }
    while (n < CHUNK && !w->finished) {
        const struct listing_op *op = &l->ops[s->op];
        if (op->kind != LISTING_INST)
            run_block_op(s, op, w->warp);
        else
            TRY(emit(w, l, op->index, n++, err));
    }
    w->next = s->chunk;
    w->end = s->chunk + n;
    return true;
}

static void listing_close_cta(struct cta_stream *cta)
{
    struct listing_cta *c = cta->state;
    free(c->stream.warps);
    free(c->warps);
    free(c->chunks);
    free(c->slots);
    free(c);
}

static bool allocate_cta(struct listing_cta *c, const struct listing *l)
{
    uint32_t n = l->warp_count;
    c->stream.warps = calloc(n, sizeof *c->stream.warps);
    c->warps = calloc(n, sizeof *c->warps);
    c->chunks = calloc((size_t)n * CHUNK, sizeof *c->chunks);
    c->slots = calloc((size_t)n * l->slot_count + 1, sizeof *c->slots);
    return c->stream.warps && c->warps && c->chunks && c->slots;
}

static bool listing_open_cta(struct kernel *k, struct cta_stream **out, struct sim_err *err)
{
    struct listing *l = k->state;
    *out = NULL;
    if (l->next_cta == k->cta_count)
        return true;
    struct listing_cta *c = calloc(1, sizeof *c);
    if (!c)
        return err_memory(err, "opening a CTA of a listing");
    c->stream.state = c;
    if (!allocate_cta(c, l)) {
        listing_close_cta(&c->stream);
        return err_memory(err, "opening a CTA of a listing");
    }
    uint64_t id = l->next_cta++;
    c->stream.kernel = k;
    c->stream.linear_id = id;
    c->stream.id = (struct dim3){(uint32_t)(id % k->grid.x), (uint32_t)(id / k->grid.x % k->grid.y),
                                 (uint32_t)(id / k->grid.x / k->grid.y)};
    c->stream.warp_count = l->warp_count;
    for (uint32_t w = 0; w < l->warp_count; w++) {
        c->warps[w].slots = c->slots + (size_t)w * l->slot_count;
        c->warps[w].chunk = c->chunks + (size_t)w * CHUNK;
        c->stream.warps[w] =
            (struct warp_stream){.cta = &c->stream, .warp = w, .state = &c->warps[w]};
        c->stream.warps[w].finished =
            (l->active_warps & 1u << w) == 0 && l->exit_inst == LISTING_NO_INDEX;
    }
    *out = &c->stream;
    return true;
}

const struct kernel_ops listing_ops = {
    .open_cta = listing_open_cta, .refill = listing_refill, .close_cta = listing_close_cta};

/* Where the branches of a listing go, and whether every warp ends. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/listing_code.h"
#include "trace/span.h"

/* Counters a warp may need; far more than any listing has reason for. */
#define MAX_SLOTS 4096u

#define INST_ERROR(l, li, err, ...)                                                                \
    err_set(err, ERR_INPUT, (l)->kernel.file, (li)->line, 0, __VA_ARGS__)

uint32_t listing_lanes(const struct listing *l, uint32_t w)
{
    return w + 1 == l->warp_count ? l->last_lanes : UINT32_MAX;
}

static bool is_guarded(const struct inst *in)
{
    return in->guard != 7 || in->guard_negate;
}

uint32_t listing_inst_mask(const struct listing *l, const struct listing_inst *li, uint32_t w)
{
    uint32_t lanes = listing_lanes(l, w);
    for (const struct listing_mask *m = li->note.masks; m; m = m->next)
        if ((m->warps & 1u << w) != 0)
            return lanes & m->lanes;
    return lanes;
}

uint64_t listing_taken(const struct listing_inst *li)
{
    if (li->note.has_taken)
        return li->note.taken;
    return (li->inst->flags & INST_EXIT) != 0 && !is_guarded(li->inst) ? UINT64_MAX : 0;
}

static int compare_labels(const void *a, const void *b)
{
    const struct listing_label *x = a;
    const struct listing_label *y = b;
    int by_name = strcmp(x->name, y->name);
    return by_name != 0 ? by_name : (x->line > y->line) - (x->line < y->line);
}

static bool sort_labels(struct listing *l, struct sim_err *err)
{
    if (l->label_count == 0)
        return true;
    qsort(l->labels, l->label_count, sizeof *l->labels, compare_labels);
    for (uint32_t i = 1; i < l->label_count; i++)
        if (strcmp(l->labels[i - 1].name, l->labels[i].name) == 0)
            return err_set(err, ERR_INPUT, l->kernel.file, l->labels[i].line, 0,
                           "label \"%s\" is already on line %u", l->labels[i].name,
                           l->labels[i - 1].line);
    return true;
}

static const struct listing_label *find_label(const struct listing *l, struct span name)
{
    uint32_t low = 0, high = l->label_count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const struct listing_label *label = &l->labels[mid];
        int c = strncmp(label->name, name.p, name.n);
        if (c == 0 && label->name[name.n] == '\0')
            return label;
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

static const struct listing_inst *find_pc(const struct listing *l, uint64_t pc)
{
    uint32_t low = 0, high = l->inst_count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (l->insts[mid].inst->pc == pc)
            return &l->insts[mid];
        if (l->insts[mid].inst->pc < pc)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* The last operand of a branch: "`(.L_x_0)" without its marks, LOOP, 0x100. */
static struct span target_text(const char *text)
{
    struct span s = span_trim(span_of(text));
    while (s.n > 0 && strchr(" ;)", s.p[s.n - 1]))
        s.n--;
    size_t at = s.n;
    while (at > 0 && !strchr(" ,`(", s.p[at - 1]))
        at--;
    return span_skip(s, at);
}

/* True when block `outer` is `inner` or around it. */
static bool encloses(const struct listing *l, uint32_t outer, uint32_t inner)
{
    while (l->blocks[inner].depth > l->blocks[outer].depth)
        inner = l->blocks[inner].parent;
    return inner == outer;
}

static bool resolve_branch(struct listing *l, struct listing_inst *li, struct sim_err *err)
{
    struct span name = target_text(li->inst->text);
    const struct listing_label *label = find_label(l, name);
    uint64_t pc;
    if (label) {
        li->target = label->op;
        li->target_block = label->block;
    } else if (span_u64(name, &pc) && find_pc(l, pc)) {
        li->target = find_pc(l, pc)->op;
        li->target_block = l->ops[li->target].block;
    } else {
        return INST_ERROR(l, li, err,
                          "@taken needs a branch to a label or an offset of this listing, found "
                          "\"" SPAN_FMT "\"",
                          SPAN_ARG(name));
    }
    if (!encloses(l, li->target_block, l->ops[li->op].block))
        return INST_ERROR(l, li, err, "a branch into a .loop or .warp section, to \"" SPAN_FMT "\"",
                          SPAN_ARG(name));
    return true;
}

static bool resolve_control(struct listing *l, struct listing_inst *li, struct sim_err *err)
{
    uint64_t taken = listing_taken(li);
    bool is_exit = (li->inst->flags & INST_EXIT) != 0;
    if (is_exit && taken == UINT64_MAX && !is_guarded(li->inst) && l->exit_inst == LISTING_NO_INDEX)
        l->exit_inst = l->ops[li->op].index;
    if (is_exit || taken == 0)
        return true;
    if (l->slot_count == MAX_SLOTS)
        return INST_ERROR(l, li, err, "more than %u branches with @taken", MAX_SLOTS);
    li->slot = l->slot_count++;
    return resolve_branch(l, li, err);
}

/* The addresses of `li` for every warp, with 0 in the lanes that do not run. */
static bool spread_lists(struct listing *l, struct listing_inst *li, struct sim_err *err)
{
    uint32_t lanes = popcount32(listing_lanes(l, 0));
    if (li->note.list_count < lanes)
        return INST_ERROR(l, li, err, "@addrs gives %u addresses for %u lanes", li->note.list_count,
                          lanes);
    li->lists = arena_array(&l->arena, l->warp_count, sizeof *li->lists);
    if (!li->lists)
        return err_memory(err, "reading a listing");
    for (uint32_t w = 0; w < l->warp_count; w++) {
        uint32_t mask = listing_inst_mask(l, li, w);
        if (w > 0 && mask == listing_inst_mask(l, li, w - 1)) {
            li->lists[w] = li->lists[w - 1];
            continue;
        }
        uint64_t *copy = arena_array(&l->arena, WARP_LANES, sizeof *copy);
        if (!copy)
            return err_memory(err, "reading a listing");
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            copy[lane] = (mask & 1u << lane) != 0 ? li->note.list[lane] : 0;
        li->lists[w] = copy;
    }
    return true;
}

/* Which operations a warp can come to. */
struct reach {
    const struct listing *l;
    uint8_t *seen;   /* [op_count] */
    uint32_t *stack; /* [op_count] */
    uint32_t depth;
    uint32_t fall; /* an operation from which the warp runs past the end, or LISTING_NO_INDEX */
};

static void reach_op(struct reach *r, uint32_t from, uint32_t to)
{
    if (to == r->l->op_count) {
        r->fall = from;
    } else if (!r->seen[to]) {
        r->seen[to] = 1;
        r->stack[r->depth++] = to;
    }
}

static void reach_next(struct reach *r, uint32_t i, uint32_t warp)
{
    const struct listing *l = r->l;
    const struct listing_op *op = &l->ops[i];
    const struct listing_inst *li = &l->insts[op->kind == LISTING_INST ? op->index : 0];
    bool inside = true;
    switch (op->kind) {
    case LISTING_INST:
        if (!listing_is_control(li->inst)) {
            reach_op(r, i, i + 1);
            return;
        }
        if (li->target != LISTING_NO_INDEX)
            reach_op(r, i, li->target);
        if (listing_taken(li) == 0 ||
            (li->target != LISTING_NO_INDEX && li->note.taken != UINT64_MAX))
            reach_op(r, i, i + 1);
        return;
    case LISTING_LOOP:
        inside = op->count > 0;
        break;
    case LISTING_WARP:
        inside = (op->warps & 1u << warp) != 0;
        break;
    case LISTING_END_LOOP:
    case LISTING_END_WARP:
        break;
    }
    reach_op(r, i, inside ? i + 1 : op->index + 1);
}

static bool check_warp(struct reach *r, uint32_t warp, struct diag *diag, struct sim_err *err)
{
    const struct listing *l = r->l;
    memset(r->seen, 0, l->op_count);
    r->fall = LISTING_NO_INDEX;
    reach_op(r, 0, 0);
    while (r->depth > 0)
        reach_next(r, r->stack[--r->depth], warp);
    if (r->fall != LISTING_NO_INDEX)
        return err_set(err, ERR_INPUT, l->kernel.file, l->ops[r->fall].line, 0,
                       "the code ends here without an EXIT for warp %u", warp);
    for (uint32_t i = 0; i < l->inst_count; i++) {
        const struct listing_inst *li = &l->insts[i];
        if (r->seen[li->op] && (li->inst->flags & INST_EXIT) == 0 && !is_guarded(li->inst) &&
            strncmp(li->inst->opcode, "BRA", 3) == 0 && !li->note.has_taken)
            TRY(diag_warn(diag, err, l->kernel.file, li->line,
                          "a branch without a guard is not taken, for it has no @taken"));
    }
    return true;
}

static bool check_ends(struct listing *l, struct diag *diag, struct sim_err *err)
{
    bool per_warp = false;
    for (uint32_t i = 0; i < l->op_count; i++)
        if (l->ops[i].kind == LISTING_WARP) {
            per_warp = true;
            if (l->ops[i].warps >> (l->warp_count - 1) > 1)
                return err_set(err, ERR_INPUT, l->kernel.file, l->ops[i].line, 0,
                               ".warp names a warp that is not there: the block has %u",
                               l->warp_count);
        }
    struct reach r = {.l = l, .seen = malloc(l->op_count), .stack = NULL};
    r.stack = malloc(l->op_count * sizeof *r.stack);
    bool ok = r.seen && r.stack ? true : err_memory(err, "reading a listing");
    bool first = true;
    for (uint32_t w = 0; ok && w < l->warp_count; w++) {
        if ((l->active_warps & 1u << w) == 0 || (!first && !per_warp))
            continue;
        ok = check_warp(&r, w, diag, err);
        first = false;
    }
    free(r.seen);
    free(r.stack);
    return ok;
}

bool listing_resolve(struct listing *l, struct diag *diag, struct sim_err *err)
{
    l->exit_inst = LISTING_NO_INDEX;
    TRY(sort_labels(l, err));
    for (uint32_t i = 0; i < l->inst_count; i++) {
        struct listing_inst *li = &l->insts[i];
        if (listing_is_control(li->inst))
            TRY(resolve_control(l, li, err));
        if (li->note.addr_kind == LISTING_ADDR_LIST)
            TRY(spread_lists(l, li, err));
    }
    return check_ends(l, diag, err);
}

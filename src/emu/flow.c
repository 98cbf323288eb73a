#include "emu/flow.h"

#include <string.h>

#include "base/bits.h"

void emu_flow_start(struct emu_flow *f, uint32_t lanes)
{
    f->active = lanes;
    f->pc = 0;
    f->yields = false;
    f->pending = 0;
    f->count = 0;
    memset(f->members, 0, sizeof f->members);
}

static void push(struct emu_flow *f, struct emu_group g)
{
    f->groups[f->count++] = g;
}

static void remove_group(struct emu_flow *f, uint32_t i)
{
    f->count--;
    memmove(&f->groups[i], &f->groups[i + 1], (f->count - i) * sizeof f->groups[0]);
}

bool emu_flow_pick(struct emu_flow *f)
{
    if (f->active)
        return true;
    for (uint32_t i = f->count; i-- > 0;) {
        struct emu_group g = f->groups[i];
        if (g.wait != EMU_WAIT_NONE)
            continue;
        remove_group(f, i);
        f->active = g.mask;
        f->pc = g.pc;
        return true;
    }
    return false;
}

void emu_flow_rotate(struct emu_flow *f)
{
    if (!f->active)
        return;
    memmove(&f->groups[1], &f->groups[0], f->count * sizeof f->groups[0]);
    f->groups[0] = (struct emu_group){.mask = f->active, .pc = f->pc};
    f->count++;
    f->active = 0;
}

/* Before another group is set aside, the last one is put with a group that stands at its pc. */
static void merge_last(struct emu_flow *f)
{
    if (f->count < 2 || f->groups[f->count - 1].wait != EMU_WAIT_NONE)
        return;
    struct emu_group *last = &f->groups[f->count - 1];
    for (uint32_t i = 0; i + 1 < f->count; i++) {
        struct emu_group *g = &f->groups[i];
        if (g->wait == EMU_WAIT_NONE && g->pc == last->pc) {
            g->mask |= last->mask;
            f->count--;
            return;
        }
    }
}

void emu_flow_split(struct emu_flow *f, const struct emu_group *to, uint32_t n)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < n; i++)
        if (popcount32(to[i].mask) < popcount32(to[first].mask))
            first = i;
    for (uint32_t i = 0; i < n; i++) {
        if (i == first)
            continue;
        merge_last(f);
        push(f, to[i]);
    }
    f->active = to[first].mask;
    f->pc = to[first].pc;
}

void emu_flow_jump(struct emu_flow *f, uint32_t mask, uint32_t target)
{
    const struct emu_group to[2] = {{.mask = f->active & ~mask, .pc = f->pc},
                                    {.mask = mask, .pc = target}};
    if (mask == f->active)
        f->pc = target;
    else
        emu_flow_split(f, to, 2);
}

/* Takes lanes of `mask` out of the running group, to wait. */
static void suspend(struct emu_flow *f, struct emu_group g)
{
    f->active &= ~g.mask;
    g.pc = f->pc;
    push(f, g);
}

/* Joins groups that were let go together and stand at one pc. The last becomes the next to run. */
static void join(struct emu_flow *f, const struct emu_group *freed, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < i && freed[k].pc != freed[i].pc)
            k++;
        if (k < i)
            continue; /* taken with group k */
        struct emu_group g = {.mask = 0, .pc = freed[i].pc};
        for (uint32_t j = i; j < n; j++)
            if (freed[j].pc == g.pc)
                g.mask |= freed[j].mask;
        push(f, g);
    }
}

/* Frees the groups that wait as `like` does and lie in `lanes`. */
static void free_groups(struct emu_flow *f, struct emu_group like, uint32_t lanes)
{
    struct emu_group freed[WARP_LANES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->count;) {
        const struct emu_group *g = &f->groups[i];
        bool same = g->wait == like.wait && g->id == like.id && g->want == like.want;
        if (!same || (g->mask & ~lanes)) {
            i++;
            continue;
        }
        freed[n++] = *g;
        remove_group(f, i);
    }
    join(f, freed, n);
}

/* Lanes that group g waits for. */
static uint32_t wanted(const struct emu_warp *w, const struct emu_group *g)
{
    uint32_t lanes =
        g->wait == EMU_WAIT_BSYNC ? w->flow->members[g->id][lowest_bit(g->mask)] : g->want;
    return (lanes | g->mask) & w->exists & ~w->exited;
}

/* Lanes that wait as g does. */
static uint32_t waiting_like(const struct emu_flow *f, const struct emu_group *g)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct emu_group *o = &f->groups[i];
        if (o->wait == g->wait && o->id == g->id && o->want == g->want)
            lanes |= o->mask;
    }
    return lanes;
}

/* Frees every set of lanes that is complete. */
static void wake(struct emu_warp *w)
{
    struct emu_flow *f = w->flow;
    for (uint32_t i = 0; i < f->count;) {
        struct emu_group g = f->groups[i];
        bool waits = g.wait == EMU_WAIT_BSYNC || g.wait == EMU_WAIT_WARPSYNC;
        uint32_t lanes = waits ? wanted(w, &g) : 0;
        if (!waits || (lanes & ~waiting_like(f, &g))) {
            i++;
            continue;
        }
        free_groups(f, g, lanes);
        i = 0;
    }
}

void emu_flow_exit(struct emu_warp *w, uint32_t mask)
{
    w->exited |= mask;
    w->flow->active &= ~mask;
    if (w->flow->count > 0)
        wake(w);
}

void emu_flow_break(struct emu_warp *w, uint32_t b, uint32_t mask)
{
    uint32_t *members = w->flow->members[b];
    uint32_t rest = members[lowest_bit(mask)];
    for (uint32_t lanes = rest; lanes; lanes &= lanes - 1)
        members[lowest_bit(lanes)] &= ~mask;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
        members[lowest_bit(lanes)] = 0;
    wake(w);
}

void emu_flow_set_members(struct emu_flow *f, uint32_t b, uint32_t mask)
{
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
        f->members[b][lowest_bit(lanes)] = mask;
}

void emu_flow_bsync(struct emu_warp *w, uint32_t b, uint32_t mask)
{
    struct emu_flow *f = w->flow;
    struct emu_group g = {.mask = mask, .wait = EMU_WAIT_BSYNC, .id = (uint8_t)b};
    if (!(wanted(w, &g) & ~mask))
        return;
    suspend(f, g);
    wake(w);
}

void emu_flow_warpsync(struct emu_warp *w, uint32_t want, uint32_t mask)
{
    struct emu_flow *f = w->flow;
    struct emu_group g = {.mask = mask, .wait = EMU_WAIT_WARPSYNC, .want = want};
    if (!(wanted(w, &g) & ~mask))
        return;
    suspend(f, g);
    wake(w);
}

void emu_flow_block(struct emu_flow *f, uint32_t barrier, uint32_t mask)
{
    suspend(f, (struct emu_group){.mask = mask, .wait = EMU_WAIT_BARRIER, .id = (uint8_t)barrier});
}

void emu_flow_release(struct emu_flow *f, uint32_t barrier)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->groups[i].wait == EMU_WAIT_BARRIER && f->groups[i].id == barrier)
            f->groups[i].wait = EMU_WAIT_NONE;
}

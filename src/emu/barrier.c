#include "emu/barrier.h"

#include <string.h>

#include "base/bits.h"
#include "emu/flow.h"

void emu_barriers_reset(struct emu_barriers *b)
{
    memset(b->slot, 0, sizeof b->slot);
}

static uint32_t living(const struct emu_warp *w)
{
    return w->exists & ~w->exited;
}

void emu_barrier_progress(const struct emu_barriers *b, uint32_t id, uint32_t *arrived,
                          uint32_t *needed)
{
    const struct emu_barrier *s = &b->slot[id];
    *arrived = *needed = 0;
    for (uint32_t i = 0; i < b->cta->warp_count; i++) {
        uint32_t lanes = living(b->warps[i]);
        bool whole = s->arrived[i] && !(lanes & ~s->arrived[i]);
        *arrived += whole ? WARP_LANES : popcount32(s->arrived[i]);
        *needed += lanes || s->arrived[i] ? WARP_LANES : 0;
    }
    if (s->expected)
        *needed = s->expected;
}

static bool is_complete(const struct emu_barriers *b, uint32_t id)
{
    uint32_t arrived, needed;
    emu_barrier_progress(b, id, &arrived, &needed);
    return arrived >= needed;
}

static uint32_t reduced(const struct emu_barrier *s)
{
    switch (s->reduction) {
    case EMU_REDUCE_POPC:
        return s->true_count;
    case EMU_REDUCE_AND:
        return s->all ? ~0u : 0;
    default:
        return s->any ? ~0u : 0;
    }
}

static void release(struct emu_barriers *b, uint32_t id)
{
    struct emu_barrier *s = &b->slot[id];
    for (uint32_t i = 0; i < b->cta->warp_count; i++) {
        if (s->reduction != EMU_REDUCE_NONE && s->arrived[i])
            b->cta->barrier_result[i] = reduced(s);
        emu_flow_release(b->warps[i]->flow, id);
    }
    *s = (struct emu_barrier){0};
    b->cta->epoch++;
}

void emu_barrier_arrive(struct emu_warp *w, const struct emu_arrival *a)
{
    struct emu_barriers *b = w->flow->barriers;
    struct emu_barrier *s = &b->slot[a->id];
    if (!s->open)
        *s = (struct emu_barrier){.open = true, .all = true};
    s->expected = a->expected;
    s->arrived[w->index] |= a->mask;
    if (a->reduction != EMU_REDUCE_NONE) {
        s->reduction = a->reduction;
        s->true_count += popcount32(a->value & a->mask);
        s->all &= !(a->mask & ~a->value);
        s->any |= (a->mask & a->value) != 0;
    }
    if (a->waits)
        emu_flow_block(w->flow, a->id, a->mask);
    if (is_complete(b, a->id))
        release(b, a->id);
}

void emu_barriers_after_exit(struct emu_barriers *b)
{
    for (uint32_t id = 0; id < EMU_BARRIERS; id++)
        if (b->slot[id].open && is_complete(b, id))
            release(b, id);
}

#include "unit/scoreboard.h"

static bool test(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static void set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= 1ull << (i % 64);
}

static void clear(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~(1ull << (i % 64));
}

static enum scoreboard_block pending_kind(const struct scoreboard *s, uint32_t id)
{
    if (!test(s->pending, id))
        return SCOREBOARD_FREE;
    if (test(s->pending_long, id))
        return SCOREBOARD_LONG;
    return test(s->pending_fixed, id) ? SCOREBOARD_FIXED : SCOREBOARD_SHORT;
}

enum scoreboard_block scoreboard_check(const struct scoreboard *s, const struct exec_inst *e,
                                       uint32_t max_readers)
{
    enum scoreboard_block worst = SCOREBOARD_FREE;
    for (uint32_t i = 0; i < e->source_count; i++) {
        enum scoreboard_block b = pending_kind(s, e->sources[i]);
        if (b > worst)
            worst = b;
        if (e->queue != QUEUE_none && max_readers && s->readers[e->sources[i]] >= max_readers &&
            worst < SCOREBOARD_SHORT)
            worst = SCOREBOARD_SHORT;
    }
    for (uint32_t i = 0; i < e->dest_count; i++) {
        enum scoreboard_block b = pending_kind(s, e->dests[i]);
        if (b > worst)
            worst = b;
        if (s->readers[e->dests[i]] > 0 && worst < SCOREBOARD_SHORT)
            worst = SCOREBOARD_SHORT;
    }
    return worst;
}

void scoreboard_issue(struct scoreboard *s, const struct exec_inst *e)
{
    for (uint32_t i = 0; i < e->dest_count; i++) {
        set(s->pending, e->dests[i]);
        if (e->queue == QUEUE_none)
            set(s->pending_fixed, e->dests[i]);
        else if (e->flags & EXEC_LONG)
            set(s->pending_long, e->dests[i]);
    }
    if (e->queue == QUEUE_none)
        return;
    for (uint32_t i = 0; i < e->queued_source_count; i++)
        s->readers[e->sources[i]]++;
}

void scoreboard_write_done(struct scoreboard *s, const struct exec_inst *e)
{
    for (uint32_t i = 0; i < e->dest_count; i++) {
        clear(s->pending, e->dests[i]);
        clear(s->pending_long, e->dests[i]);
        clear(s->pending_fixed, e->dests[i]);
    }
}

void scoreboard_read_done(struct scoreboard *s, const struct exec_inst *e)
{
    if (e->queue == QUEUE_none)
        return;
    for (uint32_t i = 0; i < e->queued_source_count; i++)
        s->readers[e->sources[i]]--;
}

#include "mem/l2.h"

bool l2_slice_init(struct l2_slice *s, struct arena *arena, uint32_t sets, uint32_t ways)
{
    *s = (struct l2_slice){.sets = divider_make(sets), .ways = ways};
    size_t n = (size_t)sets * ways;
    s->keys = arena_array(arena, n, sizeof *s->keys);
    s->lines = arena_array(arena, n, sizeof *s->lines);
    s->used = arena_array(arena, n, sizeof *s->used);
    return s->keys && s->lines && s->used;
}

uint32_t l2_find(struct l2_slice *s, uint64_t line, uint64_t index)
{
    uint64_t block;
    uint32_t set = spread(&s->sets, index, &block);
    uint32_t first = set * s->ways;
    for (uint32_t e = first; e < first + s->ways; e++) {
        if (s->keys[e] == line + 1) {
            s->used[e] = ++s->uses;
            return e;
        }
    }
    return L2_NONE;
}

uint32_t l2_insert(struct l2_slice *s, uint64_t line, uint64_t index, struct l2_victim *victim)
{
    uint64_t block;
    uint32_t set = spread(&s->sets, index, &block);
    uint32_t e = set * s->ways;
    for (uint32_t other = e + 1; other < (set + 1) * s->ways; other++) {
        if (s->used[other] < s->used[e])
            e = other;
    }
    s->used[e] = ++s->uses;
    *victim = (struct l2_victim){.line = s->keys[e] - 1, .dirty = s->lines[e].dirty};
    s->keys[e] = line + 1;
    s->lines[e] = (struct l2_line){0};
    return e;
}

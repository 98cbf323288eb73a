#include "mem/l2.h"

bool l2_slice_init(struct l2_slice *s, struct arena *arena, uint32_t sets, uint32_t ways)
{
    *s = (struct l2_slice){.sets = divider_make(sets), .ways = ways};
    s->words = arena_array(arena, (size_t)sets * ways, L2_WAY_WORDS * sizeof *s->words);
    return s->words != NULL;
}

/* The keys of the set of a line; uses and lines follow. */
static uint64_t *set_of(const struct l2_slice *s, uint64_t index)
{
    uint64_t block;
    return s->words + (size_t)spread(&s->sets, index, &block) * s->ways * L2_WAY_WORDS;
}

static struct l2_line *line_at(const struct l2_slice *s, uint64_t *keys, uint32_t way)
{
    return (struct l2_line *)(keys + 2 * (size_t)s->ways) + way;
}

struct l2_line *l2_find(struct l2_slice *s, uint64_t line, uint64_t index)
{
    uint64_t *keys = set_of(s, index), *used = keys + s->ways;
    for (uint32_t way = 0; way < s->ways; way++) {
        if (keys[way] == line + 1) {
            used[way] = ++s->uses;
            return line_at(s, keys, way);
        }
    }
    return NULL;
}

struct l2_line *l2_insert(struct l2_slice *s, uint64_t line, uint64_t index,
                          struct l2_victim *victim)
{
    uint64_t *keys = set_of(s, index), *used = keys + s->ways;
    uint32_t way = 0;
    for (uint32_t other = 1; other < s->ways; other++) {
        if (used[other] < used[way])
            way = other;
    }
    struct l2_line *l = line_at(s, keys, way);
    used[way] = ++s->uses;
    *victim = (struct l2_victim){.line = keys[way] - 1, .dirty = l->dirty};
    keys[way] = line + 1;
    *l = (struct l2_line){0};
    return l;
}

void l2_prefetch(const struct l2_slice *s, uint64_t index)
{
    const uint64_t *keys = set_of(s, index);
    for (uint32_t way = 0; way < 2 * s->ways; way += 8)
        __builtin_prefetch(keys + way, 1);
}

#include "sim/tags.h"

#include <string.h>

static uint32_t hash_line(const struct tags *t, uint64_t line)
{
    return (uint32_t)((line * 0x9E3779B97F4A7C15ull) >> 32) & t->hash_mask;
}

bool tags_init(struct tags *t, struct arena *arena, uint64_t bytes, uint32_t line_bytes,
               uint32_t ways)
{
    uint64_t total = bytes / line_bytes;
    if (total == 0)
        total = 1;
    if (ways > total)
        ways = (uint32_t)total;
    t->ways = ways;
    t->sets = (uint32_t)(total / ways);
    uint32_t n = t->sets * ways;
    uint32_t buckets = 16;
    while (buckets < n)
        buckets *= 2;
    t->hash_mask = buckets - 1;
    t->lines = arena_array(arena, n, sizeof *t->lines);
    t->buckets = arena_array(arena, buckets, sizeof *t->buckets);
    t->newest = arena_array(arena, t->sets, sizeof *t->newest);
    t->oldest = arena_array(arena, t->sets, sizeof *t->oldest);
    t->filled = arena_array(arena, t->sets, sizeof *t->filled);
    if (!t->lines || !t->buckets || !t->newest || !t->oldest || !t->filled)
        return false;
    t->dirty = true;
    tags_clear(t);
    return true;
}

uint32_t tags_find(const struct tags *t, uint64_t line)
{
    uint32_t e = t->buckets[hash_line(t, line)];
    while (e != TAGS_NONE && t->lines[e].line != line)
        e = t->lines[e].hash_next;
    return e;
}

static void unlink_recency(struct tags *t, uint32_t set, uint32_t e)
{
    struct tag_line *l = &t->lines[e];
    if (l->newer != TAGS_NONE)
        t->lines[l->newer].older = l->older;
    else
        t->newest[set] = l->older;
    if (l->older != TAGS_NONE)
        t->lines[l->older].newer = l->newer;
    else
        t->oldest[set] = l->newer;
}

static void push_newest(struct tags *t, uint32_t set, uint32_t e)
{
    struct tag_line *l = &t->lines[e];
    l->newer = TAGS_NONE;
    l->older = t->newest[set];
    if (l->older != TAGS_NONE)
        t->lines[l->older].newer = e;
    else
        t->oldest[set] = e;
    t->newest[set] = e;
}

void tags_touch(struct tags *t, uint32_t entry)
{
    uint32_t set = (uint32_t)(t->lines[entry].line % t->sets);
    if (t->newest[set] == entry)
        return;
    unlink_recency(t, set, entry);
    push_newest(t, set, entry);
}

static void unlink_hash(struct tags *t, uint32_t e)
{
    uint32_t *p = &t->buckets[hash_line(t, t->lines[e].line)];
    while (*p != e)
        p = &t->lines[*p].hash_next;
    *p = t->lines[e].hash_next;
}

uint32_t tags_insert(struct tags *t, uint64_t line)
{
    uint32_t set = (uint32_t)(line % t->sets);
    uint32_t e;
    if (t->filled[set] < t->ways) {
        e = set * (uint32_t)t->ways + t->filled[set]++;
    } else {
        e = t->oldest[set];
        unlink_recency(t, set, e);
        unlink_hash(t, e);
    }
    struct tag_line *l = &t->lines[e];
    uint32_t h = hash_line(t, line);
    l->line = line;
    l->ready = 0;
    l->valid = 0;
    l->hash_next = t->buckets[h];
    t->buckets[h] = e;
    push_newest(t, set, e);
    t->dirty = true;
    return e;
}

void tags_clear(struct tags *t)
{
    if (!t->dirty)
        return;
    memset(t->buckets, 0xff, ((size_t)t->hash_mask + 1) * sizeof *t->buckets);
    memset(t->newest, 0xff, t->sets * sizeof *t->newest);
    memset(t->oldest, 0xff, t->sets * sizeof *t->oldest);
    memset(t->filled, 0, t->sets * sizeof *t->filled);
    t->dirty = false;
}

void tags_resize(struct tags *t, uint32_t ways)
{
    t->dirty = true;
    tags_clear(t);
    t->ways = ways;
}

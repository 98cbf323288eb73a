#include "unit/l1d.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

bool l1d_init(struct l1d *l, const struct l1d_cfg *cfg, struct arena *arena)
{
    memset(l, 0, sizeof *l);
    l->cfg = cfg;
    if (!tags_init(&l->tags, arena, cfg->unified_bytes, cfg->line_bytes, cfg->ways))
        return false;
    l->full_ways = l->tags.ways;
    l->written = arena_array(arena, (size_t)l->tags.sets * l->tags.ways, sizeof *l->written);
    l->waiting = arena_array(arena, (size_t)l->tags.sets * l->tags.ways, sizeof *l->waiting);
    uint32_t buckets = 16;
    while (buckets < cfg->mshrs * 2)
        buckets *= 2;
    l->bucket_mask = buckets - 1;
    l->buckets = arena_array(arena, buckets, sizeof *l->buckets);
    l->mshrs = arena_array(arena, cfg->mshrs, sizeof *l->mshrs);
    if (!l->written || !l->waiting || !l->buckets || !l->mshrs)
        return false;
    l->free_waiter = TAGS_NONE;
    memset(l->buckets, 0xff, buckets * sizeof *l->buckets);
    for (uint32_t i = 0; i < cfg->mshrs; i++)
        l->mshrs[i].next = i + 1 < cfg->mshrs ? i + 1 : TAGS_NONE;
    l->free_mshr = 0;
    l->free_mshr_count = cfg->mshrs;
    return true;
}

void l1d_free(struct l1d *l)
{
    free(l->waiters);
    memset(l, 0, sizeof *l);
}

void l1d_reset(struct l1d *l, uint64_t bytes)
{
    uint64_t ways = bytes / ((uint64_t)l->tags.sets * l->cfg->line_bytes);
    if (ways < 1)
        ways = 1;
    if (ways > l->full_ways)
        ways = l->full_ways;
    if (ways != l->tags.ways)
        tags_resize(&l->tags, (uint32_t)ways);
    else
        tags_clear(&l->tags);
}

static uint32_t *bucket(const struct l1d *l, uint64_t line)
{
    return &l->buckets[(uint32_t)((line * 0x9E3779B97F4A7C15ull) >> 32) & l->bucket_mask];
}

static struct l1d_mshr *find_mshr(const struct l1d *l, uint64_t line)
{
    uint32_t i = *bucket(l, line);
    while (i != TAGS_NONE && l->mshrs[i].line != line)
        i = l->mshrs[i].next;
    return i == TAGS_NONE ? NULL : &l->mshrs[i];
}

bool l1d_has_room(const struct l1d *l, const struct line_access *lines, uint32_t n)
{
    if (l->free_mshr_count < n)
        return false;
    if (l->free_mshr_count == l->cfg->mshrs)
        return true;
    for (uint32_t i = 0; i < n; i++) {
        const struct l1d_mshr *m = find_mshr(l, lines[i].line);
        if (m && m->waiter_count >= l->cfg->mshr_merges)
            return false;
    }
    return true;
}

static struct l1d_mshr *new_mshr(struct l1d *l, uint64_t line)
{
    uint32_t i = l->free_mshr;
    if (i == TAGS_NONE)
        return NULL;
    struct l1d_mshr *m = &l->mshrs[i];
    uint32_t *b = bucket(l, line);
    l->free_mshr = m->next;
    l->free_mshr_count--;
    *m = (struct l1d_mshr){.line = line, .waiters = TAGS_NONE, .next = *b};
    *b = i;
    return m;
}

static void free_mshr(struct l1d *l, struct l1d_mshr *m)
{
    uint32_t i = (uint32_t)(m - l->mshrs);
    uint32_t *p = bucket(l, m->line);
    while (*p != i)
        p = &l->mshrs[*p].next;
    *p = m->next;
    m->next = l->free_mshr;
    l->free_mshr = i;
    l->free_mshr_count++;
}

static bool add_waiter(struct l1d *l, struct l1d_mshr *m, uint32_t user, uint32_t needed)
{
    if (l->free_waiter == TAGS_NONE) {
        uint32_t cap = l->waiter_cap ? l->waiter_cap * 2 : 64;
        struct l1d_waiter *p = realloc(l->waiters, cap * sizeof *p);
        if (!p)
            return false;
        for (uint32_t i = l->waiter_cap; i < cap; i++)
            p[i].next = i + 1 < cap ? i + 1 : TAGS_NONE;
        l->free_waiter = l->waiter_cap;
        l->waiters = p;
        l->waiter_cap = cap;
    }
    uint32_t i = l->free_waiter;
    struct l1d_waiter *w = &l->waiters[i];
    l->free_waiter = w->next;
    *w = (struct l1d_waiter){user, needed, TAGS_NONE};
    uint32_t *tail = &m->waiters;
    while (*tail != TAGS_NONE)
        tail = &l->waiters[*tail].next;
    *tail = i;
    m->waiter_count++;
    return true;
}

static uint32_t insert(struct l1d *l, uint64_t line)
{
    uint32_t e = tags_insert(&l->tags, line);
    l->written[e] = 0;
    return e;
}

/* The parts of one sector. */
static uint32_t parts_of(const struct l1d *l, uint32_t sector)
{
    uint32_t n = LINE_PARTS * l->cfg->sector_bytes / l->cfg->line_bytes;
    return (uint32_t)((1ull << n) - 1) << (sector * n);
}

/* Sectors of a load that can be read from entry `e`. */
static uint32_t readable(const struct l1d *l, uint32_t e, const struct line_access *access)
{
    uint32_t hit = access->sectors & l->tags.lines[e].valid;
    if (l->written[e] == 0)
        return hit;
    for (uint32_t m = access->sectors & ~hit; m != 0; m &= m - 1)
        if ((access->parts & parts_of(l, lowest_bit(m)) & ~l->written[e]) == 0)
            hit |= m & (~m + 1);
    return hit;
}

struct l1d_lookup l1d_load(struct l1d *l, const struct line_access *access, bool allocate,
                           uint32_t user)
{
    struct l1d_lookup r = {0};
    uint32_t e = tags_find(&l->tags, access->line);
    if (e != TAGS_NONE) {
        tags_touch(&l->tags, e);
        r.hit = readable(l, e, access);
    }
    uint32_t rest = access->sectors & ~r.hit;
    if (rest == 0)
        return r;
    struct l1d_mshr *m = find_mshr(l, access->line);
    if (!m)
        m = new_mshr(l, access->line);
    if (!m || !add_waiter(l, m, user, rest)) {
        r.failed = true;
        return r;
    }
    if (e == TAGS_NONE && allocate)
        insert(l, access->line);
    r.merged = rest & m->pending;
    r.missing = rest & ~m->pending;
    m->pending |= r.missing;
    return r;
}

bool l1d_store(struct l1d *l, uint64_t line, uint32_t parts, uint64_t now, uint64_t sent)
{
    uint32_t e = tags_find(&l->tags, line);
    bool hit = e != TAGS_NONE && l->tags.lines[e].ready <= now;
    if (e != TAGS_NONE)
        tags_touch(&l->tags, e);
    else
        e = insert(l, line);
    l->written[e] |= parts;
    l->waiting[e] = parts;
    l->tags.lines[e].ready = sent;
    return hit;
}

bool l1d_write_waits(const struct l1d *l, uint64_t line, uint32_t parts, uint64_t now)
{
    uint32_t e = tags_find(&l->tags, line);
    return e != TAGS_NONE && l->tags.lines[e].ready > now && (parts & ~l->waiting[e]) == 0;
}

void l1d_invalidate(struct l1d *l, uint64_t line, uint32_t sectors)
{
    uint32_t e = tags_find(&l->tags, line);
    if (e == TAGS_NONE)
        return;
    l->tags.lines[e].valid &= ~sectors;
    for (uint32_t m = sectors; m != 0; m &= m - 1)
        l->written[e] &= ~parts_of(l, lowest_bit(m));
}

void l1d_warm(struct l1d *l, uint64_t line, uint32_t sectors)
{
    uint32_t e = tags_find(&l->tags, line);
    if (e == TAGS_NONE)
        e = insert(l, line);
    l->tags.lines[e].valid |= sectors;
}

void l1d_fill(struct l1d *l, uint64_t line, uint32_t sectors,
              void (*done)(void *owner, uint32_t user), void *owner)
{
    uint32_t e = tags_find(&l->tags, line);
    if (e != TAGS_NONE)
        l->tags.lines[e].valid |= sectors;
    struct l1d_mshr *m = find_mshr(l, line);
    if (!m)
        return;
    m->pending &= ~sectors;
    uint32_t *p = &m->waiters;
    while (*p != TAGS_NONE) {
        uint32_t i = *p;
        struct l1d_waiter *w = &l->waiters[i];
        w->needed &= ~sectors;
        if (w->needed != 0) {
            p = &w->next;
            continue;
        }
        uint32_t user = w->user;
        *p = w->next;
        w->next = l->free_waiter;
        l->free_waiter = i;
        m->waiter_count--;
        done(owner, user);
    }
    if (m->waiters == TAGS_NONE && m->pending == 0)
        free_mshr(l, m);
}

#include "mem/gpc_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define SPACES (CODE_SPACE | CONSTANT_SPACE)
/* Requests for code and constants go after those for data that leave in the same cycle. */
#define ORDER_AFTER_DATA (1u << 31)

bool gpc_cache_init(struct gpc_cache *c, uint32_t id, const struct config *cfg, struct arena *arena)
{
    const struct icache_cfg *k = &cfg->icache;
    memset(c, 0, sizeof *c);
    c->cfg = cfg;
    c->id = id;
    return tags_init(&c->tags, arena, k->l15_bytes, k->l15_line_bytes, k->l15_ways);
}

void gpc_cache_free(struct gpc_cache *c)
{
    free(c->misses);
    free(c->waiters);
    free(c->to_l2);
    free(c->replies);
}

/* Room for one more item of an array. */
static void *room(struct gpc_cache *c, void *items, uint32_t count, uint32_t *cap, size_t size)
{
    if (count < *cap)
        return items;
    uint32_t more = *cap ? *cap * 2 : 16;
    void *p = realloc(items, more * size);
    if (!p) {
        c->failed = true;
        return items;
    }
    *cap = more;
    return p;
}

cycle_t gpc_cache_latency(const struct config *cfg)
{
    return (cycle_t)cfg->icache.l15_request_cycles + cfg->icache.l15_reply_cycles;
}

static struct gpc_miss *find_miss(struct gpc_cache *c, uint64_t line)
{
    for (uint32_t i = 0; i < c->miss_count; i++) {
        if (c->misses[i].line == line)
            return &c->misses[i];
    }
    return NULL;
}

/* Asks the L2 for the lines that a line consists of. */
static void ask_l2(struct gpc_cache *c, uint64_t line, const struct mem_request *r, cycle_t now)
{
    uint32_t n = c->cfg->icache.l15_line_bytes / c->cfg->l2.line_bytes;
    uint32_t sectors = c->cfg->l2.line_bytes / c->cfg->l1d.sector_bytes;
    c->misses = room(c, c->misses, c->miss_count, &c->miss_cap, sizeof *c->misses);
    if (c->failed)
        return;
    c->misses[c->miss_count++] = (struct gpc_miss){line, n, 0};
    for (uint32_t i = 0; i < n; i++) {
        c->to_l2 = room(c, c->to_l2, c->to_l2_count, &c->to_l2_cap, sizeof *c->to_l2);
        if (c->failed)
            return;
        c->to_l2[c->to_l2_count++] =
            (struct mem_request){.send = now,
                                 .line = (line & SPACES) | ((line & ~SPACES) * n + i),
                                 .sectors = (uint32_t)((1ull << sectors) - 1),
                                 .user = c->id,
                                 .sm = r->sm,
                                 .order = ORDER_AFTER_DATA | c->order++,
                                 .kind = r->kind};
    }
}

/* Entry of a line, which is asked for if it is not there. */
static uint32_t look_up(struct gpc_cache *c, uint64_t line, const struct mem_request *r,
                        cycle_t now)
{
    uint32_t e = tags_find(&c->tags, line);
    if (e != TAGS_NONE) {
        tags_touch(&c->tags, e);
        return e;
    }
    e = tags_insert(&c->tags, line);
    c->tags.lines[e].ready = CYCLE_NEVER;
    if (!find_miss(c, line))
        ask_l2(c, line, r, now);
    return e;
}

/* Puts a line of a launch here. */
static void place(struct gpc_cache *c, uint64_t line)
{
    uint32_t e = tags_find(&c->tags, line);
    if (e == TAGS_NONE)
        e = tags_insert(&c->tags, line);
    else
        tags_touch(&c->tags, e);
    c->tags.lines[e].ready = 0;
}

void gpc_cache_begin_kernel(struct gpc_cache *c, uint64_t code, uint64_t code_end, uint32_t sm,
                            cycle_t now)
{
    const struct icache_cfg *k = &c->cfg->icache;
    const struct mem_request r = {.sm = sm, .kind = MEM_IFETCH};
    uint64_t bytes = k->l15_line_bytes, end = min_u64(code_end, code + k->l15_launch_bytes);
    uint64_t constants = code << CONSTANT_CODE_SHIFT;
    c->code_end = CODE_SPACE | (code_end + bytes - 1) / bytes;
    for (uint64_t at = 0; at < c->cfg->constant.launch_bytes; at += bytes)
        place(c, CONSTANT_SPACE | (constants + at) / bytes);
    for (uint64_t at = code; at < end; at += bytes) {
        if (at == code)
            place(c, CODE_SPACE | at / bytes);
        else
            look_up(c, CODE_SPACE | at / bytes, &r, now);
    }
}

static void reply(struct gpc_cache *c, const struct mem_request *r, cycle_t ready)
{
    c->replies = room(c, c->replies, c->reply_count, &c->reply_cap, sizeof *c->replies);
    if (c->failed)
        return;
    c->replies[c->reply_count++] = (struct gpc_reply){ready + c->cfg->icache.l15_reply_cycles, *r};
}

void gpc_cache_serve(struct gpc_cache *c, const struct mem_request *r)
{
    const struct icache_cfg *k = &c->cfg->icache;
    uint32_t bytes = r->kind == MEM_IFETCH ? k->line_bytes : c->cfg->constant.line_bytes;
    uint64_t space = r->line & SPACES;
    uint64_t line = space | (r->line & ~SPACES) * bytes / k->l15_line_bytes;
    uint64_t port =
        max_u64(c->port_free, (r->send + k->l15_request_cycles) * (uint64_t)k->l15_bytes_per_cycle);
    cycle_t now = port / k->l15_bytes_per_cycle;
    c->port_free = port + max_u64(bytes, (uint64_t)k->l15_interval * k->l15_bytes_per_cycle);
    uint32_t e = look_up(c, line, r, now);
    cycle_t ready = c->tags.lines[e].ready;
    c->stats.icache_l15_accesses++;
    /* Counted as without a queue at the port, whose end the window need not reach. */
    if (ready <= r->send + k->l15_request_cycles)
        c->stats.icache_l15_hits++;
    else
        c->stats.icache_l15_misses++;
    if (ready != CYCLE_NEVER) {
        reply(c, r, max_u64(now, ready));
    } else {
        c->waiters = room(c, c->waiters, c->waiter_count, &c->waiter_cap, sizeof *c->waiters);
        if (c->failed)
            return;
        c->waiters[c->waiter_count++] = (struct gpc_waiter){line, now, *r};
    }
    for (uint32_t i = 1; i <= k->l15_prefetch_lines && r->kind == MEM_IFETCH; i++) {
        if (line + i < c->code_end)
            look_up(c, line + i, r, now);
    }
}

void gpc_cache_fill(struct gpc_cache *c, const struct mem_request *r, cycle_t cycle)
{
    uint32_t n = c->cfg->icache.l15_line_bytes / c->cfg->l2.line_bytes;
    uint64_t line = (r->line & SPACES) | (r->line & ~SPACES) / n;
    struct gpc_miss *m = find_miss(c, line);
    if (!m)
        return;
    m->ready = max_u64(m->ready, cycle - min_u64(cycle, c->cfg->icache.l15_nearer_cycles));
    if (--m->missing > 0)
        return;
    cycle_t ready = m->ready;
    *m = c->misses[--c->miss_count];
    uint32_t e = tags_find(&c->tags, line);
    if (e != TAGS_NONE)
        c->tags.lines[e].ready = ready;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->waiter_count; i++) {
        struct gpc_waiter *w = &c->waiters[i];
        if (w->line == line)
            reply(c, &w->request, max_u64(w->start, ready));
        else
            c->waiters[kept++] = *w;
    }
    c->waiter_count = kept;
}

#include "unit/l0i.h"

#include <string.h>

#include "base/bits.h"

#define MASK_WORDS (L0I_MAX_STREAM / 64)

bool l0i_init(struct l0i *c, const struct icache_cfg *cfg, struct arena *arena)
{
    memset(c, 0, sizeof *c);
    c->cfg = cfg;
    return tags_init(&c->tags, arena, cfg->l0_bytes, cfg->line_bytes, cfg->l0_ways);
}

static void stream_clear(struct l0i *c, uint64_t line, uint32_t lines)
{
    c->stream_line = c->stream_next = line;
    c->stream_limit = line + lines;
    memset(c->flying, 0, sizeof c->flying);
    memset(c->arrived, 0, sizeof c->arrived);
}

void l0i_kernel(struct l0i *c, uint64_t end)
{
    c->stream_end = end;
    stream_clear(c, 0, 0);
}

void l0i_warm(struct l0i *c, uint64_t line)
{
    uint32_t e = tags_find(&c->tags, line);
    if (e == TAGS_NONE) {
        tags_insert(&c->tags, line);
        c->epoch++;
    } else {
        tags_touch(&c->tags, e);
    }
}

static bool in_demand(const struct l0i *c, uint64_t line)
{
    for (uint32_t i = 0; i < c->demand_count; i++) {
        if (c->demand[i] == line)
            return true;
    }
    return false;
}

static bool mask_has(const uint64_t *mask, uint32_t i)
{
    return mask[i / 64] >> (i % 64) & 1;
}

static void mask_shift(uint64_t *mask)
{
    for (uint32_t i = 0; i < MASK_WORDS; i++)
        mask[i] = mask[i] >> 1 | (i + 1 < MASK_WORDS ? mask[i + 1] << 63 : 0);
}

/* The fetch is at `line` of the stream: what lies before it is given up, and the lines behind it
 * are wanted. */
static void stream_follow(struct l0i *c, uint64_t line)
{
    while (c->stream_line <= line) {
        mask_shift(c->flying);
        mask_shift(c->arrived);
        c->stream_line++;
    }
    c->stream_next = max_u64(c->stream_next, c->stream_line);
    c->stream_limit = c->stream_line + c->cfg->stream_buffer_lines;
}

static void stream_restart(struct l0i *c, uint64_t line, struct sim_stats *stats)
{
    if (!c->cfg->prefetch_fills_l0) {
        for (uint32_t i = 0; i < MASK_WORDS; i++)
            stats->icache_prefetch_flushed +=
                popcount32((uint32_t)(c->flying[i] | c->arrived[i])) +
                popcount32((uint32_t)((c->flying[i] | c->arrived[i]) >> 32));
    }
    stream_clear(c, line, c->cfg->stream_buffer_lines);
}

static uint32_t demand_limit(const struct l0i *c)
{
    return c->cfg->l0_outstanding < L0I_MAX_DEMAND ? c->cfg->l0_outstanding : L0I_MAX_DEMAND;
}

static bool in_stream(const struct l0i *c, uint64_t line)
{
    return line >= c->stream_line && line < c->stream_next;
}

/* A line of the stream that is not in the cache. */
static enum l0i_result fetch_from_stream(struct l0i *c, uint64_t line, struct sim_stats *stats)
{
    stats->icache_prefetch_used++;
    if (mask_has(c->arrived, (uint32_t)(line - c->stream_line))) {
        stats->icache_l0_hits++;
        stream_follow(c, line);
        l0i_warm(c, line);
        return L0I_HIT;
    }
    stats->icache_l0_misses++;
    memmove(&c->demand[c->demand_sent + 1], &c->demand[c->demand_sent],
            (c->demand_count - c->demand_sent) * sizeof c->demand[0]);
    c->demand[c->demand_sent++] = line;
    c->demand_count++;
    stream_follow(c, line);
    return L0I_WAIT;
}

enum l0i_result l0i_fetch(struct l0i *c, uint64_t line, struct sim_stats *stats)
{
    stats->icache_l0_accesses++;
    uint32_t e = tags_find(&c->tags, line);
    if (e != TAGS_NONE) {
        tags_touch(&c->tags, e);
        stats->icache_l0_hits++;
        if (in_stream(c, line))
            stream_follow(c, line);
        return L0I_HIT;
    }
    if (in_demand(c, line)) {
        stats->icache_l0_misses++;
        return L0I_WAIT;
    }
    uint32_t i = (uint32_t)(line - c->stream_line);
    bool arrived = in_stream(c, line) && mask_has(c->arrived, i);
    if (!arrived && c->demand_count >= demand_limit(c)) {
        stats->icache_l0_misses++;
        return L0I_FULL;
    }
    if (arrived || (in_stream(c, line) && mask_has(c->flying, i)))
        return fetch_from_stream(c, line, stats);
    stats->icache_l0_misses++;
    c->demand[c->demand_count++] = line;
    stream_restart(c, line + 1, stats);
    return L0I_WAIT;
}

static bool stream_wants(const struct l0i *c)
{
    return c->stream_next < c->stream_limit && c->stream_next < c->stream_end;
}

bool l0i_wants_request(const struct l0i *c)
{
    return c->demand_sent < c->demand_count || stream_wants(c);
}

uint64_t l0i_next_request(struct l0i *c, bool *prefetch, struct sim_stats *stats)
{
    *prefetch = false;
    if (c->demand_sent < c->demand_count)
        return c->demand[c->demand_sent++];
    *prefetch = true;
    uint64_t line = c->stream_next++;
    if (tags_find(&c->tags, line) != TAGS_NONE || in_demand(c, line))
        return UINT64_MAX;
    uint32_t i = (uint32_t)(line - c->stream_line);
    c->flying[i / 64] |= 1ull << (i % 64);
    stats->icache_prefetch_issued++;
    return line;
}

bool l0i_fill(struct l0i *c, uint64_t line)
{
    if (in_stream(c, line)) {
        uint32_t i = (uint32_t)(line - c->stream_line);
        uint64_t bit = 1ull << (i % 64);
        if ((c->flying[i / 64] & bit) && !c->cfg->prefetch_fills_l0)
            c->arrived[i / 64] |= bit;
        c->flying[i / 64] &= ~bit;
    }
    for (uint32_t i = 0; i < c->demand_sent; i++) {
        if (c->demand[i] == line) {
            memmove(&c->demand[i], &c->demand[i + 1],
                    (c->demand_count - i - 1) * sizeof c->demand[0]);
            c->demand_count--;
            c->demand_sent--;
            l0i_warm(c, line);
            return true;
        }
    }
    if (c->cfg->prefetch_fills_l0)
        l0i_warm(c, line);
    return false;
}

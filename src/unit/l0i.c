#include "unit/l0i.h"

#include <string.h>

bool l0i_init(struct l0i *c, const struct icache_cfg *cfg, struct arena *arena)
{
    memset(c, 0, sizeof *c);
    c->cfg = cfg;
    return tags_init(&c->tags, arena, cfg->l0_bytes, cfg->line_bytes, cfg->l0_ways);
}

void l0i_kernel(struct l0i *c, uint64_t end)
{
    c->stream_end = end;
    c->stream_count = 0;
    c->stream_active = false;
    c->head_wanted = false;
    memset(c->arrived, 0, sizeof c->arrived);
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

static void stream_pop(struct l0i *c)
{
    c->stream_line++;
    c->stream_count--;
    for (uint32_t i = 0; i < L0I_MAX_STREAM / 64; i++) {
        uint64_t carry = i + 1 < L0I_MAX_STREAM / 64 ? c->arrived[i + 1] << 63 : 0;
        c->arrived[i] = c->arrived[i] >> 1 | carry;
    }
    c->head_wanted = false;
}

/* A head that warps wait for is not thrown away. */
static void stream_restart(struct l0i *c, uint64_t line, struct sim_stats *stats)
{
    if (c->cfg->stream_buffer_lines == 0 || c->head_wanted)
        return;
    stats->icache_prefetch_flushed += c->stream_count;
    memset(c->arrived, 0, sizeof c->arrived);
    c->stream_line = line;
    c->stream_count = 0;
    c->stream_active = true;
    c->head_wanted = false;
}

enum l0i_result l0i_fetch(struct l0i *c, uint64_t line, struct sim_stats *stats)
{
    stats->icache_l0_accesses++;
    uint32_t e = tags_find(&c->tags, line);
    if (e != TAGS_NONE) {
        tags_touch(&c->tags, e);
        stats->icache_l0_hits++;
        return L0I_HIT;
    }
    if (c->stream_count > 0 && c->stream_line == line) {
        if (!(c->arrived[0] & 1)) {
            c->head_wanted = true;
            stats->icache_l0_misses++;
            return L0I_WAIT;
        }
        stats->icache_prefetch_used++;
        stats->icache_l0_hits++;
        stream_pop(c);
        l0i_warm(c, line);
        return L0I_HIT;
    }
    if (in_demand(c, line)) {
        stats->icache_l0_misses++;
        return L0I_WAIT;
    }
    uint32_t limit =
        c->cfg->l0_outstanding < L0I_MAX_DEMAND ? c->cfg->l0_outstanding : L0I_MAX_DEMAND;
    stats->icache_l0_misses++;
    if (c->demand_count >= limit)
        return L0I_FULL;
    c->demand[c->demand_count++] = line;
    stream_restart(c, line + 1, stats);
    return L0I_WAIT;
}

static bool stream_wants(const struct l0i *c)
{
    uint64_t next = c->stream_line + c->stream_count;
    return c->stream_active && c->stream_count < c->cfg->stream_buffer_lines &&
           next < c->stream_end;
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
    uint64_t line = c->stream_line + c->stream_count++;
    /* The stream ends at the first line that is already here. */
    if (tags_find(&c->tags, line) != TAGS_NONE || in_demand(c, line)) {
        c->stream_count--;
        c->stream_active = false;
        return UINT64_MAX;
    }
    stats->icache_prefetch_issued++;
    return line;
}

bool l0i_fill(struct l0i *c, uint64_t line, struct sim_stats *stats)
{
    bool wanted = false;
    for (uint32_t i = 0; i < c->demand_sent; i++) {
        if (c->demand[i] == line) {
            memmove(&c->demand[i], &c->demand[i + 1],
                    (c->demand_count - i - 1) * sizeof c->demand[0]);
            c->demand_count--;
            c->demand_sent--;
            l0i_warm(c, line);
            wanted = true;
            break;
        }
    }
    /* The L1 answers a demand and a prefetch of one line at once when both missed there. */
    if (line < c->stream_line || line >= c->stream_line + c->stream_count)
        return wanted;
    uint32_t i = (uint32_t)(line - c->stream_line);
    c->arrived[i / 64] |= 1ull << (i % 64);
    if (i != 0 || !c->head_wanted)
        return wanted;
    stats->icache_prefetch_used++;
    stream_pop(c);
    l0i_warm(c, line);
    return true;
}

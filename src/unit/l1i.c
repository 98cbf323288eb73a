#include "unit/l1i.h"

#include <string.h>

bool l1i_init(struct l1i *c, const struct icache_cfg *cfg, struct arena *arena)
{
    memset(c, 0, sizeof *c);
    c->cfg = cfg;
    return tags_init(&c->tags, arena, cfg->l1_bytes, cfg->line_bytes, cfg->l1_ways);
}

void l1i_warm(struct l1i *c, uint64_t line)
{
    uint32_t e = tags_find(&c->tags, line);
    if (e == TAGS_NONE)
        tags_insert(&c->tags, line);
    else
        tags_touch(&c->tags, e);
}

enum l1i_result l1i_lookup(struct l1i *c, uint64_t line, uint32_t subcore)
{
    uint32_t e = tags_find(&c->tags, line);
    if (e != TAGS_NONE) {
        tags_touch(&c->tags, e);
        return L1I_HIT;
    }
    for (uint32_t i = 0; i < c->miss_count; i++) {
        if (c->misses[i].line == line) {
            c->misses[i].subcores |= 1ull << subcore;
            return L1I_MERGED;
        }
    }
    if (c->miss_count == L1I_MAX_MISSES)
        return L1I_FULL;
    c->misses[c->miss_count++] = (struct l1i_miss){line, 1ull << subcore};
    return L1I_MISS;
}

uint64_t l1i_fill(struct l1i *c, uint64_t line)
{
    l1i_warm(c, line);
    for (uint32_t i = 0; i < c->miss_count; i++) {
        if (c->misses[i].line == line) {
            uint64_t subcores = c->misses[i].subcores;
            c->misses[i] = c->misses[--c->miss_count];
            return subcores;
        }
    }
    return 0;
}

static bool in_flight(const struct l1i *c, uint64_t first, uint64_t end)
{
    for (uint32_t i = 0; i < c->miss_count; i++) {
        if (c->misses[i].line >= first && c->misses[i].line < end)
            return true;
    }
    return false;
}

/* Asks for what is not there of [first, end). */
static uint32_t ask(struct l1i *c, uint64_t first, uint64_t end, uint64_t lines[L1I_MAX_GROUP])
{
    uint32_t n = 0;
    for (uint64_t line = first; line < end && line < c->code_end && !l1i_full(c); line++) {
        if (tags_find(&c->tags, line) != TAGS_NONE || in_flight(c, line, line + 1))
            continue;
        c->misses[c->miss_count++] = (struct l1i_miss){line, 0};
        lines[n++] = line;
    }
    return n;
}

uint32_t l1i_prefetch_next(struct l1i *c, uint32_t subcore, uint64_t lines[L1I_MAX_GROUP])
{
    struct l1i_group *g = &c->groups[subcore];
    if (!g->next_wanted || in_flight(c, g->first, g->end))
        return 0;
    g->next_wanted = false;
    g->first = g->end;
    g->end += 1 + c->cfg->l1_prefetch_lines;
    return ask(c, g->first, g->end, lines);
}

uint32_t l1i_prefetch(struct l1i *c, uint64_t line, uint32_t subcore, enum l1i_result result,
                      uint64_t lines[L1I_MAX_GROUP])
{
    struct l1i_group *g = &c->groups[subcore];
    if (c->cfg->l1_prefetch_lines == 0)
        return 0;
    if (result == L1I_MISS) {
        *g = (struct l1i_group){.first = line, .end = line + 1 + c->cfg->l1_prefetch_lines};
        return ask(c, line + 1, g->end, lines);
    }
    if (line + 1 == g->end)
        g->next_wanted = true;
    return l1i_prefetch_next(c, subcore, lines);
}

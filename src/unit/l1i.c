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
            c->misses[i].subcores |= 1u << subcore;
            return L1I_MERGED;
        }
    }
    if (c->miss_count == L1I_MAX_MISSES)
        return L1I_FULL;
    c->misses[c->miss_count++] = (struct l1i_miss){line, 1u << subcore};
    return L1I_MISS;
}

uint32_t l1i_fill(struct l1i *c, uint64_t line)
{
    l1i_warm(c, line);
    for (uint32_t i = 0; i < c->miss_count; i++) {
        if (c->misses[i].line == line) {
            uint32_t subcores = c->misses[i].subcores;
            c->misses[i] = c->misses[--c->miss_count];
            return subcores;
        }
    }
    return 0;
}

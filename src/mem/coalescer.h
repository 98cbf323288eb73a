/* On the way from a GPC to the L2, reads of its SMs for the same sectors become one, if they follow
 * each other closely. What they come to at each part is kept there: it is the line that decides. */
#ifndef SUBCORE_MEM_COALESCER_H
#define SUBCORE_MEM_COALESCER_H

#include <stdbool.h>

#include "cfg/config.h"
#include "sim/message.h"

/* Reads remembered by a part; a later one may take the place of another. */
#define COALESCER_SHIFT 9

struct coalesced {
    uint64_t line;
    cycle_t sent, reply; /* of the first */
    uint32_t sectors;
    uint16_t gpc;
    uint16_t requests; /* that are one; 0 = none */
};

struct coalescer {
    struct coalesced entries[1 << COALESCER_SHIFT];
};

/* The read that one of this line from this GPC would join. */
static inline struct coalesced *coalescer_entry(struct coalescer *c, uint64_t line, uint16_t gpc)
{
    uint64_t key = line << 6 ^ gpc;
    return &c->entries[key * 0x9E3779B97F4A7C15ull >> (64 - COALESCER_SHIFT)];
}

/* Joins a request to what is in its entry, if it can be. */
static inline bool coalescer_join(struct coalesced *c, const struct l2_cfg *cfg,
                                  const struct mem_request *r, uint16_t gpc)
{
    if (c->requests == 0 || c->line != r->line || c->gpc != gpc || (r->sectors & ~c->sectors) != 0)
        return false;
    if (r->send > c->sent + cfg->coalesce_cycles || c->requests >= cfg->coalesce_requests)
        return false;
    c->requests++;
    return true;
}

#endif

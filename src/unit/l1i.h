/* L1 instruction cache of an SM or a TPC: state only; its owner gives it one request at a time.
 * Misses in flight are merged by line.
 *
 * A miss brings a group of lines, icache.l1_prefetch_lines after its own. When the sub-core whose
 * miss it was asks for the last line of the group, and all of the group has arrived, the next group
 * is asked for: a sub-core has one group on its way at a time. */
#ifndef SUBCORE_UNIT_L1I_H
#define SUBCORE_UNIT_L1I_H

#include "cfg/config.h"
#include "sim/tags.h"

#define L1I_MAX_MISSES 128
#define L1I_MAX_SUBCORES 64
#define L1I_MAX_GROUP 17 /* a line and its prefetches */

struct l1i_miss {
    uint64_t line;
    uint64_t subcores; /* mask of sub-cores that wait */
};

/* The group of lines a sub-core's last miss has led to: [first, end). */
struct l1i_group {
    uint64_t first, end;
    bool next_wanted;
};

struct l1i {
    const struct icache_cfg *cfg;
    struct tags tags;
    struct l1i_miss misses[L1I_MAX_MISSES];
    uint32_t miss_count;
    uint64_t code_end; /* no group goes beyond this line */
    struct l1i_group groups[L1I_MAX_SUBCORES];
};

enum l1i_result { L1I_HIT, L1I_MISS, L1I_MERGED, L1I_FULL };

bool l1i_init(struct l1i *c, const struct icache_cfg *cfg, struct arena *arena);

/* No room for another miss. */
static inline bool l1i_full(const struct l1i *c)
{
    return c->miss_count == L1I_MAX_MISSES;
}

/* Looks up a line for a sub-core. L1I_MISS: the caller asks for it behind the L1. */
enum l1i_result l1i_lookup(struct l1i *c, uint64_t line, uint32_t subcore);

/* After a lookup that gave `result`: lines to ask for as well. */
uint32_t l1i_prefetch(struct l1i *c, uint64_t line, uint32_t subcore, enum l1i_result result,
                      uint64_t lines[L1I_MAX_GROUP]);

/* After a fill: lines of the next group of a sub-core that has been waiting to ask for them. */
uint32_t l1i_prefetch_next(struct l1i *c, uint32_t subcore, uint64_t lines[L1I_MAX_GROUP]);

/* A line has arrived from behind. Returns the mask of sub-cores that wait for it. */
uint64_t l1i_fill(struct l1i *c, uint64_t line);

/* Puts a line into the cache (listings that start warm). */
void l1i_warm(struct l1i *c, uint64_t line);

#endif

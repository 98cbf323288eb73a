/* L1 instruction cache of an SM: state only; the SM gives it one request at a time.
 * Misses in flight are merged by line. */
#ifndef SUBCORE_UNIT_L1I_H
#define SUBCORE_UNIT_L1I_H

#include "cfg/config.h"
#include "sim/tags.h"

#define L1I_MAX_MISSES 128

struct l1i_miss {
    uint64_t line;
    uint32_t subcores; /* mask of sub-cores that wait */
};

struct l1i {
    const struct icache_cfg *cfg;
    struct tags tags;
    struct l1i_miss misses[L1I_MAX_MISSES];
    uint32_t miss_count;
};

enum l1i_result { L1I_HIT, L1I_MISS, L1I_MERGED, L1I_FULL };

bool l1i_init(struct l1i *c, const struct icache_cfg *cfg, struct arena *arena);

/* Looks up a line for a sub-core. L1I_MISS: the caller asks the L2 for it. */
enum l1i_result l1i_lookup(struct l1i *c, uint64_t line, uint32_t subcore);

/* A line has arrived from the L2. Returns the mask of sub-cores that wait for it. */
uint32_t l1i_fill(struct l1i *c, uint64_t line);

/* Puts a line into the cache (listings that start warm). */
void l1i_warm(struct l1i *c, uint64_t line);

#endif

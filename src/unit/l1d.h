/* L1 data cache: sectored tags, misses in flight (MSHRs) with merging.
 *
 * Loads look sectors up; missing ones are asked of the L2 by the owner (it gets a mask), the load
 * is kept in a list at the line's MSHR and reported when its sectors have arrived. A miss allocates
 * its line at once.
 *
 * Stores write through. They allocate their line without fetching it: what they wrote whole can be
 * read, the rest of the sector is fetched when it is (an H200's counters; "lazy fetch on read" of
 * the artifact). Accesses past the L1D take their sectors out of it.
 *
 * Timing is the owner's; this is state only. */
#ifndef SUBCORE_UNIT_L1D_H
#define SUBCORE_UNIT_L1D_H

#include "cfg/config.h"
#include "sim/tags.h"
#include "unit/coalesce.h"

struct l1d_mshr {
    uint64_t line;
    uint32_t pending; /* sectors on their way */
    uint32_t waiters; /* first of a list, or TAGS_NONE */
    uint32_t waiter_count;
    uint32_t next; /* hash chain or free list */
};

struct l1d_waiter {
    uint32_t user;   /* the owner's number of the load */
    uint32_t needed; /* sectors still missing */
    uint32_t next;
};

struct l1d {
    const struct l1d_cfg *cfg;
    struct tags tags;
    uint32_t *written; /* [entries of tags]: parts that stores wrote and no fill has covered */
    uint32_t *waiting; /* [entries of tags]: parts of the last write to the line */
    uint32_t full_ways;
    struct l1d_mshr *mshrs;
    uint32_t *buckets;
    uint32_t bucket_mask;
    uint32_t free_mshr, free_mshr_count;
    struct l1d_waiter *waiters; /* heap, grows */
    uint32_t waiter_cap, free_waiter;
};

bool l1d_init(struct l1d *l, const struct l1d_cfg *cfg, struct arena *arena);
void l1d_free(struct l1d *l);

/* New kernel: nothing is cached; `bytes` of the unified memory are L1 data cache. */
void l1d_reset(struct l1d *l, uint64_t bytes);

/* True when a load that touches `lines` can be taken: enough free MSHRs for all of them, and room
 * for one more load at those whose misses are in flight. */
bool l1d_has_room(const struct l1d *l, const struct line_access *lines, uint32_t n);

struct l1d_lookup {
    uint32_t hit;     /* sectors that are valid */
    uint32_t merged;  /* sectors already on their way */
    uint32_t missing; /* sectors to ask of the L2 now */
    bool failed;      /* out of memory */
};

/* Looks sectors of a line up for load `user`. When merged or missing is not 0, the load waits and
 * l1d_fill() will report it. `allocate`: the line of a miss is kept. */
struct l1d_lookup l1d_load(struct l1d *l, const struct line_access *access, bool allocate,
                           uint32_t user);

/* A store to a line looks it up at `now`; its write will have been sent at `sent`. `parts` are
 * those it writes whole. True when the line was there and no earlier write to it waits to be sent:
 * the whole store counts as a hit then. */
bool l1d_store(struct l1d *l, uint64_t line, uint32_t parts, uint64_t now, uint64_t sent);

/* True when a write to the line waits at `now` that writes all of `parts`. */
bool l1d_write_waits(const struct l1d *l, uint64_t line, uint32_t parts, uint64_t now);

/* Sectors of a line cannot be read any more. */
void l1d_invalidate(struct l1d *l, uint64_t line, uint32_t sectors);

/* Marks sectors valid (listings that start warm). */
void l1d_warm(struct l1d *l, uint64_t line, uint32_t sectors);

/* Sectors of a line have arrived. `done` is called for every load whose sectors of this line are
 * all there, in order of their lookups. They can be read from now on if the line has not been
 * evicted meanwhile. */
void l1d_fill(struct l1d *l, uint64_t line, uint32_t sectors,
              void (*done)(void *owner, uint32_t user), void *owner);

#endif

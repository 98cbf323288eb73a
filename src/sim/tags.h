/* Tag array of a set-associative cache with LRU replacement and up to 32 sectors a line.
 *
 * Lookups cost the same whatever the associativity: a hash table finds the line, each set keeps its
 * lines in a recency list. One owner, no thread safety. All memory comes from the arena given at
 * init, nothing is allocated afterwards. */
#ifndef SUBCORE_SIM_TAGS_H
#define SUBCORE_SIM_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define TAGS_NONE UINT32_MAX

struct tag_line {
    uint64_t line;  /* address / line size */
    uint64_t ready; /* free for the owner: cycle at which the data is there */
    uint32_t valid; /* sector mask */
    uint32_t hash_next;
    uint32_t newer, older; /* recency list of the set */
};

struct tags {
    struct tag_line *lines;             /* [sets * ways]; set s owns [s * ways, (s + 1) * ways) */
    uint32_t *buckets;                  /* [hash_mask + 1] */
    uint32_t *newest, *oldest, *filled; /* [sets] */
    uint32_t sets, ways, hash_mask;
    bool dirty; /* anything in it since the last clear */
};

/* `bytes` is rounded down to whole sets; at least one set of one way. False when out of memory. */
bool tags_init(struct tags *t, struct arena *arena, uint64_t bytes, uint32_t line_bytes,
               uint32_t ways);

/* Entry of a line, or TAGS_NONE. Does not change recency. */
uint32_t tags_find(const struct tags *t, uint64_t line);

/* Makes an entry the most recent of its set. */
void tags_touch(struct tags *t, uint32_t entry);

/* Entry for a line that is not present: takes a free way or evicts the least recent line of its
 * set. The entry starts with no valid sector and is the most recent. */
uint32_t tags_insert(struct tags *t, uint64_t line);

/* Forgets every line. */
void tags_clear(struct tags *t);

/* Limits the ways in use (shared-memory carve-out) and forgets every line. 1 <= ways <= the ways
 * given at init. */
void tags_resize(struct tags *t, uint32_t ways);

#endif

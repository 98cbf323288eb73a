/* A slice of the L2: sectored tags with write-back, and the pipeline that looks them up.
 *
 * A written sector is valid and dirty without having been fetched. Sectors on their way from behind
 * are valid already and carry the cycle at which they are there, so that later requests merge. */
#ifndef SUBCORE_MEM_L2_H
#define SUBCORE_MEM_L2_H

#include <stdbool.h>

#include "base/arena.h"
#include "mem/address_map.h"
#include "mem/server.h"

struct l2_line {
    cycle_t ready;    /* the pending sectors are there */
    uint16_t valid;   /* masks of sectors */
    uint16_t pending; /* valid, but not there before `ready` */
    uint16_t dirty;
};

/* A set lies in one piece, so that a lookup touches little memory: keys, uses, lines. */
struct l2_slice {
    struct server pipe; /* lookups */
    struct divider sets;
    uint32_t ways;
    uint64_t *words; /* [sets][ways * L2_WAY_WORDS]: [ways] line numbers + 1, 0 = empty; [ways] when
                        last used, greater = later; [ways] struct l2_line */
    uint64_t uses;
};

#define L2_WAY_WORDS (2 + sizeof(struct l2_line) / sizeof(uint64_t))

/* What had to make room. */
struct l2_victim {
    uint64_t line;
    uint32_t dirty; /* 0 = nothing to write back */
};

bool l2_slice_init(struct l2_slice *s, struct arena *arena, uint32_t sets, uint32_t ways);

/* A line, made the most recent of its set; NULL when it is not there. `index`: number of the line
 * among those of the slice. */
struct l2_line *l2_find(struct l2_slice *s, uint64_t line, uint64_t index);

/* Room for a line that is not there, with no valid sector, instead of the least recent of its set.
 */
struct l2_line *l2_insert(struct l2_slice *s, uint64_t line, uint64_t index,
                          struct l2_victim *victim);

/* The set of a line will be looked at soon. */
void l2_prefetch(const struct l2_slice *s, uint64_t index);

/* The cycle, `now` or later, at which valid sectors of a line are there. */
static inline cycle_t l2_ready(struct l2_line *l, uint32_t sectors, cycle_t now)
{
    if (l->pending == 0)
        return now;
    if (l->ready <= now) {
        l->pending = 0;
        return now;
    }
    return sectors & l->pending ? l->ready : now;
}

/* Sectors come from behind and are there at `ready`. */
static inline void l2_fill(struct l2_line *l, uint32_t sectors, cycle_t ready)
{
    l->valid |= (uint16_t)sectors;
    l->ready = l->pending ? max_u64(l->ready, ready) : ready;
    l->pending |= (uint16_t)sectors;
}

/* Sectors are written as a whole. */
static inline void l2_write(struct l2_line *l, uint32_t sectors)
{
    l->valid |= (uint16_t)sectors;
    l->dirty |= (uint16_t)sectors;
    l->pending &= (uint16_t)~sectors;
}

/* Sectors are no longer what they were elsewhere. */
static inline void l2_drop(struct l2_line *l, uint32_t sectors)
{
    l->valid &= (uint16_t)~sectors;
    l->pending &= (uint16_t)~sectors;
}

#endif

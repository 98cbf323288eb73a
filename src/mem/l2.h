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

#define L2_NONE UINT32_MAX

struct l2_line {
    cycle_t ready;    /* the pending sectors are there */
    uint16_t valid;   /* masks of sectors */
    uint16_t pending; /* valid, but not there before `ready` */
    uint16_t dirty;
};

struct l2_slice {
    struct server pipe; /* lookups */
    struct divider sets;
    uint32_t ways;
    uint64_t *keys;        /* [sets * ways] line numbers + 1; 0 = empty */
    struct l2_line *lines; /* [sets * ways] */
    uint64_t *used;        /* [sets * ways] greater = more recently */
    uint64_t uses;
};

/* What had to make room. */
struct l2_victim {
    uint64_t line;
    uint32_t dirty; /* 0 = nothing to write back */
};

bool l2_slice_init(struct l2_slice *s, struct arena *arena, uint32_t sets, uint32_t ways);

/* Entry of a line, made the most recent of its set; L2_NONE when it is not there. `index`: number
 * of the line among those of the slice. */
uint32_t l2_find(struct l2_slice *s, uint64_t line, uint64_t index);

/* Entry for a line that is not there, with no valid sector, instead of the least recent of its
 * set. */
uint32_t l2_insert(struct l2_slice *s, uint64_t line, uint64_t index, struct l2_victim *victim);

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

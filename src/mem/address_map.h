/* Where a line lives: which part of the memory, and which slice, channel, bank and row in it.
 *
 * Every level spreads blocks of n consecutive things over n places, each block in another rotation.
 * So consecutive lines are spread evenly, and lines a power of two apart nearly so, for any n. */
#ifndef SUBCORE_MEM_ADDRESS_MAP_H
#define SUBCORE_MEM_ADDRESS_MAP_H

#include <stdint.h>

/* Division by a number known at run time, for dividends below 2^44. */
struct divider {
    uint64_t inverse; /* 2^64 / by, rounded up */
    uint32_t by;      /* 1 .. 2^20 */
};

struct divider divider_make(uint32_t by);

static inline uint64_t divider_quotient(const struct divider *d, uint64_t x)
{
    __extension__ typedef unsigned __int128 wide;
    return d->by == 1 ? x : (uint64_t)((wide)x * d->inverse >> 64);
}

/* Place of item x among d->by places. *block: the block of items it is in, which is also its number
 * among the items of its place. */
static inline uint32_t spread(const struct divider *d, uint64_t x, uint64_t *block)
{
    uint64_t b = divider_quotient(d, x);
    uint32_t in_block = (uint32_t)(x - b * d->by);
    uint64_t rotation = ((b * 0x9E3779B97F4A7C15ull >> 32) * d->by) >> 32;
    uint32_t place = in_block + (uint32_t)rotation;
    *block = b;
    return place < d->by ? place : place - d->by;
}

/* Lines by number (address / line size); code and local memory lie above bit 44 and are folded. */
static inline uint64_t fold_line(uint64_t line)
{
    return (line ^ (line >> 44) * 0x9E3779B1u) & ((1ull << 44) - 1);
}

#endif

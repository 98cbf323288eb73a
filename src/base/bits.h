/* Small bit helpers. */
#ifndef SUBCORE_BASE_BITS_H
#define SUBCORE_BASE_BITS_H

#include <stdint.h>

static inline uint32_t popcount64(uint64_t v)
{
    return (uint32_t)__builtin_popcountll(v);
}

static inline uint32_t popcount32(uint32_t v)
{
    return (uint32_t)__builtin_popcount(v);
}

/* Index of the lowest set bit; v must not be 0. */
static inline uint32_t lowest_bit(uint64_t v)
{
    return (uint32_t)__builtin_ctzll(v);
}

/* Index of the highest set bit; v must not be 0. */
static inline uint32_t highest_bit(uint64_t v)
{
    return 63u - (uint32_t)__builtin_clzll(v);
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif

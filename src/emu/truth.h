/* Truth tables of three inputs: bit 4a + 2b + c of the table is the result. */
#ifndef SUBCORE_EMU_TRUTH_H
#define SUBCORE_EMU_TRUTH_H

#include <stdint.h>

/* All ones where bit `i` of the table is set. */
static inline uint32_t truth_bit(uint32_t table, uint32_t i)
{
    return 0 - (table >> i & 1);
}

/* For each bit s ? x : y. */
static inline uint32_t truth_choose(uint32_t s, uint32_t x, uint32_t y)
{
    return y ^ ((x ^ y) & s);
}

/* The table for two inputs, bit 2a + b, for each bit. */
static inline uint32_t truth_2(uint32_t table, uint32_t a, uint32_t b)
{
    uint32_t when1 = truth_choose(b, truth_bit(table, 3), truth_bit(table, 2));
    uint32_t when0 = truth_choose(b, truth_bit(table, 1), truth_bit(table, 0));
    return truth_choose(a, when1, when0);
}

static inline uint32_t truth_3(uint32_t table, uint32_t a, uint32_t b, uint32_t c)
{
    return truth_choose(a, truth_2(table >> 4, b, c), truth_2(table, b, c));
}

#endif

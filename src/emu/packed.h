/* Words as packed elements of 8, 16 or 32 bits. */
#ifndef SUBCORE_EMU_PACKED_H
#define SUBCORE_EMU_PACKED_H

#include <stdint.h>

/* The low `bits` bits. */
static inline uint32_t packed_cut(uint32_t v, uint32_t bits)
{
    return v & (~0u >> (32 - bits));
}

/* Element at bit `at`, sign- or zero-extended. */
static inline int64_t packed_get(uint32_t v, uint32_t at, uint32_t bits, uint32_t is_signed)
{
    uint32_t element = packed_cut(v >> at, bits);
    uint32_t sign = is_signed ? 1u << (bits - 1) : 0;
    return (int64_t)(element ^ sign) - (int64_t)sign;
}

#endif

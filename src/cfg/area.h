/* Area of dependence management, in bits of storage (paper 7.5).
 *
 * Compared with the register file of an SM: 65,536 registers of 32 bits, 256 KB. */
#ifndef SUBCORE_CFG_AREA_H
#define SUBCORE_CFG_AREA_H

#include <stdint.h>

struct area {
    uint32_t warp_bits;          /* of one warp */
    uint64_t sm_bits;            /* of all warps of an SM */
    uint64_t percent_hundredths; /* of the register file, rounded: 532 = 5.32 % */
};

/* Control bits: 6 dependence counters of 6 bits, the 4-bit stall counter and the yield bit. */
struct area area_control_bits(uint32_t warps, uint64_t register_file_bits);

/* Two scoreboards over 332 registers: a pending-write bit, and a counter of up to `consumers`
 * readers. */
struct area area_scoreboards(uint32_t warps, uint32_t consumers, uint64_t register_file_bits);

/* Area of a register file in bits. */
uint64_t area_register_file_bits(uint32_t registers);

#endif

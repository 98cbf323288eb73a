/* Area of dependence management, in bits of storage (paper 7.5). */
#include "cfg/area.h"

#include "base/bits.h"

#define COUNTERS 6     /* SB0..SB5 */
#define COUNTER_BITS 6 /* 0..63 */
#define STALL_BITS 4
#define YIELD_BITS 1
/* 255 regular, 63 uniform registers, 7 + 7 predicates; the constant ones need no entry. */
#define SCOREBOARD_REGISTERS (255u + 63u + 7u + 7u)

static struct area of_warps(uint32_t warp_bits, uint32_t warps, uint64_t register_file_bits)
{
    struct area a = {.warp_bits = warp_bits, .sm_bits = (uint64_t)warp_bits * warps};
    if (register_file_bits > 0)
        a.percent_hundredths = (a.sm_bits * 10000 + register_file_bits / 2) / register_file_bits;
    return a;
}

struct area area_control_bits(uint32_t warps, uint64_t register_file_bits)
{
    return of_warps(COUNTERS * COUNTER_BITS + STALL_BITS + YIELD_BITS, warps, register_file_bits);
}

struct area area_scoreboards(uint32_t warps, uint32_t consumers, uint64_t register_file_bits)
{
    /* 0..consumers are consumers + 1 states. */
    uint32_t counter_bits = consumers == 0 ? 0 : highest_bit(consumers) + 1;
    return of_warps(SCOREBOARD_REGISTERS * (1 + counter_bits), warps, register_file_bits);
}

uint64_t area_register_file_bits(uint32_t registers)
{
    return (uint64_t)registers * 32;
}

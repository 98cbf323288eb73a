#include "unit/banks.h"

#include "base/bits.h"
#include "unit/coalesce.h"

#define MAX_BANKS 128
#define MAX_WORDS 4 /* of a lane */

/* Most different words in one bank among the lanes of `mask`. */
static uint32_t different_words(const struct dyn_inst *d, uint32_t mask, uint32_t words,
                                uint32_t banks)
{
    uint64_t seen[WARP_LANES * MAX_WORDS];
    uint8_t count[MAX_BANKS] = {0};
    uint32_t n = 0, worst = 0;
    for (; mask != 0; mask &= mask - 1) {
        uint64_t word = lane_address(d, lowest_bit(mask)) / 4;
        for (uint32_t w = 0; w < words; w++) {
            uint32_t i = 0;
            while (i < n && seen[i] != word + w)
                i++;
            if (i < n)
                continue;
            seen[n++] = word + w;
            uint32_t c = ++count[(word + w) % banks];
            if (c > worst)
                worst = c;
        }
    }
    return worst;
}

/* Most lanes of `mask` in one bank. */
static uint32_t lanes_of_a_bank(const struct dyn_inst *d, uint32_t mask, uint32_t words,
                                uint32_t banks)
{
    uint8_t count[MAX_BANKS] = {0};
    uint32_t worst = 0;
    for (; mask != 0; mask &= mask - 1) {
        uint64_t word = lane_address(d, lowest_bit(mask)) / 4;
        for (uint32_t w = 0; w < words; w++) {
            uint32_t c = ++count[(word + w) % banks];
            if (c > worst)
                worst = c;
        }
    }
    return worst;
}

/* Every active lane has the address of lane ^ `distance`, or that one is inactive. */
static bool agrees(const struct dyn_inst *d, uint32_t distance)
{
    for (uint32_t m = d->mask; m != 0; m &= m - 1) {
        uint32_t lane = lowest_bit(m), other = lane ^ distance;
        if ((d->mask >> other & 1) && lane_address(d, lane) != lane_address(d, other))
            return false;
    }
    return true;
}

struct bank_passes bank_passes(const struct dyn_inst *d, enum bank_access kind, uint32_t width,
                               uint32_t banks)
{
    struct bank_passes out = {0};
    if (d->addr_mode == ADDR_NONE || d->mask == 0)
        return out;
    uint32_t words = width <= 4 ? 1 : width / 4;
    if (words > MAX_WORDS)
        words = MAX_WORDS;
    if (words == 1 && d->addr_mode == ADDR_STRIDE && d->stride == 4 && banks >= WARP_LANES)
        return (struct bank_passes){1, 1};
    uint32_t lanes = WARP_LANES / words;
    if (kind == BANK_LOAD && words > 1 && (agrees(d, 1) || agrees(d, 2)))
        lanes *= 2;
    uint32_t group = lanes == WARP_LANES ? ~0u : (1u << lanes) - 1;
    for (uint32_t first = 0; first < WARP_LANES; first += lanes) {
        uint32_t mask = d->mask & (group << first);
        if (mask == 0)
            continue;
        out.fewest++;
        out.passes += kind == BANK_ATOMIC ? lanes_of_a_bank(d, mask, words, banks)
                                          : different_words(d, mask, words, banks);
    }
    return out;
}

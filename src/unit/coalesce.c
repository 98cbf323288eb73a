#include "unit/coalesce.h"

#include "base/bits.h"

uint64_t lane_address(const struct dyn_inst *d, uint32_t lane)
{
    if (d->addr_mode == ADDR_STRIDE)
        return d->addr.base + (uint64_t)((int64_t)d->stride * (int64_t)lane);
    return d->addr.list[lane];
}

static uint32_t add_line(struct line_access *out, uint32_t n, uint64_t line, uint32_t sectors)
{
    for (uint32_t i = n; i-- > 0;) {
        if (out[i].line == line) {
            out[i].sectors |= sectors;
            return n;
        }
    }
    if (n < COALESCE_MAX_LINES)
        out[n++] = (struct line_access){line, sectors};
    return n;
}

uint32_t coalesce_lines(const struct dyn_inst *d, uint32_t width, uint32_t line_bytes,
                        uint32_t sector_bytes, struct line_access out[COALESCE_MAX_LINES])
{
    uint32_t n = 0;
    if (d->addr_mode == ADDR_NONE)
        return 0;
    uint32_t bytes = width ? width : 4;
    for (uint32_t m = d->mask; m != 0; m &= m - 1) {
        uint64_t first = lane_address(d, lowest_bit(m));
        uint64_t last = first + bytes - 1;
        for (uint64_t line = first / line_bytes; line <= last / line_bytes; line++) {
            uint64_t start = line * line_bytes;
            uint64_t lo = first > start ? (first - start) / sector_bytes : 0;
            uint64_t hi = last < start + line_bytes - 1 ? (last - start) / sector_bytes
                                                        : line_bytes / sector_bytes - 1;
            n = add_line(out, n, line, (uint32_t)((2ull << hi) - (1ull << lo)));
        }
    }
    return n;
}

/* Most different words in one bank among the lanes of `mask`. */
static uint32_t group_passes(const struct dyn_inst *d, uint32_t mask, uint32_t words,
                             uint32_t banks)
{
    uint64_t seen[WARP_LANES * 4];
    uint8_t count[128] = {0};
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

uint32_t bank_passes(const struct dyn_inst *d, uint32_t width, uint32_t banks, uint32_t *fewest)
{
    *fewest = 0;
    if (d->addr_mode == ADDR_NONE)
        return 0;
    uint32_t words = width <= 4 ? 1 : width / 4;
    if (words > 4)
        words = 4;
    if (words == 1 && d->addr_mode == ADDR_STRIDE && d->stride == 4 && banks >= WARP_LANES) {
        *fewest = d->mask != 0;
        return *fewest;
    }
    uint32_t lanes = WARP_LANES / words;
    uint32_t group_mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
    uint32_t passes = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += lanes) {
        uint32_t mask = d->mask & (group_mask << first);
        if (mask == 0)
            continue;
        (*fewest)++;
        passes += group_passes(d, mask, words, banks);
    }
    return passes;
}

uint32_t bank_passes_atomic(const struct dyn_inst *d, uint32_t banks, uint32_t *fewest)
{
    uint8_t count[128] = {0};
    uint32_t worst = 0;
    *fewest = d->mask != 0;
    if (d->addr_mode == ADDR_NONE)
        return *fewest;
    for (uint32_t m = d->mask; m != 0; m &= m - 1) {
        uint32_t c = ++count[lane_address(d, lowest_bit(m)) / 4 % banks];
        if (c > worst)
            worst = c;
    }
    return worst;
}

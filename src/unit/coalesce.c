#include "unit/coalesce.h"

#include <string.h>

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
        out[n++] = (struct line_access){.line = line, .sectors = sectors};
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

/* Index of a line among those given; lanes near each other are in lines near each other. */
static uint32_t line_index(const struct line_access *lines, uint32_t count, uint64_t line,
                           uint32_t guess)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = guess + i < count ? guess + i : guess + i - count;
        if (lines[at].line == line)
            return at;
    }
    return count;
}

/* Bits of a sector's map that the bytes [first, last] cover; one bit is 1/32 of a sector. */
static uint32_t sector_bits(uint64_t first, uint64_t last, uint64_t start, uint32_t bytes)
{
    uint64_t lo = first > start ? (first - start) * 32 / bytes : 0;
    uint64_t hi = last < start + bytes - 1 ? (last - start) * 32 / bytes : 31;
    return (uint32_t)((2ull << hi) - (1ull << lo));
}

void coalesce_partial(const struct dyn_inst *d, uint32_t width, uint32_t line_bytes,
                      uint32_t sector_bytes, struct line_access *lines, uint32_t count)
{
    uint32_t covered[COALESCE_MAX_LINES][COALESCE_MAX_SECTORS];
    uint32_t bytes = width ? width : 4, at = 0;
    memset(covered, 0, count * sizeof covered[0]);
    for (uint32_t m = d->mask; m != 0; m &= m - 1) {
        uint64_t first = lane_address(d, lowest_bit(m)), last = first + bytes - 1;
        for (uint64_t s = first / sector_bytes; s <= last / sector_bytes; s++) {
            at = line_index(lines, count, s * sector_bytes / line_bytes, at);
            if (at == count)
                return;
            covered[at][s % (line_bytes / sector_bytes)] |=
                sector_bits(first, last, s * sector_bytes, sector_bytes);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        lines[i].partial = 0;
        for (uint32_t s = lines[i].sectors; s != 0; s &= s - 1) {
            if (covered[i][lowest_bit(s)] != UINT32_MAX)
                lines[i].partial |= s & -s;
        }
    }
}

void coalesce_passes(const struct dyn_inst *d, uint32_t line_bytes, uint32_t sector_bytes,
                     struct line_access *lines, uint32_t count)
{
    uint8_t most[COALESCE_MAX_LINES][COALESCE_MAX_SECTORS];
    uint32_t at = 0;
    memset(most, 0, count * sizeof most[0]);
    for (uint32_t m = d->mask; m != 0; m &= m - 1) {
        uint64_t address = lane_address(d, lowest_bit(m));
        uint32_t same = 0;
        for (uint32_t before = d->mask & ~(m & -m) & ((m & -m) - 1); before; before &= before - 1)
            same += lane_address(d, lowest_bit(before)) / 4 == address / 4;
        at = line_index(lines, count, address / line_bytes, at);
        if (at == count)
            return;
        uint8_t *sector = &most[at][address % line_bytes / sector_bytes];
        if (*sector < same + 1)
            *sector = (uint8_t)(same + 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        lines[i].passes = 0;
        for (uint32_t s = lines[i].sectors; s != 0; s &= s - 1)
            lines[i].passes += most[i][lowest_bit(s)];
    }
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

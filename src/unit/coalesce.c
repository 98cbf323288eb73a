#include "unit/coalesce.h"

#include <string.h>

#include "base/bits.h"

uint64_t lane_address(const struct dyn_inst *d, uint32_t lane)
{
    if (d->addr_mode == ADDR_STRIDE)
        return d->addr.base + (uint64_t)((int64_t)d->stride * (int64_t)lane);
    return d->addr.list[lane];
}

static uint32_t add_line(struct line_access *out, uint32_t n, uint64_t line, uint32_t sectors,
                         uint32_t parts)
{
    for (uint32_t i = n; i-- > 0;) {
        if (out[i].line == line) {
            out[i].sectors |= sectors;
            out[i].parts |= parts;
            return n;
        }
    }
    if (n < COALESCE_MAX_LINES)
        out[n++] = (struct line_access){.line = line, .sectors = sectors, .parts = parts};
    return n;
}

/* Bits lo..hi. */
static uint32_t bit_range(uint64_t lo, uint64_t hi)
{
    return (uint32_t)((2ull << hi) - (1ull << lo));
}

uint32_t coalesce_lines(const struct dyn_inst *d, uint32_t width, uint32_t line_bytes,
                        uint32_t sector_bytes, struct line_access out[COALESCE_MAX_LINES])
{
    uint32_t n = 0;
    if (d->addr_mode == ADDR_NONE)
        return 0;
    uint32_t bytes = width ? width : 4, part_bytes = line_bytes / LINE_PARTS;
    for (uint32_t m = d->mask; m != 0; m &= m - 1) {
        uint64_t first = lane_address(d, lowest_bit(m));
        uint64_t last = first + bytes - 1;
        for (uint64_t line = first / line_bytes; line <= last / line_bytes; line++) {
            uint64_t start = line * line_bytes;
            uint64_t lo = first > start ? first - start : 0;
            uint64_t hi = last - start < line_bytes ? last - start : line_bytes - 1;
            n = add_line(out, n, line, bit_range(lo / sector_bytes, hi / sector_bytes),
                         bit_range(lo / part_bytes, hi / part_bytes));
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

#include "trace/accelsim_addr.h"

#include "base/bits.h"
#include "trace/accelsim_text.h"

/* True when the set bits of a mask (not 0) are one run. */
static bool contiguous(uint32_t mask)
{
    uint32_t run = mask >> lowest_bit(mask);
    return (run & (run + 1)) == 0;
}

static void set_stride(struct line_tail *out, uint32_t mask, uint64_t first, int32_t stride)
{
    out->mode = LINE_ADDR_STRIDE;
    out->stride = stride;
    out->base = first - (uint64_t)((int64_t)lowest_bit(mask) * stride);
}

/* Makes a list a stride where it is one: a producer without compression lists everything. */
static void settle_list(struct line_tail *out, uint32_t mask)
{
    uint32_t lane = lowest_bit(mask), last = highest_bit(mask);
    out->mode = LINE_ADDR_LIST;
    if (!contiguous(mask))
        return;
    uint64_t first = out->list[lane];
    int64_t stride = lane == last ? 0 : (int64_t)(out->list[lane + 1] - first);
    if (stride < INT32_MIN || stride > INT32_MAX)
        return;
    for (uint32_t i = lane + 1; i <= last; i++)
        if (out->list[i] - out->list[i - 1] != (uint64_t)stride)
            return;
    set_stride(out, mask, first, (int32_t)stride);
}

static bool read_address(const char **p, uint64_t *out, const struct accelsim_place *at,
                         struct sim_err *err)
{
    if (!text_hex(p, out))
        return place_expected(at, "a hexadecimal address", *p, err);
    return true;
}

static bool read_list(uint32_t mask, const char **p, struct line_tail *out,
                      const struct accelsim_place *at, struct sim_err *err)
{
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        out->list[i] = 0;
        if (mask >> i & 1)
            TRY(read_address(p, &out->list[i], at, err));
    }
    if (mask)
        settle_list(out, mask);
    return true;
}

static bool read_stride(uint32_t mask, const char **p, struct line_tail *out,
                        const struct accelsim_place *at, struct sim_err *err)
{
    uint64_t base;
    int64_t stride;
    TRY(read_address(p, &base, at, err));
    const char *start = *p;
    if (!text_i64(p, &stride) || stride < INT32_MIN || stride > INT32_MAX)
        return place_expected(at, "a decimal stride of 32 bits", start, err);
    if (mask == 0)
        return true; /* "1 0x0 0": there is nothing to say */
    if (!contiguous(mask))
        return place_error(
            at, err, "expected one run of active lanes with address mode 1, found mask %08x", mask);
    set_stride(out, mask, base, (int32_t)stride);
    return true;
}

/* In version 6 operations of the whole warp (SYNCS) give one address and no delta: then the two
 * immediates and Val or NoVal come at once. */
static bool one_address_for_all(uint32_t version, const char *p)
{
    if (version < 6)
        return false;
    p = text_skip_blanks(text_skip_token(text_skip_token(p)));
    return *p == 'V' || *p == 'N';
}

/* The base and one delta for each active lane but the first. */
static bool read_deltas(uint32_t version, uint32_t mask, const char **p, struct line_tail *out,
                        const struct accelsim_place *at, struct sim_err *err)
{
    uint64_t address;
    TRY(read_address(p, &address, at, err));
    if (mask == 0)
        return true;
    if (one_address_for_all(version, *p)) {
        set_stride(out, mask, address, 0);
        return true;
    }
    uint32_t first = lowest_bit(mask);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        out->list[i] = 0;
        if (!(mask >> i & 1))
            continue;
        int64_t delta = 0;
        if (i != first && !text_i64(p, &delta))
            return place_expected(at, "a decimal address delta", *p, err);
        address += (uint64_t)delta;
        out->list[i] = address;
    }
    settle_list(out, mask);
    return true;
}

bool addr_read(uint32_t version, uint32_t mask, const char **p, struct line_tail *out,
               const struct accelsim_place *at, struct sim_err *err)
{
    const char *s = text_skip_blanks(*p);
    if (version < 3) {
        /* The first tracer of 2020 lists the addresses without a mode. */
        bool no_mode = s[0] == '0' && s[1] == 'x';
        if (no_mode || (mask == 0 && *s == '\0'))
            return read_list(mask, p, out, at, err);
    }
    uint32_t mode;
    if (!text_u32(p, &mode) || mode > 2)
        return place_expected(at, "an address mode, 0 to 2", s, err);
    if (mode == 0)
        return read_list(mask, p, out, at, err);
    if (mode == 1)
        return read_stride(mask, p, out, at, err);
    return read_deltas(version, mask, p, out, at, err);
}

static bool tma_number(const char **p, const char *what, uint64_t *out,
                       const struct accelsim_place *at, struct sim_err *err)
{
    if (!text_u64(p, UINT64_MAX, out))
        return place_expected(at, what, *p, err);
    return true;
}

/* Mode 3: COUNT addresses. Mode 4: a base, COUNT, COUNT - 1 deltas. */
static bool tma_addresses(uint64_t mode, const char **p, const struct accelsim_place *at,
                          struct sim_err *err)
{
    uint64_t address, count;
    if (mode == 4)
        TRY(read_address(p, &address, at, err));
    TRY(tma_number(p, "a number of addresses", &count, at, err));
    for (uint64_t i = mode == 4; i < count; i++) {
        int64_t delta;
        if (mode == 3)
            TRY(read_address(p, &address, at, err));
        else if (!text_i64(p, &delta))
            return place_expected(at, "a decimal address delta", *p, err);
    }
    return true;
}

bool addr_read_tma(const char **p, const struct accelsim_place *at, struct sim_err *err)
{
    uint64_t mbar, multicast, mask, bytes, mode;
    if (!text_hex(p, &mbar))
        return place_expected(at, "the address of an mbarrier", *p, err);
    const char *start = *p;
    TRY(tma_number(p, "a multicast flag, 0 or 1", &multicast, at, err));
    if (multicast > 1)
        return place_expected(at, "a multicast flag, 0 or 1", start, err);
    if (multicast == 1 && !text_hex(p, &mask))
        return place_expected(at, "a mask of CTAs", *p, err);
    TRY(tma_number(p, "a number of bytes", &bytes, at, err));
    TRY(tma_number(p, "a number of bytes out of bounds", &bytes, at, err));
    start = *p;
    TRY(tma_number(p, "address mode 3 or 4", &mode, at, err));
    if (mode != 3 && mode != 4)
        return place_expected(at, "address mode 3 or 4", start, err);
    return tma_addresses(mode, p, at, err);
}

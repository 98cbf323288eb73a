#include "emu/memory_lanes.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "emu/hot.h"
#include "emu/memory.h"

static bool misaligned(struct emu_warp *w, const struct emu_op *op, uint32_t lane,
                       const char *space, uint64_t addr)
{
    emu_fault_set(w, op, lane, "misaligned %s access of %" PRIu32 " bytes at 0x%" PRIx64, space,
                  op->param[EMU_PARAM_BYTES], addr);
    return false;
}

/* All active lanes in buffer `b`, aligned? Fills `offset` from the buffer's start. */
EMU_HOT static bool all_in_buffer(const struct emu_buffer *b, uint32_t mask,
                                  const uint64_t addr[WARP_LANES], uint32_t bytes,
                                  uint64_t offset[WARP_LANES])
{
    if (b->bytes < bytes)
        return false;
    uint64_t last = b->bytes - bytes, base = b->addr, low = bytes - 1;
    uint64_t bad = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        offset[i] = addr[i] - base;
        uint64_t wrong = (uint64_t)(offset[i] > last) | (addr[i] & low);
        bad |= mask >> i & 1 ? wrong : 0;
    }
    return bad == 0;
}

EMU_HOT static bool is_dense(const uint64_t offset[WARP_LANES], uint32_t bytes)
{
    uint64_t differs = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        differs |= offset[i] ^ (offset[0] + (uint64_t)i * bytes);
    return differs == 0;
}

/* Each lane in whatever buffer it is. */
static bool global_lane_by_lane(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                                const uint64_t addr[WARP_LANES], uint32_t bytes, struct emu_at *at)
{
    const struct emu_launch *l = w->cta->launch;
    uint32_t first = lowest_bit(mask);
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t i = lowest_bit(left);
        if (addr[i] & (bytes - 1))
            return misaligned(w, op, i, "global", addr[i]);
        uint32_t n = emu_memory_find(l, addr[i], bytes);
        if (n == EMU_NO_BUFFER) {
            emu_memory_fault_global(w, op, i, addr[i], bytes);
            return false;
        }
        at->lane[i] = l->buffers[n].data + (addr[i] - l->buffers[n].addr);
    }
    for (uint32_t left = ~mask; left; left &= left - 1)
        at->lane[lowest_bit(left)] = at->lane[first];
    return true;
}

bool emu_global_at(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                   const uint64_t addr[WARP_LANES], uint32_t bytes, struct emu_at *at)
{
    struct emu_cta *cta = w->cta;
    const struct emu_launch *l = cta->launch;
    uint64_t offset[WARP_LANES];
    uint32_t first = lowest_bit(mask);
    at->dense = false;
    bool one = l->buffer_count > 0 &&
               all_in_buffer(&l->buffers[cta->last_buffer], mask, addr, bytes, offset);
    if (!one) {
        uint32_t n = emu_memory_find(l, addr[first], bytes);
        if (n != EMU_NO_BUFFER) {
            cta->last_buffer = n;
            one = all_in_buffer(&l->buffers[n], mask, addr, bytes, offset);
        }
    }
    if (!one)
        return global_lane_by_lane(w, op, mask, addr, bytes, at);
    uint8_t *data = l->buffers[cta->last_buffer].data;
    at->dense = mask == ~0u && is_dense(offset, bytes);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        at->lane[i] = data + offset[mask >> i & 1 ? i : first];
    return true;
}

static bool shared_bounds(struct emu_warp *w, const struct emu_op *op, uint32_t lane,
                          uint32_t offset, uint32_t bytes)
{
    const struct emu_cta *cta = w->cta;
    if (offset & (bytes - 1))
        return misaligned(w, op, lane, "shared", offset);
    uint32_t size = cta->launch->shared_bytes;
    if (size >= bytes && offset <= size - bytes && offset >= cta->shared_first)
        return true;
    emu_fault_set(w, op, lane,
                  "shared access of %" PRIu32 " bytes at offset 0x%" PRIx32
                  " is outside the CTA's shared memory, 0x%" PRIx32 " to 0x%" PRIx32,
                  bytes, offset, cta->shared_first, size);
    return false;
}

static bool shared_written(struct emu_warp *w, const struct emu_op *op, uint32_t lane,
                           uint32_t offset, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        if (!w->cta->written[offset + i]) {
            emu_fault_set(w, op, lane,
                          "read of shared memory that was never written, at offset 0x%" PRIx32,
                          offset + i);
            return false;
        }
    return true;
}

uint8_t *emu_shared_lane(struct emu_warp *w, const struct emu_op *op, uint32_t lane,
                         uint32_t offset, uint32_t bytes, enum emu_use use)
{
    struct emu_cta *cta = w->cta;
    if (!shared_bounds(w, op, lane, offset, bytes))
        return NULL;
    if (use == EMU_WRITE)
        memset(cta->written + offset, 0xff, bytes);
    else if (!shared_written(w, op, lane, offset, bytes))
        return NULL;
    if (cta->races && !emu_race_use(w, op, lane, offset, bytes, use))
        return NULL;
    return cta->shared + offset;
}

/* Bounds and alignment of all lanes at once. */
EMU_HOT static bool all_in_range(const uint32_t offset[WARP_LANES], uint32_t first, uint32_t last,
                                 uint32_t low)
{
    uint32_t bad = 0, range = last - first;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        bad |= (uint32_t)(offset[i] - first > range) | (offset[i] & low);
    return bad == 0;
}

/* Whole words: all bytes of all lanes written? */
static bool all_written(const uint8_t *written, const uint32_t offset[WARP_LANES], uint32_t words)
{
    uint32_t all = ~0u;
    for (uint32_t k = 0; k < words; k++)
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint32_t v;
            memcpy(&v, written + offset[i] + (size_t)k * 4, sizeof v);
            all &= v;
        }
    return all == ~0u;
}

static void mark_words(uint8_t *written, const uint32_t offset[WARP_LANES], uint32_t words)
{
    static const uint32_t ones = ~0u;
    for (uint32_t k = 0; k < words; k++)
        for (uint32_t i = 0; i < WARP_LANES; i++)
            memcpy(written + offset[i] + (size_t)k * 4, &ones, sizeof ones);
}

/* The checks of emu_shared_at() for whole words of all lanes at once; false when they find
 * something, which lane by lane is found again and named. */
static bool shared_at_once(struct emu_cta *cta, const uint32_t offset[WARP_LANES], uint32_t bytes,
                           enum emu_use use)
{
    uint32_t size = cta->launch->shared_bytes;
    if (bytes < 4 || cta->races || size < cta->shared_first + bytes ||
        !all_in_range(offset, cta->shared_first, size - bytes, bytes - 1))
        return false;
    if (use != EMU_WRITE)
        return all_written(cta->written, offset, bytes / 4);
    mark_words(cta->written, offset, bytes / 4);
    return true;
}

bool emu_shared_at(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                   const uint32_t offset[WARP_LANES], enum emu_use use, struct emu_at *at)
{
    struct emu_cta *cta = w->cta;
    uint32_t bytes = op->param[EMU_PARAM_BYTES];
    uint32_t mine[WARP_LANES]; /* of lanes that are not active: an active lane's */
    const uint32_t *all = offset;
    if (mask != ~0u) {
        uint32_t first = offset[lowest_bit(mask)];
        for (uint32_t i = 0; i < WARP_LANES; i++)
            mine[i] = mask >> i & 1 ? offset[i] : first;
        all = mine;
    }
    if (!shared_at_once(cta, all, bytes, use))
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t i = lowest_bit(left);
            if (!emu_shared_lane(w, op, i, offset[i], bytes, use))
                return false;
        }
    at->dense = false;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        at->lane[i] = cta->shared + all[i];
    return true;
}

static uint8_t *local_lane(struct emu_warp *w, const struct emu_op *op, uint32_t lane,
                           uint32_t offset)
{
    struct emu_cta *cta = w->cta;
    uint32_t bytes = op->param[EMU_PARAM_BYTES];
    if (offset & (bytes - 1)) {
        misaligned(w, op, lane, "local", offset);
        return NULL;
    }
    if (cta->local_bytes < bytes || offset > cta->local_bytes - bytes) {
        emu_fault_set(w, op, lane,
                      "local access of %" PRIu32 " bytes at offset 0x%" PRIx32
                      " is outside the thread's %" PRIu32 " bytes",
                      bytes, offset, cta->local_bytes);
        return NULL;
    }
    size_t row = (size_t)w->index * (cta->local_bytes / 4) + offset / 4;
    return (uint8_t *)(cta->local + row * WARP_LANES + lane) + offset % 4;
}

bool emu_local_at(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                  const uint32_t offset[WARP_LANES], struct emu_at *at)
{
    at->dense = false;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t i = lowest_bit(left);
        at->lane[i] = local_lane(w, op, i, offset[i]);
        if (!at->lane[i])
            return false;
    }
    for (uint32_t left = ~mask; left; left &= left - 1)
        at->lane[lowest_bit(left)] = at->lane[lowest_bit(mask)];
    return true;
}

static uint32_t in_window(const uint64_t addr[WARP_LANES], uint64_t window)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        lanes |= (uint32_t)(addr[i] - window < EMU_WINDOW_BYTES) << i;
    return lanes;
}

uint32_t emu_in_shared_window(const uint64_t addr[WARP_LANES])
{
    return in_window(addr, EMU_SHARED_WINDOW);
}

uint32_t emu_in_local_window(const uint64_t addr[WARP_LANES])
{
    return in_window(addr, EMU_LOCAL_WINDOW);
}

bool emu_generic_at(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                    const uint64_t addr[WARP_LANES], enum emu_use use, struct emu_at *at)
{
    uint32_t bytes = op->param[EMU_PARAM_BYTES];
    uint32_t shared = mask & emu_in_shared_window(addr), local = mask & emu_in_local_window(addr);
    uint32_t global = mask & ~(shared | local);
    at->dense = false;
    if (global && !emu_global_at(w, op, global, addr, bytes, at))
        return false;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        at->step[i] = 4;
    for (uint32_t left = shared | local; left; left &= left - 1) {
        uint32_t i = lowest_bit(left), offset = (uint32_t)addr[i];
        if (local >> i & 1) {
            at->lane[i] = local_lane(w, op, i, offset);
            at->step[i] = EMU_LOCAL_STEP;
        } else {
            at->lane[i] = emu_shared_lane(w, op, i, offset, bytes, use);
        }
        if (!at->lane[i])
            return false;
    }
    for (uint32_t left = ~mask; left; left &= left - 1) {
        uint32_t i = lowest_bit(left), first = lowest_bit(mask);
        at->lane[i] = at->lane[first];
        at->step[i] = at->step[first];
    }
    return true;
}

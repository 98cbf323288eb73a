#include "trace/accelsim_space.h"

#include "base/bits.h"

/* The windows of shared and local memory in the generic address space are 16 MiB each. */
#define WINDOW_BYTES ((uint64_t)16 << 20)

static uint64_t lane_address(const struct line_tail *tail, uint32_t lane)
{
    if (tail->mode == LINE_ADDR_LIST)
        return tail->list[lane];
    return tail->base + (uint64_t)((int64_t)lane * tail->stride);
}

/* A window starts at `base`; the other window may begin inside its 16 MiB. */
static bool in_window(uint64_t address, uint64_t base, uint64_t other)
{
    uint64_t end = base + WINDOW_BYTES;
    if (other > base && other < end)
        end = other;
    return address >= base && address < end;
}

static enum mem_space space_of(const struct accelsim_header *h, uint64_t address)
{
    if (in_window(address, h->shared_base, h->local_base))
        return MEM_SHARED;
    return in_window(address, h->local_base, h->shared_base) ? MEM_LOCAL : MEM_GLOBAL;
}

static bool generic_space(const struct accelsim_builder *b, uint32_t mask,
                          const struct line_tail *tail, enum mem_space *space, struct sim_err *err)
{
    const struct accelsim_header *h = b->header;
    *space = MEM_GLOBAL;
    if (mask == 0 || tail->mode == LINE_ADDR_NONE)
        return true;
    if (h->shared_base == 0 || h->local_base == 0) {
        *space = MEM_SHARED;
        return place_warn(b->at, err,
                          "generic accesses are taken as shared, since the header "
                          "gives no shmem and local mem base_addr");
    }
    *space = space_of(h, lane_address(tail, lowest_bit(mask)));
    return true;
}

/* Shared accesses as offsets into the window; those that are offsets already stay. */
static void make_relative(const struct accelsim_header *h, uint32_t mask, struct line_tail *tail)
{
    uint64_t first = lane_address(tail, lowest_bit(mask));
    if (h->shared_base == 0 || !in_window(first, h->shared_base, h->local_base))
        return;
    if (tail->mode == LINE_ADDR_STRIDE) {
        tail->base -= h->shared_base;
        return;
    }
    for (uint32_t i = 0; i < WARP_LANES; i++)
        if (mask >> i & 1)
            tail->list[i] -= h->shared_base;
}

static bool has_zero(uint32_t mask, const struct line_tail *tail)
{
    if (tail->mode == LINE_ADDR_STRIDE) {
        uint64_t low = lane_address(tail, lowest_bit(mask));
        return low == 0 || lane_address(tail, highest_bit(mask)) == 0;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        if (tail->list[lowest_bit(rest)] == 0)
            return true;
    return false;
}

bool space_resolve(const struct accelsim_builder *b, struct accelsim_entry *e, uint32_t mask,
                   struct line_tail *tail, uint32_t *id, struct sim_err *err)
{
    enum mem_space space = (enum mem_space)e->inst.mem_space;
    if (space == MEM_GENERIC) {
        TRY(generic_space(b, mask, tail, &space, err));
        TRY(table_generic(b->table, e, space, id, err));
    }
    if (mask == 0 || tail->mode == LINE_ADDR_NONE)
        return true;
    if (space == MEM_SHARED)
        make_relative(b->header, mask, tail);
    if (space == MEM_GLOBAL && has_zero(mask, tail))
        return place_warn(b->at, err, "global accesses to address 0 (%s): the tracer lost them",
                          e->inst.opcode);
    return true;
}

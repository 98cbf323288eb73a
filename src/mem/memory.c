#include "mem/memory.h"

#include <string.h>

#include "base/bits.h"

bool memory_init(struct memory *m, const struct config *cfg, uint32_t sms, struct arena *arena)
{
    memset(m, 0, sizeof *m);
    m->cfg = cfg;
    m->sms = sms;
    m->slice_free = arena_array(arena, cfg->l2.slices, sizeof *m->slice_free);
    m->reply_free = arena_array(arena, sms, sizeof *m->reply_free);
    /* Bytes a core cycle = bus bytes * transfers * memory MHz / core MHz, kept as a fraction. */
    m->dram_scale =
        (uint64_t)cfg->dram.bus_bits * cfg->dram.transfers_per_clock * cfg->dram.memory_mhz;
    m->dram_sector_cost = (uint64_t)cfg->l1d.sector_bytes * 8 * cfg->gpu.core_mhz;
    return m->slice_free && m->reply_free &&
           tags_init(&m->l2, arena, cfg->l2.bytes, cfg->l2.line_bytes, cfg->l2.ways);
}

cycle_t memory_latency(const struct config *cfg)
{
    return (cycle_t)cfg->l2.request_cycles + cfg->l2.access_cycles + cfg->l2.reply_cycles;
}

/* Moves one sector over the DRAM bus; returns the cycle it is there. */
static cycle_t dram_move(struct memory *m, cycle_t now)
{
    uint64_t at = max_u64(m->dram_free, now * m->dram_scale);
    m->dram_free = at + m->dram_sector_cost;
    return (m->dram_free + m->dram_scale - 1) / m->dram_scale;
}

/* Reads the sectors of a line; returns the cycle the last one is there. */
static cycle_t read_sectors(struct memory *m, uint64_t line, uint32_t sectors, cycle_t now)
{
    uint32_t e = tags_find(&m->l2, line);
    if (e == TAGS_NONE)
        e = tags_insert(&m->l2, line);
    else
        tags_touch(&m->l2, e);
    struct tag_line *l = &m->l2.lines[e];
    uint32_t missing = sectors & ~l->valid;
    m->stats.l2_read_sectors += popcount32(sectors);
    m->stats.l2_read_hits += popcount32(sectors & l->valid);
    m->stats.l2_read_misses += popcount32(missing);
    m->stats.dram_read_bytes += (uint64_t)popcount32(missing) * m->cfg->l1d.sector_bytes;
    cycle_t ready = max_u64(now, l->ready);
    for (uint32_t s = missing; s != 0; s &= s - 1)
        ready = max_u64(ready, dram_move(m, now) + m->cfg->dram.access_cycles);
    l->valid |= sectors;
    l->ready = ready;
    return ready;
}

/* Write-back with sector allocation: the sectors are in the L2 and reach DRAM some time later,
 * which takes bandwidth now. */
static void write_sectors(struct memory *m, uint64_t line, uint32_t sectors, cycle_t now)
{
    uint32_t e = tags_find(&m->l2, line);
    if (e == TAGS_NONE)
        e = tags_insert(&m->l2, line);
    else
        tags_touch(&m->l2, e);
    struct tag_line *l = &m->l2.lines[e];
    uint32_t fresh = popcount32(sectors & ~l->valid);
    l->valid |= sectors;
    m->stats.l2_write_sectors += popcount32(sectors);
    m->stats.dram_write_bytes += (uint64_t)fresh * m->cfg->l1d.sector_bytes;
    for (uint32_t i = 0; i < fresh; i++)
        dram_move(m, now);
}

/* The network gives an SM so many sectors a cycle. */
static cycle_t reply_at(struct memory *m, uint32_t sm, uint32_t sectors, cycle_t ready)
{
    uint32_t per_cycle = m->cfg->l2.sm_sectors_per_cycle;
    uint64_t at = max_u64(m->reply_free[sm], ready * per_cycle);
    m->reply_free[sm] = at + sectors;
    /* The first packet of a quiet network is not delayed by its own length. */
    return at / per_cycle + m->cfg->l2.reply_cycles;
}

cycle_t memory_serve(struct memory *m, const struct mem_request *r)
{
    const struct l2_cfg *l2 = &m->cfg->l2;
    uint32_t n = popcount32(r->sectors);
    cycle_t *slice = &m->slice_free[((r->line * 0x9E3779B97F4A7C15ull) >> 40) % l2->slices];
    cycle_t start = max_u64(*slice, r->send + l2->request_cycles);
    *slice = start + n;
    cycle_t ready = start + l2->access_cycles;
    if (r->kind == MEM_WRITE) {
        write_sectors(m, r->line, r->sectors, start);
        return ready + l2->reply_cycles;
    }
    ready = read_sectors(m, r->line, r->sectors, ready);
    return reply_at(m, r->sm, r->kind == MEM_ATOMIC ? 1 : n, ready);
}

void memory_copy(struct memory *m, uint64_t addr, uint64_t bytes)
{
    uint32_t line_bytes = m->cfg->l2.line_bytes;
    if (bytes == 0)
        return;
    uint64_t first = addr / line_bytes, last = (addr + bytes - 1) / line_bytes;
    /* Only what can stay is worth putting in. */
    uint64_t most = m->cfg->l2.bytes / line_bytes;
    if (last - first >= most)
        first = last - most + 1;
    for (uint64_t line = first; line <= last; line++) {
        uint32_t e = tags_find(&m->l2, line);
        if (e == TAGS_NONE)
            e = tags_insert(&m->l2, line);
        m->l2.lines[e].valid = 0xf;
    }
}

#include "mem/dram.h"

/* Nanoseconds to core cycles, rounded up. */
static cycle_t core_cycles(const struct config *cfg, uint32_t ns)
{
    return ((uint64_t)ns * cfg->gpu.core_mhz + 999) / 1000;
}

static uint32_t log2_of(uint32_t power_of_two)
{
    return lowest_bit(power_of_two);
}

void dram_timing_init(struct dram_timing *t, const struct config *cfg)
{
    const struct dram_cfg *d = &cfg->dram;
    *t = (struct dram_timing){
        .access = d->access_cycles,
        .cas = core_cycles(cfg, d->cas_ns),
        .activate = core_cycles(cfg, d->activate_ns),
        .precharge = core_cycles(cfg, d->precharge_ns),
        .row_active = core_cycles(cfg, d->row_active_ns),
        .refresh = core_cycles(cfg, d->refresh_ns),
        .refresh_interval = core_cycles(cfg, d->refresh_interval_ns),
        .read_to_write = core_cycles(cfg, d->read_to_write_ns),
        .write_to_read = core_cycles(cfg, d->write_to_read_ns),
        .write_gap = core_cycles(cfg, d->write_gap_ns),
        .activation = server_cost((uint64_t)d->activate_interval_ns * cfg->gpu.core_mhz, 1000),
        .access_sectors = d->access_bytes / cfg->l1d.sector_bytes,
        .access_bytes = d->access_bytes,
        .write_batch = d->write_batch,
        .row_shift = log2_of(d->row_bytes / cfg->l2.line_bytes),
        .bank_shift = log2_of(d->banks),
    };
    /* Bits of an access / bits a core cycle on the channel's share of the bus. */
    t->transfer = server_cost((uint64_t)d->access_bytes * 8 * cfg->gpu.core_mhz * d->channels,
                              (uint64_t)d->bus_bits * d->transfers_per_clock * d->memory_mhz);
}

bool dram_channel_init(struct dram_channel *c, const struct dram_timing *t, uint32_t index,
                       uint32_t count, struct arena *arena)
{
    *c = (struct dram_channel){.t = t};
    c->next_refresh = t->refresh_interval * (index + 1) / count;
    c->banks = arena_array(arena, 1u << t->bank_shift, sizeof *c->banks);
    return c->banks != NULL;
}

/* All banks are refreshed every so often. What the bus has left to do then waits, rows are closed.
 */
static void refresh(struct dram_channel *c, cycle_t now)
{
    const struct dram_timing *t = c->t;
    if (t->refresh == 0)
        return;
    while (max_u64(server_end(&c->bus), now) > c->next_refresh) {
        if (server_end(&c->bus) <= c->next_refresh &&
            now - c->next_refresh >= t->refresh_interval) {
            /* Nothing happened through whole intervals. */
            c->next_refresh += (now - c->next_refresh) / t->refresh_interval * t->refresh_interval;
        }
        c->refresh_end = c->next_refresh + t->refresh;
        c->bus.free =
            max_u64(c->bus.free, c->next_refresh << SERVER_SHIFT) + (t->refresh << SERVER_SHIFT);
        c->refreshes++;
        c->next_refresh += t->refresh_interval;
    }
}

static struct dram_row *find_row(struct dram_bank *b, uint64_t row, cycle_t now)
{
    for (uint32_t i = 0; i < DRAM_ROWS; i++) {
        if (b->rows[i].row == row && b->rows[i].close > now)
            return &b->rows[i];
    }
    return NULL;
}

/* Opens a row, whose first access has its turn on the bus at `turn`. */
static struct dram_row *open_row(struct dram_channel *c, struct dram_bank *b, uint64_t row,
                                 cycle_t now, cycle_t turn, struct sim_stats *stats)
{
    const struct dram_timing *t = c->t;
    struct dram_row *old = &b->rows[b->newest];
    cycle_t start = max_u64(now, c->refresh_end);
    if (b->refreshes == c->refreshes + 1) {
        /* Not before the row it replaces may be closed, nor long before it is needed. */
        cycle_t lead = t->precharge + t->activate + t->cas;
        start = max_u64(start, old->open + t->row_active - t->activate);
        start = max_u64(start, turn > lead ? turn - lead : 0);
        old->close = start;
        start += t->precharge;
        stats->dram_row_conflicts++;
    } else {
        for (uint32_t i = 0; i < DRAM_ROWS; i++)
            b->rows[i].close = 0;
        stats->dram_row_misses++;
    }
    start = max_u64(start, server_take(&c->activations, now, t->activation));
    b->refreshes = c->refreshes + 1;
    b->newest = (b->newest + 1) % DRAM_ROWS;
    b->rows[b->newest] =
        (struct dram_row){.row = row, .open = start + t->activate, .close = CYCLE_NEVER};
    return &b->rows[b->newest];
}

/* The cycle from which the columns of a line can be read. */
static cycle_t row_open(struct dram_channel *c, uint64_t line, cycle_t now, cycle_t turn,
                        struct sim_stats *stats)
{
    const struct dram_timing *t = c->t;
    uint64_t row = line >> t->row_shift;
    uint64_t rotation = (row >> t->bank_shift) * 0x9E3779B97F4A7C15ull >> 32;
    struct dram_bank *b = &c->banks[(row + rotation) & ((1u << t->bank_shift) - 1)];
    struct dram_row *r = b->refreshes == c->refreshes + 1 ? find_row(b, row, now) : NULL;
    if (r)
        stats->dram_row_hits++;
    else
        r = open_row(c, b, row, now, turn, stats);
    return max_u64(now, r->open);
}

void dram_read(struct dram_channel *c, uint64_t line, uint32_t sectors, struct trip *trip,
               struct sim_stats *stats)
{
    const struct dram_timing *t = c->t;
    uint32_t n = popcount32(sectors) / t->access_sectors;
    refresh(c, trip->in);
    if (c->writing) {
        server_take(&c->bus, trip->in, t->write_to_read << SERVER_SHIFT);
        c->writing = false;
    }
    cycle_t turn = server_take(&c->bus, trip->in, n * t->transfer);
    cycle_t open = row_open(c, line, trip->in, turn, stats);
    trip_until(trip, open);
    trip_go(trip, t->cas);
    trip_until(trip, turn > t->cas ? turn - t->cas : 0);
    trip_go(trip, ((n * t->transfer + (1u << SERVER_SHIFT) - 1) >> SERVER_SHIFT) + t->access);
    stats->dram_read_bytes += (uint64_t)n * t->access_bytes;
}

cycle_t dram_write(struct dram_channel *c, uint32_t sectors, cycle_t now, struct sim_stats *stats)
{
    const struct dram_timing *t = c->t;
    uint32_t n = popcount32(dram_whole(t, sectors)) / t->access_sectors;
    stats->dram_write_bytes += (uint64_t)n * t->access_bytes;
    c->writes += n;
    cycle_t end = server_end(&c->bus), two = 2 * t->write_batch * t->transfer >> SERVER_SHIFT;
    cycle_t room = end > two ? end - two : 0;
    if (c->writes < t->write_batch)
        return room;
    refresh(c, now);
    server_take(&c->bus, now,
                c->writes * t->transfer +
                    ((c->writing ? t->write_gap : t->read_to_write) << SERVER_SHIFT));
    c->writing = true;
    c->writes = 0;
    return room;
}

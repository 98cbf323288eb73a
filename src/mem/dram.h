/* One DRAM channel: banks with open rows, the data bus, refresh, and writes that wait for company.
 *
 * Accesses are given in order of arrival and answered at once; a controller that takes them out of
 * order is imitated:
 * - The bus is given out in order of arrival, but a bank that is not ready holds up only its own
 *   data, as if others went first.
 * - A row that has to make room stays open until its successor's turn on the bus comes near, and
 *   serves what arrives until then.
 * - Writes are gathered and written in batches, between which the bus is turned round once. */
#ifndef SUBCORE_MEM_DRAM_H
#define SUBCORE_MEM_DRAM_H

#include <stdbool.h>

#include "base/arena.h"
#include "cfg/config.h"
#include "mem/address_map.h"
#include "mem/server.h"
#include "sim/result.h"

/* Rows of a bank that requests on their way may still use: one open, the others before it. */
#define DRAM_ROWS 4

struct dram_row {
    uint64_t row;
    cycle_t open;  /* activated: columns can be read from here on */
    cycle_t close; /* precharged */
};

struct dram_bank {
    struct dram_row rows[DRAM_ROWS]; /* ring */
    uint32_t newest;
    uint32_t refreshes; /* of the channel when the newest row was opened; 0 = none ever */
};

/* What the channels of a card have in common. Times in core cycles. */
struct dram_timing {
    cycle_t access, cas, activate, precharge, row_active;
    cycle_t refresh, refresh_interval;
    cycle_t read_to_write, write_to_read, write_gap;
    server_time transfer;   /* of one access on the bus of a channel */
    server_time activation; /* of a channel: one after the other */
    uint32_t access_sectors, access_bytes;
    uint32_t write_batch;
    uint32_t row_shift; /* lines of a row: 1 << row_shift */
    uint32_t bank_shift;
};

struct dram_channel {
    const struct dram_timing *t;
    struct server bus;
    struct server activations;
    struct dram_bank *banks; /* [1 << bank_shift] */
    cycle_t next_refresh;
    cycle_t refresh_end;
    uint32_t refreshes;
    uint32_t writes; /* waiting */
    bool writing;    /* the bus was last used by writes */
};

void dram_timing_init(struct dram_timing *t, const struct config *cfg);

/* `index` of `count` channels: their refreshes are spread over the interval. */
bool dram_channel_init(struct dram_channel *c, const struct dram_timing *t, uint32_t index,
                       uint32_t count, struct arena *arena);

/* Reads `sectors` of the channel's line number `line`, whole accesses; the trip ends when the last
 * one is at the L2. */
void dram_read(struct dram_channel *c, uint64_t line, uint32_t sectors, struct trip *trip,
               struct sim_stats *stats);

/* Takes sectors that the L2 evicts for a request that came in at `now`; returns the cycle at which
 * there is room for them: no more than two batches wait for the bus. */
cycle_t dram_write(struct dram_channel *c, uint32_t sectors, cycle_t now, struct sim_stats *stats);

/* Sectors that come or go when these are moved: accesses are whole. */
static inline uint32_t dram_whole(const struct dram_timing *t, uint32_t sectors)
{
    for (uint32_t n = 1; n < t->access_sectors; n *= 2) {
        /* Bits n apart belong to one access of 2n sectors. */
        uint32_t low = 0xffffffffu / ((1u << n) + 1);
        sectors |= (sectors & low) << n | (sectors >> n & low);
    }
    return sectors;
}

#endif

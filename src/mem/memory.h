/* What lies behind the L1: network, L2 and DRAM.
 *
 * Requests are served as a whole when their turn comes, in order of (send cycle, SM, order in the
 * SM): every resource on the way is taken from the cycle the request reaches it, so the cycle of a
 * reply is known at once and nothing here ticks.
 *
 * The memory consists of parts that share nothing: the slices of the L2 that belong together and
 * the DRAM channels behind them. Requests of different parts may be served in any order, and in
 * different threads; those of one part in the order above.
 *
 * An L2 of two partitions: a line has its home in one of them, where its DRAM channel is. An SM
 * asks the slice of its own partition, which gets lines of the other one from their home and keeps
 * a copy. Writes and atomics go on to the home. */
#ifndef SUBCORE_MEM_MEMORY_H
#define SUBCORE_MEM_MEMORY_H

#include "cfg/config.h"
#include "mem/coalescer.h"
#include "mem/dram.h"
#include "mem/l2.h"
#include "sim/message.h"
#include "sim/result.h"

/* Most slices, and most channels, of a part. */
#define MEMORY_UNITS_MAX 64

struct memory_part {
    struct l2_slice *slices; /* [partitions * slices_per_partition] */
    struct server link;      /* between the partitions: the part's share */
    struct dram_channel *channels;
    struct coalescer coalescer;
    struct sim_stats stats;
    uint8_t apart[64]; /* parts of different threads share no cache line of the host */
};

struct memory {
    const struct config *cfg;
    struct memory_part *parts;
    uint32_t part_count;
    uint32_t partitions, slices; /* slices of a part in one partition */
    uint32_t channels;           /* of a part */
    struct divider part_of, unit_of, slice_of, channel_of;
    uint8_t *partition; /* [gpu.sms] of an SM */
    uint16_t *gpc;      /* likewise */
    uint8_t home[MEMORY_UNITS_MAX], slice[MEMORY_UNITS_MAX], channel[MEMORY_UNITS_MAX];
    server_time clock;       /* of the slices, in core cycles */
    server_time link_sector; /* on the link between the partitions */
    struct dram_timing dram;
};

/* Creates empty caches. False when out of memory. */
bool memory_init(struct memory *m, const struct config *cfg, struct arena *arena);

/* Shortest time from a request's send cycle to its reply. */
cycle_t memory_latency(const struct config *cfg);

/* The part that serves a line; below part_count. */
static inline uint32_t memory_part(const struct memory *m, uint64_t line)
{
    uint64_t block;
    return spread(&m->part_of, fold_line(line), &block);
}

/* What the part of a line has counted. */
static inline const struct sim_stats *memory_stats(const struct memory *m, uint64_t line)
{
    return &m->parts[memory_part(m, line)].stats;
}

/* Serves a request; returns the cycle at which its reply is at the SM's port. Touches nothing but
 * the part of its line. Call in order within a part. */
cycle_t memory_serve(struct memory *m, const struct mem_request *r);

/* The request will be served soon: brings what is looked at into the host's caches. */
void memory_prefetch(const struct memory *m, const struct mem_request *r);

/* A copy from the host leaves its lines in the L2, each in its home. */
void memory_copy(struct memory *m, uint64_t addr, uint64_t bytes);

/* Adds the counters of all parts to `out` and sets them to 0. */
void memory_take_stats(struct memory *m, struct sim_stats *out);

#endif

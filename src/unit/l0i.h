/* L0 instruction cache of a sub-core with its prefetcher.
 *
 * The fetch stage looks a line up once a cycle at most. A miss becomes a demand request to the L1
 * instruction cache and restarts the stream behind the missing line: the `stream_buffer_lines`
 * lines after the one looked up last are asked for, whether that one has arrived or not, as long as
 * the fetch follows the stream. Lines of the stream wait in a buffer until the fetch takes them
 * into the cache (paper 5.2), or fill the cache on arrival (icache.prefetch_fills_l0). Requests
 * leave one a cycle when the SM's arbiter lets them (l0i_next_request). */
#ifndef SUBCORE_UNIT_L0I_H
#define SUBCORE_UNIT_L0I_H

#include "cfg/config.h"
#include "sim/result.h"
#include "sim/tags.h"

#define L0I_MAX_STREAM 256
#define L0I_MAX_DEMAND 64

enum l0i_result {
    L0I_HIT,
    L0I_WAIT, /* on its way: fill() will report the line */
    L0I_FULL  /* no more misses can be outstanding; try again after a fill */
};

struct l0i {
    const struct icache_cfg *cfg;
    struct tags tags;
    /* Lines that warps wait for, in order; the first `demand_sent` have been sent to the L1. */
    uint64_t demand[L0I_MAX_DEMAND];
    uint32_t demand_count, demand_sent;
    /* Lines of the stream: [stream_line, stream_next) were asked for unless they were here,
     * [stream_next, stream_limit) have not been looked at. Bit i of the masks is line
     * stream_line + i: on its way, in the buffer. */
    uint64_t stream_line, stream_next, stream_limit;
    uint64_t flying[L0I_MAX_STREAM / 64], arrived[L0I_MAX_STREAM / 64];
    uint64_t stream_end; /* prefetching stops before this line (end of the kernel's code) */
    uint64_t epoch;      /* changes whenever a line may have left the cache */
};

bool l0i_init(struct l0i *c, const struct icache_cfg *cfg, struct arena *arena);

/* New kernel: its code ends before line `end`. */
void l0i_kernel(struct l0i *c, uint64_t end);

/* Looks a line up for a fetch. */
enum l0i_result l0i_fetch(struct l0i *c, uint64_t line, struct sim_stats *stats);

/* True when there is a request to send to the L1. */
bool l0i_wants_request(const struct l0i *c);

/* Takes the next request: a demand miss first, else the next line of the stream; UINT64_MAX when
 * that line is already here. */
uint64_t l0i_next_request(struct l0i *c, bool *prefetch, struct sim_stats *stats);

/* A line has arrived. Returns true when warps that wait for it may fetch again. */
bool l0i_fill(struct l0i *c, uint64_t line);

/* Puts a line into the cache (listings that start warm). */
void l0i_warm(struct l0i *c, uint64_t line);

#endif

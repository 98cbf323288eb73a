/* A resource that serves one thing after the other, at a rate that need not be whole cycles. */
#ifndef SUBCORE_MEM_SERVER_H
#define SUBCORE_MEM_SERVER_H

#include <stdint.h>

#include "base/bits.h"
#include "sim/cycle.h"

/* Times inside a server: 1/65536 cycles, so that no rounding of a rate adds up. */
typedef uint64_t server_time;
#define SERVER_SHIFT 16

struct server {
    server_time free; /* everything accepted so far has been served */
};

/* `num / den` cycles, den > 0. */
static inline server_time server_cost(uint64_t num, uint64_t den)
{
    return ((num << SERVER_SHIFT) + den / 2) / den;
}

/* Takes the server for `cost` from `now` at the earliest; returns the cycle in which it starts. */
static inline cycle_t server_take(struct server *s, cycle_t now, server_time cost)
{
    server_time start = max_u64(s->free, now << SERVER_SHIFT);
    s->free = start + cost;
    return start >> SERVER_SHIFT;
}

/* First cycle by the end of which everything accepted has been served. */
static inline cycle_t server_end(const struct server *s)
{
    return (s->free + (1u << SERVER_SHIFT) - 1) >> SERVER_SHIFT;
}

/* A request on its way through servers. All of them are taken at the cycle at which requests come
 * in, whose order is known, not at the one at which this request gets there: one that comes by a
 * longer way or has waited would keep the server from what comes before it. What a request has
 * waited is not waited again, since those before it have waited too. */
struct trip {
    cycle_t in;  /* came in */
    cycle_t way; /* cycles since then, had it never waited */
    cycle_t now; /* where it is: in + way and what it has waited */
};

static inline void trip_go(struct trip *t, cycle_t cycles)
{
    t->way += cycles;
    t->now += cycles;
}

/* Waits until a moment that counts from when requests come in. */
static inline void trip_until(struct trip *t, cycle_t in_cycle)
{
    t->now = max_u64(t->now, in_cycle + t->way);
}

static inline void trip_take(struct trip *t, struct server *s, server_time cost)
{
    trip_until(t, server_take(s, t->in, cost));
}

#endif

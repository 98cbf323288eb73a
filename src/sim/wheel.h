/* Timing wheel: the events of one SM, taken out in order of cycle and, within a cycle, of
 * insertion.
 *
 * Near events sit in buckets of one cycle each, far ones in a heap. Nodes come from a pool that
 * grows by doubling and is never given back before wheel_free(); after the first few thousand
 * cycles nothing is allocated. */
#ifndef SUBCORE_SIM_WHEEL_H
#define SUBCORE_SIM_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cycle.h"

#define WHEEL_SLOTS 1024u
#define WHEEL_NONE UINT32_MAX

struct event {
    uint8_t type; /* owner's enum */
    uint8_t a;
    uint16_t warp;
    uint32_t b;
    uint64_t c;
};

struct wheel_node {
    struct event event;
    cycle_t cycle;
    uint64_t seq;
    uint32_t next;
};

struct wheel {
    cycle_t now; /* every bucket holds events of [now, now + WHEEL_SLOTS) */
    uint64_t seq;
    uint64_t occupied[WHEEL_SLOTS / 64];
    uint32_t first[WHEEL_SLOTS], last[WHEEL_SLOTS];
    struct wheel_node *nodes;
    uint32_t node_cap, free_node;
    uint32_t *heap; /* far events: indices of nodes ordered by (cycle, seq) */
    uint32_t heap_len, heap_cap;
    uint32_t count;
    bool failed; /* out of memory: an event was lost; the owner must stop */
};

void wheel_init(struct wheel *w, cycle_t now);
void wheel_free(struct wheel *w);

/* Goes to cycle `now`, which may be an earlier one. The wheel must be empty. */
void wheel_restart(struct wheel *w, cycle_t now);

/* Adds an event. `cycle` >= the cycle last given to wheel_pop or wheel_restart. */
void wheel_push(struct wheel *w, cycle_t cycle, struct event e);

/* Takes the next event whose cycle is <= now. Returns false when there is none. Events come with
 * ascending cycles; call with ascending `now`. */
bool wheel_pop(struct wheel *w, cycle_t now, struct event *out);

/* Cycle of the earliest event, or CYCLE_NEVER. */
cycle_t wheel_next(const struct wheel *w);

#endif

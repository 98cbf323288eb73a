/* CTA barriers 0 to 15. Lanes arrive; a warp all of whose living lanes have arrived counts as 32
 * threads, as counts are given in whole warps. */
#ifndef SUBCORE_EMU_BARRIER_H
#define SUBCORE_EMU_BARRIER_H

#include "emu/cta.h"
#include "emu/op.h"

#define EMU_BARRIERS 16
#define EMU_MAX_WARPS 32

enum emu_reduction { EMU_REDUCE_NONE, EMU_REDUCE_POPC, EMU_REDUCE_AND, EMU_REDUCE_OR };

struct emu_barrier {
    bool open;         /* lanes have arrived */
    uint32_t expected; /* threads; 0 = all of the CTA that have not exited */
    uint32_t arrived[EMU_MAX_WARPS];
    uint8_t reduction; /* enum emu_reduction */
    uint32_t true_count;
    bool all, any;
};

struct emu_barriers {
    struct emu_cta *cta;
    struct emu_warp **warps; /* [cta->warp_count] */
    struct emu_barrier slot[EMU_BARRIERS];
};

/* All barriers are unused. */
void emu_barriers_reset(struct emu_barriers *b);

/* One arrival. */
struct emu_arrival {
    uint32_t id;
    uint32_t expected;
    uint32_t mask;
    bool waits;
    uint8_t reduction;
    uint32_t value; /* predicate of each lane, for reductions */
};

/* Lanes of the running group of `w` arrive; whoever a complete barrier held goes on. */
void emu_barrier_arrive(struct emu_warp *w, const struct emu_arrival *a);

/* Lanes have exited: barriers may be complete now. */
void emu_barriers_after_exit(struct emu_barriers *b);

/* Threads that have arrived at barrier `id` and threads that it needs. */
void emu_barrier_progress(const struct emu_barriers *b, uint32_t id, uint32_t *arrived,
                          uint32_t *needed);

#endif

/* The CTA that is being executed, as handlers see it.
 *
 * The machine owns one, embeds it in what else it keeps about a CTA, and uses it for one CTA after
 * another: emu_memory_open() once a launch, emu_memory_begin() for every CTA (emu/memory.h).
 * Fields marked "machine" are written by the machine, all others by emu/memory.c and handlers. */
#ifndef SUBCORE_EMU_CTA_H
#define SUBCORE_EMU_CTA_H

#include "emu/fault.h"
#include "emu/machine.h"

/* Who touched a byte of shared memory last, for the race check. Epochs count from 1. */
struct emu_race {
    uint32_t write_epoch, read_epoch;
    uint16_t writer, reader; /* warps, or EMU_MANY_WARPS: readers, or atomics, of several */
    bool atomic;             /* the last write was an atomic's */
};
#define EMU_MANY_WARPS 0xffffu

struct emu_cta {
    const struct emu_launch *launch; /* machine */
    struct dim3 id;                  /* machine */
    uint64_t linear_id;              /* machine */
    uint32_t warp_count;             /* machine */
    uint32_t epoch; /* machine: starts at 1, one more whenever a barrier lets warps go on */
    uint64_t steps; /* machine: instructions executed in this CTA so far; what clocks read */
    uint32_t *barrier_result; /* machine: [warp_count], what the warp's last BAR.RED gave: a count,
                                 or all ones or 0 for AND and OR */

    uint8_t *shared;        /* launch->shared_bytes, room for 16 more */
    uint8_t *written;       /* 0xff for each byte of shared memory that was written */
    struct emu_race *races; /* [launch->shared_bytes], NULL without the check */
    uint32_t shared_first;  /* offsets below belong to the system (sm_90 and later: 1 KB) */
    uint32_t *local;        /* [warp][word][lane] */
    uint32_t local_bytes;   /* of a thread, whole words */
    uint32_t last_buffer;   /* of the last global access that searched */
    struct emu_fault fault; /* the first fault */
};

#endif

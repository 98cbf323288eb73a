/* Memory spaces of the functional machine.
 *
 * Global memory is the launch's buffers. Shared memory knows which bytes were written, so that a
 * read of what nobody wrote is an error. Local memory is a frame a thread. Generic addresses reach
 * shared and local memory through two windows of 4 GB. */
#ifndef SUBCORE_EMU_MEMORY_H
#define SUBCORE_EMU_MEMORY_H

#include "base/err.h"
#include "emu/cta.h"

/* Windows of generic addresses. No buffer may lie in them. Code finds them in bank 0, as 64-bit
 * values: the shared window at 0x18 (up to sm_89; later code reads SR_SWINHI), the local one at
 * 0x20 (up to sm_90) or 0x2f8 (sm_100 and 120). */
#define EMU_SHARED_WINDOW 0x00007f0100000000ull
#define EMU_LOCAL_WINDOW 0x00007f0200000000ull
#define EMU_WINDOW_BYTES 0x0000000100000000ull

/* From sm_90 on the first 1 KB of a CTA's shared memory belongs to the system: launch->shared_bytes
 * counts it there, as cubins and -res-usage do, and offsets below are out of bounds. */
#define EMU_SHARED_SYSTEM 1024u

/* The value of the stack pointer at c[0x0][0x28] (0x37c from sm_100 on): stacks grow down. */
uint32_t emu_memory_stack_pointer(const struct emu_launch *launch);

/* Allocates shared and local memory of one CTA of `cta->launch`, which has `cta->warp_count` warps.
 * On failure nothing is held. */
bool emu_memory_open(struct emu_cta *cta, struct sim_err *err);

/* Prepares for a CTA: shared memory unwritten, local memory 0, no fault. */
void emu_memory_begin(struct emu_cta *cta);

/* Gives back what emu_memory_open() took. */
void emu_memory_close(struct emu_cta *cta);

#define EMU_NO_BUFFER 0xffffffffu

/* Index of the buffer that holds all of [addr, addr + bytes), or EMU_NO_BUFFER. */
uint32_t emu_memory_find(const struct emu_launch *launch, uint64_t addr, uint32_t bytes);

/* Faults "outside every buffer", naming the nearest one. */
void emu_memory_fault_global(struct emu_warp *w, const struct emu_op *op, uint32_t lane,
                             uint64_t addr, uint32_t bytes);

#endif

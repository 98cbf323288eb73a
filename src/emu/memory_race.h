/* The race check: two warps of a CTA that touch a byte of shared memory with no barrier between
 * them, at least one of them writing. Atomics do not race with atomics. */
#ifndef SUBCORE_EMU_MEMORY_RACE_H
#define SUBCORE_EMU_MEMORY_RACE_H

#include "emu/cta.h"
#include "emu/op.h"

enum emu_use { EMU_READ, EMU_WRITE, EMU_ATOMIC };

/* Notes the use of `bytes` bytes at `offset` by warp `w`; false and a fault when it is a race. Only
 * with cta->races. */
bool emu_race_use(struct emu_warp *w, const struct emu_op *op, uint32_t lane, uint32_t offset,
                  uint32_t bytes, enum emu_use use);

#endif

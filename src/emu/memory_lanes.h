/* From addresses of lanes to bytes of the simulator, with all checks. */
#ifndef SUBCORE_EMU_MEMORY_LANES_H
#define SUBCORE_EMU_MEMORY_LANES_H

#include "emu/memory_race.h"
#include "emu/op.h"

/* Where the bytes of the lanes are. Lanes that are not active point to an active lane's bytes, so
 * that all may be read. Word k of a lane is `step` bytes after word k - 1. */
struct emu_at {
    uint8_t *lane[WARP_LANES];
    uint32_t step[WARP_LANES];
    bool dense; /* all lanes active, one buffer, lane i directly after lane i - 1 */
};

/* Each of these checks bounds and alignment of `bytes` (1, 2, 4, 8 or 16) at every active lane, and
 * gives false after a fault. `step` is filled by emu_generic_at() only: it is 4 in global and
 * shared memory, EMU_LOCAL_STEP in local memory. */
#define EMU_LOCAL_STEP (WARP_LANES * 4u)

bool emu_global_at(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                   const uint64_t addr[WARP_LANES], uint32_t bytes, struct emu_at *at);

/* Also checks that what is read was written, marks what is written, and looks for races. */
bool emu_shared_at(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                   const uint32_t offset[WARP_LANES], enum emu_use use, struct emu_at *at);

bool emu_local_at(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                  const uint32_t offset[WARP_LANES], struct emu_at *at);

bool emu_generic_at(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                    const uint64_t addr[WARP_LANES], enum emu_use use, struct emu_at *at);

/* Lanes whose address is in the shared or local window. */
uint32_t emu_in_shared_window(const uint64_t addr[WARP_LANES]);
uint32_t emu_in_local_window(const uint64_t addr[WARP_LANES]);

/* One lane's `bytes` of shared memory, or NULL after a fault. */
uint8_t *emu_shared_lane(struct emu_warp *w, const struct emu_op *op, uint32_t lane,
                         uint32_t offset, uint32_t bytes, enum emu_use use);

/* op->param[EMU_PARAM_BYTES]: bytes a lane; every memory operation sets it when it is decoded. */
#define EMU_PARAM_BYTES 2

#endif

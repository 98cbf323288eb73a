/* Between registers and located bytes: loads and stores of whole warps. */
#ifndef SUBCORE_EMU_MEMORY_TRANSFER_H
#define SUBCORE_EMU_MEMORY_TRANSFER_H

#include "emu/memory_lanes.h"

/* op->param[EMU_PARAM_SIGNED]: loads of 1 or 2 bytes extend the sign. */
#define EMU_PARAM_SIGNED 3

/* Stores keep their data in this source. */
#define EMU_SOURCE_DATA 2

/* Loads op->param[EMU_PARAM_BYTES] bytes into op->dest. */
void emu_load(struct emu_warp *w, const struct emu_op *op, uint32_t mask, const struct emu_at *at,
              uint32_t step);

/* As emu_load with a step of its own for each lane. */
void emu_load_generic(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                      const struct emu_at *at);

/* Stores source[EMU_SOURCE_DATA]. Where lanes write one place the lowest wins, of 8-byte data the
 * lowest of the last 16 lanes that do, of 16-byte data the lowest of the last 8. */
void emu_store(const struct emu_warp *w, const struct emu_op *op, uint32_t mask,
               const struct emu_at *at, uint32_t step);
void emu_store_generic(const struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                       const struct emu_at *at);

/* Word `k` of a data source in all lanes; `tmp` is used for what is no register. */
const uint32_t *emu_data_word(const struct emu_warp *w, const struct emu_source *s, uint32_t k,
                              emu_lanes tmp);

/* Writes the lanes of `mask`. */
void emu_write_lanes(emu_lanes to, const emu_lanes from, uint32_t mask);

/* Decodes text argument `arg` as source `index` of `bytes` bytes. */
bool emu_data_from_arg(struct emu_op *op, uint32_t index, const struct emu_decode *d, uint32_t arg,
                       uint32_t bytes, struct sim_err *err);

/* Sets param[EMU_PARAM_BYTES] and param[EMU_PARAM_SIGNED] from the modifiers. */
bool emu_width_from_opcode(struct emu_op *op, const struct emu_decode *d, struct sim_err *err);

#endif

/* Addresses of memory instructions: decoding "[R2.64+UR4+0x10]" and computing what the lanes use.
 */
#ifndef SUBCORE_EMU_MEMORY_ADDRESS_H
#define SUBCORE_EMU_MEMORY_ADDRESS_H

#include "emu/op.h"

/* An operation holds up to two addresses. Address `slot` takes source[2 * slot] (the general
 * register; its `value` is the offset), source[2 * slot + 1] (the uniform register) and
 * param[slot]. */
enum emu_address_slot { EMU_ADDRESS, EMU_ADDRESS_SHARED_SIDE };

/* Decodes text argument `arg`. `far` says that registers are 64-bit unless the text says ".U32". */
bool emu_address_from_arg(struct emu_op *op, enum emu_address_slot slot, const struct emu_decode *d,
                          uint32_t arg, bool far, struct sim_err *err);

/* 64-bit addresses of all lanes, active or not. */
void emu_addresses(const struct emu_warp *w, const struct emu_op *op, enum emu_address_slot slot,
                   uint64_t addr[WARP_LANES]);

/* 32-bit offsets in shared or local memory, likewise. */
void emu_offsets(const struct emu_warp *w, const struct emu_op *op, enum emu_address_slot slot,
                 uint32_t offset[WARP_LANES]);

/* Tells the recorder the addresses of this instruction. */
void emu_report(struct emu_warp *w, uint32_t mask, const uint64_t addr[WARP_LANES]);
void emu_report_offsets(struct emu_warp *w, uint32_t mask, const uint32_t offset[WARP_LANES]);

#endif

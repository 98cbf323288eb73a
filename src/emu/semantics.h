/* The semantics table (semantics.def): which decode function gives an opcode its meaning. */
#ifndef SUBCORE_EMU_SEMANTICS_H
#define SUBCORE_EMU_SEMANTICS_H

#include "emu/op.h"

#define SEM(opcode, function)                                                                      \
    bool function(struct emu_op *op, const struct emu_decode *d, struct sim_err *err);
#include "emu/semantics.def"
#undef SEM

/* Decode function of an opcode, given as such ("IADD3") or with modifiers ("IADD3.X"); NULL when
 * it has no semantics. */
emu_decode_fn emu_semantics_find(const char *opcode);

#endif

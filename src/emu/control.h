/* What the decode functions of control-flow instructions share with the machine. */
#ifndef SUBCORE_EMU_CONTROL_H
#define SUBCORE_EMU_CONTROL_H

#include "emu/op.h"

/* op->target of an instruction whose text names no place in the code. */
#define EMU_NO_TARGET UINT32_MAX

/* Does nothing. */
void emu_run_nothing(struct emu_warp *w, const struct emu_op *op, uint32_t mask);

/* The optional predicate of a control instruction ("BRA !P1, 0x40") becomes psource[0]. */
bool emu_control_predicate(struct emu_op *op, const struct emu_decode *d, struct sim_err *err);

/* Index of the first operand that is a register of `file`, or UINT32_MAX. */
uint32_t emu_control_register(const struct emu_decode *d, enum reg_file file);

/* The convergence barrier that an operand names goes to param[0]. */
bool emu_control_barrier(struct emu_op *op, const struct emu_decode *d, struct sim_err *err);

/* Value of a 32-bit source in one lane. */
static inline uint32_t emu_lane_value(const struct emu_warp *w, const struct emu_source *s,
                                      uint32_t lane)
{
    uint32_t v = s->kind == EMU_SRC_REG    ? w->r[s->reg][lane]
                 : s->kind == EMU_SRC_UREG ? w->ur[s->reg]
                                           : (uint32_t)s->value;
    return s->inv ? ~v : s->neg ? 0 - v : v;
}

#endif

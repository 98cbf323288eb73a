/* Joins an instruction of a trace with the SASS of its function: operands and control bits. */
#ifndef SUBCORE_TRACE_ACCELSIM_JOIN_H
#define SUBCORE_TRACE_ACCELSIM_JOIN_H

#include "trace/accelsim_place.h"
#include "trace/sass_file.h"

/* Replaces *inst by the instruction of `f` at the same pc, or leaves it when there is none.
 * *joined tells whether the control bits are known now. Another opcode at the pc is an error; other
 * modifiers are a warning. */
bool join_inst(struct inst *inst, const struct sass_function *f, bool *joined,
               const struct accelsim_place *at, struct sim_err *err);

#endif

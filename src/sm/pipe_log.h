/* What the pipeline does with every instruction, for timelines (--timeline). Called only where
 * sm_options.timeline is set. Internal to the sm layer. */
#ifndef SUBCORE_SM_PIPE_LOG_H
#define SUBCORE_SM_PIPE_LOG_H

#include "sm/sm.h"

/* Appends an event of warp `w` and its instruction `inst`; the record's other fields are the
 * caller's. NULL when memory is out, which sm->err then says. */
struct pipe_record *pipe_log(struct subcore *sc, const struct warp *w, enum pipe_event event,
                             uint32_t inst, cycle_t now);

/* Appends that the warps of `mask` were charged `cycles` cycles of `reason` from `at` on. */
void pipe_log_stall(struct subcore *sc, uint32_t mask, enum stall_reason reason, cycle_t at,
                    uint64_t cycles);

#endif

/* Memory spaces of the accesses of a trace: generic addresses, shared windows, lost addresses. */
#ifndef SUBCORE_TRACE_ACCELSIM_SPACE_H
#define SUBCORE_TRACE_ACCELSIM_SPACE_H

#include "trace/accelsim_cta.h"

/* Picks the instruction (*id) for a memory access: a generic one by its first active lane.
 * Addresses in the shared window become offsets. Warns of global accesses to address 0. */
bool space_resolve(const struct accelsim_builder *b, struct accelsim_entry *e, uint32_t mask,
                   struct line_tail *tail, uint32_t *id, struct sim_err *err);

#endif

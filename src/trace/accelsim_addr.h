/* The memory part of an instruction line: address modes 0, 1, 2, and that of bulk copies. */
#ifndef SUBCORE_TRACE_ACCELSIM_ADDR_H
#define SUBCORE_TRACE_ACCELSIM_ADDR_H

#include "trace/accelsim_line.h"

/* Reads mode and addresses behind a width above 0. A list that is a stride becomes one. */
bool addr_read(uint32_t version, uint32_t mask, const char **p, struct line_tail *out,
               const struct accelsim_place *at, struct sim_err *err);

/* Checks and passes over the fields of a bulk or tensor copy (modes 3 and 4). */
bool addr_read_tma(const char **p, const struct accelsim_place *at, struct sim_err *err);

#endif

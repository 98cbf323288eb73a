/* Writes Accel-Sim text traces, version 5: a folder with kernelslist.g and kernel-N.traceg. */
#ifndef SUBCORE_TRACE_ACCELSIM_WRITE_H
#define SUBCORE_TRACE_ACCELSIM_WRITE_H

#include "trace/writer.h"

/* Opens `folder`, which is made when it does not exist. Kernels need the text of their
 * instructions, or the line that a reader of Accel-Sim text kept of them; the line goes first. What
 * the format cannot say is lost: guards, predicates, uniform registers, second destinations,
 * control bits, source lines. Kernels keep their numbers as long as these ascend. */
bool accelsim_write_open(struct trace_writer **out, const char *folder, struct sim_err *err);

#endif

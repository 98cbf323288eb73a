/* Executions of every static instruction: CSV kernel,launch,pc,inst,thread,thread_true. `kernel` is
 * the kernel's name, `launch` the launch's name or, without one, the number of the launch. */
#ifndef SUBCORE_REPORT_PC_COUNTS_H
#define SUBCORE_REPORT_PC_COUNTS_H

#include "base/buf.h"
#include "base/err.h"
#include "sim/result.h"
#include "trace/kernel.h"

void pc_counts_begin(struct buf *out);

/* One line an executed pc, ascending. `thread` (active lanes whatever the guard) is empty for
 * guarded instructions of inputs that hold only the lanes whose guard is true. */
bool pc_counts_kernel(struct buf *out, const struct kernel *k, const struct kernel_result *r,
                      struct sim_err *err);

#endif

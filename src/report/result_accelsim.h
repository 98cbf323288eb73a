/* Results in the words of Accel-Sim's output, for scripts that search it.
 *
 * As there, `gpu_sim_*`, `gpu_ipc` and `gpu_occupancy` are of one kernel; everything else counts
 * from the start of the run. What the model does not count is left out, never printed as 0. */
#ifndef SUBCORE_REPORT_RESULT_ACCELSIM_H
#define SUBCORE_REPORT_RESULT_ACCELSIM_H

#include "report/run_report.h"

void result_accelsim_begin(struct buf *out, const struct run_info *info);

/* Adds the kernel to `so_far` and prints its block. */
void result_accelsim_kernel(struct buf *out, const struct run_info *info,
                            struct accelsim_totals *so_far, const struct kernel_report *k);

/* The line that tells those scripts that nothing is missing; only of a complete run. */
void result_accelsim_end(struct buf *out, const struct run_end *end, const char *failures);

#endif

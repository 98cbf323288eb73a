/* What a kernel and the total of a run have in common: the numbers all writers print. */
#ifndef SUBCORE_REPORT_SUMMARY_H
#define SUBCORE_REPORT_SUMMARY_H

#include "base/err.h"
#include "report/opcode_tally.h"
#include "sim/result.h"
#include "trace/kernel.h"

struct summary {
    uint64_t cycles;               /* of the kernel, or the timeline of all kernels */
    uint64_t elapsed_cycles;       /* with launch latencies */
    uint64_t sm_active_cycles_max; /* total: summed over kernels */
    uint64_t sm_active_cycles_sum; /* over SMs */
    uint64_t sms_used;             /* total: the most of a kernel */
    uint64_t warp_capacity;        /* warp slots x cycles of the active SMs */
    uint64_t warp_instructions, thread_instructions;
    uint64_t ctas;
    uint64_t hazards[HAZARD_KIND_COUNT];
    struct sim_stats stats;
    struct opcode_tally opcodes;
    double host_seconds;
};

/* Numbers of one kernel; the caller frees it with summary_free(). */
bool summary_of_kernel(struct summary *s, const struct kernel *k, const struct kernel_result *r,
                       struct sim_err *err);

/* Adds a kernel that ran to `total`. `end_cycle` is its last cycle on the timeline. */
bool summary_add(struct summary *total, const struct summary *kernel, uint64_t end_cycle,
                 struct sim_err *err);

void summary_free(struct summary *s);

/* A number by its place in the JSON ("cycles", "icache.l0.hits", "issue.stalls.wait"). Returns
 * false when there is no such name. */
bool summary_value(const struct summary *s, const char *name, uint64_t *value);

/* Name of a mode as in `dependence.mode`; "unknown" beyond the table. */
const char *dependence_mode_name(uint32_t mode);

/* Name of a kind of hazard: "RAW", "WAW", "WAR". */
const char *hazard_kind_name(enum hazard_kind kind);

#endif

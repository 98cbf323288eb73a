/* Statistics of a simulation by name, as they are compared with measurements.
 *
 * A number of the JSON result by its place ("sm_active_cycles_max", "l2.read_misses",
 * "issue.stalls.wait"), a ratio ("ipc", "l1d.load_hit_rate"), or "stalls_per_issue.wait". */
#ifndef SUBCORE_STUDY_STATISTIC_H
#define SUBCORE_STUDY_STATISTIC_H

#include "base/buf.h"
#include "report/summary.h"

/* What is compared when nothing is said: what hardware counts as the cycles of a launch. */
#define STATISTIC_DEFAULT "sm_active_cycles_max"

#define STATISTIC_NAME_SIZE 96

uint32_t statistic_count(void);

/* Name of statistic i. */
void statistic_name(uint32_t i, char out[STATISTIC_NAME_SIZE]);

/* Statistic of this name. False when there is none; *near is then one that may have been meant, or
 * statistic_count(). */
bool statistic_find(const char *name, uint32_t *i, uint32_t *near);

/* The counter of Nsight Compute that counts the same; "" when none does. */
void statistic_counter(uint32_t i, char out[STATISTIC_NAME_SIZE]);

/* True when it is a count and no ratio; the value is then statistic_counted(), exactly. */
bool statistic_is_count(uint32_t i);
uint64_t statistic_counted(uint32_t i, const struct summary *s);

/* Value of statistic i. False when it is not defined: a ratio of which nothing was counted. */
bool statistic_value(uint32_t i, const struct summary *s, double *value);

#endif

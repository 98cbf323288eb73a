/* --ctas N: what the whole kernel would give, from the result of its first N CTAs. */
#ifndef SUBCORE_SIM_SAMPLE_H
#define SUBCORE_SIM_SAMPLE_H

#include "sim/result.h"

/* Scales `r`, of a kernel of `ctas` CTAs of which fewer were simulated. Cycles are scaled by whole
 * waves (a wave is what the SMs hold at a time), counters, instructions and the sum of active
 * cycles by CTAs; hazards are left alone. Everything is rounded to the nearest whole number. */
void sample_scale(struct kernel_result *r, uint64_t ctas);

#endif

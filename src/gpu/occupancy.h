/* How many CTAs of a kernel fit on an SM, and what limits them. */
#ifndef SUBCORE_GPU_OCCUPANCY_H
#define SUBCORE_GPU_OCCUPANCY_H

#include "cfg/config.h"
#include "trace/kernel.h"

struct occupancy {
    uint32_t warps_per_cta;
    uint32_t ctas_per_sm;
    const char *limited_by;
    uint64_t l1d_bytes; /* what shared memory of the resident CTAs leaves of the unified memory */
};

/* Error when not even one CTA fits, naming the resource. */
bool occupancy_of(const struct config *cfg, const struct kernel *k, struct occupancy *out,
                  struct sim_err *err);

#endif

/* How many CTAs of a kernel fit on an SM, and what limits them. */
#ifndef SUBCORE_GPU_OCCUPANCY_H
#define SUBCORE_GPU_OCCUPANCY_H

#include "cfg/config.h"
#include "sim/result.h"
#include "trace/kernel.h"

struct occupancy {
    uint32_t warps_per_cta;
    uint32_t cluster_ctas;   /* CTAs that are placed together; 1 = alone */
    uint32_t warp_registers; /* as they are given to a warp */
    uint32_t cta_barriers;
    uint64_t cta_shared; /* bytes, with what the system takes; 0 = none is accounted */
    uint32_t limit[OCCUPANCY_LIMIT_COUNT];
    uint32_t ctas_per_sm; /* the least of the limits */
    const char *limited_by;
    uint64_t shared_bytes; /* of an SM, as the driver sets it for this kernel */
    uint64_t l1d_bytes;    /* what that leaves of the unified memory */
};

/* Error when not even one CTA fits, naming the resource. */
bool occupancy_of(const struct config *cfg, const struct kernel *k, struct occupancy *out,
                  struct sim_err *err);

#endif

/* Kernels of different streams that run together: one kernel for the model, made of several.
 *
 * CTAs come kernel by kernel: those of a later one when all of the earlier ones have been placed.
 * Instructions are numbered as they become known; bundle_origin() says whose they are. */
#ifndef SUBCORE_GPU_BUNDLE_H
#define SUBCORE_GPU_BUNDLE_H

#include "gpu/gpu.h"
#include "gpu/occupancy.h"
#include "sim/cycle.h"

#define BUNDLE_MAX GPU_TOGETHER

/* The time a CTA was on an SM. */
struct bundle_span {
    uint32_t sm;
    cycle_t start, end;
};

struct bundle_member {
    struct kernel *kernel;
    struct occupancy occupancy;
    uint64_t code_base;
    uint32_t *numbers; /* heap: number of an instruction of the kernel in the bundle */
    uint32_t number_count, number_cap;
    uint64_t opened, closed;
    cycle_t start, end;
    struct bundle_span *spans; /* heap: CTAs that have ended */
    uint32_t span_count, span_cap;
};

/* An instruction of a bundle: of which member, and its index there. */
struct bundle_inst {
    uint32_t member, inst;
};

struct bundle {
    struct kernel kernel;
    struct bundle_member members[BUNDLE_MAX];
    uint32_t count, current; /* the next CTA is of members[current] or of a later one */
    uint64_t max_ctas;       /* of a kernel; 0 = all */
    char *name;              /* of `kernel`, for messages */
    const struct inst **insts;
    struct bundle_inst *origins;
    uint32_t inst_cap;
};

/* Makes a bundle of kernels, which must outlive it. */
bool bundle_create(struct bundle **out, struct kernel *const *kernels, uint32_t count,
                   uint64_t max_ctas, struct sim_err *err);

/* NULL is allowed. */
void bundle_free(struct bundle *b);

/* Whose an instruction is, and the member whose CTA it is. */
struct bundle_inst bundle_origin(const struct bundle *b, uint32_t inst);
uint32_t bundle_member_of(const struct cta_stream *cta);

/* The CTA that a CTA of the bundle stands for. */
struct cta_stream *bundle_inner(const struct cta_stream *cta);

/* A CTA of a member was on an SM from `start` to `end`. */
bool bundle_add_span(struct bundle_member *m, uint32_t sm, cycle_t start, cycle_t end,
                     struct sim_err *err);

/* Active cycles of the SMs with a CTA of the member: the most, their sum, and of how many. */
void bundle_active(struct bundle_member *m, struct kernel_result *r);

#endif

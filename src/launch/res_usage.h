/* `cuobjdump -res-usage`: registers, stack and shared memory of every kernel. */
#ifndef SUBCORE_LAUNCH_RES_USAGE_H
#define SUBCORE_LAUNCH_RES_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct res_usage_kernel {
    const char *name;
    uint32_t registers;
    uint32_t stack_bytes, local_bytes; /* of a thread */
    uint32_t shared_bytes;             /* static */
};

struct res_usage;

/* Reads the output (plain or compressed): a line "Function NAME:", then one with "REG:N STACK:N
 * SHARED:N LOCAL:N". Other lines are passed over. */
bool res_usage_load(struct res_usage **out, const char *path, struct sim_err *err);

const struct res_usage_kernel *res_usage_find(const struct res_usage *r, const char *kernel);

const char *res_usage_path(const struct res_usage *r);

/* NULL is allowed. */
void res_usage_free(struct res_usage *r);

#endif

/* Where constant bank 0 holds what a launch passes to a kernel.
 *
 * Offsets were read off the SASS that nvcc makes; they differ by architecture. */
#ifndef SUBCORE_LAUNCH_LAUNCH_ABI_H
#define SUBCORE_LAUNCH_LAUNCH_ABI_H

#include <stdint.h>

#define LAUNCH_ABI_NONE 0xffffffffu

struct launch_abi {
    uint32_t sm;            /* from this version on */
    uint32_t params;        /* first parameter */
    uint32_t block, grid;   /* three words each */
    uint32_t stack_pointer; /* one word */
    uint32_t descriptor;    /* of global memory, two words */
    uint32_t shared_window; /* base of the generic window, two words */
    uint32_t local_window;
};

/* Layout for `sm` (75, 86, ...), or NULL before sm_70. A version that is not known is taken for the
 * newest one below it. */
const struct launch_abi *launch_abi(uint32_t sm);

#endif

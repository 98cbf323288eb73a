/* Time: core cycles since the gpu was created. */
#ifndef SUBCORE_SIM_CYCLE_H
#define SUBCORE_SIM_CYCLE_H

#include <stdint.h>

typedef uint64_t cycle_t;

#define CYCLE_NEVER UINT64_MAX

#endif

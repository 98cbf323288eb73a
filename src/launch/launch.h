/* One launch, made: buffers filled, constant banks laid out, resources known. */
#ifndef SUBCORE_LAUNCH_LAUNCH_H
#define SUBCORE_LAUNCH_LAUNCH_H

#include "emu/machine.h"
#include "launch/cubin.h"
#include "launch/launch_file.h"
#include "launch/res_usage.h"

/* Address of the first buffer. The others follow in argument order, each at a multiple of
 * LAUNCH_ALIGN with at least as much unused space in front, so that overruns are seen. */
#define LAUNCH_FIRST_ADDRESS 0x00007f4000000000ull
#define LAUNCH_ALIGN 512u

/* Stack of a thread of a kernel that uses local memory when nothing says how much. */
#define LAUNCH_DEFAULT_STACK 16384u

/* What a launch is made from. */
struct launch_sources {
    const struct launch_file *file;
    const struct sass_file *sass;
    const char *sass_path;
    const struct cubin *cubin;   /* NULL = none */
    const struct res_usage *res; /* NULL = none */
    struct emu_checks checks;
};

struct launch {
    struct emu_launch emu;
    const struct launch_spec *spec;
    uint32_t *buffer_arg;   /* [emu.buffer_count]: index of the buffer's argument */
    uint32_t shared_charge; /* bytes of emu.shared_bytes without the system's part: for occupancy */
    struct arena arena;
};

/* Makes the launch. Errors name file and line of the launch. Everything in `src` must outlive it.
 */
bool launch_create(struct launch **out, const struct launch_spec *spec,
                   const struct launch_sources *src, struct sim_err *err);

/* NULL is allowed. */
void launch_free(struct launch *l);

#endif

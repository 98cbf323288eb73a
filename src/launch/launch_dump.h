/* Writes the buffers of a launch: DIR/LAUNCH.ARGINDEX.bin, raw little-endian. */
#ifndef SUBCORE_LAUNCH_LAUNCH_DUMP_H
#define SUBCORE_LAUNCH_LAUNCH_DUMP_H

#include "launch/launch.h"

/* Makes the folder when it does not exist. */
bool launch_dump_buffers(const struct launch *l, const char *folder, struct sim_err *err);

#endif

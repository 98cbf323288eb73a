/* The trace that `trace` and `convert` write. */
#ifndef SUBCORE_APP_TRACE_OUTPUT_H
#define SUBCORE_APP_TRACE_OUTPUT_H

#include "trace/writer.h"

/* Opens `path`: Accel-Sim text when it ends in '/' or is a folder, else the project's own format.
 * With `droppable` kernels that fail are taken back out. */
bool trace_output_open(struct trace_writer **out, const char *path, bool droppable,
                       struct sim_err *err);

#endif

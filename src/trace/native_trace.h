/* Writes the project's own trace format (native.h) behind the writer interface. */
#ifndef SUBCORE_TRACE_NATIVE_TRACE_H
#define SUBCORE_TRACE_NATIVE_TRACE_H

#include "trace/writer.h"

/* Opens `path`; the file appears under its name when it is complete. */
bool native_trace_open(struct trace_writer **out, const char *path, struct sim_err *err);

#endif

/* The CUDA stream of a kernel of a trace, without opening the kernel. */
#ifndef SUBCORE_TRACE_STREAM_ID_H
#define SUBCORE_TRACE_STREAM_ID_H

#include <stdbool.h>
#include <stdint.h>

/* `offset`: of the kernel in a trace of the own format, 0 for other traces. False when it cannot be
 * told: whoever opens the kernel says why. */
bool stream_id_of(const char *path, uint64_t offset, uint64_t *stream);

#endif

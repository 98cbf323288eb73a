/* Accel-Sim traces (all tracer versions) as kernels.
 *
 * A file is one launch. The grouped form (`.traceg`) and the binary form (`.tracez`) are streamed
 * CTA by CTA; the raw form (`.trace`) is sorted by CTA and warp first, through a temporary file
 * when it is large. The first CTA is read at once, so that the code is known before it runs. All
 * obey the contract of trace/kernel.h; all functions here belong to the main thread. */
#ifndef SUBCORE_TRACE_ACCELSIM_H
#define SUBCORE_TRACE_ACCELSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/err.h"
#include "trace/kernel.h"
#include "trace/sass_file.h"

/* True when the first `n` bytes (decompressed) start with a header line ("-kernel name = ..."). */
bool accelsim_probe(const char *bytes, size_t n);

/* Opens the trace at `path`. Warnings go to `diag`, which must outlive the kernel. With `sass` (may
 * be NULL) and a function of the kernel's name in it, the trace is read once to the end first, so
 * that kernel->has_ctrl is known before the first CTA. */
bool accelsim_open(struct kernel **out, const char *path, const struct sass_file *sass,
                   struct diag *diag, struct sim_err *err);

/* Bytes of the file (compressed) that were read so far. */
uint64_t accelsim_consumed(const struct kernel *k);

/* Frees the kernel and all CTAs; NULL is allowed. */
void accelsim_close(struct kernel *k);

#endif

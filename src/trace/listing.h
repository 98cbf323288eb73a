/* Hand-written SASS listings (`.sass`) as kernels.
 *
 * A listing holds the code, the geometry and the addresses of one launch; it carries no values.
 * The kernel it gives obeys the contract of trace/kernel.h. Main thread only. */
#ifndef SUBCORE_TRACE_LISTING_H
#define SUBCORE_TRACE_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/err.h"
#include "trace/kernel.h"

/* True when the first `n` bytes (decompressed) of a file look like a listing or like the output of
 * cuobjdump or nvdisasm. `first_bytes` is not terminated. */
bool listing_probe(const char *first_bytes, size_t n);

/* Opens the listing at `path` (plain, gz, xz or zst). Warnings go to `diag`. On success *out is a
 * kernel that the caller gives back with listing_close(). */
bool listing_open(struct kernel **out, const char *path, struct diag *diag, struct sim_err *err);

/* Frees the kernel; every CTA must be closed. NULL is allowed. */
void listing_close(struct kernel *k);

#endif

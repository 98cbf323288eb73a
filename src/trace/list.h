/* kernelslist files: which traces make up a run, in order.
 *
 * The whole list is read; the traces it names are not opened. */
#ifndef SUBCORE_TRACE_LIST_H
#define SUBCORE_TRACE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/err.h"

struct list_entry {
    const char *kernel; /* path of a trace, or NULL for a copy */
    uint64_t copy_addr, copy_bytes;
    uint32_t line; /* in the list; 0 = there is no list */
    /* Traces of the own format: where the kernel starts in its file, and how long it is. */
    uint64_t offset, bytes;
};

struct kernel_list {
    struct arena arena;
    struct list_entry *entries;
    size_t count, cap;
    uint64_t kernels; /* entries that are kernels */
    const char *path; /* of the list, for messages; NULL = there is no list */
};

/* True when the first `n` bytes look like a kernelslist: the first line that is neither blank nor a
 * comment starts with "MemcpyHtoD" or "kernel". */
bool list_probe(const char *bytes, size_t n);

/* Adds one trace. */
bool list_add_kernel(struct kernel_list *l, const char *path, uint32_t line, struct sim_err *err);

/* Adds all that a trace of the own format holds. */
bool list_add_native(struct kernel_list *l, const char *path, struct sim_err *err);

/* Reads the list at `path`. Names are relative to its directory; NAME also finds NAME.gz, NAME.xz,
 * NAME.zst, and the same without such a suffix and with .traceg or .tracez for .trace. Unknown
 * words warn. */
bool list_read(struct kernel_list *l, const char *path, struct diag *diag, struct sim_err *err);

void list_free(struct kernel_list *l);

#endif

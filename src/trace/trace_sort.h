/* External sort of text lines by (CTA, warp, order of arrival), for raw Accel-Sim traces.
 *
 * Lines are gathered up to `memory` bytes; a full run is sorted and appended to one temporary file
 * ($TMPDIR, else /tmp; unlinked at once). The runs are merged while they are read, each through a
 * small buffer. Memory is at most twice `memory`, plus 16 KiB a run; disk is the size of the plain
 * text. */
#ifndef SUBCORE_TRACE_TRACE_SORT_H
#define SUBCORE_TRACE_TRACE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SORT_LINE_MAX ((size_t)1 << 20)

struct sort_record {
    uint64_t cta;
    uint64_t line; /* number in the input */
    uint32_t warp;
    uint32_t len;
    char *text; /* terminated by NUL; valid until the next call */
};

struct trace_sort;

bool trace_sort_new(struct trace_sort **out, size_t memory, struct sim_err *err);

/* Adds a record; its text (at most SORT_LINE_MAX bytes) is copied. */
bool trace_sort_add(struct trace_sort *s, const struct sort_record *r, struct sim_err *err);

/* Ends adding. */
bool trace_sort_finish(struct trace_sort *s, struct sim_err *err);

/* Gives the next record in order; text = NULL at the end. */
bool trace_sort_next(struct trace_sort *s, struct sort_record *out, struct sim_err *err);

/* Frees all; NULL is allowed. */
void trace_sort_free(struct trace_sort *s);

#endif

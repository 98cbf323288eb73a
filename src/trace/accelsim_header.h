/* The header of an Accel-Sim trace: "-key = value" lines, in any order. */
#ifndef SUBCORE_TRACE_ACCELSIM_HEADER_H
#define SUBCORE_TRACE_ACCELSIM_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "trace/accelsim_place.h"

#define ACCELSIM_VERSION_MAX 6

struct accelsim_header {
    const char *name;
    uint64_t id;
    struct dim3 grid, block;
    uint32_t shared_bytes, registers;
    uint32_t binary_version; /* SM number; 0 = not given */
    uint64_t stream;
    uint64_t shared_base, local_base;
    uint32_t version; /* of the tracer; 0 = not given; 1.2 counts as 1 */
    bool lineinfo;    /* lines start with a source line number */
    uint32_t keys;    /* bit i: key i of the table was seen */
};

/* Takes one line that starts with '-'. Text goes to `arena`. Sets at->kernel with the name. */
bool accelsim_header_line(struct accelsim_header *h, const char *line, struct arena *arena,
                          struct accelsim_place *at, struct sim_err *err);

/* Checks the whole: required keys, sizes; warns about what can be lived with. */
bool accelsim_header_check(const struct accelsim_header *h, const struct accelsim_place *at,
                           struct sim_err *err);

/* Reads "x,y,z" (blanks allowed around numbers, nothing behind). */
bool accelsim_dim3(const char *text, struct dim3 *out);

/* When `line` is "<key> = value", returns the value, else NULL. */
const char *accelsim_value(const char *line, const char *key);

#endif

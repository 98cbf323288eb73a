/* Where in an Accel-Sim trace the reader is, and messages that say so. */
#ifndef SUBCORE_TRACE_ACCELSIM_PLACE_H
#define SUBCORE_TRACE_ACCELSIM_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/err.h"
#include "trace/kernel.h"

struct accelsim_place {
    const char *file;
    uint64_t line;      /* decompressed; 0 = none */
    const char *kernel; /* name, or NULL before it is known */
    bool in_cta, in_warp;
    struct dim3 cta;
    uint32_t warp;
    struct diag *diag; /* NULL: warnings were given before and are not repeated */
};

/* ERR_INPUT "kernel K, CTA x,y,z, warp w: <message>". Returns false. */
bool place_error(const struct accelsim_place *at, struct sim_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* place_error "expected <what>, found '<token>'"; the token starts at `found` and ends at a blank.
 * At the end of the text it says "the end of the line". */
bool place_expected(const struct accelsim_place *at, const char *what, const char *found,
                    struct sim_err *err);

/* place_error "expected <what>, found '<line>'", for faults of a whole line. */
bool place_expected_line(const struct accelsim_place *at, const char *what, const char *line,
                         struct sim_err *err);

/* A warning "kernel K: <message>"; CTA and warp are left out, so that equal warnings are one.
 * False in strict mode. */
bool place_warn(const struct accelsim_place *at, struct sim_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Line number as errors hold it. */
uint32_t place_line(const struct accelsim_place *at);

#endif

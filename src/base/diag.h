/* Warnings: things a user must know about an input that can still be simulated.
 *
 * Each distinct warning is kept once with the number of times it occurred, in order of first
 * occurrence, and appears in the results. With `strict` the first one becomes an error.
 * Main thread only. */
#ifndef SUBCORE_BASE_DIAG_H
#define SUBCORE_BASE_DIAG_H

#include "base/err.h"

#define DIAG_MAX 64

struct diag_item {
    char text[1024]; /* "file:line: message" */
    uint64_t count;
};

struct diag {
    bool strict;
    void (*print)(void *user, const char *text); /* called at the first occurrence; may be NULL */
    void *user;
    struct diag_item items[DIAG_MAX];
    uint32_t count;
    uint64_t dropped; /* occurrences of distinct warnings beyond DIAG_MAX */
};

/* Records a warning. Two warnings are the same when their formatted messages (without the place)
 * are equal. Returns true; with `strict` fills `err` (ERR_INPUT) and returns false. */
bool diag_warn(struct diag *d, struct sim_err *err, const char *file, uint32_t line,
               const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif

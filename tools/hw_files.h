/* Reading what was measured on a GPU: whole files and machine-made JSON. For programs of tools/
 * only; they end with status 2 when something cannot be read. */
#ifndef SUBCORE_TOOLS_HW_FILES_H
#define SUBCORE_TOOLS_HW_FILES_H

#include <stddef.h>

/* A whole file, unpacked if it is compressed, with a zero byte behind it. */
char *slurp(const char *path, size_t *len);

/* Skips white space, commas and colons. */
const char *blanks(const char *p);

/* The end of the JSON value at `p`. The files are machine-made: no escapes in strings. */
const char *after(const char *p);

/* The value of `key` in the object at `p`, or NULL. */
const char *member(const char *p, const char *key);

#endif

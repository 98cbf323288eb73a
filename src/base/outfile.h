/* Output files that appear under their name only when they are complete.
 *
 * Text goes to a temporary file in the same directory, which outfile_commit() renames. "-" is the
 * standard output; a name that exists and is no regular file (a pipe, /dev/null) is written
 * directly. Owner: one thread. A zeroed struct is a closed file. */
#ifndef SUBCORE_BASE_OUTFILE_H
#define SUBCORE_BASE_OUTFILE_H

#include <stdio.h>

#include "base/err.h"

struct outfile {
    FILE *stream;   /* NULL when closed; while text is held, where it goes */
    char *path;     /* final name, for messages and the rename */
    char *tmp_path; /* NULL when written directly */
    FILE *direct;   /* written directly, and text is held: the real stream */
    int64_t mark;   /* where held text starts in a file with a temporary name */
    bool held;
};

/* Opens `path` for writing. Fails (ERR_RESOURCE) when its directory cannot be written. */
bool outfile_open(struct outfile *o, const char *path, struct sim_err *err);

/* Appends `len` bytes. */
bool outfile_write(struct outfile *o, const char *data, size_t len, struct sim_err *err);

/* Hands what was written so far to the system; for files others read while they grow. */
bool outfile_flush(struct outfile *o, struct sim_err *err);

/* From here on text is held back: outfile_keep() lets it through, outfile_drop() takes it out
 * again. In a file that is written directly the text waits in a temporary file. */
bool outfile_hold(struct outfile *o, struct sim_err *err);
bool outfile_keep(struct outfile *o, struct sim_err *err);
bool outfile_drop(struct outfile *o, struct sim_err *err);

/* Completes the file: flushes, closes and renames. On failure nothing is left and the file is
 * closed. */
bool outfile_commit(struct outfile *o, struct sim_err *err);

/* Drops the file, and text that is held: nothing is left under its name. Harmless on a closed file.
 */
void outfile_abort(struct outfile *o);

#endif

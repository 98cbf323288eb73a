/* Buffered reader of plain and compressed files.
 *
 * gz, xz and zst are told by their magic bytes, never by the name; concatenated members, streams
 * and frames read as one file. A truncated or corrupt archive is an error that names the file.
 * Memory is bounded: buffers, the decoder's window and the longest line (STREAM_LINE_MAX).
 * One owner at a time; no thread safety. Once a call has failed, the stream may only be closed. */
#ifndef SUBCORE_BASE_STREAM_H
#define SUBCORE_BASE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A longer line is an error: no text format read here has any reason for one. */
#define STREAM_LINE_MAX ((size_t)64 << 20)

/* At most this many bytes can be peeked. */
#define STREAM_PEEK_MAX ((size_t)64 << 10)

struct stream;

/* Opens `path`. A directory, a missing or an unreadable file is an error. */
bool stream_open(struct stream **out, const char *path, struct sim_err *err);

/* Gives the next line without its end ("\n" or "\r\n"); the last line needs none. The line is
 * terminated by NUL, may be changed in place and lives until the next call; `len` counts NULs that
 * the file itself contains. At the end *line is NULL. */
bool stream_line(struct stream *s, char **line, size_t *len, struct sim_err *err);

/* Reads up to `size` bytes; *got < size only at the end. */
bool stream_read(struct stream *s, void *out, size_t size, size_t *got, struct sim_err *err);

/* Shows the next bytes without consuming them: `want` of them (at most STREAM_PEEK_MAX), fewer at
 * the end. Valid until the next call. */
bool stream_peek(struct stream *s, size_t want, const char **bytes, size_t *got,
                 struct sim_err *err);

/* Number of the line last given by stream_line(), counted from 1 in the decompressed text. */
uint64_t stream_line_number(const struct stream *s);

/* Bytes taken from the file so far (compressed), and its size; 0 when unknown (pipes). */
uint64_t stream_consumed(const struct stream *s);
uint64_t stream_size(const struct stream *s);

/* The path as given to stream_open(). */
const char *stream_path(const struct stream *s);

/* Closes; NULL is allowed. */
void stream_close(struct stream *s);

#endif

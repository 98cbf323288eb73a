/* Decoders behind base/stream.h: plain, gzip, xz and Zstandard bytes of one open file.
 *
 * Owned by one stream; `path` must outlive it. */
#ifndef SUBCORE_BASE_CODEC_H
#define SUBCORE_BASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct codec;

/* Opens `path` and picks the decoder by the first bytes. */
bool codec_open(struct codec **out, const char *path, struct sim_err *err);

/* Decodes up to `size` (> 0) bytes; *got is 0 only at the end of a complete file. */
bool codec_read(struct codec *c, char *out, size_t size, size_t *got, struct sim_err *err);

/* Bytes of the file handed to the decoder, and the file's size (0 = unknown). */
uint64_t codec_consumed(const struct codec *c);
uint64_t codec_size(const struct codec *c);

/* Closes; NULL is allowed. */
void codec_close(struct codec *c);

#endif

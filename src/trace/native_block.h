/* Blocks and tables of the own trace format; internal to native_*.c. */
#ifndef SUBCORE_TRACE_NATIVE_BLOCK_H
#define SUBCORE_TRACE_NATIVE_BLOCK_H

#include <stdio.h>

#include "base/outfile.h"
#include "trace/native.h"

#define NATIVE_MAGIC "\x89SCTRACE"
#define NATIVE_MAGIC_BYTES 8
#define NATIVE_VERSION 1u
#define NATIVE_HEADER_BYTES 12  /* magic, version */
#define NATIVE_TRAILER_BYTES 16 /* offset of the index, closing magic */
#define NATIVE_END_MAGIC "SCTREND\n"
/* A block of CTAs is closed when its content reaches this. */
#define NATIVE_BATCH_BYTES ((size_t)256 * 1024)
/* No block's content may claim more. */
#define NATIVE_BLOCK_MAX ((uint64_t)1 << 30)

enum native_kind {
    NATIVE_KERNEL = 'K',
    NATIVE_TABLE = 'T',
    NATIVE_LINES = 'L',
    NATIVE_CTAS = 'C',
    NATIVE_END = 'E',
    NATIVE_INDEX = 'I'
};

/* Little-endian number of `bytes` bytes (at most 8). */
uint64_t native_get_le(const uint8_t *p, uint32_t bytes);

/* Writes a block at the end of the file; *offset moves on. */
bool native_put_block(struct outfile *o, enum native_kind kind, const struct pack_bytes *content,
                      uint64_t *offset, struct sim_err *err);

/* Opens a file for reading and checks its magic and version; NULL after an error. */
FILE *native_open_file(const char *path, uint64_t *size, struct sim_err *err);

struct native_block {
    uint8_t kind;
    uint8_t *data; /* heap */
    size_t len;
};

/* Reads the block at the file's position; `left` = bytes up to the trailer. */
bool native_get_block(FILE *f, const char *path, struct native_block *out, struct sim_err *err);

/* Static instructions: the fields of struct inst, names instead of numbers where those may change.
 */
bool native_put_inst(struct pack_bytes *b, const struct inst *in);
bool native_get_inst(const uint8_t **p, const uint8_t *end, struct inst *in, struct arena *arena);

bool native_put_string(struct pack_bytes *b, const char *s);
/* NULL strings stay NULL. */
bool native_get_string(const uint8_t **p, const uint8_t *end, struct arena *arena, const char **s);

#endif

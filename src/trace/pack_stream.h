/* Feeds a warp_stream from packed strings, a chunk at a time. */
#ifndef SUBCORE_TRACE_PACK_STREAM_H
#define SUBCORE_TRACE_PACK_STREAM_H

#include "trace/pack.h"

#define PACK_CHUNK 32
/* The chunk being read and the 64 instructions consumed before it. */
#define PACK_CHUNKS_ALIVE 3

/* Address lists of a chunk. */
struct pack_lists {
    uint64_t (*lists)[WARP_LANES]; /* heap; [cap] */
    uint32_t cap;
};

struct pack_stream {
    struct pack_cursor cursor;
    struct dyn_inst chunk[PACK_CHUNK];
    struct pack_lists alive[PACK_CHUNKS_ALIVE];
    uint32_t turn;
    bool has_lists;
};

/* Starts (a zeroed stream, or one used before) over the strings of a warp. */
void pack_stream_open(struct pack_stream *s, const uint8_t *flow, size_t flow_len,
                      const uint8_t *addresses, size_t addresses_len, bool has_lists);
void pack_stream_close(struct pack_stream *s);

/* kernel_ops.refill: makes the next chunk visible in `w`. False with a message in `why`. */
bool pack_stream_refill(struct pack_stream *s, struct warp_stream *w, const uint8_t *is_memory,
                        uint32_t inst_count, const char **why);

#endif

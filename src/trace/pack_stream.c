#include "trace/pack_stream.h"

#include <stdlib.h>
#include <string.h>

bool pack_stream_open(struct pack_stream *s, const uint8_t *flow, size_t flow_len,
                      const uint8_t *addresses, size_t addresses_len, bool has_lists)
{
    pack_open(&s->cursor, flow, flow_len, addresses, addresses_len);
    s->turn = 0;
    if (has_lists && !s->lists)
        s->lists = malloc(sizeof s->lists[0] * PACK_CHUNK * PACK_CHUNKS_ALIVE);
    return !has_lists || s->lists != NULL;
}

void pack_stream_close(struct pack_stream *s)
{
    pack_close(&s->cursor);
    free(s->lists);
    memset(s, 0, sizeof *s);
}

bool pack_stream_refill(struct pack_stream *s, struct warp_stream *w, const uint8_t *is_memory,
                        uint32_t inst_count, const char **why)
{
    uint32_t got;
    uint64_t(*lists)[WARP_LANES] = s->lists ? s->lists + s->turn * PACK_CHUNK : NULL;
    TRY(pack_read(&s->cursor, is_memory, inst_count, s->chunk, PACK_CHUNK, lists, &got, why));
    s->turn = (s->turn + 1) % PACK_CHUNKS_ALIVE;
    w->next = s->chunk;
    w->end = s->chunk + got;
    if (got == 0)
        w->finished = true;
    return true;
}

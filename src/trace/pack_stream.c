#include "trace/pack_stream.h"

#include <stdlib.h>
#include <string.h>

void pack_stream_open(struct pack_stream *s, const uint8_t *flow, size_t flow_len,
                      const uint8_t *addresses, size_t addresses_len, bool has_lists)
{
    pack_open(&s->cursor, flow, flow_len, addresses, addresses_len);
    s->turn = 0;
    s->has_lists = has_lists;
}

void pack_stream_close(struct pack_stream *s)
{
    pack_close(&s->cursor);
    for (uint32_t i = 0; i < PACK_CHUNKS_ALIVE; i++)
        free(s->alive[i].lists);
    memset(s, 0, sizeof *s);
}

/* Copies the lists of a chunk of `n` instructions to where they stay until their turn comes again:
 * most instructions have none, so room for all of them would be mostly empty. */
static bool keep_lists(struct pack_stream *s, uint32_t n)
{
    struct pack_lists *to = &s->alive[s->turn];
    uint32_t count = 0, used = 0;
    for (uint32_t i = 0; i < n; i++)
        count += s->chunk[i].addr_mode == ADDR_LIST;
    if (count > to->cap) {
        free(to->lists);
        to->lists = malloc(count * sizeof *to->lists);
        to->cap = to->lists ? count : 0;
        TRY(to->lists != NULL);
    }
    for (uint32_t i = 0; used < count; i++) {
        struct dyn_inst *d = &s->chunk[i];
        if (d->addr_mode != ADDR_LIST)
            continue;
        memcpy(to->lists[used], d->addr.list, sizeof to->lists[used]);
        d->addr.list = to->lists[used++];
    }
    s->turn = (s->turn + 1) % PACK_CHUNKS_ALIVE;
    return true;
}

bool pack_stream_refill(struct pack_stream *s, struct warp_stream *w, const uint8_t *is_memory,
                        uint32_t inst_count, const char **why)
{
    uint32_t got;
    uint64_t lists[PACK_CHUNK][WARP_LANES];
    TRY(pack_read(&s->cursor, is_memory, inst_count, s->chunk, PACK_CHUNK,
                  s->has_lists ? lists : NULL, &got, why));
    if (s->has_lists && !keep_lists(s, got)) {
        *why = "out of memory";
        return false;
    }
    w->next = s->chunk;
    w->end = s->chunk + got;
    if (got == 0)
        w->finished = true;
    return true;
}

#include "trace/tracez.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/stream.h"

#define DICTIONARY_MAX ((uint32_t)64 << 10)
#define HEADER_MAX ((size_t)1 << 20)
#define CTA_NUMBERS 11
#define TRAILER_BYTES 8
#define CTA_BYTES (CTA_NUMBERS * 4u)
#define WARP_BYTES 16u
/* Level 3 needs 21; a frame may not make the decoder take more than 32 MiB. */
#define WINDOW_LOG_MAX 25
#define READ_BYTES ((size_t)32 << 10)

struct tracez {
    FILE *file;
    const struct accelsim_place *at;
    uint64_t size;
    char *header;
    uint64_t data_at, index_at; /* warps are in [data_at, index_at) */
    ZSTD_DCtx *zstd;
    /* Index. */
    uint64_t index_next; /* offset of what comes next */
    uint32_t ctas_left, warps_left;
    /* The warp: what is left of it, and of its frame. */
    uint64_t warp_next; /* offset of the next piece or part of one */
    uint32_t pieces_left, frame_left;
    uint64_t deepest; /* for progress */
    bool in_frame;    /* a frame is not complete */
    bool more;        /* the decoder may hold text that found no room */
    uint8_t in[READ_BYTES];
    ZSTD_inBuffer input;
    char *text; /* heap: [from, to) is not taken yet */
    size_t from, to, cap;
};

bool tracez_probe(const char *bytes, size_t n)
{
    const char *end = memchr(bytes, '\0', n);
    if (n == 0 || bytes[0] != '-' || !end)
        return false;
    /* A text trace with a NUL somewhere has blocks or instructions before it. */
    for (const char *line = bytes; line && line < end;) {
        bool header = *line == '-' || *line == '\n' || *line == '\r' || *line == ' ' ||
                      (*line == '#' && strncmp(line, "#BEGIN_TB", 9) != 0);
        if (!header)
            return false;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return true;
}

static uint64_t le(const uint8_t *p, uint32_t bytes)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static bool read_at(struct tracez *z, uint64_t offset, void *out, size_t n, struct sim_err *err)
{
    if (fseeko(z->file, (off_t)offset, SEEK_SET) == 0 && fread(out, 1, n, z->file) == n)
        return true;
    return place_error(z->at, err, "cannot read %zu bytes at offset %llu", n,
                       (unsigned long long)offset);
}

/* Reads the text up to its NUL. */
static bool read_header(struct tracez *z, struct sim_err *err)
{
    size_t cap = 4096, len = 0;
    for (;; cap *= 2) {
        char *grown = realloc(z->header, cap);
        if (!grown)
            return err_memory(err, "opening a trace");
        z->header = grown;
        size_t got = fread(z->header + len, 1, cap - len, z->file);
        if (z->header[0] != '-')
            return place_error(z->at, err, "expected a .tracez that is not compressed once more");
        const char *end = memchr(z->header + len, '\0', got);
        if (end) {
            z->data_at = (uint64_t)(end - z->header) + 1;
            return true;
        }
        len += got;
        if (len < cap || cap >= HEADER_MAX)
            return place_error(z->at, err, "expected a header ended by NUL within %zu bytes",
                               HEADER_MAX);
    }
}

static bool read_dictionary(struct tracez *z, struct sim_err *err)
{
    uint8_t sizes[8];
    if (z->size < z->data_at + sizeof sizes + TRAILER_BYTES)
        return place_error(z->at, err, "the trace is cut off behind its header");
    TRY(read_at(z, z->data_at, sizes, sizeof sizes, err));
    uint32_t bytes = (uint32_t)le(sizes, 4);
    z->data_at += sizeof sizes;
    if (bytes > DICTIONARY_MAX || bytes > z->size - z->data_at)
        return place_error(z->at, err, "expected a dictionary of at most %u bytes, found %u",
                           DICTIONARY_MAX, bytes);
    if (bytes == 0)
        return true;
    uint8_t *dictionary = malloc(bytes);
    if (!dictionary)
        return err_memory(err, "opening a trace");
    bool ok = read_at(z, z->data_at, dictionary, bytes, err);
    if (ok && ZSTD_isError(ZSTD_DCtx_loadDictionary(z->zstd, dictionary, bytes)))
        ok = place_error(z->at, err, "the dictionary is damaged");
    z->data_at += bytes;
    free(dictionary);
    return ok;
}

static bool find_index(struct tracez *z, struct sim_err *err)
{
    uint8_t b[8];
    TRY(read_at(z, z->size - TRAILER_BYTES, b, TRAILER_BYTES, err));
    z->index_at = le(b, 8);
    if (z->index_at < z->data_at || z->index_at > z->size - TRAILER_BYTES - 4)
        return place_error(z->at, err,
                           "expected the offset of the index at the end of the file (%llu to "
                           "%llu), found %llu: the trace is cut off or damaged",
                           (unsigned long long)z->data_at,
                           (unsigned long long)(z->size - TRAILER_BYTES - 4),
                           (unsigned long long)z->index_at);
    TRY(read_at(z, z->index_at, b, 4, err));
    z->ctas_left = (uint32_t)le(b, 4);
    z->index_next = z->index_at + 4;
    uint64_t room = (z->size - TRAILER_BYTES - z->index_next) / CTA_BYTES;
    if (z->ctas_left > room)
        return place_error(z->at, err,
                           "expected at most %llu CTAs in an index of this size, found %u",
                           (unsigned long long)room, z->ctas_left);
    return true;
}

static bool open_parts(struct tracez *z, struct sim_err *err)
{
    z->file = fopen(z->at->file, "rb");
    if (!z->file)
        return err_set(err, ERR_INPUT, z->at->file, 0, 0, "cannot open: %s", strerror(errno));
    z->zstd = ZSTD_createDCtx();
    if (!z->zstd ||
        ZSTD_isError(ZSTD_DCtx_setParameter(z->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
        return err_memory(err, "opening a trace");
    off_t size = fseeko(z->file, 0, SEEK_END) == 0 ? ftello(z->file) : -1;
    if (size < 0 || fseeko(z->file, 0, SEEK_SET) != 0)
        return place_error(z->at, err, "expected a file that can be read from its end");
    z->size = (uint64_t)size;
    return read_header(z, err) && read_dictionary(z, err) && find_index(z, err);
}

bool tracez_open(struct tracez **out, const struct accelsim_place *at, struct sim_err *err)
{
    *out = NULL;
    struct tracez *z = calloc(1, sizeof *z);
    if (!z)
        return err_memory(err, "opening a trace");
    z->at = at;
    if (!open_parts(z, err)) {
        tracez_close(z);
        return false;
    }
    *out = z;
    return true;
}

char *tracez_header(struct tracez *z)
{
    return z->header;
}

/* Takes `n` bytes of the index. */
static bool take_index(struct tracez *z, uint8_t *out, uint32_t n, struct sim_err *err)
{
    if (n > z->size - TRAILER_BYTES - z->index_next)
        return place_error(z->at, err, "the index is cut off");
    TRY(read_at(z, z->index_next, out, n, err));
    z->index_next += n;
    return true;
}

bool tracez_cta(struct tracez *z, uint32_t warps_max, struct dim3 *id, uint32_t *warps, bool *end,
                struct sim_err *err)
{
    uint8_t b[CTA_BYTES];
    *end = z->ctas_left == 0;
    if (*end)
        return true;
    TRY(take_index(z, b, sizeof b, err));
    z->ctas_left--;
    *id = (struct dim3){(uint32_t)le(b, 4), (uint32_t)le(b + 4, 4), (uint32_t)le(b + 8, 4)};
    *warps = z->warps_left = (uint32_t)le(b + CTA_BYTES - 4, 4);
    if (*warps > warps_max)
        return place_error(z->at, err, "CTA %u,%u,%u: expected at most %u warps, found %u", id->x,
                           id->y, id->z, warps_max, *warps);
    return true;
}

/* The instructions of the pieces of a warp add up to those of the warp. */
static bool check_pieces(struct tracez *z, uint32_t insts, struct sim_err *err)
{
    uint64_t room = (z->size - TRAILER_BYTES - z->index_next) / 4, sum = 0;
    if (z->pieces_left > room)
        return place_error(z->at, err, "expected at most %llu pieces of a warp, found %u",
                           (unsigned long long)room, z->pieces_left);
    for (uint32_t i = 0; i < z->pieces_left; i++) {
        uint8_t b[4];
        TRY(take_index(z, b, 4, err));
        sum += le(b, 4);
    }
    if (sum == insts)
        return true;
    return place_error(z->at, err, "expected %u instructions in the pieces of the warp, found %llu",
                       insts, (unsigned long long)sum);
}

bool tracez_warp(struct tracez *z, uint32_t *insts, struct sim_err *err)
{
    uint8_t b[WARP_BYTES], own[8];
    z->warps_left--;
    TRY(take_index(z, b, sizeof b, err));
    *insts = (uint32_t)le(b, 4);
    z->pieces_left = (uint32_t)le(b + 4, 4);
    z->warp_next = le(b + 8, 8);
    TRY(check_pieces(z, *insts, err));
    if (z->warp_next < z->data_at || z->warp_next > z->index_at ||
        z->index_at - z->warp_next < sizeof own)
        return place_error(z->at, err, "expected a warp between offsets %llu and %llu, found %llu",
                           (unsigned long long)z->data_at, (unsigned long long)z->index_at,
                           (unsigned long long)z->warp_next);
    TRY(read_at(z, z->warp_next, own, sizeof own, err));
    if (memcmp(own, b, sizeof own) != 0)
        return place_error(z->at, err,
                           "expected %u instructions in %u pieces as in the index, found %u in %u",
                           *insts, z->pieces_left, (uint32_t)le(own, 4), (uint32_t)le(own + 4, 4));
    z->warp_next += sizeof own;
    z->from = z->to = 0;
    z->frame_left = 0;
    z->in_frame = z->more = false;
    z->input = (ZSTD_inBuffer){z->in, 0, 0};
    return true;
}

/* Starts the next frame. */
static bool next_piece(struct tracez *z, struct sim_err *err)
{
    uint8_t b[4];
    if (z->index_at - z->warp_next < sizeof b)
        return place_error(z->at, err, "the warp is cut off");
    TRY(read_at(z, z->warp_next, b, sizeof b, err));
    z->warp_next += sizeof b;
    z->frame_left = (uint32_t)le(b, 4);
    if (z->frame_left > z->index_at - z->warp_next)
        return place_error(z->at, err, "expected at most %llu bytes of a piece, found %u",
                           (unsigned long long)(z->index_at - z->warp_next), z->frame_left);
    z->pieces_left--;
    z->in_frame = true;
    z->more = false;
    ZSTD_DCtx_reset(z->zstd, ZSTD_reset_session_only);
    return true;
}

/* Reads what comes next of the frame into `in`. */
static bool read_frame(struct tracez *z, struct sim_err *err)
{
    size_t n = z->frame_left < READ_BYTES ? z->frame_left : READ_BYTES;
    if (n == 0)
        return place_error(z->at, err, "a piece is cut off or damaged: it ends too early");
    TRY(read_at(z, z->warp_next, z->in, n, err));
    z->warp_next += n;
    z->deepest = z->warp_next > z->deepest ? z->warp_next : z->deepest;
    z->frame_left -= (uint32_t)n;
    z->input = (ZSTD_inBuffer){z->in, n, 0};
    return true;
}

/* Makes room behind z->to, and for a NUL. */
static bool make_room(struct tracez *z, struct sim_err *err)
{
    if (z->from > 0)
        memmove(z->text, z->text + z->from, z->to - z->from);
    z->to -= z->from;
    z->from = 0;
    if (z->cap - z->to > READ_BYTES)
        return true;
    size_t cap = z->cap ? z->cap * 2 : READ_BYTES * 4;
    if (z->to > STREAM_LINE_MAX)
        return place_error(z->at, err, "expected lines of at most %zu bytes", STREAM_LINE_MAX);
    char *grown = realloc(z->text, cap);
    if (!grown)
        return err_memory(err, "reading a trace");
    z->text = grown;
    z->cap = cap;
    return true;
}

/* Decompresses a little more. */
static bool more_text(struct tracez *z, struct sim_err *err)
{
    TRY(make_room(z, err));
    if (z->input.pos == z->input.size && !z->more)
        TRY(read_frame(z, err));
    ZSTD_outBuffer out = {z->text + z->to, z->cap - z->to - 1, 0};
    size_t rc = ZSTD_decompressStream(z->zstd, &out, &z->input);
    if (ZSTD_isError(rc))
        return place_error(z->at, err, "a piece is damaged: %s", ZSTD_getErrorName(rc));
    z->to += out.pos;
    z->more = out.pos == out.size;
    if (rc != 0)
        return true;
    z->in_frame = false;
    if (z->input.pos == z->input.size && z->frame_left == 0)
        return true;
    return place_error(z->at, err, "a piece is damaged: more than one frame");
}

bool tracez_line(struct tracez *z, char **line, size_t *len, struct sim_err *err)
{
    size_t seen = 0; /* of [from, to): without a line end */
    *line = NULL;
    for (;;) {
        size_t n = z->to - z->from;
        char *end = n > seen ? memchr(z->text + z->from + seen, '\n', n - seen) : NULL;
        /* The last line of a piece has no end. */
        if (!end && !z->in_frame && n > 0)
            end = z->text + z->to;
        if (end) {
            *line = z->text + z->from;
            *len = (size_t)(end - *line);
            *end = '\0';
            z->from += *len + (z->from + *len < z->to);
            return true;
        }
        seen = n;
        if (!z->in_frame && z->pieces_left == 0)
            return true;
        if (!z->in_frame)
            TRY(next_piece(z, err));
        TRY(more_text(z, err));
    }
}

uint64_t tracez_consumed(const struct tracez *z)
{
    return z->ctas_left == 0 && z->warps_left == 0 ? z->size : z->deepest;
}

void tracez_close(struct tracez *z)
{
    if (!z)
        return;
    if (z->file)
        fclose(z->file);
    ZSTD_freeDCtx(z->zstd);
    free(z->header);
    free(z->text);
    free(z);
}

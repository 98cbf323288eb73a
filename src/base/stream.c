#include "base/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"

#define START_BYTES ((size_t)256 << 10)

struct stream {
    struct codec *codec;
    char *path;
    uint64_t line;
    char *data; /* [pos, end) is decoded and not consumed; one byte more is kept for a NUL */
    size_t cap, pos, end;
    bool at_end; /* the decoder has no more */
};

bool stream_open(struct stream **out, const char *path, struct sim_err *err)
{
    *out = NULL;
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return err_memory(err, "opening a file");
    size_t n = strlen(path) + 1;
    s->path = malloc(n);
    s->data = malloc(START_BYTES + 1);
    s->cap = START_BYTES;
    bool ok = s->path && s->data;
    if (ok) {
        memcpy(s->path, path, n);
        ok = codec_open(&s->codec, s->path, err);
    } else {
        err_memory(err, "opening a file");
    }
    if (!ok) {
        stream_close(s);
        return false;
    }
    *out = s;
    return true;
}

static bool grow(struct stream *s, struct sim_err *err)
{
    size_t cap = s->cap * 2;
    char *data = realloc(s->data, cap + 1);
    if (!data)
        return err_memory(err, "reading a long line");
    s->data = data;
    s->cap = cap;
    return true;
}

/* Decodes more behind `end`; moves what is left to the front, grows the buffer when it is full. */
static bool more(struct stream *s, struct sim_err *err)
{
    if (s->pos > 0) {
        memmove(s->data, s->data + s->pos, s->end - s->pos);
        s->end -= s->pos;
        s->pos = 0;
    }
    if (s->end == s->cap)
        TRY(grow(s, err));
    size_t got;
    TRY(codec_read(s->codec, s->data + s->end, s->cap - s->end, &got, err));
    s->end += got;
    s->at_end = got == 0;
    return true;
}

static bool too_long(const struct stream *s, struct sim_err *err)
{
    uint32_t line = s->line < UINT32_MAX ? (uint32_t)s->line + 1 : UINT32_MAX;
    return err_set(err, ERR_INPUT, s->path, line, 0,
                   "expected a line of at most 64 MiB, found a longer one");
}

static void give_line(struct stream *s, size_t len, size_t skip, char **line, size_t *out_len)
{
    char *text = s->data + s->pos;
    s->pos += len + skip;
    if (len > 0 && text[len - 1] == '\r')
        len--;
    text[len] = '\0';
    s->line++;
    *line = text;
    *out_len = len;
}

bool stream_line(struct stream *s, char **line, size_t *len, struct sim_err *err)
{
    size_t searched = 0;
    for (;;) {
        char *from = s->data + s->pos;
        size_t have = s->end - s->pos;
        char *nl = memchr(from + searched, '\n', have - searched);
        if ((nl ? (size_t)(nl - from) : have) > STREAM_LINE_MAX)
            return too_long(s, err);
        if (nl) {
            give_line(s, (size_t)(nl - from), 1, line, len);
            return true;
        }
        if (s->at_end)
            break;
        searched = have;
        TRY(more(s, err));
    }
    if (s->pos == s->end) {
        *line = NULL;
        *len = 0;
        return true;
    }
    give_line(s, s->end - s->pos, 0, line, len);
    return true;
}

bool stream_read(struct stream *s, void *out, size_t size, size_t *got, struct sim_err *err)
{
    *got = 0;
    while (*got < size) {
        if (s->pos == s->end) {
            if (s->at_end)
                break;
            TRY(more(s, err));
            continue;
        }
        size_t n = s->end - s->pos;
        if (n > size - *got)
            n = size - *got;
        memcpy((char *)out + *got, s->data + s->pos, n);
        s->pos += n;
        *got += n;
    }
    return true;
}

bool stream_peek(struct stream *s, size_t want, const char **bytes, size_t *got,
                 struct sim_err *err)
{
    if (want > STREAM_PEEK_MAX)
        want = STREAM_PEEK_MAX;
    while (s->end - s->pos < want && !s->at_end)
        TRY(more(s, err));
    *bytes = s->data + s->pos;
    *got = s->end - s->pos < want ? s->end - s->pos : want;
    return true;
}

uint64_t stream_line_number(const struct stream *s)
{
    return s->line;
}

uint64_t stream_consumed(const struct stream *s)
{
    return codec_consumed(s->codec);
}

uint64_t stream_size(const struct stream *s)
{
    return codec_size(s->codec);
}

const char *stream_path(const struct stream *s)
{
    return s->path;
}

void stream_close(struct stream *s)
{
    if (!s)
        return;
    codec_close(s->codec);
    free(s->data);
    free(s->path);
    free(s);
}

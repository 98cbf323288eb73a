#include "base/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define INPUT_BYTES ((size_t)128 << 10)

/* `xz -9` needs 65 MiB to decode; larger dictionaries only come from `--lzma2=dict=...`. */
#define XZ_MEMORY_MAX ((uint64_t)256 << 20)

/* 15 window bits, and 16 for "expect a gzip header" (zlib.h). */
#define GZIP_WINDOW_BITS (15 + 16)

/* One step of a decoder: moves bytes from c->in to `out`, sets *got. */
typedef bool step_fn(struct codec *c, char *out, size_t size, size_t *got, struct sim_err *err);

struct codec {
    const char *path;
    int fd;
    uint64_t size;     /* of the file; 0 = unknown */
    uint64_t consumed; /* bytes read from the file */
    const char *name;  /* of the compression, for messages */
    step_fn *step;
    bool file_end;  /* the file has no more bytes */
    bool in_member; /* inside a member or frame: the end of the file would be a truncation */
    bool done;
    size_t in_pos, in_len;
    z_stream gz;
    lzma_stream xz;
    ZSTD_DStream *zst;
    char in[INPUT_BYTES];
};

static bool fill(struct codec *c, struct sim_err *err)
{
    if (c->in_pos > 0) {
        memmove(c->in, c->in + c->in_pos, c->in_len - c->in_pos);
        c->in_len -= c->in_pos;
        c->in_pos = 0;
    }
    while (!c->file_end && c->in_len < INPUT_BYTES) {
        ssize_t n = read(c->fd, c->in + c->in_len, INPUT_BYTES - c->in_len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(err, ERR_INPUT, c->path, 0, 0, "cannot read: %s", strerror(errno));
        c->file_end = n == 0;
        c->in_len += (size_t)n;
        c->consumed += (uint64_t)n;
    }
    return true;
}

static bool truncated(const struct codec *c, struct sim_err *err)
{
    return err_set(err, ERR_INPUT, c->path, 0, 0,
                   "expected more %s data, found the end of the file (truncated archive)", c->name);
}

static bool corrupt(const struct codec *c, const char *what, struct sim_err *err)
{
    return err_set(err, ERR_INPUT, c->path, 0, 0, "expected %s data, found a corrupt archive: %s",
                   c->name, what);
}

static bool step_plain(struct codec *c, char *out, size_t size, size_t *got, struct sim_err *err)
{
    (void)err;
    size_t n = c->in_len - c->in_pos;
    if (n > size)
        n = size;
    memcpy(out, c->in + c->in_pos, n);
    c->in_pos += n;
    *got = n;
    c->done = c->file_end && c->in_pos == c->in_len;
    return true;
}

/* Between members: another gzip header, zero padding (tape blocks), or the end. */
static bool next_gzip_member(struct codec *c, struct sim_err *err)
{
    while (c->in_pos < c->in_len && c->in[c->in_pos] == 0)
        c->in_pos++;
    if (c->in_pos == c->in_len) {
        c->done = c->file_end;
        return true;
    }
    if ((unsigned char)c->in[c->in_pos] != 0x1f)
        return corrupt(c, "bytes after the end that are no gzip member", err);
    if (inflateReset(&c->gz) != Z_OK)
        return corrupt(c, "cannot restart", err);
    c->in_member = true;
    return true;
}

static bool step_gzip(struct codec *c, char *out, size_t size, size_t *got, struct sim_err *err)
{
    if (!c->in_member)
        return next_gzip_member(c, err);
    uInt room = (uInt)(size > UINT32_MAX ? UINT32_MAX : size);
    c->gz.next_in = (Bytef *)c->in + c->in_pos;
    c->gz.avail_in = (uInt)(c->in_len - c->in_pos);
    c->gz.next_out = (Bytef *)out;
    c->gz.avail_out = room;
    int rc = inflate(&c->gz, Z_NO_FLUSH);
    c->in_pos = c->in_len - c->gz.avail_in;
    *got = room - c->gz.avail_out;
    if (rc == Z_STREAM_END)
        c->in_member = false;
    else if (rc == Z_MEM_ERROR)
        return err_memory(err, "decompressing gzip");
    else if (rc != Z_OK && rc != Z_BUF_ERROR)
        return corrupt(c, c->gz.msg ? c->gz.msg : "bad data", err);
    return true;
}

static bool step_xz(struct codec *c, char *out, size_t size, size_t *got, struct sim_err *err)
{
    c->xz.next_in = (uint8_t *)c->in + c->in_pos;
    c->xz.avail_in = c->in_len - c->in_pos;
    c->xz.next_out = (uint8_t *)out;
    c->xz.avail_out = size;
    lzma_ret rc = lzma_code(&c->xz, c->file_end ? LZMA_FINISH : LZMA_RUN);
    c->in_pos = c->in_len - c->xz.avail_in;
    *got = size - c->xz.avail_out;
    switch (rc) {
    case LZMA_OK:
        return true;
    case LZMA_STREAM_END:
        c->in_member = false;
        c->done = true;
        return true;
    case LZMA_BUF_ERROR:
        return !c->file_end || truncated(c, err);
    case LZMA_MEM_ERROR:
        return err_memory(err, "decompressing xz");
    case LZMA_MEMLIMIT_ERROR:
        return corrupt(c, "its dictionary needs more than 256 MiB", err);
    default:
        return corrupt(c, "bad data", err);
    }
}

static bool step_zstd(struct codec *c, char *out, size_t size, size_t *got, struct sim_err *err)
{
    if (!c->in_member && c->in_pos == c->in_len) {
        c->done = c->file_end;
        return true;
    }
    ZSTD_inBuffer in = {c->in + c->in_pos, c->in_len - c->in_pos, 0};
    ZSTD_outBuffer o = {out, size, 0};
    size_t rc = ZSTD_decompressStream(c->zst, &o, &in);
    if (ZSTD_isError(rc))
        return corrupt(c, ZSTD_getErrorName(rc), err);
    c->in_pos += in.pos;
    *got = o.pos;
    c->in_member = rc != 0;
    c->done = rc == 0 && c->file_end && c->in_pos == c->in_len;
    return true;
}

static bool starts(const struct codec *c, const char *magic, size_t n)
{
    return c->in_len >= n && memcmp(c->in, magic, n) == 0;
}

static bool choose(struct codec *c, struct sim_err *err)
{
    if (starts(c, "\x1f\x8b", 2)) {
        c->name = "gzip";
        c->step = step_gzip;
        if (inflateInit2(&c->gz, GZIP_WINDOW_BITS) != Z_OK)
            return err_memory(err, "decompressing gzip");
    } else if (starts(c,
                      "\xfd"
                      "7zXZ\0",
                      6)) {
        c->name = "xz";
        c->step = step_xz;
        lzma_stream fresh = LZMA_STREAM_INIT;
        c->xz = fresh;
        if (lzma_stream_decoder(&c->xz, XZ_MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK)
            return err_memory(err, "decompressing xz");
    } else if (starts(c, "\x28\xb5\x2f\xfd", 4)) {
        c->name = "zstd";
        c->step = step_zstd;
        c->zst = ZSTD_createDStream();
        if (!c->zst || ZSTD_isError(ZSTD_initDStream(c->zst)))
            return err_memory(err, "decompressing zstd");
    } else {
        c->name = "plain";
        c->step = step_plain;
        return true;
    }
    c->in_member = true;
    return true;
}

static bool open_file(struct codec *c, struct sim_err *err)
{
    c->fd = open(c->path, O_RDONLY | O_CLOEXEC);
    if (c->fd < 0)
        return err_set(err, ERR_INPUT, c->path, 0, 0, "cannot open: %s", strerror(errno));
    struct stat st;
    if (fstat(c->fd, &st) != 0)
        return err_set(err, ERR_INPUT, c->path, 0, 0, "cannot stat: %s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        return err_set(err, ERR_INPUT, c->path, 0, 0, "expected a file, found a directory");
    c->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    TRY(fill(c, err));
    return choose(c, err);
}

bool codec_open(struct codec **out, const char *path, struct sim_err *err)
{
    *out = NULL;
    struct codec *c = malloc(sizeof *c);
    if (!c)
        return err_memory(err, "opening a file");
    memset(c, 0, offsetof(struct codec, in));
    c->path = path;
    if (!open_file(c, err)) {
        codec_close(c);
        return false;
    }
    *out = c;
    return true;
}

bool codec_read(struct codec *c, char *out, size_t size, size_t *got, struct sim_err *err)
{
    *got = 0;
    while (!c->done && *got == 0) {
        if (c->in_pos == c->in_len)
            TRY(fill(c, err));
        size_t before = c->in_pos;
        bool was_in_member = c->in_member;
        TRY(c->step(c, out, size, got, err));
        bool stuck = *got == 0 && c->in_pos == before && !c->done;
        if (stuck && c->file_end && was_in_member)
            return truncated(c, err);
    }
    return true;
}

uint64_t codec_consumed(const struct codec *c)
{
    return c->consumed - (c->in_len - c->in_pos);
}

uint64_t codec_size(const struct codec *c)
{
    return c->size;
}

void codec_close(struct codec *c)
{
    if (!c)
        return;
    if (c->step == step_gzip)
        inflateEnd(&c->gz);
    if (c->step == step_xz)
        lzma_end(&c->xz);
    ZSTD_freeDStream(c->zst);
    if (c->fd >= 0)
        close(c->fd);
    free(c);
}

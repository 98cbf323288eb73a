#include "base/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

struct bytes {
    unsigned char *data;
    size_t len;
};

static char temp[64];

static int make_temp(void **state)
{
    (void)state;
    strcpy(temp, "/tmp/subcore_stream_XXXXXX");
    int fd = mkstemp(temp);
    return fd < 0 || close(fd) != 0;
}

static int remove_temp(void **state)
{
    (void)state;
    return unlink(temp);
}

static void write_file(const void *data, size_t len)
{
    FILE *f = fopen(temp, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static void append(struct bytes *b, const void *data, size_t len)
{
    b->data = realloc(b->data, b->len + len + 1);
    assert_non_null(b->data);
    memcpy(b->data + b->len, data, len);
    b->len += len;
}

static void add_gzip(struct bytes *b, const char *text, size_t len)
{
    unsigned char *out = malloc(len + 1024);
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)len;
    z.next_out = out;
    z.avail_out = (uInt)len + 1024;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    append(b, out, z.total_out);
    deflateEnd(&z);
    free(out);
}

static void add_xz(struct bytes *b, const char *text, size_t len)
{
    uint8_t *out = malloc(len + 1024);
    size_t n = 0;
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text, len,
                                             out, &n, len + 1024),
                     LZMA_OK);
    append(b, out, n);
    free(out);
}

static void add_zstd(struct bytes *b, const char *text, size_t len)
{
    size_t cap = ZSTD_compressBound(len);
    void *out = malloc(cap);
    size_t n = ZSTD_compress(out, cap, text, len, 3);
    assert_false(ZSTD_isError(n));
    append(b, out, n);
    free(out);
}

typedef void add_fn(struct bytes *b, const char *text, size_t len);
static add_fn *const compressors[] = {add_gzip, add_xz, add_zstd};
static const char *const names[] = {"gzip", "xz", "zstd"};
#define KINDS 3

static struct stream *open_temp(void)
{
    struct sim_err err = {0};
    struct stream *s;
    assert_true(stream_open(&s, temp, &err));
    return s;
}

static void expect_line(struct stream *s, const char *want)
{
    struct sim_err err = {0};
    char *line;
    size_t len;
    assert_true(stream_line(s, &line, &len, &err));
    if (!want) {
        assert_null(line);
        return;
    }
    assert_non_null(line);
    assert_string_equal(line, want);
    assert_int_equal(len, strlen(want));
}

/* Reads to the end; false = error in `err`. */
static bool drain(struct sim_err *err, uint64_t *lines)
{
    struct stream *s;
    memset(err, 0, sizeof *err);
    *lines = 0;
    TRY(stream_open(&s, temp, err));
    char *line;
    size_t len;
    bool ok;
    while ((ok = stream_line(s, &line, &len, err)) && line)
        ++*lines;
    stream_close(s);
    return ok;
}

/* Numbers: compresses, but not to nothing. */
static char *long_text(size_t lines, size_t *len)
{
    char *text = malloc(lines * 24);
    *len = 0;
    for (size_t i = 0; i < lines; i++)
        *len += (size_t)sprintf(text + *len, "%zu %zu\n", i, i * 2654435761u % 99991);
    return text;
}

static void plain_lines_end_with_lf_crlf_or_nothing(void **state)
{
    (void)state;
    write_file("one\ntwo\r\n\nfour", 14);
    struct stream *s = open_temp();
    expect_line(s, "one");
    expect_line(s, "two");
    assert_int_equal(stream_line_number(s), 2);
    expect_line(s, "");
    expect_line(s, "four");
    assert_int_equal(stream_line_number(s), 4);
    expect_line(s, NULL);
    expect_line(s, NULL);
    assert_int_equal(stream_consumed(s), 14);
    assert_int_equal(stream_size(s), 14);
    assert_string_equal(stream_path(s), temp);
    stream_close(s);
}

static void empty_file_has_no_line(void **state)
{
    (void)state;
    write_file("", 0);
    struct stream *s = open_temp();
    expect_line(s, NULL);
    stream_close(s);
}

static void compression_is_told_by_magic_bytes(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct bytes b = {0};
        compressors[k](&b, "alpha\nbeta\n", 11);
        write_file(b.data, b.len);
        struct stream *s = open_temp();
        expect_line(s, "alpha");
        expect_line(s, "beta");
        expect_line(s, NULL);
        assert_int_equal(stream_consumed(s), b.len);
        stream_close(s);
        free(b.data);
    }
}

static void concatenated_archives_read_as_one(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct bytes b = {0};
        compressors[k](&b, "al", 2);
        compressors[k](&b, "", 0);
        compressors[k](&b, "pha\nbeta", 8);
        write_file(b.data, b.len);
        struct stream *s = open_temp();
        expect_line(s, "alpha");
        expect_line(s, "beta");
        expect_line(s, NULL);
        stream_close(s);
        free(b.data);
    }
}

static void many_buffers_of_text_read_to_the_end(void **state)
{
    (void)state;
    size_t len;
    char *text = long_text(200000, &len);
    for (int k = 0; k < KINDS; k++) {
        struct bytes b = {0};
        compressors[k](&b, text, len);
        write_file(b.data, b.len);
        struct sim_err err;
        uint64_t lines;
        assert_true(drain(&err, &lines));
        assert_int_equal(lines, 200000);
        free(b.data);
    }
    free(text);
}

static void every_truncation_of_an_archive_is_an_error(void **state)
{
    (void)state;
    size_t len;
    char *text = long_text(100, &len);
    for (int k = 0; k < KINDS; k++) {
        struct bytes b = {0};
        compressors[k](&b, text, len);
        size_t one = b.len;
        compressors[k](&b, text, len);
        for (size_t cut = 6; cut < b.len; cut++) {
            write_file(b.data, cut);
            struct sim_err err;
            uint64_t lines;
            bool ok = drain(&err, &lines);
            if (cut == one) {
                assert_true(ok);
                continue;
            }
            assert_false(ok);
            assert_string_equal(err.file, temp);
            assert_int_equal(err.code, ERR_INPUT);
            assert_non_null(strstr(err.msg, names[k]));
        }
        free(b.data);
    }
    free(text);
}

static void damaged_bytes_are_an_error_or_harmless(void **state)
{
    (void)state;
    size_t len;
    char *text = long_text(2000, &len);
    for (int k = 0; k < 2; k++) { /* zstd frames made by ZSTD_compress() carry no checksum */
        struct bytes b = {0};
        compressors[k](&b, text, len);
        b.data[b.len / 2] ^= 0x55;
        write_file(b.data, b.len);
        struct sim_err err;
        uint64_t lines;
        assert_false(drain(&err, &lines));
        assert_non_null(strstr(err.msg, "corrupt archive"));
        free(b.data);
    }
    free(text);
}

static void bytes_after_a_gzip_member_are_an_error(void **state)
{
    (void)state;
    struct bytes b = {0};
    add_gzip(&b, "x\n", 2);
    append(&b, "\0\0\0", 3);
    write_file(b.data, b.len);
    struct sim_err err;
    uint64_t lines;
    assert_true(drain(&err, &lines));
    append(&b, "junk", 4);
    write_file(b.data, b.len);
    assert_false(drain(&err, &lines));
    assert_string_equal(err.msg, "expected gzip data, found a corrupt archive: bytes after the end "
                                 "that are no gzip member");
    free(b.data);
}

static void directory_and_missing_file_are_errors(void **state)
{
    (void)state;
    struct sim_err err = {0};
    struct stream *s;
    assert_false(stream_open(&s, "/tmp", &err));
    assert_string_equal(err.msg, "expected a file, found a directory");
    assert_string_equal(err.file, "/tmp");
    assert_null(s);
    memset(&err, 0, sizeof err);
    assert_false(stream_open(&s, "/tmp/no/such/file", &err));
    assert_string_equal(err.msg, "cannot open: No such file or directory");
}

static void line_longer_than_the_limit_is_an_error(void **state)
{
    (void)state;
    size_t len = STREAM_LINE_MAX + 10;
    char *text = malloc(len);
    memset(text, 'a', len);
    text[1] = '\n';
    struct bytes b = {0};
    add_gzip(&b, text, len);
    write_file(b.data, b.len);
    struct sim_err err;
    uint64_t lines;
    assert_false(drain(&err, &lines));
    assert_int_equal(err.line, 2);
    assert_string_equal(err.msg, "expected a line of at most 64 MiB, found a longer one");
    free(b.data);
    free(text);
}

static void peeked_bytes_are_still_read(void **state)
{
    (void)state;
    write_file("abc\ndef", 7);
    struct stream *s = open_temp();
    struct sim_err err = {0};
    const char *bytes;
    size_t got;
    assert_true(stream_peek(s, 2, &bytes, &got, &err));
    assert_int_equal(got, 2);
    assert_true(stream_peek(s, 100, &bytes, &got, &err));
    assert_int_equal(got, 7);
    assert_memory_equal(bytes, "abc\ndef", 7);
    expect_line(s, "abc");
    char out[8];
    assert_true(stream_read(s, out, sizeof out, &got, &err));
    assert_int_equal(got, 3);
    assert_memory_equal(out, "def", 3);
    stream_close(s);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_temp, remove_temp)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(plain_lines_end_with_lf_crlf_or_nothing),
        CASE(empty_file_has_no_line),
        CASE(compression_is_told_by_magic_bytes),
        CASE(concatenated_archives_read_as_one),
        CASE(many_buffers_of_text_read_to_the_end),
        CASE(every_truncation_of_an_archive_is_an_error),
        CASE(damaged_bytes_are_an_error_or_harmless),
        CASE(bytes_after_a_gzip_member_are_an_error),
        CASE(directory_and_missing_file_are_errors),
        CASE(line_longer_than_the_limit_is_an_error),
        CASE(peeked_bytes_are_still_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

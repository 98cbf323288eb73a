/* The binary form of Accel-Sim 2.0, `.tracez`: small files made here with libzstd. */
#include "trace_support.h"

#include <zstd.h>

#define BINARY_HEADER                                                                              \
    "-kernel name = k\n-kernel id = 7\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-shmem = 128\n" \
    "-nregs = 24\n-binary version = 90\n-accelsim tracer version = 6\n-enable lineinfo = 0\n"      \
    "\n#traces format = ...\n"

#define LOAD "0010 00000003 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 4 0 0 NoVal"
#define EXIT_LINE "0020 ffffffff 0 EXIT 0 0 0 0 NoVal"

/* What the file is made of, and what a test breaks. */
struct recipe {
    const char *dictionary;
    const char *pieces[2][2]; /* [warp][piece]; NULL = none */
    uint32_t warps, insts_in_index, insts_at_warp, pieces_in_index, piece_bytes, ctas;
    uint64_t index_at, cut, warp_at;
};

static const struct recipe good = {.pieces = {{LOAD "\n" LOAD, EXIT_LINE}, {EXIT_LINE, NULL}},
                                   .warps = 2};

static void put(struct buf *b, uint64_t v, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        char c = (char)(v >> (8 * i));
        buf_add(b, &c, 1);
    }
}

static uint32_t lines_of(const char *text)
{
    uint32_t n = 1;
    for (const char *p = text; *p; p++)
        n += *p == '\n';
    return n;
}

static void put_piece(struct buf *b, const struct recipe *r, const char *text)
{
    char frame[4096];
    ZSTD_CCtx *c = ZSTD_createCCtx();
    size_t dictionary = r->dictionary ? strlen(r->dictionary) : 0;
    size_t n = ZSTD_compress_usingDict(c, frame, sizeof frame, text, strlen(text), r->dictionary,
                                       dictionary, 3);
    ZSTD_freeCCtx(c);
    assert_false(ZSTD_isError(n));
    put(b, r->piece_bytes ? r->piece_bytes : n, 4);
    buf_add(b, frame, n);
}

static void put_warp(struct buf *b, struct buf *index, const struct recipe *r, uint32_t w)
{
    uint32_t pieces = 0, insts = 0;
    for (; pieces < 2 && r->pieces[w][pieces]; pieces++)
        insts += lines_of(r->pieces[w][pieces]);
    put(index, r->insts_in_index ? r->insts_in_index : insts, 4);
    put(index, r->pieces_in_index ? r->pieces_in_index : pieces, 4);
    put(index, r->warp_at ? r->warp_at : b->len, 8);
    put(b, r->insts_at_warp ? r->insts_at_warp : insts, 4);
    put(b, pieces, 4);
    for (uint32_t p = 0; p < pieces; p++) {
        put(index, lines_of(r->pieces[w][p]), 4);
        put_piece(b, r, r->pieces[w][p]);
    }
}

static void build(char path[64], const struct recipe *r)
{
    struct buf b = {0}, index = {0};
    buf_add(&b, BINARY_HEADER, sizeof BINARY_HEADER); /* with its NUL */
    put(&b, r->dictionary ? strlen(r->dictionary) : 0, 4);
    put(&b, 2048, 4);
    buf_puts(&b, r->dictionary ? r->dictionary : "");
    put(&index, r->ctas ? r->ctas : 1, 4);
    put(&index, 1, 4); /* CTA 1,0,0; cluster and rank */
    for (uint32_t i = 0; i < 9; i++)
        put(&index, 0, 4);
    put(&index, r->warps, 4);
    for (uint32_t w = 0; w < 2; w++)
        put_warp(&b, &index, r, w);
    uint64_t at = b.len;
    buf_add(&b, index.data, index.len);
    put(&b, r->index_at ? r->index_at : at, 8);
    temp_write(path, b.data, b.len - (size_t)r->cut);
    buf_free(&b);
    buf_free(&index);
}

static bool read_recipe(const struct recipe *r, struct buf *out, struct sim_err *err)
{
    char path[64];
    struct diag diag = {0};
    build(path, r);
    bool ok = read_path(path, out, &diag, err);
    unlink(path);
    return ok;
}

static const char good_dump[] = "cta 1,0,0\n0: 0010 LDG.E 00000003 global/4 0x7f0000000000+4\n"
                                "0: 0010 LDG.E 00000003 global/4 0x7f0000000000+4\n"
                                "0: 0020 EXIT ffffffff\n1: 0020 EXIT ffffffff\n";

static void expect_good(const struct recipe *r)
{
    struct sim_err err = {0};
    struct buf out = {0};
    if (!read_recipe(r, &out, &err))
        fail_msg("%s", err.msg);
    assert_string_equal(out.data, good_dump);
    buf_free(&out);
}

static void warps_are_read_piece_by_piece(void **state)
{
    (void)state;
    expect_good(&good);
}

static void pieces_may_need_the_dictionary(void **state)
{
    (void)state;
    struct recipe r = good;
    r.dictionary = "0010 00000003 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 4 0 0 NoVal ffffffff 0 EXIT";
    expect_good(&r);
}

static void a_line_break_at_the_end_of_a_piece_is_no_line(void **state)
{
    (void)state;
    struct recipe r = good;
    struct sim_err err = {0};
    r.pieces[1][0] = EXIT_LINE "\n";
    r.insts_in_index = 0;
    assert_false(read_recipe(&r, NULL, &err)); /* the file says 2 instructions */
    assert_non_null(strstr(err.msg, "warp 1: expected 2 instructions, found 1"));
}

static void lists_find_the_binary_form(void **state)
{
    (void)state;
    char path[64], list[64], name[96];
    build(path, &good);
    snprintf(name, sizeof name, "%s.tracez", path);
    assert_int_equal(rename(path, name), 0);
    char text[128];
    /* kernelslist names start with "kernel"; an absolute path does not, so the list is beside it.
     */
    snprintf(list, sizeof list, "/tmp/kernelx_%s", path + strlen("/tmp/subcore_trace_"));
    snprintf(text, sizeof text, "%s.tracez", list);
    assert_int_equal(rename(name, text), 0);
    char listed[64];
    snprintf(name, sizeof name, "%s.trace\n", list + strlen("/tmp/"));
    temp_write(listed, name, strlen(name));
    struct diag diag = {0};
    struct sim_err err = {0};
    struct input_options opt = {.diag = &diag};
    struct input *in;
    struct input_item item;
    struct buf out = {0};
    assert_true(input_open(&in, listed, &opt, &err));
    if (!input_next(in, &item, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(item.kind, INPUT_KERNEL);
    assert_true(dump_kernel(item.kernel, &out, &err));
    assert_string_equal(out.data, good_dump);
    buf_free(&out);
    input_close(in);
    unlink(text);
    unlink(listed);
}

struct damage {
    struct recipe r;
    const char *msg;
};

static void damage_is_an_error_that_says_where(void **state)
{
    (void)state;
    const struct damage rows[] = {
        {{.cut = 9}, "expected the offset of the index at the end of the file"},
        {{.index_at = 5}, "found 5: the trace is cut off or damaged"},
        {{.index_at = UINT64_MAX}, "found 18446744073709551615: the trace is cut off or damaged"},
        {{.ctas = 0x7fffffff},
         "expected at most 2 CTAs in an index of this size, found 2147483647"},
        {{.warps = 3}, "CTA 1,0,0: expected at most 2 warps, found 3"},
        {{.insts_in_index = 9},
         "kernel k, CTA 1,0,0, warp 0: expected 9 instructions in the pieces of the warp, found 3"},
        {{.insts_at_warp = 9},
         "warp 0: expected 3 instructions in 2 pieces as in the index, found 9 in 2"},
        {{.pieces_in_index = 0x7fffffff}, "pieces of a warp, found 2147483647"},
        {{.warp_at = 1}, "warp 0: expected a warp between offsets "},
        {{.piece_bytes = 0x7fffffff}, "bytes of a piece, found 2147483647"},
        {{.piece_bytes = 5}, "warp 0: a piece is "},
        {{.pieces = {{"hello"}}}, "warp 0: expected an instruction, found 'hello'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct recipe r = rows[i].r;
        struct sim_err err = {0};
        if (!r.pieces[0][0])
            r.pieces[0][0] = good.pieces[0][0], r.pieces[0][1] = good.pieces[0][1];
        r.pieces[1][0] = good.pieces[1][0];
        r.warps = r.warps ? r.warps : 2;
        if (read_recipe(&r, NULL, &err))
            fail_msg("row %zu was read", i);
        if (!strstr(err.msg, rows[i].msg))
            fail_msg("row %zu: expected '%s' in '%s'", i, rows[i].msg, err.msg);
    }
}

static void every_cut_is_an_error(void **state)
{
    (void)state;
    char path[64];
    build(path, &good);
    FILE *f = fopen(path, "rb");
    char bytes[4096];
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    unlink(path);
    assert_true(n < sizeof bytes);
    for (size_t len = sizeof BINARY_HEADER; len < n; len++) {
        struct diag diag = {0};
        struct sim_err err = {0};
        temp_write(path, bytes, len);
        bool ok = read_path(path, NULL, &diag, &err);
        unlink(path);
        if (ok || err.code != ERR_INPUT)
            fail_msg("the first %zu bytes were read: %s", len, err.msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_are_read_piece_by_piece),
        cmocka_unit_test(pieces_may_need_the_dictionary),
        cmocka_unit_test(a_line_break_at_the_end_of_a_piece_is_no_line),
        cmocka_unit_test(lists_find_the_binary_form),
        cmocka_unit_test(damage_is_an_error_that_says_where),
        cmocka_unit_test(every_cut_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

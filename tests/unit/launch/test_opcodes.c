/* One-opcode kernels, executed: every word that an H200 left in memory (tests/data/opcodes). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/stream.h"
#include "launch/launch_input.h"

#define FOLDER SUBCORE_SOURCE_DIR "/tests/data/opcodes/"

/* How elements are compared: bits, or numbers of a format whose distance may be `tolerance` times
 * the larger of the magnitude and `floor`. HALVES: packed FP16, one last place. */
enum format { BITS, FP32, FP64, HALVES };

struct closeness {
    const char *launch;
    enum format format;
    double tolerance, floor;
};

/* The hardware reads tables; the model computes (semantics_mufu.c). Sine, cosine and logarithm have
 * an absolute error near their zeros; TANH is a coarse table. */
static const struct closeness close_launches[] = {
    {"mufu_rcp", FP32, 0x1p-20, 0},  {"mufu_rsq", FP32, 0x1p-20, 0},
    {"mufu_sqrt", FP32, 0x1p-20, 0}, {"mufu_ex2", FP32, 0x1p-20, 0},
    {"mufu_sin", FP32, 0x1p-20, 1},  {"mufu_cos", FP32, 0x1p-20, 1},
    {"mufu_lg2", FP32, 0x1p-20, 1},  {"mufu_tanh", FP32, 0x1p-16, 0},
    {"mufu_64h", FP64, 0x1p-20, 0},  {"mufu_f16", HALVES, 0, 0},
};

static struct closeness closeness_of(const char *launch)
{
    for (size_t i = 0; i < sizeof close_launches / sizeof *close_launches; i++)
        if (strcmp(close_launches[i].launch, launch) == 0)
            return close_launches[i];
    return (struct closeness){launch, BITS, 0, 0};
}

static double number(enum format format, uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;
    double d;
    memcpy(&f, &word, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return format == FP64 ? d : (double)f;
}

static bool agrees(const struct closeness *c, uint64_t got, uint64_t want)
{
    if (got == want || c->format == BITS)
        return got == want;
    if (c->format == HALVES) {
        for (unsigned shift = 0; shift < 32; shift += 16)
            if (llabs((long long)(got >> shift & 0xffff) - (long long)(want >> shift & 0xffff)) > 1)
                return false;
        return true;
    }
    double g = number(c->format, got), w = number(c->format, want);
    if (!isfinite(g) || !isfinite(w) || (c->floor == 0 && !signbit(g) != !signbit(w)))
        return false;
    return fabs(g - w) <= c->tolerance * fmax(fabs(w), c->floor);
}

static uint64_t element(const uint8_t *data, uint64_t at, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned k = 0; k < bytes; k++)
        v |= (uint64_t)data[at + k] << (8 * k);
    return v;
}

/* The measured bytes of a buffer, or false: nothing changed it, so none are kept. */
static bool read_expected(struct buf *out, const char *launch, uint32_t argument)
{
    struct sim_err err = {.code = ERR_NONE};
    struct stream *s = NULL;
    char path[512], block[4096];
    size_t got = 0;
    snprintf(path, sizeof path, FOLDER "expected/%s.%u.bin.gz", launch, argument);
    if (access(path, R_OK) != 0)
        return false;
    bool ok = stream_open(&s, path, &err);
    while (ok && (ok = stream_read(s, block, sizeof block, &got, &err)) && got > 0)
        buf_add(out, block, got);
    stream_close(s);
    if (!ok || out->failed)
        fail_msg("%s: %s", path, ok ? "out of memory" : err.msg);
    return true;
}

static uint32_t checksum(const void *data, uint64_t bytes)
{
    return (uint32_t)crc32(0, data, (uInt)bytes);
}

/* A line of expected.csv. */
struct row {
    char launch[64];
    unsigned argument, crc;
    unsigned long bytes;
};

/* False, and a message that names launch and element, when a buffer is not as measured. */
static bool check_buffer(const struct emu_buffer *b, const struct row *row, unsigned size)
{
    struct closeness c = closeness_of(row->launch);
    struct buf want = {0};
    uint64_t wrong = 0, first = 0;
    assert_int_equal(b->bytes, row->bytes);
    if (!read_expected(&want, row->launch, row->argument)) {
        if (checksum(b->data, b->bytes) == row->crc)
            return true;
        print_error("%s: argument %u changed\n", row->launch, row->argument);
        return false;
    }
    assert_int_equal(want.len, b->bytes);
    assert_int_equal(checksum(want.data, want.len), row->crc);
    const uint8_t *w = (const uint8_t *)want.data;
    for (uint64_t at = b->bytes; at >= size; at -= size)
        if (!agrees(&c, element(b->data, at - size, size), element(w, at - size, size))) {
            wrong++;
            first = at - size;
        }
    if (wrong > 0)
        print_error("%s: argument %u: element %llu is %0*llx, measured %0*llx (%llu elements "
                    "differ)\n",
                    row->launch, row->argument, (unsigned long long)(first / size), 2 * (int)size,
                    (unsigned long long)element(b->data, first, size), 2 * (int)size,
                    (unsigned long long)element(w, first, size), (unsigned long long)wrong);
    buf_free(&want);
    return wrong == 0;
}

static void next_row(struct stream *csv, struct row *row)
{
    struct sim_err err = {.code = ERR_NONE};
    char *line;
    size_t len;
    if (!stream_line(csv, &line, &len, &err))
        fail_msg("%s", err.msg);
    assert_non_null(line);
    assert_int_equal(
        sscanf(line, "%63[^,],%u,%lu,%x,", row->launch, &row->argument, &row->bytes, &row->crc), 4);
}

static void execute(struct kernel *k)
{
    struct sim_err err = {.code = ERR_NONE};
    struct cta_stream *cta = NULL;
    bool ok;
    while ((ok = k->ops->open_cta(k, &cta, &err)) && cta)
        k->ops->close_cta(cta);
    if (!ok)
        fail_msg("%s: %s", k->launch, err.msg);
}

static void every_kernel_leaves_the_words_that_were_measured(void **state)
{
    (void)state;
    static const struct launch_input_options opt = {.sass = FOLDER "opcodes.sm_90.sass.gz",
                                                    .cubin = FOLDER "opcodes.sm_90.cubin.gz"};
    struct launch_input *in = NULL;
    struct stream *csv = NULL;
    struct kernel *k = NULL;
    struct sim_err err = {.code = ERR_NONE};
    char *line;
    size_t len;
    unsigned wrong = 0;
    bool ok;
    if (!stream_open(&csv, FOLDER "expected.csv", &err) || !stream_line(csv, &line, &len, &err) ||
        !launch_input_open(&in, FOLDER "launches.yaml", &opt, &err))
        fail_msg("%s", err.msg);
    assert_string_equal(line, "launch,argument,bytes,crc32,head");
    while ((ok = launch_input_next(in, &k, &err)) && k) {
        const struct launch *l = launch_input_launch(in);
        execute(k);
        for (uint32_t i = 0; i < l->emu.buffer_count; i++) {
            struct row row;
            next_row(csv, &row);
            assert_string_equal(row.launch, l->spec->name);
            assert_int_equal(row.argument, l->buffer_arg[i]);
            unsigned size = launch_type_info(l->spec->args[row.argument].type)->bytes;
            wrong += !check_buffer(&l->emu.buffers[i], &row, size);
        }
    }
    if (!ok)
        fail_msg("%s", err.msg);
    assert_true(stream_line(csv, &line, &len, &err));
    assert_null(line);
    launch_input_close(in);
    stream_close(csv);
    if (wrong > 0)
        fail_msg("%u buffers differ", wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_leaves_the_words_that_were_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Listings that are files: the bad ones of tests/bad/listing and the kernels of traces/listings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "trace/listing.h"

#define MAX_ADDRESSES (1u << 18)

static struct sim_err err;
static struct diag diag;
static struct kernel *kernel;

static int setup(void **state)
{
    (void)state;
    return chdir(SUBCORE_SOURCE_DIR);
}

/* Every tests/bad/listing/NAME.sass fails with exactly the text of NAME.expect. */
static void bad_listings_fail_with_their_message(void **state)
{
    (void)state;
    DIR *dir = opendir("tests/bad/listing");
    assert_non_null(dir);
    uint32_t count = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 6 || strcmp(e->d_name + n - 5, ".sass") != 0)
            continue;
        char name[512], message[3000], expected[3000] = "";
        snprintf(name, sizeof name, "tests/bad/listing/%s", e->d_name);
        if (listing_open(&kernel, name, &diag, &err))
            fail_msg("%s was read without an error", name);
        err_format(&err, message, sizeof message);
        err_clear(&err);
        snprintf(name + strlen(name) - 5, 8, ".expect");
        FILE *f = fopen(name, "r");
        if (!f)
            fail_msg("%s is missing; the message is: %s", name, message);
        assert_non_null(fgets(expected, sizeof expected, f));
        fclose(f);
        expected[strcspn(expected, "\n")] = '\0';
        assert_string_equal(message, expected);
        count++;
    }
    closedir(dir);
    assert_true(count >= 60);
}

/* Addresses that the lanes of a CTA use, in one memory space. */
struct addresses {
    uint8_t space;
    uint32_t flags; /* INST_LOAD or INST_STORE */
    uint32_t count;
    uint64_t *list;
};

static void add_addresses(struct addresses *a, const struct dyn_inst *d)
{
    const struct inst *in = kernel->insts[d->inst];
    if (d->addr_mode == ADDR_NONE || in->mem_space != a->space || (in->flags & a->flags) == 0)
        return;
    assert_int_equal(d->addr_mode, ADDR_STRIDE);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        if ((d->mask & 1u << lane) != 0) {
            assert_true(a->count < MAX_ADDRESSES);
            a->list[a->count++] = d->addr.base + (uint64_t)((int64_t)d->stride * lane);
        }
}

/* Runs the next CTA and gives every dynamic instruction to `see`. */
static void run_cta(void (*see)(void *user, uint32_t warp, const struct dyn_inst *d), void *user)
{
    struct cta_stream *cta;
    assert_true(kernel->ops->open_cta(kernel, &cta, &err));
    assert_non_null(cta);
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        struct warp_stream *s = &cta->warps[w];
        while (!s->finished) {
            assert_true(kernel->ops->refill(s, &err));
            for (; s->next < s->end; s->next++)
                see(user, w, s->next);
        }
    }
    kernel->ops->close_cta(cta);
}

static void see_address(void *user, uint32_t warp, const struct dyn_inst *d)
{
    (void)warp;
    add_addresses(user, d);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorted addresses of the first CTAs. */
static struct addresses collect(const char *name, uint8_t space, uint32_t flags, uint32_t ctas)
{
    char path[128];
    snprintf(path, sizeof path, "traces/listings/%s.sass", name);
    if (!listing_open(&kernel, path, &diag, &err))
        fail_msg("%s:%u: %s", path, err.line, err.msg);
    struct addresses a = {space, flags, 0, malloc(MAX_ADDRESSES * sizeof(uint64_t))};
    assert_non_null(a.list);
    for (uint32_t i = 0; i < ctas; i++)
        run_cta(see_address, &a);
    qsort(a.list, a.count, sizeof *a.list, compare);
    listing_close(kernel);
    return a;
}

/* Global words are used once each, `step` bytes apart from `first` on. */
static void expect_words(const char *name, uint32_t flags, uint64_t first, uint64_t step,
                         uint32_t ctas, uint32_t count)
{
    struct addresses a = collect(name, MEM_GLOBAL, flags, ctas);
    assert_int_equal(a.count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(a.list[i], first + step * i);
    free(a.list);
}

static void kernels_use_every_global_word_once(void **state)
{
    (void)state;
    expect_words("vecadd", INST_STORE, 0x7f0020000000, 4, 256, 65536);
    expect_words("strided_read", INST_LOAD, 0x7f0000000000, 32, 64, 16384);
    expect_words("strided_read", INST_STORE, 0x7f0010000000, 4, 64, 16384);
    expect_words("transpose_padded", INST_LOAD, 0x7f0000000000, 4, 32, 32768);
    expect_words("block_scan", INST_LOAD, 0x7f0000000000, 4, 64, 16384);
    expect_words("block_scan", INST_STORE, 0x7f0010000000, 4, 64, 16384);
}

static void transpose_writes_the_first_columns(void **state)
{
    (void)state;
    struct addresses a = collect("transpose_padded", MEM_GLOBAL, INST_STORE, 32);
    assert_int_equal(a.count, 32768);
    for (uint32_t i = 0; i < a.count; i++)
        assert_int_equal(a.list[i], 0x7f0010000000 + i / 32 * 4096 + i % 32 * 4);
    free(a.list);
}

static void transpose_reads_the_tile_it_wrote(void **state)
{
    (void)state;
    struct addresses in = collect("transpose_padded", MEM_SHARED, INST_STORE, 1);
    struct addresses out = collect("transpose_padded", MEM_SHARED, INST_LOAD, 1);
    assert_int_equal(in.count, 1024);
    assert_int_equal(out.count, 1024);
    for (uint32_t i = 0; i < 1024; i++) {
        assert_int_equal(in.list[i], i / 32 * 132 + i % 32 * 4);
        assert_int_equal(out.list[i], in.list[i]);
    }
    free(in.list);
    free(out.list);
}

/* Lanes of the guarded loads of block_scan, by static instruction. */
static void see_guarded_load(void *user, uint32_t warp, const struct dyn_inst *d)
{
    const struct inst *in = kernel->insts[d->inst];
    uint32_t *lanes = user;
    (void)warp;
    if (in->guard != 7 && (in->flags & INST_LOAD) != 0) {
        lanes[d->inst] += popcount32(d->mask);
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            if ((d->mask & 1u << lane) != 0)
                assert_true(d->addr.base + 4 * lane < kernel->shared_bytes);
    }
}

static void scan_step_o_runs_in_the_threads_from_o_on(void **state)
{
    (void)state;
    assert_true(listing_open(&kernel, "traces/listings/block_scan.sass", &diag, &err));
    uint32_t *lanes = calloc(kernel->inst_count, sizeof *lanes);
    assert_non_null(lanes);
    run_cta(see_guarded_load, lanes);
    uint32_t o = 1;
    for (uint32_t i = 0; i < kernel->inst_count; i++)
        if (lanes[i] != 0) {
            assert_int_equal(lanes[i], 256 - o);
            o *= 2;
        }
    assert_int_equal(o, 256);
    free(lanes);
    listing_close(kernel);
}

static void see_count(void *user, uint32_t warp, const struct dyn_inst *d)
{
    (void)d;
    ((uint32_t *)user)[warp]++;
}

static void kernels_run_their_code_once_a_warp(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint64_t ctas;
        uint32_t insts;
    } shipped[] = {
        {"traces/listings/vecadd.sass", 256, 16},
        {"traces/listings/strided_read.sass", 4096, 13},
        {"traces/listings/transpose_padded.sass", 32, 43},
        {"traces/listings/block_scan.sass", 1056, 63},
    };
    for (size_t i = 0; i < sizeof shipped / sizeof shipped[0]; i++) {
        uint32_t counts[8] = {0};
        assert_true(listing_open(&kernel, shipped[i].path, &diag, &err));
        assert_int_equal(kernel->cta_count, shipped[i].ctas);
        assert_true(kernel->has_ctrl);
        run_cta(see_count, counts);
        for (uint32_t w = 0; w < 8; w++)
            assert_int_equal(counts[w], shipped[i].insts);
        listing_close(kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_listings_fail_with_their_message),
        cmocka_unit_test(kernels_use_every_global_word_once),
        cmocka_unit_test(transpose_writes_the_first_columns),
        cmocka_unit_test(transpose_reads_the_tile_it_wrote),
        cmocka_unit_test(scan_step_o_runs_in_the_threads_from_o_on),
        cmocka_unit_test(kernels_run_their_code_once_a_warp),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}

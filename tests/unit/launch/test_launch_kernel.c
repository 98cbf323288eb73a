/* Launches as kernels: what the model reads is what was executed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch/launch_dump.h"
#include "launch/launch_input.h"

#define LAUNCHES SUBCORE_SOURCE_DIR "/tests/data/launch/launches.yaml"
#define SHARED SUBCORE_SOURCE_DIR "/../shared"

static struct launch_input *open_input(const char *path, const struct launch_input_options *opt)
{
    static const struct launch_input_options none;
    struct launch_input *in = NULL;
    struct sim_err err = {.code = ERR_NONE};
    if (!launch_input_open(&in, path, opt ? opt : &none, &err))
        fail_msg("%s", err.msg);
    return in;
}

static struct kernel *next_kernel(struct launch_input *in)
{
    struct kernel *k = NULL;
    struct sim_err err = {.code = ERR_NONE};
    if (!launch_input_next(in, &k, &err))
        fail_msg("%s", err.msg);
    return k;
}

static struct cta_stream *open_cta(struct kernel *k)
{
    struct cta_stream *cta = NULL;
    struct sim_err err = {.code = ERR_NONE};
    if (!k->ops->open_cta(k, &cta, &err))
        fail_msg("%s", err.msg);
    return cta;
}

static void refill(struct warp_stream *w)
{
    struct sim_err err = {.code = ERR_NONE};
    assert_true(w->cta->kernel->ops->refill(w, &err));
}

static void a_launch_is_a_kernel_with_its_geometry(void **state)
{
    (void)state;
    struct launch_input *in = open_input(LAUNCHES, NULL);
    assert_int_equal(launch_input_count(in), 2);
    struct kernel *k = next_kernel(in);
    assert_string_equal(k->name, "vecadd");
    assert_string_equal(k->launch, "small");
    assert_int_equal(k->id, 1);
    assert_int_equal(k->sm_version, 86);
    assert_int_equal(k->cta_count, 2);
    assert_int_equal(k->block.x, 96);
    assert_true(k->has_ctrl);
    assert_string_equal(k->insts[0]->opcode, "MOV");
    launch_input_close(in);
}

static uint64_t count_warp(struct warp_stream *w, uint32_t exit_pc)
{
    uint64_t n = 0;
    uint32_t pc = 0;
    while (w->next < w->end || !w->finished) {
        if (w->next == w->end) {
            refill(w);
            continue;
        }
        pc = w->cta->kernel->insts[w->next->inst]->pc;
        n++;
        w->next++;
    }
    if (n > 0)
        assert_int_equal(pc, exit_pc);
    return n;
}

/* 150 elements in CTAs of 96: warps 0-2 of CTA 0, then 32, 22 and no lanes of CTA 1. */
static void what_was_executed_is_read_warp_by_warp(void **state)
{
    (void)state;
    static const struct {
        uint32_t last;
        uint64_t insts;
    } want[6] = {{0xf0, 16}, {0xf0, 16}, {0xf0, 16}, {0xf0, 16}, {0xf0, 16}, {0x50, 6}};
    struct launch_input *in = open_input(LAUNCHES ":small", NULL);
    struct kernel *k = next_kernel(in);
    for (uint32_t c = 0; c < 2; c++) {
        struct cta_stream *cta = open_cta(k);
        assert_int_equal(cta->linear_id, c);
        assert_int_equal(cta->id.x, c);
        assert_int_equal(cta->warp_count, 3);
        for (uint32_t w = 0; w < 3; w++)
            assert_int_equal(count_warp(&cta->warps[w], want[3 * c + w].last),
                             want[3 * c + w].insts);
        k->ops->close_cta(cta);
    }
    assert_null(open_cta(k));
    /* The guarded EXIT at 0x50: all lanes are active, those beyond the end leave. */
    const struct emu_count *counts = launch_input_launch(in)->emu.counts;
    assert_int_equal(k->active_lanes(k, 5), 192);
    assert_int_equal(counts[5].inst, 6);
    assert_int_equal(counts[5].thread_true, 42);
    assert_int_equal(counts[14].thread_true, 150);
    launch_input_close(in);
}

static void buffers_hold_the_result_and_are_dumped(void **state)
{
    (void)state;
    struct launch_input *in = open_input(LAUNCHES ":small", NULL);
    struct kernel *k = next_kernel(in);
    for (struct cta_stream *cta = open_cta(k); cta; cta = open_cta(k))
        k->ops->close_cta(cta);
    struct launch *l = launch_input_launch(in);
    float sum[150], dumped[151];
    memcpy(sum, l->emu.buffers[2].data, sizeof sum);
    for (int i = 0; i < 150; i++)
        assert_true(sum[i] == 3.0f * (float)i);
    char folder[] = "/tmp/subcore_dump_XXXXXX", path[64];
    struct sim_err err = {.code = ERR_NONE};
    assert_non_null(mkdtemp(folder));
    assert_true(launch_dump_buffers(l, folder, &err));
    for (int arg = 0; arg < 3; arg++) {
        snprintf(path, sizeof path, "%s/small.%d.bin", folder, arg);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        assert_int_equal(fread(dumped, 1, sizeof dumped, f), sizeof sum);
        fclose(f);
        unlink(path);
        assert_memory_equal(dumped, l->emu.buffers[arg].data, sizeof sum);
    }
    rmdir(folder);
    launch_input_close(in);
}

static void overruns_of_a_buffer_are_errors(void **state)
{
    (void)state;
    struct launch_input *in = open_input(LAUNCHES ":short", NULL);
    struct kernel *k = next_kernel(in);
    struct cta_stream *cta = open_cta(k);
    struct sim_err err = {.code = ERR_NONE};
    assert_non_null(cta);
    k->ops->close_cta(cta);
    assert_false(k->ops->open_cta(k, &cta, &err));
    assert_non_null(strstr(err.msg, "vecadd"));
    assert_non_null(strstr(err.msg, "argument 0"));
    launch_input_close(in);
}

static void expect_open_error(const char *path, const char *message)
{
    static const struct launch_input_options none;
    struct launch_input *in = NULL;
    struct sim_err err = {.code = ERR_NONE};
    assert_false(launch_input_open(&in, path, &none, &err));
    assert_null(in);
    assert_string_equal(err.msg, message);
    err_clear(&err);
}

static void names_and_ranges_select_launches(void **state)
{
    (void)state;
    struct launch_input_options opt = {.kernel_first = 2, .kernel_last = 9};
    struct launch_input *in = open_input(LAUNCHES, &opt);
    struct kernel *k = next_kernel(in);
    assert_string_equal(k->launch, "short");
    assert_int_equal(launch_input_position(in), 2);
    assert_null(next_kernel(in));
    launch_input_close(in);
    expect_open_error(LAUNCHES ":smal", "holds no launch 'smal' (did you mean 'small'?)");
    assert_true(launch_input_probe(LAUNCHES));
    assert_true(launch_input_probe(LAUNCHES ":small"));
    assert_false(launch_input_probe(SUBCORE_SOURCE_DIR "/tests/data/launch/vecadd.sass"));
    assert_false(launch_input_probe("/absent"));
}

static uint32_t failures;

static void on_failed(void *user, const struct sim_err *why)
{
    (void)user;
    assert_non_null(strstr(why->msg, "needs the code of its kernels"));
    failures++;
}

static void bad_launches_are_passed_over_when_asked(void **state)
{
    (void)state;
    char path[] = "/tmp/subcore_launches_XXXXXX";
    static const char text[] = "- {name: a, kernel: vecadd, grid: [1], block: [1], args: []}\n"
                               "- {name: b, kernel: vecadd, grid: [1], block: [1], args: []}\n";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    struct launch_input_options opt = {.keep_going = true, .failed = on_failed};
    struct launch_input *in = open_input(path, &opt);
    failures = 0;
    assert_null(next_kernel(in));
    assert_int_equal(failures, 2);
    launch_input_close(in);
    unlink(path);
}

/* An address list seen at once, to be seen again after the next refill. */
struct seen {
    const uint64_t *list;
    uint64_t copy[WARP_LANES];
};

static void addresses_outlive_the_next_refill(void **state)
{
    (void)state;
    struct launch_input_options opt = {.sass = SHARED "/sass/kernels.sm_90.sass.gz",
                                       .cubin = SHARED "/sass/kernels.sm_90.cubin.gz"};
    if (access(opt.sass, R_OK) != 0)
        skip();
    static struct seen seen[64];
    uint32_t n = 0, checked = 0;
    struct launch_input *in = open_input(SHARED "/kernels/launches.yaml:matmul_naive_128", &opt);
    struct cta_stream *cta = open_cta(next_kernel(in));
    struct warp_stream *w = &cta->warps[0];
    while (!w->finished) {
        refill(w);
        for (uint32_t i = 0; i < n; i++, checked++)
            assert_memory_equal(seen[i].list, seen[i].copy, sizeof seen[i].copy);
        assert_true(w->end - w->next <= 64);
        for (n = 0; w->next < w->end; w->next++)
            if (w->next->addr_mode == ADDR_LIST) {
                seen[n].list = w->next->addr.list;
                memcpy(seen[n++].copy, w->next->addr.list, sizeof seen[0].copy);
            }
    }
    assert_true(checked > 10);
    launch_input_close(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_is_a_kernel_with_its_geometry),
        cmocka_unit_test(what_was_executed_is_read_warp_by_warp),
        cmocka_unit_test(buffers_hold_the_result_and_are_dumped),
        cmocka_unit_test(overruns_of_a_buffer_are_errors),
        cmocka_unit_test(names_and_ranges_select_launches),
        cmocka_unit_test(bad_launches_are_passed_over_when_asked),
        cmocka_unit_test(addresses_outlive_the_next_refill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

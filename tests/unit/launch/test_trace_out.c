/* Traces that are written of an executed launch read back as what was executed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch/launch_input.h"
#include "trace/accelsim_write.h"
#include "trace/native.h"
#include "trace/native_trace.h"

#define FOLDER SUBCORE_SOURCE_DIR "/tests/data/launch/"

static struct launch_input *open_launch(struct kernel **k)
{
    static const struct launch_input_options none;
    struct launch_input *in = NULL;
    struct sim_err err = {.code = ERR_NONE};
    if (!launch_input_open(&in, FOLDER "launches.yaml:small", &none, &err) ||
        !launch_input_next(in, k, &err))
        fail_msg("%s", err.msg);
    return in;
}

static void write_trace(struct trace_writer *w)
{
    struct sim_err err = {.code = ERR_NONE};
    struct kernel *k;
    struct launch_input *in = open_launch(&k);
    if (!trace_writer_kernel(w, k, NULL, NULL, &err) || !w->ops->close(w, true, &err))
        fail_msg("%s", err.msg);
    launch_input_close(in);
}

static uint64_t address(const struct dyn_inst *d, uint32_t lane)
{
    if (d->addr_mode == ADDR_LIST)
        return d->addr.list[lane];
    return d->addr.base + (uint64_t)((int64_t)d->stride * (int64_t)lane);
}

static void expect_same(const struct kernel *ka, const struct dyn_inst *a, const struct kernel *kb,
                        const struct dyn_inst *b)
{
    assert_int_equal(ka->insts[a->inst]->pc, kb->insts[b->inst]->pc);
    assert_string_equal(ka->insts[a->inst]->opcode, kb->insts[b->inst]->opcode);
    assert_int_equal(a->mask, b->mask);
    assert_int_equal(a->addr_mode == ADDR_NONE, b->addr_mode == ADDR_NONE);
    for (uint32_t i = 0; i < WARP_LANES && a->addr_mode != ADDR_NONE; i++)
        if (a->mask >> i & 1)
            assert_int_equal(address(a, i), address(b, i));
}

static bool available(struct warp_stream *w)
{
    struct sim_err err = {.code = ERR_NONE};
    while (w->next == w->end && !w->finished)
        assert_true(w->cta->kernel->ops->refill(w, &err));
    return w->next < w->end;
}

/* Executes the launch again and compares with the kernel that was read. */
static void expect_trace(struct kernel *read)
{
    struct kernel *k;
    struct launch_input *in = open_launch(&k);
    struct sim_err err = {.code = ERR_NONE};
    assert_string_equal(read->name, k->name);
    assert_int_equal(read->grid.x, 2);
    assert_int_equal(read->block.x, 96);
    assert_int_equal(read->registers, k->registers);
    assert_int_equal(read->sm_version, 86);
    for (;;) {
        struct cta_stream *a, *b;
        assert_true(k->ops->open_cta(k, &a, &err));
        assert_true(read->ops->open_cta(read, &b, &err));
        assert_int_equal(a == NULL, b == NULL);
        if (!a)
            break;
        assert_int_equal(a->linear_id, b->linear_id);
        assert_int_equal(a->warp_count, b->warp_count);
        for (uint32_t w = 0; w < a->warp_count; w++) {
            struct warp_stream *wa = &a->warps[w], *wb = &b->warps[w];
            for (; available(wa); wa->next++, wb->next++) {
                assert_true(available(wb));
                expect_same(k, wa->next, read, wb->next);
            }
            assert_false(available(wb));
        }
        k->ops->close_cta(a);
        read->ops->close_cta(b);
    }
    launch_input_close(in);
}

static void accel_sim_text_reads_back(void **state)
{
    (void)state;
    char folder[] = "/tmp/subcore_out_XXXXXX", path[64];
    struct sim_err err = {.code = ERR_NONE};
    struct trace_writer *w = NULL;
    struct input *in = NULL;
    struct input_item item;
    static struct diag diag;
    struct input_options opt = {.diag = &diag};
    assert_non_null(mkdtemp(folder));
    assert_true(accelsim_write_open(&w, folder, &err));
    write_trace(w);
    assert_true(input_open(&in, folder, &opt, &err));
    assert_true(input_next(in, &item, &err));
    assert_int_equal(item.kind, INPUT_KERNEL);
    expect_trace(item.kernel);
    assert_true(input_next(in, &item, &err));
    assert_int_equal(item.kind, INPUT_END);
    assert_int_equal(diag.count, 0);
    input_close(in);
    snprintf(path, sizeof path, "%s/kernelslist.g", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/kernel-1.traceg", folder);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

static void the_own_format_reads_back(void **state)
{
    (void)state;
    char path[] = "/tmp/subcore_out_XXXXXX";
    int fd = mkstemp(path);
    struct sim_err err = {.code = ERR_NONE};
    struct trace_writer *w = NULL;
    struct native_item *items = NULL;
    struct kernel *k = NULL;
    size_t n = 0;
    assert_true(fd >= 0);
    close(fd);
    assert_true(native_trace_open(&w, path, &err));
    write_trace(w);
    assert_true(native_index(path, &items, &n, &err));
    assert_int_equal(n, 1);
    assert_true(native_kernel_open(&k, path, items[0].offset, &err));
    expect_trace(k);
    native_kernel_close(k);
    free(items);
    unlink(path);
}

static void nothing_is_left_of_an_unfinished_trace(void **state)
{
    (void)state;
    char folder[] = "/tmp/subcore_out_XXXXXX";
    struct sim_err err = {.code = ERR_NONE};
    struct trace_writer *w = NULL;
    struct kernel *k;
    assert_non_null(mkdtemp(folder));
    assert_true(accelsim_write_open(&w, folder, &err));
    struct launch_input *in = open_launch(&k);
    assert_true(w->ops->begin_kernel(w, k, &err));
    launch_input_close(in);
    assert_true(w->ops->close(w, false, &err));
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accel_sim_text_reads_back),
        cmocka_unit_test(the_own_format_reads_back),
        cmocka_unit_test(nothing_is_left_of_an_unfinished_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* CTAs opened before they are taken: the same CTAs in the same order, and the same failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/internal.h"

#define CTAS 600

static struct cta_stream ctas[CTAS];
static uint32_t opened, closed, fails_at;

static bool open_cta(struct kernel *k, struct cta_stream **out, struct sim_err *err)
{
    (void)k;
    *out = NULL;
    if (opened == fails_at)
        return err_set(err, ERR_INPUT, "f", 0, 0, "CTA %u is bad", opened);
    if (opened < CTAS)
        *out = &ctas[opened++];
    return true;
}

static void close_cta(struct cta_stream *cta)
{
    (void)cta;
    closed++;
}

static const struct kernel_ops ops = {.open_cta = open_cta, .close_cta = close_cta};
static struct kernel kernel;
static struct gpu gpu;

static void start(uint32_t threads, uint32_t bad)
{
    struct sim_err err = {0};
    memset(&gpu, 0, sizeof gpu);
    kernel = (struct kernel){.ops = &ops, .opens_beside = true, .cta_count = CTAS};
    opened = closed = 0;
    fails_at = bad;
    gpu.kernel = &kernel;
    assert_true(workers_start(&gpu.workers, threads, &err));
}

/* Task 0 opens; others only take time, so that it has some. */
static void phase(void *user, uint32_t task, uint32_t worker)
{
    struct gpu *g = user;
    (void)worker;
    if (task == 0)
        ahead_fill(g);
    for (volatile uint32_t i = 0; i < 2000; i++)
        ;
}

static void the_order_is_kept(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct sim_err err = {0};
        struct cta_stream *cta;
        start(threads, CTAS + 1);
        for (uint32_t i = 0; i < CTAS; i++) {
            if (i % 50 == 0)
                workers_run(gpu.workers, 100, phase, &gpu);
            assert_true(gpu.ahead_count <= AHEAD_CTAS);
            assert_true(ahead_take(&gpu, &cta, &err));
            assert_ptr_equal(cta, &ctas[i]);
        }
        assert_true(ahead_take(&gpu, &cta, &err));
        assert_null(cta);
        workers_stop(gpu.workers);
    }
}

static void one_thread_opens_nothing_ahead(void **state)
{
    (void)state;
    start(1, CTAS + 1);
    workers_run(gpu.workers, 100, phase, &gpu);
    assert_int_equal(opened, 0);
    workers_stop(gpu.workers);
}

static void no_more_are_opened_than_may_start(void **state)
{
    (void)state;
    start(2, CTAS + 1);
    gpu.opt.max_ctas = 7;
    for (uint32_t i = 0; i < 50; i++)
        workers_run(gpu.workers, 100, phase, &gpu);
    assert_true(opened <= 7);
    kernel.opens_beside = false;
    gpu.opt.max_ctas = 0;
    uint32_t before = opened;
    workers_run(gpu.workers, 100, phase, &gpu);
    assert_int_equal(opened, before);
    ahead_drop(&gpu);
    assert_int_equal(closed, opened);
    workers_stop(gpu.workers);
}

static void a_failure_comes_when_its_cta_is_taken(void **state)
{
    (void)state;
    struct sim_err err = {0};
    struct cta_stream *cta;
    start(2, 20);
    for (uint32_t i = 0; i < 20; i++) {
        workers_run(gpu.workers, 100, phase, &gpu);
        assert_true(ahead_take(&gpu, &cta, &err));
        assert_ptr_equal(cta, &ctas[i]);
    }
    assert_false(ahead_take(&gpu, &cta, &err));
    assert_string_equal(err.msg, "CTA 20 is bad");
    err_clear(&err);
    ahead_drop(&gpu);
    workers_stop(gpu.workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_kept),
        cmocka_unit_test(one_thread_opens_nothing_ahead),
        cmocka_unit_test(no_more_are_opened_than_may_start),
        cmocka_unit_test(a_failure_comes_when_its_cta_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The thread pool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "gpu/workers.h"

#define MOST 5

struct shared {
    uint32_t rounds[MOST]; /* each written by its worker only */
    uint64_t sum[MOST];
    uint32_t sleeps; /* worker that takes long */
};

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void work(void *user, uint32_t worker)
{
    struct shared *s = user;
    if (worker + 1 == s->sleeps)
        sleep_ms(2);
    s->rounds[worker]++;
    s->sum[worker] += worker + 1;
}

static void every_worker_runs_once_a_round(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= MOST; count++) {
        struct shared s = {0};
        struct workers *w;
        struct sim_err err = {0};
        assert_true(workers_start(&w, count, work, &s, &err));
        for (uint32_t round = 1; round <= 300; round++) {
            workers_run(w);
            for (uint32_t i = 0; i < count; i++)
                assert_int_equal(s.rounds[i], round);
        }
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(s.sum[i], 300 * (i + 1));
        workers_stop(w);
    }
}

static void a_round_ends_with_its_slowest_worker(void **state)
{
    (void)state;
    for (uint32_t slow = 1; slow <= 3; slow++) {
        struct shared s = {.sleeps = slow};
        struct workers *w;
        struct sim_err err = {0};
        assert_true(workers_start(&w, 3, work, &s, &err));
        for (uint32_t round = 1; round <= 5; round++) {
            workers_run(w);
            for (uint32_t i = 0; i < 3; i++)
                assert_int_equal(s.rounds[i], round);
        }
        workers_stop(w);
    }
}

/* Workers that have gone to sleep between rounds wake up. */
static void sleeping_workers_wake_up(void **state)
{
    (void)state;
    struct shared s = {0};
    struct workers *w;
    struct sim_err err = {0};
    assert_true(workers_start(&w, 4, work, &s, &err));
    for (uint32_t round = 1; round <= 4; round++) {
        sleep_ms(5);
        workers_run(w);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(s.rounds[i], round);
    }
    sleep_ms(5);
    workers_stop(w);
}

static void a_pool_may_stop_without_having_run(void **state)
{
    (void)state;
    struct shared s = {0};
    struct workers *w;
    struct sim_err err = {0};
    assert_true(workers_start(&w, 3, work, &s, &err));
    workers_stop(w);
    workers_stop(NULL);
    assert_int_equal(s.rounds[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_worker_runs_once_a_round),
        cmocka_unit_test(a_round_ends_with_its_slowest_worker),
        cmocka_unit_test(sleeping_workers_wake_up),
        cmocka_unit_test(a_pool_may_stop_without_having_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

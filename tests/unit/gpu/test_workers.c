/* The thread pool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "gpu/workers.h"

#define TASKS 37

struct shared {
    uint32_t done[TASKS]; /* times a task was done; a task has one worker */
    uint32_t workers;
    uint32_t slow; /* this task takes long */
};

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void work(void *user, uint32_t task, uint32_t worker)
{
    struct shared *s = user;
    if (task == s->slow)
        sleep_ms(2);
    s->done[task] += worker < s->workers ? 1 : 1000;
}

static struct workers *start(struct shared *s, uint32_t count)
{
    struct workers *w;
    struct sim_err err = {0};
    *s = (struct shared){.workers = count, .slow = TASKS};
    assert_true(workers_start(&w, count, &err));
    return w;
}

static void every_task_is_done_once_a_phase(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 5; count++) {
        struct shared s;
        struct workers *w = start(&s, count);
        uint32_t want[TASKS] = {0};
        for (uint32_t round = 0; round < 300; round++) {
            uint32_t tasks = round % (TASKS + 1);
            workers_run(w, tasks, work, &s);
            for (uint32_t i = 0; i < TASKS; i++) {
                want[i] += i < tasks;
                assert_int_equal(s.done[i], want[i]);
            }
        }
        workers_stop(w);
    }
}

static void a_phase_ends_with_its_slowest_task(void **state)
{
    (void)state;
    for (uint32_t slow = 0; slow < 3; slow++) {
        struct shared s;
        struct workers *w = start(&s, 3);
        s.slow = slow * (TASKS - 1) / 2;
        for (uint32_t round = 1; round <= 5; round++) {
            workers_run(w, TASKS, work, &s);
            for (uint32_t i = 0; i < TASKS; i++)
                assert_int_equal(s.done[i], round);
        }
        workers_stop(w);
    }
}

/* Workers that have gone to sleep between phases wake up. */
static void sleeping_workers_wake_up(void **state)
{
    (void)state;
    struct shared s;
    struct workers *w = start(&s, 4);
    for (uint32_t round = 1; round <= 4; round++) {
        sleep_ms(5);
        workers_run(w, TASKS, work, &s);
        for (uint32_t i = 0; i < TASKS; i++)
            assert_int_equal(s.done[i], round);
    }
    sleep_ms(5);
    workers_stop(w);
}

static void a_pool_may_stop_without_having_run(void **state)
{
    (void)state;
    struct shared s;
    workers_stop(start(&s, 3));
    workers_stop(NULL);
    assert_int_equal(s.done[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_done_once_a_phase),
        cmocka_unit_test(a_phase_ends_with_its_slowest_task),
        cmocka_unit_test(sleeping_workers_wake_up),
        cmocka_unit_test(a_pool_may_stop_without_having_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

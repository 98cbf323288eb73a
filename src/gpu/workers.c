#include "gpu/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* Turns of a busy wait, some 50 us, before a thread sleeps: phases are short, threads meet often,
 * and to wake one takes as long. Without a processor for each thread they sleep at once. */
#define SPIN_TURNS 30000

struct worker {
    struct workers *pool;
    uint32_t index;
    pthread_t thread;
};

struct workers {
    uint32_t count;
    uint32_t spin_turns;
    /* Of the phase; written by the main thread between phases. */
    worker_task run;
    void *user;
    uint32_t tasks;
    atomic_uint next_task;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    atomic_uint round;   /* changes when there is work */
    atomic_uint working; /* workers that have not finished the round */
    bool stop;           /* guarded by lock, read after a change of round */
    uint32_t started;
    struct worker workers[];
};

static uint32_t wait_for_round(struct workers *p, uint32_t seen)
{
    for (uint32_t i = 0; i < p->spin_turns; i++) {
        uint32_t now = atomic_load_explicit(&p->round, memory_order_acquire);
        if (now != seen)
            return now;
    }
    pthread_mutex_lock(&p->lock);
    uint32_t now;
    while ((now = atomic_load_explicit(&p->round, memory_order_acquire)) == seen)
        pthread_cond_wait(&p->wake, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return now;
}

static void finish(struct workers *p)
{
    if (atomic_fetch_sub_explicit(&p->working, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_signal(&p->done);
    pthread_mutex_unlock(&p->lock);
}

static void do_tasks(struct workers *p, uint32_t worker)
{
    uint32_t task;
    while ((task = atomic_fetch_add_explicit(&p->next_task, 1, memory_order_relaxed)) < p->tasks)
        p->run(p->user, task, worker);
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct workers *p = w->pool;
    uint32_t seen = 0;
    for (;;) {
        seen = wait_for_round(p, seen);
        if (p->stop)
            return NULL;
        do_tasks(p, w->index);
        finish(p);
    }
}

bool workers_start(struct workers **out, uint32_t count, struct sim_err *err)
{
    struct workers *p = calloc(1, sizeof *p + count * sizeof p->workers[0]);
    if (!p)
        return err_memory(err, "starting threads");
    p->count = count;
    p->spin_turns = sysconf(_SC_NPROCESSORS_ONLN) >= (long)count ? SPIN_TURNS : 0;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->done, NULL);
    for (uint32_t i = 1; i < count; i++) {
        p->workers[i] = (struct worker){.pool = p, .index = i};
        if (pthread_create(&p->workers[i].thread, NULL, worker_main, &p->workers[i]) != 0) {
            workers_stop(p);
            return err_set(err, ERR_RESOURCE, NULL, 0, 0, "cannot start thread %u of %u", i + 1,
                           count);
        }
        p->started = i;
    }
    *out = p;
    return true;
}

static void next_round(struct workers *p)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add_explicit(&p->round, 1, memory_order_release);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

void workers_run(struct workers *p, uint32_t tasks, worker_task run, void *user)
{
    if (p->count == 1 || tasks < 2) {
        for (uint32_t i = 0; i < tasks; i++)
            run(user, i, 0);
        return;
    }
    p->run = run;
    p->user = user;
    p->tasks = tasks;
    atomic_store_explicit(&p->next_task, 0, memory_order_relaxed);
    atomic_store_explicit(&p->working, p->count - 1, memory_order_release);
    next_round(p);
    do_tasks(p, 0);
    for (uint32_t i = 0; i < p->spin_turns; i++) {
        if (atomic_load_explicit(&p->working, memory_order_acquire) == 0)
            return;
    }
    pthread_mutex_lock(&p->lock);
    while (atomic_load_explicit(&p->working, memory_order_acquire) != 0)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

bool workers_have_tasks(const struct workers *p)
{
    return p->count > 1 && atomic_load_explicit(&p->next_task, memory_order_relaxed) < p->tasks;
}

void workers_stop(struct workers *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_mutex_unlock(&p->lock);
    next_round(p);
    for (uint32_t i = 1; i <= p->started; i++)
        pthread_join(p->workers[i].thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* Points in processes of this machine, so that a point that crashes or is killed takes no other
 * with it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/sweep.h"

struct worker {
    pid_t pid; /* 0 = free */
    uint32_t point;
};

struct pool {
    struct sweep_run *run;
    struct worker *workers;
    uint32_t jobs, busy, next; /* next of `pending` */
};

/* The life of a worker. */
static int work(struct sweep_run *run, uint32_t point)
{
    struct point_result result;
    struct sim_err err = {0};
    bool ok = point_run(&run->plan, point, run->stop, &result, &err) &&
              point_store(&run->plan, point, run->dir, &result, &err);
    if (!ok && err.code == ERR_INTERRUPT)
        return err_exit_status(err.code);
    return ok ? 0 : app_fail(&err);
}

static bool start(struct pool *pool, struct sim_err *err)
{
    struct worker *w = pool->workers;
    while (w->pid != 0)
        w++;
    w->point = pool->run->pending[pool->next];
    pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return err_set(err, ERR_RESOURCE, NULL, 0, 0, "cannot start a process: %s",
                       strerror(errno));
    if (pid == 0) {
        /* A worker ends with the sweep, also when that is killed. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(getppid() == parent ? work(pool->run, w->point) : 1);
    }
    w->pid = pid;
    pool->next++;
    pool->busy++;
    return true;
}

static bool finish(struct pool *pool, pid_t pid, int status, struct sim_err *err)
{
    char why[96];
    struct worker *w = pool->workers, *end = w + pool->jobs;
    while (w < end && w->pid != pid)
        w++;
    if (w == end)
        return true;
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "its process was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(why, sizeof why, "its process left no result (exit status %d)",
                 WEXITSTATUS(status));
    w->pid = 0;
    pool->busy--;
    return sweep_take(pool->run, w->point, why, err);
}

/* Ends all workers. */
static void stop_all(struct pool *pool)
{
    for (uint32_t i = 0; i < pool->jobs; i++)
        if (pool->workers[i].pid != 0)
            kill(pool->workers[i].pid, SIGKILL);
    for (uint32_t i = 0; i < pool->jobs; i++)
        while (pool->workers[i].pid != 0 && waitpid(pool->workers[i].pid, NULL, 0) < 0 &&
               errno == EINTR)
            continue;
}

static bool run_pool(struct pool *pool, struct sim_err *err)
{
    while (pool->busy > 0 || pool->next < pool->run->pending_count) {
        int status;
        if (*pool->run->stop)
            return err_set(err, ERR_INTERRUPT, NULL, 0, 0, "interrupted");
        if (pool->busy < pool->jobs && pool->next < pool->run->pending_count) {
            TRY(start(pool, err));
            continue;
        }
        pid_t pid = waitpid(-1, &status, 0);
        if (pid > 0)
            TRY(finish(pool, pid, status, err));
        else if (errno != EINTR)
            return err_set(err, ERR_RESOURCE, NULL, 0, 0, "cannot wait for a process: %s",
                           strerror(errno));
    }
    return true;
}

bool sweep_local(struct sweep_run *run, uint32_t jobs, struct sim_err *err)
{
    struct pool pool = {.run = run, .jobs = jobs};
    pool.workers = calloc(jobs, sizeof *pool.workers);
    if (!pool.workers)
        return err_memory(err, "starting a sweep");
    bool ok = run_pool(&pool, err);
    stop_all(&pool);
    free(pool.workers);
    return ok;
}

#include "study/validation_job.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/workers.h"

static bool keep_issues(void *user, const struct kernel *k, const struct issue_record *r, size_t n,
                        struct sim_err *err)
{
    struct job *job = user;
    (void)k;
    if (job->log_count + n > job->log_cap) {
        size_t cap = 2 * (job->log_count + n);
        struct issue_record *p = realloc(job->log, cap * sizeof *p);
        if (!p)
            return err_memory(err, "keeping issued instructions");
        job->log = p;
        job->log_cap = cap;
    }
    memcpy(job->log + job->log_count, r, n * sizeof *r);
    job->log_count += n;
    return true;
}

static bool keep_kernel(void *user, const struct kernel *k, const struct summary *s,
                        struct sim_err *err)
{
    static const struct opcode_tally none;
    struct job *job = user;
    struct job_kernel *p = realloc(job->kernels, (job->kernel_count + 1) * sizeof *p);
    if (!p)
        return err_memory(err, "keeping a kernel's numbers");
    job->kernels = p;
    p += job->kernel_count++;
    p->name = arena_strndup(&job->arena, k->name, strlen(k->name));
    p->numbers = *s;
    p->numbers.opcodes = none;
    event_find(job, k);
    job->log_count = 0;
    return p->name ? true : err_memory(err, "keeping a kernel's numbers");
}

static void run_job(void *user, uint32_t task, uint32_t worker)
{
    struct jobs *j = user;
    struct job *job = &j->items[task];
    (void)worker;
    struct simulate_options opt = {.config = job->config,
                                   .files = job->input->files,
                                   .sim = {.threads = 1,
                                           .check_hazards = job->input->check_hazards,
                                           .stop = j->opt->stop,
                                           .diag = job->diag},
                                   .warm = job->warm,
                                   .kernel = keep_kernel,
                                   .user = job};
    if (job->distance_count > 0) {
        opt.sim.issue_log = keep_issues;
        opt.sim.issue_user = job;
    }
    if (j->opt->stop && *j->opt->stop)
        err_set(&job->err, ERR_INTERRUPT, NULL, 0, 0, "interrupted");
    else
        job->done = simulate(job->input->path, &opt, &job->total, &job->err);
    free(job->log);
    job->log = NULL;
    pthread_mutex_lock(&j->lock);
    j->finished++;
    if (j->opt->done)
        j->opt->done(j->opt->user, j->finished, j->count, job->input->name);
    pthread_mutex_unlock(&j->lock);
}

bool jobs_run(struct jobs *j, struct sim_err *err)
{
    struct workers *workers = NULL;
    uint32_t threads = j->opt->threads ? j->opt->threads : 1;
    if (threads > j->count)
        threads = j->count > 0 ? j->count : 1;
    TRY(workers_start(&workers, threads, err));
    workers_run(workers, j->count, run_job, j);
    workers_stop(workers);
    for (uint32_t i = 0; i < j->count; i++)
        if (j->items[i].err.code == ERR_INTERRUPT)
            return err_set(err, ERR_INTERRUPT, NULL, 0, 0, "interrupted");
    return true;
}

void jobs_free(struct jobs *j)
{
    for (uint32_t i = 0; i < j->count; i++) {
        struct job *job = &j->items[i];
        free(job->distances);
        free(job->kernels);
        free(job->diag);
        arena_free(&job->arena);
        summary_free(&job->total);
        err_clear(&job->err);
    }
    for (uint32_t i = 0; i < j->config_count; i++)
        config_free(&j->configs[i]);
    free(j->items);
    free(j->configs);
}

struct job *jobs_find(const struct jobs *j, const struct suite_input *input, bool warm)
{
    for (uint32_t i = 0; i < j->count; i++)
        if (j->items[i].input == input && j->items[i].warm == warm)
            return &j->items[i];
    return NULL;
}

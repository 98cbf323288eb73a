/* Points as tasks of one Slurm array job.
 *
 * DIR/slurm holds the list of tasks (a line of point names each), the script, the job's number and
 * a log a task. Tasks write the results of their points where the local executor writes them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/child.h"
#include "app/sweep.h"
#include "base/outfile.h"
#include "base/stream.h"

/* Waiting grows from the first to the second: quick for short jobs, easy on the controller. */
#define WAIT_FIRST_MS 100u
#define WAIT_LAST_MS 2000u

/* Tasks of an array when the cluster does not say: Slurm's own default of MaxArraySize. */
#define ARRAY_DEFAULT 1001u

/* Path of a file in DIR/slurm. */
static bool slurm_path(const struct sweep_run *run, const char *name, struct buf *out,
                       struct sim_err *err)
{
    buf_printf(out, "%s/slurm%s%s", run->dir, name[0] ? "/" : "", name);
    return !out->failed || err_memory(err, "naming a file");
}

static bool write_text(const struct sweep_run *run, const char *name, const struct buf *text,
                       struct sim_err *err)
{
    struct buf path = {0};
    struct outfile file = {0};
    bool ok = slurm_path(run, name, &path, err) && (!text->failed || err_memory(err, "a job")) &&
              outfile_open(&file, path.data, err) &&
              outfile_write(&file, text->data, text->len, err) && outfile_commit(&file, err);
    outfile_abort(&file);
    buf_free(&path);
    return ok;
}

/* Runs a program of Slurm; what it says is in `out`, cut at its last line break. */
static bool slurm_run(const char *const *argv, struct buf *out, int *status, struct sim_err *err)
{
    TRY(child_run(argv, out, status, err));
    if (out->failed)
        return err_memory(err, "running a program");
    while (out->len > 0 && out->data[out->len - 1] == '\n')
        out->data[--out->len] = '\0';
    return true;
}

/* Tasks that an array may have. */
static bool array_size(uint32_t *size, struct sim_err *err)
{
    static const char *const argv[] = {"scontrol", "show", "config", NULL};
    struct buf said = {0};
    int status;
    *size = ARRAY_DEFAULT;
    bool ok = slurm_run(argv, &said, &status, err);
    const char *at = ok && said.data ? strstr(said.data, "MaxArraySize") : NULL;
    at = at ? strchr(at, '=') : NULL;
    unsigned long n = at ? strtoul(at + 1, NULL, 10) : 0;
    if (n > 0 && n < UINT32_MAX)
        *size = (uint32_t)n;
    buf_free(&said);
    return ok;
}

/* One line a task. */
static uint32_t list_tasks(const struct sweep_run *run, uint32_t most, struct buf *out)
{
    uint32_t chunk = (run->pending_count + most - 1) / most, tasks = 0;
    for (uint32_t i = 0; i < run->pending_count; i++) {
        bool last = i % chunk == chunk - 1 || i == run->pending_count - 1;
        buf_printf(out, "%016" PRIx64 "%s", run->plan.points[run->pending[i]].id,
                   last ? "\n" : " ");
        tasks += last;
    }
    return tasks;
}

/* An argument of the script, in quotes. */
static void add_argument(struct buf *out, const char *text)
{
    buf_puts(out, " '");
    for (const char *s = text; *s; s++)
        if (*s == '\'')
            buf_puts(out, "'\\''");
        else
            buf_add(out, s, 1);
    buf_puts(out, "'");
}

static void make_script(const struct sweep_run *run, const char *program, struct buf *out)
{
    const struct cli *cli = run->cli;
    buf_puts(out, "#!/bin/sh\nexec");
    add_argument(out, program);
    buf_puts(out, " sweep");
    add_argument(out, run->file);
    buf_puts(out, " --output");
    add_argument(out, run->dir);
    if (cli->given[CLI_CONFIG]) {
        buf_puts(out, " --config");
        add_argument(out, cli->text[CLI_CONFIG]);
    }
    for (size_t i = 0; i < cli->set_count; i++) {
        buf_puts(out, " --set");
        add_argument(out, cli->sets[i]);
    }
    /* Tasks of Slurm count from 0, those of --task from 1. */
    buf_puts(out, " --task $((SLURM_ARRAY_TASK_ID + 1))\n");
}

/* Results of earlier failures would look like those of the job. */
static void remove_failures(const struct sweep_run *run)
{
    for (uint32_t i = 0; i < run->pending_count; i++) {
        struct buf path = {0};
        point_path(&run->plan, run->pending[i], run->dir, &path);
        if (!path.failed)
            unlink(path.data);
        buf_free(&path);
    }
}

static bool write_job(const struct sweep_run *run, uint32_t *tasks, struct sim_err *err)
{
    struct buf folder = {0}, list = {0}, script = {0};
    char program[4096];
    uint32_t most;
    TRY(array_size(&most, err));
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0)
        return err_set(err, ERR_RESOURCE, NULL, 0, 0, "cannot find the program's own file");
    program[n] = '\0';
    *tasks = list_tasks(run, most, &list);
    make_script(run, program, &script);
    bool ok = slurm_path(run, "", &folder, err);
    if (ok && mkdir(folder.data, 0777) != 0 && errno != EEXIST)
        ok = err_set(err, ERR_RESOURCE, folder.data, 0, 0, "cannot make this folder: %s",
                     strerror(errno));
    ok = ok && write_text(run, "tasks", &list, err) && write_text(run, "job.sh", &script, err);
    buf_free(&folder);
    buf_free(&list);
    buf_free(&script);
    return ok;
}

/* "NUMBER" or "NUMBER;CLUSTER" is the last line; warnings may stand before it. */
static void keep_number(struct buf *job)
{
    char *line = strrchr(job->data, '\n');
    line = line ? line + 1 : job->data;
    size_t n = strspn(line, "0123456789");
    memmove(job->data, line, n);
    job->data[n] = '\0';
    job->len = n;
}

/* Submits the array job; *job is its number as text. */
static bool submit(struct sweep_run *run, uint32_t tasks, struct buf *job, struct sim_err *err)
{
    struct buf name = {0}, array = {0}, log = {0}, script = {0};
    int status = 0;
    buf_printf(&name, "--job-name=subcore-%s", run->sweep.name);
    buf_printf(&array, "--array=0-%u", tasks - 1);
    if (run->cli->given[CLI_THREADS])
        buf_printf(&array, "%%%" PRIu64, run->cli->number[CLI_THREADS]);
    buf_printf(&log, "--output=%s/slurm/%%a.log", run->dir);
    bool ok = slurm_path(run, "job.sh", &script, err) &&
              (!(name.failed || array.failed || log.failed) || err_memory(err, "a job"));
    const char *const argv[] = {"sbatch", "--parsable", name.data, array.data,  log.data,
                                "-n1",    "-c1",        "--",      script.data, NULL};
    ok = ok && slurm_run(argv, job, &status, err);
    if (ok && (status != 0 || job->len == 0))
        ok = err_set(err, ERR_RESOURCE, NULL, 0, 0, "sbatch: exit status %d: %s", status,
                     job->data ? job->data : "");
    if (ok)
        keep_number(job);
    ok = ok && write_text(run, "job", job, err);
    buf_free(&name);
    buf_free(&array);
    buf_free(&log);
    buf_free(&script);
    return ok;
}

/* Number of the job of an earlier call; empty when there is none. */
static bool last_job(const struct sweep_run *run, struct buf *job, struct sim_err *err)
{
    struct buf path = {0};
    char line[64] = "";
    TRY(slurm_path(run, "job", &path, err));
    FILE *f = fopen(path.data, "r");
    size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
    if (f)
        fclose(f);
    buf_free(&path);
    buf_add(job, line, n);
    return !job->failed || err_memory(err, "reading a job's number");
}

/* Whether tasks of the job wait or run. A controller that does not answer says nothing about it. */
static bool is_alive(const char *job, bool *alive, struct sim_err *err)
{
    const char *const argv[] = {"squeue", "--noheader", "--jobs", job, NULL};
    struct buf said = {0};
    int status;
    TRY(slurm_run(argv, &said, &status, err));
    *alive = status == 0 ? said.len > 0 : !said.data || !strstr(said.data, "Invalid job id");
    buf_free(&said);
    return true;
}

static void wait_ms(uint32_t ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}

/* Reads what is new; *left is what is not there yet. */
static bool look_at_all(struct sweep_run *run, uint32_t *left, struct sim_err *err)
{
    *left = 0;
    for (uint32_t i = 0; i < run->pending_count; i++) {
        uint32_t point = run->pending[i];
        if (!run->points[point].done)
            TRY(sweep_look(run, point, err));
        *left += !run->points[point].done;
    }
    return true;
}

static bool wait_for_job(struct sweep_run *run, const char *job, struct sim_err *err)
{
    uint32_t wait = WAIT_FIRST_MS, left = run->pending_count;
    bool alive = true;
    for (;;) {
        TRY(look_at_all(run, &left, err));
        if (left == 0 || !alive)
            return true;
        if (*run->stop)
            return err_set(err, ERR_INTERRUPT, NULL, 0, 0,
                           "interrupted; job %s goes on (`scancel %s` ends it)", job, job);
        wait_ms(wait);
        wait = wait < WAIT_LAST_MS / 2 ? 2 * wait : WAIT_LAST_MS;
        TRY(is_alive(job, &alive, err));
    }
}

bool sweep_slurm(struct sweep_run *run, struct sim_err *err)
{
    struct buf job = {0};
    char why[256];
    uint32_t tasks = 0;
    bool alive = false, ok;
    if (run->pending_count == 0)
        return true;
    ok = last_job(run, &job, err) && (job.len == 0 || is_alive(job.data, &alive, err));
    if (ok && !alive) {
        job.len = 0;
        remove_failures(run);
        ok = write_job(run, &tasks, err) && submit(run, tasks, &job, err);
    }
    if (ok && !run->cli->given[CLI_QUIET] && alive)
        fprintf(stderr, "subcore: waiting for job %s of an earlier call\n", job.data);
    else if (ok && !run->cli->given[CLI_QUIET])
        fprintf(stderr, "subcore: job %s: %u points in %u tasks\n", job.data, run->pending_count,
                tasks);
    ok = ok && wait_for_job(run, job.data, err);
    snprintf(why, sizeof why, "job %s left no result; see the logs in %s/slurm",
             job.data ? job.data : "", run->dir);
    for (uint32_t i = 0; ok && i < run->pending_count; i++)
        if (!run->points[run->pending[i]].done)
            ok = sweep_take(run, run->pending[i], why, err);
    buf_free(&job);
    return ok;
}

/* Keeps the pending points that the line names. */
static void keep_named(struct sweep_run *run, const char *line)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < run->pending_count; i++) {
        char name[24];
        snprintf(name, sizeof name, "%016" PRIx64, run->plan.points[run->pending[i]].id);
        if (strstr(line, name))
            run->pending[kept++] = run->pending[i];
    }
    run->pending_count = kept;
}

bool sweep_slurm_task(struct sweep_run *run, uint64_t task, struct sim_err *err)
{
    struct buf path = {0};
    struct stream *s = NULL;
    char *line = NULL;
    size_t len;
    bool ok = slurm_path(run, "tasks", &path, err) && stream_open(&s, path.data, err);
    for (uint64_t i = 0; ok && i < task; i++) {
        ok = stream_line(s, &line, &len, err);
        if (ok && !line)
            ok = err_set(err, ERR_USAGE, path.data, 0, 0, "holds no task %" PRIu64, task);
    }
    if (ok)
        keep_named(run, line);
    stream_close(s);
    buf_free(&path);
    return ok;
}

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/child.h"
#include "app/sweep.h"
#include "base/outfile.h"

/* Most points at a time; more are a slip of the keyboard. */
#define JOBS_MAX 1024

static void show_progress(struct sweep_run *run)
{
    progress_points(&run->progress, run->done, run->plan.point_count, run->failed, run->fresh);
}

/* Counts a point that is done. */
static void count_point(struct sweep_run *run, uint32_t point)
{
    run->done++;
    run->failed += run->points[point].failed;
    run->fresh++;
    show_progress(run);
}

bool sweep_look(struct sweep_run *run, uint32_t point, struct sim_err *err)
{
    TRY(point_load(&run->plan, point, run->dir, &run->points[point], err));
    if (run->points[point].done)
        count_point(run, point);
    return true;
}

bool sweep_take(struct sweep_run *run, uint32_t point, const char *why, struct sim_err *err)
{
    TRY(sweep_look(run, point, err));
    if (run->points[point].done)
        return true;
    TRY(point_fail(&run->points[point], why, err));
    count_point(run, point);
    return true;
}

/* The cards: those of -c, else of the file, else the default. */
static bool choose_cards(struct sweep_run *run, struct sim_err *err)
{
    struct sweep *s = &run->sweep;
    const char *given = run->cli->text[CLI_CONFIG];
    bool axis = false;
    for (uint32_t a = 0; a < s->axis_count; a++)
        axis = axis || s->axes[a].has_card;
    if (given && axis)
        return err_set(err, ERR_USAGE, NULL, 0, 0, "--config: an axis of %s names cards",
                       run->file);
    if (given || (s->card_count == 0 && !axis)) {
        run->card.name = run->card.path = given ? given : APP_DEFAULT_CARD;
        s->cards = &run->card;
        s->card_count = 1;
    }
    return true;
}

/* A card that does not load would fail all its points. */
static bool check_card(const struct sweep_card *card, struct err_list *errors)
{
    struct loaded_config config;
    TRY(config_load(&config, card->path, NULL, 0, errors));
    config_free(&config);
    return true;
}

static bool check_cards(const struct sweep *s, struct err_list *errors)
{
    bool ok = true;
    for (uint32_t i = 0; i < s->card_count; i++)
        ok = check_card(&s->cards[i], errors) && ok;
    for (uint32_t a = 0; a < s->axis_count; a++)
        for (uint32_t i = 0; s->axes[a].has_card && i < s->axes[a].count; i++)
            ok = check_card(&s->axes[a].values[i].card, errors) && ok;
    return ok;
}

static bool make_folder(const char *path, struct sim_err *err)
{
    struct stat st;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return true;
    return err_set(err, ERR_RESOURCE, path, 0, 0, "cannot make this folder: %s", strerror(errno));
}

static bool make_folders(const struct sweep_run *run, struct sim_err *err)
{
    struct buf path = {0};
    buf_printf(&path, "%s/points", run->dir);
    bool ok = path.failed ? err_memory(err, "starting a sweep")
                          : make_folder(run->dir, err) && make_folder(path.data, err);
    buf_free(&path);
    return ok;
}

/* What is there already stays; the rest, and what has failed, is pending. */
static bool find_pending(struct sweep_run *run, struct sim_err *err)
{
    uint32_t count = run->plan.point_count;
    run->points = calloc(count, sizeof *run->points);
    run->pending = calloc(count, sizeof *run->pending);
    if (!run->points || !run->pending)
        return err_memory(err, "starting a sweep");
    for (uint32_t i = 0; i < count; i++) {
        const char *error = run->plan.variants[run->plan.points[i].variant].error;
        if (error) {
            TRY(point_fail(&run->points[i], error, err));
            run->failed++;
            continue;
        }
        TRY(point_load(&run->plan, i, run->dir, &run->points[i], err));
        if (run->points[i].failed)
            point_free(&run->points[i]);
        if (!run->points[i].done)
            run->pending[run->pending_count++] = i;
    }
    run->done = count - run->pending_count;
    return true;
}

static bool write_file(const struct sweep_run *run, const char *name, const struct buf *text,
                       struct sim_err *err)
{
    struct buf path = {0};
    struct outfile file = {0};
    buf_printf(&path, "%s/%s", run->dir, name);
    bool ok = path.failed || text->failed ? err_memory(err, "writing results")
                                          : outfile_open(&file, path.data, err) &&
                                                outfile_write(&file, text->data, text->len, err) &&
                                                outfile_commit(&file, err);
    outfile_abort(&file);
    buf_free(&path);
    return ok;
}

/* Draws one plot: NAME.gp is kept, so that it can be changed. */
static bool draw_plot(const struct sweep_run *run, const struct sweep_result *r,
                      enum sweep_plot plot, uint32_t g, struct sim_err *err)
{
    struct buf name = {0}, script = {0}, svg = {0}, file = {0}, path = {0}, said = {0};
    int status = 0;
    sweep_plot_name(r, plot, g, &name);
    buf_printf(&svg, "%s/%s.svg", run->dir, name.data);
    buf_printf(&file, "%s.gp", name.data);
    buf_printf(&path, "%s/%s.gp", run->dir, name.data);
    sweep_plot_script(r, plot, g, svg.data, &script);
    const char *const argv[] = {"gnuplot", path.data, NULL};
    bool ok = true;
    if (svg.failed || path.failed || script.failed)
        ok = err_memory(err, "drawing a plot");
    else if (script.len > 0)
        ok = write_file(run, file.data, &script, err) && child_run(argv, &said, &status, err);
    if (ok && status != 0)
        ok = err_set(err, ERR_RESOURCE, path.data, 0, 0, "gnuplot: exit status %d: %s", status,
                     said.data ? said.data : "");
    buf_free(&name);
    buf_free(&script);
    buf_free(&svg);
    buf_free(&file);
    buf_free(&path);
    buf_free(&said);
    return ok;
}

static bool draw_plots(const struct sweep_run *run, const struct sweep_result *r,
                       struct sim_err *err)
{
    for (uint32_t g = 0; g < sweep_group_count(r); g++)
        for (uint32_t p = 0; p < SWEEP_PLOT_COUNT; p++)
            TRY(draw_plot(run, r, (enum sweep_plot)p, g, err));
    return true;
}

/* Compares the base configurations with the limit of the sweep; returns how many exceed it. */
static uint32_t check_limit(const struct sweep_run *run, const struct sweep_result *r)
{
    const struct sweep *s = &run->sweep;
    uint32_t exceeded = 0;
    for (uint32_t v = 0; s->limit_mape >= 0 && v < run->plan.variant_count; v++) {
        double mape;
        if (plan_base(&run->plan, v) != v || !sweep_mape(r, v, &mape) || mape <= s->limit_mape)
            continue;
        fprintf(stderr, "subcore: %s:%u:%u: the MAPE of %s is %.2f %%, limit %.2f %%\n", run->file,
                s->limit_line, s->limit_col, run->plan.variants[v].card.name, 100 * mape,
                100 * s->limit_mape);
        exceeded++;
    }
    return exceeded;
}

/* Writes the results of all points and prints them. */
static bool report(const struct sweep_run *run, uint32_t *exceeded, struct sim_err *err)
{
    struct sweep_result r = {.plan = &run->plan, .points = run->points, .measured = run->measured};
    struct buf csv = {0}, text = {0};
    sweep_csv(&r, &csv);
    sweep_text(&r, &text);
    bool ok = write_file(run, "results.csv", &csv, err) && write_file(run, "table.txt", &text, err);
    if (ok && !run->cli->given[CLI_QUIET]) {
        bool as_csv = run->cli->number[CLI_FORMAT] == CLI_FORMAT_CSV;
        if (!as_csv)
            buf_printf(&text, "\nEvery point: %s/results.csv\n", run->dir);
        ok = app_write(stdout, as_csv ? &csv : &text, err);
    }
    buf_free(&csv);
    buf_free(&text);
    *exceeded = ok ? check_limit(run, &r) : 0;
    return ok && (!run->cli->given[CLI_PLOT] || draw_plots(run, &r, err));
}

/* Whether the point before has failed by the same configuration, or one with the same fault. */
static bool is_repeated(const struct plan *p, uint32_t point)
{
    const char *error = p->variants[p->points[point].variant].error;
    const char *before = point > 0 ? p->variants[p->points[point - 1].variant].error : NULL;
    return error && before && strcmp(error, before) == 0;
}

/* Lists failed points, a fault of configurations once; returns their number. */
static uint32_t list_failures(const struct sweep_run *run)
{
    const struct plan *p = &run->plan;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < p->point_count; i++) {
        struct buf name = {0};
        if (!run->points[i].failed)
            continue;
        failed++;
        if (is_repeated(p, i))
            continue;
        plan_describe(p, i, &name);
        fprintf(stderr, "subcore: %s: %s\n", name.data ? name.data : "", run->points[i].message);
        buf_free(&name);
    }
    if (failed > 0)
        fprintf(stderr, "subcore: %u of %u points failed\n", failed, p->point_count);
    return failed;
}

/* Each warning once. */
static void list_warnings(const struct sweep_run *run)
{
    struct diag *diag = calloc(1, sizeof *diag);
    struct sim_err err = {0};
    if (!diag)
        return;
    diag->print = app_print_warning;
    for (uint32_t i = 0; i < run->plan.point_count; i++)
        for (const char *w = run->points[i].warnings; w && *w;) {
            int n = (int)strcspn(w, "\n");
            diag_warn(diag, &err, NULL, 0, "%.*s", n, w);
            w += n + (w[n] == '\n');
        }
    free(diag);
}

static bool count_jobs(const struct sweep_run *run, uint32_t *jobs, struct sim_err *err)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t n = run->cli->number[CLI_THREADS];
    if (n > JOBS_MAX)
        return err_set(err, ERR_USAGE, NULL, 0, 0, "--threads: expected 1 to %d, found %s",
                       JOBS_MAX, run->cli->text[CLI_THREADS]);
    *jobs = n > 0 ? (uint32_t)n : processors > 0 ? (uint32_t)processors : 1;
    return true;
}

/* What a job of --executor slurm does: no tables, only results of points. */
static bool run_task(struct sweep_run *run, uint32_t *failed, struct sim_err *err)
{
    TRY(sweep_slurm_task(run, run->cli->number[CLI_TASK], err) && sweep_local(run, 1, err));
    *failed = 0;
    for (uint32_t i = 0; i < run->pending_count; i++)
        *failed += run->points[run->pending[i]].failed;
    return true;
}

static bool run_sweep(struct sweep_run *run, uint32_t *failed, uint32_t *exceeded,
                      struct sim_err *err)
{
    uint32_t jobs;
    TRY(count_jobs(run, &jobs, err));
    if (run->sweep.measured.file)
        TRY(sweep_read_measured(&run->sweep, &run->measured, err));
    TRY(plan_make(&run->plan, &run->sweep, run->cli->sets, run->cli->set_count, SUBCORE_VERSION,
                  err));
    TRY(make_folders(run, err) && find_pending(run, err));
    if (run->cli->given[CLI_TASK])
        return run_task(run, failed, err);
    progress_begin(&run->progress, (enum cli_when)run->cli->number[CLI_PROGRESS],
                   run->cli->given[CLI_QUIET]);
    show_progress(run);
    bool slurm = run->cli->number[CLI_EXECUTOR] == CLI_EXECUTOR_SLURM;
    bool ok = slurm ? sweep_slurm(run, err) : sweep_local(run, jobs, err);
    progress_clear(&run->progress);
    TRY(ok);
    if (!run->cli->given[CLI_QUIET])
        list_warnings(run);
    *failed = list_failures(run);
    return report(run, exceeded, err);
}

/* Says what is there when a sweep ends early. */
static void say_progress(const struct sweep_run *run)
{
    fprintf(stderr, "subcore: %u of %u points are done; the same command goes on from here\n",
            run->done - run->failed, run->plan.point_count);
}

static void free_run(struct sweep_run *run)
{
    for (uint32_t i = 0; run->points && i < run->plan.point_count; i++)
        point_free(&run->points[i]);
    free(run->points);
    free(run->pending);
    plan_free(&run->plan);
    free(run->measured);
    sweep_free(&run->sweep);
}

int cmd_sweep(const struct cli *cli)
{
    static const struct err_list no_errors;
    struct sweep_run run = {.cli = cli, .file = cli->args[0]};
    struct err_list errors = no_errors;
    struct sim_err err = {0};
    struct buf dir = {0};
    uint32_t failed = 0, exceeded = 0;
    int status;
    bool ok = sweep_read(&run.sweep, run.file, &errors);
    if (ok)
        ok = choose_cards(&run, &err) && check_cards(&run.sweep, &errors);
    if (!ok) {
        status = err.code != ERR_NONE ? app_fail(&err) : app_fail_list(&errors);
        sweep_free(&run.sweep);
        return status;
    }
    buf_printf(&dir, "%s.sweep", run.sweep.name);
    run.dir = cli->given[CLI_OUTPUT] ? cli->text[CLI_OUTPUT] : dir.failed ? "sweep" : dir.data;
    run.stop = stop_install();
    ok = run_sweep(&run, &failed, &exceeded, &err);
    bool interrupted = err.code == ERR_INTERRUPT;
    if (!ok)
        status = app_fail(&err);
    else
        status = err_exit_status(failed > 0 ? ERR_INPUT : exceeded > 0 ? ERR_LIMIT : ERR_NONE);
    if (interrupted && !cli->given[CLI_TASK])
        say_progress(&run);
    free_run(&run);
    buf_free(&dir);
    return status;
}

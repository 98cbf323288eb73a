#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/progress.h"
#include "app/stop.h"
#include "app/trace_output.h"
#include "base/outfile.h"
#include "launch/launch_dump.h"
#include "report/number.h"
#include "report/pc_counts.h"

struct tracing {
    const struct cli *cli;
    struct diag diag;
    struct progress progress;
    struct trace_writer *writer; /* NULL = only execute */
    struct outfile pc_file;
    const volatile sig_atomic_t *stop;
    FILE *table;
    const struct kernel *kernel; /* being executed */
    const struct launch *launch;
    uint64_t ctas;
    uint64_t kernels, failed;
};

static void on_failed(void *user, const struct sim_err *why)
{
    struct tracing *t = user;
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32];
    err_format(why, text, sizeof text);
    progress_clear(&t->progress);
    fprintf(stderr, "subcore: %s (kernel passed over)\n", text);
    t->failed++;
}

static void add_counts(const struct launch *l, uint64_t *warps, uint64_t *threads)
{
    *warps = *threads = 0;
    for (uint32_t i = 0; i < l->emu.code->inst_count; i++) {
        *warps += l->emu.counts[i].inst;
        *threads += l->emu.counts[i].thread_true;
    }
}

/* Called between CTAs. */
static bool between_ctas(void *user)
{
    struct tracing *t = user;
    uint64_t warps = 0, threads = 0;
    if (t->progress.on) {
        add_counts(t->launch, &warps, &threads);
        progress_update(&t->progress, t->kernel, 0, warps, t->ctas, t->kernel->cta_count);
    }
    t->ctas++;
    return *t->stop != 0;
}

/* Executes all CTAs without writing them. */
static bool execute(struct tracing *t, struct kernel *k, struct sim_err *err)
{
    for (;;) {
        struct cta_stream *cta;
        if (between_ctas(t))
            return err_set(err, ERR_INTERRUPT, NULL, 0, 0, "interrupted");
        TRY(k->ops->open_cta(k, &cta, err));
        if (!cta)
            return true;
        k->ops->close_cta(cta);
    }
}

static bool write_pc_counts(struct tracing *t, const struct kernel *k, struct sim_err *err)
{
    if (!t->cli->given[CLI_PC_COUNTS])
        return true;
    struct kernel_result r = {.inst_count = k->inst_count};
    r.counts = calloc((size_t)k->inst_count + 1, sizeof *r.counts);
    if (!r.counts)
        return err_memory(err, "writing executions by pc");
    for (uint32_t i = 0; i < k->inst_count; i++)
        r.counts[i] = (struct inst_count){.inst = t->launch->emu.counts[i].inst,
                                          .thread = t->launch->emu.counts[i].thread_true};
    struct buf text = {0};
    bool ok = pc_counts_kernel(&text, k, &r, err);
    if (ok)
        ok = text.failed ? err_memory(err, "writing executions by pc")
                         : outfile_write(&t->pc_file, text.data ? text.data : "", text.len, err);
    buf_free(&text);
    free(r.counts);
    return ok;
}

static void print_kernel(struct tracing *t, const struct kernel *k)
{
    uint64_t warps = 0, threads = 0;
    char ctas_text[NUMBER_SIZE], warps_text[NUMBER_SIZE], threads_text[NUMBER_SIZE];
    add_counts(t->launch, &warps, &threads);
    progress_clear(&t->progress);
    progress_kernel_done(&t->progress, warps);
    t->kernels++;
    if (t->cli->given[CLI_QUIET])
        return;
    number_grouped(ctas_text, k->cta_count);
    number_grouped(warps_text, warps);
    number_grouped(threads_text, threads);
    fprintf(t->table, "%s: kernel %s, %s CTAs, %s warp instructions, %s thread instructions\n",
            k->launch, k->name, ctas_text, warps_text, threads_text);
}

static bool trace_kernel(struct tracing *t, struct kernel *k, struct sim_err *err)
{
    t->kernel = k;
    t->ctas = 0;
    if (t->writer)
        TRY(trace_writer_kernel(t->writer, k, between_ctas, t, err));
    else
        TRY(execute(t, k, err));
    TRY(write_pc_counts(t, k, err));
    if (t->cli->given[CLI_DUMP_BUFFERS])
        TRY(launch_dump_buffers(t->launch, t->cli->text[CLI_DUMP_BUFFERS], err));
    print_kernel(t, k);
    return true;
}

static bool trace_items(struct tracing *t, struct source *in, struct sim_err *err)
{
    for (;;) {
        struct input_item item;
        struct sim_err failure = {0};
        TRY(source_next(in, &item, err));
        if (item.kind == INPUT_END)
            return true;
        t->launch = source_launch(in);
        if (trace_kernel(t, item.kernel, &failure))
            continue;
        if (!t->cli->given[CLI_KEEP_GOING] || !source_is_at_fault(in, &failure)) {
            *err = failure;
            return false;
        }
        on_failed(t, &failure);
        err_clear(&failure);
    }
}

static bool trace_input(struct tracing *t, struct sim_err *err)
{
    const char *path = t->cli->args[0];
    struct source *in = NULL;
    struct input_options opt = {.keep_going = t->cli->given[CLI_KEEP_GOING],
                                .failed = on_failed,
                                .user = t,
                                .diag = &t->diag,
                                .kernel_first = t->cli->number[CLI_KERNEL],
                                .kernel_last = t->cli->number_last[CLI_KERNEL]};
    if (!launch_input_probe(path)) {
        /* input_open() can say why: the file is missing, is a folder... */
        struct input *other = NULL;
        TRY(input_open(&other, path, &opt, err));
        input_close(other);
        return err_set(err, ERR_INPUT, path, 0, 0,
                       "expected a launch file (a YAML list of launches)");
    }
    TRY(app_open_source(&in, path, &opt, t->cli, err));
    t->progress.kernels = t->cli->given[CLI_KERNEL] ? 0 : source_kernel_count(in);
    bool ok = trace_items(t, in, err);
    progress_clear(&t->progress);
    source_close(in);
    return ok;
}

static bool open_outputs(struct tracing *t, struct sim_err *err)
{
    const struct cli *cli = t->cli;
    bool to_stdout = (cli->given[CLI_PC_COUNTS] && strcmp(cli->text[CLI_PC_COUNTS], "-") == 0);
    t->table = to_stdout ? stderr : stdout;
    if (cli->given[CLI_PC_COUNTS]) {
        struct buf text = {0};
        TRY(outfile_open(&t->pc_file, cli->text[CLI_PC_COUNTS], err));
        pc_counts_begin(&text);
        bool ok = text.failed ? err_memory(err, "writing executions by pc")
                              : outfile_write(&t->pc_file, text.data, text.len, err);
        buf_free(&text);
        TRY(ok);
    }
    if (!cli->given[CLI_OUTPUT])
        return true;
    return trace_output_open(&t->writer, cli->text[CLI_OUTPUT], cli->given[CLI_KEEP_GOING], err);
}

static bool close_outputs(struct tracing *t, bool keep, struct sim_err *err)
{
    bool ok = true;
    if (t->writer)
        ok = t->writer->ops->close(t->writer, keep, err);
    if (keep && ok && t->pc_file.stream)
        ok = outfile_commit(&t->pc_file, err);
    outfile_abort(&t->pc_file);
    return ok;
}

int cmd_trace(const struct cli *cli)
{
    struct sim_err err = {0}, late = {0};
    struct tracing *t = calloc(1, sizeof *t);
    if (!t) {
        err_memory(&err, "tracing");
        return app_fail(&err);
    }
    t->cli = cli;
    t->diag.strict = cli->given[CLI_STRICT];
    t->diag.print = cli->given[CLI_QUIET] ? NULL : app_print_warning;
    t->stop = stop_install();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of writing */
    progress_begin(&t->progress, (enum cli_when)cli->number[CLI_PROGRESS], cli->given[CLI_QUIET]);
    bool ok = open_outputs(t, &err) && trace_input(t, &err);
    bool closed = close_outputs(t, ok, &late);
    int status = t->failed > 0 ? err_exit_status(ERR_INPUT) : 0;
    if (!ok)
        status = app_fail(&err);
    else if (!closed)
        status = app_fail(&late);
    err_clear(&late);
    free(t);
    return status;
}

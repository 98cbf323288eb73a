#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/progress.h"
#include "app/stop.h"
#include "app/trace_output.h"
#include "report/number.h"

struct conversion {
    const struct cli *cli;
    struct diag diag;
    struct progress progress;
    struct trace_writer *writer;
    const volatile sig_atomic_t *stop;
    FILE *table;
    const struct kernel *kernel; /* being written */
    uint64_t kernels, failed, copies, copied_bytes;
};

static void print_warning(void *user, const char *text)
{
    struct conversion *c = user;
    progress_clear(&c->progress);
    app_print_warning(NULL, text);
}

static void on_failed(void *user, const struct sim_err *why)
{
    struct conversion *c = user;
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32];
    err_format(why, text, sizeof text);
    progress_clear(&c->progress);
    fprintf(stderr, "subcore: %s (kernel passed over)\n", text);
    c->failed++;
}

/* Called between CTAs. */
static bool between_ctas(void *user)
{
    struct conversion *c = user;
    progress_update(&c->progress, c->kernel, 0, c->writer->insts, c->writer->ctas,
                    c->kernel->cta_count);
    return *c->stop != 0;
}

static void print_kernel(struct conversion *c, const struct kernel *k)
{
    char ctas[NUMBER_SIZE], insts[NUMBER_SIZE];
    progress_clear(&c->progress);
    progress_kernel_done(&c->progress, c->writer->insts);
    c->kernels++;
    if (c->cli->given[CLI_QUIET])
        return;
    number_grouped(ctas, c->writer->ctas);
    number_grouped(insts, c->writer->insts);
    fprintf(c->table, "kernel %" PRIu64 " %s: %s CTAs, %s warp instructions\n", k->id, k->name,
            ctas, insts);
}

static bool convert_kernel(struct conversion *c, struct source *in, struct kernel *k,
                           struct sim_err *err)
{
    struct sim_err failure = {0};
    c->kernel = k;
    if (trace_writer_kernel(c->writer, k, between_ctas, c, &failure)) {
        print_kernel(c, k);
        return true;
    }
    if (!c->cli->given[CLI_KEEP_GOING] || !source_is_at_fault(in, &failure)) {
        *err = failure;
        return false;
    }
    on_failed(c, &failure);
    err_clear(&failure);
    return true;
}

static bool convert_items(struct conversion *c, struct source *in, struct sim_err *err)
{
    for (;;) {
        struct input_item item;
        TRY(source_next(in, &item, err));
        if (item.kind == INPUT_END)
            return true;
        if (item.kind == INPUT_KERNEL) {
            TRY(convert_kernel(c, in, item.kernel, err));
            continue;
        }
        TRY(c->writer->ops->copy(c->writer, item.copy_addr, item.copy_bytes, err));
        c->copies++;
        c->copied_bytes += item.copy_bytes;
    }
}

static void print_total(const struct conversion *c)
{
    char bytes[NUMBER_SIZE];
    if (c->cli->given[CLI_QUIET])
        return;
    number_grouped(bytes, c->copied_bytes);
    fprintf(c->table, "%" PRIu64 " kernel%s, %" PRIu64 " copies to the device (%s bytes)\n",
            c->kernels, c->kernels == 1 ? "" : "s", c->copies, bytes);
}

static bool convert(struct conversion *c, struct sim_err *err)
{
    struct source *in = NULL;
    struct input_options opt = {.keep_going = c->cli->given[CLI_KEEP_GOING],
                                .failed = on_failed,
                                .user = c,
                                .diag = &c->diag,
                                .kernel_first = c->cli->number[CLI_KERNEL],
                                .kernel_last = c->cli->number_last[CLI_KERNEL]};
    /* The input first: what cannot be read must not leave an empty folder. */
    TRY(app_open_source(&in, c->cli->args[0], &opt, c->cli, err));
    c->progress.kernels = c->cli->given[CLI_KERNEL] ? 0 : source_kernel_count(in);
    bool ok = trace_output_open(&c->writer, c->cli->args[1], c->cli->given[CLI_KEEP_GOING], err) &&
              convert_items(c, in, err);
    progress_clear(&c->progress);
    source_close(in);
    if (ok && c->kernels + c->failed == 0)
        ok = err_set(err, ERR_INPUT, c->cli->args[0], 0, 0, "holds no kernel");
    if (c->writer) {
        struct sim_err late = {0};
        bool closed = c->writer->ops->close(c->writer, ok, ok ? err : &late);
        err_clear(&late);
        ok = ok && closed;
    }
    if (ok)
        print_total(c);
    return ok;
}

int cmd_convert(const struct cli *cli)
{
    struct sim_err err = {0};
    struct conversion *c = calloc(1, sizeof *c);
    if (!c) {
        err_memory(&err, "converting");
        return app_fail(&err);
    }
    c->cli = cli;
    c->diag.strict = cli->given[CLI_STRICT];
    c->diag.print = cli->given[CLI_QUIET] ? NULL : print_warning;
    c->diag.user = c;
    c->stop = stop_install();
    c->table = strcmp(cli->args[1], "-") == 0 ? stderr : stdout;
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of writing */
    progress_begin(&c->progress, (enum cli_when)cli->number[CLI_PROGRESS], cli->given[CLI_QUIET]);
    int status = 0;
    if (!convert(c, &err))
        status = app_fail(&err);
    else if (c->failed > 0)
        status = err_exit_status(ERR_INPUT);
    free(c);
    return status;
}

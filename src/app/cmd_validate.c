/* `validate`: a suite simulated and compared with measurements. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/stop.h"
#include "base/outfile.h"
#include "study/validation.h"

/* Simulations at a time; each takes the memory of a card. */
#define THREADS_MAX 1024

static void show_progress(void *user, uint32_t done, uint32_t all, const char *name)
{
    (void)user;
    fprintf(stderr, "\r%u of %u simulated: %.40s\033[K", done, all, name);
    if (done == all)
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

static bool write_json(const struct cli *cli, const struct validation *v, struct sim_err *err)
{
    struct outfile file = {0};
    struct buf text = {0};
    TRY(outfile_open(&file, cli->text[CLI_OUTPUT], err));
    validation_json(&text, v, SUBCORE_VERSION);
    bool ok = text.failed ? err_memory(err, "writing the result")
                          : outfile_write(&file, text.data, text.len, err);
    buf_free(&text);
    ok = ok && outfile_commit(&file, err);
    outfile_abort(&file);
    return ok;
}

/* The table goes to the standard error when the JSON takes the standard output. */
static bool print(const struct cli *cli, const struct validation *v, struct sim_err *err)
{
    struct buf text = {0};
    bool taken = cli->given[CLI_OUTPUT] && strcmp(cli->text[CLI_OUTPUT], "-") == 0;
    if (cli->number[CLI_FORMAT] == CLI_FORMAT_JSON)
        validation_json(&text, v, SUBCORE_VERSION);
    else if (cli->number[CLI_FORMAT] == CLI_FORMAT_CSV)
        validation_csv(&text, v);
    else
        validation_text(&text, v, cli->given[CLI_VERBOSE]);
    bool ok = app_write(taken ? stderr : stdout, &text, err);
    buf_free(&text);
    return ok;
}

/* What the results mean for the exit status: an input that failed weighs more than a limit. */
static int judge(const struct validation *v)
{
    static const struct err_list no_errors;
    struct err_list errors = no_errors;
    int status = validation_check(v, &errors) ? 0 : app_fail_list(&errors);
    for (uint32_t i = 0; i < v->failure_count; i++)
        fprintf(stderr, "subcore: %s: %s\n", v->failures[i].name, v->failures[i].message);
    return v->failure_count > 0 ? err_exit_status(v->failures[0].code) : status;
}

static int validate(const struct cli *cli, const struct suite *suite, struct err_list *errors)
{
    struct validation v;
    struct sim_err err = {0};
    struct diag *diag = calloc(1, sizeof *diag);
    uint64_t when = cli->number[CLI_PROGRESS];
    bool show = when == CLI_WHEN_ALWAYS ||
                (when == CLI_WHEN_AUTO && !cli->given[CLI_QUIET] && isatty(STDERR_FILENO) == 1);
    struct validation_options opt = {.card = cli->text[CLI_CONFIG],
                                     .default_card = APP_DEFAULT_CARD,
                                     .sets = cli->sets,
                                     .set_count = cli->set_count,
                                     .part = cli->text[CLI_PART],
                                     .names = cli->args + 1,
                                     .name_count = cli->arg_count - 1,
                                     .threads = (uint32_t)cli->number[CLI_THREADS],
                                     .stop = stop_install(),
                                     .diag = diag,
                                     .done = show ? show_progress : NULL};
    if (!diag)
        return app_fail_usage("out of memory");
    diag->strict = cli->given[CLI_STRICT];
    if (!cli->given[CLI_QUIET])
        diag->print = app_print_warning;
    bool ok = validation_run(&v, suite, &opt, errors);
    int status = ok ? 0 : app_fail_list(errors);
    if (ok && !((cli->given[CLI_QUIET] || print(cli, &v, &err)) &&
                (!cli->given[CLI_OUTPUT] || write_json(cli, &v, &err))))
        status = app_fail(&err);
    else if (ok)
        status = judge(&v);
    validation_free(&v);
    free(diag);
    return status;
}

int cmd_validate(const struct cli *cli)
{
    static const struct err_list no_errors;
    struct err_list errors = no_errors;
    struct suite suite;
    int status;
    if (cli->number[CLI_THREADS] > THREADS_MAX)
        return app_fail_usage("--threads: expected 1 to %d, found %s", THREADS_MAX,
                              cli->text[CLI_THREADS]);
    signal(SIGPIPE, SIG_IGN);
    if (suite_read(&suite, cli->args[0], &errors))
        status = validate(cli, &suite, &errors);
    else
        status = app_fail_list(&errors);
    suite_free(&suite);
    return status;
}

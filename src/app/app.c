#include "app/app.h"

#include <errno.h>
#include <string.h>

/* Lines that begin with a blank belong to the message before; the others are errors of their own.
 */
static void print_detail(const char *text)
{
    while (*text) {
        int len = (int)strcspn(text, "\n");
        fprintf(stderr, "%s%.*s\n", *text == ' ' ? "" : "subcore: ", len, text);
        text += len + (text[len] == '\n');
    }
}

int app_fail(struct sim_err *err)
{
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32];
    err_format(err, text, sizeof text);
    fprintf(stderr, "subcore: %s\n", text);
    if (err->detail)
        print_detail(err->detail);
    int status = err_exit_status(err->code);
    err_clear(err);
    return status;
}

int app_fail_usage(const char *fmt, ...)
{
    struct sim_err err = {0};
    va_list ap;
    va_start(ap, fmt);
    err_setv(&err, ERR_USAGE, NULL, 0, 0, fmt, ap);
    va_end(ap);
    return app_fail(&err);
}

int app_fail_list(const struct err_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct sim_err e = list->items[i];
        app_fail(&e);
    }
    if (list->dropped > 0)
        fprintf(stderr, "subcore: %u more errors\n", list->dropped);
    return err_exit_status(list->count > 0 ? list->items[0].code : ERR_CONFIG);
}

bool app_write(FILE *stream, struct buf *text, struct sim_err *err)
{
    if (text->failed)
        return err_memory(err, "writing text");
    bool ok = text->len == 0 || fwrite(text->data, 1, text->len, stream) == text->len;
    text->len = 0;
    if (!ok || fflush(stream) != 0)
        return err_set(err, ERR_RESOURCE, NULL, 0, 0, "cannot write the standard %s: %s",
                       stream == stdout ? "output" : "error", strerror(errno));
    return true;
}

int app_print(struct buf *text)
{
    struct sim_err err = {0};
    bool ok = app_write(stdout, text, &err);
    buf_free(text);
    return ok ? 0 : app_fail(&err);
}

bool app_load_config(const struct cli *cli, struct loaded_config *config, int *status)
{
    return app_load_card(cli, NULL, config, status);
}

bool app_load_card(const struct cli *cli, const char *card, struct loaded_config *config,
                   int *status)
{
    static const struct err_list no_errors;
    struct err_list errors = no_errors;
    if (!card)
        card = cli->given[CLI_CONFIG] ? cli->text[CLI_CONFIG] : APP_DEFAULT_CARD;
    if (config_load(config, card, cli->sets, cli->set_count, &errors))
        return true;
    *status = app_fail_list(&errors);
    return false;
}

/* Options that only launches understand. */
static bool check_launch_options(const struct cli *cli, const char *path, struct sim_err *err)
{
    static const enum cli_option only[] = {CLI_CUBIN, CLI_RES_USAGE, CLI_DUMP_BUFFERS,
                                           CLI_CHECK_RACES};
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (cli->given[only[i]])
            return err_set(err, ERR_USAGE, path, 0, 0, "--%s is for launch files, this is none",
                           cli_option_name(only[i]));
    return true;
}

bool app_open_source(struct source **out, const char *path, const struct input_options *opt,
                     const struct cli *cli, struct sim_err *err)
{
    struct source_files files = {.sass = cli->text[CLI_SASS],
                                 .cubin = cli->text[CLI_CUBIN],
                                 .res_usage = cli->text[CLI_RES_USAGE],
                                 .check_races = cli->given[CLI_CHECK_RACES]};
    TRY(source_open(out, path, opt, &files, err));
    if (source_is_launches(*out) || check_launch_options(cli, path, err))
        return true;
    source_close(*out);
    *out = NULL;
    return false;
}

void app_print_warning(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "subcore: warning: %s\n", text);
}

/* `subcore config import`: a card from gpgpusim.config and trace.config. */
#include <string.h>

#include "app/app.h"
#include "base/outfile.h"
#include "cfg/import.h"

/* The card's name: that of the file written, without folder and ending. */
static void card_name(const struct cli *cli, char out[64])
{
    const char *path = cli->given[CLI_OUTPUT] ? cli->text[CLI_OUTPUT] : "imported";
    const char *slash = strrchr(path, '/');
    snprintf(out, 64, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot && dot != out)
        *dot = '\0';
    if (strcmp(out, "-") == 0)
        snprintf(out, 64, "imported");
}

static bool write_card(const struct cli *cli, const struct import *im, struct sim_err *err)
{
    char name[64];
    struct buf text = {0};
    struct outfile file = {0};
    card_name(cli, name);
    import_yaml(im, name, &text);
    const char *path = cli->given[CLI_OUTPUT] ? cli->text[CLI_OUTPUT] : "-";
    bool ok = text.failed ? err_memory(err, "writing a card")
                          : outfile_open(&file, path, err) &&
                                outfile_write(&file, text.data, text.len, err) &&
                                outfile_commit(&file, err);
    outfile_abort(&file);
    buf_free(&text);
    return ok;
}

int cmd_config_import(const struct cli *cli)
{
    static const struct err_list no_errors;
    struct err_list errors = no_errors;
    struct sim_err err = {0};
    struct import im;
    int status = 0;
    if (cli->arg_count < 2)
        return app_fail_usage("`subcore config import` needs at least one file");
    const char *base = cli->given[CLI_CONFIG] ? cli->text[CLI_CONFIG] : NULL;
    bool read = import_read(&im, cli->args + 1, cli->arg_count - 1, base, &err);
    if (!read || (import_check(&im, &errors) && !write_card(cli, &im, &err)))
        status = app_fail(&err);
    else if (errors.count > 0)
        status = app_fail_list(&errors);
    else if (!cli->given[CLI_QUIET])
        fprintf(stderr,
                "subcore: %zu keys from %zu options; %zu options are not carried over, the card "
                "lists them\n",
                im.key_count, import_carried(&im), im.option_count - import_carried(&im));
    import_free(&im);
    return status;
}

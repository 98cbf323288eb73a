/* Writes man pages and completions into a folder, as they are installed: gen_cli FOLDER makes
 * subcore.1, subcore-COMMAND.1, subcore.bash and _subcore there. */
#include <stdio.h>

#include "app/cli_pages.h"
#include "app/cli_tables.h"
#include "base/outfile.h"

static bool write_file(const char *folder, const char *name, struct buf *text, struct sim_err *err)
{
    char path[1024];
    struct outfile file = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    bool ok = (!text->failed || err_memory(err, "writing a page")) &&
              outfile_open(&file, path, err) && outfile_write(&file, text->data, text->len, err) &&
              outfile_commit(&file, err);
    outfile_abort(&file);
    buf_free(text);
    return ok;
}

static bool write_all(const char *folder, struct sim_err *err)
{
    struct buf text = {0};
    cli_man(&text, SUBCORE_VERSION);
    TRY(write_file(folder, "subcore.1", &text, err));
    for (uint32_t i = 0; i < CLI_CMD_COUNT; i++) {
        char name[64];
        if (cli_commands[i].formats == 0)
            continue;
        snprintf(name, sizeof name, "subcore-%s.1", cli_commands[i].name);
        cli_man_command(&text, (enum cli_command)i, SUBCORE_VERSION);
        TRY(write_file(folder, name, &text, err));
    }
    cli_completion_bash(&text);
    TRY(write_file(folder, "subcore.bash", &text, err));
    cli_completion_zsh(&text);
    return write_file(folder, "_subcore", &text, err);
}

int main(int argc, char **argv)
{
    struct sim_err err = {0};
    if (argc != 2) {
        fputs("usage: gen_cli FOLDER\n", stderr);
        return err_exit_status(ERR_USAGE);
    }
    if (write_all(argv[1], &err))
        return 0;
    fprintf(stderr, "gen_cli: %s: %s\n", err.file, err.msg);
    return err_exit_status(err.code);
}

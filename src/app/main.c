/* The program `subcore`: finds the command and runs it. */
#include <stdio.h>

#include "app/app.h"

static int print_version(void)
{
    struct buf out = {0};
    buf_printf(&out, "subcore %s\n", SUBCORE_VERSION);
    return app_print(&out);
}

static int print_help(const struct cli *cli)
{
    struct buf out = {0};
    struct sim_err err = {0};
    enum cli_command about = cli->command;
    if (cli->command == CLI_CMD_HELP && cli->arg_count > 0 &&
        !cli_find_command(&about, cli->args[0], &err))
        return app_fail(&err);
    if (about == CLI_CMD_HELP && cli->arg_count == 0)
        cli_help(&out);
    else
        cli_help_command(&out, about);
    return app_print(&out);
}

static int dispatch(const struct cli *cli)
{
    if (cli->given[CLI_HELP])
        return print_help(cli);
    if (cli->given[CLI_VERSION])
        return print_version();
    switch (cli->command) {
    case CLI_CMD_RUN:
        return cmd_run(cli);
    case CLI_CMD_TRACE:
        return cmd_trace(cli);
    case CLI_CMD_CONVERT:
        return cmd_convert(cli);
    case CLI_CMD_INSPECT:
        return cmd_inspect(cli);
    case CLI_CMD_VALIDATE:
        return cmd_validate(cli);
    case CLI_CMD_DIFF:
        return cmd_diff(cli);
    case CLI_CMD_SWEEP:
        return cmd_sweep(cli);
    case CLI_CMD_REPORT:
        return cmd_report(cli);
    case CLI_CMD_CONFIG:
        return cmd_config(cli);
    case CLI_CMD_VERSION:
        return print_version();
    default:
        return print_help(cli);
    }
}

int main(int argc, char **argv)
{
    struct cli cli;
    struct sim_err err = {0};
    bool ok = cli_parse(&cli, argc, (const char *const *)argv, &err);
    int status = ok ? dispatch(&cli) : app_fail(&err);
    cli_free(&cli);
    return status;
}

/* The command line: parsing, help and errors from the tables options.def and commands.def.
 *
 * Options stand before or after arguments, as `--name value`, `--name=value`, `-x value`,
 * `-xvalue`;
 * "--" ends them, "-" is an argument. Unknown names are errors with a suggestion. */
#ifndef SUBCORE_APP_CLI_H
#define SUBCORE_APP_CLI_H

#include "base/buf.h"
#include "base/err.h"

enum cli_command {
#define COMMAND(id, name, args, least, most, formats, summary, text) CLI_CMD_##id,
#include "app/commands.def"
#undef COMMAND
    CLI_CMD_COUNT
};

enum cli_option {
#define OPTION(id, short_name, long_name, argument, kind, commands, doc) CLI_##id,
#include "app/options.def"
#undef OPTION
    CLI_OPTION_COUNT
};

/* A parsed command line. Text belongs to argv; the arrays are owned and freed by cli_free(). */
struct cli {
    enum cli_command command;
    bool given[CLI_OPTION_COUNT];
    const char *text[CLI_OPTION_COUNT]; /* the last argument as written */
    uint64_t
        number[CLI_OPTION_COUNT]; /* NUMBER: the value; RANGE, SPAN: the first; words: the index */
    uint64_t number_last[CLI_OPTION_COUNT]; /* RANGE, SPAN: the last */
    const char **sets;                      /* arguments of --set in order */
    size_t set_count;
    const char **args; /* positional, without the command */
    size_t arg_count;
};

/* Words of --format, --by and --progress, by index. */
enum cli_format {
    CLI_FORMAT_TEXT,
    CLI_FORMAT_JSON,
    CLI_FORMAT_CSV,
    CLI_FORMAT_MARKDOWN,
    CLI_FORMAT_ACCELSIM
};
enum cli_executor { CLI_EXECUTOR_LOCAL, CLI_EXECUTOR_SLURM };
enum cli_by { CLI_BY_PC, CLI_BY_LINE };
enum cli_when { CLI_WHEN_AUTO, CLI_WHEN_ALWAYS, CLI_WHEN_NEVER };

/* Parses argv[1..]. Errors are ERR_USAGE; `out` can be freed in any case. */
bool cli_parse(struct cli *out, int argc, const char *const *argv, struct sim_err *err);

void cli_free(struct cli *c);

/* Command of this name; false and an error with a suggestion when there is none. */
bool cli_find_command(enum cli_command *out, const char *name, struct sim_err *err);

/* Name of an option, without dashes. */
const char *cli_option_name(enum cli_option option);

/* Overview of all commands. */
void cli_help(struct buf *out);

/* Usage and options of one command. */
void cli_help_command(struct buf *out, enum cli_command command);

#endif

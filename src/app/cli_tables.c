#include "app/cli_tables.h"

#include "cfg/words.h"

enum {
    TEXT = 1u << CLI_FORMAT_TEXT,
    JSON = 1u << CLI_FORMAT_JSON,
    CSV = 1u << CLI_FORMAT_CSV,
    MARKDOWN = 1u << CLI_FORMAT_MARKDOWN,
    ACCELSIM = 1u << CLI_FORMAT_ACCELSIM
};

enum {
    RUN = 1u << CLI_CMD_RUN,
    TRACE = 1u << CLI_CMD_TRACE,
    CONVERT = 1u << CLI_CMD_CONVERT,
    INSPECT = 1u << CLI_CMD_INSPECT,
    VALIDATE = 1u << CLI_CMD_VALIDATE,
    DIFF = 1u << CLI_CMD_DIFF,
    SWEEP = 1u << CLI_CMD_SWEEP,
    REPORT = 1u << CLI_CMD_REPORT,
    CONFIG = 1u << CLI_CMD_CONFIG,
    ALL = (1u << CLI_CMD_COUNT) - 1
};

const struct cli_option_info cli_options[CLI_OPTION_COUNT] = {
#define OPTION(id, short_name, long_name, argument, kind, commands, doc)                           \
    {short_name, long_name, argument, OPTION_##kind, commands, doc},
#include "app/options.def"
#undef OPTION
};

const struct cli_command_info cli_commands[CLI_CMD_COUNT] = {
#define COMMAND(id, name, args, least, most, formats, summary, text)                               \
    {name, args, least, most, (least) > 0 && (most) == 0, formats, summary, text},
#include "app/commands.def"
#undef COMMAND
};

const char *const *cli_words(enum option_kind kind)
{
    static const char *const formats[] = {"text", "json", "csv", "markdown", "accelsim", NULL};
    static const char *const when[] = {"auto", "always", "never", NULL};
#define WORD(type, word, doc) #word,
    static const char *const dependence[] = {DEPENDENCE_WORDS(WORD) NULL};
#undef WORD
    static const char *const by[] = {"pc", "line", NULL};
    static const char *const sort[] = {"pc", "cycles", "issued", "l1", "l2", "conflicts", NULL};
    static const char *const executors[] = {"local", "slurm", NULL};
    switch (kind) {
    case OPTION_FORMAT:
        return formats;
    case OPTION_WHEN:
        return when;
    case OPTION_BY:
        return by;
    case OPTION_SORT:
        return sort;
    case OPTION_EXECUTOR:
        return executors;
    default:
        return dependence;
    }
}

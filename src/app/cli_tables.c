#include "app/cli_tables.h"

#include <string.h>

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

/* Commands that a part of a doc begins with, as bits; `skip` gets the length of "trace: ". 0 when
 * it begins with something else. */
static uint32_t commands_of(const char *part, size_t len, size_t *skip)
{
    uint32_t found = 0;
    const char *colon = memchr(part, ':', len);
    for (const char *at = part; colon && at < colon;) {
        size_t n = strcspn(at, " ,:");
        uint32_t bit = 0;
        for (uint32_t i = 0; i < CLI_CMD_COUNT; i++)
            if (strlen(cli_commands[i].name) == n && strncmp(at, cli_commands[i].name, n) == 0)
                bit = 1u << i;
        if (!bit)
            return 0;
        found |= bit;
        at += strcspn(at, ",:"); /* "config import" */
        at += strspn(at, ", ");
    }
    *skip = found ? (size_t)(colon - part) + 2 : 0;
    return found;
}

/* ": text, json or csv" of the words of --format that the command takes. */
static void add_formats(struct buf *out, enum cli_command command)
{
    const char *const *words = cli_words(OPTION_FORMAT);
    uint32_t left = cli_commands[command].formats;
    const char *before = ": ";
    for (uint32_t i = 0; words[i]; i++) {
        if (!(left & (1u << i)))
            continue;
        left &= ~(1u << i);
        buf_printf(out, "%s%s", before, words[i]);
        before = left & (left - 1) ? ", " : " or ";
    }
}

void cli_option_doc(struct buf *out, enum cli_option option, enum cli_command command)
{
    struct buf general = {0}, own = {0};
    for (const char *part = cli_options[option].doc; *part;) {
        const char *end = strstr(part, "; ");
        size_t len = end ? (size_t)(end - part) : strlen(part), skip = 0;
        uint32_t commands = commands_of(part, len, &skip);
        struct buf *to = commands == 0 ? &general : commands & (1u << command) ? &own : NULL;
        if (to) {
            buf_puts(to, to->len > 0 ? "; " : "");
            buf_add(to, part + skip, len - skip);
        }
        part += len + (end ? 2 : 0);
    }
    const struct buf *chosen = own.len > 0 ? &own : &general;
    buf_puts(out, chosen->data ? chosen->data : "");
    if (cli_options[option].kind == OPTION_FORMAT)
        add_formats(out, command);
    out->failed = out->failed || general.failed || own.failed;
    buf_free(&general);
    buf_free(&own);
}

/* The tables behind the command line, expanded from options.def and commands.def. */
#ifndef SUBCORE_APP_CLI_TABLES_H
#define SUBCORE_APP_CLI_TABLES_H

#include "app/cli.h"

/* What an option's argument is. From OPTION_FORMAT on: one of the words of cli_words(). */
enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_LIST,   /* text, repeatable */
    OPTION_NUMBER, /* from 1 on */
    OPTION_RANGE,  /* A or A-B, from 1 on */
    OPTION_SPAN,   /* A or A-B, from 0 on */
    OPTION_FORMAT,
    OPTION_WHEN,
    OPTION_DEPENDENCE,
    OPTION_BY,
    OPTION_SORT,
    OPTION_EXECUTOR
};

struct cli_option_info {
    char letter; /* 0 = none */
    const char *name;
    const char *argument; /* NULL = none */
    enum option_kind kind;
    uint32_t commands; /* bit i = command i has it */
    const char *doc;
};

struct cli_command_info {
    const char *name, *arguments;
    uint32_t least, most; /* positional arguments */
    bool many;            /* any number from `least` on */
    uint32_t formats;     /* bit i = word i of --format is allowed */
    const char *summary, *text;
};

extern const struct cli_option_info cli_options[CLI_OPTION_COUNT];
extern const struct cli_command_info cli_commands[CLI_CMD_COUNT];

/* What an option does with one command. Its doc is cut at "; ": a part that begins with commands
 * ("trace: ...", "validate, diff: ...", "config import: ...") is theirs and stands alone for them;
 * the other parts are for all others. The words that --format takes are added. */
void cli_option_doc(struct buf *out, enum cli_option option, enum cli_command command);

/* Words of a kind, ended by NULL. */
const char *const *cli_words(enum option_kind kind);

#endif

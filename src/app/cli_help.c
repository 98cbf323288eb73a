#include "app/cli.h"

#include <stdio.h>
#include <string.h>

#include "app/cli_tables.h"

/* Columns: the option, then its meaning, broken at the page's width. */
#define OPTION_COLUMN 27
#define PAGE 100

/* Text from the option column on, broken at blanks. */
static void add_wrapped(struct buf *out, const char *text)
{
    size_t column = OPTION_COLUMN;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column > OPTION_COLUMN && column + 1 + n > PAGE) {
            buf_printf(out, "\n%*s", OPTION_COLUMN, "");
            column = OPTION_COLUMN;
        } else if (column > OPTION_COLUMN) {
            buf_puts(out, " ");
            column++;
        }
        buf_add(out, text, n);
        column += n;
        text += n + (text[n] == ' ');
    }
    buf_puts(out, "\n");
}

void cli_help(struct buf *out)
{
    buf_puts(out, "subcore: a cycle-level simulator of modern NVIDIA GPU cores\n\n"
                  "usage: subcore COMMAND [options] ARGUMENTS\n\n");
    for (uint32_t i = 0; i < CLI_CMD_COUNT; i++)
        buf_printf(out, "  %-10s %s\n", cli_commands[i].name, cli_commands[i].summary);
    buf_puts(out,
             "\n`subcore help COMMAND` lists the options of a command.\n"
             "Exit status: 0 success, 1 a stated limit was exceeded, 2 usage, 3 bad input,\n"
             "4 simulation error such as a deadlock, 5 out of memory or disk, 130 interrupted.\n");
}

void cli_help_command(struct buf *out, enum cli_command command)
{
    const struct cli_command_info *cmd = &cli_commands[command];
    buf_printf(out, "subcore %s: %s\n\nusage: subcore %s [options]%s%s\n\n", cmd->name,
               cmd->summary, cmd->name, cmd->arguments[0] ? " " : "", cmd->arguments);
    for (uint32_t i = 0; i < CLI_OPTION_COUNT; i++) {
        const struct cli_option_info *o = &cli_options[i];
        if (!(o->commands & (1u << command)))
            continue;
        char name[64];
        char letter[8] = "    ";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(name, sizeof name, "  %s--%s%s%s", letter, o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        buf_printf(out, "%-*s", OPTION_COLUMN, name);
        if (strlen(name) >= OPTION_COLUMN)
            buf_printf(out, "\n%*s", OPTION_COLUMN, "");
        struct buf doc = {0};
        cli_option_doc(&doc, (enum cli_option)i, command);
        add_wrapped(out, doc.data ? doc.data : "");
        out->failed = out->failed || doc.failed;
        buf_free(&doc);
    }
    if (cmd->text[0])
        buf_printf(out, "\n%s", cmd->text);
}

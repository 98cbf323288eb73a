/* Man pages and shell completions, made from the tables of commands and options as the help is. */
#ifndef SUBCORE_APP_CLI_PAGES_H
#define SUBCORE_APP_CLI_PAGES_H

#include "app/cli.h"

/* subcore(1): the commands, exit statuses, files. */
void cli_man(struct buf *out, const char *version);

/* subcore-COMMAND(1). */
void cli_man_command(struct buf *out, enum cli_command command, const char *version);

/* Completion of `subcore` for bash and for zsh. */
void cli_completion_bash(struct buf *out);
void cli_completion_zsh(struct buf *out);

#endif

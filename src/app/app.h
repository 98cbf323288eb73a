/* What the commands share: printing of errors and text, loading of the configuration.
 *
 * A command returns the exit status. Only this layer prints. */
#ifndef SUBCORE_APP_APP_H
#define SUBCORE_APP_APP_H

#include <stdio.h>

#include "app/cli.h"
#include "base/buf.h"
#include "base/diag.h"
#include "cfg/load.h"
#include "launch/source.h"

#define APP_DEFAULT_CARD "rtx_a6000"

int cmd_run(const struct cli *cli);
int cmd_trace(const struct cli *cli);
int cmd_convert(const struct cli *cli);
int cmd_inspect(const struct cli *cli);
int cmd_validate(const struct cli *cli);
int cmd_diff(const struct cli *cli);
int cmd_sweep(const struct cli *cli);
int cmd_config(const struct cli *cli);
int cmd_report(const struct cli *cli);
int cmd_config_import(const struct cli *cli);

/* Prints "subcore: file:line: message" and the detail, clears `err` and returns its exit status. */
int app_fail(struct sim_err *err);

/* Prints a message about the command line; returns its exit status. */
int app_fail_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints all errors of a list; returns the exit status of the first. */
int app_fail_list(const struct err_list *list);

/* Writes and empties the text. False and an error when the stream cannot be written or memory ran
 * out while the text was made. */
bool app_write(FILE *stream, struct buf *text, struct sim_err *err);

/* Prints text and frees it; returns the exit status. */
int app_print(struct buf *text);

/* Loads the configuration of -c and --set. Returns false after printing its errors, with the exit
 * status in *status. */
bool app_load_config(const struct cli *cli, struct loaded_config *config, int *status);

/* As app_load_config, of `card` (NULL: the one of -c). */
bool app_load_card(const struct cli *cli, const char *card, struct loaded_config *config,
                   int *status);

/* Opens an input with what the command line gives beside it; options of launches are errors with
 * other inputs. */
bool app_open_source(struct source **out, const char *path, const struct input_options *opt,
                     const struct cli *cli, struct sim_err *err);

/* Prints "subcore: warning: text"; fits struct diag. */
void app_print_warning(void *user, const char *text);

#endif

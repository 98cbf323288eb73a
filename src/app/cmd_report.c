/* `subcore report`: one HTML page of results. */
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/gnuplot.h"
#include "base/outfile.h"
#include "page/page.h"

#define DEFAULT_FILE "report.html"

static bool write_page(const struct cli *cli, struct buf *text, struct sim_err *err)
{
    struct outfile file = {0};
    const char *path = cli->given[CLI_OUTPUT] ? cli->text[CLI_OUTPUT] : DEFAULT_FILE;
    for (size_t i = 0; i < cli->arg_count; i++)
        if (strcmp(path, cli->args[i]) == 0)
            return err_set(err, ERR_USAGE, NULL, 0, 0, "--output names an input, '%s'", path);
    bool ok = outfile_open(&file, path, err) && outfile_write(&file, text->data, text->len, err) &&
              outfile_commit(&file, err);
    outfile_abort(&file);
    if (ok && !cli->given[CLI_QUIET] && strcmp(path, "-") != 0)
        fprintf(stderr, "subcore: wrote %s: %zu result%s, %zu KB\n", path, cli->arg_count,
                cli->arg_count == 1 ? "" : "s", (text->len + 999) / 1000);
    return ok;
}

int cmd_report(const struct cli *cli)
{
    int status = 0;
    struct sim_err err = {0};
    struct arena arena = {0};
    struct buf text = {0};
    struct page_input *inputs = calloc(cli->arg_count, sizeof *inputs);
    bool ok = inputs || err_memory(&err, "reading results");
    for (size_t i = 0; ok && i < cli->arg_count; i++)
        ok = page_read(&inputs[i], &arena, cli->args[i], &err);
    ok = ok && page_write(&text, inputs, cli->arg_count, SUBCORE_VERSION, gnuplot_draw, NULL, &err);
    if (!ok || !write_page(cli, &text, &err))
        status = app_fail(&err);
    buf_free(&text);
    arena_free(&arena);
    free(inputs);
    return status;
}

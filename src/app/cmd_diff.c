/* `diff`: two results of `run` side by side. */
#include <string.h>

#include "app/app.h"
#include "study/comparison.h"

int cmd_diff(const struct cli *cli)
{
    struct comparison c;
    struct sim_err err = {0};
    struct buf out = {0};
    if (!comparison_make(&c, cli->args[0], cli->args[1], &err)) {
        comparison_free(&c);
        return app_fail(&err);
    }
    if (cli->number[CLI_FORMAT] == CLI_FORMAT_JSON)
        comparison_json(&out, &c);
    else if (cli->number[CLI_FORMAT] == CLI_FORMAT_CSV)
        comparison_csv(&out, &c);
    else
        comparison_text(&out, &c, cli->given[CLI_VERBOSE]);
    comparison_free(&c);
    return app_print(&out);
}

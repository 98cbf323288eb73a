#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "base/distance.h"
#include "cfg/show.h"
#include "report/config_json.h"

static int config_names(const struct cli *cli)
{
    (void)cli;
    size_t n = 0;
    struct buf out = {0};
    char **names = config_list(&n);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&out, "%s\n", names[i]);
        free(names[i]);
    }
    free(names);
    return app_print(&out);
}

static int config_resolved(const struct cli *cli)
{
    int status = 0;
    struct loaded_config config;
    struct buf out = {0};
    if (!app_load_config(cli, &config, &status))
        return status;
    if (cli->number[CLI_FORMAT] == CLI_FORMAT_JSON) {
        struct json j;
        json_init(&j, &out);
        config_json(&j, NULL, &config);
    } else {
        config_show(&config, &out);
    }
    config_free(&config);
    return app_print(&out);
}

static int config_faults(const struct cli *cli)
{
    static const struct err_list no_errors;
    int status = 0;
    if (cli->arg_count < 2) {
        fputs("subcore: `subcore config check` needs at least one file\n", stderr);
        return err_exit_status(ERR_USAGE);
    }
    for (size_t i = 1; i < cli->arg_count; i++) {
        struct loaded_config config;
        struct err_list errors = no_errors;
        if (config_load(&config, cli->args[i], cli->sets, cli->set_count, &errors)) {
            printf("%s: no errors\n", cli->args[i]);
            config_free(&config);
        } else {
            fflush(stdout);
            status = app_fail_list(&errors);
        }
    }
    return status;
}

static int config_keys(const struct cli *cli)
{
    struct buf out = {0};
    if (cli->number[CLI_FORMAT] == CLI_FORMAT_MARKDOWN)
        config_keys_markdown(&out);
    else
        config_keys_text(&out);
    return app_print(&out);
}

static const struct {
    const char *name;
    size_t most;      /* arguments with the name; 0 = any number */
    uint32_t formats; /* bit i = word i of --format is allowed */
    int (*run)(const struct cli *cli);
} subcommands[] = {
    {"list", 1, 1u << CLI_FORMAT_TEXT, config_names},
    {"show", 1, 1u << CLI_FORMAT_TEXT | 1u << CLI_FORMAT_JSON, config_resolved},
    {"check", 0, 1u << CLI_FORMAT_TEXT, config_faults},
    {"keys", 2, 1u << CLI_FORMAT_TEXT | 1u << CLI_FORMAT_MARKDOWN, config_keys},
};

int cmd_config(const struct cli *cli)
{
    struct closest near = {.word = cli->args[0]};
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        closest_offer(&near, subcommands[i].name);
        if (strcmp(subcommands[i].name, cli->args[0]) != 0)
            continue;
        if (!(subcommands[i].formats & (1u << cli->number[CLI_FORMAT]))) {
            fprintf(stderr, "subcore: `subcore config %s` has no format %s\n", subcommands[i].name,
                    cli->text[CLI_FORMAT]);
            return err_exit_status(ERR_USAGE);
        }
        if (subcommands[i].most == 0 || cli->arg_count <= subcommands[i].most)
            return subcommands[i].run(cli);
        fprintf(stderr, "subcore: `subcore config %s`: unexpected argument '%s'\n",
                subcommands[i].name, cli->args[subcommands[i].most]);
        return err_exit_status(ERR_USAGE);
    }
    fprintf(stderr, "subcore: `subcore config`: expected list, show, check or keys, found '%s'",
            cli->args[0]);
    if (near.found)
        fprintf(stderr, " (did you mean '%s'?)", near.found);
    fputs("\n", stderr);
    return err_exit_status(ERR_USAGE);
}

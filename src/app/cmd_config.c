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
    const char *card = cli->arg_count > 1 ? cli->args[1] : NULL;
    if (card && cli->given[CLI_CONFIG])
        return app_fail_usage("`subcore config show`: found both '%s' and -c %s", card,
                              cli->text[CLI_CONFIG]);
    if (!app_load_card(cli, card, &config, &status))
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
    struct sim_err err = {0};
    int status = 0;
    if (cli->arg_count < 2)
        return app_fail_usage("`subcore config check` needs at least one file");
    for (size_t i = 1; i < cli->arg_count; i++) {
        struct loaded_config config;
        struct err_list errors = no_errors;
        struct buf out = {0};
        if (config_load(&config, cli->args[i], cli->sets, cli->set_count, &errors)) {
            buf_printf(&out, "%s: no errors\n", cli->args[i]);
            config_free(&config);
        } else {
            status = app_fail_list(&errors);
        }
        bool ok = app_write(stdout, &out, &err);
        buf_free(&out);
        if (!ok)
            return app_fail(&err);
    }
    return status;
}

/* Keeps the keys whose path starts with `prefix`. A key is a line at the margin and the indented
 * ones behind it. Returns the number of keys kept. */
static size_t keep_prefix(struct buf *out, const char *text, const char *prefix)
{
    size_t kept = 0, len = strlen(prefix);
    bool keep = false;
    while (*text) {
        size_t n = strcspn(text, "\n");
        n += text[n] == '\n';
        if (*text != ' ') {
            keep = strncmp(text, prefix, len) == 0;
            kept += keep;
        }
        if (keep)
            buf_add(out, text, n);
        text += n;
    }
    return kept;
}

static int config_keys(const struct cli *cli)
{
    bool markdown = cli->number[CLI_FORMAT] == CLI_FORMAT_MARKDOWN;
    struct buf all = {0}, some = {0};
    if (markdown && cli->arg_count > 1)
        return app_fail_usage("`subcore config keys`: a prefix goes with --format text only");
    if (markdown)
        config_keys_markdown(&all);
    else
        config_keys_text(&all);
    if (cli->arg_count < 2 || all.failed)
        return app_print(&all);
    size_t kept = keep_prefix(&some, all.data, cli->args[1]);
    buf_free(&all);
    if (kept > 0)
        return app_print(&some);
    return app_fail_usage("`subcore config keys`: no key starts with '%s'", cli->args[1]);
}

static const struct {
    const char *name;
    size_t most;      /* arguments with the name; 0 = any number */
    uint32_t formats; /* bit i = word i of --format is allowed */
    int (*run)(const struct cli *cli);
} subcommands[] = {
    {"list", 1, 1u << CLI_FORMAT_TEXT, config_names},
    {"show", 2, 1u << CLI_FORMAT_TEXT | 1u << CLI_FORMAT_JSON, config_resolved},
    {"check", 0, 1u << CLI_FORMAT_TEXT, config_faults},
    {"import", 0, 1u << CLI_FORMAT_TEXT, cmd_config_import},
    {"keys", 2, 1u << CLI_FORMAT_TEXT | 1u << CLI_FORMAT_MARKDOWN, config_keys},
};

int cmd_config(const struct cli *cli)
{
    const char *name = cli->args[0];
    struct closest near = {.word = name};
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        closest_offer(&near, subcommands[i].name);
        if (strcmp(subcommands[i].name, name) != 0)
            continue;
        if (!(subcommands[i].formats & (1u << cli->number[CLI_FORMAT])))
            return app_fail_usage("`subcore config %s` has no format %s", name,
                                  cli->text[CLI_FORMAT]);
        if (cli->given[CLI_OUTPUT] && subcommands[i].run != cmd_config_import)
            return app_fail_usage("`subcore config %s` has no option --output", name);
        if (subcommands[i].most > 0 && cli->arg_count > subcommands[i].most)
            return app_fail_usage("`subcore config %s`: unexpected argument '%s'", name,
                                  cli->args[subcommands[i].most]);
        return subcommands[i].run(cli);
    }
    if (near.found)
        return app_fail_usage("`subcore config`: unknown word '%s' (did you mean '%s'?)", name,
                              near.found);
    return app_fail_usage(
        "`subcore config`: expected list, show, check, keys or import, found '%s'", name);
}

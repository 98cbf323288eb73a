#include "app/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli_tables.h"
#include "base/distance.h"

const char *cli_option_name(enum cli_option option)
{
    return cli_options[option].name;
}

static bool usage(struct sim_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool usage(struct sim_err *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    err_setv(err, ERR_USAGE, NULL, 0, 0, fmt, ap);
    va_end(ap);
    return false;
}

bool cli_find_command(enum cli_command *out, const char *name, struct sim_err *err)
{
    struct closest near = {.word = name};
    for (uint32_t i = 0; i < CLI_CMD_COUNT; i++) {
        if (strcmp(name, cli_commands[i].name) == 0) {
            *out = (enum cli_command)i;
            return true;
        }
        closest_offer(&near, cli_commands[i].name);
    }
    if (near.found)
        return usage(err, "unknown command '%s' (did you mean '%s'?)", name, near.found);
    return usage(err, "unknown command '%s'; `subcore help` lists the commands", name);
}

/* Decimal number that fills all of [text, end). */
static bool parse_u64(const char *text, const char *end, uint64_t *out)
{
    uint64_t v = 0;
    if (text == end)
        return false;
    for (; text < end; text++) {
        if (*text < '0' || *text > '9')
            return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *out = v;
    return true;
}

static bool take_number(struct cli *c, uint32_t id, const char *arg, struct sim_err *err)
{
    if (!parse_u64(arg, arg + strlen(arg), &c->number[id]) || c->number[id] == 0)
        return usage(err, "--%s: expected a number from 1 on, found '%s'", cli_options[id].name,
                     arg);
    return true;
}

static bool take_range(struct cli *c, uint32_t id, const char *arg, uint64_t least,
                       struct sim_err *err)
{
    const char *end = arg + strlen(arg), *dash = strchr(arg, '-');
    bool ok = parse_u64(arg, dash ? dash : end, &c->number[id]);
    c->number_last[id] = c->number[id];
    if (ok && dash)
        ok = parse_u64(dash + 1, end, &c->number_last[id]);
    if (!ok || c->number[id] < least || c->number_last[id] < c->number[id])
        return usage(err, "--%s: expected A or A-B with %u <= A <= B, found '%s'",
                     cli_options[id].name, (unsigned)least, arg);
    return true;
}

static bool take_word(struct cli *c, uint32_t id, const char *arg, struct sim_err *err)
{
    const char *const *words = cli_words(cli_options[id].kind);
    struct closest near = {.word = arg};
    char list[256] = "";
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(arg, words[i]) == 0) {
            c->number[id] = i;
            return true;
        }
        closest_offer(&near, words[i]);
        if (i > 0)
            strcat(list, words[i + 1] ? ", " : " or ");
        strcat(list, words[i]);
    }
    if (near.found)
        return usage(err, "--%s: expected %s, found '%s' (did you mean '%s'?)",
                     cli_options[id].name, list, arg, near.found);
    return usage(err, "--%s: expected %s, found '%s'", cli_options[id].name, list, arg);
}

static bool take(struct cli *c, uint32_t id, const char *arg, struct sim_err *err)
{
    c->given[id] = true;
    c->text[id] = arg;
    switch (cli_options[id].kind) {
    case OPTION_FLAG:
        return true;
    case OPTION_TEXT:
        if (arg[0] == '\0')
            return usage(err, "--%s: the argument is empty", cli_options[id].name);
        return true;
    case OPTION_LIST:
        c->sets[c->set_count++] = arg;
        return true;
    case OPTION_NUMBER:
        return take_number(c, id, arg, err);
    case OPTION_RANGE:
        return take_range(c, id, arg, 1, err);
    case OPTION_SPAN:
        return take_range(c, id, arg, 0, err);
    default:
        return take_word(c, id, arg, err);
    }
}

static bool unknown_option(const char *written, const char *name, struct sim_err *err)
{
    struct closest near = {.word = name};
    for (uint32_t i = 0; i < CLI_OPTION_COUNT; i++)
        closest_offer(&near, cli_options[i].name);
    if (near.found)
        return usage(err, "unknown option '%s' (did you mean '--%s'?)", written, near.found);
    return usage(err, "unknown option '%s'", written);
}

/* State of the walk over argv. */
struct walk {
    int argc, at;
    const char *const *argv;
};

static bool next_argument(struct walk *w, uint32_t id, const char **arg, struct sim_err *err)
{
    if (w->at >= w->argc)
        return usage(err, "--%s needs an argument (%s)", cli_options[id].name,
                     cli_options[id].argument);
    *arg = w->argv[w->at++];
    return true;
}

static bool parse_long(struct cli *c, struct walk *w, const char *word, struct sim_err *err)
{
    char name[64];
    const char *value = strchr(word, '=');
    size_t len = value ? (size_t)(value - word) : strlen(word);
    if (len >= sizeof name)
        return usage(err, "unknown option '%s'", word);
    memcpy(name, word + 2, len - 2);
    name[len - 2] = '\0';
    uint32_t id = 0;
    while (id < CLI_OPTION_COUNT && strcmp(name, cli_options[id].name) != 0)
        id++;
    if (id == CLI_OPTION_COUNT)
        return unknown_option(word, name, err);
    if (!cli_options[id].argument && value)
        return usage(err, "--%s takes no argument", name);
    const char *arg = value ? value + 1 : NULL;
    if (cli_options[id].argument && !arg)
        TRY(next_argument(w, id, &arg, err));
    return take(c, id, arg, err);
}

/* One or more letters; the first that takes an argument takes the rest of the word. */
static bool parse_short(struct cli *c, struct walk *w, const char *word, struct sim_err *err)
{
    for (const char *s = word + 1; *s; s++) {
        uint32_t id = 0;
        while (id < CLI_OPTION_COUNT && cli_options[id].letter != *s)
            id++;
        if (id == CLI_OPTION_COUNT)
            return usage(err, "unknown option '-%c'", *s);
        if (!cli_options[id].argument) {
            TRY(take(c, id, NULL, err));
            continue;
        }
        const char *arg = s + 1;
        if (*arg == '\0')
            TRY(next_argument(w, id, &arg, err));
        return take(c, id, arg, err);
    }
    return true;
}

/* The words of argv: options are taken, the others kept as arguments. */
static bool walk_words(struct cli *c, struct walk *w, struct sim_err *err)
{
    bool options = true;
    while (w->at < w->argc) {
        const char *word = w->argv[w->at++];
        if (!options || word[0] != '-' || word[1] == '\0')
            c->args[c->arg_count++] = word;
        else if (strcmp(word, "--") == 0)
            options = false;
        else if (word[1] == '-')
            TRY(parse_long(c, w, word, err));
        else
            TRY(parse_short(c, w, word, err));
    }
    return true;
}

/* The first argument is the command; --help and --version need none. */
static bool find_command(struct cli *c, struct sim_err *err)
{
    if (c->arg_count > 0) {
        TRY(cli_find_command(&c->command, c->args[0], err));
        memmove(c->args, c->args + 1, (c->arg_count - 1) * sizeof(*c->args));
        c->arg_count--;
        return true;
    }
    if (c->given[CLI_VERSION])
        c->command = CLI_CMD_VERSION;
    else if (c->given[CLI_HELP])
        c->command = CLI_CMD_HELP;
    else
        return usage(err, "no command given; `subcore help` lists the commands");
    return true;
}

static bool check_use(const struct cli *c, struct sim_err *err)
{
    const struct cli_command_info *cmd = &cli_commands[c->command];
    for (uint32_t i = 0; i < CLI_OPTION_COUNT; i++)
        if (c->given[i] && !(cli_options[i].commands & (1u << c->command)))
            return usage(err, "`subcore %s` has no option --%s", cmd->name, cli_options[i].name);
    if (c->given[CLI_HELP] || c->given[CLI_VERSION])
        return true;
    if (c->given[CLI_FORMAT] && !(cmd->formats & (1u << c->number[CLI_FORMAT])))
        return usage(err, "`subcore %s` has no format %s", cmd->name, c->text[CLI_FORMAT]);
    if (c->arg_count < cmd->least)
        return usage(err, "`subcore %s` needs %s", cmd->name, cmd->arguments);
    if (!cmd->many && c->arg_count > cmd->most)
        return usage(err, "`subcore %s`: unexpected argument '%s'", cmd->name, c->args[cmd->most]);
    return true;
}

bool cli_parse(struct cli *out, int argc, const char *const *argv, struct sim_err *err)
{
    memset(out, 0, sizeof *out);
    size_t n = argc > 0 ? (size_t)argc : 1;
    out->sets = calloc(n, sizeof(*out->sets));
    out->args = calloc(n, sizeof(*out->args));
    if (!out->sets || !out->args)
        return err_memory(err, "reading the command line");
    struct walk w = {.argc = argc, .at = 1, .argv = argv};
    TRY(walk_words(out, &w, err));
    TRY(find_command(out, err));
    return check_use(out, err);
}

void cli_free(struct cli *c)
{
    free(c->sets);
    free(c->args);
    memset(c, 0, sizeof *c);
}

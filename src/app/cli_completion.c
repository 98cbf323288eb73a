#include <string.h>

#include "app/cli_pages.h"
#include "app/cli_tables.h"

static bool has(enum cli_command command, uint32_t option)
{
    return cli_options[option].commands & (1u << command);
}

static bool has_words(enum option_kind kind)
{
    return kind >= OPTION_FORMAT;
}

/* The words that an option of this kind takes. */
static void add_words(struct buf *out, enum option_kind kind, uint32_t formats)
{
    const char *const *words = cli_words(kind);
    const char *blank = "";
    for (size_t i = 0; words[i]; i++) {
        if (kind == OPTION_FORMAT && !(formats & (1u << i)))
            continue;
        buf_printf(out, "%s%s", blank, words[i]);
        blank = " ";
    }
}

static void add_names(struct buf *out, enum cli_command command)
{
    const char *blank = "";
    for (uint32_t i = 0; i < CLI_OPTION_COUNT; i++) {
        if (!has(command, i))
            continue;
        if (cli_options[i].letter)
            buf_printf(out, "%s-%c", blank, cli_options[i].letter);
        buf_printf(out, "%s--%s", cli_options[i].letter ? " " : blank, cli_options[i].name);
        blank = " ";
    }
}

/* First words of the alternatives in a command's arguments: "list | show [CARD]" gives "list show".
 * False when there are none. */
static bool add_alternatives(struct buf *out, enum cli_command command)
{
    const char *at = cli_commands[command].arguments;
    if (!strchr(at, '|'))
        return false;
    for (const char *blank = ""; at; blank = " ") {
        at += strspn(at, "| ");
        buf_puts(out, blank);
        buf_add(out, at, strcspn(at, " |"));
        at = strchr(at, '|');
    }
    return true;
}

static void add_commands(struct buf *out)
{
    for (uint32_t i = 0; i < CLI_CMD_COUNT; i++)
        buf_printf(out, "%s%s", i > 0 ? " " : "", cli_commands[i].name);
}

/* An option as a pattern of bash: "--format" or "-c|--config". */
static void add_pattern(struct buf *out, uint32_t option)
{
    if (cli_options[option].letter)
        buf_printf(out, "-%c|", cli_options[option].letter);
    buf_printf(out, "--%s", cli_options[option].name);
}

static void bash_command(struct buf *out, enum cli_command command)
{
    buf_printf(out, "    %s)\n        options='", cli_commands[command].name);
    add_names(out, command);
    buf_puts(out, "'\n        case $before in\n");
    for (uint32_t i = 0; i < CLI_OPTION_COUNT; i++) {
        if (!has(command, i) || !cli_options[i].argument)
            continue;
        buf_puts(out, "        ");
        add_pattern(out, i);
        buf_puts(out, ") ");
        if (i == CLI_CONFIG) {
            buf_puts(out, "words=$(subcore config list 2>/dev/null); files=1");
        } else if (has_words(cli_options[i].kind)) {
            buf_puts(out, "words='");
            add_words(out, cli_options[i].kind, cli_commands[command].formats);
            buf_puts(out, "'");
        } else if (cli_options[i].kind == OPTION_TEXT) {
            buf_puts(out, "files=1");
        } else {
            buf_puts(out, "return");
        }
        buf_puts(out, " ;;\n");
    }
    buf_puts(out, "        esac");
    struct buf words = {0};
    if (add_alternatives(&words, command))
        buf_printf(out, "\n        [ \"$COMP_CWORD\" -eq 2 ] && words='%s'",
                   words.data ? words.data : "");
    out->failed = out->failed || words.failed;
    buf_free(&words);
    buf_puts(out, " ;;\n");
}

void cli_completion_bash(struct buf *out)
{
    buf_puts(out, "# bash completion of subcore. Made from the tables of src/app; do not edit.\n"
                  "_subcore() {\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                  "    local options= words= files=\n"
                  "    COMPREPLY=()\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                  "        COMPREPLY=($(compgen -W '");
    add_commands(out);
    buf_puts(out, "' -- \"$word\"))\n"
                  "        return\n"
                  "    fi\n"
                  "    case ${COMP_WORDS[1]} in\n");
    for (uint32_t i = 0; i < CLI_CMD_COUNT; i++)
        bash_command(out, (enum cli_command)i);
    buf_puts(out, "    esac\n"
                  "    [ \"${COMP_WORDS[1]}\" = help ] && words='");
    add_commands(out);
    buf_puts(out, "'\n"
                  "    if [ -z \"$words$files\" ]; then\n"
                  "        words=$options\n"
                  "        files=1\n"
                  "    fi\n"
                  "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                  "    if [ -n \"$files\" ] && [ \"${word#-}\" = \"$word\" ]; then\n"
                  "        COMPREPLY+=($(compgen -f -- \"$word\"))\n"
                  "    fi\n"
                  "}\n"
                  "complete -o filenames -F _subcore subcore\n");
}

/* Text within a description of _arguments, itself in single quotes. */
static void zsh_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            buf_puts(out, "'\\''");
        else if (strchr("[]:\\", *text))
            buf_printf(out, "\\%c", *text);
        else
            buf_add(out, text, 1);
    }
}

static void zsh_option(struct buf *out, enum cli_command command, uint32_t option, const char *name)
{
    const struct cli_option_info *o = &cli_options[option];
    struct buf doc = {0};
    buf_printf(out, "            '%s%s[", o->kind == OPTION_LIST ? "*" : "", name);
    cli_option_doc(&doc, (enum cli_option)option, command);
    zsh_text(out, doc.data ? doc.data : "");
    buf_puts(out, "]");
    out->failed = out->failed || doc.failed;
    buf_free(&doc);
    if (o->argument) {
        buf_puts(out, ":");
        zsh_text(out, o->argument);
        buf_puts(out, ":");
    }
    if (option == CLI_CONFIG) {
        buf_puts(out, "_subcore_cards");
    } else if (has_words(o->kind)) {
        buf_puts(out, "(");
        add_words(out, o->kind, cli_commands[command].formats);
        buf_puts(out, ")");
    } else if (o->kind == OPTION_TEXT) {
        buf_puts(out, "_files");
    }
    buf_puts(out, "' \\\n");
}

static void zsh_command(struct buf *out, enum cli_command command)
{
    buf_printf(out, "        %s)\n            _arguments \\\n", cli_commands[command].name);
    for (uint32_t i = 0; i < CLI_OPTION_COUNT; i++) {
        char name[64] = "--", letter[3] = "-";
        if (!has(command, i))
            continue;
        strncat(name, cli_options[i].name, sizeof name - 3);
        letter[1] = cli_options[i].letter;
        if (cli_options[i].letter)
            zsh_option(out, command, i, letter);
        zsh_option(out, command, i, name);
    }
    struct buf words = {0};
    if (add_alternatives(&words, command))
        buf_printf(out, "            '1:what:(%s)' \\\n", words.data ? words.data : "");
    out->failed = out->failed || words.failed;
    buf_free(&words);
    buf_puts(out, "            '*:argument:_files' ;;\n");
}

void cli_completion_zsh(struct buf *out)
{
    buf_puts(out, "#compdef subcore\n"
                  "# zsh completion of subcore. Made from the tables of src/app; do not edit.\n\n"
                  "_subcore_cards() {\n"
                  "    compadd -- ${(f)\"$(subcore config list 2>/dev/null)\"}\n"
                  "    _files\n"
                  "}\n\n"
                  "_subcore() {\n"
                  "    local curcontext=$curcontext state line\n"
                  "    _arguments -C '1: :->command' '*:: :->arguments'\n"
                  "    case $state in\n"
                  "    command)\n"
                  "        local -a commands=(\n");
    for (uint32_t i = 0; i < CLI_CMD_COUNT; i++) {
        buf_printf(out, "            '%s:", cli_commands[i].name);
        zsh_text(out, cli_commands[i].summary);
        buf_puts(out, "'\n");
    }
    buf_puts(out, "        )\n"
                  "        _describe command commands ;;\n"
                  "    arguments)\n"
                  "        case $words[1] in\n");
    for (uint32_t i = 0; i < CLI_CMD_COUNT; i++)
        zsh_command(out, (enum cli_command)i);
    buf_puts(out, "        esac ;;\n"
                  "    esac\n"
                  "}\n\n"
                  "_subcore \"$@\"\n");
}

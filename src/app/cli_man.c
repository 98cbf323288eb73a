#include <ctype.h>
#include <string.h>

#include "app/cli_pages.h"
#include "app/cli_tables.h"

/* Text as roff takes it literally: hyphens stay hyphens, no line starts a request. */
static void add_text(struct buf *out, const char *text)
{
    bool at_start = true;
    for (; *text; text++) {
        if (at_start && (*text == '.' || *text == '\''))
            buf_puts(out, "\\&");
        if (*text == '\\')
            buf_puts(out, "\\e");
        else if (*text == '-')
            buf_puts(out, "\\-");
        else
            buf_add(out, text, 1);
        at_start = *text == '\n';
    }
}

static void add_bold(struct buf *out, const char *text)
{
    buf_puts(out, "\\fB");
    add_text(out, text);
    buf_puts(out, "\\fR");
}

/* The title line; `name` is "subcore" or "subcore-run". */
static void begin(struct buf *out, const char *name, const char *version, const char *summary)
{
    buf_puts(out, ".\\\" Made from the tables of src/app; do not edit.\n.TH ");
    for (const char *s = name; *s; s++) {
        char upper = (char)toupper((unsigned char)*s);
        buf_puts(out, *s == '-' ? "\\" : "");
        buf_add(out, &upper, 1);
    }
    buf_printf(out, " 1 \"\" \"subcore %s\" \"User Commands\"\n.SH NAME\n", version);
    add_text(out, name);
    buf_puts(out, " \\- ");
    add_text(out, summary);
    buf_puts(out, "\n");
}

static void add_statuses(struct buf *out)
{
#define X(name, status, doc) {status, doc},
    static const struct {
        int status;
        const char *doc;
    } rows[] = {ERR_CODES(X)};
#undef X
    buf_puts(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool again = i > 0 && rows[i].status == rows[i - 1].status;
        if (again)
            buf_puts(out, "; ");
        else
            buf_printf(out, "%s.TP\n\\fB%d\\fR\n", i > 0 ? "\n" : "", rows[i].status);
        add_text(out, i > 0 ? rows[i].doc : "success");
    }
    buf_puts(out, "\n");
}

void cli_man(struct buf *out, const char *version)
{
    begin(out, "subcore", version, "cycle-level simulator of modern NVIDIA GPU cores");
    buf_puts(out,
             ".SH SYNOPSIS\n.B subcore\n.I COMMAND\n[options] [arguments]\n"
             ".SH DESCRIPTION\n"
             "Simulates what the cores of a GPU do with SASS, cycle by cycle: from an\n"
             "Accel\\-Sim trace, a SASS listing, or SASS with a launch file, whose kernels are\n"
             "then executed. Neither a GPU nor CUDA is needed.\n.SH COMMANDS\n");
    for (uint32_t i = 0; i < CLI_CMD_COUNT; i++) {
        buf_puts(out, ".TP\n");
        add_bold(out, cli_commands[i].name);
        buf_puts(out, "\n");
        add_text(out, cli_commands[i].summary);
        buf_puts(out, "\n");
    }
    add_statuses(out);
    buf_puts(out, ".SH ENVIRONMENT\n.TP\n.B SUBCORE_CONFIGS\n"
                  "A folder whose cards are found before all others.\n"
                  ".SH SEE ALSO\n");
    const char *comma = "";
    for (uint32_t i = 0; i < CLI_CMD_COUNT; i++) {
        if (cli_commands[i].formats == 0)
            continue;
        buf_printf(out, "%s.BR subcore\\-%s (1)", comma, cli_commands[i].name);
        comma = ",\n";
    }
    buf_puts(out, "\n");
}

static void add_option(struct buf *out, enum cli_option option, enum cli_command command)
{
    const struct cli_option_info *o = &cli_options[option];
    struct buf doc = {0};
    buf_puts(out, ".TP\n");
    if (o->letter)
        buf_printf(out, "\\fB\\-%c\\fR, ", o->letter);
    buf_puts(out, "\\fB\\-\\-");
    add_text(out, o->name);
    buf_puts(out, "\\fR");
    if (o->argument) {
        buf_puts(out, " \\fI");
        add_text(out, o->argument);
        buf_puts(out, "\\fR");
    }
    buf_puts(out, "\n");
    cli_option_doc(&doc, option, command);
    add_text(out, doc.data ? doc.data : "");
    buf_puts(out, "\n");
    out->failed = out->failed || doc.failed;
    buf_free(&doc);
}

void cli_man_command(struct buf *out, enum cli_command command, const char *version)
{
    const struct cli_command_info *cmd = &cli_commands[command];
    char name[64] = "subcore-";
    strncat(name, cmd->name, sizeof name - strlen(name) - 1);
    begin(out, name, version, cmd->summary);
    buf_printf(out, ".SH SYNOPSIS\n.B subcore %s\n[options]\n", cmd->name);
    if (cmd->arguments[0]) {
        buf_puts(out, ".I \"");
        add_text(out, cmd->arguments);
        buf_puts(out, "\"\n");
    }
    if (cmd->text[0]) {
        bool table = cmd->text[0] == ' ';
        buf_printf(out, ".SH DESCRIPTION\n%s", table ? ".nf\n" : "");
        add_text(out, cmd->text);
        buf_puts(out, table ? ".fi\n" : "");
    }
    buf_puts(out, ".SH OPTIONS\n");
    for (uint32_t i = 0; i < CLI_OPTION_COUNT; i++)
        if (cli_options[i].commands & (1u << command))
            add_option(out, (enum cli_option)i, command);
    buf_puts(out, ".SH SEE ALSO\n.BR subcore (1)\n");
}

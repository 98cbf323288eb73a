/* Parsing of the command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "app/cli.h"
#include "app/cli_tables.h"

/* Words of a command line, after the program's name. */
#define PARSE(cli, err, ...)                                                                       \
    parse_words(cli, err, (const char *const[]){"subcore", __VA_ARGS__, NULL})

static bool parse_words(struct cli *cli, struct sim_err *err, const char *const *argv)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    memset(err, 0, sizeof *err);
    return cli_parse(cli, argc, argv, err);
}

static void options_stand_before_between_and_after_arguments(void **state)
{
    (void)state;
    struct cli c;
    struct sim_err err;
    assert_true(PARSE(&c, &err, "-q", "run", "a", "--sms", "4", "b", "-c", "rtx_3080"));
    assert_int_equal(c.command, CLI_CMD_RUN);
    assert_int_equal(c.arg_count, 2);
    assert_string_equal(c.args[0], "a");
    assert_string_equal(c.args[1], "b");
    assert_true(c.given[CLI_QUIET]);
    assert_int_equal(c.number[CLI_SMS], 4);
    assert_string_equal(c.text[CLI_CONFIG], "rtx_3080");
    cli_free(&c);
}

static void arguments_of_options_are_written_in_four_ways(void **state)
{
    (void)state;
    struct cli c;
    struct sim_err err;
    assert_true(PARSE(&c, &err, "run", "x", "--threads=3"));
    assert_int_equal(c.number[CLI_THREADS], 3);
    cli_free(&c);
    assert_true(PARSE(&c, &err, "run", "x", "--threads", "4"));
    assert_int_equal(c.number[CLI_THREADS], 4);
    cli_free(&c);
    assert_true(PARSE(&c, &err, "run", "x", "-j5", "-qo", "-"));
    assert_int_equal(c.number[CLI_THREADS], 5);
    assert_true(c.given[CLI_QUIET]);
    assert_string_equal(c.text[CLI_OUTPUT], "-");
    cli_free(&c);
}

static void double_dash_ends_options_and_a_dash_is_an_argument(void **state)
{
    (void)state;
    struct cli c;
    struct sim_err err;
    assert_true(PARSE(&c, &err, "run", "-", "--", "-q", "--sms"));
    assert_int_equal(c.arg_count, 3);
    assert_string_equal(c.args[0], "-");
    assert_string_equal(c.args[1], "-q");
    assert_false(c.given[CLI_QUIET]);
    cli_free(&c);
}

static void sets_are_kept_in_order_and_other_options_take_the_last(void **state)
{
    (void)state;
    struct cli c;
    struct sim_err err;
    assert_true(PARSE(&c, &err, "run", "x", "--set", "a=1", "--set=b=2", "--sms=1", "--sms=2"));
    assert_int_equal(c.set_count, 2);
    assert_string_equal(c.sets[0], "a=1");
    assert_string_equal(c.sets[1], "b=2");
    assert_int_equal(c.number[CLI_SMS], 2);
    cli_free(&c);
}

static void ranges_and_words_are_read(void **state)
{
    (void)state;
    struct cli c;
    struct sim_err err;
    assert_true(PARSE(&c, &err, "run", "x", "--kernel", "3-7", "--format", "csv", "--dependence",
                      "hybrid", "--progress", "never"));
    assert_int_equal(c.number[CLI_KERNEL], 3);
    assert_int_equal(c.number_last[CLI_KERNEL], 7);
    assert_int_equal(c.number[CLI_FORMAT], CLI_FORMAT_CSV);
    assert_int_equal(c.number[CLI_DEPENDENCE], 2);
    assert_int_equal(c.number[CLI_PROGRESS], CLI_WHEN_NEVER);
    cli_free(&c);
    assert_true(PARSE(&c, &err, "run", "x", "--kernel", "5"));
    assert_int_equal(c.number_last[CLI_KERNEL], 5);
    cli_free(&c);
}

static void help_and_version_need_no_arguments(void **state)
{
    (void)state;
    struct cli c;
    struct sim_err err;
    assert_true(PARSE(&c, &err, "run", "--help"));
    assert_true(c.given[CLI_HELP]);
    cli_free(&c);
    assert_true(PARSE(&c, &err, "--version"));
    assert_int_equal(c.command, CLI_CMD_VERSION);
    cli_free(&c);
    assert_true(PARSE(&c, &err, "-h"));
    assert_int_equal(c.command, CLI_CMD_HELP);
    cli_free(&c);
}

struct wrong {
    const char *argv[6];
    const char *message;
};

static const struct wrong wrongs[] = {
    {{"subcore"}, "no command given; `subcore help` lists the commands"},
    {{"subcore", "rnu"}, "unknown command 'rnu' (did you mean 'run'?)"},
    {{"subcore", "frobnicate"}, "unknown command 'frobnicate'; `subcore help` lists the commands"},
    {{"subcore", "run"}, "`subcore run` needs INPUT..."},
    {{"subcore", "inspect", "a", "b"}, "`subcore inspect`: unexpected argument 'b'"},
    {{"subcore", "run", "a", "--outptu", "b"},
     "unknown option '--outptu' (did you mean '--output'?)"},
    {{"subcore", "run", "a", "--zzzzzz"}, "unknown option '--zzzzzz'"},
    {{"subcore", "run", "a", "-y"}, "unknown option '-y'"},
    {{"subcore", "run", "a", "--sms"}, "--sms needs an argument (N)"},
    {{"subcore", "run", "a", "-o"}, "--output needs an argument (F)"},
    {{"subcore", "run", "a", "-o", ""}, "--output: the argument is empty"},
    {{"subcore", "run", "a", "--strict=1"}, "--strict takes no argument"},
    {{"subcore", "run", "a", "--sms=0"}, "--sms: expected a number from 1 on, found '0'"},
    {{"subcore", "run", "a", "--sms=-1"}, "--sms: expected a number from 1 on, found '-1'"},
    {{"subcore", "run", "a", "--sms=4x"}, "--sms: expected a number from 1 on, found '4x'"},
    {{"subcore", "run", "a", "--sms=18446744073709551616"},
     "--sms: expected a number from 1 on, found '18446744073709551616'"},
    {{"subcore", "run", "a", "--kernel=7-3"},
     "--kernel: expected A or A-B with 1 <= A <= B, found '7-3'"},
    {{"subcore", "run", "a", "--kernel=-3"},
     "--kernel: expected A or A-B with 1 <= A <= B, found '-3'"},
    {{"subcore", "run", "a", "--format=jsn"},
     "--format: expected text, json, csv, markdown or accelsim, found 'jsn' (did you mean "
     "'json'?)"},
    {{"subcore", "run", "a", "--by=warp"}, "--by: expected pc or line, found 'warp'"},
    {{"subcore", "run", "a", "--sort=l3"},
     "--sort: expected pc, cycles, issued, l1, l2 or conflicts, found 'l3' (did you mean 'l1'?)"},
    {{"subcore", "run", "a", "--format=markdown"}, "`subcore run` has no format markdown"},
    {{"subcore", "config", "list", "--sms=1"}, "`subcore config` has no option --sms"},
};

static void mistakes_are_usage_errors_that_say_what_was_expected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        struct cli c;
        struct sim_err err;
        assert_false(parse_words(&c, &err, wrongs[i].argv));
        assert_int_equal(err.code, ERR_USAGE);
        assert_string_equal(err.msg, wrongs[i].message);
        cli_free(&c);
    }
}

static void very_long_words_are_errors(void **state)
{
    (void)state;
    char word[8192];
    struct cli c;
    struct sim_err err;
    memset(word, '-', 2);
    memset(word + 2, 'x', sizeof word - 3);
    word[sizeof word - 1] = '\0';
    assert_false(PARSE(&c, &err, "run", word));
    cli_free(&c);
    assert_false(PARSE(&c, &err, word + 2));
    cli_free(&c);
    assert_false(PARSE(&c, &err, "run", "x", "--format", word + 2));
    cli_free(&c);
}

static void expect_page(struct buf *out)
{
    assert_false(out->failed);
    for (const char *s = out->data; *s; s += strcspn(s, "\n") + 1)
        if (strcspn(s, "\n") > 100)
            fail_msg("more than 100 columns: %.*s", (int)strcspn(s, "\n"), s);
}

static void help_lists_every_command_and_its_options_within_the_page(void **state)
{
    (void)state;
    struct buf out = {0};
    cli_help(&out);
    expect_page(&out);
    assert_non_null(strstr(out.data, "\n  inspect "));
    buf_free(&out);
    for (uint32_t i = 0; i < CLI_CMD_COUNT; i++) {
        cli_help_command(&out, (enum cli_command)i);
        expect_page(&out);
        assert_non_null(strstr(out.data, "  -h, --help"));
        assert_int_equal(strstr(out.data, "--issue-log F ") != NULL, i == CLI_CMD_RUN);
        buf_free(&out);
    }
}

/* The help of a command says nothing of other commands. */
static void docs_of_options_are_those_of_the_command(void **state)
{
    (void)state;
    static const struct {
        enum cli_option option;
        enum cli_command command;
        const char *doc;
    } rows[] = {{CLI_OUTPUT, CLI_CMD_RUN, "write the result as JSON to F"},
                {CLI_OUTPUT, CLI_CMD_TRACE, "write the trace to F"},
                {CLI_OUTPUT, CLI_CMD_REPORT, "write the page to F, default report.html"},
                {CLI_OUTPUT, CLI_CMD_CONFIG, "write the card to F"},
                {CLI_VERBOSE, CLI_CMD_DIFF, "every row"},
                {CLI_FORMAT, CLI_CMD_INSPECT, "what is printed: text or json"},
                {CLI_FORMAT, CLI_CMD_RUN, "what is printed: text, json, csv or accelsim"},
                {CLI_PROGRESS, CLI_CMD_RUN, "progress bar: auto (on a terminal), always or never"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf doc = {0};
        cli_option_doc(&doc, rows[i].option, rows[i].command);
        assert_string_equal(doc.data, rows[i].doc);
        buf_free(&doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(docs_of_options_are_those_of_the_command),
        cmocka_unit_test(options_stand_before_between_and_after_arguments),
        cmocka_unit_test(arguments_of_options_are_written_in_four_ways),
        cmocka_unit_test(double_dash_ends_options_and_a_dash_is_an_argument),
        cmocka_unit_test(sets_are_kept_in_order_and_other_options_take_the_last),
        cmocka_unit_test(ranges_and_words_are_read),
        cmocka_unit_test(help_and_version_need_no_arguments),
        cmocka_unit_test(mistakes_are_usage_errors_that_say_what_was_expected),
        cmocka_unit_test(very_long_words_are_errors),
        cmocka_unit_test(help_lists_every_command_and_its_options_within_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

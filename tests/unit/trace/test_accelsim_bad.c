/* Bad traces: tests/bad/trace/NAME.traceg fails with exactly the text of NAME.expect. */
#include "trace_support.h"

#include <dirent.h>

#define FOLDER "tests/bad/trace"

static int is_trace(const struct dirent *e)
{
    return strstr(e->d_name, ".traceg") != NULL;
}

static void check_file(const char *name)
{
    char path[512], line[3000] = "", message[3000];
    snprintf(path, sizeof path, FOLDER "/%.*s.expect", (int)(strlen(name) - 7), name);
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("%s is missing", path);
    char *got = fgets(line, sizeof line, f);
    fclose(f);
    assert_non_null(got);
    line[strcspn(line, "\n")] = '\0';
    snprintf(path, sizeof path, FOLDER "/%s", name);
    struct diag diag = {0};
    struct sim_err err = {0};
    if (read_path(path, NULL, &diag, &err))
        fail_msg("%s was accepted", path);
    err_format(&err, message, sizeof message);
    assert_string_equal(message, line);
    assert_int_equal(err.code, ERR_INPUT);
}

static void each_bad_trace_gives_its_message(void **state)
{
    (void)state;
    assert_int_equal(chdir(SUBCORE_SOURCE_DIR), 0);
    struct dirent **entries;
    int n = scandir(FOLDER, &entries, is_trace, alphasort);
    assert_true(n > 80);
    for (int i = 0; i < n; i++) {
        check_file(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* Whatever is cut off, the rest is never read as a whole trace. */
static void every_cut_is_an_error_or_lacks_a_cta(void **state)
{
    (void)state;
    const char *text = HEADER("5") ONE_WARP(
        "2", "0000 00000005 1 R2 LDG.E 1 R4 4 0 0x10 0x40 0\n"
             "0010 ffffffff 0 EXIT 0 0 0\n") "#BEGIN_TB\nthread block = 1,0,0\nwarp = 1\ninsts = "
                                             "1\n0000 00000003 0 EXIT 0 0 0\n#END_TB";
    size_t len = strlen(text);
    for (size_t cut = 0; cut < len; cut++) {
        char path[64];
        temp_write(path, text, cut);
        struct diag diag = {0};
        struct sim_err err = {0};
        if (read_path(path, NULL, &diag, &err))
            expect_warning(&diag, "the trace holds 1 of 2 CTAs");
        unlink(path);
    }
}

static void warnings_are_errors_when_strict(void **state)
{
    (void)state;
    const char *text = HEADER("5") ONE_WARP("1", "0000 ffffffff 0 EXIT 0 0 0\n");
    char path[64];
    temp_write(path, text, strlen(text));
    struct diag diag = {.strict = true};
    struct sim_err err = {0};
    assert_false(read_path(path, NULL, &diag, &err));
    assert_string_equal(err.msg, "kernel k: a warp of a CTA has no instructions in the trace (a "
                                 "warning without --strict)");
    unlink(path);
}

/* Lost warps, CTAs and ends of warps: users simulate such traces, and must know. */
static void what_a_trace_lacks_is_counted(void **state)
{
    (void)state;
    const char *text = HEADER("5") ONE_WARP("1", "0000 ffffffff 0 NOP 0 0 0\n");
    char path[64];
    temp_write(path, text, strlen(text));
    struct diag diag = {0};
    struct sim_err err = {0};
    assert_true(read_path(path, NULL, &diag, &err));
    expect_warning(&diag, "a warp ends without an EXIT");
    expect_warning(&diag, "a warp of a CTA has no instructions in the trace");
    expect_warning(&diag, "the trace holds 1 of 2 CTAs of the grid");
    assert_int_equal(diag.count, 3);
    unlink(path);
}

static void text_between_instructions_is_shown(void **state)
{
    (void)state;
    expect_error(HEADER("5") ONE_WARP("2", "0000 ffffffff 0 NOP 0 0 0\nhello there\n"),
                 FIRST_LINE + 1,
                 "kernel k, CTA 0,0,0, warp 0: expected instruction 2 of 2, found 'hello there'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bad_trace_gives_its_message),
        cmocka_unit_test(every_cut_is_an_error_or_lacks_a_cta),
        cmocka_unit_test(warnings_are_errors_when_strict),
        cmocka_unit_test(what_a_trace_lacks_is_counted),
        cmocka_unit_test(text_between_instructions_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Suite files: what they say, and every fault of one at once. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/statistic.h"
#include "study/suite.h"

static char dir[64], path[128];
static const char *const files[] = {"suite.yaml", "m.csv", "s.sass", "t.sass", "l.yaml"};

static void write_file(const char *name, const char *text)
{
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/subcore-suite-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    write_file("m.csv", "name,cycles,lts__t_sectors_srcunit_tex_op_read.sum,dram__bytes_read.sum\n"
                        "s,10,20,30\n");
    write_file("s.sass", "");
    write_file("t.sass", "");
    write_file("l.yaml", "- {name: a, kernel: k, grid: [1], block: [32], args: []}\n"
                         "- {name: b, kernel: k, grid: [1], block: [32], args: []}\n");
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        unlink(path);
    }
    return rmdir(dir);
}

static bool read_suite(struct suite *s, const char *text, struct err_list *errors)
{
    static const struct err_list none;
    *errors = none;
    write_file("suite.yaml", text);
    return suite_read(s, path, errors);
}

static struct err_list errors;

static void a_small_suite_has_one_part_without_a_name(void **state)
{
    (void)state;
    struct suite s;
    if (!read_suite(&s,
                    "inputs: [{listing: s.sass}]\nmeasured: m.csv\ncolumn: cycles\n"
                    "limits: {mape: 12.5 %, pearson: 0.9}\n",
                    &errors))
        fail_msg("%s", errors.items[0].msg);
    assert_int_equal(s.part_count, 1);
    assert_null(s.parts[0].name);
    assert_string_equal(s.parts[0].statistic_name, STATISTIC_DEFAULT);
    assert_string_equal(s.parts[0].column, "cycles");
    assert_true(s.parts[0].limits[SUITE_LIMIT_mape].value == 0.125);
    assert_true(s.parts[0].limits[SUITE_LIMIT_pearson].value == 0.9);
    assert_false(s.parts[0].limits[SUITE_LIMIT_max].given);
    assert_int_equal(s.input_count, 1);
    assert_string_equal(s.inputs[0].name, "s");
    suite_free(&s);
}

static void launches_are_inputs_one_by_one_and_patterns_too(void **state)
{
    (void)state;
    struct suite s;
    assert_true(read_suite(&s,
                           "inputs:\n- {launches: l.yaml, sass: s.sass, set: {sm.warps: 32}}\n"
                           "- {listing: '?.sass', config: h200}\n"
                           "- {launches: 'l.yaml:b', name: again}\nmeasured: m.csv\n",
                           &errors));
    static const char *const names[] = {"a", "b", "s", "t", "again"};
    assert_int_equal(s.input_count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_string_equal(s.inputs[i].name, names[i]);
    snprintf(path, sizeof path, "%s/l.yaml:b", dir);
    assert_string_equal(s.inputs[1].path, path);
    assert_string_equal(s.inputs[1].sets[0], "sm.warps=32");
    assert_string_equal(s.inputs[3].card, "h200");
    suite_free(&s);
}

static void parts_take_over_what_the_suite_says(void **state)
{
    (void)state;
    struct suite s;
    assert_true(
        read_suite(&s,
                   "inputs: [{trace: s.sass}]\nmeasured: m.csv\nlimits: {max: 1}\n"
                   "parts:\n- {name: warm, warm: true, column: cycles, limits: {mape: 0.5}}\n"
                   "- {name: events, statistic: [l2.read_sectors, cycles: cycles]}\n"
                   "- {name: every, statistic: all}\n",
                   &errors));
    static const char *const names[] = {"warm", "events/l2.read_sectors", "events/cycles",
                                        "every/l2.read_sectors", "every/dram.read_bytes"};
    assert_int_equal(s.part_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(s.parts[i].name, names[i]);
        assert_true(s.parts[i].warm == (i == 0));
        assert_true(s.parts[i].limits[SUITE_LIMIT_max].given);
    }
    assert_true(s.parts[0].limits[SUITE_LIMIT_mape].value == 0.5);
    assert_string_equal(s.parts[2].column, "cycles");
    suite_free(&s);
}

static void faults_are_reported_with_their_places(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        uint32_t line, col;
    } rows[] = {
        {"measured: m.csv\n", "expected the key inputs, found none", 1, 1},
        {"inputs: [{listing: s.sass}]\n", "expected the key measured, found none", 1, 1},
        {"inputs: []\nmeasured: m.csv\n", "inputs: expected at least one, found none", 1, 9},
        {"inputs: [{listing: s.sass, trace: s}]\nmeasured: m.csv\n",
         "inputs: expected one of the keys launches, trace and listing, found several", 1, 10},
        {"inputs: [{sass: s.sass}]\nmeasured: m.csv\n",
         "inputs: expected one of the keys launches, trace and listing, found none", 1, 10},
        {"inputs: [{listing: s.sass}]\nmeasured: m.csv\nlimit: {}\n",
         "unknown key 'limit' (did you mean 'limits'?)", 3, 1},
        {"inputs: [{listing: s.sass}]\nmeasured: m.csv\nlimits: {mpae: 1}\n",
         "limits: unknown key 'mpae' (did you mean 'mape'?)", 3, 10},
        {"inputs: [{listing: s.sass}]\nmeasured: m.csv\nlimits: {mape: low}\n",
         "limits: mape: expected a number or a percentage, found 'low'", 3, 16},
        {"inputs: [{listing: s.sass}]\nmeasured: m.csv\nstatistic: l2.read_sector\n",
         "statistic: unknown name 'l2.read_sector' (did you mean 'l2.read_sectors'?)", 3, 12},
        {"inputs: [{listing: s.sass}]\nmeasured: m.csv\nstatistic: bananas\n",
         "statistic: unknown name 'bananas'", 3, 12},
        {"inputs: [{listing: s.sass}, {listing: s.sass}]\nmeasured: m.csv\n",
         "inputs: two are called 's'; give one a name", 1, 39},
        {"inputs: [{listing: s.sass}]\nmeasured: m.csv\nparts: [{warm: true}]\n",
         "parts: expected the key name, found none", 3, 9},
        {"inputs: [{listing: s.sass}]\nmeasured: m.csv\nparts: [{name: a}, {name: a}]\n",
         "parts: two are called 'a'", 3, 27},
        {"inputs: [{listing: '?.sass', name: a}]\nmeasured: m.csv\n",
         "inputs: a pattern cannot have a name", 1, 20},
        {"inputs: [{listing: s.sass}]\nmeasured: m.csv\nwarm: 1\n",
         "warm: expected true or false, found '1'", 3, 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct suite s;
        if (read_suite(&s, rows[i].text, &errors))
            fail_msg("read without a fault: %s", rows[i].text);
        assert_string_equal(errors.items[0].msg, rows[i].message);
        assert_int_equal(errors.items[0].line, rows[i].line);
        assert_int_equal(errors.items[0].col, rows[i].col);
        suite_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_suite_has_one_part_without_a_name),
        cmocka_unit_test(launches_are_inputs_one_by_one_and_patterns_too),
        cmocka_unit_test(parts_take_over_what_the_suite_says),
        cmocka_unit_test(faults_are_reported_with_their_places),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

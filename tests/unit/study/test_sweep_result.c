/* Speed-ups, errors, tables and scripts, from results made up by the test. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "study/statistic.h"
#include "study/sweep_result.h"

static struct sweep sweep;
static struct plan plan;
static double *measured;
static struct point_result *points;
static struct sweep_result result;

/* A sweep whose points have these values of its statistic; 0 = failed. */
static void open_result(const char *text, const uint64_t *values)
{
    struct sim_err err = {0};
    read_sweep(&sweep, text);
    make_plan(&plan, &sweep);
    points = calloc(plan.point_count, sizeof *points);
    for (uint32_t i = 0; i < plan.point_count; i++) {
        if (values[i] == 0) {
            assert_true(point_fail(&points[i], "broken", &err));
            continue;
        }
        points[i].done = true;
        points[i].values = calloc(statistic_count(), sizeof(uint64_t));
        points[i].values[sweep.statistic] = values[i];
    }
    if (sweep.measured.file && !sweep_read_measured(&sweep, &measured, &err))
        fail_msg("%s", err.msg);
    result = (struct sweep_result){&plan, points, measured};
}

static int close_result(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < plan.point_count; i++)
        point_free(&points[i]);
    free(points);
    points = NULL;
    free(measured);
    measured = NULL;
    plan_free(&plan);
    sweep_free(&sweep);
    return 0;
}

static void expect_text(const char *expected)
{
    struct buf out = {0};
    sweep_text(&result, &out);
    assert_string_equal(out.data, expected);
    buf_free(&out);
}

static void the_mean_speedup_is_geometric_and_leaves_failed_points_out(void **state)
{
    (void)state;
    static const uint64_t values[] = {100, 800, 50, 100, 25, 0};
    open_result("inputs: ['*.sass']\ncards: [rtx_a6000]\naxes:\n  - grid: "
                "{register_file.read_ports: [1, 2, 4]}\n",
                values);
    expect_text("sweep\n\nrtx_a6000, compared by sm_active_cycles_max\n"
                "  register_file.read_ports       1       2       4\n"
                "  Speed-up, geometric mean   1.000   4.000   4.000\n"
                "\n  Speed-up of each input\n"
                "  a                          1.000   2.000   4.000\n"
                "  b                          1.000   8.000  failed\n");
}

static void cards_have_tables_and_measurements_of_their_own(void **state)
{
    (void)state;
    static const uint64_t values[] = {110, 90, 300, 300};
    write_file("hw.csv", "name,cycles\na,90\na,110\n");
    open_result("title: Two\ninputs: [a.sass]\ncards: [rtx_a6000, h200]\n"
                "measured: {file: hw.csv, column: cycles, card: rtx_a6000}\naxes:\n"
                "  - grid: {register_file.read_ports: [1, 2]}\n",
                values);
    expect_text("Two\n\nrtx_a6000, compared by sm_active_cycles_max\n"
                "  register_file.read_ports       1       2\n"
                "  MAPE                     10.00 % 10.00 %\n"
                "  Speed-up, geometric mean   1.000   1.222\n"
                "\n  Speed-up of each input\n"
                "  a                          1.000   1.222\n"
                "\n  Error of each input\n"
                "  a                        +10.0 % -10.0 %\n"
                "\nh200, compared by sm_active_cycles_max\n"
                "  register_file.read_ports       1       2\n"
                "  MAPE                           -       -\n"
                "  Speed-up, geometric mean   1.000   1.000\n"
                "\n  Speed-up of each input\n"
                "  a                          1.000   1.000\n"
                "\n  Error of each input\n"
                "  a                              -       -\n");
}

static void faults_of_measurements_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *csv, *message;
        uint32_t line;
    } rows[] = {
        {"name,cycle\na,1\n", "has no column 'cycles' (did you mean 'cycle'?)", 0},
        {"name,cycles\na,5\na,0\n", "'a': expected a number above 0, found 0", 3},
    };
    read_sweep(&sweep, "inputs: [a.sass]\nmeasured: {file: hw.csv, column: cycles}\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sim_err err = {0};
        write_file("hw.csv", rows[i].csv);
        assert_false(sweep_read_measured(&sweep, &measured, &err));
        assert_string_equal(err.msg, rows[i].message);
        assert_int_equal(err.line, rows[i].line);
        free(measured);
        measured = NULL;
    }
}

static void a_wide_table_goes_on_below(void **state)
{
    (void)state;
    static const uint64_t values[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    open_result("inputs: [a.sass]\ncards: [rtx_a6000]\naxes:\n  - grid: "
                "{icache.l1_ways: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}\n",
                values);
    struct buf out = {0};
    sweep_text(&result, &out);
    assert_non_null(strstr(out.data, "  icache.l1_ways                 1       2       3       4"
                                     "       5       6       7       8       9\n"));
    assert_non_null(strstr(out.data, "  icache.l1_ways                10\n"));
    buf_free(&out);
}

static void fields_of_the_csv_stand_in_quotes_where_they_must(void **state)
{
    (void)state;
    static const uint64_t values[] = {7};
    open_result("inputs: [{trace: a.sass, name: 'a, \"b\"'}]\ncards: [rtx_a6000]\naxes:\n"
                "  - name: 'x, y'\n    list: [{name: '1, 2'}]\n",
                values);
    struct buf out = {0};
    sweep_csv(&result, &out);
    assert_int_equal(strncmp(out.data, "card,\"x, y\",input,status,", 25), 0);
    assert_non_null(
        strstr(out.data, "\nrtx_a6000,\"1, 2\",\"a, \"\"b\"\"\",ok,1.0000,,,,,0,0,7,0,"));
    buf_free(&out);
}

static void a_script_draws_means_and_inputs(void **state)
{
    (void)state;
    static const uint64_t values[] = {100, 800, 50, 100};
    open_result("title: It's \"so\"\ninputs: ['*.sass']\ncards: [rtx_a6000]\naxes:\n  - grid: "
                "{register_file.read_ports: [1, 2]}\n",
                values);
    struct buf out = {0}, name = {0};
    sweep_plot_script(&result, SWEEP_PLOT_SPEEDUP, 0, "d/speedup.svg", &out);
    assert_non_null(strstr(out.data, "set output \"d/speedup.svg\"\n"));
    assert_non_null(strstr(out.data, "set title \"It's \\\"so\\\", rtx_a6000\"\n"));
    assert_non_null(strstr(out.data,
                           "$means << EOD\n0 \"1\" 1.0000\n1 \"2\" 4.0000\nEOD\n"
                           "$inputs << EOD\n0 1.0000\n0 1.0000\n1 2.0000\n1 8.0000\nEOD\n"));
    sweep_plot_name(&result, SWEEP_PLOT_SPEEDUP, 0, &name);
    assert_string_equal(name.data, "speedup");
    buf_free(&out);
    /* Nothing was measured: nothing to draw. */
    sweep_plot_script(&result, SWEEP_PLOT_ERROR, 0, "d/error.svg", &out);
    assert_int_equal(out.len, 0);
    buf_free(&name);
}

#define TEST(f) cmocka_unit_test_teardown(f, close_result)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_mean_speedup_is_geometric_and_leaves_failed_points_out),
        TEST(cards_have_tables_and_measurements_of_their_own),
        TEST(faults_of_measurements_are_named),
        TEST(a_wide_table_goes_on_below),
        TEST(fields_of_the_csv_stand_in_quotes_where_they_must),
        TEST(a_script_draws_means_and_inputs),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}

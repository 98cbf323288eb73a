/* Files of measurements: CSV and exports of Nsight Compute. */
#define _XOPEN_SOURCE 700 /* mkstemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/csv_line.h"
#include "study/measured.h"

#define DATA SUBCORE_SOURCE_DIR "/tests/data/measured/"

static char path[64];

static bool read_text(struct measured *m, const char *text, struct sim_err *err)
{
    strcpy(path, "/tmp/subcore-measured-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (long)strlen(text));
    close(fd);
    memset(err, 0, sizeof *err);
    bool ok = measured_read(m, path, err);
    unlink(path);
    return ok;
}

static void expect_cell(const struct measured *m, uint32_t row, const char *column, double value)
{
    double v;
    bool found;
    struct sim_err err = {0};
    uint32_t c = measured_column(m, column);
    assert_int_not_equal(c, MEASURED_NONE);
    assert_true(measured_value(m, &m->rows[row], c, &v, &found, &err));
    assert_true(found);
    if (v != value)
        fail_msg("%s of row %u: %.17g, expected %.17g", column, row, v, value);
}

static void numbers_are_read_as_locales_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},
                {"1234", 1234},
                {"1,234", 1234},
                {"1,234,567", 1234567},
                {"1,234.5", 1234.5},
                {"1.234,5", 1234.5},
                {"1.234.567", 1234567},
                {"12,5", 12.5},
                {"0,25", 0.25},
                {"1,2345", 1.2345},
                {"-3.5", -3.5},
                {"1e-3", 0.001},
                {".5", 0.5}};
    static const char *const bad[] = {"", "n/a", "12 cycles", "0x10", "1-2", "."};
    double v;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!csv_number(good[i].text, &v) || v != good[i].value)
            fail_msg("'%s' is %.17g, expected %.17g", good[i].text, v, good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (csv_number(bad[i], &v))
            fail_msg("'%s' is read as %g", bad[i], v);
}

static void cells_lose_quotes_and_blanks(void **state)
{
    (void)state;
    char line[] = " a , \"b, \"\"c\"\"\" ,,d\r";
    char *cells[8];
    assert_int_equal(csv_split(line, cells, 8), 4);
    assert_string_equal(cells[0], "a");
    assert_string_equal(cells[1], "b, \"c\"");
    assert_string_equal(cells[2], "");
    assert_string_equal(cells[3], "d");
    char open[] = "a,\"b";
    assert_int_equal(csv_split(open, cells, 8), 0);
    char many[] = "1,2,3";
    assert_int_equal(csv_split(many, cells, 2), 3);
}

static void own_form_has_rows_by_name(void **state)
{
    (void)state;
    struct measured m;
    struct sim_err err;
    assert_true(read_text(&m,
                          "# H200\nname,kernel,cycles,x.pct\n"
                          "a,k,\"1,500\",50\n\nb,k,,\na,k,1600,60\n",
                          &err));
    assert_false(m.nsight);
    assert_int_equal(m.row_count, 3);
    assert_string_equal(m.rows[1].name, "b");
    assert_int_equal(m.rows[2].line, 6);
    expect_cell(&m, 0, "cycles", 1500);
    expect_cell(&m, 2, "x.pct", 0.6);
    double v;
    bool found;
    assert_true(measured_value(&m, &m.rows[1], measured_column(&m, "cycles"), &v, &found, &err));
    assert_false(found);
    assert_false(measured_value(&m, &m.rows[2], measured_column(&m, "kernel"), &v, &found, &err));
    assert_string_equal(err.msg, "column 'kernel': expected a number, found 'k'");
    assert_int_equal(err.line, 6);
    err_clear(&err);
    assert_false(measured_no_column(&m, "cycle", &err));
    assert_string_equal(err.msg, "has no column 'cycle' (did you mean 'cycles'?)");
    measured_free(&m);
}

static void raw_page_has_a_column_a_metric_and_units(void **state)
{
    (void)state;
    struct measured m;
    struct sim_err err = {0};
    assert_true(measured_read(&m, DATA "raw.csv", &err));
    assert_true(m.nsight);
    assert_int_equal(m.row_count, 2);
    assert_string_equal(m.rows[0].name, "vecadd(const float *, const float *, float *, int)");
    expect_cell(&m, 0, "dram__bytes_read.sum", 1.5e6);
    expect_cell(&m, 0, "gpu__time_duration.sum", 12250);
    expect_cell(&m, 0, "sm__cycles_active.max", 2148);
    expect_cell(&m, 0, "sm__warps_active.avg.pct_of_peak_sustained_active", 0.625);
    expect_cell(&m, 1, "smsp__inst_executed.sum", 5);
    double v;
    bool found;
    assert_true(measured_value(&m, &m.rows[1], measured_column(&m, "gpu__time_duration.sum"), &v,
                               &found, &err));
    assert_false(found);
    measured_free(&m);
}

static void details_page_has_a_line_a_metric(void **state)
{
    (void)state;
    struct measured m;
    struct sim_err err = {0};
    assert_true(measured_read(&m, DATA "details.csv", &err));
    assert_true(m.nsight);
    assert_int_equal(m.row_count, 2);
    assert_string_equal(m.rows[1].name, "nothing");
    expect_cell(&m, 0, "Elapsed Cycles", 4938);
    expect_cell(&m, 0, "Duration", 2530);
    expect_cell(&m, 1, "Elapsed Cycles", 3205);
    assert_null(m.rows[1].cells[measured_column(&m, "Duration")]);
    measured_free(&m);
}

/* What ncu of CUDA 13.0 printed of four launches on an H200, as it is. */
static void raw_page_of_an_h200_has_its_values(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        double cycles, average, instructions, bytes, ns;
    } rows[] = {
        {"vecadd(const float *, const float *, float *, int)", 7492, 7096.56, 655360, 8391680,
         6784},
        {"saxpy(const float *, float *, float, int)", 6057, 5729.95, 622592, 8391424, 5824},
        {"vecadd(const float *, const float *, float *, int)", 6166, 5836.81, 655360, 8391424,
         5920},
        {"saxpy(const float *, float *, float, int)", 6209, 5825.95, 622592, 8391424, 5856},
    };
    struct measured m;
    struct sim_err err = {0};
    assert_true(measured_read(&m, DATA "h200_raw.csv", &err));
    assert_true(m.nsight);
    assert_int_equal(m.column_count, 277);
    assert_int_equal(m.row_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(m.rows[i].name, rows[i].kernel);
        assert_int_equal(m.rows[i].line, 5 + i);
        expect_cell(&m, i, "sm__cycles_active.max", rows[i].cycles);
        expect_cell(&m, i, "sm__cycles_active.avg", rows[i].average);
        expect_cell(&m, i, "smsp__inst_executed.sum", rows[i].instructions);
        expect_cell(&m, i, "dram__bytes_read.sum", rows[i].bytes);
        expect_cell(&m, i, "gpu__time_duration.sum", rows[i].ns);
        expect_cell(&m, i, "sm__maximum_warps_per_active_cycle_pct", 1);
    }
    double v;
    bool found;
    assert_false(measured_value(&m, &m.rows[2], measured_column(&m, "launch__tpc_enabled"), &v,
                                &found, &err));
    assert_string_equal(err.msg, "column 'launch__tpc_enabled': expected a number, found 'all'");
    assert_int_equal(err.line, 7);
    err_clear(&err);
    measured_free(&m);
}

/* Metrics of several sections, with rules' remarks in between. */
static void details_pages_of_an_h200_have_their_values(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint32_t launches, row;
        double elapsed, active, ns, percent;
    } rows[] = {
        {DATA "h200_details.csv", 4, 0, 8800, 6150.06, 6016, 73.90},
        {DATA "h200_details.csv", 4, 3, 9724, 7108.13, 6592, 75.02},
        {DATA "h200_default.csv", 2, 0, 8741, 5762.46, 5920, 73.65},
        {DATA "h200_default.csv", 2, 1, 8609, 5782.02, 5824, 72.24},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct measured m;
        struct sim_err err = {0};
        assert_true(measured_read(&m, rows[i].file, &err));
        assert_true(m.nsight);
        assert_int_equal(m.row_count, rows[i].launches);
        assert_string_equal(m.rows[1].name, "saxpy(const float *, float *, float, int)");
        expect_cell(&m, rows[i].row, "Elapsed Cycles", rows[i].elapsed);
        expect_cell(&m, rows[i].row, "SM Active Cycles", rows[i].active);
        expect_cell(&m, rows[i].row, "Duration", rows[i].ns);
        expect_cell(&m, rows[i].row, "Achieved Occupancy", rows[i].percent * 0.01);
        expect_cell(&m, rows[i].row, "Threads", 1048576);
        measured_free(&m);
    }
}

static void faults_name_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        uint32_t line;
    } rows[] = {
        {"", "expected a CSV with a column 'name', or an export of Nsight Compute (ncu --csv)", 0},
        {"a,b\n1,2\n",
         "expected a CSV with a column 'name', or an export of Nsight Compute (ncu --csv)", 0},
        {"name,c\n", "holds no measurements", 0},
        {"name,c\na,1\nb\n", "1 cells, but the headline has 2", 3},
        {"name,c\n\"a,1\n", "a quote is not closed, or text follows it", 2},
        {"\"ID\",\"Kernel Name\",\"Metric Name\"\n",
         "a column 'Metric Name' without 'Metric Unit' and 'Metric Value'", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct measured m;
        struct sim_err err;
        assert_false(read_text(&m, rows[i].text, &err));
        assert_string_equal(err.msg, rows[i].message);
        assert_int_equal(err.line, rows[i].line);
        assert_string_equal(err.file, path);
        measured_free(&m);
    }
}

static void kernels_are_the_same_however_they_are_printed(void **state)
{
    (void)state;
    static const struct {
        const char *printed, *kernel;
        bool same;
    } rows[] = {
        {"vecadd", "vecadd", true},
        {"vecadd(const float *, int)", "vecadd", true},
        {"vecadd(const float *, int)", "_Z6vecaddPKfi", true},
        {"void at::native::reduce<float, (int)4>(T1 *)", "_ZN2at6native6reduceIfLi4EEEvPT_", true},
        {"void (anonymous namespace)::step<3>(int)", "_ZN12_GLOBAL__N_14stepILi3EEEvi", true},
        {"_Z6vecaddPKfi", "_Z6vecaddPKfi", true},
        {"_Z6vecaddPKfi", "vecadd", true},
        {"vecadd2(int)", "vecadd", false},
        {"add(int)", "_Z6vecaddPKfi", false},
        {"_Z6vecaddPKfi", "_Z6vecaddPKfj", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (measured_same_kernel(rows[i].printed, rows[i].kernel) != rows[i].same)
            fail_msg("%s and %s", rows[i].printed, rows[i].kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_as_locales_write_them),
        cmocka_unit_test(cells_lose_quotes_and_blanks),
        cmocka_unit_test(own_form_has_rows_by_name),
        cmocka_unit_test(raw_page_has_a_column_a_metric_and_units),
        cmocka_unit_test(details_page_has_a_line_a_metric),
        cmocka_unit_test(raw_page_of_an_h200_has_its_values),
        cmocka_unit_test(details_pages_of_an_h200_have_their_values),
        cmocka_unit_test(faults_name_the_line),
        cmocka_unit_test(kernels_are_the_same_however_they_are_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

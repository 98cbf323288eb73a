/* Results of points and their files. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "study/point.h"
#include "study/statistic.h"

static struct sweep sweep;
static struct plan plan;
static volatile sig_atomic_t stop;

static int open_plan(void **state)
{
    (void)state;
    read_sweep(&sweep, "inputs: [a.sass]\ncards: rtx_a6000\naxes:\n"
                       "  - grid: {register_file.read_ports: [1, 2]}\n");
    make_plan(&plan, &sweep);
    stop = 0;
    return 0;
}

static int close_plan(void **state)
{
    (void)state;
    plan_free(&plan);
    sweep_free(&sweep);
    return 0;
}

static const char *file_of(uint32_t point)
{
    static char path[512];
    struct buf text = {0};
    point_path(&plan, point, place, &text);
    snprintf(path, sizeof path, "%s", text.data);
    buf_free(&text);
    return path;
}

static void run_and_store(uint32_t point)
{
    struct point_result r;
    struct sim_err err = {0};
    assert_true(point_run(&plan, point, &stop, &r, &err));
    assert_true(point_store(&plan, point, place, &r, &err));
    point_free(&r);
}

static bool is_there(uint32_t point)
{
    struct point_result r;
    struct sim_err err = {0};
    assert_true(point_load(&plan, point, place, &r, &err));
    bool done = r.done;
    point_free(&r);
    return done;
}

static void a_result_is_read_back_as_it_was(void **state)
{
    (void)state;
    struct point_result r, back;
    struct sim_err err = {0};
    uint32_t warp_instructions, near;
    assert_true(point_run(&plan, 0, &stop, &r, &err));
    r.warnings = strdup("one\ntwo\n");
    assert_true(point_store(&plan, 0, place, &r, &err));
    assert_true(point_load(&plan, 0, place, &back, &err));
    assert_true(back.done && !back.failed);
    assert_memory_equal(back.values, r.values, statistic_count() * sizeof *r.values);
    assert_string_equal(back.warnings, "one\ntwo\n");
    assert_true(statistic_find("warp_instructions", &warp_instructions, &near));
    assert_int_equal(back.values[warp_instructions], 6); /* two warps of three instructions */
    point_free(&r);
    point_free(&back);
}

static void a_failed_result_keeps_its_message_on_one_line(void **state)
{
    (void)state;
    struct point_result r = {.done = false}, back;
    struct sim_err err = {0};
    assert_true(point_fail(&r, "a.sass:3: broken\nin two", &err));
    assert_true(point_store(&plan, 1, place, &r, &err));
    assert_true(point_load(&plan, 1, place, &back, &err));
    assert_true(back.done && back.failed);
    assert_string_equal(back.message, "a.sass:3: broken in two");
    point_free(&r);
    point_free(&back);
}

static void a_damaged_or_foreign_file_counts_as_not_there(void **state)
{
    (void)state;
    char text[16384], path[512];
    run_and_store(0);
    assert_true(is_there(0));
    snprintf(path, sizeof path, "%s", file_of(0));
    FILE *f = fopen(path, "r");
    size_t len = fread(text, 1, sizeof text, f);
    fclose(f);
    /* Cut off anywhere, or with one byte changed. */
    for (size_t n = 0; n < len; n += 37) {
        f = fopen(path, "w");
        fwrite(text, 1, n, f);
        fclose(f);
        assert_false(is_there(0));
        f = fopen(path, "w");
        fwrite(text, 1, n, f);
        fputc(text[n] ^ 1, f);
        fwrite(text + n + 1, 1, len - n - 1, f);
        fclose(f);
        assert_false(is_there(0));
    }
    /* The whole file of one point under the name of another. */
    f = fopen(file_of(1), "w");
    fwrite(text, 1, len, f);
    fclose(f);
    assert_false(is_there(1));
    f = fopen(path, "w");
    fwrite(text, 1, len, f);
    fclose(f);
    assert_true(is_there(0));
}

static void what_goes_wrong_in_a_simulation_is_its_result(void **state)
{
    (void)state;
    struct point_result r;
    struct sim_err err = {0};
    write_file("a.sass", ".kernel a\nNONSENSE\n");
    assert_true(point_run(&plan, 0, &stop, &r, &err));
    assert_true(r.done && r.failed);
    assert_non_null(strstr(r.message, "a.sass:2"));
    point_free(&r);
    write_file("a.sass", small_listing);
}

static void an_interrupt_is_no_result(void **state)
{
    (void)state;
    struct point_result r;
    struct sim_err err = {0};
    stop = 1;
    assert_false(point_run(&plan, 0, &stop, &r, &err));
    assert_int_equal(err.code, ERR_INTERRUPT);
    assert_false(r.done);
    point_free(&r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_plan, close_plan)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_result_is_read_back_as_it_was),
        TEST(a_failed_result_keeps_its_message_on_one_line),
        TEST(a_damaged_or_foreign_file_counts_as_not_there),
        TEST(what_goes_wrong_in_a_simulation_is_its_result),
        TEST(an_interrupt_is_no_result),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}

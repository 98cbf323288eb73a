/* Sweep files that are right, and the points they mean. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"

static struct sweep sweep;
static struct plan plan;

static void open_plan(const char *text)
{
    read_sweep(&sweep, text);
    make_plan(&plan, &sweep);
}

static int close_plan(void **state)
{
    (void)state;
    plan_free(&plan);
    sweep_free(&sweep);
    return 0;
}

/* Descriptions of all points, a line each. */
static void expect_points(const char *expected)
{
    struct buf all = {0};
    for (uint32_t i = 0; i < plan.point_count; i++) {
        plan_describe(&plan, i, &all);
        buf_puts(&all, "\n");
    }
    assert_string_equal(all.data, expected);
    buf_free(&all);
}

static struct config config_of(uint32_t variant)
{
    struct loaded_config c;
    memset(&errors, 0, sizeof errors);
    if (!plan_load_config(&plan, &plan.variants[variant], &c, &errors))
        fail_msg("%s", errors.items[0].msg);
    struct config cfg = c.cfg;
    config_free(&c);
    return cfg;
}

static void a_grid_is_the_product_of_its_axes_with_inputs_fastest(void **state)
{
    (void)state;
    open_plan("inputs: ['*.sass']\ncards: [rtx_a6000, h200]\naxes:\n  - grid:\n"
              "      register_file.read_ports: [1, 2]\n      icache.l1_ways: [4, 8]\n");
    expect_points("rtx_a6000, 1, 4, a\nrtx_a6000, 1, 4, b\nrtx_a6000, 1, 8, a\n"
                  "rtx_a6000, 1, 8, b\nrtx_a6000, 2, 4, a\nrtx_a6000, 2, 4, b\n"
                  "rtx_a6000, 2, 8, a\nrtx_a6000, 2, 8, b\nh200, 1, 4, a\nh200, 1, 4, b\n"
                  "h200, 1, 8, a\nh200, 1, 8, b\nh200, 2, 4, a\nh200, 2, 4, b\n"
                  "h200, 2, 8, a\nh200, 2, 8, b\n");
    assert_int_equal(config_of(1).icache.l1_ways, 8);
    assert_int_equal(config_of(1).register_file.read_ports, 1);
    assert_int_equal(config_of(6).gpu.sm_version, 90);
    assert_int_equal(config_of(6).register_file.read_ports, 2);
}

static void a_zip_takes_the_values_of_its_keys_together(void **state)
{
    (void)state;
    open_plan("inputs: [a.sass]\ncards: rtx_a6000\naxes:\n  - zip:\n"
              "      register_file.read_ports: [1, 2]\n      icache.l1_ways: [4, 8]\n");
    assert_string_equal(sweep.axes[0].name, "register_file.read_ports + icache.l1_ways");
    expect_points("rtx_a6000, 1 + 4, a\nrtx_a6000, 2 + 8, a\n");
    assert_int_equal(config_of(1).icache.l1_ways, 8);
    assert_int_equal(config_of(1).register_file.read_ports, 2);
}

static void a_list_names_its_values(void **state)
{
    (void)state;
    open_plan("inputs: [a.sass]\ncards: rtx_a6000\naxes:\n  - name: rf\n    list:\n"
              "      - {name: plain}\n      - {name: wide, register_file.read_ports: 2, "
              "register_file.cache: off}\n");
    assert_string_equal(sweep.axes[0].name, "rf");
    expect_points("rtx_a6000, plain, a\nrtx_a6000, wide, a\n");
    assert_true(config_of(0).register_file.cache);
    assert_false(config_of(1).register_file.cache);
}

static void words_stand_for_values_of_the_key_or_of_another(void **state)
{
    (void)state;
    open_plan("inputs: [a.sass]\ncards: rtx_a6000\naxes:\n  - grid:\n"
              "      icache.stream_buffer_lines: [off, 4, perfect]\n");
    assert_int_equal(config_of(0).icache.stream_buffer_lines, 0);
    assert_false(config_of(0).icache.perfect);
    assert_int_equal(config_of(1).icache.stream_buffer_lines, 4);
    assert_true(config_of(2).icache.perfect);
}

static void every_word_names_a_key_and_a_setting_that_loads(void **state)
{
    (void)state;
    static const char *const words[][2] = {
#define WORD(key, word, set) {key, set},
#include "study/sweep_words.def"
#undef WORD
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct loaded_config c;
        memset(&errors, 0, sizeof errors);
        assert_non_null(config_find_key(words[i][0]));
        if (!config_load(&c, "rtx_a6000", &words[i][1], 1, &errors))
            fail_msg("%s: %s", words[i][1], errors.items[0].msg);
        config_free(&c);
    }
}

static void the_bundled_sweeps_have_inputs_and_configurations_that_load(void **state)
{
    (void)state;
    static const char *const names[] = {"stream_buffer", "register_file", "dependence"};
    for (size_t i = 0; i < 6; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/configs/sweeps/%s%s.yaml", SUBCORE_SOURCE_DIR,
                 i < 3 ? "" : "h200_", names[i % 3]);
        memset(&errors, 0, sizeof errors);
        if (!sweep_read(&sweep, path, &errors))
            fail_msg("%s:%u: %s", path, errors.items[0].line, errors.items[0].msg);
        make_plan(&plan, &sweep);
        assert_true(sweep.input_count >= 14);
        for (uint32_t v = 0; v < plan.variant_count; v++)
            if (plan.variants[v].error)
                fail_msg("%s", plan.variants[v].error);
        close_plan(NULL);
    }
}

static void an_axis_may_choose_card_and_input(void **state)
{
    (void)state;
    open_plan("inputs: ['*.sass']\naxes:\n  - zip:\n      card: [rtx_a6000, h200]\n"
              "      input: [b, a]\n  - grid: {register_file.read_ports: [1, 2]}\n"
              "base: {register_file.read_ports: 2}\n");
    expect_points("rtx_a6000, rtx_a6000 + b, 1, b\nrtx_a6000, rtx_a6000 + b, 2, b\n"
                  "h200, h200 + a, 1, a\nh200, h200 + a, 2, a\n");
    /* Compared with the base value of the other axis, on the same card. */
    assert_int_equal(plan_base(&plan, 0), 1);
    assert_int_equal(plan_base(&plan, 2), 3);
}

static void settings_of_all_points_stand_under_those_of_the_command_line_and_of_axes(void **state)
{
    (void)state;
    static const char *const sets[] = {"icache.l1_ways=2", "register_file.read_ports=3"};
    struct sim_err err = {0};
    read_sweep(&sweep, "inputs: [a.sass]\ncards: rtx_a6000\nset: {icache.l1_ways: 4, "
                       "icache.stream_buffer_lines: off}\naxes:\n  - grid: "
                       "{register_file.read_ports: [1, 2]}\n");
    assert_true(plan_make(&plan, &sweep, sets, 2, "1", &err));
    assert_int_equal(config_of(1).icache.l1_ways, 2);
    assert_int_equal(config_of(1).icache.stream_buffer_lines, 0);
    assert_int_equal(config_of(1).register_file.read_ports, 2);
}

static void launches_are_inputs_one_by_one(void **state)
{
    (void)state;
    write_file("l.yaml", "- {name: x, kernel: k, grid: [1], block: [32], args: []}\n"
                         "- {name: y, kernel: k, grid: [2], block: [32], args: []}\n");
    open_plan("inputs:\n  - {launches: l.yaml, sass: a.sass}\n"
              "  - {launches: 'l.yaml:x', name: again}\ncards: rtx_a6000\n");
    expect_points("rtx_a6000, x\nrtx_a6000, y\nrtx_a6000, again\n");
    assert_string_equal(sweep.inputs[1].path, path_of("l.yaml:y"));
    assert_string_equal(sweep.inputs[1].files.sass, path_of("a.sass"));
    assert_string_equal(sweep.inputs[2].path, path_of("l.yaml:x"));
}

static void traces_are_called_by_their_files_and_lists_by_their_folder(void **state)
{
    (void)state;
    write_file("big.traceg.xz", "x");
    assert_int_equal(mkdir(path_of("app"), 0777), 0);
    write_file("app/kernelslist.g", "kernel-1.traceg\n");
    read_sweep(&sweep, "inputs: [big.traceg.xz, app/kernelslist.g, {trace: a.sass, name: own}]\n");
    assert_string_equal(sweep.inputs[0].name, "big");
    assert_string_equal(sweep.inputs[1].name, "app");
    assert_string_equal(sweep.inputs[2].name, "own");
    remove_files(path_of("app"));
}

static void a_key_tells_apart_what_changes_a_result(void **state)
{
    (void)state;
    open_plan("inputs: ['*.sass']\ncards: rtx_a6000\naxes:\n  - grid: "
              "{register_file.read_ports: [1, 2]}\n");
    uint64_t ids[4];
    for (uint32_t i = 0; i < 4; i++) {
        ids[i] = plan.points[i].id;
        for (uint32_t j = 0; j < i; j++)
            assert_true(ids[i] != ids[j]);
    }
    close_plan(NULL);
    /* The order of the file does not matter, the time of an input does. */
    write_file("b.sass", small_listing);
    open_plan("inputs: ['*.sass']\ncards: rtx_a6000\naxes:\n  - grid: "
              "{register_file.read_ports: [2, 1]}\n");
    assert_true(plan.points[0].id == ids[2] && plan.points[2].id == ids[0]);
    assert_true(plan.points[1].id != ids[3]);
    close_plan(NULL);
    open_plan("inputs: [a.sass]\ncards: rtx_a6000\nwarm: true\naxes:\n  - grid: "
              "{register_file.read_ports: [2, 1]}\n");
    assert_true(plan.points[0].id != ids[2]);
}

static void a_configuration_that_does_not_load_is_the_fault_of_its_variant(void **state)
{
    (void)state;
    open_plan(
        "inputs: [a.sass]\ncards: rtx_a6000\naxes:\n  - grid: {icache.line_bytes: [128, 100]}\n");
    assert_null(plan.variants[0].error);
    assert_non_null(plan.variants[1].error);
}

static void area_follows_the_dependence_mode(void **state)
{
    (void)state;
    open_plan(
        "inputs: [a.sass]\ncards: rtx_a6000\naxes:\n  - list:\n"
        "      - {name: c, dependence.mode: control_bits}\n"
        "      - {name: s, dependence.mode: scoreboard}\n"
        "      - {name: u, dependence.mode: scoreboard, dependence.war_consumers: unlimited}\n");
    assert_int_equal(plan.variants[0].area_bits, 1968);
    assert_int_equal(plan.variants[0].area_percent_hundredths, 9);
    assert_int_equal(plan.variants[1].area_bits, 111552);
    assert_int_equal(plan.variants[1].area_percent_hundredths, 532);
    assert_false(plan.variants[2].has_area);
}

static void too_many_points_are_refused(void **state)
{
    (void)state;
    struct buf text = {0};
    struct sim_err err = {0};
    buf_puts(&text, "inputs: [a.sass]\ncards: rtx_a6000\naxes:\n  - grid:\n");
    for (uint32_t k = 0; k < 3; k++) {
        static const char *const keys[] = {"icache.l1_ways", "icache.l0_ways", "constant.l0_ways"};
        buf_printf(&text, "      %s: [", keys[k]);
        for (uint32_t i = 1; i <= 64; i++)
            buf_printf(&text, "%s%u", i > 1 ? ", " : "", i);
        buf_puts(&text, "]\n");
    }
    buf_puts(&text, "      icache.l0_outstanding: [1, 2, 3, 4]\n");
    read_sweep(&sweep, text.data);
    assert_false(plan_make(&plan, &sweep, NULL, 0, "1", &err));
    assert_string_equal(err.msg, "the sweep has more than 1000000 points");
    buf_free(&text);
}

#define TEST(f) cmocka_unit_test_teardown(f, close_plan)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_grid_is_the_product_of_its_axes_with_inputs_fastest),
        TEST(a_zip_takes_the_values_of_its_keys_together),
        TEST(a_list_names_its_values),
        TEST(words_stand_for_values_of_the_key_or_of_another),
        TEST(every_word_names_a_key_and_a_setting_that_loads),
        TEST(the_bundled_sweeps_have_inputs_and_configurations_that_load),
        TEST(an_axis_may_choose_card_and_input),
        TEST(settings_of_all_points_stand_under_those_of_the_command_line_and_of_axes),
        TEST(launches_are_inputs_one_by_one),
        TEST(traces_are_called_by_their_files_and_lists_by_their_folder),
        TEST(a_key_tells_apart_what_changes_a_result),
        TEST(a_configuration_that_does_not_load_is_the_fault_of_its_variant),
        TEST(area_follows_the_dependence_mode),
        TEST(too_many_points_are_refused),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}

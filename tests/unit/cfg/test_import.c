/* gpgpusim.config and trace.config as a card. */
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

#include "cfg/import.h"

#define DATA SUBCORE_SOURCE_DIR "/tests/data/accelsim/"

static struct err_list errors;

static void import(struct import *im, const char *const *paths, size_t n)
{
    struct sim_err err = {0};
    if (!import_read(im, paths, n, NULL, &err))
        fail_msg("%s", err.msg);
}

static const char *value_of(const struct import *im, const char *path)
{
    for (size_t i = 0; i < im->key_count; i++)
        if (strcmp(im->keys[i].key->path, path) == 0)
            return im->keys[i].value;
    return "-";
}

static const char *why(const struct import *im, const char *name)
{
    for (size_t i = 0; i < im->option_count; i++)
        if (strcmp(im->options[i].name, name) == 0)
            return im->options[i].why;
    return "no such option";
}

static char *slurp(const char *path)
{
    struct buf text = {0};
    char part[4096];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_add(&text, part, n);
    fclose(f);
    return buf_take(&text);
}

static void every_row_names_a_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < import_row_count(); i++)
        if (import_row_key(i) && !config_find_key(import_row_key(i)))
            fail_msg("import.def: no key %s", import_row_key(i));
}

/* The card, comments and all; `subcore config import` prints it. */
static void two_files_become_the_expected_card(void **state)
{
    (void)state;
    static const char *const paths[] = {DATA "gpgpusim.config", DATA "trace.config"};
    struct import im;
    struct buf text = {0};
    import(&im, paths, 2);
    import_yaml(&im, "imported", &text);
    char *expected = slurp(DATA "expected.yaml");
    assert_string_equal(text.data, expected);
    assert_true(import_check(&im, &errors));
    assert_int_equal(import_carried(&im), 30);
    free(expected);
    buf_free(&text);
    import_free(&im);
}

static void the_card_loads_with_the_imported_values(void **state)
{
    (void)state;
    struct loaded_config config;
    assert_true(config_load(&config, DATA "expected.yaml", NULL, 0, &errors));
    assert_string_equal(config.cfg.gpu.name, "imported");
    assert_int_equal(config.cfg.gpu.sms, 46);
    assert_int_equal(config.cfg.l2.bytes, 16 * 2 * 64 * 128 * 16);
    assert_int_equal(config.cfg.l1d.ways, 256);
    config_free(&config);
}

static void options_of_the_remodelled_sm(void **state)
{
    (void)state;
    static const char *const paths[] = {DATA "remodelled.config"};
    struct import im;
    import(&im, paths, 1);
    assert_string_equal(im.base, "rtx_2080_ti");
    assert_string_equal(value_of(&im, "dependence.mode"), "scoreboard");
    assert_string_equal(value_of(&im, "icache.stream_buffer_lines"), "0");
    assert_string_equal(value_of(&im, "queue.memory.entries"), "5");
    /* There the interval is added to the latency. */
    assert_string_equal(value_of(&im, "op.alu.latency"), "4");
    assert_string_equal(value_of(&im, "issue.scheduler"), "-");
    assert_string_equal(why(&im, "-gpgpu_n_clusters"),
                        "gpu.sms not set: it needs -gpgpu_n_cores_per_cluster too");
    assert_string_equal(why(&im, "-num_regular_register_file_read_ports_per_bank"),
                        "register_file.read_ports not set: 99 is outside of its range 1 to 8");
    import_free(&im);
}

/* Imports one file of this text. */
static bool import_text(struct import *im, const char *text, struct sim_err *err)
{
    char path[] = "/tmp/subcore-import-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    const char *paths[] = {path};
    bool ok = import_read(im, paths, 1, NULL, err);
    unlink(path);
    return ok;
}

static void the_last_of_several_counts(void **state)
{
    (void)state;
    struct import im;
    struct sim_err err = {0};
    assert_true(import_text(&im, "-gpgpu_shader_cta 16\n-gpgpu_shader_cta 8 # later\n", &err));
    assert_string_equal(value_of(&im, "sm.ctas"), "8");
    assert_int_equal(im.option_count, 1);
    import_free(&im);
}

static void values_without_a_meaning_are_told(void **state)
{
    (void)state;
    struct import im;
    struct sim_err err = {0};
    assert_true(import_text(&im,
                            "-gpgpu_shader_cta many\n-gpgpu_shader_core_pipeline 1536:0\n"
                            "-gpgpu_shader_registers 99999999999999999999\n-nonsense 1\n"
                            "-gpgpu_scheduler two_level_active:6:0:1\n",
                            &err));
    assert_int_equal(im.key_count, 0);
    assert_string_equal(why(&im, "-gpgpu_shader_cta"),
                        "sm.ctas not set: expected a number as part 1 of the value");
    assert_string_equal(why(&im, "-gpgpu_shader_core_pipeline"),
                        "sm.warps not set: the value is too large, or divided by 0");
    assert_string_equal(why(&im, "-gpgpu_shader_registers"),
                        "sm.registers not set: expected a number as part 1 of the value");
    assert_string_equal(why(&im, "-nonsense"), "unknown option");
    import_free(&im);
}

static void expect_error(const char *text, uint32_t line, const char *message)
{
    struct import im;
    struct sim_err err = {0};
    assert_false(import_text(&im, text, &err));
    assert_string_equal(err.msg, message);
    assert_int_equal(err.line, line);
    assert_int_equal(err.code, ERR_INPUT);
    import_free(&im);
}

static void bad_files_give_exact_messages(void **state)
{
    (void)state;
    expect_error("# nothing\n", 0, "holds no option");
    expect_error("-gpgpu_n_mem 4\n-gpgpu_n_clusters\n", 2,
                 "option '-gpgpu_n_clusters' has no value");
    expect_error("-gpgpu_n_clusters -gpgpu_n_mem 4\n", 1,
                 "option '-gpgpu_n_clusters' has no value");
    expect_error("gpu:\n  sms: 84\n", 1,
                 "expected an option such as -gpgpu_n_clusters, found 'gpu:'");
}

/* A capacity that is no multiple of its lines is found before a card is written. */
static void contradictions_are_reported(void **state)
{
    (void)state;
    struct import im;
    struct sim_err err = {0};
    memset(&errors, 0, sizeof errors);
    assert_true(import_text(&im, "-gpgpu_unified_l1d_size 17\n", &err));
    assert_false(import_check(&im, &errors));
    assert_true(errors.count > 0);
    import_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_names_a_key),
        cmocka_unit_test(two_files_become_the_expected_card),
        cmocka_unit_test(the_card_loads_with_the_imported_values),
        cmocka_unit_test(options_of_the_remodelled_sm),
        cmocka_unit_test(the_last_of_several_counts),
        cmocka_unit_test(values_without_a_meaning_are_told),
        cmocka_unit_test(bad_files_give_exact_messages),
        cmocka_unit_test(contradictions_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

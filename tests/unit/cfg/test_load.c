/* Loading: origins, extends, --set, names, the search path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cfg/load.h"
#include "cfg/schema.h"

static struct err_list errors;
static char folder[] = "/tmp/subcore_load_XXXXXX";

static void load(struct loaded_config *c, const char *name, const char *const *sets, size_t n)
{
    char message[4096];
    memset(&errors, 0, sizeof errors);
    if (config_load(c, name, sets, n, &errors))
        return;
    err_format(&errors.items[0], message, sizeof message);
    fail_msg("%s: %s", name, message);
}

static const struct config_origin *origin(const struct loaded_config *c, const char *path)
{
    return &c->origins[schema_index(config_find_key(path))];
}

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void every_value_knows_its_origin(void **state)
{
    (void)state;
    struct loaded_config c;
    const char *sets[] = {"fetch.buffer_entries=4"};
    write_file("base.yaml", "gpu:\n  sms: 10\n  core_mhz: 1000\n");
    write_file("card.yaml", "extends: base\n\ngpu:\n  sms: 20\n");
    char path[256], base[256];
    snprintf(path, sizeof path, "%s/card.yaml", folder);
    snprintf(base, sizeof base, "%s/base.yaml", folder);
    load(&c, path, sets, 1);
    assert_int_equal(c.cfg.gpu.sms, 20);
    assert_string_equal(origin(&c, "gpu.sms")->file, path);
    assert_int_equal(origin(&c, "gpu.sms")->line, 4);
    assert_int_equal(c.cfg.gpu.core_mhz, 1000);
    assert_string_equal(origin(&c, "gpu.core_mhz")->file, base);
    assert_int_equal(origin(&c, "gpu.core_mhz")->line, 3);
    assert_int_equal(c.cfg.fetch.buffer_entries, 4);
    assert_string_equal(origin(&c, "fetch.buffer_entries")->file, "--set");
    assert_int_equal(origin(&c, "fetch.buffer_entries")->line, 0);
    assert_int_equal(c.cfg.sm.warps, 48);
    assert_string_equal(origin(&c, "sm.warps")->file, "");
    assert_string_equal(c.name, "card");
    assert_string_equal(c.path, path);
    config_free(&c);
}

static void extends_may_stand_anywhere_and_the_file_wins(void **state)
{
    (void)state;
    struct loaded_config c;
    char path[256];
    write_file("late.yaml", "gpu:\n  sms: 20\n  name: Late card\nextends: base.yaml\n");
    snprintf(path, sizeof path, "%s/late.yaml", folder);
    load(&c, path, NULL, 0);
    assert_int_equal(c.cfg.gpu.sms, 20);
    assert_int_equal(c.cfg.gpu.core_mhz, 1000);
    assert_string_equal(c.name, "Late card");
    config_free(&c);
}

static void the_last_set_wins(void **state)
{
    (void)state;
    struct loaded_config c;
    const char *sets[] = {"gpu.sms=3",
                          "gpu.sms=5",
                          "issue.scheduler=gto",
                          "icache.perfect=true",
                          "op.fma.units=[fma_heavy]",
                          "op.ldg_reg.raw=[40, 41, 42]",
                          "op.alu.interval=3",
                          "gpu.name='My card: fast'", /* a bare ": " would make a mapping */
                          "l2.bytes=0x60_0000",
                          "sm.registers=65_536"};
    load(&c, "rtx_a6000", sets, sizeof sets / sizeof sets[0]);
    assert_int_equal(c.cfg.gpu.sms, 5);
    assert_int_equal(c.cfg.issue.scheduler, SCHEDULER_gto);
    assert_true(c.cfg.icache.perfect);
    assert_int_equal(c.cfg.op[OP_CLASS_fma].units, UNIT_BIT(fma_heavy));
    assert_int_equal(c.cfg.op[OP_CLASS_ldg_reg].raw[1], 41);
    assert_int_equal(c.cfg.op[OP_CLASS_alu].interval[2], 3);
    assert_string_equal(c.cfg.gpu.name, "My card: fast");
    assert_int_equal(c.cfg.l2.bytes, 6291456);
    assert_int_equal(c.cfg.sm.registers, 65536);
    config_free(&c);
}

static void a_faulty_set_is_an_error_of_the_command_line(void **state)
{
    (void)state;
    static const struct {
        const char *set, *message;
    } cases[] = {
        {"fetch.bufer_entries=3",
         "--set: unknown key 'fetch.bufer_entries' (did you mean 'fetch.buffer_entries'?)"},
        {"fetch.buffer_entries=99",
         "--set: fetch.buffer_entries is 99, but must be between 1 and 16 instructions"},
        {"fetch.buffer_entries", "--set: 'fetch.buffer_entries' must have the form key.path=value"},
        {"=3", "--set: '' must have the form key.path=value"},
        {"fetch=3", "--set: 'fetch' is a section: name one of its keys, fetch.KEY"},
        {"fetch.buffer_entries=",
         "--set: fetch.buffer_entries is empty, but must be a whole number between 1 and 16 "
         "instructions"},
        {"op.fma.raw=[1, 2", "--set: malformed YAML: did not find expected ',' or ']'"},
        {"gpu.name=a: b", "--set: gpu.name is a mapping, but must be a text"},
        {"gpu.name=*x", "--set: YAML aliases are not supported"},
        {"gpu.sms=3\n--- 4", "--set: '3\n--- 4' is more than one value"},
        {"extends=rtx_3080", "--set: unknown key 'extends'"},
    };
    char got[4096];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct loaded_config c;
        memset(&errors, 0, sizeof errors);
        if (config_load(&c, "rtx_a6000", &cases[i].set, 1, &errors))
            fail_msg("%s was accepted", cases[i].set);
        assert_int_equal(errors.count, 1);
        err_format(&errors.items[0], got, sizeof got);
        assert_string_equal(got, cases[i].message);
    }
}

static void faults_of_file_and_command_line_are_reported_together(void **state)
{
    (void)state;
    struct loaded_config c;
    const char *sets[] = {"gpu.smss=3", "sm.warps=0"};
    memset(&errors, 0, sizeof errors);
    assert_false(config_load(&c, "tests/bad/config/out_of_range.yaml", sets, 2, &errors));
    assert_int_equal(errors.count, 7);
}

static void names_are_found_in_the_search_path(void **state)
{
    (void)state;
    struct loaded_config c;
    load(&c, "base", NULL, 0);
    assert_int_equal(c.cfg.gpu.sms, 10);
    config_free(&c);
    load(&c, "rtx_3080", NULL, 0); /* a later folder of the path */
    assert_string_equal(c.name, "RTX 3080");
    assert_string_equal(c.path, "configs/rtx_3080.yaml");
    assert_string_equal(origin(&c, "gpu.kernel_launch_cycles")->file, "configs/rtx_a6000.yaml");
    config_free(&c);
}

static void the_shipped_cards_are_listed_in_order(void **state)
{
    (void)state;
    size_t n = 0;
    char **names = config_list(&n);
    static const char *const cards[] = {"a100",        "b200",     "h100_sxm",    "h200",
                                        "rtx_2080_ti", "rtx_3080", "rtx_3080_ti", "rtx_3090",
                                        "rtx_4090",    "rtx_5090", "rtx_a6000"};
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            assert_true(strcmp(names[i - 1], names[i]) < 0);
        if (found < 11 && strcmp(names[i], cards[found]) == 0)
            found++;
    }
    assert_int_equal(found, 11);
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

static int set_up(void **state)
{
    (void)state;
    return !mkdtemp(folder) || setenv("SUBCORE_CONFIGS", folder, 1) || chdir(SUBCORE_SOURCE_DIR);
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const files[] = {"base.yaml", "card.yaml", "late.yaml"};
    char path[256];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_knows_its_origin),
        cmocka_unit_test(extends_may_stand_anywhere_and_the_file_wins),
        cmocka_unit_test(the_last_set_wins),
        cmocka_unit_test(a_faulty_set_is_an_error_of_the_command_line),
        cmocka_unit_test(faults_of_file_and_command_line_are_reported_together),
        cmocka_unit_test(names_are_found_in_the_search_path),
        cmocka_unit_test(the_shipped_cards_are_listed_in_order),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

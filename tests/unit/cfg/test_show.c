/* Configurations and keys as text: they load back, and docs/config.md is fresh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cfg/schema.h"
#include "cfg/show.h"
#include "cfg/yaml.h"

static struct err_list errors;
static struct yaml_patch patch;

static void load(struct loaded_config *c, const char *name, const char *const *sets, size_t n)
{
    memset(&errors, 0, sizeof errors);
    if (!config_load(c, name, sets, n, &errors))
        fail_msg("%s: %s", name, errors.items[0].msg);
}

static void check_round_trip(const char *name, const char *const *sets, size_t n)
{
    struct loaded_config c;
    struct buf text = {0};
    load(&c, name, sets, n);
    config_show(&c, &text);
    assert_false(text.failed);
    if (!yaml_read("shown.yaml", text.data, text.len, &patch, &errors))
        fail_msg("%s: line %u: %s", name, errors.items[0].line, errors.items[0].msg);
    for (size_t i = 0; i < config_key_count(); i++) {
        if (patch.line[i] == 0 || !schema_same(&patch.values, &c.cfg, config_key(i)))
            fail_msg("%s: %s does not come back", name, config_key(i)->path);
    }
    buf_free(&text);
    config_free(&c);
}

static void a_shown_configuration_loads_back(void **state)
{
    (void)state;
    const char *sets[] = {"gpu.name='a \"quoted\\ name: #1'", "op.fma.units=[fma_lite, tensor]",
                          "op.nop.raw=[4096, 100, 11]", "icache.perfect=true",
                          "issue.scheduler=oldest"};
    check_round_trip("rtx_a6000", NULL, 0);
    check_round_trip("a100", NULL, 0);
    check_round_trip("b200", NULL, 0);
    check_round_trip("h200", NULL, 0);
    check_round_trip("rtx_5090", NULL, 0);
    check_round_trip("rtx_2080_ti", NULL, 0);
    check_round_trip("rtx_a6000", sets, 5);
}

/* Every value a key can take at its limits. */
static void every_key_round_trips_at_its_limits(void **state)
{
    (void)state;
    struct loaded_config c;
    load(&c, "rtx_a6000", NULL, 0);
    for (unsigned high = 0; high < 2; high++) {
        struct buf text = {0};
        for (size_t i = 0; i < config_key_count(); i++) {
            const struct key_info *key = config_key(i);
            uint32_t *n = schema_field(&c.cfg, key);
            if (key->type == KEY_TYPE_BOOL)
                *(bool *)schema_field(&c.cfg, key) = high;
            else if (key->type == KEY_TYPE_ENUM)
                n[0] = high ? key->word_count - 1 : 0;
            else if (key->type == KEY_TYPE_SET)
                n[0] = high ? (1u << key->word_count) - 1 : 0;
            else if (key->type != KEY_TYPE_STR)
                n[0] = high ? key->max : key->min;
        }
        config_show(&c, &text);
        assert_true(yaml_read("shown.yaml", text.data, text.len, &patch, &errors));
        for (size_t i = 0; i < config_key_count(); i++)
            assert_true(schema_same(&patch.values, &c.cfg, config_key(i)));
        buf_free(&text);
    }
    config_free(&c);
}

static void values_are_shown_with_their_origin(void **state)
{
    (void)state;
    const char *sets[] = {"gpu.sms=2"};
    struct loaded_config c;
    struct buf text = {0};
    load(&c, "rtx_a6000", sets, 1);
    config_show(&c, &text);
    assert_ptr_equal(strstr(text.data, "gpu:\n  name: \"RTX A6000\""), text.data);
    assert_non_null(
        strstr(text.data, "\n  sms: 2                                             # --set\n"));
    assert_non_null(strstr(
        text.data, "\n  core_mhz: 1800                                     # configs/rtx_a6000."));
    assert_non_null(
        strstr(text.data, "  buffer_entries: 3                                  # configs/rtx_a"));
    assert_non_null(
        strstr(text.data, "\n  youngest: launch                                   # default\n"));
    assert_non_null(strstr(text.data, "\nqueue:\n  memory:\n    entries: 5 "));
    assert_non_null(strstr(text.data, "\n  fma:\n    units: [fma_heavy, fma_lite] "));
    buf_free(&text);
    config_free(&c);
}

static void keys_are_listed_with_range_unit_and_source(void **state)
{
    (void)state;
    struct buf text = {0};
    config_keys_text(&text);
    assert_non_null(strstr(text.data, "fetch.buffer_entries: number 1..16 instructions; default 3\n"
                                      "    Instruction buffer entries of a warp. [paper 5.2]\n"));
    assert_non_null(strstr(text.data, "issue.scheduler: one of cggty, gto, lrr, oldest; default "
                                      "cggty\n"));
    assert_non_null(strstr(text.data, "op.ldg_reg.raw: three numbers 1..4096 cycles; default [32, "
                                      "34, 38]\n"));
    for (size_t i = 0; i < config_key_count(); i++)
        assert_non_null(strstr(text.data, config_key(i)->path));
    buf_free(&text);
}

static void the_documentation_of_the_keys_is_fresh(void **state)
{
    (void)state;
    struct buf want = {0}, have = {0};
    config_keys_markdown(&want);
    FILE *f = fopen("docs/config.md", "rb");
    assert_non_null(f);
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        buf_add(&have, block, n);
    fclose(f);
    if (have.len != want.len || memcmp(have.data, want.data, want.len) != 0)
        fail_msg("docs/config.md is stale: run "
                 "`subcore config keys --format markdown > docs/config.md`");
    buf_free(&want);
    buf_free(&have);
}

static int enter_source(void **state)
{
    (void)state;
    unsetenv("SUBCORE_CONFIGS");
    return chdir(SUBCORE_SOURCE_DIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shown_configuration_loads_back),
        cmocka_unit_test(every_key_round_trips_at_its_limits),
        cmocka_unit_test(values_are_shown_with_their_origin),
        cmocka_unit_test(keys_are_listed_with_range_unit_and_source),
        cmocka_unit_test(the_documentation_of_the_keys_is_fresh),
    };
    return cmocka_run_group_tests(tests, enter_source, NULL);
}

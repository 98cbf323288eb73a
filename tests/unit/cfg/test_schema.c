/* The key table: every row is sane, and every key can be found, set and refused. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cfg/schema.h"
#include "cfg/value.h"

static struct value one_number(uint64_t n)
{
    struct value v = {.kind = VALUE_SCALAR, .count = 1};
    v.items[0].len = (size_t)snprintf(v.items[0].text, VALUE_TEXT_SIZE, "%" PRIu64, n);
    return v;
}

static bool accepts(const struct key_info *key, uint64_t n)
{
    static struct err_list errors;
    struct config cfg;
    struct value v = one_number(n);
    memset(&errors, 0, sizeof errors);
    config_defaults(&cfg);
    bool ok = value_store(&cfg, key, &v, "x", &errors);
    assert_int_equal(errors.count, ok ? 0 : 1);
    if (ok)
        assert_int_equal(*(const uint32_t *)schema_field_const(&cfg, key), n);
    return ok;
}

static bool has_numbers(const struct key_info *key)
{
    return key->type == KEY_TYPE_U32 || key->type == KEY_TYPE_W3;
}

static void defaults_are_in_range(void **state)
{
    (void)state;
    struct config cfg;
    config_defaults(&cfg);
    for (size_t i = 0; i < config_key_count(); i++) {
        const struct key_info *key = config_key(i);
        const uint32_t *n = schema_field_const(&cfg, key);
        for (unsigned k = 0; has_numbers(key) && k < (key->type == KEY_TYPE_W3 ? 3u : 1u); k++) {
            if (n[k] < key->min || n[k] > key->max)
                fail_msg("%s: default %u is not in %u..%u", key->path, n[k], key->min, key->max);
        }
        if (key->type == KEY_TYPE_ENUM)
            assert_true(n[0] < key->word_count);
        if (key->type == KEY_TYPE_SET)
            assert_int_equal((uint64_t)n[0] >> key->word_count, 0);
    }
}

static void a_number_outside_its_range_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < config_key_count(); i++) {
        const struct key_info *key = config_key(i);
        if (!has_numbers(key))
            continue;
        assert_true(accepts(key, key->min));
        assert_true(accepts(key, key->max));
        assert_false(accepts(key, (uint64_t)key->max + 1));
        if (key->min > 0)
            assert_false(accepts(key, key->min - 1));
    }
}

static void every_row_is_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < config_key_count(); i++) {
        const struct key_info *key = config_key(i);
        size_t len = strlen(key->doc);
        if (len < 5 || key->doc[len - 1] != '.')
            fail_msg("%s: the meaning must be a sentence that ends with a period", key->path);
        if (!key->source || key->source[0] == '\0')
            fail_msg("%s: no source", key->path);
        assert_non_null(key->unit);
        for (uint32_t w = 0; w < key->word_count; w++)
            assert_true(strlen(key->words[w].doc) >= 3);
    }
}

static void paths_are_unique_and_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < config_key_count(); i++) {
        const struct key_info *key = config_key(i);
        assert_ptr_equal(config_find_key(key->path), key);
        assert_int_equal(schema_index(key), i);
        assert_true(strlen(key->path) < SCHEMA_PATH_SIZE - 1);
    }
    assert_null(config_find_key("fetch"));
    assert_null(config_find_key("queue.none.entries"));
    assert_null(config_find_key(""));
}

static void fields_do_not_overlap(void **state)
{
    (void)state;
    static unsigned char used[sizeof(struct config)];
    struct config a, b;
    for (size_t i = 0; i < config_key_count(); i++) {
        memset(&a, 0, sizeof a);
        memset(&b, 0xff, sizeof b);
        schema_copy(&a, &b, config_key(i));
        for (size_t k = 0; k < sizeof a; k++) {
            unsigned char byte = ((const unsigned char *)&a)[k];
            if (byte && used[k])
                fail_msg("%s shares a byte with another key", config_key(i)->path);
            used[k] = used[k] || byte;
        }
    }
}

static void every_operation_class_has_its_own_default(void **state)
{
    (void)state;
    struct config cfg;
    config_defaults(&cfg);
    /* A class that op_default.def forgets would have no source and no unit. */
    for (size_t i = 0; i < OP_CLASS_COUNT; i++) {
        char path[SCHEMA_PATH_SIZE];
        snprintf(path, sizeof path, "op.%s.latency", op_class_name((enum op_class)i));
        assert_non_null(config_find_key(path)->source);
    }
    assert_int_equal(cfg.op[OP_CLASS_fma].units, UNIT_BIT(fma_heavy) | UNIT_BIT(fma_lite));
    assert_int_equal(cfg.op[OP_CLASS_fma].queue, QUEUE_none);
    assert_int_equal(cfg.op[OP_CLASS_ldg_reg].queue, QUEUE_memory);
    assert_int_equal(cfg.op[OP_CLASS_ldg_reg].raw[2], 38);
    assert_int_equal(cfg.op[OP_CLASS_ldg_reg].units, 0);
    assert_int_equal(cfg.queue[QUEUE_memory].entries, 5);
    assert_int_equal(cfg.shared_unit[SHARED_UNIT_memory].interval, 2);
}

static void nearest_names_are_suggested(void **state)
{
    (void)state;
    static const struct {
        const char *wrong, *right;
    } cases[] = {
        {"fetch.bufer_entries", "fetch.buffer_entries"},
        {"fetch.branch_cycle", "fetch.branch_cycles"},
        {"icahce.perfect", "icache.perfect"},
        {"op.ffma.latency", "op.fma.latency"},
        {"op.fm", "op.fma"},
        {"ops", "op"},
        {"gpu.warps", "sm.warps"},
        {"queue.memry.entries", "queue.memory.entries"},
    };
    char out[SCHEMA_PATH_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(schema_suggest(cases[i].wrong, out));
        assert_string_equal(out, cases[i].right);
    }
    assert_false(schema_suggest("", out));
    assert_false(schema_suggest("zzzzzzzz.qqqqqqqq", out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_in_range),
        cmocka_unit_test(a_number_outside_its_range_is_refused),
        cmocka_unit_test(every_row_is_documented),
        cmocka_unit_test(paths_are_unique_and_found),
        cmocka_unit_test(fields_do_not_overlap),
        cmocka_unit_test(every_operation_class_has_its_own_default),
        cmocka_unit_test(nearest_names_are_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* JSON writer and numbers: exact bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "report/json_writer.h"
#include "report/number.h"

static void expect(struct buf *b, const char *text)
{
    assert_false(b->failed);
    assert_string_equal(b->data, text);
    buf_free(b);
}

static void objects_and_arrays_nest_with_commas_and_indentation(void **state)
{
    (void)state;
    struct buf b = {0};
    struct json j;
    json_init(&j, &b);
    json_object(&j, NULL);
    json_u64(&j, "a", UINT64_MAX);
    json_array(&j, "b");
    json_bool(&j, NULL, true);
    json_object(&j, NULL);
    json_object_end(&j);
    json_array_end(&j);
    json_array(&j, "empty");
    json_array_end(&j);
    json_string(&j, "none", NULL);
    json_object_end(&j);
    expect(&b, "{\n"
               "  \"a\": 18446744073709551615,\n"
               "  \"b\": [\n"
               "    true,\n"
               "    {}\n"
               "  ],\n"
               "  \"empty\": [],\n"
               "  \"none\": null\n"
               "}\n");
}

static void inline_levels_stay_on_one_line(void **state)
{
    (void)state;
    struct buf b = {0};
    struct json j;
    json_init(&j, &b);
    json_object(&j, NULL);
    json_object_inline(&j, "x");
    json_array(&j, "y");
    json_u64(&j, NULL, 1);
    json_u64(&j, NULL, 2);
    json_array_end(&j);
    json_bool(&j, "z", false);
    json_object_end(&j);
    json_u64(&j, "after", 3);
    json_object_end(&j);
    expect(&b, "{\n  \"x\": {\"y\": [1, 2], \"z\": false},\n  \"after\": 3\n}\n");
}

static void quoted(const char *text, const char *json)
{
    struct buf b = {0};
    struct json j;
    char want[128];
    json_init(&j, &b);
    json_string(&j, NULL, text);
    strcpy(want, json);
    expect(&b, want);
}

static void strings_are_escaped(void **state)
{
    (void)state;
    quoted("a\"b\\c", "\"a\\\"b\\\\c\"");
    quoted("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"");
    quoted("\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"");
    quoted("<float, 4>", "\"<float, 4>\"");
}

static void utf8_is_kept_and_other_bytes_are_replaced(void **state)
{
    (void)state;
    quoted("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    quoted("a\xff"
           "b",
           "\"a\\ufffdb\"");
    quoted("\xc0\xaf", "\"\\ufffd\\ufffd\"");            /* overlong */
    quoted("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""); /* surrogate */
    quoted("\xe2\x82", "\"\\ufffd\\ufffd\"");            /* cut off */
}

static void ratio(uint64_t num, uint64_t den, uint32_t decimals, const char *text)
{
    char got[NUMBER_SIZE];
    number_ratio(got, num, den, decimals);
    assert_string_equal(got, text);
}

static void ratios_round_half_up(void **state)
{
    (void)state;
    ratio(1, 3, 4, "0.3333");
    ratio(2, 3, 4, "0.6667");
    ratio(1, 8, 2, "0.13");
    ratio(1, 2, 0, "1");
    ratio(99999, 100000, 4, "1.0000");
    ratio(0, 7, 3, "0.000");
    ratio(5, 1000, 2, "0.01");
}

static void large_ratios_do_not_overflow(void **state)
{
    (void)state;
    ratio(UINT64_MAX, 1, 2, "18446744073709551615.00");
    ratio(UINT64_MAX, UINT64_MAX, 4, "1.0000");
    ratio(UINT64_MAX / 2, UINT64_MAX, 2, "0.50");
    ratio(1, UINT64_MAX / 10, 4, "0.0000");
}

static void ratio_by_zero_is_null(void **state)
{
    (void)state;
    struct buf b = {0};
    struct json j;
    json_init(&j, &b);
    json_array_inline(&j, NULL);
    json_ratio(&j, NULL, 5, 0, 4);
    json_ratio(&j, NULL, 5, 2, 4);
    json_array_end(&j);
    expect(&b, "[null, 2.5000]\n");
}

static void thousands_are_grouped(void **state)
{
    (void)state;
    static const struct {
        uint64_t v;
        const char *text;
    } rows[] = {{0, "0"},          {999, "999"},        {1000, "1,000"},
                {12345, "12,345"}, {100000, "100,000"}, {UINT64_MAX, "18,446,744,073,709,551,615"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char got[NUMBER_SIZE];
        number_grouped(got, rows[i].v);
        assert_string_equal(got, rows[i].text);
    }
}

static void percent(uint64_t num, uint64_t den, const char *text)
{
    char got[NUMBER_SIZE];
    number_percent(got, num, den, 1);
    assert_string_equal(got, text);
}

static void percentages(void **state)
{
    (void)state;
    percent(1, 3, "33.3");
    percent(1, 1, "100.0");
    percent(1, 0, "-");
    percent(UINT64_MAX / 4, UINT64_MAX / 2, "50.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_arrays_nest_with_commas_and_indentation),
        cmocka_unit_test(inline_levels_stay_on_one_line),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(utf8_is_kept_and_other_bytes_are_replaced),
        cmocka_unit_test(ratios_round_half_up),
        cmocka_unit_test(large_ratios_do_not_overflow),
        cmocka_unit_test(ratio_by_zero_is_null),
        cmocka_unit_test(thousands_are_grouped),
        cmocka_unit_test(percentages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

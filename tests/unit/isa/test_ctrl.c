#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/opcode.h"

static uint64_t high_word(uint32_t control)
{
    return (uint64_t)control << 41;
}

static void control_bits_format_as_text(void **state)
{
    (void)state;
    static const struct {
        uint64_t hi;
        const char *text;
    } cases[] = {
        {0x000fe400078e00ff, "B------:R-:W-:-:S02"}, {0x000fc80003f05070, "B------:R-:W-:Y:S04"},
        {0x000e220000002500, "B------:R-:W0:-:S01"}, {0x001fc800078e0203, "B0-----:R-:W-:Y:S04"},
        {0x00407600000e0000, "B--2---:R0:W1:-:S11"}, {0x000fc00000000000, "B------:R-:W-:Y:S00"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[24];
        ctrl_format(ctrl_decode(cases[i].hi), text);
        assert_string_equal(text, cases[i].text);
    }
}

static void yield_bit_is_inverted(void **state)
{
    (void)state;
    assert_true(ctrl_decode(high_word(5)).yield);
    assert_false(ctrl_decode(high_word(16 + 5)).yield);
    struct ctrl never_emitted = ctrl_decode(high_word(16));
    assert_int_equal(never_emitted.stall, 0);
    assert_false(never_emitted.yield);
}

static void every_control_value_survives_text(void **state)
{
    (void)state;
    for (uint32_t v = 0; v < 1u << 17; v++) {
        struct ctrl c = ctrl_decode(high_word(v)), back;
        if (c.write_bar == 6 || c.read_bar == 6)
            continue; /* no counter 6 exists */
        char text[24];
        ctrl_format(c, text);
        assert_true(ctrl_parse(text, strlen(text), &back));
        assert_int_equal(back.stall, c.stall);
        assert_int_equal(back.yield, c.yield);
        assert_int_equal(back.write_bar, c.write_bar);
        assert_int_equal(back.read_bar, c.read_bar);
        assert_int_equal(back.wait_mask, c.wait_mask);
    }
}

static void parse_does_not_read_past_the_length(void **state)
{
    (void)state;
    struct ctrl c;
    assert_true(ctrl_parse("B------:R-:W-:-:S01]", 19, &c));
    assert_false(ctrl_parse("B------:R-:W-:-:S01", 18, &c));
    assert_false(ctrl_parse("", 0, &c));
}

static void parse_rejects_other_text(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "b------:R-:W-:-:S01",  "B-----:R-:W-:-:S01",  "B0--1--:R-:W-:-:S01", "B------:R6:W-:-:S01",
        "B------:R-:W7:-:S01",  "B------:R-:W-:y:S01", "B------:R-:W-:-:S16", "B------:R-:W-:-:S 1",
        "B------:R-:W-:-:S011", "B------:W-:R-:-:S01", "B------ R-:W-:-:S01",
    };
    struct ctrl c;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (ctrl_parse(bad[i], strlen(bad[i]), &c))
            fail_msg("accepted \"%s\"", bad[i]);
}

static void reuse_flags_are_bits_58_to_60(void **state)
{
    (void)state;
    assert_int_equal(ctrl_reuse((uint64_t)1 << 58), 1);
    assert_int_equal(ctrl_reuse((uint64_t)1 << 59), 2);
    assert_int_equal(ctrl_reuse((uint64_t)1 << 60), 4);
    assert_int_equal(ctrl_reuse((uint64_t)1 << 61 | (uint64_t)1 << 57), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_bits_format_as_text),
        cmocka_unit_test(yield_bit_is_inverted),
        cmocka_unit_test(every_control_value_survives_text),
        cmocka_unit_test(parse_does_not_read_past_the_length),
        cmocka_unit_test(parse_rejects_other_text),
        cmocka_unit_test(reuse_flags_are_bits_58_to_60),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

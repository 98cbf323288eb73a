/* The public API, as a user of the library sees it. */
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

#include "subcore/subcore.h"

#define CARD SUBCORE_SOURCE_DIR "/configs/rtx_a6000.yaml"

static const char listing[] = ".kernel small\n.grid 2,1,1\n.block 64,1,1\n"
                              "[B------:R-:W-:-:S01] MOV R1, 0x1 ;\n"
                              "[B------:R-:W-:-:S05] FADD R2, R1, R1 ;\n"
                              "[B------:R-:W-:-:S05] EXIT ;\n";

static uint64_t value(const struct subcore *s, size_t kernel, const char *name)
{
    uint64_t v = UINT64_MAX;
    if (subcore_stat(s, kernel, name, &v) != SUBCORE_OK)
        fail_msg("no number '%s'", name);
    return v;
}

static void kernels_run_one_after_the_other_and_are_added_up(void **state)
{
    (void)state;
    char path[] = "/tmp/subcore-test-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, listing, sizeof listing - 1), sizeof listing - 1);
    close(fd);
    struct subcore *s = subcore_open(CARD, NULL, 0);
    assert_int_equal(subcore_set_threads(s, 2), SUBCORE_OK);
    assert_int_equal(subcore_set_sms(s, 4), SUBCORE_OK);
    for (int i = 0; i < 2; i++)
        if (subcore_run(s, path) != SUBCORE_OK)
            fail_msg("%s", subcore_error(s));
    unlink(path);
    assert_int_equal(subcore_kernel_count(s), 2);
    assert_string_equal(subcore_kernel_name(s, 1), "small");
    assert_null(subcore_kernel_name(s, 2));
    assert_int_equal(value(s, 0, "warp_instructions"), 12);
    assert_int_equal(value(s, SUBCORE_TOTAL, "warp_instructions"), 24);
    assert_int_equal(value(s, SUBCORE_TOTAL, "issue.stalls.selected"),
                     2 * value(s, 0, "issue.stalls.selected"));
    assert_true(value(s, SUBCORE_TOTAL, "cycles") >= 2 * value(s, 0, "cycles"));
    assert_int_equal(subcore_set_threads(s, 1), SUBCORE_USAGE);
    subcore_close(s);
}

static void unknown_names_and_kernels_are_usage_errors(void **state)
{
    (void)state;
    struct subcore *s = subcore_open(CARD, NULL, 0);
    uint64_t v = 5;
    assert_int_equal(subcore_stat(s, 0, "cycles", &v), SUBCORE_USAGE);
    assert_int_equal(subcore_stat(s, SUBCORE_TOTAL, "cycle", &v), SUBCORE_USAGE);
    assert_int_equal(subcore_stat(s, SUBCORE_TOTAL, "l0.hits", &v), SUBCORE_USAGE);
    assert_int_equal(v, 5);
    assert_int_equal(value(s, SUBCORE_TOTAL, "icache.l0.hits"), 0);
    assert_int_equal(value(s, SUBCORE_TOTAL, "register_file.reads"), 0);
    subcore_close(s);
}

static void bad_configuration_is_told_by_the_handle(void **state)
{
    (void)state;
    static const char *const sets[] = {"fetch.bufer_entries=2", "sm.warps=1000"};
    struct subcore *s = subcore_open(CARD, sets, 2);
    assert_int_equal(subcore_status(s), SUBCORE_INPUT);
    assert_non_null(strstr(subcore_error(s), "fetch.bufer_entries"));
    assert_non_null(strstr(subcore_error(s), "sm.warps"));
    assert_int_equal(subcore_run(s, "x"), SUBCORE_INPUT);
    subcore_close(s);
}

static void bad_input_is_an_error_with_its_name(void **state)
{
    (void)state;
    struct subcore *s = subcore_open(CARD, NULL, 0);
    assert_int_equal(subcore_run(s, "/nonexistent/kernelslist.g"), SUBCORE_INPUT);
    assert_non_null(strstr(subcore_error(s), "/nonexistent/kernelslist.g"));
    assert_int_equal(subcore_kernel_count(s), 0);
    subcore_close(s);
    subcore_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_run_one_after_the_other_and_are_added_up),
        cmocka_unit_test(unknown_names_and_kernels_are_usage_errors),
        cmocka_unit_test(bad_configuration_is_told_by_the_handle),
        cmocka_unit_test(bad_input_is_an_error_with_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

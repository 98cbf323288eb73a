/* The raw form: grouping, pairs, owners; and the sort behind it. */
#include "trace/trace_sort.h"

#include "trace_support.h"

static void raw_lines_are_grouped_in_order(void **state)
{
    (void)state;
    expect_dump(HEADER("5") "1 0 0 1 0000 ffffffff 1 R0 S2R 0 0 0 \n"
                            "0 0 0 1 0000 ffffffff 1 R0 S2R 0 0 0 \n"
                            "1 0 0 0 0000 ffffffff 1 R0 S2R 0 0 0 \n"
                            "0 0 0 1 0010 ffffffff 0 EXIT 0 0 0 \n"
                            "\n1 0 0 1 0010 00000001 0 EXIT 0 0 0",
                "cta 0,0,0\n1: 0000 S2R ffffffff\n1: 0010 EXIT ffffffff\n"
                "cta 1,0,0\n0: 0000 S2R ffffffff\n1: 0000 S2R ffffffff\n1: 0010 EXIT 00000001\n",
                NULL);
}

static void raw_version_6_has_eleven_leading_numbers(void **state)
{
    (void)state;
    const char *want = "cta 1,0,0\n0: 0000 S2R ffffffff\n";
    expect_dump(HEADER("6") "1 0 0 0 0 0 0 1 0 0 1 0000 ffffffff 1 R0 S2R 0 0 0 0 NoVal\n", want,
                NULL);
    expect_dump(HEADER("5") "1 0 0 0 0 0 0 1 0 0 1 0000 ffffffff 1 R0 S2R 0 0 0\n", want, NULL);
}

static void raw_lines_may_name_the_sm(void **state)
{
    (void)state;
    struct diag diag = {0};
    expect_dump(HEADER("5") "1 0 0 0 17 33 0000 ffffffff 1 R0 S2R 0 0 0\n",
                "cta 1,0,0\n0: 0000 S2R ffffffff\n", &diag);
    expect_warning(&diag, "TOOL_TRACE_CORE");
}

static void raw_ldgsts_is_halved_by_warp(void **state)
{
    (void)state;
#define LDGSTS(warp, address)                                                                      \
    "0 0 0 " warp " 00b0 00000003 0 LDGSTS.E 2 R6 R14 4 1 " address " 4 0\n"
    expect_dump(HEADER("5") LDGSTS("0", "0x40") LDGSTS("1", "0x60") LDGSTS("1", "0x7000")
                    LDGSTS("0", "0x8000") "0 0 0 0 00c0 00000003 0 ARRIVES.LDGSTSBAR.64 1 R2 0 0\n",
                "cta 0,0,0\n0: 00b0 LDGSTS.E 00000003 global/4 0x8000+4\n"
                "0: 00c0 ARRIVES.LDGSTSBAR.64 00000003\n"
                "1: 00b0 LDGSTS.E 00000003 global/4 0x7000+4\n",
                NULL);
    struct diag diag = {0};
    expect_dump(HEADER("5") LDGSTS("0", "0x7000") "0 0 0 0 00c0 00000003 0 EXIT 0 0 0\n",
                "cta 0,0,0\n0: 00b0 LDGSTS.E 00000003 global/4 0x7000+4\n0: 00c0 EXIT 00000003\n",
                &diag);
    expect_warning(&diag, "an LDGSTS stands alone");
}

static void raw_owner_must_exist(void **state)
{
    (void)state;
    expect_error(HEADER("5") "2 0 0 0 0000 ffffffff 1 R0 S2R 0 0 0\n", 14,
                 "kernel k: expected a CTA of the grid (2,1,1), found 2,0,0");
    expect_error(HEADER("5") "0 0 0 2 0000 ffffffff 1 R0 S2R 0 0 0\n", 14,
                 "kernel k: expected a warp below 2, found 2");
    expect_error(HEADER("5") "0 0 0 1 0000 ffffffff 1 R0 S2R 0 0 0\n#END\nfoo\n", 16,
                 "kernel k: expected a CTA coordinate, found 'foo'");
    expect_error(HEADER("5") "0 0 0 1 0000 ffffffff 1 R0 S2R 0 0 0\n0 0 0 1 0010 fff\n", 15,
                 "kernel k, CTA 0,0,0, warp 1: expected a number of registers from 0 to 32, found "
                 "the end of the line");
}

#define RECORDS 20000u

static uint64_t key(uint32_t i)
{
    return i * 2654435761u % 97;
}

/* Sorts RECORDS records within `memory` and checks order and text. */
static void sort_all(size_t memory)
{
    struct sim_err err = {0};
    struct trace_sort *s;
    assert_true(trace_sort_new(&s, memory, &err));
    for (uint32_t i = 0; i < RECORDS; i++) {
        char text[64];
        struct sort_record r = {.cta = key(i), .warp = i % 5, .line = i + 1, .text = text};
        r.len = (uint32_t)sprintf(text, "line %u", i);
        assert_true(trace_sort_add(s, &r, &err));
    }
    assert_true(trace_sort_finish(s, &err));
    struct sort_record last = {0}, r;
    uint32_t count = 0;
    for (;;) {
        assert_true(trace_sort_next(s, &r, &err));
        if (!r.text)
            break;
        bool later = r.cta > last.cta || (r.cta == last.cta && r.warp > last.warp) ||
                     (r.cta == last.cta && r.warp == last.warp && r.line > last.line);
        assert_true(later);
        char text[64];
        sprintf(text, "line %u", (uint32_t)r.line - 1);
        assert_string_equal(r.text, text);
        assert_int_equal(r.cta, key((uint32_t)r.line - 1));
        last = r;
        count++;
    }
    assert_int_equal(count, RECORDS);
    trace_sort_free(s);
}

static void sort_gives_the_same_in_memory_and_through_the_disk(void **state)
{
    (void)state;
    sort_all((size_t)64 << 20);
    sort_all(100000);
    sort_all(1000);
}

static void sort_takes_lines_longer_than_its_buffers(void **state)
{
    (void)state;
    struct sim_err err = {0};
    struct trace_sort *s;
    assert_true(trace_sort_new(&s, 1000, &err));
    char *text = malloc(SORT_LINE_MAX);
    memset(text, 'x', SORT_LINE_MAX);
    for (uint32_t i = 0; i < 3; i++) {
        struct sort_record r = {.cta = 3 - i, .line = 1, .len = SORT_LINE_MAX - i, .text = text};
        assert_true(trace_sort_add(s, &r, &err));
    }
    free(text);
    assert_true(trace_sort_finish(s, &err));
    struct sort_record r;
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(trace_sort_next(s, &r, &err));
        assert_int_equal(r.cta, i + 1);
        assert_int_equal(r.len, SORT_LINE_MAX - 2 + i);
        assert_int_equal(strlen(r.text), r.len);
    }
    assert_true(trace_sort_next(s, &r, &err));
    assert_null(r.text);
    trace_sort_free(s);
}

static void sort_without_a_directory_for_temporary_files_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(setenv("TMPDIR", "/no/such/directory", 1), 0);
    struct sim_err err = {0};
    struct trace_sort *s;
    assert_true(trace_sort_new(&s, 10, &err));
    struct sort_record r = {.len = 4, .text = (char[]){"text"}};
    assert_true(trace_sort_add(s, &r, &err));
    assert_false(trace_sort_add(s, &r, &err));
    assert_int_equal(err.code, ERR_RESOURCE);
    assert_string_equal(err.msg, "cannot create a temporary file to sort a raw trace (set TMPDIR): "
                                 "No such file or directory");
    trace_sort_free(s);
    unsetenv("TMPDIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_lines_are_grouped_in_order),
        cmocka_unit_test(raw_version_6_has_eleven_leading_numbers),
        cmocka_unit_test(raw_lines_may_name_the_sm),
        cmocka_unit_test(raw_ldgsts_is_halved_by_warp),
        cmocka_unit_test(raw_owner_must_exist),
        cmocka_unit_test(sort_gives_the_same_in_memory_and_through_the_disk),
        cmocka_unit_test(sort_takes_lines_longer_than_its_buffers),
        cmocka_unit_test(sort_without_a_directory_for_temporary_files_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

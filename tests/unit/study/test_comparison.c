/* Two small results side by side. */
#define _XOPEN_SOURCE 700 /* mkstemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/comparison.h"

#define HEAD "{\"version\": \"1\", \"card\": \"C\", \"config\": {\"sm\": "

static const char text_a[] = HEAD
    "{\"warps\": {\"value\": 48, \"origin\": \"x\"}, \"set\": {\"value\": [1, 2], \"origin\": "
    "\"\"}}},"
    "\"kernels\": ["
    "{\"name\": \"k\", \"launch\": null, \"cycles\": 100, \"start_cycle\": 1,"
    " \"l2\": {\"hits\": 1000, \"few\": 1}, \"issue\": {\"stalls\": {\"wait\": 10, \"drain\": 5}},"
    " \"by_pc\": [{\"pc\": \"0x0010\", \"sass\": \"NOP\", \"warp_cycles\": 7, \"stalls\": "
    "{\"wait\": 7}},"
    " {\"pc\": \"0x0020\", \"sass\": \"EXIT\", \"warp_cycles\": 3, \"stalls\": {}}]},"
    "{\"name\": \"k\", \"launch\": null, \"cycles\": 50},"
    "{\"name\": \"only\", \"launch\": \"here\", \"cycles\": 5}],"
    "\"total\": {\"cycles\": 155}}";

static const char text_b[] = HEAD
    "{\"warps\": {\"value\": 64, \"origin\": \"x\"}, \"set\": {\"value\": [1, 2], \"origin\": "
    "\"y\"},"
    " \"new\": {\"value\": true, \"origin\": \"\"}}},"
    "\"kernels\": ["
    "{\"name\": \"k\", \"launch\": null, \"cycles\": 110, \"start_cycle\": 9,"
    " \"l2\": {\"hits\": 500, \"few\": 2}, \"issue\": {\"stalls\": {\"wait\": 30, \"drain\": 5}},"
    " \"by_pc\": [{\"pc\": \"0x0020\", \"sass\": \"EXIT\", \"warp_cycles\": 13, \"stalls\": "
    "{\"drain\": 10}},"
    " {\"pc\": \"0x0010\", \"sass\": \"NOP\", \"warp_cycles\": 7, \"stalls\": {\"wait\": 7}}]},"
    "{\"name\": \"k\", \"launch\": null, \"cycles\": 80}],"
    "\"total\": {\"cycles\": 190}}";

static char paths[2][64];

static void write_text(char path[64], const char *text)
{
    strcpy(path, "/tmp/subcore-diff-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (long)strlen(text));
    close(fd);
}

static void make(struct comparison *c)
{
    struct sim_err err = {0};
    write_text(paths[0], text_a);
    write_text(paths[1], text_b);
    bool ok = comparison_make(c, paths[0], paths[1], &err);
    unlink(paths[0]);
    unlink(paths[1]);
    if (!ok)
        fail_msg("%s", err.msg);
}

static void kernels_are_paired_by_name_and_order_and_sorted_by_change(void **state)
{
    (void)state;
    struct comparison c;
    make(&c);
    assert_int_equal(c.kernel_count, 2);
    assert_true(c.kernels[0].cycles[0] == 50 && c.kernels[0].cycles[1] == 80);
    assert_true(c.kernels[1].cycles[0] == 100 && c.kernels[1].cycles[1] == 110);
    assert_int_equal(c.only_count[0], 1);
    assert_string_equal(c.only[0][0], "here");
    assert_int_equal(c.only_count[1], 0);
    assert_true(c.total.cycles[1] == 190);
    comparison_free(&c);
}

static void values_that_differ_come_by_weight(void **state)
{
    (void)state;
    struct comparison c;
    make(&c);
    const struct comparison_kernel *k = &c.kernels[1];
    static const char *const paths_in_order[] = {"l2.hits", "issue.stalls.wait", "l2.few",
                                                 "cycles"};
    assert_int_equal(k->value_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(k->values[i].path, paths_in_order[i]);
    comparison_free(&c);
}

static void instructions_of_both_are_paired_by_pc(void **state)
{
    (void)state;
    struct comparison c;
    make(&c);
    assert_true(c.kernels[1].by_pc);
    assert_false(c.kernels[0].by_pc);
    assert_int_equal(c.kernels[1].pc_count, 1);
    assert_string_equal(c.kernels[1].pcs[0].pc, "0x0020");
    assert_true(c.kernels[1].pcs[0].cycles[0] == 3 && c.kernels[1].pcs[0].cycles[1] == 13);
    comparison_free(&c);
}

static void text_shows_what_changed(void **state)
{
    (void)state;
    struct comparison c;
    struct buf out = {0};
    make(&c);
    comparison_text(&out, &c, false);
    static const char *const parts[] = {
        "\nConfiguration\n  sm.warps                               48 -> 64\n"
        "  sm.new                                 (none) -> true\n\nk\n",
        "  Cycles                                               50             80             30"
        "    +60.0 %\n",
        "  Warp cycles by reason                                 A              B     difference"
        "     change\n"
        "  wait                                                 10             30             20"
        "   +200.0 %\n"
        "  Other numbers                                         A              B     difference"
        "     change\n"
        "  l2.hits                                           1,000            500           -500"
        "    -50.0 %\n",
        "  0x0020  EXIT                                                  3             13"
        "             10  drain +10\n",
        "\nOnly in A: here\n"};
    const char *at = out.data;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        at = strstr(at, parts[i]);
        if (!at)
            fail_msg("not found, or too early: %s\nin:\n%s", parts[i], out.data);
    }
    buf_free(&out);
    comparison_free(&c);
}

static void json_and_csv_have_all_values(void **state)
{
    (void)state;
    struct comparison c;
    struct buf out = {0};
    make(&c);
    comparison_csv(&out, &c);
    assert_non_null(strstr(out.data, "kernel,name,a,b,change\nk,cycles,50,80,0.6\nk,l2.hits,1000,"
                                     "500,-0.5\n"));
    out.len = 0;
    comparison_json(&out, &c);
    assert_non_null(strstr(out.data, "{\"key\": \"sm.warps\", \"a\": \"48\", \"b\": \"64\"}"));
    assert_non_null(
        strstr(out.data, "{\"name\": \"l2.hits\", \"a\": 1000, \"b\": 500, \"change\": -0.5}"));
    assert_non_null(strstr(out.data, "{\"pc\": \"0x0020\", \"sass\": \"EXIT\", \"a\": 3, "));
    buf_free(&out);
    comparison_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_paired_by_name_and_order_and_sorted_by_change),
        cmocka_unit_test(values_that_differ_come_by_weight),
        cmocka_unit_test(instructions_of_both_are_paired_by_pc),
        cmocka_unit_test(text_shows_what_changed),
        cmocka_unit_test(json_and_csv_have_all_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* G4: which reads the register-file cache serves (paper, listing 2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/harness.h"

/* Copies `text` without its line that contains `what`. */
static void drop_line(char *text, const char *what)
{
    char *at = strstr(text, what);
    assert_non_null(at);
    char *start = at;
    while (start > text && start[-1] != '\n')
        start--;
    char *next = strchr(at, '\n');
    assert_non_null(next);
    memmove(start, next + 1, strlen(next + 1) + 1);
}

static uint64_t hits_of(const char *text)
{
    struct run r;
    run_text(&r, text, NULL);
    uint64_t hits = r.result.stats.rfc_hits;
    run_free(&r);
    return hits;
}

/* Hits of the second instruction, and of the third: the latter is what the listing has more than
 * the same listing without its third instruction. */
static void check(char which, uint64_t second, uint64_t third)
{
    char path[64];
    snprintf(path, sizeof path, "traces/micro/g4_%c.sass", which);
    char *text = source_text(path);
    uint64_t both = hits_of(text);
    drop_line(text, "IADD3 R10");
    uint64_t alone = hits_of(text);
    free(text);
    assert_int_equal(alone, second);
    assert_int_equal(both - alone, third);
}

static void a_read_without_reuse_gives_the_value_up(void **state)
{
    (void)state;
    check('a', 1, 0);
}

static void a_read_with_reuse_keeps_the_value(void **state)
{
    (void)state;
    check('b', 1, 1);
}

static void another_position_misses_and_the_other_bank_keeps_the_value(void **state)
{
    (void)state;
    check('c', 0, 1);
}

static void a_read_of_the_same_bank_and_position_invalidates(void **state)
{
    (void)state;
    check('d', 0, 0);
}

/* Registers read through a port: all nine sources less the hits. */
static void hits_do_not_use_a_port(void **state)
{
    (void)state;
    const uint64_t expected[] = {8, 7, 8, 9};
    for (uint32_t i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "traces/micro/g4_%c.sass", (char)('a' + (char)i));
        struct run r;
        run_listing(&r, path, NULL);
        uint64_t reads = r.result.stats.register_file_reads;
        run_free(&r);
        assert_int_equal(reads, expected[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_without_reuse_gives_the_value_up),
        cmocka_unit_test(a_read_with_reuse_keeps_the_value),
        cmocka_unit_test(another_position_misses_and_the_other_bank_keeps_the_value),
        cmocka_unit_test(a_read_of_the_same_bank_and_position_invalidates),
        cmocka_unit_test(hits_do_not_use_a_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

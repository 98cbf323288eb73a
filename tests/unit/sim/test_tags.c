/* Tag arrays: sets, recency, carve-out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/tags.h"

static void make(struct tags *t, struct arena *a, uint32_t sets, uint32_t ways)
{
    memset(a, 0, sizeof *a);
    assert_true(tags_init(t, a, (uint64_t)sets * ways * 128, 128, ways));
    assert_int_equal(t->sets, sets);
    assert_int_equal(t->ways, ways);
}

static void a_line_is_found_after_it_was_inserted(void **state)
{
    (void)state;
    struct tags t;
    struct arena a;
    make(&t, &a, 4, 2);
    assert_int_equal(tags_find(&t, 5), TAGS_NONE);
    uint32_t e = tags_insert(&t, 5);
    assert_int_equal(tags_find(&t, 5), e);
    assert_int_equal(t.lines[e].line, 5);
    assert_int_equal(t.lines[e].valid, 0);
    assert_int_equal(tags_find(&t, 5 + 4), TAGS_NONE);
    arena_free(&a);
}

static void the_least_recent_line_of_the_set_goes(void **state)
{
    (void)state;
    struct tags t;
    struct arena a;
    make(&t, &a, 4, 3);
    tags_insert(&t, 0);
    tags_insert(&t, 4);
    tags_insert(&t, 8);
    tags_insert(&t, 1); /* another set */
    tags_touch(&t, tags_find(&t, 0));
    tags_insert(&t, 12);
    assert_int_equal(tags_find(&t, 4), TAGS_NONE);
    assert_int_not_equal(tags_find(&t, 0), TAGS_NONE);
    assert_int_not_equal(tags_find(&t, 8), TAGS_NONE);
    assert_int_not_equal(tags_find(&t, 1), TAGS_NONE);
    tags_insert(&t, 16);
    assert_int_equal(tags_find(&t, 8), TAGS_NONE);
    assert_int_not_equal(tags_find(&t, 0), TAGS_NONE);
    arena_free(&a);
}

static void finding_a_line_does_not_make_it_recent(void **state)
{
    (void)state;
    struct tags t;
    struct arena a;
    make(&t, &a, 1, 2);
    tags_insert(&t, 1);
    tags_insert(&t, 2);
    tags_find(&t, 1);
    tags_insert(&t, 3);
    assert_int_equal(tags_find(&t, 1), TAGS_NONE);
    arena_free(&a);
}

static void a_reused_entry_has_no_valid_sector(void **state)
{
    (void)state;
    struct tags t;
    struct arena a;
    make(&t, &a, 1, 1);
    uint32_t e = tags_insert(&t, 1);
    t.lines[e].valid = 0xf;
    t.lines[e].ready = 99;
    e = tags_insert(&t, 2);
    assert_int_equal(t.lines[e].valid, 0);
    assert_int_equal(t.lines[e].ready, 0);
    arena_free(&a);
}

static void clearing_forgets_every_line(void **state)
{
    (void)state;
    struct tags t;
    struct arena a;
    make(&t, &a, 8, 4);
    for (uint64_t line = 0; line < 100; line++)
        tags_insert(&t, line);
    tags_clear(&t);
    for (uint64_t line = 0; line < 100; line++)
        assert_int_equal(tags_find(&t, line), TAGS_NONE);
    tags_insert(&t, 3);
    assert_int_not_equal(tags_find(&t, 3), TAGS_NONE);
    arena_free(&a);
}

static void resizing_limits_the_ways_of_every_set(void **state)
{
    (void)state;
    struct tags t;
    struct arena a;
    make(&t, &a, 2, 4);
    for (uint32_t ways = 1; ways <= 4; ways++) {
        uint32_t kept = 0;
        tags_resize(&t, ways);
        for (uint64_t line = 0; line < 16; line++)
            tags_insert(&t, line);
        for (uint64_t line = 0; line < 16; line++)
            kept += tags_find(&t, line) != TAGS_NONE;
        assert_int_equal(kept, 2 * ways);
        assert_int_not_equal(tags_find(&t, 15), TAGS_NONE);
    }
    arena_free(&a);
}

static void a_size_below_one_set_is_one_line(void **state)
{
    (void)state;
    struct tags t;
    struct arena a = {0};
    assert_true(tags_init(&t, &a, 0, 128, 16));
    tags_insert(&t, 1);
    tags_insert(&t, 2);
    assert_int_equal(tags_find(&t, 1), TAGS_NONE);
    assert_int_not_equal(tags_find(&t, 2), TAGS_NONE);
    arena_free(&a);
}

/* Against a list kept in order of recency. */
static void random_use_keeps_the_most_recent_lines(void **state)
{
    (void)state;
    enum { SETS = 4, WAYS = 5 };
    struct tags t;
    struct arena a;
    uint64_t order[SETS][WAYS], s = 1;
    uint32_t n[SETS] = {0};
    make(&t, &a, SETS, WAYS);
    for (uint32_t i = 0; i < 20000; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        uint64_t line = (s >> 40) % 40;
        uint32_t set = (uint32_t)(line % SETS), at = 0;
        while (at < n[set] && order[set][at] != line)
            at++;
        uint32_t e = tags_find(&t, line);
        assert_int_equal(e != TAGS_NONE, at < n[set]);
        if (e != TAGS_NONE)
            tags_touch(&t, e);
        else
            tags_insert(&t, line);
        if (at == n[set] && n[set] < WAYS)
            n[set]++;
        else if (at == n[set])
            at--;
        for (; at > 0; at--)
            order[set][at] = order[set][at - 1];
        order[set][0] = line;
    }
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_found_after_it_was_inserted),
        cmocka_unit_test(the_least_recent_line_of_the_set_goes),
        cmocka_unit_test(finding_a_line_does_not_make_it_recent),
        cmocka_unit_test(a_reused_entry_has_no_valid_sector),
        cmocka_unit_test(clearing_forgets_every_line),
        cmocka_unit_test(resizing_limits_the_ways_of_every_set),
        cmocka_unit_test(a_size_below_one_set_is_one_line),
        cmocka_unit_test(random_use_keeps_the_most_recent_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A slice of the L2, and servers: masks of sectors, replacement, waiting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mem/l2.h"

static void the_least_recent_line_makes_room(void **state)
{
    (void)state;
    for (uint32_t ways = 1; ways <= 64; ways++) {
        struct arena a = {0};
        struct l2_slice s;
        struct l2_victim v;
        assert_true(l2_slice_init(&s, &a, 1, ways));
        for (uint64_t line = 0; line < ways; line++) {
            assert_null(l2_find(&s, line, line));
            l2_insert(&s, line, line, &v);
            assert_int_equal(v.dirty, 0);
        }
        for (uint64_t line = 0; line < ways; line++)
            assert_non_null(l2_find(&s, line, line));
        assert_non_null(l2_find(&s, 0, 0));
        for (uint64_t i = 1; i < ways; i++) {
            l2_insert(&s, 100 + i, 100 + i, &v);
            assert_int_equal(v.line, i);
        }
        l2_insert(&s, 200, 200, &v);
        assert_int_equal(v.line, 0);
        arena_free(&a);
    }
}

static void a_victim_says_what_is_dirty(void **state)
{
    (void)state;
    struct arena a = {0};
    struct l2_slice s;
    struct l2_victim v;
    assert_true(l2_slice_init(&s, &a, 1, 1));
    struct l2_line *l = l2_insert(&s, 7, 7, &v);
    l2_fill(l, 0x3, 100);
    l2_write(l, 0xa);
    l = l2_insert(&s, 8, 8, &v);
    assert_int_equal(v.line, 7);
    assert_int_equal(v.dirty, 0xa);
    assert_int_equal(l->valid, 0);
    l2_insert(&s, 9, 9, &v);
    assert_int_equal(v.dirty, 0);
    arena_free(&a);
}

static void sets_are_used_evenly(void **state)
{
    (void)state;
    struct arena a = {0};
    struct l2_slice s;
    struct l2_victim v;
    assert_true(l2_slice_init(&s, &a, 320, 16));
    for (uint64_t line = 0; line < 320 * 16; line++)
        l2_insert(&s, 1000 + line, line, &v);
    for (uint64_t line = 0; line < 320 * 16; line++)
        assert_non_null(l2_find(&s, 1000 + line, line));
    arena_free(&a);
}

static void only_sectors_on_their_way_are_waited_for(void **state)
{
    (void)state;
    struct l2_line l = {0};
    l2_fill(&l, 0x3, 100);
    assert_int_equal(l2_ready(&l, 0x1, 50), 100);
    assert_int_equal(l2_ready(&l, 0x4, 50), 50);
    l2_fill(&l, 0xc, 80); /* a line has one time: the latest */
    assert_int_equal(l2_ready(&l, 0x4, 50), 100);
    l2_write(&l, 0x1);
    assert_int_equal(l2_ready(&l, 0x1, 50), 50);
    assert_int_equal(l2_ready(&l, 0xe, 100), 100);
    assert_int_equal(l.pending, 0);
    l2_fill(&l, 0x1, 300);
    assert_int_equal(l2_ready(&l, 0x2, 200), 200);
    l2_drop(&l, 0x3);
    assert_int_equal(l.valid, 0xc);
    assert_int_equal(l.dirty, 0x1);
}

static void a_rate_does_not_round(void **state)
{
    (void)state;
    struct server s = {0};
    server_time third = server_cost(4, 3);
    cycle_t last = 0;
    for (uint32_t i = 0; i <= 3000; i++)
        last = server_take(&s, 10, third);
    assert_in_range(last, 10 + 3999, 10 + 4000);
    assert_int_equal(server_take(&s, 9000, third), 9000);
    assert_int_equal(server_end(&s), 9002);
}

/* A request that comes by a longer way does not hold up those that come in after it. */
static void a_longer_way_takes_the_server_in_order(void **state)
{
    (void)state;
    struct server s = {0};
    struct trip far = {.in = 10, .now = 10}, near = {.in = 11, .now = 11};
    trip_go(&far, 100);
    trip_take(&far, &s, server_cost(5, 1));
    assert_int_equal(far.now, 110);
    trip_take(&near, &s, server_cost(5, 1));
    assert_int_equal(near.now, 15);
}

/* Behind a slower server, a faster one keeps nobody waiting. */
static void what_has_been_waited_is_not_waited_again(void **state)
{
    (void)state;
    struct server slow = {0}, fast = {0};
    for (uint32_t i = 0; i < 10; i++) {
        struct trip t = {.in = 50, .now = 50};
        trip_take(&t, &slow, server_cost(8, 1));
        trip_go(&t, 20);
        trip_take(&t, &fast, server_cost(3, 1));
        assert_int_equal(t.now, 50 + 20 + 8 * i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_recent_line_makes_room),
        cmocka_unit_test(a_victim_says_what_is_dirty),
        cmocka_unit_test(sets_are_used_evenly),
        cmocka_unit_test(only_sectors_on_their_way_are_waited_for),
        cmocka_unit_test(a_rate_does_not_round),
        cmocka_unit_test(a_longer_way_takes_the_server_in_order),
        cmocka_unit_test(what_has_been_waited_is_not_waited_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The timing wheel against a sorted list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/wheel.h"

static void push(struct wheel *w, cycle_t cycle, uint32_t id)
{
    wheel_push(w, cycle, (struct event){.b = id});
}

static void expect_pop(struct wheel *w, cycle_t now, uint32_t id)
{
    struct event e;
    if (!wheel_pop(w, now, &e))
        fail_msg("no event in cycle %llu, expected %u", (unsigned long long)now, id);
    assert_int_equal(e.b, id);
}

static void expect_none(struct wheel *w, cycle_t now)
{
    struct event e;
    assert_false(wheel_pop(w, now, &e));
}

static void an_event_comes_in_its_cycle(void **state)
{
    (void)state;
    struct wheel w;
    wheel_init(&w, 100);
    push(&w, 105, 1);
    assert_int_equal(wheel_next(&w), 105);
    expect_none(&w, 104);
    expect_pop(&w, 105, 1);
    expect_none(&w, 105);
    assert_int_equal(wheel_next(&w), CYCLE_NEVER);
    wheel_free(&w);
}

static void an_empty_wheel_has_no_next_event(void **state)
{
    (void)state;
    struct wheel w;
    wheel_init(&w, 0);
    assert_int_equal(wheel_next(&w), CYCLE_NEVER);
    expect_none(&w, 1000000);
    push(&w, 1000000, 1);
    expect_pop(&w, 1000000, 1);
    wheel_free(&w);
}

static void order_within_a_cycle_is_that_of_insertion(void **state)
{
    (void)state;
    struct wheel w;
    wheel_init(&w, 0);
    for (uint32_t i = 0; i < 200; i++)
        push(&w, 7, i);
    for (uint32_t i = 0; i < 200; i++)
        expect_pop(&w, 7, i);
    wheel_free(&w);
}

/* An event that was far when it was inserted comes before a later one that was near. */
static void far_events_keep_their_place(void **state)
{
    (void)state;
    struct wheel w;
    const cycle_t far = 10 * WHEEL_SLOTS + 3;
    wheel_init(&w, 0);
    push(&w, far, 1);
    push(&w, far, 2);
    push(&w, far - 1, 0);
    expect_none(&w, far - WHEEL_SLOTS); /* still outside the buckets */
    push(&w, far, 3);
    expect_none(&w, far - 2);
    push(&w, far, 4);
    push(&w, far - 1, 10);
    expect_pop(&w, far - 1, 0);
    expect_pop(&w, far - 1, 10);
    for (uint32_t i = 1; i <= 4; i++)
        expect_pop(&w, far, i);
    wheel_free(&w);
}

static void the_edge_between_near_and_far_keeps_order(void **state)
{
    (void)state;
    for (cycle_t distance = WHEEL_SLOTS - 2; distance <= WHEEL_SLOTS + 2; distance++) {
        struct wheel w;
        wheel_init(&w, 17);
        push(&w, 17 + distance, 1);
        push(&w, 18, 0);
        assert_int_equal(wheel_next(&w), 18);
        expect_pop(&w, 18, 0);
        push(&w, 17 + distance, 2);
        assert_int_equal(wheel_next(&w), 17 + distance);
        expect_none(&w, 17 + distance - 1);
        expect_pop(&w, 17 + distance, 1);
        expect_pop(&w, 17 + distance, 2);
        wheel_free(&w);
    }
}

static void an_event_of_the_current_cycle_comes_at_once(void **state)
{
    (void)state;
    struct wheel w;
    wheel_init(&w, 0);
    push(&w, 50, 1);
    expect_pop(&w, 50, 1);
    push(&w, 50, 2);
    push(&w, 49, 3); /* too late: now */
    assert_int_equal(wheel_next(&w), 50);
    expect_pop(&w, 50, 2);
    expect_pop(&w, 50, 3);
    wheel_free(&w);
}

static uint64_t next_random(uint64_t *s)
{
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return *s >> 33;
}

#define RANDOM_EVENTS 3000
struct pending {
    cycle_t cycle;
    uint32_t id;
    int taken;
};
static struct pending reference[RANDOM_EVENTS];

/* Earliest event of the list, in order of (cycle, insertion). */
static struct pending *earliest(uint32_t n)
{
    struct pending *best = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!reference[i].taken && (!best || reference[i].cycle < best->cycle))
            best = &reference[i];
    }
    return best;
}

static void random_events_come_as_from_a_sorted_list(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct wheel w;
        uint64_t s = seed;
        uint32_t n = 0;
        cycle_t now = next_random(&s);
        wheel_init(&w, now);
        memset(reference, 0, sizeof reference);
        while (n < RANDOM_EVENTS) {
            for (uint64_t k = next_random(&s) % 8; k > 0 && n < RANDOM_EVENTS; k--, n++) {
                uint64_t kind = next_random(&s) % 4;
                uint64_t by = next_random(&s) % (kind == 0 ? 5000 : kind == 1 ? 1100 : 30);
                reference[n] = (struct pending){now + by, n, 0};
                push(&w, now + by, n);
            }
            const struct pending *next = earliest(n);
            if (wheel_next(&w) != (next ? next->cycle : CYCLE_NEVER))
                fail_msg("seed %llu: wrong next cycle", (unsigned long long)seed);
            now += next_random(&s) % 100;
            struct event e;
            while (wheel_pop(&w, now, &e)) {
                struct pending *first = earliest(n);
                assert_non_null(first);
                if (first->cycle > now || first->id != e.b)
                    fail_msg("seed %llu: event %u, expected %u", (unsigned long long)seed, e.b,
                             first->id);
                first->taken = 1;
            }
            const struct pending *left = earliest(n);
            assert_true(!left || left->cycle > now);
        }
        assert_false(w.failed);
        wheel_free(&w);
    }
}

static void an_empty_wheel_goes_to_any_cycle(void **state)
{
    (void)state;
    struct wheel w;
    wheel_init(&w, 0);
    push(&w, 5000, 1);
    expect_pop(&w, 6000, 1);
    expect_none(&w, 6000);
    wheel_restart(&w, 5500);
    push(&w, 5501, 2);
    assert_int_equal(wheel_next(&w), 5501);
    expect_none(&w, 5500);
    expect_pop(&w, 5501, 2);
    wheel_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_comes_in_its_cycle),
        cmocka_unit_test(an_empty_wheel_has_no_next_event),
        cmocka_unit_test(order_within_a_cycle_is_that_of_insertion),
        cmocka_unit_test(far_events_keep_their_place),
        cmocka_unit_test(the_edge_between_near_and_far_keeps_order),
        cmocka_unit_test(an_event_of_the_current_cycle_comes_at_once),
        cmocka_unit_test(an_empty_wheel_goes_to_any_cycle),
        cmocka_unit_test(random_events_come_as_from_a_sorted_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

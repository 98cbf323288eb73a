/* L0 instruction cache with its stream buffer, and the L1 instruction cache. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cfg/config.h"
#include "unit/l0i.h"
#include "unit/l1i.h"

struct fixture {
    struct config cfg;
    struct arena arena;
    struct l0i c;
    struct sim_stats stats;
};

static void start(struct fixture *f, uint32_t stream_lines)
{
    memset(f, 0, sizeof *f);
    config_defaults(&f->cfg);
    f->cfg.icache.stream_buffer_lines = stream_lines;
    f->cfg.icache.l0_bytes = 8 * 128;
    f->cfg.icache.l0_ways = 8;
    assert_true(l0i_init(&f->c, &f->cfg.icache, &f->arena));
    l0i_kernel(&f->c, 1000);
}

static enum l0i_result fetch(struct fixture *f, uint64_t line)
{
    return l0i_fetch(&f->c, line, &f->stats);
}

static void expect_request(struct fixture *f, uint64_t line, bool is_prefetch)
{
    bool prefetch;
    assert_true(l0i_wants_request(&f->c));
    assert_int_equal(l0i_next_request(&f->c, &prefetch, &f->stats), line);
    assert_int_equal(prefetch, is_prefetch);
}

static bool fill(struct fixture *f, uint64_t line)
{
    return l0i_fill(&f->c, line, &f->stats);
}

static void a_miss_is_asked_for_once_and_hits_after_its_fill(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 0);
    assert_int_equal(fetch(&f, 5), L0I_WAIT);
    assert_int_equal(fetch(&f, 5), L0I_WAIT);
    expect_request(&f, 5, false);
    assert_false(l0i_wants_request(&f.c));
    assert_true(fill(&f, 5));
    assert_int_equal(fetch(&f, 5), L0I_HIT);
    assert_int_equal(f.stats.icache_l0_accesses, 3);
    assert_int_equal(f.stats.icache_l0_misses, 2);
    assert_int_equal(f.stats.icache_prefetch_issued, 0);
    arena_free(&f.arena);
}

static void misses_in_flight_are_limited(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 0);
    f.cfg.icache.l0_outstanding = 2;
    assert_int_equal(fetch(&f, 1), L0I_WAIT);
    assert_int_equal(fetch(&f, 2), L0I_WAIT);
    assert_int_equal(fetch(&f, 3), L0I_FULL);
    expect_request(&f, 1, false);
    expect_request(&f, 2, false);
    assert_false(l0i_wants_request(&f.c));
    assert_true(fill(&f, 2));
    assert_int_equal(fetch(&f, 3), L0I_WAIT);
    expect_request(&f, 3, false);
    assert_int_equal(f.stats.icache_l0_hits + f.stats.icache_l0_misses, f.stats.icache_l0_accesses);
    arena_free(&f.arena);
}

static void the_stream_buffer_asks_for_the_lines_behind_a_miss(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 3);
    fetch(&f, 10);
    expect_request(&f, 10, false);
    expect_request(&f, 11, true);
    expect_request(&f, 12, true);
    expect_request(&f, 13, true);
    assert_false(l0i_wants_request(&f.c));
    assert_int_equal(f.stats.icache_prefetch_issued, 3);
    arena_free(&f.arena);
}

static void a_hit_on_the_head_makes_room_for_one_more_line(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2);
    fetch(&f, 10);
    for (uint32_t i = 0; i < 3; i++)
        expect_request(&f, 10 + i, i > 0);
    assert_true(fill(&f, 10));
    assert_false(fill(&f, 11)); /* nobody waits for it */
    assert_int_equal(fetch(&f, 11), L0I_HIT);
    assert_int_equal(f.stats.icache_prefetch_used, 1);
    expect_request(&f, 13, true);
    assert_int_equal(fetch(&f, 11), L0I_HIT); /* in the cache now */
    assert_int_equal(f.stats.icache_prefetch_used, 1);
    arena_free(&f.arena);
}

static void a_fetch_of_the_head_waits_for_its_prefetch(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2);
    fetch(&f, 10);
    for (uint32_t i = 0; i < 3; i++)
        expect_request(&f, 10 + i, i > 0);
    fill(&f, 10);
    assert_int_equal(fetch(&f, 11), L0I_WAIT);
    assert_false(l0i_wants_request(&f.c)); /* no second request */
    assert_false(fill(&f, 12));
    assert_true(fill(&f, 11));
    assert_int_equal(fetch(&f, 11), L0I_HIT);
    assert_int_equal(fetch(&f, 12), L0I_HIT);
    assert_int_equal(f.stats.icache_prefetch_used, 2);
    arena_free(&f.arena);
}

static void a_miss_elsewhere_restarts_the_stream(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2);
    fetch(&f, 10);
    for (uint32_t i = 0; i < 3; i++)
        expect_request(&f, 10 + i, i > 0);
    assert_int_equal(fetch(&f, 50), L0I_WAIT);
    assert_int_equal(f.stats.icache_prefetch_flushed, 2);
    expect_request(&f, 50, false);
    expect_request(&f, 51, true);
    assert_false(fill(&f, 11)); /* thrown away */
    assert_int_equal(fetch(&f, 11), L0I_WAIT);
    expect_request(&f, 11, false);
    arena_free(&f.arena);
}

static void a_head_that_a_warp_waits_for_is_not_thrown_away(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2);
    fetch(&f, 10);
    for (uint32_t i = 0; i < 3; i++)
        expect_request(&f, 10 + i, i > 0);
    assert_int_equal(fetch(&f, 11), L0I_WAIT);
    assert_int_equal(fetch(&f, 50), L0I_WAIT);
    assert_int_equal(f.stats.icache_prefetch_flushed, 0);
    assert_true(fill(&f, 11));
    assert_int_equal(fetch(&f, 11), L0I_HIT);
    arena_free(&f.arena);
}

static void the_stream_ends_at_a_line_that_is_here(void **state)
{
    (void)state;
    struct fixture f;
    bool prefetch;
    start(&f, 4);
    l0i_warm(&f.c, 12);
    fetch(&f, 10);
    expect_request(&f, 10, false);
    expect_request(&f, 11, true);
    assert_int_equal(l0i_next_request(&f.c, &prefetch, &f.stats), UINT64_MAX);
    assert_false(l0i_wants_request(&f.c));
    assert_int_equal(f.stats.icache_prefetch_issued, 1);
    arena_free(&f.arena);
}

static void the_stream_ends_with_the_code(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 8);
    l0i_kernel(&f.c, 12);
    fetch(&f, 10);
    expect_request(&f, 10, false);
    expect_request(&f, 11, true);
    assert_false(l0i_wants_request(&f.c));
    arena_free(&f.arena);
}

/* Both have missed in the L1, which answers once. */
static void one_fill_serves_a_demand_and_the_prefetch_of_the_line(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 3);
    fetch(&f, 10);
    for (uint32_t i = 0; i < 4; i++)
        expect_request(&f, 10 + i, i > 0);
    fetch(&f, 11);                             /* a warp waits for the head: no restart */
    assert_int_equal(fetch(&f, 12), L0I_WAIT); /* another is ahead */
    expect_request(&f, 12, false);
    assert_true(fill(&f, 12));
    assert_true(fill(&f, 11));
    for (uint64_t line = 20; line < 28; line++)
        l0i_warm(&f.c, line); /* 12 is evicted */
    assert_int_equal(fetch(&f, 12), L0I_HIT);
    assert_int_equal(f.stats.icache_prefetch_used, 2);
    arena_free(&f.arena);
}

static void the_epoch_tells_that_a_line_may_have_left(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 0);
    l0i_warm(&f.c, 1);
    uint64_t epoch = f.c.epoch;
    assert_int_equal(fetch(&f, 1), L0I_HIT);
    assert_int_equal(f.c.epoch, epoch);
    l0i_warm(&f.c, 1);
    assert_int_equal(f.c.epoch, epoch);
    l0i_warm(&f.c, 2);
    assert_int_not_equal(f.c.epoch, epoch);
    arena_free(&f.arena);
}

static void the_l1_merges_misses_of_a_line(void **state)
{
    (void)state;
    struct config cfg;
    struct arena arena = {0};
    struct l1i *c = calloc(1, sizeof *c);
    config_defaults(&cfg);
    assert_true(c && l1i_init(c, &cfg.icache, &arena));
    assert_int_equal(l1i_lookup(c, 5, 0), L1I_MISS);
    assert_int_equal(l1i_lookup(c, 5, 2), L1I_MERGED);
    assert_int_equal(l1i_lookup(c, 6, 1), L1I_MISS);
    assert_int_equal(l1i_fill(c, 5), 0x5);
    assert_int_equal(l1i_lookup(c, 5, 3), L1I_HIT);
    assert_int_equal(l1i_fill(c, 6), 0x2);
    assert_int_equal(l1i_fill(c, 7), 0);
    for (uint64_t i = 0; i < L1I_MAX_MISSES; i++)
        assert_int_equal(l1i_lookup(c, 1000 + i, 0), L1I_MISS);
    assert_int_equal(l1i_lookup(c, 2000, 0), L1I_FULL);
    assert_int_equal(l1i_lookup(c, 1000, 1), L1I_MERGED);
    free(c);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_is_asked_for_once_and_hits_after_its_fill),
        cmocka_unit_test(misses_in_flight_are_limited),
        cmocka_unit_test(the_stream_buffer_asks_for_the_lines_behind_a_miss),
        cmocka_unit_test(a_hit_on_the_head_makes_room_for_one_more_line),
        cmocka_unit_test(a_fetch_of_the_head_waits_for_its_prefetch),
        cmocka_unit_test(a_miss_elsewhere_restarts_the_stream),
        cmocka_unit_test(a_head_that_a_warp_waits_for_is_not_thrown_away),
        cmocka_unit_test(the_stream_ends_at_a_line_that_is_here),
        cmocka_unit_test(the_stream_ends_with_the_code),
        cmocka_unit_test(one_fill_serves_a_demand_and_the_prefetch_of_the_line),
        cmocka_unit_test(the_epoch_tells_that_a_line_may_have_left),
        cmocka_unit_test(the_l1_merges_misses_of_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

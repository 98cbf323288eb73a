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
    return l0i_fill(&f->c, line);
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

static void a_fetch_of_the_stream_waits_for_the_prefetch(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2);
    fetch(&f, 10);
    for (uint32_t i = 0; i < 3; i++)
        expect_request(&f, 10 + i, i > 0);
    fill(&f, 10);
    assert_int_equal(fetch(&f, 11), L0I_WAIT);
    expect_request(&f, 13, true); /* two lines behind the one that is waited for, which has no */
    assert_false(l0i_wants_request(&f.c)); /* second request */
    assert_false(fill(&f, 12));
    assert_true(fill(&f, 11));
    assert_int_equal(fetch(&f, 11), L0I_HIT);
    assert_int_equal(fetch(&f, 12), L0I_HIT);
    assert_int_equal(f.stats.icache_prefetch_used, 2);
    arena_free(&f.arena);
}

static void lines_that_the_fetch_jumps_over_are_given_up(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 3);
    fetch(&f, 10);
    for (uint32_t i = 0; i < 4; i++)
        expect_request(&f, 10 + i, i > 0);
    for (uint32_t i = 0; i < 4; i++)
        fill(&f, 10 + i);
    assert_int_equal(fetch(&f, 13), L0I_HIT);
    for (uint32_t i = 0; i < 3; i++)
        expect_request(&f, 14 + i, true);
    assert_int_equal(fetch(&f, 12), L0I_WAIT); /* gone, and the stream starts again behind it */
    expect_request(&f, 12, false);
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

static void a_line_that_a_warp_waits_for_outlives_its_stream(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2);
    fetch(&f, 10);
    for (uint32_t i = 0; i < 3; i++)
        expect_request(&f, 10 + i, i > 0);
    assert_int_equal(fetch(&f, 11), L0I_WAIT);
    assert_int_equal(fetch(&f, 50), L0I_WAIT);
    assert_int_equal(f.stats.icache_prefetch_flushed, 1); /* 12 */
    assert_true(fill(&f, 11));
    assert_int_equal(fetch(&f, 11), L0I_HIT);
    arena_free(&f.arena);
}

static void the_stream_passes_over_lines_that_are_here(void **state)
{
    (void)state;
    struct fixture f;
    bool prefetch;
    start(&f, 3);
    l0i_warm(&f.c, 12);
    fetch(&f, 10);
    expect_request(&f, 10, false);
    expect_request(&f, 11, true);
    assert_int_equal(l0i_next_request(&f.c, &prefetch, &f.stats), UINT64_MAX);
    expect_request(&f, 13, true);
    assert_false(l0i_wants_request(&f.c));
    fill(&f, 11);
    assert_int_equal(fetch(&f, 12), L0I_HIT); /* the stream goes on behind it */
    expect_request(&f, 14, true);
    expect_request(&f, 15, true);
    assert_int_equal(f.stats.icache_prefetch_issued, 4);
    arena_free(&f.arena);
}

/* It was passed over because it was here, but has left since. */
static void a_line_of_the_stream_that_has_left_is_asked_for(void **state)
{
    (void)state;
    struct fixture f;
    bool prefetch;
    start(&f, 2);
    l0i_warm(&f.c, 11);
    fetch(&f, 10);
    expect_request(&f, 10, false);
    assert_int_equal(l0i_next_request(&f.c, &prefetch, &f.stats), UINT64_MAX);
    expect_request(&f, 12, true);
    for (uint64_t line = 20; line < 28; line++)
        l0i_warm(&f.c, line);
    assert_int_equal(fetch(&f, 11), L0I_WAIT);
    expect_request(&f, 11, false);
    arena_free(&f.arena);
}

static void prefetches_may_fill_the_cache(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 2);
    f.cfg.icache.prefetch_fills_l0 = true;
    fetch(&f, 10);
    for (uint32_t i = 0; i < 3; i++)
        expect_request(&f, 10 + i, i > 0);
    assert_int_equal(fetch(&f, 50), L0I_WAIT); /* the stream is elsewhere */
    assert_int_equal(f.stats.icache_prefetch_flushed, 0);
    assert_false(fill(&f, 11));
    assert_int_equal(fetch(&f, 11), L0I_HIT);
    for (uint64_t line = 20; line < 27; line++)
        l0i_warm(&f.c, line);
    assert_int_equal(fetch(&f, 11), L0I_HIT);
    assert_false(fill(&f, 12));
    assert_true(fill(&f, 10)); /* 8 lines since line 20, which leaves */
    assert_int_equal(fetch(&f, 20), L0I_WAIT);
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
    fetch(&f, 12);
    fetch(&f, 10); /* the stream starts again, and 12 is on its way already */
    expect_request(&f, 12, false);
    expect_request(&f, 10, false);
    expect_request(&f, 11, true);
    bool prefetch;
    assert_int_equal(l0i_next_request(&f.c, &prefetch, &f.stats), UINT64_MAX);
    assert_true(fill(&f, 12));
    assert_int_equal(fetch(&f, 12), L0I_HIT);
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

static void expect_lines(const uint64_t *got, uint32_t n, uint64_t first, uint32_t count)
{
    assert_int_equal(n, count);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(got[i], first + i);
}

static void an_l1_miss_brings_a_group_of_lines(void **state)
{
    (void)state;
    struct config cfg;
    struct arena arena = {0};
    struct l1i *c = calloc(1, sizeof *c);
    uint64_t lines[L1I_MAX_GROUP];
    config_defaults(&cfg);
    cfg.icache.l1_prefetch_lines = 2;
    assert_true(c && l1i_init(c, &cfg.icache, &arena));
    c->code_end = 109;
    enum l1i_result r = l1i_lookup(c, 100, 3);
    expect_lines(lines, l1i_prefetch(c, 100, 3, r, lines), 101, 2);
    r = l1i_lookup(c, 101, 3);
    assert_int_equal(r, L1I_MERGED);
    expect_lines(lines, l1i_prefetch(c, 101, 3, r, lines), 0, 0);
    r = l1i_lookup(c, 102, 3); /* the last of the group: the next one, when this is complete */
    expect_lines(lines, l1i_prefetch(c, 102, 3, r, lines), 0, 0);
    assert_int_equal(l1i_fill(c, 100), 1 << 3);
    assert_int_equal(l1i_fill(c, 102), 1 << 3);
    expect_lines(lines, l1i_prefetch_next(c, 3, lines), 0, 0);
    assert_int_equal(l1i_fill(c, 101), 1 << 3);
    expect_lines(lines, l1i_prefetch_next(c, 3, lines), 103, 3);
    expect_lines(lines, l1i_prefetch_next(c, 3, lines), 0, 0);
    assert_int_equal(l1i_fill(c, 103), 0);
    assert_int_equal(l1i_fill(c, 104), 0);
    assert_int_equal(l1i_fill(c, 105), 0);
    l1i_warm(c, 107);
    r = l1i_lookup(c, 105, 3);
    assert_int_equal(r, L1I_HIT);
    expect_lines(lines, l1i_prefetch(c, 105, 0, r, lines), 0, 0); /* not its group */
    assert_int_equal(l1i_prefetch(c, 105, 3, r, lines), 2);
    assert_int_equal(lines[0], 106);
    assert_int_equal(lines[1], 108); /* the code ends there */
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
        cmocka_unit_test(a_fetch_of_the_stream_waits_for_the_prefetch),
        cmocka_unit_test(lines_that_the_fetch_jumps_over_are_given_up),
        cmocka_unit_test(a_miss_elsewhere_restarts_the_stream),
        cmocka_unit_test(a_line_that_a_warp_waits_for_outlives_its_stream),
        cmocka_unit_test(the_stream_passes_over_lines_that_are_here),
        cmocka_unit_test(a_line_of_the_stream_that_has_left_is_asked_for),
        cmocka_unit_test(prefetches_may_fill_the_cache),
        cmocka_unit_test(the_stream_ends_with_the_code),
        cmocka_unit_test(one_fill_serves_a_demand_and_the_prefetch_of_the_line),
        cmocka_unit_test(the_epoch_tells_that_a_line_may_have_left),
        cmocka_unit_test(the_l1_merges_misses_of_a_line),
        cmocka_unit_test(an_l1_miss_brings_a_group_of_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* L1 data cache: sectors, misses in flight, carve-out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cfg/config.h"
#include "unit/l1d.h"

struct fixture {
    struct config cfg;
    struct arena arena;
    struct l1d l;
    uint32_t done[64], done_count;
};

static void start(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    config_defaults(&f->cfg);
    f->cfg.l1d.mshrs = 4;
    f->cfg.l1d.mshr_merges = 3;
    f->cfg.l1d.ways = 4;
    f->cfg.l1d.unified_bytes = 4 * 4 * 128;
    assert_true(l1d_init(&f->l, &f->cfg.l1d, &f->arena));
    l1d_reset(&f->l, f->cfg.l1d.unified_bytes);
}

static void stop(struct fixture *f)
{
    l1d_free(&f->l);
    arena_free(&f->arena);
}

static void done(void *owner, uint32_t user)
{
    struct fixture *f = owner;
    f->done[f->done_count++] = user;
}

static void expect(struct l1d_lookup r, uint32_t hit, uint32_t merged, uint32_t missing)
{
    assert_false(r.failed);
    assert_int_equal(r.hit, hit);
    assert_int_equal(r.merged, merged);
    assert_int_equal(r.missing, missing);
}

static void a_miss_is_filled_and_hits_then(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    expect(l1d_load(&f.l, 7, 0x3, 1), 0, 0, 0x3);
    l1d_fill(&f.l, 7, 0x3, done, &f);
    assert_int_equal(f.done_count, 1);
    assert_int_equal(f.done[0], 1);
    expect(l1d_load(&f.l, 7, 0x3, 2), 0x3, 0, 0);
    stop(&f);
}

static void only_missing_sectors_are_asked_for(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    l1d_warm(&f.l, 7, 0x1);
    expect(l1d_load(&f.l, 7, 0x3, 1), 0x1, 0, 0x2);
    expect(l1d_load(&f.l, 7, 0xf, 2), 0x1, 0x2, 0xc);
    expect(l1d_load(&f.l, 7, 0x6, 3), 0, 0x6, 0);
    l1d_fill(&f.l, 7, 0x2, done, &f);
    assert_int_equal(f.done_count, 1); /* 1; the others wait for more */
    l1d_fill(&f.l, 7, 0xc, done, &f);
    assert_int_equal(f.done_count, 3);
    assert_int_equal(f.done[0], 1);
    assert_int_equal(f.done[1], 2);
    assert_int_equal(f.done[2], 3);
    expect(l1d_load(&f.l, 7, 0xf, 4), 0xf, 0, 0);
    stop(&f);
}

static void other_lines_do_not_disturb(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    l1d_load(&f.l, 7, 0x1, 1);
    l1d_load(&f.l, 8, 0x1, 2);
    l1d_fill(&f.l, 8, 0x1, done, &f);
    assert_int_equal(f.done_count, 1);
    assert_int_equal(f.done[0], 2);
    l1d_fill(&f.l, 7, 0x1, done, &f);
    assert_int_equal(f.done_count, 2);
    stop(&f);
}

/* The line of a load in flight may be evicted before its data comes. */
static void a_fill_brings_an_evicted_line_back(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    l1d_warm(&f.l, 0, 0x1);
    l1d_load(&f.l, 0, 0x3, 1);
    for (uint64_t i = 1; i <= 4; i++)
        l1d_warm(&f.l, 4 * i, 0xf);
    expect(l1d_load(&f.l, 0, 0x1, 2), 0, 0, 0x1);
    l1d_fill(&f.l, 0, 0x2, done, &f);
    assert_int_equal(f.done_count, 1);
    l1d_fill(&f.l, 0, 0x1, done, &f);
    assert_int_equal(f.done_count, 2);
    stop(&f);
}

static struct line_access line(uint64_t n)
{
    return (struct line_access){.line = n, .sectors = 1};
}

static void there_is_room_for_as_many_lines_as_mshrs(void **state)
{
    (void)state;
    struct fixture f;
    const struct line_access want[] = {line(100), line(101), line(102), line(103)};
    start(&f);
    assert_true(l1d_has_room(&f.l, want, 4));
    l1d_load(&f.l, 1, 1, 1);
    l1d_load(&f.l, 2, 1, 2);
    l1d_load(&f.l, 2, 2, 3); /* the same MSHR */
    assert_true(l1d_has_room(&f.l, want, 2));
    assert_false(l1d_has_room(&f.l, want, 3));
    l1d_fill(&f.l, 2, 1, done, &f);
    assert_false(l1d_has_room(&f.l, want, 3)); /* one sector is still on its way */
    l1d_fill(&f.l, 2, 2, done, &f);
    assert_true(l1d_has_room(&f.l, want, 3));
    l1d_fill(&f.l, 1, 1, done, &f);
    assert_true(l1d_has_room(&f.l, want, 4));
    stop(&f);
}

static void a_miss_in_flight_takes_so_many_loads(void **state)
{
    (void)state;
    struct fixture f;
    const struct line_access same = line(5), other = line(6);
    start(&f);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(l1d_has_room(&f.l, &same, 1));
        l1d_load(&f.l, 5, 1, i);
    }
    assert_false(l1d_has_room(&f.l, &same, 1));
    assert_true(l1d_has_room(&f.l, &other, 1));
    l1d_fill(&f.l, 5, 1, done, &f);
    assert_int_equal(f.done_count, 3);
    assert_true(l1d_has_room(&f.l, &same, 1));
    stop(&f);
}

static void the_carve_out_leaves_fewer_ways(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    l1d_reset(&f.l, 2 * 4 * 128);
    for (uint64_t i = 0; i < 4; i++)
        l1d_warm(&f.l, 4 * i, 1);
    expect(l1d_load(&f.l, 0, 1, 1), 0, 0, 1);
    expect(l1d_load(&f.l, 8, 1, 1), 1, 0, 0);
    l1d_fill(&f.l, 0, 1, done, &f);
    l1d_reset(&f.l, 0); /* at least one way */
    l1d_warm(&f.l, 0, 1);
    expect(l1d_load(&f.l, 0, 1, 1), 1, 0, 0);
    stop(&f);
}

static void a_new_kernel_finds_nothing(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    l1d_warm(&f.l, 3, 0xf);
    l1d_reset(&f.l, f.cfg.l1d.unified_bytes);
    expect(l1d_load(&f.l, 3, 0xf, 1), 0, 0, 0xf);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_is_filled_and_hits_then),
        cmocka_unit_test(only_missing_sectors_are_asked_for),
        cmocka_unit_test(other_lines_do_not_disturb),
        cmocka_unit_test(a_fill_brings_an_evicted_line_back),
        cmocka_unit_test(there_is_room_for_as_many_lines_as_mshrs),
        cmocka_unit_test(a_miss_in_flight_takes_so_many_loads),
        cmocka_unit_test(the_carve_out_leaves_fewer_ways),
        cmocka_unit_test(a_new_kernel_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

/* A load of whole sectors that allocates. */
static struct l1d_lookup load(struct fixture *f, uint64_t line, uint32_t sectors, uint32_t user)
{
    struct line_access access = {.line = line, .sectors = sectors};
    for (uint32_t s = 0; s < 4; s++)
        if (sectors >> s & 1)
            access.parts |= 0xffu << (8 * s);
    return l1d_load(&f->l, &access, true, user);
}

static void a_miss_is_filled_and_hits_then(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    expect(load(&f, 7, 0x3, 1), 0, 0, 0x3);
    l1d_fill(&f.l, 7, 0x3, done, &f);
    assert_int_equal(f.done_count, 1);
    assert_int_equal(f.done[0], 1);
    expect(load(&f, 7, 0x3, 2), 0x3, 0, 0);
    stop(&f);
}

static void only_missing_sectors_are_asked_for(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    l1d_warm(&f.l, 7, 0x1);
    expect(load(&f, 7, 0x3, 1), 0x1, 0, 0x2);
    expect(load(&f, 7, 0xf, 2), 0x1, 0x2, 0xc);
    expect(load(&f, 7, 0x6, 3), 0, 0x6, 0);
    l1d_fill(&f.l, 7, 0x2, done, &f);
    assert_int_equal(f.done_count, 1); /* 1; the others wait for more */
    l1d_fill(&f.l, 7, 0xc, done, &f);
    assert_int_equal(f.done_count, 3);
    assert_int_equal(f.done[0], 1);
    assert_int_equal(f.done[1], 2);
    assert_int_equal(f.done[2], 3);
    expect(load(&f, 7, 0xf, 4), 0xf, 0, 0);
    stop(&f);
}

static void other_lines_do_not_disturb(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    load(&f, 7, 0x1, 1);
    load(&f, 8, 0x1, 2);
    l1d_fill(&f.l, 8, 0x1, done, &f);
    assert_int_equal(f.done_count, 1);
    assert_int_equal(f.done[0], 2);
    l1d_fill(&f.l, 7, 0x1, done, &f);
    assert_int_equal(f.done_count, 2);
    stop(&f);
}

/* The line of a load in flight may be evicted before its data comes; the data does not bring it
 * back. */
static void a_fill_of_an_evicted_line_serves_the_load_only(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    l1d_warm(&f.l, 0, 0x1);
    load(&f, 0, 0x3, 1);
    for (uint64_t i = 1; i <= 4; i++)
        l1d_warm(&f.l, 4 * i, 0xf);
    expect(load(&f, 0, 0x1, 2), 0, 0, 0x1);
    l1d_fill(&f.l, 0, 0x2, done, &f);
    assert_int_equal(f.done_count, 1);
    l1d_fill(&f.l, 0, 0x1, done, &f);
    assert_int_equal(f.done_count, 2);
    stop(&f);
}

/* Words of a line of 128 bytes. */
static struct line_access words(uint64_t line, uint32_t mask)
{
    struct line_access a = {.line = line, .parts = mask};
    for (uint32_t s = 0; s < 4; s++)
        if (mask >> (8 * s) & 0xff)
            a.sectors |= 1u << s;
    return a;
}

static struct l1d_lookup load_words(struct fixture *f, uint64_t line, uint32_t mask)
{
    struct line_access a = words(line, mask);
    return l1d_load(&f->l, &a, true, 1);
}

/* Programs and counts of an H200's counters: a store hits when its line is there, whatever the
 * sectors. */
static void a_store_allocates_its_line(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    assert_false(l1d_store(&f.l, 7, 0xffff, 0, 0));
    assert_true(l1d_store(&f.l, 7, 0xffff0000, 0, 0));
    assert_false(l1d_store(&f.l, 8, ~0u, 0, 0));
    l1d_warm(&f.l, 9, 0x1);
    assert_true(l1d_store(&f.l, 9, ~0u, 0, 0));
    expect(load(&f, 10, 0x1, 1), 0, 0, 0x1);
    assert_true(l1d_store(&f.l, 10, ~0u, 0, 0)); /* the load is on its way */
    stop(&f);
}

/* Counted on an H200: warps that take turns to store to their lines hit only when the line's last
 * write has left. */
static void a_write_that_waits_makes_the_next_one_miss(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    assert_false(l1d_store(&f.l, 7, ~0u, 10, 14));
    assert_false(l1d_store(&f.l, 7, ~0u, 13, 18));
    assert_true(l1d_store(&f.l, 7, ~0u, 18, 22));
    stop(&f);
}

static void a_write_waits_with_its_words(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    assert_false(l1d_write_waits(&f.l, 7, 1, 0));
    l1d_store(&f.l, 7, 0xff, 10, 14);
    assert_true(l1d_write_waits(&f.l, 7, 0x3, 13));
    assert_false(l1d_write_waits(&f.l, 7, 0x103, 13)); /* another word */
    assert_false(l1d_write_waits(&f.l, 7, 0x3, 14));   /* sent */
    l1d_store(&f.l, 7, 0x100, 15, 18);
    assert_false(l1d_write_waits(&f.l, 7, 0x3, 16)); /* not those of the last write */
    stop(&f);
}

static void what_a_store_wrote_whole_can_be_read(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    l1d_store(&f.l, 7, 0x1, 0, 0);
    expect(load_words(&f, 7, 0x1), 0x1, 0, 0);
    expect(load_words(&f, 7, 0x2), 0, 0, 0x1);   /* the rest of the sector is fetched */
    expect(load_words(&f, 7, 0x100), 0, 0, 0x2); /* another sector */
    l1d_fill(&f.l, 7, 0x3, done, &f);
    expect(load_words(&f, 7, 0xffff), 0x3, 0, 0);
    l1d_store(&f.l, 8, 0xffff, 0, 0);
    expect(load_words(&f, 8, 0x1ff00), 0x2, 0, 0x4);
    l1d_store(&f.l, 11, 0, 0, 0); /* a byte: no whole word */
    expect(load_words(&f, 11, 0x1), 0, 0, 0x1);
    stop(&f);
}

static void an_evicted_store_leaves_nothing(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    l1d_store(&f.l, 0, ~0u, 0, 0);
    for (uint64_t i = 1; i <= 4; i++)
        l1d_store(&f.l, 4 * i, 0, 0, 0);
    l1d_store(&f.l, 0, 0, 0, 0);
    expect(load_words(&f, 0, 0x1), 0, 0, 0x1);
    stop(&f);
}

static void accesses_past_the_cache_take_their_sectors_out(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    l1d_warm(&f.l, 7, 0x3);
    l1d_store(&f.l, 7, 0xff0000, 0, 0);
    l1d_invalidate(&f.l, 7, 0x5);
    l1d_invalidate(&f.l, 8, 0xf); /* not there */
    expect(load_words(&f, 7, ~0u), 0x2, 0, 0xd);
    stop(&f);
}

static void a_miss_that_does_not_allocate_leaves_nothing(void **state)
{
    (void)state;
    struct fixture f;
    const struct line_access access = words(7, ~0u);
    start(&f);
    expect(l1d_load(&f.l, &access, false, 1), 0, 0, 0xf);
    l1d_fill(&f.l, 7, 0xf, done, &f);
    assert_int_equal(f.done_count, 1);
    expect(l1d_load(&f.l, &access, false, 1), 0, 0, 0xf);
    l1d_fill(&f.l, 7, 0xf, done, &f);
    l1d_warm(&f.l, 7, 0xf);
    expect(l1d_load(&f.l, &access, false, 1), 0xf, 0, 0);
    stop(&f);
}

static struct line_access line(uint64_t n)
{
    return (struct line_access){.line = n, .sectors = 1, .parts = 1};
}

static void there_is_room_for_as_many_lines_as_mshrs(void **state)
{
    (void)state;
    struct fixture f;
    const struct line_access want[] = {line(100), line(101), line(102), line(103)};
    start(&f);
    assert_true(l1d_has_room(&f.l, want, 4));
    load(&f, 1, 1, 1);
    load(&f, 2, 1, 2);
    load(&f, 2, 2, 3); /* the same MSHR */
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
        load(&f, 5, 1, i);
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
    expect(load(&f, 8, 1, 1), 1, 0, 0);
    expect(load(&f, 0, 1, 1), 0, 0, 1);
    l1d_fill(&f.l, 0, 1, done, &f);
    l1d_reset(&f.l, 0); /* at least one way */
    l1d_warm(&f.l, 0, 1);
    expect(load(&f, 0, 1, 1), 1, 0, 0);
    stop(&f);
}

static void a_new_kernel_finds_nothing(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    l1d_warm(&f.l, 3, 0xf);
    l1d_reset(&f.l, f.cfg.l1d.unified_bytes);
    expect(load(&f, 3, 0xf, 1), 0, 0, 0xf);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_is_filled_and_hits_then),
        cmocka_unit_test(only_missing_sectors_are_asked_for),
        cmocka_unit_test(other_lines_do_not_disturb),
        cmocka_unit_test(a_fill_of_an_evicted_line_serves_the_load_only),
        cmocka_unit_test(a_store_allocates_its_line),
        cmocka_unit_test(a_write_that_waits_makes_the_next_one_miss),
        cmocka_unit_test(a_write_waits_with_its_words),
        cmocka_unit_test(what_a_store_wrote_whole_can_be_read),
        cmocka_unit_test(an_evicted_store_leaves_nothing),
        cmocka_unit_test(accesses_past_the_cache_take_their_sectors_out),
        cmocka_unit_test(a_miss_that_does_not_allocate_leaves_nothing),
        cmocka_unit_test(there_is_room_for_as_many_lines_as_mshrs),
        cmocka_unit_test(a_miss_in_flight_takes_so_many_loads),
        cmocka_unit_test(the_carve_out_leaves_fewer_ways),
        cmocka_unit_test(a_new_kernel_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

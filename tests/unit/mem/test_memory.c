/* Network, L2 and DRAM together: latencies, merging, bandwidth, atomics. */
#include "memory_fixture.h"

static void a_miss_takes_the_dram_and_a_hit_does_not(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    assert_int_equal(memory_latency(&f.cfg), HIT);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x1, 1000), MISS);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x1, 2000), HIT);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x2, 3000), ROW_HIT); /* another sector */
    assert_int_equal(f.stats.l2_sectors, 3);
    assert_int_equal(f.stats.l2_read_sectors, 3);
    assert_int_equal(f.stats.l2_read_hits, 1);
    assert_int_equal(f.stats.l2_read_misses, 2);
    assert_int_equal(f.stats.dram_read_bytes, 64);
    finish(&f);
}

static void a_miss_brings_whole_accesses(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.dram.access_bytes = 64;
    ready(&f);
    serve(&f, MEM_READ, 7, 0x1, 1000);
    assert_int_equal(f.stats.l2_read_sectors, 1);
    assert_int_equal(f.stats.l2_read_misses, 2);
    assert_int_equal(f.stats.dram_read_bytes, 64);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x2, 2000), HIT);
    /* What is dirty is not overwritten by what is fetched. */
    serve(&f, MEM_WRITE, 7, 0x4, 3000);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x4, 3050), HIT);
    serve(&f, MEM_READ, 7, 0x8, 4000);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x4, 4010), HIT);
    assert_int_equal(f.stats.l2_read_misses, 3);
    assert_int_equal(f.stats.dram_read_bytes, 128);
    finish(&f);
}

static void code_and_constants_are_counted_apart(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    assert_int_equal(serve(&f, MEM_IFETCH, 7, 0x1, 1000), MISS);
    assert_int_equal(serve(&f, MEM_CFETCH, 7, 0x1, 2000), HIT);
    assert_int_equal(f.stats.l2_gpc_cache_sectors, 2);
    assert_int_equal(f.stats.l2_sectors + f.stats.l2_read_sectors + f.stats.l2_read_hits, 0);
    assert_int_equal(f.stats.l2_read_misses, 0);
    assert_int_equal(f.stats.dram_read_bytes, 32);
    finish(&f);
}

/* The second request of a sector that is on its way gets it when it is there. */
static void a_sector_on_its_way_is_waited_for(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x1, 1000), MISS);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x1, 1100), MISS - 100);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x1, 1000 + DRAM), HIT);
    assert_int_equal(f.stats.l2_read_hits, 2);
    assert_int_equal(f.stats.dram_read_bytes, 32);
    finish(&f);
}

static void a_slice_has_a_rate(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    memory_copy(&f.m, 0, 4096);
    assert_int_equal(serve(&f, MEM_READ, 1, 0xf, 1000), HIT);
    assert_int_equal(serve(&f, MEM_READ, 2, 0xf, 1000), HIT + 4);
    assert_int_equal(serve(&f, MEM_READ, 3, 0x1, 1001), HIT + 7);
    assert_int_equal(serve(&f, MEM_READ, 4, 0x1, 1008), HIT + 1);
    assert_int_equal(serve(&f, MEM_READ, 5, 0x1, 1010), HIT);
    finish(&f);
    start(&f);
    f.cfg.l2.slice_sectors = 2;
    f.cfg.l2.mhz = 500;
    ready(&f);
    memory_copy(&f.m, 0, 4096);
    assert_int_equal(serve(&f, MEM_READ, 1, 0xf, 1000), HIT);
    assert_int_equal(serve(&f, MEM_READ, 2, 0xf, 1000), HIT + 4);
    finish(&f);
}

/* Slices and channels of different numbers, in parts. */
static void parts_work_side_by_side(void **state)
{
    (void)state;
    static const struct {
        uint32_t slices, partitions, channels, parts;
    } rows[] = {{48, 1, 24, 24}, {96, 2, 192, 48}, {8, 1, 8, 8}, {4, 2, 16, 2}, {80, 2, 20, 20}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        start(&f);
        f.cfg.l2.bytes = 2048 * 128 * rows[i].slices;
        f.cfg.l2.slices = rows[i].slices;
        f.cfg.l2.partitions = rows[i].partitions;
        f.cfg.dram.channels = rows[i].channels;
        ready(&f);
        assert_int_equal(f.m.part_count, rows[i].parts);
        /* A line for every slice of this SM's partition: no part is given two. */
        memory_copy(&f.m, 0, 128 * rows[i].parts);
        for (uint64_t line = 0; line < rows[i].parts; line++) {
            assert_in_range(memory_part(&f.m, line), 0, rows[i].parts - 1);
            serve_for(&f, 0, MEM_READ, line, 0xf, 100);
        }
        for (uint64_t line = 0; line < rows[i].parts; line++)
            assert_int_equal(serve_for(&f, 0, MEM_READ, line, 0xf, 1000), HIT);
        finish(&f);
    }
}

/* A copy of the card's L2 in lines finds a place for each of them. */
static void all_slices_and_sets_are_used(void **state)
{
    (void)state;
    static const uint32_t shapes[][3] = {{4, 1, 2}, {6, 1, 6}, {3, 1, 12}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct fixture f;
        uint32_t lines = shapes[i][0] * 16 * 16;
        start(&f);
        f.cfg.l2.bytes = lines * 128;
        f.cfg.l2.slices = shapes[i][0];
        f.cfg.dram.channels = shapes[i][2];
        ready(&f);
        memory_copy(&f.m, 100ull * lines * 128, (uint64_t)lines * 128);
        for (uint64_t line = 100ull * lines; line < 101ull * lines; line++)
            assert_int_equal(serve(&f, MEM_READ, line, 0xf, 100 * line), HIT);
        finish(&f);
    }
}

static void a_write_is_acknowledged_and_not_fetched(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    assert_int_equal(serve(&f, MEM_WRITE, 9, 0x3, 1000), HIT);
    assert_int_equal(f.stats.l2_write_sectors, 2);
    assert_int_equal(serve(&f, MEM_READ, 9, 0x3, 2000), HIT);
    assert_int_equal(f.stats.dram_read_bytes, 0);
    assert_int_equal(f.stats.dram_write_bytes, 0);
    finish(&f);
}

static void what_is_evicted_is_written_once(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.l2.bytes = 16 * 128; /* one set */
    ready(&f);
    serve(&f, MEM_WRITE, 9, 0x5, 1000);
    serve(&f, MEM_WRITE, 9, 0x5, 1100);
    for (uint64_t line = 100; line < 116; line++) {
        assert_int_equal(f.stats.dram_write_bytes, 0);
        serve(&f, MEM_READ, line, 0x1, 1000 * line);
    }
    assert_int_equal(f.stats.dram_write_bytes, 64);
    assert_in_range(serve(&f, MEM_READ, 9, 0x5, 200000), ROW_HIT, MISS + 40);
    finish(&f);
}

static void a_write_that_fills_no_sector_takes_longer(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    struct mem_request r = {
        .send = 1000, .line = 3, .sectors = 0x7, .partial = 0x6, .kind = MEM_WRITE};
    assert_int_equal(memory_serve(&f.m, &r), 1000 + HIT);
    assert_int_equal(memory_serve(&f.m, &r), 1000 + HIT + 1 + 3 + 3);
    finish(&f);
}

/* A request takes whole clocks of its slice, however few its sectors. */
static void a_single_sector_takes_a_clock(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.l2.slice_sectors = 2;
    ready(&f);
    memory_copy(&f.m, 0, 4096);
    assert_int_equal(serve(&f, MEM_READ, 1, 0x1, 1000), HIT);
    assert_int_equal(serve(&f, MEM_READ, 2, 0x7, 1000), HIT + 1);
    assert_int_equal(serve(&f, MEM_READ, 3, 0x1, 1000), HIT + 3);
    finish(&f);
}

/* Eight GPCs; SMs 0, 1, 16 and 17 are in the first. */
static void reads_of_a_gpc_become_one(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.gpu.gpcs = 8;
    f.cfg.gpu.sms = 128;
    f.cfg.l2.coalesce_requests = 3;
    f.cfg.l2.coalesce_cycles = 50;
    ready(&f);
    cycle_t first = serve_for(&f, 0, MEM_READ, 7, 0x3, 1000);
    assert_int_equal(first, MISS);
    assert_int_equal(serve_for(&f, 16, MEM_READ, 7, 0x2, 1010), first - 10);
    assert_int_equal(f.stats.l2_sectors, 2);
    assert_int_equal(f.stats.l2_coalesced_sectors, 1);
    serve_for(&f, 2, MEM_READ, 7, 0x3, 1020);  /* another GPC */
    serve_for(&f, 17, MEM_READ, 7, 0x4, 1030); /* another sector: now this is the one to join */
    assert_int_equal(f.stats.l2_coalesced_sectors, 1);
    serve_for(&f, 0, MEM_READ, 7, 0x4, 1080);
    serve_for(&f, 1, MEM_READ, 7, 0x4, 1080);
    assert_int_equal(f.stats.l2_coalesced_sectors, 3);
    serve_for(&f, 16, MEM_READ, 7, 0x4, 1080); /* the fourth */
    assert_int_equal(f.stats.l2_coalesced_sectors, 3);
    serve_for(&f, 17, MEM_READ, 7, 0x4, 1131); /* too late */
    assert_int_equal(f.stats.l2_coalesced_sectors, 3);
    /* No reply is earlier than that of a hit. */
    serve_for(&f, 0, MEM_READ, 7, 0x4, 9000);
    assert_int_equal(serve_for(&f, 1, MEM_READ, 7, 0x4, 9040), HIT);
    assert_int_equal(f.stats.l2_coalesced_sectors, 4);
    serve_for(&f, 0, MEM_WRITE, 7, 0x4, 9045);
    serve_for(&f, 0, MEM_WRITE, 7, 0x4, 9045);
    assert_int_equal(f.stats.l2_coalesced_sectors, 4);
    finish(&f);
}

static void atomics_of_one_address_go_one_by_one(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    memory_copy(&f.m, 0, 4096);
    struct mem_request r = {
        .send = 1000, .line = 3, .sectors = 0x1, .passes = 32, .kind = MEM_ATOMIC};
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(memory_serve(&f.m, &r), 1000 + HIT + 40 + 32 * i);
    /* A reduction waits for its turn, but not for a result. */
    r.kind = MEM_REDUCTION;
    assert_int_equal(memory_serve(&f.m, &r), 1000 + HIT + 320);
    /* Lanes at different words of four sectors: four passes. */
    r.sectors = 0xf;
    r.passes = 4;
    assert_int_equal(memory_serve(&f.m, &r), 1000 + HIT + 352);
    assert_int_equal(memory_serve(&f.m, &r), 1000 + HIT + 356);
    memory_take_stats(&f.m, &f.stats);
    assert_int_equal(f.stats.l2_atomic_sectors, 10);
    assert_int_equal(f.stats.l2_reduction_sectors, 9);
    assert_int_equal(f.stats.l2_sectors, 19);
    finish(&f);
}

static void an_atomic_fetches_and_leaves_its_sector_dirty(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.l2.bytes = 16 * 128;
    ready(&f);
    assert_int_equal(serve(&f, MEM_ATOMIC, 3, 0x1, 1000), MISS + 40);
    assert_int_equal(serve(&f, MEM_READ, 3, 0x1, 5000), HIT);
    assert_int_equal(f.stats.dram_read_bytes, 32);
    for (uint64_t line = 100; line < 116; line++)
        serve(&f, MEM_READ, line, 0x1, 1000 * line);
    assert_int_equal(f.stats.dram_write_bytes, 32);
    finish(&f);
}

static void a_copy_from_the_host_is_in_the_l2(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    memory_copy(&f.m, 0x1080, 0x101); /* lines 0x21 to 0x23 */
    assert_int_equal(serve(&f, MEM_READ, 0x20, 0x1, 1000), MISS);
    for (uint64_t line = 0x21; line <= 0x23; line++)
        assert_int_equal(serve(&f, MEM_READ, line, 0xf, 1000 * line), HIT);
    assert_int_equal(serve(&f, MEM_READ, 0x24, 0x1, 100000), ROW_HIT);
    memory_copy(&f.m, 0, 0);
    finish(&f);
}

static void a_large_copy_leaves_its_end(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    memory_copy(&f.m, 0, 1ull << 50);
    uint64_t last = (1ull << 50) / 128 - 1;
    assert_int_equal(serve(&f, MEM_READ, last, 0xf, 1000), HIT);
    assert_int_equal(serve(&f, MEM_READ, 0, 0x1, 2000), MISS);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_takes_the_dram_and_a_hit_does_not),
        cmocka_unit_test(a_miss_brings_whole_accesses),
        cmocka_unit_test(code_and_constants_are_counted_apart),
        cmocka_unit_test(a_sector_on_its_way_is_waited_for),
        cmocka_unit_test(a_slice_has_a_rate),
        cmocka_unit_test(parts_work_side_by_side),
        cmocka_unit_test(all_slices_and_sets_are_used),
        cmocka_unit_test(a_write_is_acknowledged_and_not_fetched),
        cmocka_unit_test(what_is_evicted_is_written_once),
        cmocka_unit_test(a_write_that_fills_no_sector_takes_longer),
        cmocka_unit_test(a_single_sector_takes_a_clock),
        cmocka_unit_test(reads_of_a_gpc_become_one),
        cmocka_unit_test(atomics_of_one_address_go_one_by_one),
        cmocka_unit_test(an_atomic_fetches_and_leaves_its_sector_dirty),
        cmocka_unit_test(a_copy_from_the_host_is_in_the_l2),
        cmocka_unit_test(a_large_copy_leaves_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

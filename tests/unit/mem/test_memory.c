/* Network, L2 and DRAM together: latencies, merging, partitions, bandwidth, atomics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mem/memory.h"

struct fixture {
    struct config cfg;
    struct arena arena;
    struct memory m;
    struct sim_stats stats; /* of all parts */
};

/* One slice and one channel, whose bus is no limit. */
static void start(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    config_defaults(&f->cfg);
    f->cfg.gpu.core_mhz = f->cfg.l2.mhz = f->cfg.dram.memory_mhz = 1000;
    f->cfg.l2.request_cycles = 50;
    f->cfg.l2.access_cycles = 20;
    f->cfg.l2.reply_cycles = 30;
    f->cfg.l2.slices = 1;
    f->cfg.l2.slice_sectors = 1;
    f->cfg.l2.bytes = 64 * 1024;
    f->cfg.l2.partitions = 1;
    f->cfg.l2.partition_cycles = 61;
    f->cfg.l2.partition_bytes = 1000000;
    f->cfg.l2.partial_write_cycles = 3;
    f->cfg.l2.atomic_cycles = 40;
    f->cfg.dram.channels = 1;
    f->cfg.dram.banks = 16;
    f->cfg.dram.row_bytes = 1024;
    f->cfg.dram.access_bytes = 32;
    f->cfg.dram.access_cycles = 200;
    f->cfg.dram.bus_bits = 256;
    f->cfg.dram.transfers_per_clock = 8;
    f->cfg.dram.cas_ns = 10;
    f->cfg.dram.activate_ns = 20;
    f->cfg.dram.precharge_ns = 30;
    f->cfg.dram.refresh_ns = f->cfg.dram.activate_interval_ns = 0;
    f->cfg.dram.write_batch = 1;
    f->cfg.dram.read_to_write_ns = f->cfg.dram.write_to_read_ns = f->cfg.dram.write_gap_ns = 0;
}

static void ready(struct fixture *f)
{
    assert_true(memory_init(&f->m, &f->cfg, &f->arena));
}

static void finish(struct fixture *f)
{
    arena_free(&f->arena);
}

static cycle_t serve_for(struct fixture *f, uint32_t sm, enum mem_kind kind, uint64_t line,
                         uint32_t sectors, cycle_t send)
{
    struct mem_request r = {.send = send,
                            .line = line,
                            .sectors = sectors,
                            .kind = (uint8_t)kind,
                            .passes = 1,
                            .sm = sm};
    cycle_t at = memory_serve(&f->m, &r) - send;
    memory_take_stats(&f->m, &f->stats);
    return at;
}

static cycle_t serve(struct fixture *f, enum mem_kind kind, uint64_t line, uint32_t sectors,
                     cycle_t send)
{
    return serve_for(f, 1, kind, line, sectors, send);
}

#define HIT (50 + 20 + 30)
#define DRAM (20 + 10 + 1 + 200) /* a closed row */
#define MISS (HIT + DRAM)
#define ROW_HIT (MISS - 20)

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

/* The second request of a sector that is on its way gets it when it is there. */
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

/* Two partitions: finds a line at home in the partition of SM 0. */
static void start_two(struct fixture *f)
{
    start(f);
    f->cfg.l2.slices = 2;
    f->cfg.l2.partitions = 2;
    f->cfg.dram.channels = 2;
    f->cfg.l2.bytes = 128 * 1024;
    ready(f);
    assert_int_equal(f->m.part_count, 1);
}

static uint64_t line_at_home_of_0(struct fixture *f)
{
    for (uint64_t line = 1000;; line++) {
        memory_copy(&f->m, line * 128, 128);
        if (serve_for(f, 0, MEM_READ, line, 0xf, 10 * line) == HIT)
            return line;
    }
}

#define FAR (61 + 20)

static void a_line_of_the_other_partition_takes_longer_once(void **state)
{
    (void)state;
    struct fixture f;
    start_two(&f);
    uint64_t line = line_at_home_of_0(&f);
    memset(&f.stats, 0, sizeof f.stats);
    assert_int_equal(serve_for(&f, 1, MEM_READ, line, 0xf, 100000), HIT); /* the same TPC */
    assert_int_equal(serve_for(&f, 2, MEM_READ, line, 0xf, 200000), HIT + FAR);
    assert_int_equal(serve_for(&f, 2, MEM_READ, line, 0xf, 200010), HIT + FAR - 10);
    assert_int_equal(serve_for(&f, 3, MEM_READ, line, 0xf, 300000), HIT);
    assert_int_equal(f.stats.l2_read_hits, 12);
    assert_int_equal(f.stats.l2_read_misses, 4);
    assert_int_equal(f.stats.dram_read_bytes, 0);
    finish(&f);
}

static void dram_is_as_far_as_the_home(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t far = 0;
    start_two(&f);
    for (uint64_t line = 0; line < 64; line++) {
        cycle_t at = serve_for(&f, 0, MEM_READ, line * 8 * 16, 0x1, 10000 * line);
        if (at != MISS && at != MISS + 30)
            far += at == MISS + FAR || at == MISS + 30 + FAR;
        else
            continue;
        assert_int_equal(serve_for(&f, 2, MEM_READ, line * 8 * 16, 0x1, 10000 * line + 5000), HIT);
    }
    assert_in_range(far, 16, 48);
    finish(&f);
}

/* The link takes a line in 8 cycles here, and nothing for what has only to be asked. */
static void the_link_between_partitions_has_a_rate(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.l2.slices = f.cfg.l2.partitions = f.cfg.dram.channels = 2;
    f.cfg.l2.bytes = 128 * 1024;
    f.cfg.l2.slice_sectors = 4;
    f.cfg.l2.partition_bytes = 16;
    ready(&f);
    uint64_t line = line_at_home_of_0(&f);
    assert_int_equal(serve_for(&f, 2, MEM_WRITE, line, 0xf, 100000), HIT + FAR);
    assert_int_equal(serve_for(&f, 2, MEM_WRITE, line, 0xf, 100000), HIT + FAR + 8);
    assert_int_equal(serve_for(&f, 2, MEM_WRITE, line, 0x1, 100000), HIT + FAR + 16);
    assert_int_equal(serve_for(&f, 0, MEM_WRITE, line, 0xf, 100000), HIT + 3);
    assert_int_equal(serve_for(&f, 2, MEM_READ, line, 0xf, 100000), HIT + FAR + 18);
    finish(&f);
}

static void a_write_goes_home_and_ends_the_copy(void **state)
{
    (void)state;
    struct fixture f;
    start_two(&f);
    uint64_t line = line_at_home_of_0(&f);
    serve_for(&f, 2, MEM_READ, line, 0xf, 100000);
    assert_int_equal(serve_for(&f, 0, MEM_WRITE, line, 0x1, 200000), HIT);
    assert_int_equal(serve_for(&f, 2, MEM_READ, line, 0x2, 300000), HIT);
    assert_int_equal(serve_for(&f, 2, MEM_READ, line, 0x1, 400000), HIT + FAR);
    assert_int_equal(serve_for(&f, 2, MEM_WRITE, line, 0x4, 500000), HIT + FAR);
    assert_int_equal(serve_for(&f, 0, MEM_READ, line, 0x4, 600000), HIT);
    assert_int_equal(f.stats.dram_write_bytes, 0);
    finish(&f);
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
        cmocka_unit_test(a_line_of_the_other_partition_takes_longer_once),
        cmocka_unit_test(dram_is_as_far_as_the_home),
        cmocka_unit_test(the_link_between_partitions_has_a_rate),
        cmocka_unit_test(a_write_goes_home_and_ends_the_copy),
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

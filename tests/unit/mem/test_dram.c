/* A DRAM channel: rows, banks, the bus, refresh, and the turning of the bus for writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mem/dram.h"

/* A core clock of 1000 MHz: a nanosecond is a cycle. */
#define ACCESS 100
#define CAS 10
#define ACTIVATE 12
#define PRECHARGE 14
#define ROW_ACTIVE 40
#define BURST 4 /* 64 bytes on 16 bits, 8 transfers a cycle */
#define HIT (CAS + BURST + ACCESS)
#define MISS (ACTIVATE + HIT)
#define CONFLICT (PRECHARGE + MISS)
#define ROW_LINES 8
#define BANKS 4

struct fixture {
    struct config cfg;
    struct arena arena;
    struct dram_timing timing;
    struct dram_channel channel;
    struct sim_stats stats;
};

static void start(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    config_defaults(&f->cfg);
    f->cfg.gpu.core_mhz = f->cfg.dram.memory_mhz = 1000;
    f->cfg.dram.transfers_per_clock = 8;
    f->cfg.dram.channels = 2;
    f->cfg.dram.bus_bits = 32;
    f->cfg.dram.access_bytes = 64;
    f->cfg.dram.access_cycles = ACCESS;
    f->cfg.dram.banks = BANKS;
    f->cfg.dram.row_bytes = ROW_LINES * 128;
    f->cfg.dram.cas_ns = CAS;
    f->cfg.dram.activate_ns = ACTIVATE;
    f->cfg.dram.precharge_ns = PRECHARGE;
    f->cfg.dram.row_active_ns = ROW_ACTIVE;
    f->cfg.dram.activate_interval_ns = 0;
    f->cfg.dram.refresh_ns = 0;
    f->cfg.dram.refresh_interval_ns = 10000;
    f->cfg.dram.write_batch = 4;
    f->cfg.dram.read_to_write_ns = 7;
    f->cfg.dram.write_to_read_ns = 9;
    f->cfg.dram.write_gap_ns = 2;
}

static void ready(struct fixture *f)
{
    dram_timing_init(&f->timing, &f->cfg);
    assert_true(dram_channel_init(&f->channel, &f->timing, 1, 2, &f->arena));
}

/* Reads one access of a line at `now`; returns how long it takes. */
static cycle_t read(struct fixture *f, uint64_t line, cycle_t now)
{
    struct trip t = {.in = now, .now = now};
    dram_read(&f->channel, line, 0x3, &t, &f->stats);
    return t.now - now;
}

/* Lines of the same bank in different rows. */
static uint64_t same_bank(const struct fixture *f, uint64_t n)
{
    uint64_t found = 0;
    for (uint64_t row = 1;; row++) {
        uint64_t rotation = (row >> f->timing.bank_shift) * 0x9E3779B97F4A7C15ull >> 32;
        if (((row + rotation) & (BANKS - 1)) == 0 && found++ == n)
            return row * ROW_LINES;
    }
}

static void a_row_is_hit_missed_or_in_conflict(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    uint64_t a = same_bank(&f, 0), b = same_bank(&f, 1);
    assert_int_equal(read(&f, a, 1000), MISS);
    assert_int_equal(read(&f, a + 1, 1100), HIT);
    assert_int_equal(read(&f, a + ROW_LINES - 1, 1200), HIT);
    assert_int_equal(read(&f, b, 1300), CONFLICT);
    assert_int_equal(read(&f, a, 1400), CONFLICT);
    assert_int_equal(f.stats.dram_row_hits, 2);
    assert_int_equal(f.stats.dram_row_misses, 1);
    assert_int_equal(f.stats.dram_row_conflicts, 2);
    assert_int_equal(f.stats.dram_read_bytes, 5 * 64);
    arena_free(&f.arena);
}

static void a_row_stays_open_for_some_time(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    read(&f, same_bank(&f, 0), 1000);
    /* Open since 1000, so not closed before 1040. */
    assert_int_equal(read(&f, same_bank(&f, 1), 1005), ROW_ACTIVE - 5 + CONFLICT);
    /* Until then, requests for it are served. */
    assert_int_equal(read(&f, same_bank(&f, 0) + 1, 1039), HIT);
    assert_int_equal(f.stats.dram_row_hits, 1);
    /* And from then on they wait for its successor. */
    assert_int_equal(read(&f, same_bank(&f, 0) + 1, 1041), PRECHARGE - 1 + ROW_ACTIVE + CONFLICT);
    arena_free(&f.arena);
}

/* Requests of other banks use the bus while a bank opens its row. */
static void a_bank_does_not_hold_up_the_bus(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    uint64_t a = same_bank(&f, 0);
    read(&f, a, 1000);
    read(&f, a + 2 * ROW_LINES, 1000);
    assert_int_equal(read(&f, same_bank(&f, 1), 2000), CONFLICT);
    assert_int_equal(read(&f, a + 2 * ROW_LINES + 1, 2001), HIT);
    arena_free(&f.arena);
}

static void the_bus_takes_one_access_after_the_other(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    uint64_t a = same_bank(&f, 0);
    read(&f, a, 1000);
    for (uint32_t i = 0; i < 100; i++) {
        cycle_t wait = (cycle_t)i * BURST;
        assert_int_equal(read(&f, a, 2000), (wait > CAS ? wait : CAS) + BURST + ACCESS);
    }
    struct trip t = {.in = 9000, .now = 9000};
    dram_read(&f.channel, a, 0xf, &t, &f.stats); /* two accesses */
    assert_int_equal(t.now - 9000, HIT + BURST);
    arena_free(&f.arena);
}

/* With work waiting, a row is closed only when its successor's turn comes near: what arrives in the
 * meantime hits. */
static void a_row_in_demand_stays_open(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    uint64_t a = same_bank(&f, 0), b = same_bank(&f, 1);
    read(&f, a, 1000);
    for (uint32_t i = 0; i < 100; i++)
        read(&f, a, 2000);
    read(&f, b, 2000); /* its turn: 2400 */
    assert_int_equal(read(&f, b, 2001), 2404 - 2001 + BURST + ACCESS);
    assert_int_equal(f.stats.dram_row_conflicts, 1);
    read(&f, a, 2300);
    assert_int_equal(f.stats.dram_row_conflicts, 1);
    arena_free(&f.arena);
}

static void a_refresh_holds_the_bus_up_and_closes_rows(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.dram.refresh_ns = 300;
    ready(&f); /* the second of two channels: at 10000, 20000, ... */
    uint64_t a = same_bank(&f, 0);
    read(&f, a, 9000);
    assert_int_equal(read(&f, a, 9900), HIT);
    assert_int_equal(read(&f, a, 10001), 299 + MISS);
    assert_int_equal(read(&f, a, 10500), HIT);
    /* Thousands of quiet refreshes later. */
    assert_int_equal(read(&f, a, 50009000), MISS);
    assert_int_equal(read(&f, a, 50010100), 200 + MISS);
    arena_free(&f.arena);
}

static void refreshes_take_their_share_of_the_bus(void **state)
{
    (void)state;
    struct fixture f;
    cycle_t last = 0;
    start(&f);
    f.cfg.dram.refresh_ns = 2000;
    ready(&f);
    for (uint32_t i = 0; i < 20000; i++) /* 80000 cycles of bus, 2 in 10 of refresh */
        last = read(&f, same_bank(&f, 0), 0);
    assert_in_range(last, 98000, 100200);
    arena_free(&f.arena);
}

static void channels_refresh_one_after_the_other(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.dram.refresh_ns = 300;
    dram_timing_init(&f.timing, &f.cfg);
    assert_true(dram_channel_init(&f.channel, &f.timing, 0, 2, &f.arena));
    assert_int_equal(read(&f, 0, 5001), 299 + MISS);
    assert_int_equal(read(&f, 0, 10001), HIT);
    arena_free(&f.arena);
}

static void writes_go_in_batches(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    uint64_t a = same_bank(&f, 0);
    read(&f, a, 1000);
    dram_write(&f.channel, 0x1, 2000, &f.stats); /* half an access is a whole one */
    dram_write(&f.channel, 0x7, 2000, &f.stats);
    assert_int_equal(f.stats.dram_write_bytes, 3 * 64);
    assert_int_equal(read(&f, a, 2000), HIT);
    dram_write(&f.channel, 0x8, 3000, &f.stats); /* the fourth */
    /* There, four bursts, and back. */
    assert_int_equal(read(&f, a, 3000), 7 + 4 * BURST + 9 + BURST + ACCESS);
    assert_int_equal(read(&f, a, 4000), HIT);
    /* Two batches in a row turn the bus round once. */
    dram_write(&f.channel, 0xf, 5000, &f.stats);
    dram_write(&f.channel, 0xf, 5000, &f.stats);
    dram_write(&f.channel, 0xf, 5000, &f.stats);
    dram_write(&f.channel, 0xf, 5000, &f.stats);
    assert_int_equal(read(&f, a, 5000), 7 + 4 * BURST + 2 + 4 * BURST + 9 + BURST + ACCESS);
    arena_free(&f.arena);
}

/* With more than two batches waiting for the bus there is no room for another one. */
static void evictions_wait_for_room(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    cycle_t batch = 4 * BURST;
    assert_int_equal(dram_write(&f.channel, 0xf, 1000, &f.stats), 0);
    assert_int_equal(dram_write(&f.channel, 0xf, 1000, &f.stats), 0);
    for (uint32_t i = 1; i < 8; i++) {
        cycle_t bus = 1000 + 7 + batch + (i - 1) * (2 + batch);
        assert_int_equal(dram_write(&f.channel, 0xf, 1000, &f.stats), bus - 2 * batch);
        assert_int_equal(dram_write(&f.channel, 0xf, 1000, &f.stats), bus - 2 * batch);
    }
    arena_free(&f.arena);
}

/* Rows of different banks are opened one after the other. */
static void activations_follow_each_other(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.dram.activate_interval_ns = 30;
    ready(&f);
    assert_int_equal(read(&f, 0, 1000), MISS);
    assert_int_equal(read(&f, ROW_LINES, 1000), MISS + 30);
    assert_int_equal(read(&f, 2 * ROW_LINES, 1000), MISS + 60);
    assert_int_equal(read(&f, 1, 2000), HIT);
    arena_free(&f.arena);
}

static void accesses_are_whole(void **state)
{
    (void)state;
    struct dram_timing t = {.access_sectors = 1};
    assert_int_equal(dram_whole(&t, 0x5), 0x5);
    t.access_sectors = 2;
    assert_int_equal(dram_whole(&t, 0x5), 0xf);
    assert_int_equal(dram_whole(&t, 0x82), 0xc3);
    t.access_sectors = 4;
    assert_int_equal(dram_whole(&t, 0x20), 0xf0);
}

/* At most an access in BURST cycles, exactly: no rounding adds up. */
static void the_rate_of_the_bus_is_exact(void **state)
{
    (void)state;
    static const struct {
        uint32_t bus_bits, memory_mhz, core_mhz;
    } rows[] = {
        {32, 1000, 1000}, {32, 1000, 1500}, {64, 1000, 1250}, {8, 999, 1001}, {6016, 3201, 1980},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        const uint64_t n = 5000;
        cycle_t last = 0;
        start(&f);
        f.cfg.dram.bus_bits = rows[i].bus_bits;
        f.cfg.dram.memory_mhz = rows[i].memory_mhz;
        f.cfg.gpu.core_mhz = rows[i].core_mhz;
        ready(&f);
        for (uint64_t k = 0; k < n; k++)
            last = read(&f, same_bank(&f, 0), 0);
        uint64_t bits = 64 * 8 * 2; /* of an access, two channels */
        cycle_t expected =
            n * bits * rows[i].core_mhz / ((uint64_t)rows[i].bus_bits * 8 * rows[i].memory_mhz) +
            ACCESS;
        assert_in_range(last, expected, expected + 2);
        arena_free(&f.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_hit_missed_or_in_conflict),
        cmocka_unit_test(a_row_stays_open_for_some_time),
        cmocka_unit_test(a_bank_does_not_hold_up_the_bus),
        cmocka_unit_test(the_bus_takes_one_access_after_the_other),
        cmocka_unit_test(a_row_in_demand_stays_open),
        cmocka_unit_test(a_refresh_holds_the_bus_up_and_closes_rows),
        cmocka_unit_test(refreshes_take_their_share_of_the_bus),
        cmocka_unit_test(channels_refresh_one_after_the_other),
        cmocka_unit_test(writes_go_in_batches),
        cmocka_unit_test(evictions_wait_for_room),
        cmocka_unit_test(activations_follow_each_other),
        cmocka_unit_test(accesses_are_whole),
        cmocka_unit_test(the_rate_of_the_bus_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

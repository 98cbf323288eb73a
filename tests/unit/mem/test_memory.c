/* Network, L2 and DRAM: latencies, and the bandwidth of each part. */
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
};

static void start(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    config_defaults(&f->cfg);
    f->cfg.l2.request_cycles = 50;
    f->cfg.l2.access_cycles = 20;
    f->cfg.l2.reply_cycles = 30;
    f->cfg.l2.slices = 1;
    f->cfg.l2.bytes = 64 * 1024;
    f->cfg.l2.sm_sectors_per_cycle = 2;
    f->cfg.dram.access_cycles = 200;
    /* One sector a cycle: 32 bytes x 1 transfer at the core clock. */
    f->cfg.dram.bus_bits = 256;
    f->cfg.dram.transfers_per_clock = 1;
    f->cfg.dram.memory_mhz = f->cfg.gpu.core_mhz = 1000;
}

static void ready(struct fixture *f)
{
    assert_true(memory_init(&f->m, &f->cfg, 4, &f->arena));
}

static cycle_t serve(struct fixture *f, enum mem_kind kind, uint64_t line, uint32_t sectors,
                     cycle_t send)
{
    struct mem_request r = {
        .send = send, .line = line, .sectors = sectors, .kind = (uint8_t)kind, .sm = 1};
    return memory_serve(&f->m, &r);
}

#define HIT (50 + 20 + 30)
#define MISS (HIT + 1 + 200) /* a sector takes the bus for a cycle */

static void a_miss_takes_the_dram_and_a_hit_does_not(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    assert_int_equal(memory_latency(&f.cfg), HIT);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x1, 1000), 1000 + MISS);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x1, 2000), 2000 + HIT);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x2, 3000), 3000 + MISS); /* another sector */
    assert_int_equal(f.m.stats.l2_read_sectors, 3);
    assert_int_equal(f.m.stats.l2_read_hits, 1);
    assert_int_equal(f.m.stats.l2_read_misses, 2);
    assert_int_equal(f.m.stats.dram_read_bytes, 64);
    arena_free(&f.arena);
}

/* The second request of a line that is on its way gets it when it is there. */
static void a_sector_on_its_way_is_waited_for(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x1, 1000), 1000 + MISS);
    assert_int_equal(serve(&f, MEM_READ, 7, 0x1, 1100), 1000 + MISS);
    assert_int_equal(f.m.stats.l2_read_hits, 1);
    arena_free(&f.arena);
}

static void a_slice_serves_a_sector_a_cycle(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.l2.sm_sectors_per_cycle = 64;
    ready(&f);
    memory_copy(&f.m, 0, 4096);
    assert_int_equal(serve(&f, MEM_READ, 1, 0xf, 1000), 1000 + HIT);
    assert_int_equal(serve(&f, MEM_READ, 2, 0xf, 1000), 1000 + HIT + 4);
    assert_int_equal(serve(&f, MEM_READ, 3, 0x1, 1001), 1000 + HIT + 8);
    assert_int_equal(serve(&f, MEM_READ, 4, 0x1, 1008), 1008 + HIT + 1);
    assert_int_equal(serve(&f, MEM_READ, 5, 0x1, 1010), 1010 + HIT);
    arena_free(&f.arena);
}

static void slices_work_side_by_side(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t delayed = 0;
    start(&f);
    f.cfg.l2.slices = 8;
    f.cfg.l2.sm_sectors_per_cycle = 64;
    ready(&f);
    memory_copy(&f.m, 0, 64 * 128);
    for (uint64_t line = 0; line < 8; line++)
        delayed += serve(&f, MEM_READ, line, 0xf, 1000) != 1000 + HIT;
    assert_in_range(delayed, 0, 5); /* one slice would delay 7 */
    arena_free(&f.arena);
}

/* Requests of one cycle that no slice delays, so that only the network does. */
static void an_sm_gets_so_many_sectors_a_cycle(void **state)
{
    (void)state;
    for (uint32_t rate = 1; rate <= 4; rate *= 2) {
        struct fixture f;
        cycle_t alone = 1000 + HIT, last = 0;
        uint32_t count = 0;
        start(&f);
        f.cfg.l2.slices = 1024;
        f.cfg.l2.sm_sectors_per_cycle = rate;
        ready(&f);
        memory_copy(&f.m, 0, 64 * 128);
        for (uint64_t line = 0; line < 64 && count < 8; line++) {
            uint32_t slice = (uint32_t)((line * 0x9E3779B97F4A7C15ull) >> 40) % 1024;
            if (f.m.slice_free[slice] != 0)
                continue;
            last = serve(&f, MEM_READ, line, 0xf, 1000);
            assert_int_equal(last, alone + 4 * count / rate);
            count++;
        }
        assert_int_equal(count, 8);
        struct mem_request other = {
            .send = 1000, .line = 63, .sectors = 1, .kind = MEM_READ, .sm = 2};
        assert_in_range(memory_serve(&f.m, &other), alone, alone + 4);
        assert_int_equal(serve(&f, MEM_ATOMIC, 62, 0xf, 5000), 5000 + HIT);
        assert_int_equal(serve(&f, MEM_READ, 61, 0xf, 5001), 5001 + HIT); /* behind one sector */
        arena_free(&f.arena);
    }
}

/* At most a sector a cycle, so that the bus is what limits. No rounding adds up. */
static void the_dram_rate_is_exact(void **state)
{
    (void)state;
    static const struct {
        uint32_t bus_bits, memory_mhz, core_mhz;
        uint64_t num, den; /* cycles a sector */
    } rows[] = {
        {256, 1000, 1000, 1, 1}, {256, 1000, 1500, 3, 2}, {512, 1000, 2500, 5, 4},
        {64, 1000, 1000, 4, 1},  {384, 1000, 1750, 7, 6}, {8, 999, 1001, 32032, 999},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        const uint64_t n = 5000, sent = 12345;
        cycle_t last = 0;
        start(&f);
        f.cfg.dram.bus_bits = rows[i].bus_bits;
        f.cfg.dram.memory_mhz = rows[i].memory_mhz;
        f.cfg.gpu.core_mhz = rows[i].core_mhz;
        f.cfg.l2.slices = 1024;
        f.cfg.l2.sm_sectors_per_cycle = 64;
        ready(&f);
        for (uint64_t k = 0; k < n; k++)
            last = serve(&f, MEM_READ, k, 0x1, sent);
        cycle_t expected = sent + HIT + 200 + (n * rows[i].num + rows[i].den - 1) / rows[i].den;
        if (last != expected)
            fail_msg("row %zu: %llu, expected %llu", i, (unsigned long long)last,
                     (unsigned long long)expected);
        arena_free(&f.arena);
    }
}

static void a_write_is_acknowledged_and_leaves_its_sectors(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    assert_int_equal(serve(&f, MEM_WRITE, 9, 0x3, 1000), 1000 + HIT);
    assert_int_equal(f.m.stats.l2_write_sectors, 2);
    assert_int_equal(f.m.stats.dram_write_bytes, 64);
    assert_int_equal(serve(&f, MEM_READ, 9, 0x3, 2000), 2000 + HIT);
    assert_int_equal(serve(&f, MEM_WRITE, 9, 0x1, 3000), 3000 + HIT);
    assert_int_equal(f.m.stats.dram_write_bytes, 64); /* written back once */
    arena_free(&f.arena);
}

static void writes_take_bandwidth_of_the_dram(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.dram.bus_bits = 32; /* 8 cycles a sector */
    ready(&f);
    serve(&f, MEM_WRITE, 9, 0xf, 1000);
    /* The write took the bus for 32 cycles from its start, 1050. The read asks 4 cycles later. */
    assert_int_equal(serve(&f, MEM_READ, 10, 0x1, 1000), 1050 + 32 + 8 + 200 + 30);
    arena_free(&f.arena);
}

static void a_copy_from_the_host_is_in_the_l2(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    memory_copy(&f.m, 0x1080, 0x101); /* lines 0x21 to 0x23 */
    assert_int_equal(serve(&f, MEM_READ, 0x20, 0xf, 1000), 1000 + MISS + 3);
    for (uint64_t line = 0x21; line <= 0x23; line++)
        assert_int_equal(serve(&f, MEM_READ, line, 0xf, 1000 * line), 1000 * line + HIT);
    assert_int_equal(serve(&f, MEM_READ, 0x24, 0x1, 100000), 100000 + MISS);
    memory_copy(&f.m, 0, 0);
    arena_free(&f.arena);
}

static void a_large_copy_leaves_its_end(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ready(&f);
    memory_copy(&f.m, 0, 1ull << 50);
    uint64_t last = (1ull << 50) / 128 - 1;
    assert_int_equal(serve(&f, MEM_READ, last, 0xf, 1000), 1000 + HIT);
    assert_int_equal(serve(&f, MEM_READ, 0, 0x1, 2000), 2000 + MISS);
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_takes_the_dram_and_a_hit_does_not),
        cmocka_unit_test(a_sector_on_its_way_is_waited_for),
        cmocka_unit_test(a_slice_serves_a_sector_a_cycle),
        cmocka_unit_test(slices_work_side_by_side),
        cmocka_unit_test(an_sm_gets_so_many_sectors_a_cycle),
        cmocka_unit_test(the_dram_rate_is_exact),
        cmocka_unit_test(a_write_is_acknowledged_and_leaves_its_sectors),
        cmocka_unit_test(writes_take_bandwidth_of_the_dram),
        cmocka_unit_test(a_copy_from_the_host_is_in_the_l2),
        cmocka_unit_test(a_large_copy_leaves_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

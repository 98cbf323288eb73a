/* An L2 of two partitions: near and far lines, copies, the link between them. */
#include "memory_fixture.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_the_other_partition_takes_longer_once),
        cmocka_unit_test(dram_is_as_far_as_the_home),
        cmocka_unit_test(the_link_between_partitions_has_a_rate),
        cmocka_unit_test(a_write_goes_home_and_ends_the_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The cache of a GPC for code and constants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mem/gpc_cache.h"

struct fixture {
    struct config cfg;
    struct arena arena;
    struct gpc_cache c;
};

static void start(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    config_defaults(&f->cfg);
    f->cfg.icache.l15_bytes = 16 * 256;
    f->cfg.icache.l15_request_cycles = 20;
    f->cfg.icache.l15_reply_cycles = 30;
    f->cfg.icache.l15_bytes_per_cycle = 64; /* a line of an L1 takes 2 cycles */
    f->cfg.icache.l15_nearer_cycles = 10;
    f->cfg.icache.l15_prefetch_lines = 0;
    f->cfg.icache.l15_launch_bytes = 0;
    assert_true(gpc_cache_init(&f->c, 3, &f->cfg, &f->arena));
    gpc_cache_begin_kernel(&f->c, 0, 1 << 20, 6, 0);
}

static void finish(struct fixture *f)
{
    gpc_cache_free(&f->c);
    arena_free(&f->arena);
}

static void ask(struct fixture *f, uint64_t line, cycle_t send)
{
    gpc_cache_serve(
        &f->c,
        &(struct mem_request){
            .send = send, .line = CODE_SPACE | line, .user = 7, .sm = 14, .kind = MEM_IFETCH});
}

static void expect_reply(struct fixture *f, uint32_t i, uint64_t line, cycle_t cycle)
{
    assert_true(i < f->c.reply_count);
    assert_int_equal(f->c.replies[i].request.line, CODE_SPACE | line);
    assert_int_equal(f->c.replies[i].request.user, 7);
    assert_int_equal(f->c.replies[i].cycle, cycle);
}

/* The two lines of the L2 that a line consists of arrive at `cycle` and `cycle` + 5. */
static void fill(struct fixture *f, cycle_t cycle)
{
    assert_int_equal(f->c.to_l2_count, 2);
    gpc_cache_fill(&f->c, &f->c.to_l2[0], cycle);
    gpc_cache_fill(&f->c, &f->c.to_l2[1], cycle + 5);
    f->c.to_l2_count = 0;
}

static void a_miss_asks_the_l2_for_the_whole_line_once(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ask(&f, 10, 100); /* line 5 of 256 bytes */
    ask(&f, 11, 110);
    assert_int_equal(f.c.to_l2_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(f.c.to_l2[i].line, CODE_SPACE | (10 + i));
        assert_int_equal(f.c.to_l2[i].send, 120);
        assert_int_equal(f.c.to_l2[i].sectors, 0xf);
        assert_int_equal(f.c.to_l2[i].sm, 14);
        assert_int_equal(f.c.to_l2[i].user, 3);
    }
    assert_true(f.c.to_l2[0].order < f.c.to_l2[1].order);
    assert_int_equal(f.c.reply_count, 0);
    fill(&f, 400);
    expect_reply(&f, 0, 10, 405 - 10 + 30); /* with the later one; nearer to the L2 than an SM */
    expect_reply(&f, 1, 11, 405 - 10 + 30);
    assert_int_equal(f.c.stats.icache_l15_misses, 2);
    finish(&f);
}

static void a_hit_takes_both_ways_and_the_port(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    assert_int_equal(gpc_cache_latency(&f.cfg), 50);
    ask(&f, 10, 100);
    fill(&f, 400);
    f.c.reply_count = 0;
    ask(&f, 10, 1000);
    ask(&f, 11, 1000);
    ask(&f, 10, 1001);
    ask(&f, 10, 1010);
    expect_reply(&f, 0, 10, 1050);
    expect_reply(&f, 1, 11, 1052);
    expect_reply(&f, 2, 10, 1054);
    expect_reply(&f, 3, 10, 1060);
    assert_int_equal(f.c.stats.icache_l15_hits, 4);
    finish(&f);
}

/* The line is there at 395. Whether its arrival is known when the request has had its turn at the
 * port depends on the window, which ends before. */
static void a_queue_at_the_port_makes_no_hit(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ask(&f, 10, 100);
    fill(&f, 400);
    for (uint32_t i = 0; i < 3; i++)
        ask(&f, 10, 374); /* their turns are at 394, 396 and 398 */
    assert_int_equal(f.c.stats.icache_l15_hits, 0);
    ask(&f, 10, 375);
    assert_int_equal(f.c.stats.icache_l15_hits, 1);
    finish(&f);
}

/* The order in which fills are told does not matter, only their cycles. */
static void a_line_on_its_way_is_waited_for(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    ask(&f, 10, 100);
    fill(&f, 400);
    f.c.reply_count = 0;
    ask(&f, 10, 300); /* looked up at 320: there at 395 */
    ask(&f, 10, 390);
    expect_reply(&f, 0, 10, 395 + 30);
    expect_reply(&f, 1, 10, 410 + 30);
    finish(&f);
}

static void code_behind_is_brought_up_to_its_end(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.icache.l15_prefetch_lines = 2;
    gpc_cache_begin_kernel(&f.c, 0, 7 * 256, 6, 0);
    ask(&f, 10, 100);
    assert_int_equal(f.c.to_l2_count, 4); /* lines 5 and 6; the code ends behind it */
    assert_int_equal(f.c.to_l2[2].line, CODE_SPACE | 12);
    ask(&f, 12, 110);
    assert_int_equal(f.c.to_l2_count, 4);
    finish(&f);
}

static void a_launch_brings_the_first_line_and_asks_for_the_rest(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.icache.l15_launch_bytes = 1024;
    gpc_cache_begin_kernel(&f.c, 1 << 20, (1 << 20) + 5 * 256, 6, 5000);
    assert_int_equal(f.c.to_l2_count, 3 * 2); /* of 4 lines */
    assert_int_equal(f.c.to_l2[0].line, CODE_SPACE | ((1 << 20) / 128 + 2));
    assert_int_equal(f.c.to_l2[0].send, 5000);
    assert_int_equal(f.c.to_l2[0].sm, 6);
    ask(&f, (1 << 20) / 128, 5000);
    expect_reply(&f, 0, (1 << 20) / 128, 5050);
    ask(&f, (1 << 20) / 128 + 2, 5010);
    assert_int_equal(f.c.reply_count, 1); /* on its way */
    assert_int_equal(f.c.to_l2_count, 3 * 2);
    gpc_cache_fill(&f.c, &f.c.to_l2[0], 5300);
    gpc_cache_fill(&f.c, &f.c.to_l2[1], 5310);
    expect_reply(&f, 1, (1 << 20) / 128 + 2, 5330);
    f.c.to_l2_count = 0;
    gpc_cache_begin_kernel(&f.c, 1 << 20, (1 << 20) + 5 * 256, 6, 9000);
    assert_int_equal(f.c.to_l2_count, 0); /* all of it is here or on its way */
    finish(&f);
}

static void constants_of_bank_0_come_with_the_launch(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    gpc_cache_begin_kernel(&f.c, 1 << 28, (1 << 28) + 256, 6, 5000);
    struct mem_request r = {.send = 5000, .user = 7, .sm = 14, .kind = MEM_CFETCH};
    r.line = CONSTANT_SPACE | ((1ull << 28 << CONSTANT_CODE_SHIFT) + 0x210) / 64;
    gpc_cache_serve(&f.c, &r);
    assert_int_equal(f.c.reply_count, 1);
    assert_int_equal(f.c.replies[0].cycle, 5050);
    r.line = CONSTANT_SPACE | ((1ull << 28 << CONSTANT_CODE_SHIFT) + (3 << 20)) / 64;
    r.send = 5001;
    gpc_cache_serve(&f.c, &r);
    assert_int_equal(f.c.reply_count, 1);
    assert_int_equal(f.c.to_l2_count, 2);
    assert_int_equal(f.c.to_l2[0].kind, MEM_CFETCH);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_asks_the_l2_for_the_whole_line_once),
        cmocka_unit_test(a_hit_takes_both_ways_and_the_port),
        cmocka_unit_test(a_queue_at_the_port_makes_no_hit),
        cmocka_unit_test(a_line_on_its_way_is_waited_for),
        cmocka_unit_test(code_behind_is_brought_up_to_its_end),
        cmocka_unit_test(a_launch_brings_the_first_line_and_asks_for_the_rest),
        cmocka_unit_test(constants_of_bank_0_come_with_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

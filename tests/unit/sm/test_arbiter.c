/* The arbiter between the L0 instruction caches and the L1: demand misses first, in turn, one
 * request an interval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sm/tpc.h"

struct fixture {
    struct config cfg;
    struct arena arena;
    struct sm *sm;
    struct tpc tpc;
};

/* An SM without warps: in a run only the arbiter moves. */
static void start(struct fixture *f, uint32_t interval)
{
    const struct sm_options opt = {0};
    memset(f, 0, sizeof *f);
    config_defaults(&f->cfg);
    f->cfg.icache.l1_interval = interval;
    f->cfg.icache.stream_buffer_lines = 4;
    f->sm = calloc(1, sizeof *f->sm);
    assert_non_null(f->sm);
    assert_true(sm_init(f->sm, 0, &f->cfg, &opt, &f->arena));
    assert_true(tpc_init(&f->tpc, 0, f->sm, 1, &f->cfg, &f->arena));
    for (uint32_t i = 0; i < SUBCORES; i++)
        l0i_kernel(&f->sm->subcores[i].l0i, 10000);
    for (uint64_t line = 0; line < 1000; line++)
        l1i_warm(&f->tpc.l1i, line);
}

static void stop(struct fixture *f)
{
    tpc_free(&f->tpc);
    sm_free(f->sm);
    arena_free(&f->arena);
    free(f->sm);
}

static void miss(struct fixture *f, uint32_t subcore, uint64_t line)
{
    struct subcore *sc = &f->sm->subcores[subcore];
    assert_int_equal(l0i_fetch(&sc->l0i, line, &sc->stats), L0I_WAIT);
    f->sm->arbiter_pending = true;
}

static uint32_t sent(const struct fixture *f, uint32_t subcore)
{
    return f->sm->subcores[subcore].l0i.demand_sent;
}

static uint64_t prefetches(const struct fixture *f, uint32_t subcore)
{
    return f->sm->subcores[subcore].stats.icache_prefetch_issued;
}

static void demand_misses_go_before_prefetches(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1);
    miss(&f, 1, 100);
    tpc_run(&f.tpc, 2); /* cycle 0: the miss; 1: its first prefetch */
    assert_int_equal(sent(&f, 1), 1);
    assert_int_equal(prefetches(&f, 1), 1);
    miss(&f, 0, 200); /* in turn behind the prefetches of sub-cores 2 and 3, if they had any */
    miss(&f, 3, 300);
    tpc_run(&f.tpc, 3);
    assert_int_equal(sent(&f, 3), 1);
    tpc_run(&f.tpc, 4);
    assert_int_equal(sent(&f, 0), 1);
    assert_int_equal(prefetches(&f, 3), 0);
    tpc_run(&f.tpc, 5); /* after sub-core 0 it is the turn of 1 */
    assert_int_equal(prefetches(&f, 1), 2);
    miss(&f, 0, 400);
    tpc_run(&f.tpc, 6); /* the turn of 2, then 3, whose prefetches wait */
    assert_int_equal(sent(&f, 0), 2);
    assert_int_equal(prefetches(&f, 3), 0);
    stop(&f);
}

static void subcores_take_turns(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1);
    f.cfg.icache.stream_buffer_lines = 0;
    for (uint32_t i = 0; i < SUBCORES; i++) {
        miss(&f, i, 100 + i);
        miss(&f, i, 200 + i);
    }
    for (uint32_t cycle = 0; cycle < 2 * SUBCORES; cycle++) {
        tpc_run(&f.tpc, cycle + 1);
        for (uint32_t i = 0; i < SUBCORES; i++) {
            uint32_t turn = (i + SUBCORES - 1) % SUBCORES; /* the first turn is of sub-core 1 */
            assert_int_equal(sent(&f, i), (cycle + SUBCORES - turn) / SUBCORES);
        }
    }
    stop(&f);
}

static void the_l1_takes_one_request_an_interval(void **state)
{
    (void)state;
    for (uint32_t interval = 1; interval <= 5; interval += 2) {
        struct fixture f;
        start(&f, interval);
        f.cfg.icache.stream_buffer_lines = 0;
        for (uint32_t i = 0; i < 4; i++)
            miss(&f, 2, 100 + i);
        for (uint32_t cycle = 0; cycle < 3 * interval; cycle++) {
            tpc_run(&f.tpc, cycle + 1);
            assert_int_equal(sent(&f, 2), 1 + cycle / interval);
        }
        stop(&f);
    }
}

static void a_hit_in_the_l1_comes_back_after_both_ways(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1);
    miss(&f, 2, 100);
    struct l0i *l0 = &f.sm->subcores[2].l0i;
    tpc_run(&f.tpc, 39 + 39);
    assert_int_equal(tags_find(&l0->tags, 100), TAGS_NONE);
    tpc_run(&f.tpc, 39 + 39 + 1);
    assert_int_not_equal(tags_find(&l0->tags, 100), TAGS_NONE);
    assert_int_equal(f.tpc.request_count, 0);
    stop(&f);
}

static void a_miss_in_the_l1_goes_to_the_l2_once(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1);
    f.cfg.icache.stream_buffer_lines = 0;
    miss(&f, 1, 5000);
    miss(&f, 3, 5000);
    tpc_run(&f.tpc, 100);
    assert_int_equal(f.tpc.request_count, 1);
    assert_int_equal(f.tpc.requests[0].kind, MEM_IFETCH);
    assert_int_equal(f.tpc.requests[0].send, 39);
    tpc_reply(&f.tpc, 500, f.tpc.requests[0].line);
    tpc_run(&f.tpc, 500 + 39);
    assert_int_equal(tags_find(&f.sm->subcores[1].l0i.tags, 5000), TAGS_NONE);
    tpc_run(&f.tpc, 500 + 39 + 1);
    assert_int_not_equal(tags_find(&f.sm->subcores[1].l0i.tags, 5000), TAGS_NONE);
    assert_int_not_equal(tags_find(&f.sm->subcores[3].l0i.tags, 5000), TAGS_NONE);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demand_misses_go_before_prefetches),
        cmocka_unit_test(subcores_take_turns),
        cmocka_unit_test(the_l1_takes_one_request_an_interval),
        cmocka_unit_test(a_hit_in_the_l1_comes_back_after_both_ways),
        cmocka_unit_test(a_miss_in_the_l1_goes_to_the_l2_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

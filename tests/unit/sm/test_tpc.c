/* SMs that share an L1 instruction cache: who is served when, and that the SMs run apart otherwise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sm/tpc.h"

#define REQUEST 5
#define REPLY 6

struct fixture {
    struct config cfg;
    struct arena arena;
    struct sm *sms; /* two without warps: in a run only the arbiters move */
    struct tpc tpc;
};

static void start(struct fixture *f)
{
    const struct sm_options opt = {0};
    memset(f, 0, sizeof *f);
    config_defaults(&f->cfg);
    f->cfg.icache.stream_buffer_lines = 0;
    f->cfg.icache.l1_request_cycles = REQUEST;
    f->cfg.icache.l1_reply_cycles = REPLY;
    f->sms = calloc(2, sizeof *f->sms);
    assert_non_null(f->sms);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(sm_init(&f->sms[i], i, &f->cfg, &opt, &f->arena));
        for (uint32_t s = 0; s < SUBCORES; s++)
            l0i_kernel(&f->sms[i].subcores[s].l0i, 10000);
    }
    assert_true(tpc_init(&f->tpc, 0, f->sms, 2, &f->cfg, &f->arena));
    f->tpc.l1i.code_end = 10000;
    for (uint64_t line = 0; line < 100; line++)
        l1i_warm(&f->tpc.l1i, line);
}

static void stop(struct fixture *f)
{
    tpc_free(&f->tpc);
    for (uint32_t i = 0; i < 2; i++)
        sm_free(&f->sms[i]);
    arena_free(&f->arena);
    free(f->sms);
}

static void miss(struct fixture *f, uint32_t sm, uint32_t subcore, uint64_t line)
{
    struct subcore *sc = &f->sms[sm].subcores[subcore];
    assert_int_equal(l0i_fetch(&sc->l0i, line, &sc->stats), L0I_WAIT);
    f->sms[sm].arbiter_pending = true;
}

static bool has(const struct fixture *f, uint32_t sm, uint32_t subcore, uint64_t line)
{
    return tags_find(&f->sms[sm].subcores[subcore].l0i.tags, line) != TAGS_NONE;
}

/* First cycle after which the line is in the L0; the fixture is run up to there. */
static cycle_t arrival(struct fixture *f, uint32_t sm, uint32_t subcore, uint64_t line)
{
    cycle_t cycle = f->sms[sm].now;
    while (!has(f, sm, subcore, line) && cycle < 1000)
        tpc_run(&f->tpc, ++cycle);
    return cycle - 1;
}

static void requests_of_one_cycle_are_served_by_sm(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    miss(&f, 1, 2, 50);
    miss(&f, 0, 3, 60);
    assert_int_equal(arrival(&f, 0, 3, 60), REQUEST + REPLY);
    assert_int_equal(arrival(&f, 1, 2, 50), REQUEST + REPLY + 1); /* the cache takes one a cycle */
    stop(&f);
}

static void the_earlier_request_is_served_first(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.cfg.icache.l1_interval = 4;
    miss(&f, 1, 2, 50);
    tpc_run(&f.tpc, 2);
    miss(&f, 0, 3, 60);
    assert_int_equal(arrival(&f, 1, 2, 50), REQUEST + REPLY);
    assert_int_equal(arrival(&f, 0, 3, 60), REQUEST + REPLY + 4);
    stop(&f);
}

static void a_line_both_miss_is_asked_for_once(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    miss(&f, 0, 1, 500);
    miss(&f, 1, 1, 500);
    tpc_run(&f.tpc, 100);
    assert_int_equal(f.tpc.request_count, 1);
    assert_int_equal(f.tpc.requests[0].send, REQUEST);
    assert_int_equal(f.tpc.requests[0].kind, MEM_IFETCH);
    tpc_reply(&f.tpc, 300, f.tpc.requests[0].line);
    assert_int_equal(arrival(&f, 0, 1, 500), 300 + REPLY);
    assert_true(has(&f, 1, 1, 500));
    stop(&f);
}

static void what_one_sm_brings_the_other_finds(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    miss(&f, 0, 1, 500);
    tpc_run(&f.tpc, 20);
    tpc_reply(&f.tpc, 30, f.tpc.requests[0].line);
    tpc_run(&f.tpc, 40);
    miss(&f, 1, 0, 500);
    assert_int_equal(arrival(&f, 1, 0, 500), 40 + REQUEST + REPLY);
    assert_int_equal(f.tpc.request_count, 1);
    stop(&f);
}

/* A fill lets a request pass that came when the cache could follow no more misses. */
static void a_full_cache_takes_the_next_request_after_a_fill(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.tpc.l1i.miss_count = L1I_MAX_MISSES;
    for (uint32_t i = 0; i < L1I_MAX_MISSES; i++)
        f.tpc.l1i.misses[i] = (struct l1i_miss){2000 + i, 0};
    miss(&f, 1, 0, 50);
    tpc_run(&f.tpc, 100);
    assert_false(has(&f, 1, 0, 50));
    tpc_reply(&f.tpc, 120, CODE_SPACE | 2000);
    assert_int_equal(arrival(&f, 1, 0, 50), 120 + REPLY);
    stop(&f);
}

static void many_cycles_at_once_are_as_one_after_the_other(void **state)
{
    (void)state;
    struct fixture once, each;
    start(&once);
    start(&each);
    struct fixture *both[] = {&once, &each};
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < 8; i++) {
            miss(both[k], i % 2, i / 2, i < 4 ? 10 + i : 500 + i / 2);
            miss(both[k], i % 2, i / 2, 20 + i * 7 % 40);
        }
    }
    tpc_run(&once.tpc, 50);
    for (cycle_t cycle = 1; cycle <= 50; cycle++)
        tpc_run(&each.tpc, cycle);
    assert_int_equal(once.tpc.request_count, each.tpc.request_count);
    for (uint32_t i = 0; i < once.tpc.request_count; i++) {
        assert_int_equal(once.tpc.requests[i].send, each.tpc.requests[i].send);
        assert_int_equal(once.tpc.requests[i].line, each.tpc.requests[i].line);
        assert_int_equal(once.tpc.requests[i].order, each.tpc.requests[i].order);
    }
    for (uint32_t sm = 0; sm < 2; sm++) {
        for (uint32_t s = 0; s < SUBCORES; s++) {
            for (uint64_t line = 0; line < 600; line++)
                assert_int_equal(has(&once, sm, s, line), has(&each, sm, s, line));
        }
    }
    stop(&once);
    stop(&each);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_of_one_cycle_are_served_by_sm),
        cmocka_unit_test(the_earlier_request_is_served_first),
        cmocka_unit_test(a_line_both_miss_is_asked_for_once),
        cmocka_unit_test(what_one_sm_brings_the_other_finds),
        cmocka_unit_test(a_full_cache_takes_the_next_request_after_a_fill),
        cmocka_unit_test(many_cycles_at_once_are_as_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

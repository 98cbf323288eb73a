/* Packed instruction streams: what goes in comes out, regular streams are small, damage is noticed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/pack_stream.h"

#define INSTS 40
#define LENGTH 3000

/* Every third static instruction of the tests is a memory instruction. */
static void memory_table(uint8_t is_memory[INSTS])
{
    for (uint32_t i = 0; i < INSTS; i++)
        is_memory[i] = i % 3 == 0;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

struct sample {
    struct dyn_inst insts[LENGTH];
    uint64_t lists[LENGTH][WARP_LANES];
};

static void random_address(struct dyn_inst *d, uint64_t list[WARP_LANES], uint64_t *seed)
{
    memset(list, 0, WARP_LANES * sizeof list[0]);
    switch (next_random(seed) % 4) {
    case 0:
        return; /* no address although lanes are active */
    case 1:
        d->addr_mode = ADDR_STRIDE;
        d->addr.base = next_random(seed);
        d->stride = (int32_t)(next_random(seed) % 257) - 128;
        return;
    case 2:
        d->addr_mode = ADDR_STRIDE;
        d->addr.base = 0x7f0000000000ull + d->inst * 4096ull;
        d->stride = 4;
        return;
    default:
        d->addr_mode = ADDR_LIST;
        d->addr.list = list;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            if (d->mask >> lane & 1)
                list[lane] = next_random(seed) >> (next_random(seed) % 60);
        }
    }
}

static void make_sample(struct sample *s, const uint8_t *is_memory, uint64_t seed)
{
    uint32_t inst = 0;
    uint32_t mask = ~0u;
    for (uint32_t i = 0; i < LENGTH; i++) {
        if (next_random(&seed) % 10 == 0)
            inst = (uint32_t)(next_random(&seed) % INSTS);
        if (next_random(&seed) % 20 == 0)
            mask = (uint32_t)(next_random(&seed) >> (next_random(&seed) % 40));
        s->insts[i] = (struct dyn_inst){.inst = inst, .mask = mask};
        if (is_memory[inst] && mask)
            random_address(&s->insts[i], s->lists[i], &seed);
        inst = (inst + 1) % INSTS;
    }
}

static void pack_sample(struct pack_warp *w, const struct sample *s, const uint8_t *is_memory)
{
    pack_reset(w);
    for (uint32_t i = 0; i < LENGTH; i++) {
        const struct dyn_inst *d = &s->insts[i];
        if (is_memory[d->inst])
            assert_true(pack_add(w, d));
        else
            assert_true(pack_add_plain(w, d->inst, d->mask));
    }
    assert_true(pack_end(w));
    assert_int_equal(w->insts, LENGTH);
}

static uint64_t lane_of(const struct dyn_inst *d, uint32_t lane)
{
    if (d->addr_mode == ADDR_STRIDE)
        return d->addr.base + (uint64_t)((int64_t)d->stride * lane);
    return d->addr.list[lane];
}

static void assert_same(const struct dyn_inst *got, const struct dyn_inst *want, uint64_t seed)
{
    if (got->inst != want->inst || got->mask != want->mask ||
        (got->addr_mode == ADDR_NONE) != (want->addr_mode == ADDR_NONE))
        fail_msg("seed %llu: another instruction", (unsigned long long)seed);
    for (uint32_t lane = 0; lane < WARP_LANES && want->addr_mode != ADDR_NONE; lane++) {
        if ((want->mask >> lane & 1) && lane_of(got, lane) != lane_of(want, lane))
            fail_msg("seed %llu: another address in lane %u", (unsigned long long)seed, lane);
    }
}

static void random_streams_come_back(void **state)
{
    (void)state;
    uint8_t is_memory[INSTS];
    struct sample *s = malloc(sizeof *s);
    struct pack_warp w = {0};
    struct pack_stream stream = {0};
    memory_table(is_memory);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        make_sample(s, is_memory, seed);
        pack_sample(&w, s, is_memory);
        pack_stream_open(&stream, w.flow.data, w.flow.len, w.addresses.data, w.addresses.len,
                         w.has_lists);
        struct warp_stream ws = {0};
        const char *why = "";
        uint32_t n = 0;
        while (pack_stream_refill(&stream, &ws, is_memory, INSTS, &why) && !ws.finished) {
            for (; ws.next != ws.end; ws.next++, n++)
                assert_same(ws.next, &s->insts[n], seed);
        }
        assert_int_equal(n, LENGTH);
    }
    pack_stream_close(&stream);
    pack_free(&w);
    free(s);
}

/* Pointers to lane lists of the 64 instructions consumed last stay valid. */
static void lists_of_consumed_instructions_stay_valid(void **state)
{
    (void)state;
    uint8_t is_memory[INSTS];
    struct sample *s = malloc(sizeof *s);
    struct pack_warp w = {0};
    struct pack_stream stream = {0};
    memory_table(is_memory);
    make_sample(s, is_memory, 7);
    pack_sample(&w, s, is_memory);
    pack_stream_open(&stream, w.flow.data, w.flow.len, w.addresses.data, w.addresses.len,
                     w.has_lists);
    struct dyn_inst kept[LENGTH];
    struct warp_stream ws = {0};
    const char *why = "";
    uint32_t n = 0;
    while (pack_stream_refill(&stream, &ws, is_memory, INSTS, &why) && !ws.finished) {
        uint32_t visible = (uint32_t)(ws.end - ws.next);
        memcpy(&kept[n], ws.next, visible * sizeof kept[0]);
        n += visible;
        for (uint32_t i = n > 64 ? n - 64 : 0; i < n; i++)
            assert_same(&kept[i], &s->insts[i], 7);
    }
    pack_stream_close(&stream);
    pack_free(&w);
    free(s);
}

/* A loop of 20 instructions with two evenly moving accesses: at most 3 bytes a trip. */
static void a_regular_loop_takes_three_bytes_a_trip(void **state)
{
    (void)state;
    struct pack_warp w = {0};
    pack_reset(&w);
    for (uint32_t trip = 0; trip < 1000; trip++) {
        for (uint32_t i = 0; i < 20; i++) {
            struct dyn_inst d = {.inst = i, .mask = ~0u, .addr_mode = ADDR_STRIDE, .stride = 4};
            d.addr.base = 0x7f0000000000ull + trip * 128ull + i * 65536ull;
            if (i == 3 || i == 9)
                assert_true(pack_add(&w, &d));
            else
                assert_true(pack_add_plain(&w, i, ~0u));
        }
    }
    assert_true(pack_end(&w));
    assert_in_range(w.flow.len + w.addresses.len, 1, 3 * 1000 + 100);
    pack_free(&w);
}

/* Every string cut short or changed in one byte either decodes to something or says why not. */
static void damage_never_reads_outside(void **state)
{
    (void)state;
    uint8_t is_memory[INSTS];
    struct sample *s = malloc(sizeof *s);
    struct pack_warp w = {0};
    struct pack_cursor c = {0};
    uint64_t lists[PACK_CHUNK][WARP_LANES];
    struct dyn_inst out[PACK_CHUNK];
    memory_table(is_memory);
    make_sample(s, is_memory, 3);
    pack_sample(&w, s, is_memory);
    for (size_t at = 0; at < w.flow.len; at += 3) {
        size_t len = at % 2 ? at : w.flow.len;
        uint8_t *flow = malloc(len ? len : 1);
        uint8_t *addresses = malloc(w.addresses.len / 2);
        memcpy(flow, w.flow.data, len);
        memcpy(addresses, w.addresses.data, w.addresses.len / 2);
        if (at < len)
            flow[at] ^= (uint8_t)(1u << (at % 8));
        pack_open(&c, flow, len, addresses, w.addresses.len / 2);
        const char *why = NULL;
        uint32_t got = 1, steps = 0;
        while (got > 0 && steps++ < LENGTH &&
               pack_read(&c, is_memory, INSTS, out, PACK_CHUNK, lists, &got, &why)) {
            for (uint32_t i = 0; i < got; i++)
                assert_true(out[i].inst < INSTS);
        }
        free(flow);
        free(addresses);
    }
    pack_close(&c);
    pack_free(&w);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_streams_come_back),
        cmocka_unit_test(lists_of_consumed_instructions_stay_valid),
        cmocka_unit_test(a_regular_loop_takes_three_bytes_a_trip),
        cmocka_unit_test(damage_never_reads_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

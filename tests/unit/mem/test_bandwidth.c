/* What the memory of an H200 sustains, against what was measured on one: many SMs, each with
 * several groups of requests in flight, the next group sent when one is back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cfg/load.h"
#include "mem/memory.h"

#define SMS 132
#define STREAMS (SMS * 32) /* 4 lines each: 2.2 MB in flight */
#define LINES 4

/* Streams by the cycle at which they go on; a heap. */
struct loop {
    struct memory m;
    struct arena arena;
    struct loaded_config config;
    struct {
        cycle_t at;
        uint32_t stream;
    } heap[STREAMS];
    uint32_t phase[STREAMS];
    uint64_t group[STREAMS];
};

static bool before(const struct loop *l, uint32_t a, uint32_t b)
{
    return l->heap[a].at != l->heap[b].at ? l->heap[a].at < l->heap[b].at
                                          : l->heap[a].stream < l->heap[b].stream;
}

/* Puts the first stream where it belongs. */
static void sift(struct loop *l)
{
    for (uint32_t i = 0;;) {
        uint32_t c = 2 * i + 1;
        if (c >= STREAMS)
            return;
        if (c + 1 < STREAMS && before(l, c + 1, c))
            c++;
        if (!before(l, c, i))
            return;
        cycle_t at = l->heap[i].at;
        uint32_t stream = l->heap[i].stream;
        l->heap[i] = l->heap[c];
        l->heap[c].at = at;
        l->heap[c].stream = stream;
        i = c;
    }
}

static struct loop *start(const char *const *sets, size_t n)
{
    static struct err_list errors;
    struct loop *l = calloc(1, sizeof *l);
    assert_non_null(l);
    assert_true(config_load(&l->config, "h200", sets, n, &errors));
    assert_true(memory_init(&l->m, &l->config.cfg, &l->arena));
    for (uint32_t i = 0; i < STREAMS; i++) {
        l->heap[i].at = 1000 + i / SMS;
        l->heap[i].stream = i;
    }
    return l;
}

static void finish(struct loop *l)
{
    config_free(&l->config);
    arena_free(&l->arena);
    free(l);
}

/* Sends the next group of a stream; kinds[] are those of its phases. Returns when all are back. */
static cycle_t send(struct loop *l, uint32_t stream, cycle_t at, const enum mem_kind *kinds,
                    uint32_t phases, uint64_t *next)
{
    uint32_t phase = l->phase[stream];
    if (phase == 0)
        l->group[stream] = (*next)++;
    cycle_t last = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        struct mem_request r = {.send = at,
                                .line = ((uint64_t)phase << 28) + l->group[stream] * LINES + i,
                                .sectors = 0xf,
                                .kind = (uint8_t)kinds[phase],
                                .sm = stream % SMS};
        last = max_u64(last, memory_serve(&l->m, &r));
    }
    l->phase[stream] = (phase + 1) % phases;
    return last;
}

/* Bytes a cycle in the second half of `groups`. */
static uint64_t rate(const enum mem_kind *kinds, uint32_t phases, uint64_t groups)
{
    static const char *const small[] = {"l2.bytes=3145728"}; /* soon full */
    struct loop *l = start(small, 1);
    uint64_t next = 0;
    cycle_t half = 0;
    while (next < groups) {
        if (next == groups / 2)
            half = l->heap[0].at;
        l->heap[0].at = send(l, l->heap[0].stream, l->heap[0].at, kinds, phases, &next);
        sift(l);
    }
    cycle_t end = l->heap[0].at;
    finish(l);
    return (groups - groups / 2) * LINES * 128 * phases / (end - half);
}

#define TB(n) ((n)*1000 / 1980) /* GB/s as bytes of a core cycle */

static void reads_reach_the_measured_bandwidth(void **state)
{
    (void)state;
    static const enum mem_kind kinds[] = {MEM_READ};
    assert_in_range(rate(kinds, 1, 60000), TB(4440 * 85 / 100), TB(4570));
}

static void writes_reach_the_measured_bandwidth(void **state)
{
    (void)state;
    static const enum mem_kind kinds[] = {MEM_WRITE};
    assert_in_range(rate(kinds, 1, 150000), TB(4195 * 97 / 100), TB(4335 * 103 / 100));
}

static void copies_reach_the_measured_bandwidth(void **state)
{
    (void)state;
    static const enum mem_kind kinds[] = {MEM_READ, MEM_WRITE};
    assert_in_range(rate(kinds, 2, 40000), TB(3937 * 95 / 100), TB(3980 * 103 / 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_reach_the_measured_bandwidth),
        cmocka_unit_test(writes_reach_the_measured_bandwidth),
        cmocka_unit_test(copies_reach_the_measured_bandwidth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

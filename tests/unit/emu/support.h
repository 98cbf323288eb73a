/* Runs single instructions on a warp: text, and encoding where it matters, are decoded through the
 * semantics table. */
#ifndef SUBCORE_TESTS_UNIT_EMU_SUPPORT_H
#define SUBCORE_TESTS_UNIT_EMU_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emu/semantics.h"
#include "isa/opcode.h"

/* splitmix64, so that a failure is repeated by its seed. */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Seed of a property test: SUBCORE_SEED, or `fallback`. It is printed. */
static inline uint64_t test_seed(uint64_t fallback)
{
    const char *text = getenv("SUBCORE_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : fallback;
    print_message("seed 0x%llx (SUBCORE_SEED)\n", (unsigned long long)seed);
    return seed;
}

/* A word that is often near a boundary. */
static inline uint32_t test_word(uint64_t *state)
{
    static const uint32_t edges[] = {0,          1,          2,          31,         32,
                                     33,         0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
                                     0x80000001, 0xffff,     0x8000,     0x10000};
    uint64_t x = test_random(state);
    switch (x >> 61) {
    case 0:
    case 1:
        return edges[(x & 0xffff) % (sizeof edges / sizeof edges[0])];
    case 2:
        return (uint32_t)(x & 63);
    case 3:
        return 0 - (uint32_t)(x & 63);
    default:
        return (uint32_t)x;
    }
}

/* c[bank][offset] of tests: any function of both. */
static inline uint32_t test_constant(uint32_t bank, uint32_t offset)
{
    return (bank * 0x01000193u + offset + 1) * 0x9e3779b1u;
}

static inline bool test_read_constant(void *user, uint32_t bank, uint32_t offset, uint32_t *word,
                                      struct sim_err *err)
{
    (void)user;
    (void)err;
    *word = test_constant(bank, offset);
    return true;
}

/* A decoded instruction and all it refers to. */
struct test_op {
    struct emu_op op;
    struct inst inst;
    char text[160];
    struct arena arena;
};

/* Decodes; false with `err` set. The encoding is 0 where a test does not need it. */
static inline bool test_try_decode(struct test_op *t, const char *text, uint32_t sm, uint64_t lo,
                                   uint64_t hi, struct sim_err *err)
{
    *t = (struct test_op){.op = {.dest = EMU_SINK, .dest2 = EMU_SINK, .pdest = {7, 7}}};
    snprintf(t->text, sizeof t->text, "%s", text);
    TRY(inst_from_text(&t->inst, t->text, 0, sm, &lo, &hi, &t->arena, "test", 1, err));
    struct emu_decode d = {.inst = &t->inst,
                           .lo = lo,
                           .hi = hi,
                           .sm = sm,
                           .kernel = "test",
                           .arena = &t->arena,
                           .constant = test_read_constant};
    for (uint32_t i = 0; i < 3; i++)
        t->op.psource[i].index = 7;
    t->op.inst = &t->inst;
    struct sass_place at = {.file = "test", .line = 1, .sm = sm};
    TRY(sass_text_parse(&d.text, t->text, &at, err));
    emu_decode_fn decode = emu_semantics_find(t->inst.opcode);
    if (!decode)
        return emu_decode_error(&d, err, "no semantics");
    TRY(decode(&t->op, &d, err));
    return t->op.run || emu_decode_error(&d, err, "decoded without a handler");
}

static inline void test_op_free(struct test_op *t)
{
    arena_free(&t->arena);
}

/* Decodes and runs one instruction on `w`; fails the test when it does not decode. */
static inline void test_run_encoded(struct emu_warp *w, const char *text, uint32_t sm,
                                    uint32_t mask, uint64_t lo, uint64_t hi)
{
    struct test_op t;
    struct sim_err err = {0};
    if (!test_try_decode(&t, text, sm, lo, hi, &err))
        fail_msg("%s: %s", text, err.msg);
    t.op.run(w, &t.op, mask);
    test_op_free(&t);
}

static inline void test_run(struct emu_warp *w, const char *text, uint32_t sm, uint32_t mask)
{
    test_run_encoded(w, text, sm, mask, 0, 0);
}

/* A warp with RZ, PT and UPT as they must be, all else 0. */
static inline void test_warp_clear(struct emu_warp *w)
{
    memset(w, 0, sizeof *w);
    w->p[7] = ~0u;
    w->up = 0x80;
    w->exists = ~0u;
}

/* A warp with random registers and predicates. */
static inline void test_warp_random(struct emu_warp *w, uint64_t *state)
{
    test_warp_clear(w);
    for (uint32_t r = 0; r < REG_RZ; r++)
        for (uint32_t i = 0; i < WARP_LANES; i++)
            w->r[r][i] = test_word(state);
    for (uint32_t r = 0; r < REG_RZ; r++)
        w->ur[r] = test_word(state);
    for (uint32_t i = 0; i < 7; i++)
        w->p[i] = (uint32_t)test_random(state);
    w->up = (uint8_t)(0x80 | (test_random(state) & 0x7f));
}

/* Full mask half of the time, else a random one that is not 0. */
static inline uint32_t test_mask(uint64_t *state)
{
    uint64_t x = test_random(state);
    uint32_t mask = (uint32_t)(x >> 32);
    return x & 1 || mask == 0 ? ~0u : mask;
}

#endif

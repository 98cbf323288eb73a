/* A warp of a CTA with two buffers, shared and local memory, and constant bank 3. */
#ifndef SUBCORE_TESTS_UNIT_EMU_MEMORY_FIXTURE_H
#define SUBCORE_TESTS_UNIT_EMU_MEMORY_FIXTURE_H

#include "support.h"

#include "emu/memory.h"
#include "emu/record.h"

#define FIRST_BUFFER 0x700000000100u
#define SECOND_BUFFER 0x700000002000u
#define BUFFER_BYTES 0x1000u
#define SHARED_BYTES 4096u
#define LOCAL_BYTES 64u

struct memory_fixture {
    struct emu_launch launch;
    struct emu_buffer buffers[2];
    uint8_t data[2][BUFFER_BYTES];
    uint8_t bank[256];
    struct emu_cta cta;
    struct emu_access access;
    uint32_t barrier_result[2];
    struct emu_warp warps[2];
    struct emu_warp *w; /* warps[0] */
    uint64_t seed;
};

/* `sm` below 90 has no system part in shared memory. */
static inline struct memory_fixture *fixture_new(uint32_t sm, bool races, uint64_t seed)
{
    struct memory_fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->seed = seed;
    for (uint32_t b = 0; b < 2; b++)
        for (uint32_t i = 0; i < BUFFER_BYTES; i++)
            f->data[b][i] = (uint8_t)test_random(&f->seed);
    for (uint32_t i = 0; i < sizeof f->bank; i++)
        f->bank[i] = (uint8_t)test_random(&f->seed);
    f->buffers[0] = (struct emu_buffer){FIRST_BUFFER, BUFFER_BYTES, f->data[0], "argument 0"};
    f->buffers[1] = (struct emu_buffer){SECOND_BUFFER, BUFFER_BYTES, f->data[1], "argument 1"};
    f->launch = (struct emu_launch){.kernel = "k",
                                    .sm = sm,
                                    .grid = {4, 1, 1},
                                    .block = {8, 4, 2},
                                    .shared_bytes = SHARED_BYTES,
                                    .local_bytes = LOCAL_BYTES,
                                    .buffers = f->buffers,
                                    .buffer_count = 2,
                                    .checks = {.races = races},
                                    .file = "test.yaml"};
    f->launch.constants.data[3] = f->bank;
    f->launch.constants.bytes[3] = sizeof f->bank;
    f->cta = (struct emu_cta){.launch = &f->launch,
                              .id = {3, 0, 0},
                              .linear_id = 3,
                              .warp_count = 2,
                              .epoch = 1,
                              .steps = 0x500000007,
                              .barrier_result = f->barrier_result};
    struct sim_err err = {0};
    assert_true(emu_memory_open(&f->cta, &err));
    emu_memory_begin(&f->cta);
    for (uint32_t i = 0; i < 2; i++) {
        test_warp_random(&f->warps[i], &f->seed);
        f->warps[i].cta = &f->cta;
        f->warps[i].index = i;
        f->warps[i].access = &f->access;
    }
    f->w = &f->warps[0];
    return f;
}

static inline void fixture_free(struct memory_fixture *f)
{
    emu_memory_close(&f->cta);
    free(f);
}

/* Runs an instruction that must not fault. */
static inline void run_ok(struct memory_fixture *f, const char *text, uint32_t mask)
{
    f->access.used = false;
    test_run(f->w, text, f->launch.sm, mask);
    if (f->cta.fault.set)
        fail_msg("%s: %s", text, f->cta.fault.text);
}

/* Runs an instruction that must fault in `lane` with `part` in the text. */
static inline void run_fault(struct memory_fixture *f, const char *text, uint32_t mask,
                             uint32_t lane, const char *part)
{
    test_run(f->w, text, f->launch.sm, mask);
    if (!f->cta.fault.set)
        fail_msg("%s: no fault", text);
    assert_int_equal(f->cta.fault.lane, lane);
    if (!strstr(f->cta.fault.text, part))
        fail_msg("%s: expected \"%s\" in: %s", text, part, f->cta.fault.text);
    f->cta.fault.set = false;
}

static inline void set_pair(struct memory_fixture *f, uint32_t reg, uint32_t lane, uint64_t value)
{
    f->w->r[reg][lane] = (uint32_t)value;
    f->w->r[reg + 1][lane] = (uint32_t)(value >> 32);
}

static inline void set_uniform_pair(struct memory_fixture *f, uint32_t reg, uint64_t value)
{
    f->w->ur[reg] = (uint32_t)value;
    f->w->ur[reg + 1] = (uint32_t)(value >> 32);
}

static inline uint32_t word_of(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Writes random bytes to all of shared memory and notes them as written. */
static inline void fill_shared(struct memory_fixture *f)
{
    for (uint32_t i = 0; i < SHARED_BYTES; i++)
        f->cta.shared[i] = (uint8_t)test_random(&f->seed);
    memset(f->cta.written, 0xff, SHARED_BYTES);
}

static inline void expect_decode_error(const char *text, uint32_t sm, const char *part)
{
    struct test_op t;
    struct sim_err err = {0};
    assert_false(test_try_decode(&t, text, sm, 0, 0, &err));
    if (!strstr(err.msg, part))
        fail_msg("%s: expected \"%s\" in: %s", text, part, err.msg);
    err_clear(&err);
    test_op_free(&t);
}

#endif

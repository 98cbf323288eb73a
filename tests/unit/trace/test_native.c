/* The project's own trace format: a file gives back what was written; damage is an error with a
 * name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "isa/opcode.h"
#include "trace/native.h"

#define CTAS 300
#define WARPS 2

static const char *const texts[] = {
    "S2R R0, SR_TID.X ;",
    "@!P0 LDG.E.128 R4, desc[UR4][R2.64] ;",
    "FFMA R8, R4.reuse, R5, R6 ;",
    "STS.64 [R10+0x10], R8 ;",
    "BAR.SYNC.DEFER_BLOCKING 0x0 ;",
    "EXIT ;",
};
#define INSTS (sizeof texts / sizeof texts[0])

struct fixture {
    char path[64];
    struct arena arena;
    struct inst insts[INSTS];
    const struct inst *table[INSTS];
    struct kernel kernel;
};

static void write_file(struct fixture *f)
{
    struct sim_err err = {0};
    struct native_writer *w;
    struct pack_warp warps[WARPS];
    memset(warps, 0, sizeof warps);
    assert_true(native_writer_open(&w, f->path, &err));
    assert_true(native_writer_copy(w, 0x7f0000000000ull, 4096, &err));
    assert_true(native_writer_begin(w, &f->kernel, &err));
    for (uint64_t cta = 0; cta < CTAS; cta++) {
        for (uint32_t i = 0; i < WARPS; i++) {
            pack_reset(&warps[i]);
            for (uint32_t n = 0; n < INSTS; n++) {
                struct dyn_inst d = {.inst = n, .mask = ~0u, .addr_mode = ADDR_STRIDE};
                d.addr.base = 0x7f0000000000ull + cta * 4096 + i * 512;
                d.stride = 16;
                assert_true(pack_has_address(&f->insts[n]) ? pack_add(&warps[i], &d)
                                                           : pack_add_plain(&warps[i], n, ~0u));
            }
            assert_true(pack_end(&warps[i]));
        }
        assert_true(native_writer_cta(w, &f->kernel, cta * 2, warps, WARPS, &err));
    }
    assert_true(native_writer_end(w, &err));
    assert_true(native_writer_commit(w, &err));
    native_writer_close(w);
    for (uint32_t i = 0; i < WARPS; i++)
        pack_free(&warps[i]);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct sim_err err = {0};
    snprintf(f->path, sizeof f->path, "/tmp/subcore-native-XXXXXX");
    int fd = mkstemp(f->path);
    close(fd);
    for (uint32_t i = 0; i < INSTS; i++) {
        if (!inst_from_text(&f->insts[i], texts[i], i * 16, 90, NULL, NULL, &f->arena, "t", 1,
                            &err))
            return -1;
        f->insts[i].ctrl = (struct ctrl){.stall = (uint8_t)(i + 1),
                                         .yield = i % 2,
                                         .write_bar = (uint8_t)i,
                                         .read_bar = NO_COUNTER,
                                         .wait_mask = (uint8_t)(1u << i)};
        f->insts[i].flags |= INST_HAS_CTRL;
        f->table[i] = &f->insts[i];
    }
    f->kernel = (struct kernel){.name = "k",
                                .launch = "k_small",
                                .id = 3,
                                .sm_version = 90,
                                .grid = {600, 1, 1},
                                .block = {64, 1, 1},
                                .registers = 24,
                                .shared_bytes = 1024,
                                .stream = 0xffffffff00000001ull,
                                .cta_count = 600,
                                .has_ctrl = true,
                                .insts = f->table,
                                .inst_count = INSTS};
    write_file(f);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    unlink(f->path);
    arena_free(&f->arena);
    free(f);
    return 0;
}

static void assert_same_inst(const struct inst *a, const struct inst *b)
{
    assert_string_equal(a->opcode, b->opcode);
    assert_string_equal(a->text, b->text);
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->opcode_id, b->opcode_id);
    assert_int_equal(a->op_class, b->op_class);
    assert_int_equal(a->guard, b->guard);
    assert_int_equal(a->guard_negate, b->guard_negate);
    assert_memory_equal(&a->ctrl, &b->ctrl, sizeof a->ctrl);
    assert_int_equal(a->operand_count, b->operand_count);
    for (uint32_t i = 0; i < a->operand_count; i++) {
        assert_int_equal(a->operands[i].file, b->operands[i].file);
        assert_int_equal(a->operands[i].role, b->operands[i].role);
        assert_int_equal(a->operands[i].index, b->operands[i].index);
        assert_int_equal(a->operands[i].count, b->operands[i].count);
        assert_int_equal(a->operands[i].slot, b->operands[i].slot);
        assert_int_equal(a->operands[i].reuse, b->operands[i].reuse);
    }
    assert_int_equal(a->mem_space, b->mem_space);
    assert_int_equal(a->mem_width, b->mem_width);
    assert_int_equal(a->barrier_id, b->barrier_id);
}

/* Reads a file to its end; returns the instructions, or UINT64_MAX with *err. */
static uint64_t read_kernel(const char *path, uint64_t offset, struct sim_err *err)
{
    struct kernel *k;
    uint64_t insts = 0;
    if (!native_kernel_open(&k, path, offset, err))
        return UINT64_MAX;
    struct cta_stream *cta = NULL;
    bool ok = true;
    while (ok && (ok = k->ops->open_cta(k, &cta, err)) && cta) {
        for (uint32_t i = 0; ok && i < cta->warp_count; i++) {
            struct warp_stream *w = &cta->warps[i];
            while (!w->finished && (ok = k->ops->refill(w, err)))
                insts += (uint64_t)(w->end - w->next);
        }
        k->ops->close_cta(cta);
    }
    native_kernel_close(k);
    return ok ? insts : UINT64_MAX;
}

static void a_file_gives_back_what_was_written(void **state)
{
    struct fixture *f = *state;
    struct sim_err err = {0};
    struct native_item *items;
    size_t n;
    struct kernel *k;
    assert_true(native_index(f->path, &items, &n, &err));
    assert_int_equal(n, 2);
    assert_false(items[0].is_kernel);
    assert_int_equal(items[0].copy_bytes, 4096);
    assert_true(native_kernel_open(&k, f->path, items[1].offset, &err));
    assert_string_equal(k->name, "k");
    assert_string_equal(k->launch, "k_small");
    assert_int_equal(k->stream, 0xffffffff00000001ull);
    assert_int_equal(k->registers, 24);
    assert_true(k->has_ctrl);
    assert_int_equal(k->inst_count, INSTS); /* before any CTA is opened */
    struct cta_stream *cta[3];
    for (uint32_t c = 0; c < 3; c++) {
        assert_true(k->ops->open_cta(k, &cta[c], &err));
        assert_int_equal(cta[c]->linear_id, 2 * c);
        assert_int_equal(cta[c]->warp_count, WARPS);
    }
    for (uint32_t i = 0; i < INSTS; i++)
        assert_same_inst(k->insts[i], &f->insts[i]);
    struct warp_stream *w = &cta[1]->warps[1];
    assert_true(k->ops->refill(w, &err));
    assert_int_equal(w->end - w->next, INSTS);
    assert_int_equal(w->next[1].addr_mode, ADDR_STRIDE);
    assert_int_equal(w->next[1].addr.base, 0x7f0000000000ull + 4096 + 512);
    assert_int_equal(w->next[1].stride, 16);
    assert_int_equal(w->next[2].addr_mode, ADDR_NONE);
    for (uint32_t c = 0; c < 3; c++)
        k->ops->close_cta(cta[c]);
    native_kernel_close(k);
    assert_int_equal(read_kernel(f->path, items[1].offset, &err), CTAS * WARPS * INSTS);
    free(items);
}

static char *slurp(const char *path, size_t *len)
{
    FILE *in = fopen(path, "rb");
    char *data = malloc(1 << 20);
    *len = fread(data, 1, 1 << 20, in);
    fclose(in);
    return data;
}

static void spill(const char *path, const char *data, size_t len)
{
    FILE *out = fopen(path, "wb");
    fwrite(data, 1, len, out);
    fclose(out);
}

/* Whatever byte is changed or wherever the file is cut, reading fails with a message that names the
 * file, or gives everything (a changed byte that means nothing). */
static void damage_is_never_silent(void **state)
{
    struct fixture *f = *state;
    size_t len;
    char *data = slurp(f->path, &len);
    char path[80];
    snprintf(path, sizeof path, "%s.bad", f->path);
    for (size_t at = 0; at < len; at += 1 + len / 400) {
        for (uint32_t cut = 0; cut < 2; cut++) {
            struct sim_err err = {0};
            struct native_item *items = NULL;
            size_t n = 0;
            data[at] = (char)(data[at] ^ 0x10);
            spill(path, data, cut ? at : len);
            data[at] = (char)(data[at] ^ 0x10);
            uint64_t insts = UINT64_MAX;
            if (native_index(path, &items, &n, &err) && n == 2)
                insts = read_kernel(path, items[1].offset, &err);
            free(items);
            if (insts != CTAS * WARPS * INSTS) {
                assert_int_equal(err.code, ERR_INPUT);
                assert_string_equal(err.file, path);
            }
        }
    }
    unlink(path);
    free(data);
}

static void another_version_is_refused_with_both_numbers(void **state)
{
    struct fixture *f = *state;
    struct sim_err err = {0};
    struct native_item *items;
    size_t len, n;
    char *data = slurp(f->path, &len);
    data[8] = 9;
    spill(f->path, data, len);
    assert_false(native_index(f->path, &items, &n, &err));
    assert_string_equal(err.msg, "expected version 1 of the trace format, found version 9");
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_gives_back_what_was_written, setup, teardown),
        cmocka_unit_test_setup_teardown(damage_is_never_silent, setup, teardown),
        cmocka_unit_test_setup_teardown(another_version_is_refused_with_both_numbers, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What `inspect` counts, on a kernel made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "report/profile.h"

#define CTAS 2u
#define WARPS 2u

/* A kernel of three CTAs of which the trace holds two; warp 1 of CTA 1 has no instructions. */
struct hand {
    struct inst insts[5];
    const struct inst *table[5];
    uint64_t list[WARP_LANES];
    struct dyn_inst dyn[6];
    struct warp_stream warps[CTAS][WARPS];
    struct cta_stream ctas[CTAS];
    struct kernel kernel;
    uint32_t opened, closed;
};

static bool open_cta(struct kernel *k, struct cta_stream **out, struct sim_err *err)
{
    struct hand *h = k->state;
    (void)err;
    *out = h->opened < CTAS ? &h->ctas[h->opened++] : NULL;
    return true;
}

/* All instructions come with the first refill. */
static bool refill(struct warp_stream *w, struct sim_err *err)
{
    struct hand *h = w->cta->kernel->state;
    (void)err;
    w->next = h->dyn;
    w->end = h->dyn + 6;
    w->finished = true;
    return true;
}

static bool refill_fails(struct warp_stream *w, struct sim_err *err)
{
    (void)w;
    return err_set(err, ERR_INPUT, "k.traceg", 9, 0, "cut off");
}

static void close_cta(struct cta_stream *cta)
{
    struct hand *h = cta->kernel->state;
    h->closed++;
}

static const struct kernel_ops ops = {
    .open_cta = open_cta, .refill = refill, .close_cta = close_cta};
static const struct kernel_ops failing_ops = {
    .open_cta = open_cta, .refill = refill_fails, .close_cta = close_cta};

static void make_instructions(struct hand *h)
{
    h->insts[0] = (struct inst){.opcode = "FADD", .op_class = OP_CLASS_fma, .guard = 7};
    h->insts[1] = (struct inst){.pc = 0x10,
                                .opcode = "LDG.E",
                                .op_class = OP_CLASS_ldg_reg,
                                .guard = 7,
                                .flags = INST_LOAD,
                                .mem_space = MEM_GLOBAL,
                                .mem_width = 4,
                                .operand_count = 2,
                                .operands = {{.role = OPERAND_DEST, .index = 4, .count = 1},
                                             {.role = OPERAND_ADDRESS, .index = 2, .count = 2}}};
    h->insts[2] = (struct inst){.pc = 0x20,
                                .opcode = "STS",
                                .op_class = OP_CLASS_sts_reg,
                                .flags = INST_STORE,
                                .mem_space = MEM_SHARED,
                                .mem_width = 4};
    h->insts[3] = (struct inst){.pc = 0x30,
                                .opcode = "QUX.A",
                                .op_class = OP_CLASS_alu,
                                .guard = 2,
                                .guard_negate = true,
                                .guard_file = REG_PREDICATE,
                                .flags = INST_UNKNOWN};
    h->insts[4] = (struct inst){
        .pc = 0x40, .opcode = "BRA", .op_class = OP_CLASS_branch, .flags = INST_BRANCH};
    for (uint32_t i = 0; i < 5; i++)
        h->table[i] = &h->insts[i];
}

static void make(struct hand *h)
{
    memset(h, 0, sizeof *h);
    make_instructions(h);
    h->list[3] = 0x1000; /* lane 2 reads address 0 */
    h->dyn[0] = (struct dyn_inst){.inst = 0, .mask = 0xffffffff};
    h->dyn[1] = (struct dyn_inst){.inst = 1, .mask = 0xffffffff, .addr_mode = ADDR_STRIDE};
    h->dyn[1].addr.base = 0x10010; /* 4 B a lane: five sectors of two lines */
    h->dyn[1].stride = 4;
    h->dyn[2] = (struct dyn_inst){.inst = 1, .mask = 0xc, .addr_mode = ADDR_LIST};
    h->dyn[2].addr.list = h->list;
    h->dyn[3] = (struct dyn_inst){.inst = 2, .mask = 0x3, .addr_mode = ADDR_STRIDE};
    h->dyn[4] = (struct dyn_inst){.inst = 3, .mask = 0x1};
    h->dyn[5] = (struct dyn_inst){.inst = 4, .mask = 0};
    h->kernel = (struct kernel){.name = "hand",
                                .id = 2,
                                .grid = {3, 1, 1},
                                .block = {64, 1, 1},
                                .cta_count = 3,
                                .insts = h->table,
                                .inst_count = 5,
                                .ops = &ops,
                                .state = h};
    for (uint32_t c = 0; c < CTAS; c++) {
        h->ctas[c] = (struct cta_stream){.kernel = &h->kernel,
                                         .linear_id = c,
                                         .id = {c, 0, 0},
                                         .warp_count = WARPS,
                                         .warps = h->warps[c]};
        for (uint32_t w = 0; w < WARPS; w++)
            h->warps[c][w] = (struct warp_stream){.cta = &h->ctas[c], .warp = w};
    }
    h->warps[1][1].finished = true;
}

static void mix_memory_and_divergence_are_counted(void **state)
{
    (void)state;
    struct hand h;
    struct profile p = {0};
    struct sim_err err = {0};
    make(&h);
    assert_true(profile_kernel(&p, &h.kernel, NULL, NULL, &err));
    assert_int_equal(p.ctas, 2);
    assert_int_equal(h.closed, 2);
    assert_int_equal(p.warps, 4);
    assert_int_equal(p.warp_instructions, 18);
    assert_int_equal(p.thread_instructions, 3 * (32 + 32 + 2 + 2 + 1));
    assert_int_equal(p.full_instructions, 6);
    assert_int_equal(p.branches, 3);
    assert_int_equal(p.classes[OP_CLASS_ldg_reg], 6);
    assert_int_equal(p.memory[PROFILE_GLOBAL].loads, 6);
    assert_int_equal(p.memory[PROFILE_SHARED].stores, 3);
    assert_int_equal(p.line_accesses, 6);
    assert_int_equal(p.sectors, 3 * (5 + 2));
    assert_int_equal(p.lines.count, 4);
    profile_free(&p);
}

static void faults_name_the_first_place(void **state)
{
    (void)state;
    struct hand h;
    struct profile p = {0};
    struct buf out = {0};
    struct sim_err err = {0};
    make(&h);
    assert_true(profile_kernel(&p, &h.kernel, NULL, NULL, &err));
    assert_int_equal(profile_faults(&out, &h.kernel, &p), 5);
    assert_string_equal(
        out.data,
        "kernel 2: CTAs of the grid missing: 1\n"
        "kernel 2: warps without instructions: 1, the first in CTA 1, warp 1\n"
        "kernel 2: warps that end without an EXIT: 3, the first in CTA 0, warp 0, pc 0x0040 BRA\n"
        "kernel 2: accesses to address 0: 3, the first in CTA 0, warp 0, pc 0x0010 LDG.E\n"
        "kernel 2: instructions with an opcode that is not in the table: 3, the first in CTA 0, "
        "warp 0, pc 0x0030 QUX.A\n");
    buf_free(&out);
    profile_free(&p);
}

static void local_memory_begins_at_address_0(void **state)
{
    (void)state;
    struct hand h;
    struct profile p = {0};
    struct buf out = {0};
    struct sim_err err = {0};
    make(&h);
    h.insts[1].mem_space = MEM_LOCAL;
    assert_true(profile_kernel(&p, &h.kernel, NULL, NULL, &err));
    assert_int_equal(p.memory[PROFILE_LOCAL].loads, 6);
    assert_int_equal(profile_faults(&out, &h.kernel, &p), 4);
    assert_null(strstr(out.data, "address 0"));
    buf_free(&out);
    profile_free(&p);
}

static void generic_accesses_are_told_by_the_address(void **state)
{
    (void)state;
    struct hand h;
    struct profile p = {0};
    struct sim_err err = {0};
    make(&h);
    h.insts[1].mem_space = MEM_GENERIC;
    h.kernel.shared_base = 0x10000;
    assert_true(profile_kernel(&p, &h.kernel, NULL, NULL, &err));
    assert_int_equal(p.memory[PROFILE_SHARED].loads, 3);
    assert_int_equal(p.memory[PROFILE_GLOBAL].loads, 3);
    profile_free(&p);
}

static void add_line(void *user, const struct cta_stream *cta, const struct warp_stream *warp,
                     const struct dyn_inst *d)
{
    if (cta->linear_id == 1)
        profile_dump(user, cta, warp, d);
}

static void dump_prints_a_line_an_instruction(void **state)
{
    (void)state;
    struct hand h;
    struct profile p = {0};
    struct buf out = {0};
    struct sim_err err = {0};
    make(&h);
    assert_true(profile_kernel(&p, &h.kernel, add_line, &out, &err));
    assert_string_equal(out.data, "1,0,0 0 0x0000 ffffffff FADD\n"
                                  "1,0,0 0 0x0010 ffffffff LDG.E R4, [R2..R3]  0x10010 stride 4\n"
                                  "1,0,0 0 0x0010 0000000c LDG.E R4, [R2..R3]  0x0,0x1000\n"
                                  "1,0,0 0 0x0020 00000003 @P0 STS  0x0 stride 0\n"
                                  "1,0,0 0 0x0030 00000001 @!P2 QUX.A\n"
                                  "1,0,0 0 0x0040 00000000 @P0 BRA\n");
    buf_free(&out);
    profile_free(&p);
}

static void failing_stream_closes_its_cta(void **state)
{
    (void)state;
    struct hand h;
    struct profile p = {0};
    struct sim_err err = {0};
    make(&h);
    h.kernel.ops = &failing_ops;
    assert_false(profile_kernel(&p, &h.kernel, NULL, NULL, &err));
    assert_string_equal(err.msg, "cut off");
    assert_int_equal(h.opened, 1);
    assert_int_equal(h.closed, 1);
    profile_free(&p);
}

static void table_and_json_show_the_counts(void **state)
{
    (void)state;
    struct hand h;
    struct profile p = {0};
    struct buf out = {0};
    struct json j;
    struct sim_err err = {0};
    make(&h);
    assert_true(profile_kernel(&p, &h.kernel, NULL, NULL, &err));
    profile_text(&out, &h.kernel, &p);
    assert_non_null(strstr(out.data, "  2 of 3 CTAs in the trace, without control bits\n"));
    assert_non_null(strstr(out.data, "  global loads/stores/atomics   6 / 0 / 0\n"));
    assert_non_null(strstr(out.data, "  Instruction classes  ldg_reg 33.3 %, alu 16.7 %, "));
    buf_free(&out);
    json_init(&j, &out);
    profile_json(&j, &h.kernel, &p);
    assert_non_null(strstr(out.data, "\"footprint_lines\": 4,"));
    assert_non_null(strstr(out.data, "\"sectors_per_access\": 3.5000"));
    assert_non_null(strstr(out.data, "\"unknown\": 3"));
    assert_non_null(strstr(out.data, "\"zero_addresses\": 3,"));
    buf_free(&out);
    profile_free(&p);
}

static void line_set_counts_distinct_members_while_it_grows(void **state)
{
    (void)state;
    struct line_set s = {0};
    for (uint64_t round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 20000; i++)
            line_set_add(&s, i * 4096);
    line_set_add(&s, UINT64_MAX - 1);
    assert_int_equal(s.count, 20001);
    assert_false(s.full);
    line_set_free(&s);
}

static void full_line_set_says_so_and_keeps_its_members(void **state)
{
    (void)state;
    struct line_set s = {0};
    line_set_add(&s, 7);
    s.count = LINE_SET_MAX;
    line_set_add(&s, 7);
    assert_false(s.full);
    line_set_add(&s, 8);
    assert_true(s.full);
    assert_int_equal(s.count, LINE_SET_MAX);
    line_set_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mix_memory_and_divergence_are_counted),
        cmocka_unit_test(faults_name_the_first_place),
        cmocka_unit_test(local_memory_begins_at_address_0),
        cmocka_unit_test(generic_accesses_are_told_by_the_address),
        cmocka_unit_test(dump_prints_a_line_an_instruction),
        cmocka_unit_test(failing_stream_closes_its_cta),
        cmocka_unit_test(table_and_json_show_the_counts),
        cmocka_unit_test(line_set_counts_distinct_members_while_it_grows),
        cmocka_unit_test(full_line_set_says_so_and_keeps_its_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

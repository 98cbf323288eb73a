/* Real traces: warp instructions per opcode, counted once with zcat and awk. */
#include "trace/kernel.h"

#include "trace_support.h"

#define TRACES SUBCORE_SOURCE_DIR "/../shared/traces/accelsim/"

struct opcode_count {
    const char *opcode; /* first token */
    uint64_t count;
};

struct trace_set {
    const char *folder;
    uint64_t kernels, copies, ctas, insts;
    struct opcode_count opcodes[32];
};

static const struct trace_set bfs = {
    "bfs-rodinia-2.0-ft",
    16,
    14,
    128,
    159509,
    {{"BRA", 4670},
     {"EXIT", 7519},
     {"IADD3", 37958},
     {"IMAD", 37613},
     {"ISETP", 13986},
     {"LDG", 26498},
     {"LEA", 1024},
     {"PRMT", 6317},
     {"S2R", 4096},
     {"SHF", 5694},
     {"STG", 12086},
     {"ULDC", 2048}},
};

static const struct trace_set debug = {
    "dataset_debug",
    33,
    5,
    1169,
    79040,
    {{"BRA", 1495},   {"EXIT", 2338},  {"F2I", 1152},  {"FADD", 1152},  {"FFMA", 2628},
     {"FMUL", 2304},  {"HFMA2", 1169}, {"I2F", 1152},  {"IADD3", 8535}, {"IMAD", 11727},
     {"ISETP", 7272}, {"LDC", 2355},   {"LDG", 7424},  {"LEA", 2372},   {"LOP3", 1186},
     {"MOV", 139},    {"MUFU", 1152},  {"PLOP3", 51},  {"S2R", 1186},   {"S2UR", 1152},
     {"SHF", 4642},   {"STG", 2321},   {"UIADD3", 88}, {"UIMAD", 1152}, {"ULDC", 8166},
     {"UMOV", 34},    {"USHF", 1152},  {"VIADD", 3544}},
};

static const struct trace_set simple = {
    "simple-trace-example",
    1,
    2,
    196,
    26601,
    {{"EXIT", 3131},
     {"FADD", 3126},
     {"HFMA2", 1563},
     {"IMAD", 6257},
     {"ISETP", 1568},
     {"LDG", 3126},
     {"MOV", 1568},
     {"S2R", 3136},
     {"STG", 1563},
     {"ULDC", 1563}},
};

static const struct trace_set ffma = {
    "simtune-ffmakernel-1-32-10",
    1,
    0,
    1,
    1328,
    {{"BRA", 10},
     {"EXIT", 2},
     {"FFMA", 1280},
     {"FSETP", 1},
     {"HFMA2", 1},
     {"ISETP", 11},
     {"LDC", 2},
     {"MOV", 10},
     {"UIADD3", 10},
     {"UMOV", 1}},
};

struct tally {
    const struct trace_set *set;
    uint64_t counts[32];
    uint64_t ctas, insts;
};

static void count_inst(struct tally *t, const char *opcode)
{
    size_t n = strcspn(opcode, ".");
    t->insts++;
    for (uint32_t i = 0; i < 32 && t->set->opcodes[i].opcode; i++) {
        const char *name = t->set->opcodes[i].opcode;
        if (strlen(name) == n && memcmp(name, opcode, n) == 0) {
            t->counts[i]++;
            return;
        }
    }
    fail_msg("unexpected opcode %s", opcode);
}

static void count_warp(struct tally *t, struct warp_stream *w)
{
    struct sim_err err = {0};
    const struct kernel *k = w->cta->kernel;
    for (;;) {
        for (; w->next != w->end; w->next++)
            count_inst(t, k->insts[w->next->inst]->opcode);
        if (w->finished)
            return;
        assert_true(k->ops->refill(w, &err));
    }
}

static void count_kernel(struct tally *t, struct kernel *k)
{
    struct sim_err err = {0};
    for (;;) {
        struct cta_stream *cta;
        if (!k->ops->open_cta(k, &cta, &err))
            fail_msg("%s:%u: %s", err.file, err.line, err.msg);
        if (!cta)
            return;
        t->ctas++;
        for (uint32_t w = 0; w < cta->warp_count; w++)
            count_warp(t, &cta->warps[w]);
        k->ops->close_cta(cta);
    }
}

static void check_set(const struct trace_set *set)
{
    char path[512];
    snprintf(path, sizeof path, TRACES "%s", set->folder);
    if (access(path, R_OK) != 0)
        skip();
    struct diag diag = {0};
    struct sim_err err = {0};
    struct input_options opt = {.diag = &diag};
    struct input *in;
    if (!input_open(&in, path, &opt, &err))
        fail_msg("%s: %s", err.file, err.msg);
    assert_int_equal(input_kernel_count(in), set->kernels);
    struct tally t = {.set = set};
    uint64_t kernels = 0, copies = 0;
    for (;;) {
        struct input_item item;
        if (!input_next(in, &item, &err))
            fail_msg("%s:%u: %s", err.file, err.line, err.msg);
        if (item.kind == INPUT_END)
            break;
        kernels += item.kind == INPUT_KERNEL;
        copies += item.kind == INPUT_MEMCPY;
        if (item.kind == INPUT_KERNEL)
            count_kernel(&t, item.kernel);
    }
    uint64_t done, total;
    input_progress(in, &done, &total);
    assert_true(total > 0);
    assert_int_equal(done, total);
    input_close(in);
    assert_int_equal(kernels, set->kernels);
    assert_int_equal(copies, set->copies);
    assert_int_equal(t.ctas, set->ctas);
    assert_int_equal(t.insts, set->insts);
    for (uint32_t i = 0; i < 32 && set->opcodes[i].opcode; i++)
        assert_int_equal(t.counts[i], set->opcodes[i].count);
    assert_int_equal(diag.count, 0);
}

static void bfs_has_its_instructions(void **state)
{
    (void)state;
    check_set(&bfs);
}

static void dataset_debug_has_its_instructions(void **state)
{
    (void)state;
    check_set(&debug);
}

static void simple_example_has_its_instructions(void **state)
{
    (void)state;
    check_set(&simple);
}

static void ffma_kernel_has_its_instructions(void **state)
{
    (void)state;
    check_set(&ffma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bfs_has_its_instructions),
        cmocka_unit_test(dataset_debug_has_its_instructions),
        cmocka_unit_test(simple_example_has_its_instructions),
        cmocka_unit_test(ffma_kernel_has_its_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

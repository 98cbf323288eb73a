/* Divergence: every lane must compute what it would alone, and lanes come together again where the
 * code says so. */
#include "machine_support.h"

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t seed_of(uint64_t fallback)
{
    const char *text = getenv("SUBCORE_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : fallback;
    print_message("seed 0x%llx (SUBCORE_SEED)\n", (unsigned long long)seed);
    return seed;
}

/* Random structured code. R2 is hashed along the way, R3 is the lane's own number, R8.. count loop
 * trips; P0 is the condition. Barrier registers are one a nesting depth, as compilers use them. */
struct writer {
    struct test_kernel *k;
    uint64_t random;
    uint32_t labels;
    uint32_t budget;
};

static uint32_t below(struct writer *w, uint32_t n)
{
    return (uint32_t)(draw(&w->random) % n);
}

static void emit(struct writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void emit(struct writer *w, const char *fmt, ...)
{
    char line[120];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    test_line(w->k, line);
}

/* P0 = some lanes, which differ from visit to visit. */
static void write_condition(struct writer *w)
{
    emit(w, "IMAD R4, R2, 0x%x, R3", below(w, 1000) * 2 + 1);
    emit(w, "ISETP.LT.U32.AND P0, PT, R4, 0x%x, PT", (uint32_t)draw(&w->random));
}

static void write_block(struct writer *w, uint32_t depth);

static void write_work(struct writer *w)
{
    emit(w, "IMAD R2, R2, 0x%x, R3", below(w, 10000) * 2 + 1);
}

static void write_if(struct writer *w, uint32_t depth)
{
    uint32_t n = w->labels++;
    emit(w, "BSSY B%u, `(.join%u)", depth, n);
    write_condition(w);
    emit(w, "@P0 BRA `(.else%u)", n);
    write_block(w, depth + 1);
    emit(w, "BRA `(.join%u)", n);
    emit(w, ".else%u:", n);
    write_block(w, depth + 1);
    emit(w, ".join%u:", n);
    emit(w, "BSYNC B%u", depth);
}

static void write_loop(struct writer *w, uint32_t depth)
{
    uint32_t n = w->labels++;
    emit(w, "IADD3 R%u, RZ, 0x0, RZ", 8 + depth);
    emit(w, "BSSY B%u, `(.out%u)", depth, n);
    emit(w, ".again%u:", n);
    write_condition(w);
    if (below(w, 2)) {
        emit(w, "@P0 BREAK B%u", depth); /* lanes that leave go round the barrier */
        emit(w, "@P0 BRA `(.gone%u)", n);
    } else {
        emit(w, "@P0 BRA `(.out%u)", n);
    }
    write_block(w, depth + 1);
    emit(w, "IADD3 R%u, R%u, 0x1, RZ", 8 + depth, 8 + depth);
    emit(w, "ISETP.LT.U32.AND P0, PT, R%u, 0x%x, PT", 8 + depth, 1 + below(w, 4));
    emit(w, "@P0 BRA `(.again%u)", n);
    emit(w, ".out%u:", n);
    emit(w, "BSYNC B%u", depth);
    emit(w, ".gone%u:", n);
    write_work(w);
}

static void write_block(struct writer *w, uint32_t depth)
{
    uint32_t parts = 1 + below(w, 3);
    for (uint32_t i = 0; i < parts; i++) {
        write_work(w);
        if (depth >= 6 || w->budget == 0)
            continue;
        w->budget--;
        switch (below(w, 8)) {
        case 0:
        case 1:
        case 2:
            write_if(w, depth);
            break;
        case 3:
        case 4:
            write_loop(w, depth);
            break;
        case 5:
            write_condition(w);
            emit(w, "@P0 EXIT");
            break;
        case 6:
            write_condition(w);
            emit(w, "ISETP.LT.U32.AND P1, PT, R3, 0x%x, PT", (uint32_t)draw(&w->random));
            emit(w, "@!P0 BRA !P1, `(.skip%u)", w->labels);
            write_work(w);
            emit(w, ".skip%u:", w->labels++);
            break;
        default:
            emit(w, "WARPSYNC 0x%x", 0u); /* waits for nobody */
            break;
        }
    }
}

/* One lane alone: knows only what write_*() emit. */
struct lane {
    const struct test_kernel *k;
    uint32_t r[16], pc;
    bool p[2];
    uint64_t steps;
};

static uint32_t label_index(const struct test_kernel *k, const char *text)
{
    const char *name = strstr(text, "`(") + 2;
    size_t len = strcspn(name, ")");
    for (uint32_t i = 0; i < k->code.label_count; i++)
        if (strlen(k->labels[i].name) == len && memcmp(k->labels[i].name, name, len) == 0)
            return k->labels[i].inst;
    fail_msg("no label in %s", text);
    return 0;
}

/* Executes one instruction; false when the lane has exited. */
static bool lane_step(struct lane *l)
{
    const char *text = l->k->insts[l->pc++].text;
    uint32_t d, a, imm, p;
    l->steps++;
    if (text[0] == '@') {
        bool not = text[1] == '!';
        if (l->p[text[2 + not ] - '0'] == not )
            return true;
        text = strchr(text, ' ') + 1;
    }
    if (sscanf(text, "IMAD R%u, R%u, 0x%x, R3", &d, &a, &imm) == 3)
        l->r[d] = l->r[a] * imm + l->r[3];
    else if (sscanf(text, "IADD3 R%u, RZ, 0x%x, RZ", &d, &imm) == 2)
        l->r[d] = imm;
    else if (sscanf(text, "IADD3 R%u, R%u, 0x%x, RZ", &d, &a, &imm) == 3)
        l->r[d] = l->r[a] + imm;
    else if (sscanf(text, "ISETP.LT.U32.AND P%u, PT, R%u, 0x%x, PT", &p, &a, &imm) == 3)
        l->p[p] = l->r[a] < imm;
    else if (strncmp(text, "BRA !P1", 7) == 0)
        l->pc = l->p[1] ? l->pc : label_index(l->k, text);
    else if (strncmp(text, "BRA ", 4) == 0)
        l->pc = label_index(l->k, text);
    return strncmp(text, "EXIT", 4) != 0;
}

static void lanes_compute_what_they_would_alone(void **state)
{
    (void)state;
    uint64_t seed = seed_of(1);
    uint64_t diverged = 0;
    for (uint32_t round = 0; round < 300; round++) {
        struct writer w = {.k = test_kernel_new(90), .random = seed + round, .budget = 40};
        test_line(w.k, "S2R R3, SR_LANEID");
        emit(&w, "IMAD R3, R3, 0x9e3779b1, R3");
        write_block(&w, 0);
        test_line(w.k, "EXIT");
        test_run_cta(w.k, 0);
        uint64_t steps = 0;
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            struct lane l = {.k = w.k, .pc = 2};
            l.r[3] = i * 0x9e3779b1u + i;
            while (lane_step(&l))
                assert_true(l.steps < 1000000);
            steps += l.steps + 2;
            for (uint32_t r = 2; r < 16; r++)
                if (test_reg(w.k, 0, r, i) != l.r[r])
                    fail_msg("seed 0x%llx: lane %u: R%u = 0x%x, alone 0x%x",
                             (unsigned long long)(seed + round), i, r, test_reg(w.k, 0, r, i),
                             l.r[r]);
        }
        uint64_t threads = 0, insts = 0;
        for (uint32_t i = 0; i < w.k->code.inst_count; i++) {
            threads += w.k->counts[i].thread;
            insts += w.k->counts[i].inst;
        }
        assert_int_equal(threads, steps);
        diverged += insts * WARP_LANES > threads;
        test_kernel_free(w.k);
    }
    assert_true(diverged > 250);
}

static struct test_kernel *kernel_of(const char *text)
{
    struct test_kernel *k = test_kernel_new(90);
    test_lines(k, "S2R R3, SR_LANEID");
    test_lines(k, text);
    return k;
}

static uint64_t count_at_label(const struct test_kernel *k, const char *name)
{
    for (uint32_t i = 0; i < k->code.label_count; i++)
        if (strcmp(k->labels[i].name, name) == 0)
            return k->counts[k->labels[i].inst].inst;
    fail_msg("no label %s", name);
    return 0;
}

static void lanes_join_at_bsync_only(void **state)
{
    (void)state;
    const char *tail = "here:\nNOP\nEXIT";
    char text[400];
    snprintf(text, sizeof text,
             "ISETP.LT.U32.AND P0, PT, R3, 0x5, PT\nBSSY B0, `(join)\n@P0 BRA `(join)\nNOP\n"
             "join:\nBSYNC B0\n%s",
             tail);
    struct test_kernel *k = kernel_of(text);
    test_run_cta(k, 0);
    assert_int_equal(count_at_label(k, "here"), 1);
    assert_int_equal(count_at_label(k, "join"), 2);
    test_kernel_free(k);
    snprintf(text, sizeof text, "ISETP.LT.U32.AND P0, PT, R3, 0x5, PT\n@P0 BRA `(here)\nNOP\n%s",
             tail);
    k = kernel_of(text);
    test_run_cta(k, 0);
    assert_int_equal(count_at_label(k, "here"), 2);
    test_kernel_free(k);
    snprintf(text, sizeof text,
             "ISETP.LT.U32.AND P0, PT, R3, 0x5, PT\n@P0 BRA `(join)\nNOP\njoin:\n"
             "WARPSYNC 0xffffffff\n%s",
             tail);
    k = kernel_of(text);
    test_run_cta(k, 0);
    assert_int_equal(count_at_label(k, "here"), 1);
    test_kernel_free(k);
}

static void exited_lanes_are_not_waited_for(void **state)
{
    (void)state;
    struct test_kernel *k =
        kernel_of("ISETP.LT.U32.AND P0, PT, R3, 0x5, PT\nBSSY B0, `(join)\n@!P0 BRA `(join)\n"
                  "NOP\nEXIT\njoin:\nBSYNC B0\nhere:\nNOP\nWARPSYNC 0xffffffff\nEXIT");
    test_run_cta(k, 0);
    assert_int_equal(count_at_label(k, "here"), 1);
    test_kernel_free(k);
}

/* Groups that are apart use one barrier register for themselves. */
static void diverged_groups_have_their_own_barriers(void **state)
{
    (void)state;
    struct test_kernel *k =
        kernel_of("ISETP.LT.U32.AND P0, PT, R3, 0x10, PT\n@P0 BRA `(both)\nNOP\nboth:\n"
                  "BSSY B0, `(join)\nLOP3.LUT R4, R3, 0x1, RZ, 0xc0, !PT\n"
                  "ISETP.NE.AND P1, PT, R4, RZ, PT\n@P1 BRA `(join)\nNOP\njoin:\nBSYNC B0\n"
                  "here:\nNOP\nEXIT");
    test_run_cta(k, 0);
    assert_int_equal(count_at_label(k, "join"), 4);
    assert_int_equal(count_at_label(k, "here"), 2);
    test_kernel_free(k);
}

static void calls_return_to_where_each_lane_came_from(void **state)
{
    (void)state;
    struct test_kernel *k =
        kernel_of("ISETP.LT.U32.AND P0, PT, R3, 0x5, PT\nBSSY B0, `(join)\n@P0 BRA `(other)\n"
                  "IADD3 R20, RZ, 0x70, RZ\nIADD3 R21, RZ, 0x0, RZ\nCALL.REL.NOINC `(fn)\n"
                  "IADD3 R5, R5, 0x1, RZ\nBRA `(join)\n" /* 0x70 */
                  "other:\nIADD3 R20, RZ, 0xc0, RZ\nIADD3 R21, RZ, 0x0, RZ\n"
                  "CALL.REL.NOINC `(fn)\nIADD3 R5, R5, 0x2, RZ\n" /* 0xc0 */
                  "join:\nBSYNC B0\nhere:\nNOP\nEXIT\n"
                  "fn:\nIADD3 R5, R5, 0x10, RZ\nRET.REL.NODEC R20 0x0");
    test_run_cta(k, 0);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        assert_int_equal(test_reg(k, 0, 5, i), i < 5 ? 0x12 : 0x11);
    assert_int_equal(count_at_label(k, "fn"), 2);
    assert_int_equal(count_at_label(k, "here"), 1);
    test_kernel_free(k);
}

static void indirect_branch_goes_by_each_lane(void **state)
{
    (void)state;
    struct test_kernel *k = kernel_of(
        "LOP3.LUT R4, R3, 0x1, RZ, 0xc0, !PT\nIMAD R4, R4, 0x20, RZ\nIADD3 R5, RZ, 0x0, RZ\n"
        "IADD3 R4, R4, 0x60, RZ\nBRX R4 -0x60 (*\"BRANCH_TARGETS .L_1,.L_2\"*)\n"
        "IADD3 R6, RZ, 0x1, RZ\nEXIT\nIADD3 R6, RZ, 0x2, RZ\nEXIT");
    test_run_cta(k, 0);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        assert_int_equal(test_reg(k, 0, 6, i), i % 2 ? 2 : 1);
    test_kernel_free(k);
    k = kernel_of("IADD3 R4, RZ, 0x1000, RZ\nIADD3 R5, RZ, 0x0, RZ\nRET.ABS.NODEC R4 0x0\nEXIT");
    test_expect_fault(k, "jump to 0x1000, outside of the kernel's code");
    test_kernel_free(k);
}

/* Lanes that wait in a loop for what other lanes of their warp do must not keep them out. */
static void spinning_lanes_let_the_others_run(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 2; first++) {
        char text[300];
        snprintf(text, sizeof text,
                 "BSSY B0, `(join)\nISETP.%s.AND P0, PT, R3, RZ, PT\n@P0 BRA `(write)\n"
                 "spin:\nISETP.EQ.AND P1, PT, RZ, UR6, PT\n@P1 BRA `(spin)\nBRA `(join)\n"
                 "write:\nUMOV UR6, 0x7\njoin:\nBSYNC B0\nhere:\nNOP\nEXIT",
                 first ? "NE" : "EQ");
        struct test_kernel *k = kernel_of(text);
        k->launch.checks.max_cta_steps = 1000000;
        test_run_cta(k, 0);
        assert_int_equal(count_at_label(k, "here"), 1);
        test_kernel_free(k);
    }
}

static void break_takes_lanes_from_the_barrier(void **state)
{
    (void)state;
    struct test_kernel *k =
        kernel_of("BSSY B0, `(join)\nISETP.LT.U32.AND P0, PT, R3, 0x5, PT\n@P0 BREAK B0\n"
                  "@P0 BRA `(far)\njoin:\nBSYNC B0\nhere:\nNOP\nEXIT\nfar:\nNOP\n"
                  "WARPSYNC 0x1f\nEXIT");
    test_run_cta(k, 0);
    assert_int_equal(count_at_label(k, "here"), 1);
    assert_int_equal(count_at_label(k, "far"), 1);
    test_kernel_free(k);
    k = kernel_of("BSSY B0, `(join)\nBMOV.32.CLEAR R4, B0\nBMOV.32 R5, B0\nBMOV.32 B0, R4\n"
                  "join:\nBSYNC B0\nEXIT");
    test_run_cta(k, 0);
    assert_int_equal(test_reg(k, 0, 4, 3), 0xffffffffu);
    assert_int_equal(test_reg(k, 0, 5, 3), 0);
    test_kernel_free(k);
}

static void branch_on_divergence_looks_at_the_given_lanes(void **state)
{
    (void)state;
    struct test_kernel *k =
        kernel_of("BRA.DIV ~URZ, `(apart)\nBRA.CONV ~URZ, `(whole)\nEXIT\nwhole:\n"
                  "ISETP.LT.U32.AND P0, PT, R3, 0x5, PT\nBSSY B0, `(join)\n@P0 BRA `(join)\n"
                  "IADD3 R4, RZ, 0x20, RZ\nBRA.CONV ~URZ, `(join)\nBRA.DIV R4, `(join)\n"
                  "BRA.DIV ~URZ, `(apart)\nEXIT\napart:\nIADD3 R5, RZ, 0x1, RZ\n"
                  "join:\nBSYNC B0\nEXIT");
    test_run_cta(k, 0);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        assert_int_equal(test_reg(k, 0, 5, i), i >= 5);
    test_kernel_free(k);
}

static void barrier_reduction_counts_lanes_of_all_warps(void **state)
{
    (void)state;
    struct test_kernel *k =
        kernel_of("ISETP.LT.U32.AND P0, PT, R3, 0x5, PT\nBAR.RED.POPC.DEFER_BLOCKING 0x0, P0\n"
                  "B2R.RESULT R4\nBAR.RED.AND.DEFER_BLOCKING 0x0, P0\nB2R.RESULT R5\n"
                  "BAR.RED.OR.DEFER_BLOCKING 0x0, !P0\nB2R.RESULT R6\nEXIT");
    k->launch.block.x = 96;
    test_run_cta(k, 0);
    for (uint32_t warp = 0; warp < 3; warp++) {
        assert_int_equal(test_reg(k, warp, 4, 9), 15);
        assert_int_equal(test_reg(k, warp, 5, 9), 0);
        assert_int_equal(test_reg(k, warp, 6, 9), 0xffffffffu);
    }
    test_kernel_free(k);
}

static void code_addresses_and_the_elected_lane_are_known(void **state)
{
    (void)state;
    struct test_kernel *k =
        kernel_of("LEPC R4\nLEPC R6, `(here)\nISETP.GT.U32.AND P0, PT, R3, 0x6, PT\n"
                  "ELECT P1, UR4, P0\n@P1 IADD3 R8, RZ, UR4, RZ\nNANOSLEEP 0x10\nhere:\nEXIT");
    test_run_cta(k, 0);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        assert_int_equal(test_reg(k, 0, 4, i), 0x10);
        assert_int_equal(test_reg(k, 0, 6, i), 0x70);
        assert_int_equal(test_reg(k, 0, 7, i), 0);
        assert_int_equal(test_reg(k, 0, 8, i), i == 7 ? 7 : 0);
    }
    test_kernel_free(k);
}

#define LOOP_EXITS SUBCORE_SOURCE_DIR "/tests/data/divergence/loop_exits.csv"

/* Which of two groups runs first, and which join, shows in how often a BSYNC behind a loop is
 * executed; counts measured on an H200. */
static void groups_run_and_join_as_on_hardware(void **state)
{
    (void)state;
    FILE *f = fopen(LOOP_EXITS, "r");
    assert_non_null(f);
    struct test_kernel *k =
        kernel_of("IMAD R2, R3, 0x4, RZ\nLDC R5, c[0x0][R2]\nIADD3 R4, RZ, 0x0, RZ\nBSSY B0, "
                  "`(join)\nagain:\nIADD3 R4, R4, 0x1, RZ\n"
                  "ISETP.LT.U32.AND P0, PT, R4, R5, PT\n@P0 BRA `(again)\njoin:\nBSYNC B0\nEXIT");
    char line[256];
    uint32_t rows = 0;
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#')
            continue;
        char *at = line;
        for (uint32_t i = 0; i < WARP_LANES; i++)
            k->bank0[i] = (uint32_t)strtoul(at, &at, 10);
        at = strchr(at + 1, ',');
        memset(k->counts, 0, sizeof k->counts);
        test_run_cta(k, 0);
        if (count_at_label(k, "join") != strtoul(at + 1, NULL, 10))
            fail_msg("%sexecuted: %llu", line, (unsigned long long)count_at_label(k, "join"));
        rows++;
    }
    fclose(f);
    test_kernel_free(k);
    assert_int_equal(rows, 595);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_run_and_join_as_on_hardware),
        cmocka_unit_test(lanes_compute_what_they_would_alone),
        cmocka_unit_test(lanes_join_at_bsync_only),
        cmocka_unit_test(exited_lanes_are_not_waited_for),
        cmocka_unit_test(diverged_groups_have_their_own_barriers),
        cmocka_unit_test(calls_return_to_where_each_lane_came_from),
        cmocka_unit_test(indirect_branch_goes_by_each_lane),
        cmocka_unit_test(spinning_lanes_let_the_others_run),
        cmocka_unit_test(break_takes_lanes_from_the_barrier),
        cmocka_unit_test(branch_on_divergence_looks_at_the_given_lanes),
        cmocka_unit_test(code_addresses_and_the_elected_lane_are_known),
        cmocka_unit_test(barrier_reduction_counts_lanes_of_all_warps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

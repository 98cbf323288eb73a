/* Packed half instructions against integer arithmetic. */
#include "float_reference.h"

static void fill(struct emu_warp *w, struct ref_format f, uint64_t *state)
{
    test_warp_random(w, state);
    for (uint32_t r = 1; r < 4; r++)
        for (uint32_t i = 0; i < WARP_LANES; i++)
            w->r[r][i] = (uint32_t)(ref_random(f, state) | ref_random(f, state) << 16);
}

static const char *const selections[] = {"", ".H0_H0", ".H1_H1"};

struct source {
    bool neg, abs;
    uint32_t select;
    char text[32];
};

static struct source random_source(uint32_t r, uint64_t *state)
{
    struct source s = {.neg = test_random(state) & 1,
                       .abs = (test_random(state) & 3) == 0,
                       .select = (uint32_t)(test_random(state) % 3)};
    snprintf(s.text, sizeof s.text, "%s%sR%u%s%s", s.neg ? "-" : "", s.abs ? "|" : "", r,
             selections[s.select], s.abs ? "|" : "");
    return s;
}

static uint32_t apply(struct source s, uint32_t word, uint32_t part)
{
    uint32_t high = s.select == 0 ? part : s.select - 1;
    uint32_t half = high ? word >> 16 : word & 0xffff;
    half = s.abs ? half & 0x7fff : half;
    return s.neg ? half ^ 0x8000 : half;
}

static void check(const char *name, enum ref_op what, struct ref_format f, uint32_t flags,
                  uint64_t *state)
{
    static struct emu_warp w, before;
    bool ftz = flags & 1, sat = flags & 2, relu = flags & 4;
    struct source s[3];
    char text[160];
    fill(&w, f, state);
    for (uint32_t k = 0; k < 3; k++)
        s[k] = random_source(k + 1, state);
    snprintf(text, sizeof text, "%s%s%s%s%s R%u, %s, %s%s%s", name,
             f.exponent_bits == 8 ? ".BF16_V2" : "", ftz ? ".FTZ" : "", sat ? ".SAT" : "",
             relu ? ".RELU" : "", flags & 8 ? 2u : 9u, s[0].text, s[1].text,
             what == REF_FMA ? ", " : "", what == REF_FMA ? s[2].text : "");
    uint32_t mask = test_mask(state), dest = flags & 8 ? 2 : 9;
    before = w;
    test_run(&w, text, 90, mask);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint32_t want = 0;
        for (uint32_t part = 0; part < 2; part++) {
            uint64_t v[3];
            for (uint32_t k = 0; k < 3; k++)
                v[k] = apply(s[k], before.r[k + 1][i], part);
            uint32_t half = (uint32_t)ref_compute(f, f, what, v, REF_RN, ftz, sat);
            want |= (relu && half & 0x8000 ? 0 : half) << 16 * part;
        }
        want = mask >> i & 1 ? want : before.r[dest][i];
        if (w.r[dest][i] != want)
            fail_msg("%s of %08x %08x %08x: %08x, expected %08x", text, before.r[1][i],
                     before.r[2][i], before.r[3][i], w.r[dest][i], want);
    }
}

static void arithmetic_rounds_each_half_once(void **unused)
{
    (void)unused;
    uint64_t state = test_seed(0x5eed16);
    for (uint32_t n = 0; n < 80; n++)
        for (uint32_t flags = 0; flags < 16; flags++) {
            if ((flags & 6) == 6)
                continue;
            check("HADD2", REF_ADD, REF_F16, flags, &state);
            check("HMUL2", REF_MUL, REF_F16, flags, &state);
            check("HFMA2", REF_FMA, REF_F16, flags, &state);
            check("HFMA2.MMA", REF_FMA, REF_F16, flags, &state);
            if (flags & 1)
                continue;
            check("HADD2", REF_ADD, REF_BF16, flags, &state);
            check("HMUL2", REF_MUL, REF_BF16, flags, &state);
            check("HFMA2", REF_FMA, REF_BF16, flags, &state);
        }
}

static void a_product_of_zeros_moves_a_constant(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    test_warp_clear(&w);
    static const uint32_t constants[] = {0x00000001, 0x3f800000, 0x80008000, 0x7c00fbff,
                                         0x12340000};
    for (size_t n = 0; n < sizeof constants / sizeof constants[0]; n++) {
        test_run_encoded(&w, "HFMA2.MMA R5, -RZ, RZ, 1, 2", 90, 0x10,
                         (uint64_t)constants[n] << 32 | 0xff057435u, 0);
        assert_int_equal(w.r[5][4], constants[n]);
        assert_int_equal(w.r[5][5], 0);
    }
    test_run_encoded(&w, "HFMA2 R5, RZ, RZ, -0, -0", 90, 0x10, 0x80008000ff057435u, 0);
    assert_int_equal(w.r[5][4], 0); /* 0 + -0 */
    test_run_encoded(&w, "HFMA2 R5, -RZ, RZ, +QNAN , 1", 90, 0x10, 0x7e003c00ff057435u, 0);
    assert_int_equal(w.r[5][4], 0x7fff3c00);
    /* The constant is the second factor here. */
    w.r[2][4] = 0x3c004000;
    test_run_encoded(&w, "HFMA2 R5, R2, 2, 3, RZ.H0_H0", 90, 0x10, 0x4000420002057831u, 0xff);
    assert_int_equal(w.r[5][4], 0x40004600);
}

static void fp32_results_and_sources(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    bool tiny;
    uint64_t state = test_seed(0x5eed17);
    for (uint32_t n = 0; n < 100; n++) {
        fill(&w, REF_F16, &state);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            w.r[4][i] = (uint32_t)ref_random(REF_F32, &state);
        test_run(&w, "HADD2.F32 R5, -RZ, R1.H1_H1", 90, ~0u);
        test_run(&w, "HADD2 R6, -RZ.H0_H0, R4.F32", 90, ~0u);
        test_run(&w, "HADD2 R7, R1, R4.F32", 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            struct ref x = ref_of(REF_F16, w.r[1][i] >> 16), y = ref_of(REF_F32, w.r[4][i]);
            struct ref z = ref_of(REF_F16, w.r[1][i] & 0xffff);
            struct ref zero = {.negative = true};
            assert_int_equal(w.r[5][i],
                             ref_round(REF_F32, ref_add(zero, x, REF_RN), REF_RN, &tiny));
            uint64_t h = ref_round(REF_F16, ref_add(zero, y, REF_RN), REF_RN, &tiny);
            assert_int_equal(w.r[6][i], h | h << 16);
            h = ref_round(REF_F16, ref_add(z, y, REF_RN), REF_RN, &tiny) |
                ref_round(REF_F16, ref_add(x, y, REF_RN), REF_RN, &tiny) << 16;
            assert_int_equal(w.r[7][i], h);
        }
    }
}

static int order(struct ref_format f, uint32_t a, uint32_t b)
{
    if (ref_is_nan(f, a) || ref_is_nan(f, b))
        return 2;
    int x = (int)(a & 0x7fff), y = (int)(b & 0x7fff);
    x = a >> 15 ? -x : x;
    y = b >> 15 ? -y : y;
    return x < y ? -1 : x > y;
}

static const struct {
    const char *name;
    uint32_t set; /* less, equal, greater, unordered */
} comparisons[] = {{"LT", 1},   {"EQ", 2},   {"LE", 3},   {"GT", 4},  {"NE", 5},
                   {"GE", 6},   {"NUM", 7},  {"NAN", 8},  {"LTU", 9}, {"EQU", 10},
                   {"LEU", 11}, {"GTU", 12}, {"NEU", 13}, {"GEU", 14}};
#define COMPARISONS (sizeof comparisons / sizeof comparisons[0])

static void comparison_gives_a_predicate_a_half(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    uint64_t state = test_seed(0x5eed18);
    for (uint32_t n = 0; n < COMPARISONS * 20; n++) {
        bool bf16 = n / COMPARISONS % 2;
        struct ref_format f = bf16 ? REF_BF16 : REF_F16;
        uint32_t set = comparisons[n % COMPARISONS].set;
        const char *name = comparisons[n % COMPARISONS].name;
        char text[80];
        fill(&w, f, &state);
        snprintf(text, sizeof text, "HSETP2%s.%s.OR P1, P2, R1, -R2.H1_H1, P3",
                 bf16 ? ".BF16_V2" : "", name);
        test_run(&w, text, 90, ~0u);
        snprintf(text, sizeof text, "HSETP2%s.%s.AND.H_AND P4, P5, R1, -R2.H1_H1, PT",
                 bf16 ? ".BF16_V2" : "", name);
        test_run(&w, text, 90, ~0u);
        snprintf(text, sizeof text, "HSET2.BF%s.%s.AND R8, R1, -R2.H1_H1, PT",
                 bf16 ? ".BF16_V2" : "", name);
        test_run(&w, text, 90, ~0u);
        snprintf(text, sizeof text, "HSET2%s.%s.AND R9, R1, -R2.H1_H1, !PT", bf16 ? ".BF16_V2" : "",
                 name);
        test_run(&w, text, 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint32_t b = w.r[2][i] >> 16 ^ 0x8000, with = w.p[3] >> i & 1;
            uint32_t lo = set >> (order(f, w.r[1][i] & 0xffff, b) + 1) & 1;
            uint32_t hi = set >> (order(f, w.r[1][i] >> 16, b) + 1) & 1;
            assert_int_equal(w.p[1] >> i & 1, lo | with);
            assert_int_equal(w.p[2] >> i & 1, hi | with);
            assert_int_equal(w.p[4] >> i & 1, lo & hi);
            assert_int_equal(w.p[5] >> i & 1, !(lo & hi));
            uint32_t one = bf16 ? 0x3f80 : 0x3c00;
            assert_int_equal(w.r[8][i], lo * one | hi * one << 16);
            assert_int_equal(w.r[9][i], 0);
        }
    }
}

static uint32_t minimum(struct ref_format f, uint32_t a, uint32_t b, bool min, bool nan)
{
    bool na = ref_is_nan(f, a), nb = ref_is_nan(f, b);
    if ((na && nb) || (nan && (na || nb)))
        return 0x7fff;
    if (na || nb)
        return na ? b : a;
    int o = order(f, a, b);
    if (o == 0)
        return min ? a | b : a & b;
    return (o < 0) == min ? a : b;
}

static void minimum_and_maximum_follow_the_nan_rules(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    uint64_t state = test_seed(0x5eed19);
    for (uint32_t n = 0; n < 200; n++) {
        struct ref_format f = n & 1 ? REF_BF16 : REF_F16;
        fill(&w, f, &state);
        test_run(&w, n & 1 ? "HMNMX2.BF16_V2 R8, R1, R2, P1" : "HMNMX2 R8, R1, R2, P1", 90, ~0u);
        test_run(&w, n & 1 ? "HMNMX2.BF16_V2.NAN R9, R1, R2, !PT" : "HMNMX2.NAN R9, R1, R2, !PT",
                 90, ~0u);
        test_run(&w,
                 n & 1 ? "HMNMX2.BF16_V2.XORSIGN R10, |R1|, |R2|, PT"
                       : "HMNMX2.XORSIGN R10, |R1|, |R2|, PT",
                 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            for (uint32_t part = 0; part < 2; part++) {
                uint32_t shift = 16 * part, a = w.r[1][i] >> shift & 0xffff;
                uint32_t b = w.r[2][i] >> shift & 0xffff;
                assert_int_equal(w.r[8][i] >> shift & 0xffff,
                                 minimum(f, a, b, w.p[1] >> i & 1, false));
                assert_int_equal(w.r[9][i] >> shift & 0xffff, minimum(f, a, b, false, true));
                uint32_t m = minimum(f, a & 0x7fff, b & 0x7fff, true, false);
                m = m == 0x7fff ? m : m | ((a ^ b) & 0x8000);
                assert_int_equal(w.r[10][i] >> shift & 0xffff, m);
            }
    }
}

static void unknown_selections_are_errors(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"HADD2 R1, R2.H0_NH1, R3", "HFMA2 R1, R2, 1, R3",
                                        "HSETP2.LT.AND P0, P1, R1.F32, R2, PT"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct test_op t;
        struct sim_err err = {0};
        assert_false(test_try_decode(&t, texts[i], 90, 0, 0, &err));
        test_op_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_each_half_once),
        cmocka_unit_test(a_product_of_zeros_moves_a_constant),
        cmocka_unit_test(fp32_results_and_sources),
        cmocka_unit_test(comparison_gives_a_predicate_a_half),
        cmocka_unit_test(minimum_and_maximum_follow_the_nan_rules),
        cmocka_unit_test(unknown_selections_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

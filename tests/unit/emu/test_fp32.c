/* FP32 instructions against integer arithmetic, and samples measured on an H200. */
#include "float_reference.h"

#define ROUNDS 60

static void fill(struct emu_warp *w, uint64_t *state)
{
    test_warp_random(w, state);
    for (uint32_t r = 1; r < 8; r++)
        for (uint32_t i = 0; i < WARP_LANES; i++)
            w->r[r][i] = (uint32_t)ref_random(REF_F32, state);
    for (uint32_t i = 0; i < WARP_LANES; i += 4) { /* sums that cancel */
        w->r[2][i] = w->r[1][i] ^ 0x80000000u;
        w->r[2][i] += i & 4;
        uint64_t v[3] = {w->r[1][i + 1], w->r[2][i + 1], 0};
        w->r[3][i + 1] =
            (uint32_t)ref_compute(REF_F32, REF_F32, REF_MUL, v, REF_RN, false, false) ^ 0x80000000u;
    }
}

/* A source of register r: sign and text. */
struct source {
    bool neg, abs;
    char text[24];
};

static struct source random_source(uint32_t r, uint64_t *state)
{
    struct source s = {.neg = test_random(state) & 1, .abs = (test_random(state) & 3) == 0};
    snprintf(s.text, sizeof s.text, "%s%sR%u%s", s.neg ? "-" : "", s.abs ? "|" : "", r,
             s.abs ? "|" : "");
    return s;
}

static uint64_t apply(struct source s, uint32_t word)
{
    word = s.abs ? word & 0x7fffffffu : word;
    return s.neg ? word ^ 0x80000000u : word;
}

static void check_arithmetic(const char *name, enum ref_op what, enum ref_mode mode, uint32_t flags,
                             uint64_t *state)
{
    static struct emu_warp w, before;
    bool ftz = flags & 1, sat = flags & 2;
    char text[160];
    fill(&w, state);
    struct source s[3];
    for (uint32_t k = 0; k < 3; k++)
        s[k] = random_source(k + 1, state);
    /* The destination is a source half of the time. */
    uint32_t dest = flags & 4 ? 9 : 1 + (uint32_t)(test_random(state) % 3);
    snprintf(text, sizeof text, "%s%s%s%s R%u, %s, %s%s%s", name, ftz ? ".FTZ" : "",
             ref_mode_names[mode], sat ? ".SAT" : "", dest, s[0].text, s[1].text,
             what == REF_FMA ? ", " : "", what == REF_FMA ? s[2].text : "");
    uint32_t mask = test_mask(state);
    before = w;
    test_run(&w, text, 90, mask);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint64_t v[3];
        for (uint32_t k = 0; k < 3; k++)
            v[k] = apply(s[k], before.r[k + 1][i]);
        uint64_t want = mask >> i & 1 ? ref_compute(REF_F32, REF_F32, what, v, mode, ftz, sat)
                                      : before.r[dest][i];
        if (w.r[dest][i] != want)
            fail_msg("%s of %08x %08x %08x: %08x, expected %08x", text, (uint32_t)v[0],
                     (uint32_t)v[1], (uint32_t)v[2], w.r[dest][i], (uint32_t)want);
    }
}

static void arithmetic_rounds_once_in_every_mode(void **unused)
{
    (void)unused;
    uint64_t state = test_seed(0x5eed32);
    for (uint32_t n = 0; n < ROUNDS; n++)
        for (int mode = 0; mode < REF_MODES; mode++)
            for (uint32_t flags = 0; flags < 8; flags++) {
                check_arithmetic("FADD", REF_ADD, (enum ref_mode)mode, flags, &state);
                check_arithmetic("FMUL", REF_MUL, (enum ref_mode)mode, flags, &state);
                check_arithmetic("FFMA", REF_FMA, (enum ref_mode)mode, flags, &state);
            }
}

/* a, b, c, results of FMUL.FTZ, FFMA, FFMA.FTZ, FFMA.FTZ.RZ, .RP, .RM on an H200. */
static const uint32_t measured[][9] = {
    {0x3f7fffff, 0x00800000, 0x00000000, 0, 0x00800000, 0, 0, 0, 0},
    {0x0d800000, 0xa2000000, 0x00800000, 0x80000000, 0x00800000, 0x00800000, 0, 0x00800000, 0},
    {0x0d800000, 0x22000000, 0x80800000, 0, 0x80800000, 0x80800000, 0x80000000, 0x80000000,
     0x80800000},
    {0x3f7fffff, 0x00ffffff, 0, 0x00fffffe, 0x00fffffe, 0x00fffffe, 0x00fffffe, 0x00ffffff,
     0x00fffffe},
    {0x3f800000, 0x007fffff, 0x00000001, 0, 0x00800000, 0, 0, 0, 0},
    {0x3f000001, 0x00ffffff, 0, 0x00800000, 0x00800000, 0x00800000, 0x00800000, 0x00800001,
     0x00800000},
    {0x3f000000, 0x00ffffff, 0, 0, 0x00800000, 0, 0, 0, 0},
    {0x0c000400, 0x8c003bff, 0x04000400, 0x80000000, 0x04000400, 0x04000400, 0x040003ff, 0x04000400,
     0x040003ff},
    {0x7f800000, 0x7fc00000, 0x40000000, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff,
     0x7fffffff},
};

static void flushing_near_the_smallest_normal_is_the_hardwares(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"FMUL.FTZ R4, R1, R2",        "FFMA R4, R1, R2, R3",
                                        "FFMA.FTZ R4, R1, R2, R3",    "FFMA.FTZ.RZ R4, R1, R2, R3",
                                        "FFMA.FTZ.RP R4, R1, R2, R3", "FFMA.FTZ.RM R4, R1, R2, R3"};
    static struct emu_warp w;
    test_warp_clear(&w);
    for (size_t n = 0; n < sizeof measured / sizeof measured[0]; n++)
        for (uint32_t t = 0; t < 6; t++) {
            for (uint32_t r = 0; r < 3; r++)
                w.r[r + 1][n] = measured[n][r];
            test_run(&w, texts[t], 90, 1u << n);
            assert_int_equal(w.r[4][n], measured[n][3 + t]);
        }
}

static void immediates_constants_and_uniform_registers_are_sources(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    test_warp_clear(&w);
    w.r[1][5] = 0x40000000;
    w.ur[4] = 0x40400000;
    test_run_encoded(&w, "FADD R2, R1, -1.5", 90, ~0u, 0xbfc0000001027421u, 0);
    assert_int_equal(w.r[2][5], 0x3f000000);
    test_run(&w, "FMUL R2, -R1, UR4", 90, ~0u);
    assert_int_equal(w.r[2][5], 0xc0c00000);
    test_run(&w, "FADD R2, -RZ, c[0x3][0x10]", 90, ~0u);
    uint64_t v[3] = {0x80000000, test_constant(3, 0x10), 0};
    assert_int_equal(w.r[2][5], ref_compute(REF_F32, REF_F32, REF_ADD, v, REF_RN, false, false));
    test_run(&w, "FADD RZ, R1, R1", 90, ~0u);
    assert_int_equal(w.r[REG_RZ][5], 0);
}

static void uniform_forms_compute_one_value(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    uint64_t state = test_seed(0x5eed33);
    test_warp_clear(&w);
    for (uint32_t n = 0; n < 2000; n++) {
        uint64_t v[3];
        for (uint32_t k = 0; k < 3; k++)
            v[k] = w.ur[k + 1] = (uint32_t)ref_random(REF_F32, &state);
        test_run(&w, "UFFMA.RP UR8, UR1, UR2, UR3", 120, ~0u);
        assert_int_equal(w.ur[8], ref_compute(REF_F32, REF_F32, REF_FMA, v, REF_RP, false, false));
        test_run(&w, "UFADD.FTZ UR8, UR1, UR2", 120, 1);
        assert_int_equal(w.ur[8], ref_compute(REF_F32, REF_F32, REF_ADD, v, REF_RN, true, false));
        test_run(&w, "UFMUL UR8, UR1, UR3", 120, 1);
        v[1] = v[2];
        assert_int_equal(w.ur[8], ref_compute(REF_F32, REF_F32, REF_MUL, v, REF_RN, false, false));
    }
}

static void pairs_compute_two_values(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    uint64_t state = test_seed(0x5eed34);
    for (uint32_t n = 0; n < 50; n++) {
        fill(&w, &state);
        test_run(&w, "FFMA2 R8, -R2.F32x2.HI_LO, R4.F32x2.LO_HI, R6.reuse.F32x2.HI_LO.NP", 100,
                 ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint64_t lo[3] = {w.r[2][i] ^ 0x80000000u, w.r[5][i], w.r[6][i]};
            uint64_t hi[3] = {w.r[3][i] ^ 0x80000000u, w.r[4][i], w.r[7][i] ^ 0x80000000u};
            assert_int_equal(w.r[8][i],
                             ref_compute(REF_F32, REF_F32, REF_FMA, lo, REF_RN, false, false));
            assert_int_equal(w.r[9][i],
                             ref_compute(REF_F32, REF_F32, REF_FMA, hi, REF_RN, false, false));
        }
    }
}

/* ---- comparison ---- */

static const char *const conditions[16] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                           "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};

/* -1, 0, 1, or 2 with a NaN. */
static int order(uint32_t a, uint32_t b)
{
    if (ref_is_nan(REF_F32, a) || ref_is_nan(REF_F32, b))
        return 2;
    int64_t x = (int64_t)(a & 0x7fffffff), y = (int64_t)(b & 0x7fffffff);
    x = a >> 31 ? -x : x;
    y = b >> 31 ? -y : y;
    return x < y ? -1 : x > y;
}

static bool holds(const char *c, int o)
{
    if (!strcmp(c, "F") || !strcmp(c, "T"))
        return c[0] == 'T';
    if (!strcmp(c, "NUM") || !strcmp(c, "NAN"))
        return (o == 2) == (c[1] == 'A');
    if (o == 2)
        return c[2] == 'U';
    switch (c[0]) {
    case 'L':
        return o < 0 || (c[1] == 'E' && o == 0);
    case 'G':
        return o > 0 || (c[1] == 'E' && o == 0);
    default:
        return (o == 0) == (c[0] == 'E');
    }
}

static uint32_t combined(const char *how, bool value, bool with)
{
    return how[0] == 'A' ? value && with : how[0] == 'O' ? value || with : value != with;
}

static void every_comparison_combines_with_a_predicate(void **unused)
{
    (void)unused;
    static struct emu_warp w, before;
    static const char *const hows[] = {"AND", "OR", "XOR"};
    uint64_t state = test_seed(0x5eed35);
    for (uint32_t n = 0; n < 16 * 3 * 2 * 8; n++) {
        const char *c = conditions[n % 16], *how = hows[n / 16 % 3];
        bool ftz = n / 48 % 2;
        char text[80];
        fill(&w, &state);
        before = w;
        uint32_t mask = test_mask(&state);
        snprintf(text, sizeof text, "FSETP.%s%s.%s P1, P2, -R1, |R2|, !P3", c, ftz ? ".FTZ" : "",
                 how);
        test_run(&w, text, 90, mask);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint32_t a = before.r[1][i] ^ 0x80000000u, b = before.r[2][i] & 0x7fffffffu;
            if (ftz) {
                a = (uint32_t)ref_flush(REF_F32, a);
                b = (uint32_t)ref_flush(REF_F32, b);
            }
            bool v = holds(c, order(a, b)), with = !(before.p[3] >> i & 1), on = mask >> i & 1;
            assert_int_equal(w.p[1] >> i & 1, on ? combined(how, v, with) : before.p[1] >> i & 1);
            assert_int_equal(w.p[2] >> i & 1, on ? combined(how, !v, with) : before.p[2] >> i & 1);
        }
    }
}

static void fset_and_uniform_comparison(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    uint64_t state = test_seed(0x5eed36);
    fill(&w, &state);
    test_run(&w, "FSET.BF.GT.AND R8, R1, R2, PT", 90, ~0u);
    test_run(&w, "FSET.GEU.AND R9, R1, R2, PT", 90, ~0u);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        int o = order(w.r[1][i], w.r[2][i]);
        assert_int_equal(w.r[8][i], o == 1 ? 0x3f800000 : 0);
        assert_int_equal(w.r[9][i], o >= 0 ? 0xffffffff : 0);
    }
    w.ur[1] = 0x3f800000;
    w.ur[2] = 0x40000000;
    w.up = 0x80;
    test_run(&w, "UFSETP.LT.AND UP1, UP2, UR1, UR2, UPT", 120, 2);
    assert_int_equal(w.up, 0x82);
    test_run(&w, "UFSEL UR3, UR1, -UR2, !UP1", 120, 2);
    assert_int_equal(w.ur[3], 0xc0000000);
}

static uint32_t expected_minimum(uint32_t a, uint32_t b, bool min, bool nan)
{
    bool na = ref_is_nan(REF_F32, a), nb = ref_is_nan(REF_F32, b);
    if ((na && nb) || (nan && (na || nb)))
        return 0x7fffffff;
    if (na || nb)
        return na ? b : a;
    int o = order(a, b);
    if (o == 0) /* -0 is less than 0 */
        return min ? a | b : a & b;
    return (o < 0) == min ? a : b;
}

static void minimum_and_maximum_follow_the_nan_rules(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    uint64_t state = test_seed(0x5eed37);
    for (uint32_t n = 0; n < 200; n++) {
        fill(&w, &state);
        test_run(&w, "FMNMX R8, R1, -R2, P1", 90, ~0u);
        test_run(&w, "FMNMX.NAN R9, R1, -R2, !P1", 90, ~0u);
        test_run(&w, "FMNMX.XORSIGN R10, |R1|, |R2|, PT", 90, ~0u);
        test_run(&w, "FMNMX3.NAN R11, R1, R2, R3, !PT", 100, ~0u);
        test_run(&w, "FMNMX.FTZ R12, R1, R2, PT", 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint32_t a = w.r[1][i], b = w.r[2][i] ^ 0x80000000u, p = w.p[1] >> i & 1;
            assert_int_equal(w.r[8][i], expected_minimum(a, b, p, false));
            assert_int_equal(w.r[9][i], expected_minimum(a, b, !p, true));
            uint32_t m = expected_minimum(a & 0x7fffffff, b & 0x7fffffff, true, false);
            if (!ref_is_nan(REF_F32, m))
                m |= (a ^ w.r[2][i]) & 0x80000000u;
            assert_int_equal(w.r[10][i], m);
            m = expected_minimum(a, w.r[2][i], false, true);
            assert_int_equal(w.r[11][i], expected_minimum(m, w.r[3][i], false, true));
            m = expected_minimum((uint32_t)ref_flush(REF_F32, a),
                                 (uint32_t)ref_flush(REF_F32, w.r[2][i]), true, false);
            assert_int_equal(w.r[12][i], m);
        }
    }
}

static void select_passes_bits_through(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    test_warp_clear(&w);
    w.r[1][0] = 0xffc12345;
    w.r[1][1] = 0xffc12345;
    w.r[2][1] = 0x7f800001;
    w.p[0] = 1;
    test_run(&w, "FSEL R3, -R1, R2, P0", 90, ~0u);
    assert_int_equal(w.r[3][0], 0x7fc12345);
    assert_int_equal(w.r[3][1], 0x7f800001);
}

/* Measured on an H200: a division takes the fast path when the dividend's exponent field
 * is 25..254, the divisor's 2..251 and their difference -124..126. */
static void division_check_depends_on_exponents(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    static const struct {
        uint32_t a, b;
        bool slow;
    } cases[] = {{25, 100, false}, {24, 100, true},   {254, 130, false}, {255, 130, true},
                 {50, 2, false},   {50, 1, true},     {200, 251, false}, {200, 252, true},
                 {126, 2, false},  {128, 2, false},   {129, 2, true},    {26, 150, false},
                 {25, 150, true},  {127, 127, false}, {0, 127, true}};
    test_warp_clear(&w);
    uint32_t want = 0;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        w.r[1][i] = cases[i].a << 23 | (i & 1 ? 0x807fffffu : 0);
        w.r[2][i] = cases[i].b << 23 | (i & 2 ? 0x80000001u : 0);
        want |= (uint32_t)cases[i].slow << i;
    }
    test_run(&w, "FCHK P0, R1, R2", 90, (1u << sizeof cases / sizeof cases[0]) - 1);
    assert_int_equal(w.p[0], want);
}

static void quad_swizzle_adds_by_lane(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    test_warp_clear(&w);
    for (uint32_t i = 0; i < 4; i++) {
        w.r[1][i] = 0x40400000; /* 3 */
        w.r[2][i] = 0x3f800000; /* 1 */
    }
    test_run_encoded(&w, "FSWZADD R3, R1, R2, PPPNNPZP", 90, ~0u, (uint64_t)0xe4 << 32, 0);
    static const uint32_t want[] = {0x40800000, 0x40000000, 0xc0000000, 0x3f800000};
    assert_memory_equal(w.r[3], want, sizeof want);
}

static void what_has_no_semantics_is_an_error(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"FADD.M8 R1, R2, R3", "FSETP.AND P0, PT, R1, R2, PT",
                                        "FMNMX.FOO R1, R2, R3, PT", "FADD R1, R2",
                                        "FFMA R1, R2, R3, P0"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct test_op t;
        struct sim_err err = {0};
        assert_false(test_try_decode(&t, texts[i], 90, 0, 0, &err));
        assert_int_equal(err.code, ERR_INPUT);
        test_op_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_once_in_every_mode),
        cmocka_unit_test(flushing_near_the_smallest_normal_is_the_hardwares),
        cmocka_unit_test(immediates_constants_and_uniform_registers_are_sources),
        cmocka_unit_test(uniform_forms_compute_one_value),
        cmocka_unit_test(pairs_compute_two_values),
        cmocka_unit_test(every_comparison_combines_with_a_predicate),
        cmocka_unit_test(fset_and_uniform_comparison),
        cmocka_unit_test(minimum_and_maximum_follow_the_nan_rules),
        cmocka_unit_test(select_passes_bits_through),
        cmocka_unit_test(division_check_depends_on_exponents),
        cmocka_unit_test(quad_swizzle_adds_by_lane),
        cmocka_unit_test(what_has_no_semantics_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

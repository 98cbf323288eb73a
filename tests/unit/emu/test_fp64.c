/* FP64 instructions against integer arithmetic; NaN rules as measured on an H200. */
#include "float_reference.h"

static uint64_t pair(const struct emu_warp *w, uint32_t r, uint32_t lane)
{
    return (uint64_t)w->r[r + 1][lane] << 32 | w->r[r][lane];
}

static void put(struct emu_warp *w, uint32_t r, uint32_t lane, uint64_t v)
{
    w->r[r][lane] = (uint32_t)v;
    w->r[r + 1][lane] = (uint32_t)(v >> 32);
}

static void fill(struct emu_warp *w, uint64_t *state)
{
    test_warp_random(w, state);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        for (uint32_t r = 2; r < 8; r += 2)
            put(w, r, i, ref_random(REF_F64, state));
        if (i % 4 == 1) { /* cancels */
            uint64_t v[3] = {pair(w, 2, i), pair(w, 4, i), 0};
            put(w, 6, i,
                ref_compute(REF_F64, REF_F64, REF_MUL, v, REF_RN, false, false) ^ UINT64_C(1)
                                                                                      << 63);
        }
        if (i % 4 == 2)
            put(w, 4, i, pair(w, 2, i) ^ UINT64_C(1) << 63);
    }
}

#define QUIET 0x0008000000000000u

/* A NaN passes, quiet: b before c before a. An invalid operation gives the negative default. */
static uint64_t expected(enum ref_op what, const uint64_t *v, enum ref_mode mode)
{
    uint64_t bits = ref_compute(REF_F64, REF_F64, what, v, mode, false, false);
    if (!ref_is_nan(REF_F64, bits))
        return bits;
    static const int order[3] = {1, 2, 0};
    for (int k = 0; k < 3; k++)
        if ((order[k] < 2 || what == REF_FMA) && ref_is_nan(REF_F64, v[order[k]]))
            return v[order[k]] | QUIET;
    return 0xfff8000000000000u;
}

static void arithmetic_rounds_once_in_every_mode(void **unused)
{
    (void)unused;
    static struct emu_warp w, before;
    static const struct {
        const char *name, *sources;
        enum ref_op what;
        uint64_t flip[3];
    } forms[] = {{"DADD", "R2, -R4", REF_ADD, {0, 1, 0}},
                 {"DMUL", "-R2, R4", REF_MUL, {1, 0, 0}},
                 {"DFMA", "R2, R4, R6", REF_FMA, {0, 0, 0}},
                 {"DFMA", "R2, -R4, -R6", REF_FMA, {0, 1, 1}}};
    uint64_t state = test_seed(0x5eed64);
    for (uint32_t n = 0; n < 4 * REF_MODES * 60; n++) {
        uint32_t form = n % 4, mode = n / 4 % REF_MODES, mask = test_mask(&state);
        char text[80];
        fill(&w, &state);
        before = w;
        snprintf(text, sizeof text, "%s%s R8, %s", forms[form].name, ref_mode_names[mode],
                 forms[form].sources);
        test_run(&w, text, 90, mask);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint64_t v[3];
            for (uint32_t k = 0; k < 3; k++)
                v[k] = pair(&before, 2 + 2 * k, i) ^ forms[form].flip[k] << 63;
            uint64_t want = mask >> i & 1 ? expected(forms[form].what, v, (enum ref_mode)mode)
                                          : pair(&before, 8, i);
            if (pair(&w, 8, i) != want)
                fail_msg("%s of %llx %llx %llx: %llx, expected %llx", text,
                         (unsigned long long)v[0], (unsigned long long)v[1],
                         (unsigned long long)v[2], (unsigned long long)pair(&w, 8, i),
                         (unsigned long long)want);
        }
    }
}

static void immediates_are_high_words_and_rz_is_a_pair(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    test_warp_clear(&w);
    put(&w, 2, 3, 0x4000000000000000u);
    w.ur[4] = 0;
    w.ur[5] = 0x40080000;
    test_run_encoded(&w, "DADD R4, R2, 1.5", 90, ~0u, 0x3ff8000002047429u, 0);
    assert_true(pair(&w, 4, 3) == 0x400c000000000000u);
    test_run(&w, "DFMA R4, R2, UR4, RZ", 100, ~0u);
    assert_true(pair(&w, 4, 3) == 0x4018000000000000u);
    struct test_op t;
    struct sim_err err = {0};
    assert_false(test_try_decode(&t, "DADD R254, R2, R4", 90, 0, 0, &err));
    test_op_free(&t);
}

static int order(uint64_t a, uint64_t b)
{
    if (ref_is_nan(REF_F64, a) || ref_is_nan(REF_F64, b))
        return 2;
    int64_t x = (int64_t)(a << 1 >> 1), y = (int64_t)(b << 1 >> 1);
    x = a >> 63 ? -x : x;
    y = b >> 63 ? -y : y;
    return x < y ? -1 : x > y;
}

static void comparisons_tell_unordered_apart(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    static const struct {
        const char *name;
        uint32_t set; /* less, equal, greater, unordered */
    } cases[] = {{"LT", 1},   {"EQ", 2},   {"LE", 3},   {"GT", 4},  {"NE", 5},
                 {"GE", 6},   {"NUM", 7},  {"NAN", 8},  {"LTU", 9}, {"EQU", 10},
                 {"LEU", 11}, {"GTU", 12}, {"NEU", 13}, {"GEU", 14}};
    uint64_t state = test_seed(0x5eed65);
    for (uint32_t n = 0; n < 14 * 10; n++) {
        char text[80];
        fill(&w, &state);
        snprintf(text, sizeof text, "DSETP.%s.AND P1, P2, R2, R4, P3", cases[n % 14].name);
        test_run(&w, text, 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            int o = order(pair(&w, 2, i), pair(&w, 4, i));
            uint32_t value = cases[n % 14].set >> (o + 1) & 1, with = w.p[3] >> i & 1;
            assert_int_equal(w.p[1] >> i & 1, value & with);
            assert_int_equal(w.p[2] >> i & 1, !value && with);
        }
    }
}

/* Minimum as ptxas writes it: the first predicate selects, the second says that both are NaN. */
static void minimum_in_two_steps(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    uint64_t state = test_seed(0x5eed66);
    for (uint32_t n = 0; n < 100; n++) {
        fill(&w, &state);
        bool min = n & 1;
        test_run(&w, min ? "DSETP.MIN.AND P0, P1, R2, R4, PT" : "DSETP.MAX.AND P0, P1, R2, R4, PT",
                 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint64_t a = pair(&w, 2, i), b = pair(&w, 4, i);
            bool na = ref_is_nan(REF_F64, a), nb = ref_is_nan(REF_F64, b);
            assert_int_equal(w.p[1] >> i & 1, na && nb);
            bool first = w.p[0] >> i & 1;
            int o = order(a, b);
            if (na != nb)
                assert_int_equal(first, nb);
            else if (o == 0 && a != b) /* zeros */
                assert_int_equal(first, min == (a >> 63));
            else if (!na && a != b)
                assert_int_equal(first, min == (o < 0));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_once_in_every_mode),
        cmocka_unit_test(immediates_are_high_words_and_rz_is_a_pair),
        cmocka_unit_test(comparisons_tell_unordered_apart),
        cmocka_unit_test(minimum_in_two_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

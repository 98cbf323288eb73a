/* Comparisons and predicate logic. */
#include "property.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static int64_t as_signed(uint64_t v)
{
    return (int32_t)(uint32_t)v;
}

/* P = condition OP p; Q = !condition OP p. */
#define CONDITION(name, condition, combine)                                                        \
    static void name(const struct inputs *in, struct outputs *out)                                 \
    {                                                                                              \
        uint64_t ua = in->s[0], ub = in->s[1];                                                     \
        int64_t sa = as_signed(ua), sb = as_signed(ub);                                            \
        (void)sa, (void)sb, (void)ua, (void)ub;                                                    \
        bool yes = condition, s = in->p[0];                                                        \
        out->p[0] = yes combine s;                                                                 \
        out->p[1] = !yes combine s;                                                                \
    }
CONDITION(less, sa < sb, &&)
CONDITION(less_u, ua < ub, ||)
CONDITION(less_equal, sa <= sb, !=)
CONDITION(less_equal_u, ua <= ub, &&)
CONDITION(greater, sa > sb, ||)
CONDITION(greater_u, ua > ub, !=)
CONDITION(greater_equal, sa >= sb, &&)
CONDITION(greater_equal_u, ua >= ub, &&)
CONDITION(equal, ua == ub, !=)
CONDITION(not_equal, ua != ub, ||)
CONDITION(never, false, ||)
CONDITION(always, true, &&)
CONDITION(less_64, (int64_t)ua < (int64_t)ub, &&)
CONDITION(greater_equal_64, ua >= ub, ||)
CONDITION(not_equal_64, ua != ub, &&)

static void comparisons(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"ISETP.LT.AND P, Q, A, B, p", less},
        {"ISETP.LT.U32.OR P, Q, A, B, p", less_u},
        {"ISETP.LE.XOR P, Q, A, B, p", less_equal},
        {"ISETP.LE.U32.AND P, Q, A, B, p", less_equal_u},
        {"ISETP.GT.OR P, Q, A, B, p", greater},
        {"ISETP.GT.U32.XOR P, Q, A, B, p", greater_u},
        {"ISETP.GE.AND P, Q, A, B, p", greater_equal},
        {"ISETP.GE.U32.AND P, Q, A, B, p", greater_equal_u},
        {"ISETP.EQ.XOR P, Q, A, B, p", equal},
        {"ISETP.NE.OR P, Q, A, B, p", not_equal},
        {"ISETP.F.OR P, Q, A, B, p", never},
        {"ISETP.T.AND P, Q, A, B, p", always},
        {"ISETP.LT.S64.AND P, Q, X, Y, p", less_64},
        {"ISETP.GE.U64.OR P, Q, X, Y, p", greater_equal_64},
        {"ISETP.NE.S64.AND P, Q, X, Y, p", not_equal_64},
        {"UISETP.LT.AND P, Q, A, B, p", less},
        {"UISETP.GT.U32.XOR P, Q, A, B, p", greater_u},
        {"UISETP.NE.OR P, Q, A, B, p", not_equal},
        {"UISETP.LT.S64.AND P, Q, X, Y, p", less_64},
    };
    check_properties(list, COUNT(list), 120, 21);
}

/* Compares 64-bit numbers as compilers do on machines without 64-bit comparisons. */
static void check_extended(const char *low, const char *high, bool (*holds)(uint64_t, uint64_t))
{
    uint64_t seed = 22;
    struct emu_warp *w = malloc(sizeof *w);
    assert_non_null(w);
    for (uint32_t t = 0; t < 100; t++) {
        test_warp_random(w, &seed);
        for (uint32_t i = 0; i < WARP_LANES; i += 1 + t % 3)
            w->r[3][i] = w->r[5][i]; /* high words are often equal */
        uint32_t expected = 0;
        for (uint32_t i = 0; i < WARP_LANES; i++)
            expected |= (uint32_t)holds((uint64_t)w->r[3][i] << 32 | w->r[2][i],
                                        (uint64_t)w->r[5][i] << 32 | w->r[4][i])
                        << i;
        test_run(w, low, 90, ~0u);
        test_run(w, high, 90, ~0u);
        if (w->p[1] != expected)
            fail_msg("%s: 0x%x, expected 0x%x", high, w->p[1], expected);
    }
    free(w);
}

static bool holds_lt(uint64_t a, uint64_t b)
{
    return (int64_t)a < (int64_t)b;
}
static bool holds_le_u(uint64_t a, uint64_t b)
{
    return a <= b;
}
static bool holds_gt_u(uint64_t a, uint64_t b)
{
    return a > b;
}
static bool holds_ge(uint64_t a, uint64_t b)
{
    return (int64_t)a >= (int64_t)b;
}
static bool holds_eq(uint64_t a, uint64_t b)
{
    return a == b;
}
static bool holds_ne(uint64_t a, uint64_t b)
{
    return a != b;
}

static void extended_comparisons_continue_low_words(void **state)
{
    (void)state;
    check_extended("ISETP.LT.U32.AND P0, PT, R2, R4, PT", "ISETP.LT.AND.EX P1, PT, R3, R5, PT, P0",
                   holds_lt);
    check_extended("ISETP.LE.U32.AND P0, PT, R2, R4, PT",
                   "ISETP.LE.U32.AND.EX P1, PT, R3, R5, PT, P0", holds_le_u);
    check_extended("ISETP.GT.U32.AND P0, PT, R2, R4, PT",
                   "ISETP.GT.U32.AND.EX P1, PT, R3, R5, PT, P0", holds_gt_u);
    check_extended("ISETP.GE.U32.AND P0, PT, R2, R4, PT", "ISETP.GE.AND.EX P1, PT, R3, R5, PT, P0",
                   holds_ge);
    check_extended("ISETP.EQ.U32.AND P0, PT, R2, R4, PT", "ISETP.EQ.AND.EX P1, PT, R3, R5, PT, P0",
                   holds_eq);
    check_extended("ISETP.NE.U32.AND P0, PT, R2, R4, PT", "ISETP.NE.AND.EX P1, PT, R3, R5, PT, P0",
                   holds_ne);
}

static bool look_up(const struct inputs *in, uint32_t table)
{
    return table >> (4 * in->p[0] + 2 * in->p[1] + in->p[2]) & 1;
}

static void table_e0_1b(const struct inputs *in, struct outputs *out)
{
    out->p[0] = in->p[0] && (in->p[1] || in->p[2]);
    out->p[1] = look_up(in, 0x1b);
}

static void table_2a_8(const struct inputs *in, struct outputs *out)
{
    out->p[0] = !(in->p[0] && in->p[1]) && in->p[2];
    out->p[1] = !in->p[0] && in->p[1] && in->p[2];
}

static void and_then_or(const struct inputs *in, struct outputs *out)
{
    bool ab = in->p[0] && in->p[1];
    out->p[0] = ab || in->p[2];
    out->p[1] = !ab || in->p[2];
}

static void xor_then_and(const struct inputs *in, struct outputs *out)
{
    bool ab = in->p[0] != in->p[1];
    out->p[0] = ab && in->p[2];
    out->p[1] = !ab && in->p[2];
}

static void predicate_logic(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"PLOP3.LUT P, Q, p, q, r, 0xe0, 0x1b", table_e0_1b},
        {"PLOP3.LUT P, Q, p, q, r, 0x2a, 0x8", table_2a_8},
        {"PSETP.AND.OR P, Q, p, q, r", and_then_or},
        {"PSETP.XOR.AND P, Q, p, q, r", xor_then_and},
        {"UPLOP3.LUT P, Q, p, q, r, 0xe0, 0x1b", table_e0_1b},
        {"UPSETP.AND.OR P, Q, p, q, r", and_then_or},
    };
    check_properties(list, COUNT(list), 200, 23);
}

/* Lane predicates may come from uniform ones. */
static void lane_logic_reads_uniform_predicates(void **state)
{
    (void)state;
    struct emu_warp *w = malloc(sizeof *w);
    assert_non_null(w);
    test_warp_clear(w);
    w->p[1] = 0x0000ffff;
    w->up |= 1u << 3;
    test_run(w, "PLOP3.LUT P0, PT, P1, UP3, PT, 0x80, 0x0", 100, 0x00ff00ff);
    assert_int_equal(w->p[0], 0x000000ff);
    test_run(w, "PLOP3.LUT P0, PT, P1, !UP3, PT, 0x80, 0x0", 100, ~0u);
    assert_int_equal(w->p[0], 0);
    free(w);
}

static void predicates_go_to_registers_and_back(void **state)
{
    (void)state;
    uint64_t seed = test_seed(24);
    struct emu_warp *w = malloc(sizeof *w), *before = malloc(sizeof *before);
    assert_true(w && before);
    for (uint32_t t = 0; t < 100; t++) {
        uint32_t mask = test_mask(&seed);
        test_warp_random(w, &seed);
        *before = *w;
        test_run(w, "P2R.B1 R4, PR, R5, 0x7d", 90, mask);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint32_t expected = before->r[5][i];
            for (uint32_t k = 0; k < 7; k++) {
                uint32_t bit = 1u << (8 + k);
                if (k != 1)
                    expected = before->p[k] >> i & 1 ? expected | bit : expected & ~bit;
            }
            assert_int_equal(w->r[4][i], mask >> i & 1 ? expected : before->r[4][i]);
        }
        *before = *w;
        test_run(w, "R2P PR, R6.B2, 0xe", 90, mask);
        for (uint32_t k = 0; k < 7; k++)
            for (uint32_t i = 0; i < WARP_LANES; i++) {
                bool written = k >= 1 && k <= 3 && mask >> i & 1;
                uint32_t bit = written ? before->r[6][i] >> (16 + k) : before->p[k] >> i;
                assert_int_equal(w->p[k] >> i & 1, bit & 1);
            }
    }
    free(before);
    free(w);
}

static void uniform_predicates_go_to_registers_and_back(void **state)
{
    (void)state;
    struct emu_warp *w = malloc(sizeof *w);
    assert_non_null(w);
    test_warp_clear(w);
    w->up = 0x80 | 0x25;
    w->ur[5] = 0xffffff00;
    test_run(w, "UP2UR UR4, UPR, UR5, 0x7f", 90, 1);
    assert_int_equal(w->ur[4], 0xffffff25);
    w->ur[6] = 0x12;
    test_run(w, "UR2UP UPR, UR6, 0x7e", 90, 1);
    assert_int_equal(w->up, 0x80 | 0x13); /* UP0 is outside the mask */
    free(w);
}

static void unknown_forms_are_refused(void **state)
{
    (void)state;
    assert_refused("ISETP.LT P0, PT, R1, R2, PT");
    assert_refused("ISETP.AND P0, PT, R1, R2, PT");
    assert_refused("ISETP.LT.GT.AND P0, PT, R1, R2, PT");
    assert_refused("ISETP.LT.AND P0, PT, R1, R2");
    assert_refused("ISETP.T.AND.EX P0, PT, R1, R2, PT, P0");
    assert_refused("ISETP.LT.AND UP0, PT, R1, R2, PT");
    assert_refused("PLOP3.LUT P0, PT, P1, P2, P3, 0x80");
    assert_refused("PLOP3.LUT P0, P1, P2, P3, 0x80, 0x0");
    assert_refused("PSETP.AND P0, PT, P1, P2, P3");
    assert_refused("P2R R0, UPR, R1, 0x7f");
    assert_refused("R2P PR, R1, 0x80");
    assert_refused("UPLOP3.LUT UP0, UPT, P1, UP2, UP3, 0x80, 0x0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons),
        cmocka_unit_test(extended_comparisons_continue_low_words),
        cmocka_unit_test(predicate_logic),
        cmocka_unit_test(lane_logic_reads_uniform_predicates),
        cmocka_unit_test(predicates_go_to_registers_and_back),
        cmocka_unit_test(uniform_predicates_go_to_registers_and_back),
        cmocka_unit_test(unknown_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

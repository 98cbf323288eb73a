/* Adds, products and LEA against arithmetic in wide integers. */
#include "property.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define LOW 0xffffffffu

__extension__ typedef unsigned __int128 wide;

static uint64_t signed_word(uint64_t v)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)v;
}

static void set(struct outputs *out, uint64_t d)
{
    out->d = d;
}

/* Sums: the result is a number of which low words and overflow are looked at. */
static void add(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] + in->s[1] + in->s[2]);
    out->p[0] = out->d >= (uint64_t)1 << 32;
    out->p[1] = out->d >= (uint64_t)2 << 32;
}

static void add_two(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] + in->s[1]);
}

static void subtract_b(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] - in->s[1] + in->s[2]);
}

static void subtract_borrow(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] - in->s[1]);
    out->p[0] = in->s[0] >= in->s[1]; /* no borrow */
}

/* b - a - c: the carry counts how often 2^32 has to be lent less than twice. */
static void subtract_twice(const struct inputs *in, struct outputs *out)
{
    int64_t v = (int64_t)in->s[1] - (int64_t)in->s[0] - (int64_t)in->s[2];
    set(out, (uint64_t)v);
    int64_t carry = (v + ((int64_t)2 << 32)) >> 32;
    out->p[0] = carry >= 1;
    out->p[1] = carry >= 2;
}

static void add_extended(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] + in->s[1] + in->s[2] + in->p[0] + in->p[1]);
    out->p[0] = out->d >> 32 >= 1;
}

static void add_extended_inverted(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] + (LOW - in->s[1]) + in->s[2] + in->p[0] + in->p[1]);
    out->p[0] = out->d >> 32 >= 1;
}

static void add_64_subtract(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] - in->s[1]);
}

static void sums_and_carries(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"IADD3 D, A, B, C", add},
        {"IADD3 D, P, Q, A, B, C", add},
        {"IADD3 D, A, -B, C", subtract_b},
        {"IADD3 D, P, A, -B, RZ", subtract_borrow},
        {"IADD3 D, P, Q, -A, B, -C", subtract_twice},
        {"IADD3.X D, P, A, B, C, p, q", add_extended},
        {"IADD3.X D, P, PT, A, ~B, C, p, q", add_extended_inverted},
        {"IADD D, A, B", add_two},
        {"IADD.64 W, X, Y", add_two},
        {"IADD.64 W, X, -Y", add_64_subtract},
        {"IADD32I D, A, B", add_two},
        {"VIADD D, A, B", add_two},
        {"VIADD D, A, -B", add_64_subtract},
        {"UIADD3 D, P, Q, A, B, C", add},
        {"UIADD3 D, P, A, -B, URZ", subtract_borrow},
        {"UIADD3.X D, P, A, ~B, C, p, q", add_extended_inverted},
        {"UIADD3.64 W, UPT, UPT, X, Y, URZ", add_two},
    };
    check_properties(list, COUNT(list), 120, 1);
}

/* A 64-bit subtraction of three numbers, as compilers write it. */
static void carries_of_three_operands_chain_to_64_bits(void **state)
{
    (void)state;
    uint64_t seed = test_seed(2);
    struct emu_warp *w = malloc(sizeof *w);
    assert_non_null(w);
    for (uint32_t t = 0; t < 200; t++) {
        test_warp_random(w, &seed);
        uint64_t expected[WARP_LANES];
        for (uint32_t i = 0; i < WARP_LANES; i++)
            expected[i] = ((uint64_t)w->r[3][i] << 32 | w->r[2][i]) -
                          ((uint64_t)w->r[5][i] << 32 | w->r[4][i]) -
                          ((uint64_t)w->r[7][i] << 32 | w->r[6][i]);
        test_run(w, "IADD3 R8, P0, P1, -R4, R2, -R6", 90, ~0u);
        test_run(w, "IADD3.X R9, ~R5, R3, ~R7, P0, P1", 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            assert_int_equal((uint64_t)w->r[9][i] << 32 | w->r[8][i], expected[i]);
    }
    free(w);
}

static void mad(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] * in->s[1] + in->s[2]);
}

static void mad_negative(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] * in->s[1] - in->s[2]);
}

static void mad_extended(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] * in->s[1] + (LOW - in->s[2]) + in->p[0]);
}

static void mad_wide(const struct inputs *in, struct outputs *out)
{
    set(out, signed_word(in->s[0]) * signed_word(in->s[1]) + in->s[2]);
}

static void mad_wide_unsigned(const struct inputs *in, struct outputs *out)
{
    wide sum = (wide)in->s[0] * in->s[1] + in->s[2] + in->p[0];
    set(out, (uint64_t)sum);
    out->p[0] = sum >> 64 != 0;
}

static void mad_wide_plain(const struct inputs *in, struct outputs *out)
{
    struct inputs same = *in;
    same.p[0] = false;
    mad_wide_unsigned(&same, out);
}

static void mad_high(const struct inputs *in, struct outputs *out)
{
    mad_wide(in, out);
    out->d >>= 32;
}

static void mad_high_unsigned(const struct inputs *in, struct outputs *out)
{
    mad_wide_plain(in, out);
    out->d >>= 32;
}

static void multiply_wide(const struct inputs *in, struct outputs *out)
{
    set(out, signed_word(in->s[0]) * signed_word(in->s[1]));
}

static void multiply_high_unsigned(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] * in->s[1] >> 32);
}

static void third(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[2]);
}

static void first_and_third(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] + in->s[2]);
}

static void times_8(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] * 8);
}

static void products(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"IMAD D, A, B, C", mad},
        {"IMAD D, A, B, -C", mad_negative},
        {"IMAD.X D, A, B, ~C, p", mad_extended},
        {"IMAD.MOV.U32 D, RZ, RZ, C", third},
        {"IMAD.IADD D, A, 0x1, C", first_and_third},
        {"IMAD.SHL.U32 D, A, 0x8, RZ", times_8},
        {"IMAD.WIDE W, A, B, Z", mad_wide},
        {"IMAD.WIDE.U32 W, A, B, Z", mad_wide_plain},
        {"IMAD.WIDE.U32 W, P, A, B, Z", mad_wide_plain},
        {"IMAD.WIDE.U32.X W, P, A, B, Z, p", mad_wide_unsigned},
        {"IMAD.HI D, A, B, Z", mad_high},
        {"IMAD.HI.U32 D, P, A, B, Z", mad_high_unsigned},
        {"IMUL.WIDE W, A, B", multiply_wide},
        {"IMUL.HI.U32 D, A, B", multiply_high_unsigned},
        {"UIMAD D, A, B, C", mad},
        {"UIMAD.WIDE W, A, B, Z", mad_wide},
        {"UIMAD.WIDE.U32.X W, P, A, B, Z, p", mad_wide_unsigned},
    };
    check_properties(list, COUNT(list), 120, 3);
}

/* One element of a dot product, told by the letters of its type. */
static int64_t element(uint64_t v, uint32_t i, uint32_t bits, bool is_signed)
{
    int64_t x = (int64_t)(v >> i * bits) % ((int64_t)1 << bits);
    return is_signed && x >= (int64_t)1 << (bits - 1) ? x - ((int64_t)1 << bits) : x;
}

static void dot4_signed(const struct inputs *in, struct outputs *out)
{
    int64_t sum = (int64_t)in->s[2];
    for (uint32_t i = 0; i < 4; i++)
        sum += element(in->s[0], i, 8, true) * element(in->s[1], i, 8, true);
    set(out, (uint64_t)sum);
}

static void dot4_mixed(const struct inputs *in, struct outputs *out)
{
    int64_t sum = (int64_t)in->s[2];
    for (uint32_t i = 0; i < 4; i++)
        sum += element(in->s[0], i, 8, false) * element(in->s[1], i, 8, true);
    set(out, (uint64_t)sum);
}

static void dot2_high(const struct inputs *in, struct outputs *out)
{
    int64_t sum = (int64_t)in->s[2];
    for (uint32_t i = 0; i < 2; i++)
        sum += element(in->s[0], i, 16, true) * element(in->s[1], i + 2, 8, false);
    set(out, (uint64_t)sum);
}

static void dot2_low(const struct inputs *in, struct outputs *out)
{
    int64_t sum = (int64_t)in->s[2];
    for (uint32_t i = 0; i < 2; i++)
        sum += element(in->s[0], i, 16, false) * element(in->s[1], i, 8, true);
    set(out, (uint64_t)sum);
}

static void dot_products(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"IDP.4A.S8.S8 D, A, B, C", dot4_signed},
        {"IDP.4A.U8.S8 D, A, B, C", dot4_mixed},
        {"IDP.2A.HI.S16.U8 D, A, B, C", dot2_high},
        {"IDP.2A.LO.U16.S8 D, A, B, C", dot2_low},
    };
    check_properties(list, COUNT(list), 100, 4);
}

static void lea_3(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] * 8 % ((uint64_t)1 << 32) + in->s[1]);
    out->p[0] = out->d > LOW;
}

static void lea_3_negative(const struct inputs *in, struct outputs *out)
{
    uint64_t shifted = in->s[0] * 8 % ((uint64_t)1 << 32);
    set(out, in->s[1] - shifted);
    out->p[0] = in->s[1] >= shifted;
}

static void lea_subtract(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[0] * 8 - in->s[1]);
}

static uint64_t pair_times_32(const struct inputs *in)
{
    return (uint32_t)(((wide)(in->s[2] << 32 | in->s[0]) * 32) >> 32);
}

static void lea_high_5(const struct inputs *in, struct outputs *out)
{
    set(out, pair_times_32(in) + in->s[1]);
    out->p[0] = out->d > LOW;
}

static void lea_high_5_extended(const struct inputs *in, struct outputs *out)
{
    set(out, pair_times_32(in) + in->s[1] + in->p[0]);
    out->p[0] = out->d > LOW;
}

static void lea_high_sign_1(const struct inputs *in, struct outputs *out)
{
    set(out, (uint32_t)(signed_word(in->s[0]) * 2 >> 32) + in->s[1] + in->p[0]);
}

static void lea_high_0(const struct inputs *in, struct outputs *out)
{
    set(out, in->s[2] + in->s[1]);
}

static void addresses(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"LEA D, A, B, 0x3", lea_3},
        {"LEA D, P, A, B, 0x3", lea_3},
        {"LEA D, P, -A, B, 0x3", lea_3_negative},
        {"LEA D, A, -B, 0x3", lea_subtract},
        {"LEA.HI D, A, B, C, 0x5", lea_high_5},
        {"LEA.HI D, P, A, B, C, 0x5", lea_high_5},
        {"LEA.HI D, A, B, C, 0x0", lea_high_0},
        {"LEA.HI.X D, P, A, B, C, 0x5, p", lea_high_5_extended},
        {"LEA.HI.X.SX32 D, A, B, 0x1, p", lea_high_sign_1},
        {"ISCADD D, A, B, 0x3", lea_3},
        {"ULEA D, P, A, B, 0x3", lea_3},
        {"ULEA.HI D, A, B, C, 0x5", lea_high_5},
        {"ULEA.HI.X D, A, B, C, 0x5, p", lea_high_5_extended},
    };
    check_properties(list, COUNT(list), 120, 5);
}

static void unknown_forms_are_refused(void **state)
{
    (void)state;
    assert_refused("IADD3.SAT R0, R1, R2, R3");
    assert_refused("IADD3 R0, R1, R2");
    assert_refused("IADD3 R0, R1, R2, R3, R4");
    assert_refused("IADD3 R0, |R1|, R2, R3");
    assert_refused("IADD3.X R0, -R1, R2, R3, P0, P1");
    assert_refused("IADD3 UR0, R1, R2, R3");
    assert_refused("UIADD3 UR0, R1, UR2, UR3");
    assert_refused("IMAD R0, P0, R1, R2, R3"); /* which carry it would be is not known */
    assert_refused("IMAD.WIDE R254, R1, R2, R4");
    assert_refused("LEA R0, R1, R2, 0x20");
    assert_refused("LEA.HI R0, -R1, R2, RZ, 0x1");
    assert_refused("SHF.L R0, R1, R2, R3");
    assert_refused("SHF.U32 R0, R1, R2, R3");
    assert_refused("IDP.4A R0, R1, R2, R3");
    assert_refused("POPC R0, R1.H0_H0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_carries),
        cmocka_unit_test(carries_of_three_operands_chain_to_64_bits),
        cmocka_unit_test(products),
        cmocka_unit_test(dot_products),
        cmocka_unit_test(addresses),
        cmocka_unit_test(unknown_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

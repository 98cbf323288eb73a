/* Shifts, bit fields and counts of bits against arithmetic in wide integers. */
#include "property.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define LOW 0xffffffffu

static uint64_t signed_word(uint64_t v)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)v;
}

static void set(struct outputs *out, uint64_t d)
{
    out->d = d;
}

/* Funnel shifts a bit at a time. */
static uint64_t shift_pair(const struct inputs *in, bool right, uint64_t fill, uint64_t n)
{
    uint64_t v = in->s[2] << 32 | in->s[0];
    for (uint64_t i = 0; i < n; i++)
        v = right ? v / 2 | fill << 63 : v * 2;
    return v;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void left_32(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, false, 0, least(in->s[1], 32)));
}

static void left_32_high(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, false, 0, least(in->s[1], 32)) >> 32);
}

static void left_64_high(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, false, 0, least(in->s[1], 64)) >> 32);
}

static void left_wrap_high(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, false, 0, in->s[1] % 32) >> 32);
}

static void left_wrap(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, false, 0, in->s[1] % 32));
}

static void right_32(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, true, 0, least(in->s[1], 32)));
}

static void right_wrap(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, true, 0, in->s[1] % 32));
}

static void right_32_high(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, true, 0, least(in->s[1], 32)) >> 32);
}

static void right_signed_high(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, true, in->s[2] >> 31, least(in->s[1], 32)) >> 32);
}

static void right_64(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, true, 0, least(in->s[1], 64)));
}

static void right_64_signed(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, true, in->s[2] >> 31, least(in->s[1], 64)));
}

static void right_64_wrap_high(const struct inputs *in, struct outputs *out)
{
    set(out, shift_pair(in, true, 0, in->s[1] % 64) >> 32);
}

static void word_right_signed(const struct inputs *in, struct outputs *out)
{
    uint64_t v = signed_word(in->s[0]);
    for (uint64_t n = least(in->s[1], 32); n > 0; n--)
        v = v / 2 | (v & (uint64_t)1 << 63);
    set(out, v);
}

static void shifts(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"SHF.L.U32 D, A, B, C", left_32},
        {"SHF.L.U32.HI D, A, B, C", left_32_high},
        {"SHF.L.U64.HI D, A, B, C", left_64_high},
        {"SHF.L.W.U32 D, A, B, C", left_wrap},
        {"SHF.L.W.U32.HI D, A, B, C", left_wrap_high},
        {"SHF.R.U32 D, A, B, C", right_32},
        {"SHF.R.W.U32 D, A, B, C", right_wrap},
        {"SHF.R.U32.HI D, A, B, C", right_32_high},
        {"SHF.R.S32.HI D, A, B, C", right_signed_high},
        {"SHF.R.U64 D, A, B, C", right_64},
        {"SHF.R.S64 D, A, B, C", right_64_signed},
        {"SHF.R.W.U64.HI D, A, B, C", right_64_wrap_high},
        {"SHL D, A, B", left_32},
        {"SHL.W D, A, B", left_wrap},
        {"SHR D, A, B", word_right_signed},
        {"USHF.L.U64.HI D, A, B, C", left_64_high},
        {"USHF.R.S32.HI D, A, B, C", right_signed_high},
        {"USHF.R.S64 D, A, B, C", right_64_signed},
    };
    check_properties(list, COUNT(list), 120, 6);
}

static uint64_t extend_field(uint64_t v, uint64_t bits, bool is_signed)
{
    uint64_t result = 0;
    for (uint64_t i = 0; i < 32 && bits > 0; i++) {
        uint64_t from = i < bits ? i : is_signed ? bits - 1 : 63;
        result |= (v >> from & 1) << i;
    }
    return result;
}

static void field_signed(const struct inputs *in, struct outputs *out)
{
    set(out, extend_field(in->s[0], least(in->s[1], 32), true));
}

static void field_wrap_unsigned(const struct inputs *in, struct outputs *out)
{
    set(out, extend_field(in->s[0], in->s[1] % 32, false));
}

static uint64_t mask_from(uint64_t first, uint64_t width)
{
    uint64_t mask = 0;
    for (uint64_t i = 0; i < 32; i++)
        mask |= (uint64_t)(i >= first && i - first < width) << i;
    return mask;
}

static void ones(const struct inputs *in, struct outputs *out)
{
    set(out, mask_from(in->s[0], in->s[1]));
}

static void ones_wrap(const struct inputs *in, struct outputs *out)
{
    set(out, mask_from(in->s[0] % 32, in->s[1] % 32));
}

static void bit_fields(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"SGXT D, A, B", field_signed},  {"SGXT.W.U32 D, A, B", field_wrap_unsigned},
        {"USGXT D, A, B", field_signed}, {"BMSK D, A, B", ones},
        {"BMSK.W D, A, B", ones_wrap},   {"UBMSK D, A, B", ones},
    };
    check_properties(list, COUNT(list), 150, 7);
}

static void reversed(const struct inputs *in, struct outputs *out)
{
    for (uint32_t i = 0; i < 32; i++)
        out->d |= (in->s[0] >> i & 1) << (31 - i);
}

static void population(const struct inputs *in, struct outputs *out)
{
    for (uint32_t i = 0; i < 32; i++)
        out->d += in->s[0] >> i & 1;
}

static uint64_t leading(uint64_t v)
{
    for (uint64_t i = 32; i-- > 0;)
        if (v >> i & 1)
            return i;
    return LOW;
}

static void leading_one(const struct inputs *in, struct outputs *out)
{
    set(out, leading(in->s[0]));
}

static void leading_one_shift(const struct inputs *in, struct outputs *out)
{
    uint64_t bit = leading(in->s[0]);
    set(out, bit == LOW ? bit : 31 - bit);
}

static void leading_signed(const struct inputs *in, struct outputs *out)
{
    set(out, leading(in->s[0] >> 31 ? LOW - in->s[0] : in->s[0]));
}

static void absolute(const struct inputs *in, struct outputs *out)
{
    int64_t v = (int64_t)signed_word(in->s[0]);
    set(out, (uint64_t)(v < 0 ? -v : v));
}

static void bit_counts(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"BREV D, A", reversed},       {"UBREV D, A", reversed},
        {"POPC D, A", population},     {"UPOPC D, A", population},
        {"FLO.U32 D, A", leading_one}, {"FLO.U32.SH D, A", leading_one_shift},
        {"FLO D, A", leading_signed},  {"UFLO.U32 D, A", leading_one},
        {"IABS D, A", absolute},       {"UIABS D, A", absolute},
    };
    check_properties(list, COUNT(list), 150, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts),
        cmocka_unit_test(bit_fields),
        cmocka_unit_test(bit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

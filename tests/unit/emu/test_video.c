/* Minima, maxima, packed elements and conversions between integer types. */
#include "property.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

typedef int64_t (*element_fn)(int64_t a, int64_t b, int64_t c);

/* Element i of `count`, as a number. */
static int64_t get(uint64_t v, uint32_t i, uint32_t count, bool is_signed)
{
    int64_t size = (int64_t)1 << 32 / count;
    int64_t x = (int64_t)(v >> 32 / count * i) & (size - 1);
    return is_signed && x >= size / 2 ? x - size : x;
}

/* Applies `f` to elements; the sum a + b wraps to the element's type first with `add`. */
static uint64_t each(const struct inputs *in, uint32_t count, bool is_signed, bool add,
                     element_fn f)
{
    uint64_t result = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t a = get(in->s[0], i, count, is_signed), b = get(in->s[1], i, count, is_signed);
        int64_t c = get(in->s[2], i, count, is_signed);
        if (add)
            a = get((uint64_t)(a + b), 0, count, is_signed);
        uint64_t v = (uint64_t)f(a, b, c) & (((uint64_t)1 << 32 / count) - 1);
        result |= v << 32 / count * i;
    }
    return result;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
static int64_t least_ab(int64_t a, int64_t b, int64_t c)
{
    (void)c;
    return least(a, b);
}
static int64_t most_ab(int64_t a, int64_t b, int64_t c)
{
    (void)c;
    return most(a, b);
}
static int64_t least_ab_relu(int64_t a, int64_t b, int64_t c)
{
    return most(least_ab(a, b, c), 0);
}
static int64_t least_abc(int64_t a, int64_t b, int64_t c)
{
    return least(least(a, b), c);
}
static int64_t most_abc(int64_t a, int64_t b, int64_t c)
{
    return most(most(a, b), c);
}
static int64_t most_abc_relu(int64_t a, int64_t b, int64_t c)
{
    return most(most_abc(a, b, c), 0);
}
static int64_t least_ac(int64_t a, int64_t b, int64_t c)
{
    (void)b;
    return least(a, c);
}
static int64_t most_ac(int64_t a, int64_t b, int64_t c)
{
    (void)b;
    return most(a, c);
}
static int64_t least_ac_relu(int64_t a, int64_t b, int64_t c)
{
    return most(least_ac(a, b, c), 0);
}
static int64_t sum_ab(int64_t a, int64_t b, int64_t c)
{
    (void)c;
    return a + b;
}
static int64_t difference_ab(int64_t a, int64_t b, int64_t c)
{
    (void)c;
    return a - b;
}
static int64_t distance_ab(int64_t a, int64_t b, int64_t c)
{
    (void)c;
    return a > b ? a - b : b - a;
}

#define ELEMENTS(name, count, is_signed, add, f)                                                   \
    static void name(const struct inputs *in, struct outputs *out)                                 \
    {                                                                                              \
        out->d = each(in, count, is_signed, add, f);                                               \
    }
ELEMENTS(min_s, 1, true, false, least_ab)
ELEMENTS(max_s, 1, true, false, most_ab)
ELEMENTS(min_u, 1, false, false, least_ab)
ELEMENTS(max_u, 1, false, false, most_ab)
ELEMENTS(min_relu, 1, true, false, least_ab_relu)
ELEMENTS(min_s16, 2, true, false, least_ab)
ELEMENTS(max_u16, 2, false, false, most_ab)
ELEMENTS(min_s16_relu, 2, true, false, least_ab_relu)
ELEMENTS(max_u8, 4, false, false, most_ab)
ELEMENTS(min3_s, 1, true, false, least_abc)
ELEMENTS(max3_u, 1, false, false, most_abc)
ELEMENTS(max3_relu, 1, true, false, most_abc_relu)
ELEMENTS(max3_s16, 2, true, false, most_abc)
ELEMENTS(add_min, 1, true, true, least_ac)
ELEMENTS(add_max_u, 1, false, true, most_ac)
ELEMENTS(add_min_relu, 1, true, true, least_ac_relu)
ELEMENTS(add_max_s16, 2, true, true, most_ac)
ELEMENTS(add_min_u16, 2, false, true, least_ac)
ELEMENTS(add_16, 2, false, false, sum_ab)
ELEMENTS(subtract_16, 2, false, false, difference_ab)
ELEMENTS(subtract_8, 4, false, false, difference_ab)
ELEMENTS(distances, 4, false, false, distance_ab)

static void min_or_max(const struct inputs *in, struct outputs *out)
{
    out->d = each(in, 1, true, false, in->p[0] ? least_ab : most_ab);
}

static void halves_with_predicates(const struct inputs *in, struct outputs *out)
{
    max_u16(in, out);
    for (uint32_t i = 0; i < 2; i++)
        out->p[i] = get(in->s[0], i, 2, false) >= get(in->s[1], i, 2, false);
}

static void min_64(const struct inputs *in, struct outputs *out)
{
    out->d = (uint64_t)least((int64_t)in->s[0], (int64_t)in->s[1]);
}

static void max_64_unsigned(const struct inputs *in, struct outputs *out)
{
    out->d = in->s[0] > in->s[1] ? in->s[0] : in->s[1];
}

static void minima_and_maxima(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"IMNMX D, A, B, PT", min_s},
        {"IMNMX D, A, B, !PT", max_s},
        {"IMNMX.U32 D, A, B, PT", min_u},
        {"IMNMX.U32 D, A, B, !PT", max_u},
        {"IMNMX D, A, B, p", min_or_max},
        {"IMNMX.S64 PT, PT, W, X, Y, PT, !PT", min_64},
        {"IMNMX.U64 PT, PT, W, X, Y, !PT, !PT", max_64_unsigned},
        {"VIMNMX D, PT, PT, A, B, !PT", max_s},
        {"VIMNMX.S32 D, A, B, PT", min_s},
        {"VIMNMX.U32 D, A, B, !PT", max_u},
        {"VIMNMX.RELU D, A, B, PT", min_relu},
        {"VIMNMX.S16x2 D, A, B, PT", min_s16},
        {"VIMNMX.U16x2 D, P, Q, A, B, !PT", halves_with_predicates},
        {"VIMNMX.S16x2.RELU D, A, B, PT", min_s16_relu},
        {"VIMNMX.U8x4 D, A, B, !PT", max_u8},
        {"VIMNMX3 D, A, B, C, PT", min3_s},
        {"VIMNMX3.U32 D, A, B, C, !PT", max3_u},
        {"VIMNMX3.RELU D, A, B, C, !PT", max3_relu},
        {"VIMNMX3.S16x2 D, A, B, C, !PT", max3_s16},
        {"VIADDMNMX D, A, B, C, PT", add_min},
        {"VIADDMNMX.U32 D, A, B, C, !PT", add_max_u},
        {"VIADDMNMX.RELU D, A, B, C, PT", add_min_relu},
        {"VIADDMNMX.S16x2 D, A, B, C, !PT", add_max_s16},
        {"VIADDMNMX.U16x2 D, A, B, C, PT", add_min_u16},
        {"UIMNMX D, A, B, p", min_or_max},
        {"UVIMNMX.U32 D, A, B, !UPT", max_u},
    };
    check_properties(list, COUNT(list), 120, 31);
}

static void distance(const struct inputs *in, struct outputs *out)
{
    out->d = each(in, 1, true, false, distance_ab) + in->s[2];
}

static void distance_unsigned(const struct inputs *in, struct outputs *out)
{
    out->d = each(in, 1, false, false, distance_ab) + in->s[2];
}

static void sum_of_distances(const struct inputs *in, struct outputs *out)
{
    out->d = in->s[2];
    uint64_t bytes = each(in, 4, false, false, distance_ab);
    for (uint32_t i = 0; i < 4; i++)
        out->d += (uint64_t)get(bytes, i, 4, false);
}

static void packed_arithmetic(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"VIADD.16x2 D, A, B", add_16},
        {"VIADD.16x2 D, A, -B", subtract_16},
        {"VIADD.U8x4 D, A, -B", subtract_8},
        {"VABSDIFF D, A, B, C", distance},
        {"VABSDIFF.U32 D, A, B, C", distance_unsigned},
        {"VABSDIFF4.U8 D, A, B, RZ", distances},
        {"VABSDIFF4.U8.ACC D, A, B, C", sum_of_distances},
    };
    check_properties(list, COUNT(list), 120, 32);
}

static uint64_t limit(uint64_t v, int64_t low, int64_t high)
{
    return (uint64_t)most(least(get(v, 0, 1, true), high), low);
}

static void to_s8(const struct inputs *in, struct outputs *out)
{
    out->d = limit(in->s[0], -128, 127);
}

static void to_u16(const struct inputs *in, struct outputs *out)
{
    out->d = limit(in->s[0], 0, 65535);
}

static void pack_u8(const struct inputs *in, struct outputs *out)
{
    out->d = in->s[2] * 65536 + limit(in->s[0], 0, 255) * 256 + limit(in->s[1], 0, 255);
}

static void pack_s16(const struct inputs *in, struct outputs *out)
{
    out->d =
        limit(in->s[0], -32768, 32767) % 65536 * 65536 + limit(in->s[1], -32768, 32767) % 65536;
}

static void pack_s4(const struct inputs *in, struct outputs *out)
{
    out->d = in->s[2] * 256 + limit(in->s[0], -8, 7) % 16 * 16 + limit(in->s[1], -8, 7) % 16;
}

static void conversions(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"I2I.S8.S32.SAT D, A", to_s8},          {"I2I.U16.S32.SAT D, A", to_u16},
        {"I2IP.U8.S32.SAT D, A, B, C", pack_u8}, {"I2IP.S16.S32.SAT D, A, B, RZ", pack_s16},
        {"I2IP.S4.S32.SAT D, A, B, C", pack_s4},
    };
    check_properties(list, COUNT(list), 120, 33);
    struct emu_warp *w = malloc(sizeof *w);
    assert_non_null(w);
    test_warp_clear(w);
    w->r[6][0] = 0x12345678;
    test_run(w, "I2IP.U4.S32.SAT R5, R4, R5, R6.24", 90, 1);
    assert_int_equal(w->r[5][0], 0x34567800);
    free(w);
}

static void unknown_forms_are_refused(void **state)
{
    (void)state;
    assert_refused("IMNMX R0, R1, R2");
    assert_refused("VIMNMX.RELU R0, R1, R2, P0");
    assert_refused("VIMNMX R0, P0, PT, R1, R2, PT");
    assert_refused("VIMNMX3 R0, R1, R2, R3, P0");
    assert_refused("IMNMX.S64 PT, PT, R0, R2, R4, PT, PT");
    assert_refused("VABSDIFF4.S8 R0, R1, R2, RZ");
    assert_refused("VABSDIFF4.U8 R0, R1, R2, R3");
    assert_refused("I2I.S8.S32 R0, R1");
    assert_refused("I2I.S8.U32.SAT R0, R1");
    assert_refused("I2IP.S4.S32.SAT R0, R1, R2, R3.28");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minima_and_maxima),
        cmocka_unit_test(packed_arithmetic),
        cmocka_unit_test(conversions),
        cmocka_unit_test(unknown_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Conversions against integer arithmetic; NaN and saturation as measured on an H200. */
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

struct float_type {
    const char *name;
    struct ref_format f;
};

static const struct float_type floats[] = {{"F16", {5, 10}}, {"F32", {8, 23}}, {"F64", {11, 52}}};

static int width(struct ref_format f)
{
    return 1 + f.exponent_bits + f.fraction_bits;
}

/* Integer types: signed, bits. */
struct int_type {
    const char *name;
    bool is_signed;
    int bits;
};

static const struct int_type ints[] = {{"S8", true, 8},    {"U8", false, 8},  {"S16", true, 16},
                                       {"U16", false, 16}, {"S32", true, 32}, {"U32", false, 32},
                                       {"S64", true, 64},  {"U64", false, 64}};

static uint64_t random_integer(uint64_t *state)
{
    uint64_t x = test_random(state), k = test_random(state);
    switch (k & 3) {
    case 0:
        return x;
    case 1:
        return x >> (k >> 8 & 63);
    case 2:
        return (UINT64_C(1) << (k >> 8 & 63)) + (x & 3) - 1;
    default:
        return 0 - ((UINT64_C(1) << (k >> 8 & 63)) + (x & 3) - 1);
    }
}

static void integers_to_floats_round_in_every_mode(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    uint64_t state = test_seed(0x5eed20);
    bool tiny;
    test_warp_random(&w, &state);
    for (uint32_t n = 0; n < 8 * 3 * REF_MODES * 8; n++) {
        const struct int_type *from = &ints[n % 8];
        const struct float_type *to = &floats[n / 8 % 3];
        enum ref_mode mode = (enum ref_mode)(n / 24 % REF_MODES);
        char text[80];
        /* S32 and F32 are not written. */
        snprintf(text, sizeof text, "I2F%s%s%s%s%s R8, R2", n / 8 % 3 == 1 ? "" : ".",
                 n / 8 % 3 == 1 ? "" : to->name, n % 8 == 4 ? "" : ".",
                 n % 8 == 4 ? "" : from->name, ref_mode_names[mode]);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            put(&w, 2, i, random_integer(&state));
        test_run(&w, text, 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint64_t v = pair(&w, 2, i);
            v = v << (64 - from->bits);
            v = from->is_signed ? (uint64_t)((int64_t)v >> (64 - from->bits))
                                : v >> (64 - from->bits);
            bool negative = from->is_signed && v >> 63;
            struct ref r = {.negative = negative, .m = negative ? 0 - v : v};
            uint64_t got = pair(&w, 8, i), want = ref_round(to->f, r, mode, &tiny);
            if (width(to->f) < 64)
                got &= (UINT64_C(1) << width(to->f)) - 1;
            if (got != want)
                fail_msg("%s of %llx: %llx, expected %llx", text, (unsigned long long)v,
                         (unsigned long long)got, (unsigned long long)want);
        }
    }
}

static void fast_integer_conversion_and_byte_sources(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    test_warp_clear(&w);
    w.r[2][0] = 0xff80c003;
    w.ur[4] = 16777219;
    test_run(&w, "I2FP.F32.S32 R3, R2", 90, 1);
    assert_int_equal(w.r[3][0], 0xcafe7ffa); /* -8339453 */
    test_run(&w, "I2FP.F32.U32 R3, R2", 90, 1);
    assert_int_equal(w.r[3][0], 0x4f7f80c0);
    test_run(&w, "I2FP.F32.U32.RZ R3, UR4", 90, 1);
    assert_int_equal(w.r[3][0], 0x4b800001);
    test_run(&w, "I2F.U8 R3, R2.B2", 90, 1);
    assert_int_equal(w.r[3][0], 0x43000000); /* 128 */
    test_run(&w, "I2F.S8 R3, R2.B2", 90, 1);
    assert_int_equal(w.r[3][0], 0xc3000000);
    test_run(&w, "I2F.S16 R3, R2.H1", 90, 1);
    assert_int_equal(w.r[3][0], 0xc3000000);
    test_run(&w, "I2F R3, -R2", 90, 1);
    assert_int_equal(w.r[3][0], 0x4afe7ffa);
    test_run(&w, "UI2F.U32.RP UR5, UR4", 120, 1);
    assert_int_equal(w.ur[5], 0x4b800002);
    test_run(&w, "UI2FP.F32.S32 UR5, UR4", 120, 1);
    assert_int_equal(w.ur[5], 0x4b800002);
    test_run(&w, "I2F.RP R3, c[0x3][0x20]", 90, 1);
    bool tiny;
    struct ref r = {.negative = test_constant(3, 0x20) >> 31, .m = test_constant(3, 0x20)};
    if (r.negative)
        r.m = 0 - test_constant(3, 0x20);
    assert_int_equal(w.r[3][0], ref_round(REF_F32, r, REF_RP, &tiny));
}

/* |x| as an integer, rounded; false when it needs more than 64 bits. */
static bool whole(struct ref r, enum ref_mode mode, uint64_t *out)
{
    if (r.e >= 0) {
        *out = (uint64_t)(r.m << (r.e > 70 ? 70 : r.e));
        return r.m == 0 || ref_length(r.m) + r.e <= 64;
    }
    wide_int extended = ref_jam(r.m << 2, -r.e);
    uint64_t kept = (uint64_t)(extended >> 2);
    int below = (int)(extended & 3);
    kept += mode == REF_RN   ? below > 2 || (below == 2 && kept & 1)
            : mode == REF_RM ? r.negative && below
            : mode == REF_RP ? !r.negative && below
                             : false;
    *out = kept;
    return true;
}

static uint64_t expected_integer(const struct int_type *to, struct ref r, enum ref_mode mode,
                                 bool ntz)
{
    if (r.nan)
        return ntz             ? 0
               : to->is_signed ? ~UINT64_C(0) << (to->bits - 1)
                               : UINT64_C(1) << (to->bits - 1);
    uint64_t m = 0;
    bool fits = !r.infinite && whole(r, mode, &m);
    uint64_t most = UINT64_MAX >> (64 - to->bits + to->is_signed);
    if (!r.negative)
        return !fits || m > most ? most : m;
    if (!to->is_signed)
        return 0;
    return !fits || m > most + 1 ? ~most : 0 - m;
}

static void floats_to_integers_saturate(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    static const char *const modes[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};
    uint64_t state = test_seed(0x5eed21);
    test_warp_random(&w, &state);
    for (uint32_t n = 0; n < 8 * 3 * REF_MODES * 2 * 8; n++) {
        const struct int_type *to = &ints[n % 8];
        const struct float_type *from = &floats[n / 8 % 3];
        uint32_t mode = n / 24 % REF_MODES;
        bool ntz = n / 96 % 2;
        char text[80];
        snprintf(text, sizeof text, "F2I%s%s%s%s%s%s R8, R2", n % 8 == 4 ? "" : ".",
                 n % 8 == 4 ? "" : to->name, n / 8 % 3 == 1 ? "" : ".",
                 n / 8 % 3 == 1 ? "" : from->name, modes[mode], ntz ? ".NTZ" : "");
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint64_t v = ref_random(from->f, &state);
            if (i & 1) { /* around the limits of the types */
                bool tiny;
                struct ref r = {.negative = v & 1, .m = random_integer(&state) >> 2 | 1, .e = -2};
                r.e -= (int)(v % 3) * 16;
                v = ref_round(from->f, r, REF_RN, &tiny);
            }
            put(&w, 2, i, v);
        }
        test_run(&w, text, 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            struct ref r = ref_of(from->f, pair(&w, 2, i));
            uint64_t want = expected_integer(to, r, (enum ref_mode)mode, ntz);
            uint64_t got = pair(&w, 8, i);
            if (to->bits < 64) {
                want = (uint32_t)want;
                got = (uint32_t)got;
            }
            if (got != want)
                fail_msg("%s of %llx: %llx, expected %llx", text,
                         (unsigned long long)pair(&w, 2, i), (unsigned long long)got,
                         (unsigned long long)want);
        }
    }
    w.r[2][0] = 0x807fffff;
    test_run(&w, "F2I.FTZ.FLOOR.NTZ R8, R2", 90, 1);
    assert_int_equal(w.r[8][0], 0);
    test_run(&w, "F2I.FLOOR.NTZ R8, R2", 90, 1);
    assert_int_equal(w.r[8][0], 0xffffffff);
}

static void formats_convert_in_every_mode(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    static const struct {
        const char *name;
        struct ref_format from, to;
    } cases[] = {{"F16.F32", {8, 23}, {5, 10}},  {"BF16.F32", {8, 23}, {8, 7}},
                 {"F32.F64", {11, 52}, {8, 23}}, {"F64.F32", {8, 23}, {11, 52}},
                 {"F16.F64", {11, 52}, {5, 10}}, {"F64.F16", {5, 10}, {11, 52}},
                 {"F32.F16", {5, 10}, {8, 23}}};
    uint64_t state = test_seed(0x5eed22);
    bool tiny;
    test_warp_random(&w, &state);
    for (uint32_t n = 0; n < 7 * REF_MODES * 20; n++) {
        uint32_t c = n % 7;
        enum ref_mode mode = (enum ref_mode)(n / 7 % REF_MODES);
        char text[80];
        snprintf(text, sizeof text, "F2F.%s%s R8, -R2", cases[c].name, ref_mode_names[mode]);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            put(&w, 2, i, ref_random(cases[c].from, &state));
        test_run(&w, text, 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            struct ref r = ref_of(cases[c].from, pair(&w, 2, i));
            r.negative = !r.negative;
            uint64_t got = pair(&w, 8, i), want = ref_round(cases[c].to, r, mode, &tiny);
            if (width(cases[c].to) < 64)
                got = (uint32_t)got;
            if (r.nan) { /* the payload is tested below */
                assert_true(ref_is_nan(cases[c].to, got));
                continue;
            }
            if (got != want)
                fail_msg("%s of %llx: %llx, expected %llx", text,
                         (unsigned long long)pair(&w, 2, i), (unsigned long long)got,
                         (unsigned long long)want);
        }
    }
}

static void nan_payloads_pass_where_fp64_is_involved(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    static const struct {
        const char *text;
        uint64_t from, to;
    } cases[] = {{"F2F.F32.F64 R8, R2", 0x7ff0000000000001u, 0x7fc00000},
                 {"F2F.F32.F64 R8, R2", 0xfff8123456789abcu, 0xffc091a2},
                 {"F2F.F16.F64.RZ R8, R2", 0xfff8123456789abcu, 0xfe04},
                 {"F2F.F64.F32 R8, R2", 0x7f800001, 0x7ff8000020000000u},
                 {"F2F.F64.F32 R8, R2", 0xffc12345, 0xfff82468a0000000u},
                 {"F2F.F64.F16 R8, R2", 0xfe12, 0xfff8480000000000u},
                 {"F2F.F16.F32 R8, R2", 0xffc12345, 0x7fff},
                 {"F2F.BF16.F32 R8, R2", 0xffc12345, 0x7fff},
                 {"FRND.F64.FLOOR R8, R2", 0x7ff0000000000001u, 0x7ff8000000000001u},
                 {"FRND.FLOOR R8, R2", 0xffc12345, 0x7fffffff}};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        test_warp_clear(&w);
        put(&w, 2, 0, cases[n].from);
        test_run(&w, cases[n].text, 90, 1);
        if (pair(&w, 8, 0) != cases[n].to)
            fail_msg("%s: %llx", cases[n].text, (unsigned long long)pair(&w, 8, 0));
    }
}

static void rounding_to_whole_numbers_keeps_the_format(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    static const char *const modes[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};
    uint64_t state = test_seed(0x5eed23);
    bool tiny;
    test_warp_random(&w, &state);
    for (uint32_t n = 0; n < 3 * REF_MODES * 40; n++) {
        const struct float_type *type = &floats[n % 3];
        uint32_t mode = n / 3 % REF_MODES;
        char text[80];
        snprintf(text, sizeof text, "FRND%s%s%s R8, R2", n % 3 == 1 ? "" : ".",
                 n % 3 == 1 ? "" : type->name, modes[mode]);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            put(&w, 2, i, ref_random(type->f, &state));
        test_run(&w, text, 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            struct ref r = ref_of(type->f, pair(&w, 2, i));
            uint64_t m, got = pair(&w, 8, i);
            if (r.nan)
                continue;
            if (!r.infinite && r.e < 0) {
                whole(r, (enum ref_mode)mode, &m);
                r.m = m;
                r.e = 0;
            }
            if (width(type->f) < 64)
                got = (uint32_t)got;
            if (got != ref_round(type->f, r, REF_RN, &tiny))
                fail_msg("%s of %llx: %llx", text, (unsigned long long)pair(&w, 2, i),
                         (unsigned long long)got);
        }
    }
}

static void packing_puts_the_first_value_high(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    uint64_t state = test_seed(0x5eed24);
    bool tiny;
    test_warp_random(&w, &state);
    for (uint32_t n = 0; n < 16 * 20; n++) {
        bool bf16 = n & 1, rz = n & 2, relu = n & 4, old = n & 8;
        struct ref_format f = bf16 ? REF_BF16 : REF_F16;
        char text[80];
        /* Before sm_90 the source format and FP16 are not written. */
        snprintf(text, sizeof text, "F2FP%s%s%s.PACK_AB%s R8, R2, -R3", relu ? ".RELU" : "",
                 bf16  ? ".BF16"
                 : old ? ""
                       : ".F16",
                 old ? "" : ".F32", rz ? ".RZ" : "");
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            w.r[2][i] = (uint32_t)ref_random(REF_F32, &state);
            w.r[3][i] = (uint32_t)ref_random(REF_F32, &state);
        }
        test_run(&w, text, 90, ~0u);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint64_t want = 0;
            for (uint32_t part = 0; part < 2; part++) {
                struct ref r = ref_of(REF_F32, part ? w.r[2][i] : w.r[3][i] ^ 0x80000000u);
                uint64_t h = ref_round(f, r, rz ? REF_RZ : REF_RN, &tiny);
                want |= (relu && h & 0x8000 ? 0 : h) << 16 * part;
            }
            if (w.r[8][i] != want)
                fail_msg("%s of %08x %08x: %08x", text, w.r[2][i], w.r[3][i], w.r[8][i]);
        }
    }
}

/* Results of an H200. */
static void eight_bit_formats_and_bytes(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    static const struct {
        uint32_t a, b, c;
        const char *text;
        uint32_t want;
    } cases[] = {
        {0x42c80000, 0xc3e00000, 0, "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R5, R1, R2, RZ",
         0x6cfe},
        {0x7f800000, 0x7fc00000, 0x1234407e,
         "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R5, R1, R2, R3", 0x407e7e7f},
        {0x0c003c00, 0x00000000, 0, "F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C R5, R1, RZ", 0x0038},
        {0x7f800000, 0, 0x3f00, "F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C R5, R1, R3", 0x3f007f00},
        {0x00003f7f, 0, 0, "F2FP.F16.E4M3.UNPACK_B R5, R1", 0x3f807fff},
        {0x00000d80, 0, 0, "F2FP.F16.E4M3.UNPACK_B R5, R1", 0x26808000},
        {0x0000fc7b, 0, 0, "F2FP.F16.E5M2.UNPACK_B R5, R1", 0xfc007b00},
        {0x43c80000, 0, 0, "F2IP.U8.F32.NTZ R5, RZ, R1, RZ", 0xff},
        {0x7fc00000, 0x40200000, 0, "F2IP.U8.F32.NTZ R5, R1, R2, RZ", 0x0002},
        {0x3fffffff, 0xbf800000, 0, "F2IP.U8.F32.TRUNC.NTZ R5, R1, R2, RZ", 0x0100},
        {0x3f801000, 0, 0, "F2FP.TF32.F32.PACK_B R5, R1", 0x3f800000},
        {0x3f803000, 0, 0, "F2FP.TF32.F32.PACK_B R5, R1", 0x3f804000},
        {0xbf803fff, 0, 0, "F2FP.TF32.F32.PACK_B.RZ R5, R1", 0xbf802000},
        {0xbf803fff, 0, 0, "F2FP.RELU.TF32.F32.PACK_B R5, R1", 0},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        test_warp_clear(&w);
        w.r[1][7] = cases[n].a;
        w.r[2][7] = cases[n].b;
        w.r[3][7] = cases[n].c;
        test_run(&w, cases[n].text, 90, 0x80);
        if (w.r[5][7] != cases[n].want)
            fail_msg("%s: %08x, expected %08x", cases[n].text, w.r[5][7], cases[n].want);
    }
}

static void what_has_no_semantics_is_an_error(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "F2F.F32 R1, R2",   "F2FP.F16.F32 R1, R2, R3", "F2FP.TF32.F32.PACK_AB R1, R2, R3",
        "I2F.F64 R254, R2", "F2I.S64.F64 R2, R254",    "F2I.U32.ROUND R1, R2"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct test_op t;
        struct sim_err err = {0};
        if (test_try_decode(&t, texts[i], 90, 0, 0, &err))
            fail_msg("%s decodes", texts[i]);
        test_op_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_to_floats_round_in_every_mode),
        cmocka_unit_test(fast_integer_conversion_and_byte_sources),
        cmocka_unit_test(floats_to_integers_saturate),
        cmocka_unit_test(formats_convert_in_every_mode),
        cmocka_unit_test(nan_payloads_pass_where_fp64_is_involved),
        cmocka_unit_test(rounding_to_whole_numbers_keeps_the_format),
        cmocka_unit_test(packing_puts_the_first_value_high),
        cmocka_unit_test(eight_bit_formats_and_bytes),
        cmocka_unit_test(what_has_no_semantics_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* MUFU: special cases and samples of an H200, accuracy against long double, and that every floating
 * point instruction of the listings decodes. */
#include <math.h>

#include "float_reference.h"
#include "isa/modifier.h"
#include "trace/sass_file.h"

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

struct sample {
    uint32_t x, y;
};

static uint32_t run(const char *function, uint32_t x)
{
    static struct emu_warp w;
    char text[40];
    test_warp_clear(&w);
    w.r[2][9] = x;
    snprintf(text, sizeof text, "MUFU.%s R3, R2", function);
    test_run(&w, text, 90, 1u << 9);
    assert_int_equal(w.r[3][8], 0);
    return w.r[3][9];
}

static void special_operands_give_the_hardwares_results(void **unused)
{
    (void)unused;
    /* For +0, -0, a denormal, a negative one, +infinity, -infinity, NaN, -NaN, -1. */
    static const uint32_t x[] = {0,          0x80000000, 0x7fffff,   0x807fffff, 0x7f800000,
                                 0xff800000, 0x7fc00000, 0xff812345, 0xbf800000};
    static const uint32_t inf = 0x7f800000, minus = 0xff800000, nan = 0x7fffffff, one = 0x3f800000;
    const struct {
        const char *name;
        uint32_t y[9];
    } rows[] = {
        {"RCP", {inf, minus, inf, minus, 0, 0x80000000, nan, nan, 0xbf800000}},
        {"RSQ", {inf, minus, inf, minus, 0, nan, nan, nan, nan}},
        {"SQRT", {0, 0x80000000, 0, 0x80000000, inf, nan, nan, nan, nan}},
        {"SIN", {0, 0x80000000, 0, 0x80000000, nan, nan, nan, nan, 0x80000000}},
        {"COS", {one, one, one, one, nan, nan, nan, nan, one}},
        {"LG2", {minus, minus, minus, minus, inf, nan, nan, nan, nan}},
        {"EX2", {one, one, one, one, inf, 0, nan, nan, 0x3f000000}},
    };
    for (size_t f = 0; f < sizeof rows / sizeof rows[0]; f++)
        for (size_t i = 0; i < 9; i++) {
            uint32_t y = run(rows[f].name, x[i]);
            bool zero = !strcmp(rows[f].name, "SIN") && i == 8; /* of either sign */
            if (zero ? y << 1 != 0 : y != rows[f].y[i])
                fail_msg("%s of %08x: %08x, expected %08x", rows[f].name, x[i], y, rows[f].y[i]);
        }
    assert_int_equal(run("RCP", 0x7e900000), 0); /* a denormal result is a zero */
    assert_int_equal(run("EX2", 0xc2fe0000), 0);
    assert_int_equal(run("TANH", 0x807fffff), 0x807fffff);
    assert_int_equal(run("TANH", 0x7f800000), 0x3f800000);
}

static void samples_of_the_hardware_agree_to_22_bits(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        struct sample s[6];
    } rows[] = {
        {"RCP",
         {{0x4b900000, 0x33638e39},
          {0xbf7a17cd, 0xbf8305f5},
          {0xb3a653fd, 0xcb45021b},
          {0x47b40000, 0x37360b61},
          {0xc5880000, 0xb970f0f1},
          {0xbf7f247d, 0xbf806e20}}},
        {"SQRT",
         {{0x4b900000, 0x4587c3b6},
          {0x47b40000, 0x4397ca11},
          {0x3aaa3700, 0x3d139b1c},
          {0x4f800000, 0x47800000},
          {0x42a740ad, 0x411250de},
          {0x40647300, 0x3ff1d524}}},
        {"RSQ",
         {{0x4b900000, 0x39715bef},
          {0x47b40000, 0x3b57e0cf},
          {0x3aaa3700, 0x41ddff1e},
          {0x4f800000, 0x37800000},
          {0x42a740ad, 0x3ddff42d},
          {0x40647300, 0x3f077fab}}},
        {"LG2",
         {{0x4b900000, 0x41c15c01},
          {0x47b40000, 0x4183ef50},
          {0x3aaa3700, 0xc1196bab},
          {0x4f800000, 0x42000000},
          {0x42a740ad, 0x40cc592b},
          {0x40647300, 0x3feaf931}}},
        {"EX2",
         {{0xbf7a17cd, 0x3f02104d},
          {0xbf7f247d, 0x3f004c2a},
          {0x3aaa3700, 0x3f801d82},
          {0x42a740ad, 0x6945956b},
          {0x40647300, 0x413df4a8},
          {0x3c580000, 0x3f812cd0}}},
    };
    for (size_t f = 0; f < sizeof rows / sizeof rows[0]; f++)
        for (size_t i = 0; i < 6; i++) {
            float y = float_of(run(rows[f].name, rows[f].s[i].x)), want = float_of(rows[f].s[i].y);
            if (fabsf(y - want) > fabsf(want) * 0x1p-22f)
                fail_msg("%s of %08x", rows[f].name, rows[f].s[i].x);
        }
}

static long double turns(float x)
{
    return sinl((long double)(x - rintf(x)) * 6.283185307179586476925286766559L);
}

static void results_are_accurate(void **unused)
{
    (void)unused;
    uint64_t state = test_seed(0x5eed50);
    for (uint32_t n = 0; n < 3000; n++) {
        uint32_t x = (uint32_t)test_random(&state);
        x = (x & 0x007fffff) | (100 + (x >> 23) % 60) << 23;
        long double v = (long double)float_of(x);
        const struct {
            const char *name;
            long double y;
        } rows[] = {{"RCP", 1 / v},    {"RSQ", 1 / sqrtl(v)}, {"SQRT", sqrtl(v)},
                    {"LG2", log2l(v)}, {"TANH", tanhl(v)},    {"SIN", turns(float_of(x))},
                    {"EX2", exp2l(v)}};
        for (size_t f = 0; f < sizeof rows / sizeof rows[0]; f++) {
            long double y = (long double)float_of(run(rows[f].name, x)), want = rows[f].y;
            if (want > 0x1p127L)
                continue;
            long double error = fabsl(y - want);
            if (error > fabsl(want) * 0x1p-23L && error > 0x1p-60L)
                fail_msg("%s of %08x: error %Lg", rows[f].name, x, error / want);
        }
    }
}

static double high_word(uint32_t word)
{
    uint64_t bits = (uint64_t)word << 32;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void high_words_of_fp64_functions(void **unused)
{
    (void)unused;
    uint64_t state = test_seed(0x5eed51);
    for (uint32_t n = 0; n < 2000; n++) {
        uint32_t x = (uint32_t)ref_random((struct ref_format){11, 20}, &state) & 0x7fffffff;
        double v = high_word(x);
        if (!isnormal(v))
            continue;
        double r = high_word(run("RCP64H", x)), s = high_word(run("RSQ64H", x));
        if (fabs(1 / v) > 0x1p-1022)
            assert_true(fabs(r * v - 1) < 0x1p-19);
        assert_true(fabs(s * s * v - 1) < 0x1p-18);
    }
    assert_int_equal(run("RCP64H", 0), 0x7ff00000);
    assert_int_equal(run("RCP64H", 0x800fffff), 0xfff00000); /* denormals are zeros */
    assert_int_equal(run("RCP64H", 0xfff00000), 0x80000000);
    assert_int_equal(run("RSQ64H", 0xbff00000), 0x7fffffff);
}

static void half_functions_take_either_half(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    test_warp_clear(&w);
    w.r[2][0] = 0x40003c00; /* 2, 1 */
    test_run(&w, "MUFU.EX2.F16 R3, R2", 90, 1);
    test_run(&w, "MUFU.EX2.F16 R4, R2.H1", 90, 1);
    assert_int_equal(w.r[3][0], 0x4000);
    assert_int_equal(w.r[4][0], 0x4400);
    w.r[2][0] = 0x7c000000;
    test_run(&w, "MUFU.TANH.F16 R3, R2.H1", 90, 1);
    assert_int_equal(w.r[3][0], 0x3c00);
    w.r[2][0] = 0x4f00; /* overflow */
    test_run(&w, "MUFU.EX2.F16 R3, R2", 90, 1);
    assert_int_equal(w.r[3][0], 0x7c00);
}

static void an_unknown_function_is_an_error(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"MUFU R1, R2", "MUFU.FOO R1, R2", "MUFU.RCP.F16 R1, R2"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct test_op t;
        struct sim_err err = {0};
        assert_false(test_try_decode(&t, texts[i], 90, 0, 0, &err));
        test_op_free(&t);
    }
}

/* Opcodes whose semantics are in the floating-point files. */
static bool is_float(const char *opcode)
{
    static const char *const names[] = {
        "FADD",  "FMUL",   "FFMA",  "FMNMX",  "FMNMX3", "FSEL", "FSET",  "FSETP", "FCHK",
        "FADD2", "FMUL2",  "FFMA2", "DADD",   "DMUL",   "DFMA", "DSETP", "HADD2", "HMUL2",
        "HFMA2", "HSETP2", "HSET2", "HMNMX2", "MUFU",   "F2F",  "F2FP",  "F2I",   "I2F",
        "I2FP",  "FRND",   "HMMA",  "IMMA",   "DMMA",   "BMMA", "MOVM",  "UFADD", "UFMUL",
        "UFFMA", "UFSETP", "UFSEL", "UI2F",   "UI2FP",  "UF2F"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (modifier_base_is(opcode, names[i]))
            return true;
    return false;
}

static uint32_t decode_listing(const char *path, uint32_t sm)
{
    struct sass_file *f;
    struct sim_err err = {0};
    uint32_t count = 0;
    if (!sass_file_load(&f, path, &err))
        skip();
    for (size_t i = 0; i < sass_file_count(f); i++) {
        const struct sass_function *function = sass_file_function(f, i);
        for (uint32_t k = 0; k < function->inst_count; k++) {
            const struct inst *inst = &function->insts[k];
            struct test_op t;
            if (!is_float(inst->opcode))
                continue;
            if (!test_try_decode(&t, inst->text, sm, 0, 0, &err))
                fail_msg("%s: %s", path, err.msg);
            test_op_free(&t);
            count++;
        }
    }
    sass_file_free(f);
    return count;
}

static void every_instruction_of_the_listings_decodes(void **unused)
{
    (void)unused;
    static const uint32_t versions[] = {75, 80, 86, 89, 90, 100, 120};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        char path[400];
        snprintf(path, sizeof path, "%s/../shared/sass/kernels.sm_%u.sass.gz", SUBCORE_SOURCE_DIR,
                 versions[i]);
        uint32_t count = decode_listing(path, versions[i]);
        print_message("sm_%u: %u\n", versions[i], count);
        assert_true(count > 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_operands_give_the_hardwares_results),
        cmocka_unit_test(samples_of_the_hardware_agree_to_22_bits),
        cmocka_unit_test(results_are_accurate),
        cmocka_unit_test(high_words_of_fp64_functions),
        cmocka_unit_test(half_functions_take_either_half),
        cmocka_unit_test(an_unknown_function_is_an_error),
        cmocka_unit_test(every_instruction_of_the_listings_decodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Atomics on all spaces and types. */
#include "memory_fixture.h"

#include <math.h>

#include "base/bits.h"

struct whole {
    const char *name;
    uint64_t (*apply)(uint64_t old, uint64_t b);
    uint32_t bytes;
};

#define WHOLE(function, expression)                                                                \
    static uint64_t function(uint64_t old, uint64_t b)                                             \
    {                                                                                              \
        return expression;                                                                         \
    }
WHOLE(add, old + b)
WHOLE(min32, (uint32_t)old < (uint32_t)b ? old : b)
WHOLE(max32, (uint32_t)old < (uint32_t)b ? b : old)
WHOLE(smin32, (int32_t)old < (int32_t)b ? old : b)
WHOLE(smax32, (int32_t)old < (int32_t)b ? b : old)
WHOLE(inc, old >= b ? 0 : old + 1)
WHOLE(dec, old == 0 || old > b ? b : old - 1)
WHOLE(and_, old &b)
WHOLE(or_, old | b)
WHOLE(xor_, old ^ b)
WHOLE(exch, b + 0 * old)
WHOLE(max64, old < b ? b : old)
WHOLE(smin64, (int64_t)old < (int64_t)b ? old : b)

static const struct whole wholes[] = {
    {"ADD", add, 4},        {"MIN", min32, 4},      {"MAX", max32, 4},   {"MIN.S32", smin32, 4},
    {"MAX.S32", smax32, 4}, {"INC", inc, 4},        {"DEC", dec, 4},     {"AND", and_, 4},
    {"OR", or_, 4},         {"XOR", xor_, 4},       {"EXCH", exch, 4},   {"ADD.64", add, 8},
    {"MAX.64", max64, 8},   {"MIN.S64", smin64, 8}, {"AND.64", and_, 8}, {"EXCH.64", exch, 8},
};

/* Lanes share a few places, so order matters. */
static void whole_number_atomics_act_lane_by_lane(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "ATOMG.E.%s.STRONG.GPU PT, R12, desc[UR4][R2.64], R8",
        "ATOM.E.%s.STRONG.GPU PT, R12, [R2.64], R8",
        "ATOMS.%s R12, [R4], R8",
        "REDG.E.%s.STRONG.GPU desc[UR4][R2.64], R8",
        "RED.E.%s.STRONG.GPU [R2.64], R8",
    };
    uint64_t seed = test_seed(1);
    for (uint32_t c = 0; c < sizeof wholes / sizeof wholes[0]; c++)
        for (uint32_t form = 0; form < 5; form++)
            for (uint32_t round = 0; round < 6; round++) {
                struct memory_fixture *f = fixture_new(80, false, test_random(&seed));
                const struct whole *op = &wholes[c];
                uint32_t mask = test_mask(&seed), places[WARP_LANES];
                uint8_t expected[64];
                fill_shared(f);
                uint8_t *memory = form == 2 ? f->cta.shared : f->data[0];
                memcpy(expected, memory, sizeof expected);
                struct emu_warp before = *f->w;
                for (uint32_t i = 0; i < WARP_LANES; i++) {
                    places[i] = (uint32_t)(test_random(&seed) % 3) * 8;
                    set_pair(f, 2, i, FIRST_BUFFER + places[i]);
                    f->w->r[4][i] = places[i];
                }
                uint64_t old[WARP_LANES] = {0};
                for (uint32_t i = 0; i < WARP_LANES; i++) {
                    if (!(mask >> i & 1))
                        continue;
                    memcpy(&old[i], expected + places[i], op->bytes);
                    uint64_t b = before.r[8][i];
                    if (op->bytes == 8)
                        b |= (uint64_t)before.r[9][i] << 32;
                    uint64_t v = op->apply(old[i], b);
                    memcpy(expected + places[i], &v, op->bytes);
                }
                char text[96];
                snprintf(text, sizeof text, forms[form], op->name);
                run_ok(f, text, mask);
                assert_memory_equal(memory, expected, sizeof expected);
                assert_true(f->access.used);
                for (uint32_t i = 0; i < WARP_LANES && form < 3; i++) {
                    bool on = mask >> i & 1;
                    assert_int_equal(f->w->r[12][i], on ? (uint32_t)old[i] : before.r[12][i]);
                    if (on && op->bytes == 8)
                        assert_int_equal(f->w->r[13][i], (uint32_t)(old[i] >> 32));
                }
                fixture_free(f);
            }
}

static void compare_and_swap_gives_the_old_value_or_success(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(80, false, 2);
    uint32_t old = word_of(&f->data[0][0x10]);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        set_pair(f, 2, i, FIRST_BUFFER);
        f->w->r[6][i] = i == 3 ? old : i == 5 ? 1003 : 77;
        f->w->r[7][i] = 1000 + i;
        f->w->r[4][i] = 0x40;
    }
    run_ok(f, "ATOMG.E.CAS.STRONG.GPU PT, R6, [R2+0x10], R6, R7", 0x3f);
    assert_int_equal(f->w->r[6][2], old);
    assert_int_equal(f->w->r[6][3], old);
    assert_int_equal(f->w->r[6][4], 1003);
    assert_int_equal(f->w->r[6][5], 1003);
    assert_int_equal(word_of(&f->data[0][0x10]), 1005);
    fill_shared(f);
    old = word_of(&f->cta.shared[0x48]);
    f->w->r[6][1] = f->w->r[6][2] = old;
    f->w->r[6][0] = ~old;
    run_ok(f, "ATOMS.CAST.SPIN R8, [R4+0x8], R6, R7", 7);
    assert_int_equal(f->w->r[8][0], 0);
    assert_int_equal(f->w->r[8][1], 1);
    assert_int_equal(f->w->r[8][2], 0);
    assert_int_equal(word_of(&f->cta.shared[0x48]), 1001);
    uint64_t pair;
    memcpy(&pair, &f->cta.shared[0x40], 8);
    set_pair(f, 10, 0, pair);
    set_pair(f, 12, 0, 0x123456789abcdef0);
    run_ok(f, "ATOMS.CAST.SPIN.64 P2, [R4], R10, R12", 1);
    assert_int_equal(f->w->p[2] & 1, 1);
    memcpy(&pair, &f->cta.shared[0x40], 8);
    assert_true(pair == 0x123456789abcdef0);
    run_ok(f, "ATOMS.CAST.SPIN.64 P2, [R4], R10, R12", 1);
    assert_int_equal(f->w->p[2] & 1, 0);
    run_ok(f, "ATOMS.CAS.64 R14, [R4], R12, RZ", 1);
    assert_int_equal(f->w->r[15][0], 0x12345678);
    assert_int_equal(word_of(&f->cta.shared[0x44]), 0);
    fixture_free(f);
}

static void population_increments_add_one_a_lane(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(90, false, 3);
    fill_shared(f);
    uint32_t a = word_of(&f->cta.shared[0x400]), b = word_of(&f->cta.shared[0x404]);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        f->w->r[2][i] = i < 10 ? 0 : 4;
    f->w->ur[4] = 0x400;
    run_ok(f, "ATOMS.POPC.INC.32 RZ, [R2+UR4]", ~1u);
    assert_int_equal(word_of(&f->cta.shared[0x400]), a + 9);
    assert_int_equal(word_of(&f->cta.shared[0x404]), b + 22);
    fixture_free(f);
}

static void float_atomics_add_with_one_rounding(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        uint64_t old, b, sum;
        uint32_t bytes;
    } cases[] = {
        {"F32.FTZ.RN", 0x3f800000, 0x33800000, 0x3f800000, 4}, /* 1 + 2^-24: tie to even */
        {"F32.FTZ.RN", 0x3f800001, 0x33800000, 0x3f800002, 4},
        {"F32.FTZ.RN", 0x00400000, 0x00400000, 0x00000000, 4}, /* denormals are 0 */
        {"F32.FTZ.RN", 0x7f800000, 0xff800000, 0x7fffffff, 4},
        {"F64.RN", 0x3ff0000000000000, 0x3ff0000000000000, 0x4000000000000000, 8},
        {"F64.RN", 0x0000000000000001, 0x0000000000000001, 0x0000000000000002, 8},
        {"F64.RN", 0x7ff310faf6b72cea, 0x4000000000000000, 0x7ff310faf6b72cea, 8},
        {"F64.RN", 0x7ff310faf6b72cea, 0xfff0000000000001, 0xfff0000000000001, 8},
        {"F64.RN", 0x7ff0000000000000, 0xfff0000000000000, 0xfff8000000000000, 8},
        {"F16x2.RN", 0x3c003c00, 0x10003c00, 0x3c004000, 4},  /* 1 + 2^-11: tie to even */
        {"F16x2.RN", 0x3c010001, 0x10000001, 0x3c020002, 4},  /* and denormals are kept */
        {"F16x2.RN", 0x7bff7c00, 0x5000fc00, 0x7c007fff, 4},  /* 65504 + 32: infinity */
        {"F16x2.RN", 0x7bff03ff, 0x49000001, 0x7bff0400, 4},  /* 65504 + 10; a normal results */
        {"BF16x2.RN", 0x3f803f81, 0x3b803b80, 0x3f803f82, 4}, /* 1 + 2^-8: ties to even */
    };
    for (uint32_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct memory_fixture *f = fixture_new(90, false, 4);
        char text[96];
        memcpy(f->data[1], &cases[c].old, cases[c].bytes);
        set_pair(f, 2, 6, SECOND_BUFFER);
        set_pair(f, 8, 6, cases[c].b);
        snprintf(text, sizeof text, "REDG.E.ADD.%s.STRONG.GPU desc[UR4][R2.64], R8", cases[c].type);
        run_ok(f, text, 1u << 6);
        uint64_t sum = 0;
        memcpy(&sum, f->data[1], cases[c].bytes);
        if (sum != cases[c].sum)
            fail_msg("case %u: 0x%llx", c, (unsigned long long)sum);
        fixture_free(f);
    }
}

/* All halves: the sum is the nearest half to the exact sum. */
static void half_sums_are_the_nearest_half(void **state)
{
    (void)state;
    uint64_t seed = test_seed(5);
    struct memory_fixture *f = fixture_new(90, false, 5);
    set_pair(f, 2, 0, SECOND_BUFFER);
    for (uint32_t round = 0; round < 20000; round++) {
        double value[3];
        uint32_t bits[3] = {(uint32_t)test_random(&seed) & 0xffff,
                            (uint32_t)test_random(&seed) & 0xffff, 0};
        if ((bits[0] & 0x7c00) == 0x7c00 || (bits[1] & 0x7c00) == 0x7c00)
            continue;
        if (round % 2) /* exponents close to each other */
            bits[1] = (bits[1] & 0x83ff) | (bits[0] & 0x7c00);
        memcpy(f->data[1], &bits[0], 4);
        f->w->r[8][0] = bits[1];
        run_ok(f, "REDG.E.ADD.F16x2.RN.STRONG.GPU desc[UR4][R2.64], R8", 1);
        bits[2] = word_of(f->data[1]);
        for (uint32_t k = 0; k < 3; k++) {
            int e = (int)(bits[k] >> 10 & 31);
            double m = (double)(bits[k] & 1023);
            value[k] = (e ? ldexp(1024 + m, e - 25) : ldexp(m, -24)) * (bits[k] & 0x8000 ? -1 : 1);
        }
        double exact = value[0] + value[1], miss = fabs(value[2] - exact);
        if ((bits[2] & 0x7c00) == 0x7c00) {
            assert_true(fabs(exact) >= 65520);
            continue;
        }
        int e = (int)(bits[2] >> 10 & 31);
        double half_place = ldexp(0.5, (e ? e : 1) - 25);
        assert_true(miss <= half_place);
        assert_true(miss < half_place || !(bits[2] & 1));
    }
    fixture_free(f);
}

static void predicated_generic_atomics_say_whether_the_place_was_global(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(90, false, 6);
    fill_shared(f);
    uint32_t shared = word_of(&f->cta.shared[0x500]);
    const uint32_t one = 0x3f800000;
    memcpy(f->data[0], &one, 4);
    set_pair(f, 2, 0, FIRST_BUFFER);
    set_pair(f, 2, 1, EMU_SHARED_WINDOW + 0x500);
    set_pair(f, 2, 2, EMU_LOCAL_WINDOW);
    for (uint32_t i = 0; i < 3; i++)
        f->w->r[8][i] = one;
    uint32_t before = f->w->r[9][1];
    run_ok(f, "ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU P0, R9, desc[UR4][R2.64], R8", 7);
    assert_int_equal(f->w->p[0] & 7, 1);
    assert_int_equal(word_of(f->data[0]), 0x40000000);
    assert_int_equal(f->w->r[9][0], one);
    assert_int_equal(f->w->r[9][1], before);
    assert_int_equal(word_of(&f->cta.shared[0x500]), shared);
    run_ok(f, "ATOM.E.ADD.STRONG.GPU PT, R9, desc[UR4][R2.64], R8", 3);
    assert_int_equal(word_of(&f->cta.shared[0x500]), shared + one);
    assert_int_equal(f->w->r[9][1], shared);
    run_fault(f, "ATOM.E.ADD.STRONG.GPU PT, R9, desc[UR4][R2.64], R8", 7, 2, "local memory");
    fixture_free(f);
}

static void bad_places_are_faults(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(80, false, 7);
    set_pair(f, 2, 0, FIRST_BUFFER + BUFFER_BYTES);
    run_fault(f, "RED.E.ADD.STRONG.GPU [R2.64], R8", 1, 0, "4 bytes past its end");
    set_pair(f, 2, 0, FIRST_BUFFER + 4);
    run_fault(f, "RED.E.ADD.64.STRONG.GPU [R2.64], R8", 1, 0, "misaligned");
    expect_decode_error("RED.E.ADD.F32x2.RN.STRONG.GPU [R2.64], R8", 90, "semantics");
    expect_decode_error("RED.E.MAX.F16x2.RN.STRONG.GPU [R2.64], R8", 90, "on this type");
    expect_decode_error("ATOMS.CAS R4, [R2], R8", 80, "expected 2 operands");
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_number_atomics_act_lane_by_lane),
        cmocka_unit_test(compare_and_swap_gives_the_old_value_or_success),
        cmocka_unit_test(population_increments_add_one_a_lane),
        cmocka_unit_test(float_atomics_add_with_one_rounding),
        cmocka_unit_test(half_sums_are_the_nearest_half),
        cmocka_unit_test(predicated_generic_atomics_say_whether_the_place_was_global),
        cmocka_unit_test(bad_places_are_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

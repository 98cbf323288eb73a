/* Matrix instructions: fragments as PTX documents them, exact arithmetic, and samples of an H200.
 */
#include "float_reference.h"
#include "hmma_samples.h"

#define A 8 /* registers of A, B, C, D in these tests */
#define B 24
#define C 32
#define D 48

struct matrix {
    uint64_t a[16][256], b[256][8], c[16][8], d[16][8];
};

/* Element e of register i of a lane, with `packed` elements a register and M = m. */
static void place_a(uint32_t m, uint32_t packed, uint32_t lane, uint32_t i, uint32_t e,
                    uint32_t *row, uint32_t *k)
{
    uint32_t rows = m / 8;
    *row = lane / 4 + 8 * (i % rows);
    *k = lane % 4 * packed + e + 4 * packed * (i / rows);
}

static uint64_t field(uint32_t word, uint32_t bits, uint32_t e)
{
    return bits == 32 ? word : word >> bits * e & ((1u << bits) - 1);
}

/* Reads A and B from the warp by the documented layout; elements of `bits` bits. */
static void read_factors(struct matrix *x, const struct emu_warp *w, uint32_t m, uint32_t n_k,
                         uint32_t bits)
{
    uint32_t packed = 32 / bits, steps = n_k / (4 * packed);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        for (uint32_t e = 0; e < packed; e++) {
            uint32_t row, k;
            for (uint32_t i = 0; i < steps * m / 8; i++) {
                place_a(m, packed, lane, i, e, &row, &k);
                x->a[row][k] = field(w->r[A + i][lane], bits, e);
            }
            for (uint32_t i = 0; i < steps; i++)
                x->b[lane % 4 * packed + e + 4 * packed * i][lane / 4] =
                    field(w->r[B + i][lane], bits, e);
        }
}

/* C or D with 32-bit elements, or pairs of 16-bit ones. */
static void read_result(uint64_t x[16][8], const struct emu_warp *w, uint32_t base, uint32_t m,
                        bool half)
{
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        for (uint32_t i = 0; i < m / 4; i++) {
            uint32_t row = lane / 4 + 8 * (i / 2), col = lane % 4 * 2 + i % 2;
            x[row][col] = half ? field(w->r[base + i / 2][lane], 16, i % 2) : w->r[base + i][lane];
        }
}

/* A term as the tensor core sees it: aligned to exponent `top`, cut to 25 fraction bits. */
static int64_t aligned(struct ref r, int top)
{
    int shift = r.e - (top - 25);
    wide_int m = shift >= 0 ? r.m << shift : shift < -100 ? 0 : r.m >> -shift;
    return r.negative ? -(int64_t)m : (int64_t)m;
}

/* The value (-1)^s m * 2^e of one output and whether infinities or NaN take part. */
static struct ref expected_dot(const struct matrix *x, uint32_t row, uint32_t col, uint32_t n_k,
                               struct ref_format f, struct ref_format fc)
{
    struct ref terms[17], sum = ref_of(fc, x->c[row][col]);
    int exponents[17], top = -100000;
    bool special = sum.nan || sum.infinite;
    terms[0] = sum;
    exponents[0] = sum.e + fc.fraction_bits;
    for (uint32_t k = 0; k < n_k; k++) {
        struct ref p = ref_of(f, x->a[row][k]), q = ref_of(f, x->b[k][col]);
        terms[k + 1] = ref_mul(p, q);
        exponents[k + 1] = p.e + q.e + 2 * f.fraction_bits;
        special |= p.nan || q.nan || p.infinite || q.infinite;
    }
    if (special) {
        for (uint32_t k = 1; k <= n_k; k++) {
            if (!terms[k].infinite && !terms[k].nan)
                terms[k].m = 0;
            sum = ref_add(sum, terms[k], REF_RN);
        }
        return sum;
    }
    for (uint32_t k = 0; k <= n_k; k++)
        if (terms[k].m && exponents[k] > top)
            top = exponents[k];
    int64_t total = 0;
    for (uint32_t k = 0; k <= n_k; k++)
        total += terms[k].m ? aligned(terms[k], top) : 0;
    return (struct ref){
        .negative = total < 0, .m = (wide_int)(total < 0 ? -total : total), .e = top - 25};
}

struct shape {
    const char *name;
    uint32_t k;
    struct ref_format f;
    bool half; /* FP16 accumulator */
};

static void check_hmma(const struct shape *s, struct emu_warp *w)
{
    static struct matrix x;
    char text[80];
    bool tiny, tf32 = s->f.exponent_bits == 8 && s->f.fraction_bits == 10;
    snprintf(text, sizeof text, "HMMA.%s R%d, R%d, R%d, R%d", s->name, D, A, B, C);
    test_run(w, text, 90, ~0u);
    read_factors(&x, w, 16, s->k, tf32 ? 32 : 16);
    for (uint32_t k = 0; tf32 && k < s->k; k++) {
        for (uint32_t row = 0; row < 16; row++)
            x.a[row][k] >>= 13;
        for (uint32_t col = 0; col < 8; col++)
            x.b[k][col] >>= 13;
    }
    read_result(x.c, w, C, 16, s->half);
    read_result(x.d, w, D, 16, s->half);
    struct ref_format fc = s->half ? REF_F16 : REF_F32;
    for (uint32_t row = 0; row < 16; row++)
        for (uint32_t col = 0; col < 8; col++) {
            struct ref r = expected_dot(&x, row, col, s->k, s->f, fc);
            uint64_t want = ref_round(fc, r, s->half ? REF_RN : REF_RZ, &tiny);
            if (!s->half && (want & 0x7fffffff) == 0x7f7fffff && ref_length(r.m) + r.e > 128)
                want++; /* overflow goes to infinity */
            if (x.d[row][col] != want)
                fail_msg("%s row %u column %u: %llx, expected %llx", text, row, col,
                         (unsigned long long)x.d[row][col], (unsigned long long)want);
        }
}

/* Values over a few octaves, so that terms cancel and are cut; `special` puts in all kinds. */
static uint64_t factor(struct ref_format f, uint32_t octaves, bool special, uint64_t *state)
{
    uint64_t x = test_random(state), fraction = (UINT64_C(1) << f.fraction_bits) - 1;
    if (special)
        return ref_random(f, state);
    if ((x & 0xf000) == 0)
        return 0;
    uint64_t exponent = (uint64_t)ref_bias(f) - octaves / 2 + (x >> 40) % (octaves + 1);
    return (x & fraction) | exponent << f.fraction_bits |
           (x >> 63) << (f.fraction_bits + f.exponent_bits);
}

static void sums_are_aligned_cut_and_truncated(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    static const struct shape shapes[] = {
        {"16816.F32", 16, {5, 10}, false},     {"1688.F32", 8, {5, 10}, false},
        {"16816.F16", 16, {5, 10}, true},      {"1688.F16", 8, {5, 10}, true},
        {"16816.F32.BF16", 16, {8, 7}, false}, {"1688.F32.BF16", 8, {8, 7}, false},
        {"1688.F32.TF32", 8, {8, 10}, false},  {"1684.F32.TF32", 4, {8, 10}, false}};
    uint64_t state = test_seed(0x5eed40);
    for (uint32_t n = 0; n < 8 * 24; n++) {
        const struct shape *s = &shapes[n % 8];
        uint32_t octaves = n / 8 % 12;
        bool special = n / 8 % 4 == 3;
        test_warp_random(&w, &state);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            for (uint32_t r = 0; r < 8; r++) {
                uint64_t v = factor(s->f, octaves, special, &state);
                v = s->f.fraction_bits == 10 && s->f.exponent_bits == 8
                        ? v << 13 | (test_random(&state) & 0x1fff) /* not looked at */
                        : v | factor(s->f, octaves, special, &state) << 16;
                w.r[r < 4 ? A + r : B + r - 4][i] = (uint32_t)v;
            }
            for (uint32_t r = 0; r < 4; r++)
                w.r[C + r][i] =
                    (uint32_t)(s->half ? factor(REF_F16, octaves, special, &state) |
                                             factor(REF_F16, octaves, special, &state) << 16
                                       : factor(REF_F32, 2 * octaves, special, &state));
        }
        check_hmma(s, &w);
    }
}

static void load_sample(struct emu_warp *w, const uint32_t *sample, uint32_t base, uint32_t count)
{
    for (uint32_t i = 0; i < WARP_LANES; i++)
        for (uint32_t r = 0; r < count; r++)
            w->r[base + r][i] = sample[i * count + r];
}

static void check_sample(const char *text, const uint32_t *sample, uint32_t accumulators)
{
    static struct emu_warp w;
    test_warp_clear(&w);
    load_sample(&w, sample, A, 4);
    load_sample(&w, sample + 128, B, 2);
    load_sample(&w, sample + 192, C, accumulators);
    test_run(&w, text, 90, ~0u);
    sample += 192 + 32 * accumulators;
    for (uint32_t i = 0; i < WARP_LANES * accumulators; i++)
        if (w.r[D + i % accumulators][i / accumulators] != sample[i])
            fail_msg("%s: lane %u, register %u: %08x, expected %08x", text, i / accumulators,
                     i % accumulators, w.r[D + i % accumulators][i / accumulators], sample[i]);
}

static void samples_of_the_hardware_agree(void **unused)
{
    (void)unused;
    check_sample("HMMA.16816.F32 R48, R8, R24, R32", hmma_16816_f32, 4);
    check_sample("HMMA.16816.F32.BF16 R48, R8, R24, R32", hmma_16816_f32_bf16, 4);
    check_sample("HMMA.16816.F16 R48, R8, R24, R32", hmma_16816_f16, 2);
}

static void fill(struct emu_warp *w, uint64_t *state)
{
    test_warp_random(w, state);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        for (uint32_t r = 0; r < 8; r++)
            w->r[C + r][i] = (uint32_t)((int32_t)test_random(state) >> (r % 3 * 8));
}

static int64_t integer(uint64_t v, uint32_t bits, bool is_signed)
{
    return is_signed && v >> (bits - 1) ? (int64_t)v - (1 << bits) : (int64_t)v;
}

static void integer_products_are_exact_or_saturate(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    static struct matrix x;
    static const struct {
        const char *name;
        uint32_t m, k, bits;
    } shapes[] = {{"16832", 16, 32, 8}, {"16816", 16, 16, 8}, {"8816", 8, 16, 8},
                  {"16864", 16, 64, 4}, {"16832", 16, 32, 4}, {"8832", 8, 32, 4}};
    uint64_t state = test_seed(0x5eed41);
    for (uint32_t n = 0; n < 6 * 8 * 3; n++) {
        uint32_t s = n % 6, bits = shapes[s].bits;
        bool as = n / 6 & 1, bs = n / 12 & 1, sat = n / 24 & 1;
        char text[80];
        fill(&w, &state);
        snprintf(text, sizeof text, "IMMA.%s.%c%u.%c%u%s R%d, R%d.ROW, R%d.COL, R%d",
                 shapes[s].name, as ? 'S' : 'U', bits, bs ? 'S' : 'U', bits, sat ? ".SAT" : "", D,
                 A, B, C);
        test_run(&w, text, 90, ~0u);
        read_factors(&x, &w, shapes[s].m, shapes[s].k, bits);
        read_result(x.c, &w, C, shapes[s].m, false);
        read_result(x.d, &w, D, shapes[s].m, false);
        for (uint32_t row = 0; row < shapes[s].m; row++)
            for (uint32_t col = 0; col < 8; col++) {
                int64_t sum = (int32_t)x.c[row][col];
                for (uint32_t k = 0; k < shapes[s].k; k++)
                    sum += integer(x.a[row][k], bits, as) * integer(x.b[k][col], bits, bs);
                if (sat)
                    sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
                if (x.d[row][col] != (uint32_t)sum)
                    fail_msg("%s row %u column %u", text, row, col);
            }
    }
}

static void bit_products_count(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    static struct matrix x;
    static const struct {
        const char *name;
        uint32_t m, k;
    } shapes[] = {{"168256", 16, 256}, {"168128", 16, 128}, {"88128", 8, 128}};
    uint64_t state = test_seed(0x5eed42);
    for (uint32_t n = 0; n < 12; n++) {
        bool differ = n & 1;
        uint32_t s = n / 2 % 3;
        char text[80];
        fill(&w, &state);
        snprintf(text, sizeof text, "BMMA.%s.%s.POPC R%d, R%d.ROW, R%d.COL, R%d", shapes[s].name,
                 differ ? "XOR" : "AND", D, A, B, C);
        test_run(&w, text, 80, ~0u);
        read_factors(&x, &w, shapes[s].m, shapes[s].k, 1);
        read_result(x.c, &w, C, shapes[s].m, false);
        read_result(x.d, &w, D, shapes[s].m, false);
        for (uint32_t row = 0; row < shapes[s].m; row++)
            for (uint32_t col = 0; col < 8; col++) {
                uint32_t sum = (uint32_t)x.c[row][col];
                for (uint32_t k = 0; k < shapes[s].k; k++)
                    sum +=
                        (uint32_t)(differ ? x.a[row][k] ^ x.b[k][col] : x.a[row][k] & x.b[k][col]);
                assert_int_equal(x.d[row][col], sum);
            }
    }
}

static void put(struct emu_warp *w, uint32_t r, uint32_t lane, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    w->r[r][lane] = (uint32_t)bits;
    w->r[r + 1][lane] = (uint32_t)(bits >> 32);
}

/* Each step of K is a fused multiply-add, in ascending order. */
static void fp64_products_accumulate_in_order(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    static const struct {
        const char *name;
        uint32_t m, k;
    } shapes[] = {{"8x8x4", 8, 4}, {"16x8x4", 16, 4}, {"16x8x8", 16, 8}, {"16x8x16", 16, 16}};
    uint64_t state = test_seed(0x5eed43);
    for (uint32_t n = 0; n < 16; n++) {
        uint32_t m = shapes[n % 4].m, n_k = shapes[n % 4].k;
        static double a[16][16], b[16][8], c[16][8];
        char text[80];
        test_warp_clear(&w);
        /* A needs 32 registers here. */
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            for (uint32_t i = 0; i < m / 8 * n_k / 4; i++) {
                uint32_t row, k;
                place_a(m, 1, lane, i, 0, &row, &k);
                a[row][k] = (double)(int64_t)test_random(&state) * 0x1p-60;
                put(&w, 100 + 2 * i, lane, a[row][k]);
            }
            for (uint32_t i = 0; i < n_k / 4; i++) {
                uint32_t k = lane % 4 + 4 * i;
                b[k][lane / 4] = (double)(int64_t)test_random(&state) * 0x1p-61;
                put(&w, 140 + 2 * i, lane, b[k][lane / 4]);
            }
            for (uint32_t i = 0; i < m / 4; i++) {
                uint32_t row = lane / 4 + 8 * (i / 2), col = lane % 4 * 2 + i % 2;
                c[row][col] = (double)(int64_t)test_random(&state) * 0x1p-62;
                put(&w, 160 + 2 * i, lane, c[row][col]);
            }
        }
        snprintf(text, sizeof text, "DMMA.%s R180, R100, R140, R160", shapes[n % 4].name);
        test_run(&w, text, 90, ~0u);
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            for (uint32_t i = 0; i < m / 4; i++) {
                uint32_t row = lane / 4 + 8 * (i / 2), col = lane % 4 * 2 + i % 2;
                uint64_t v[3], sum;
                memcpy(&sum, &c[row][col], sizeof sum);
                for (uint32_t k = 0; k < n_k; k++) {
                    memcpy(&v[0], &a[row][k], sizeof v[0]);
                    memcpy(&v[1], &b[k][col], sizeof v[1]);
                    v[2] = sum;
                    sum = ref_compute(REF_F64, REF_F64, REF_FMA, v, REF_RN, false, false);
                }
                uint32_t r = 180 + 2 * i;
                assert_true(((uint64_t)w.r[r + 1][lane] << 32 | w.r[r][lane]) == sum);
            }
    }
}

static void a_tile_is_transposed(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    test_warp_clear(&w);
    for (uint32_t row = 0; row < 8; row++)
        for (uint32_t col = 0; col < 8; col++)
            w.r[2][row * 4 + col / 2] |= (row * 16 + col + 1) << (col & 1) * 16;
    test_run(&w, "MOVM.16.MT88 R3, R2", 90, ~0u);
    for (uint32_t row = 0; row < 8; row++)
        for (uint32_t col = 0; col < 8; col++)
            assert_int_equal(w.r[3][row * 4 + col / 2] >> (col & 1) * 16 & 0xffff,
                             col * 16 + row + 1);
}

static void zero_matrices_and_bad_groups(void **unused)
{
    (void)unused;
    static struct emu_warp w;
    test_warp_clear(&w);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        w.r[A][i] = w.r[B][i] = 0x3c003c00;
    test_run(&w, "HMMA.1688.F32 R48, R8, R24, RZ", 75, ~0u);
    assert_int_equal(w.r[D][0], 0x41000000); /* 8 */
    assert_int_equal(w.r[D + 2][0], 0);
    static const char *const texts[] = {
        "HMMA.16816.F32 R252, R8, R24, R32",         "HMMA.16816.F32 R48, R253, R24, R32",
        "HMMA.16816.BF16 R48, R8, R24, R32",         "HMMA.16864.F32 R48, R8, R24, R32",
        "HMMA.1684.F32 R48, R8, R24, R32",           "IMMA.16832.S8 R48, R8.ROW, R24.COL, R32",
        "IMMA.8816.S4.S4 R48, R8.ROW, R24.COL, R32", "MOVM.16.M832 R1, R2"};
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
        cmocka_unit_test(sums_are_aligned_cut_and_truncated),
        cmocka_unit_test(samples_of_the_hardware_agree),
        cmocka_unit_test(integer_products_are_exact_or_saturate),
        cmocka_unit_test(bit_products_count),
        cmocka_unit_test(fp64_products_accumulate_in_order),
        cmocka_unit_test(a_tile_is_transposed),
        cmocka_unit_test(zero_matrices_and_bad_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

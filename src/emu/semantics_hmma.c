/* HMMA: products of FP16, BF16 or TF32, accumulated in FP32 or FP16.
 *
 * Measured on an H200: the products of one output and C are aligned to the largest exponent among
 * them (a product's is the sum of its factors' exponents, not normalised), each truncated toward
 * zero to 25 fraction bits, and added exactly. FP32 results are truncated, FP16 results rounded to
 * nearest. */
#include "emu/hot.h"
#include "emu/matrix.h"
#include "emu/semantics.h"

#define FRACTION 25
#define ROWS 16
#define MAX_K 16
#define LINE (MAX_K * MATRIX_N) /* products of a row of D */
#define ABSENT (-20000)         /* exponent of zeros: below that of any term */

/* param[] */
enum { TYPE, K, HALF };
enum type { TYPE_F16, TYPE_BF16, TYPE_TF32 };

static const struct float_format *const formats[] = {&float_f16, &float_bf16, &float_tf32};

/* significand * 2^(exponent - bits of the fraction) of many elements. */
struct elements {
    uint32_t bits[ROWS * MAX_K];
    int32_t significand[ROWS * MAX_K], exponent[ROWS * MAX_K];
};

/* Splits `count` elements; true when infinities or NaN are among them. */
EMU_HOT static bool split(struct elements *x, uint32_t count, const struct float_format *f)
{
    const uint32_t fraction = f->fraction, infinity = (uint32_t)f->infinity;
    const uint32_t below = (1u << fraction) - 1, sign = (uint32_t)f->sign;
    const int32_t least = f->least;
    uint32_t special = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t magnitude = x->bits[i] & (sign - 1), field = magnitude >> fraction;
        uint32_t normal = field != 0, negative = (x->bits[i] & sign) != 0;
        uint32_t significand = (magnitude & below) | normal << fraction;
        special |= magnitude >= infinity;
        x->significand[i] = (int32_t)((significand ^ (0u - negative)) + negative);
        x->exponent[i] = magnitude ? least + (int32_t)(field - normal) : ABSENT;
    }
    return special;
}

/* Bits of the elements of A, row by row, and of B, K by K; zeros behind K. */
static void read_factors(const struct emu_warp *w, const struct emu_op *op, struct elements *a,
                         struct elements *b)
{
    bool tf32 = op->param[TYPE] == TYPE_TF32;
    uint32_t packed = tf32 ? 1 : 2, steps = op->param[K] / (4 * packed);
    memset(a->bits, 0, sizeof a->bits);
    memset(b->bits, 0, sizeof b->bits);
    for (uint32_t i = 0; i < 3 * steps; i++) { /* registers of A, then of B */
        bool is_a = i < 2 * steps;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            uint32_t step = is_a ? i / 2 : i - 2 * steps, k = (step * 4 + lane % 4) * packed;
            uint32_t word = is_a ? matrix_word(w, &op->source[0], i, lane)
                                 : matrix_word(w, &op->source[1], step, lane);
            uint32_t *to = is_a ? &a->bits[(lane / 4 + i % 2 * 8) * MAX_K + k]
                                : &b->bits[k * MATRIX_N + lane / 4];
            to[0] = tf32 ? word >> 13 : word & 0xffff;
            if (!tf32)
                to[is_a ? 1 : MATRIX_N] = word >> 16;
        }
    }
}

/* The products of one row: sums in units of 2^(top - FRACTION). *top comes with the exponents of C.
 * Each product is shifted left by `up` to FRACTION bits and cut below those of the largest; 16
 * products of 11-bit factors stay below 2^31. Long loops, so that they become vectors. */
EMU_HOT static void dot_row(const int32_t *significand, const int32_t *exponent,
                            const struct elements *b, uint32_t up, int32_t *top, int32_t *sum)
{
    int32_t product[LINE], e[LINE], most[LINE], term[LINE];
    for (uint32_t k = 0; k < MAX_K; k++) {
        for (uint32_t col = 0; col < MATRIX_N; col++) {
            product[k * MATRIX_N + col] = significand[k];
            e[k * MATRIX_N + col] = exponent[k];
        }
    }
    for (uint32_t i = 0; i < LINE; i++) {
        product[i] *= b->significand[i];
        e[i] += b->exponent[i];
        most[i] = e[i];
    }
    for (uint32_t n = LINE / 2; n >= MATRIX_N; n /= 2)
        for (uint32_t i = 0; i < n; i++)
            most[i] = most[i] > most[i + n] ? most[i] : most[i + n];
    for (uint32_t col = 0; col < MATRIX_N; col++)
        top[col] = most[col] > top[col] ? most[col] : top[col];
    for (uint32_t i = 0; i < LINE; i++)
        most[i] = top[i % MATRIX_N];
    for (uint32_t i = 0; i < LINE; i++) {
        int32_t below = most[i] - e[i];
        uint32_t negative = (uint32_t)product[i] >> 31, flip = 0u - negative;
        uint32_t magnitude = (((uint32_t)product[i] ^ flip) + negative) << up;
        magnitude = magnitude >> (below < 31 ? below : 31);
        term[i] = (int32_t)((magnitude ^ flip) + negative);
    }
    for (uint32_t n = LINE / 2; n >= MATRIX_N; n /= 2)
        for (uint32_t i = 0; i < n; i++)
            term[i] += term[i + n];
    memcpy(sum, term, MATRIX_N * sizeof *sum);
}

/* C, cut like the products, is added to their sum. */
static uint32_t output(const struct float_format *f, int32_t products, int32_t significand,
                       int32_t exponent, int32_t top)
{
    bool half = f == &float_f16;
    int32_t below = top - exponent;
    uint64_t addend = (uint64_t)(significand < 0 ? -significand : significand)
                      << (FRACTION - f->fraction);
    addend = below > 63 ? 0 : addend >> below;
    int64_t sum = products + (significand < 0 ? -(int64_t)addend : (int64_t)addend);
    uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
    uint32_t bits =
        (uint32_t)float_pack(f, sum < 0, magnitude, top - FRACTION, half ? FLOAT_RN : FLOAT_RZ);
    bool overflow = magnitude && 63 - __builtin_clzll(magnitude) + top - FRACTION > 127;
    return overflow ? (bits & (uint32_t)f->sign) | (uint32_t)f->infinity : bits;
}

/* Where infinities or NaN take part only their kind and signs matter; other numbers count as 1. */
static double kind_of(const struct float_format *f, uint32_t bits)
{
    uint32_t magnitude = bits & (uint32_t)(f->sign - 1);
    double infinity = float_of(FLOAT_INF);
    double value = magnitude > f->infinity    ? infinity - infinity
                   : magnitude == f->infinity ? infinity
                   : magnitude                ? 1
                                              : 0;
    return bits & f->sign ? -value : value;
}

/* Result of an output with infinities or NaN among its operands; false when it has none. */
static bool special_output(const struct emu_op *op, const uint32_t *a, const uint32_t *b,
                           uint32_t c_bits, uint32_t *out)
{
    const struct float_format *f = formats[op->param[TYPE]];
    const struct float_format *fc = op->param[HALF] ? &float_f16 : &float_f32;
    double sum = kind_of(fc, c_bits);
    bool special = (c_bits & (fc->sign - 1)) >= fc->infinity;
    for (uint32_t k = 0; k < MAX_K; k++) {
        sum += kind_of(f, a[k]) * kind_of(f, b[k * MATRIX_N]);
        special |= (a[k] & (f->sign - 1)) >= f->infinity;
        special |= (b[k * MATRIX_N] & (f->sign - 1)) >= f->infinity;
    }
    if (special)
        *out = (uint32_t)float_pack_sum(fc, sum, 0, FLOAT_RN);
    return special;
}

/* C or D: element (row, col) is bits[row * MATRIX_N + col]. */
static void read_c(const struct emu_warp *w, const struct emu_op *op, struct elements *c)
{
    bool half = op->param[HALF];
    for (uint32_t i = 0; i < ROWS * MATRIX_N; i++) {
        struct matrix_place at = matrix_c(i / MATRIX_N, i % MATRIX_N);
        uint32_t word = matrix_word(w, &op->source[2], half ? at.reg / 2 : at.reg, at.lane);
        c->bits[i] = !half ? word : i & 1 ? word >> 16 : word & 0xffff;
    }
}

static void write_d(struct emu_warp *w, const struct emu_op *op, const uint32_t *d, uint32_t mask)
{
    emu_lanes out[4] = {{0}};
    bool half = op->param[HALF];
    for (uint32_t i = 0; i < ROWS * MATRIX_N; i++) {
        struct matrix_place at = matrix_c(i / MATRIX_N, i % MATRIX_N);
        out[half ? at.reg / 2 : at.reg][at.lane] |= d[i] << (half && i & 1 ? 16 : 0);
    }
    for (uint32_t i = 0; i < (half ? 2u : 4u); i++)
        float_store(w, op->dest + i, out[i], mask);
}

static void run_hmma(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    const struct float_format *f = formats[op->param[TYPE]];
    const struct float_format *fc = op->param[HALF] ? &float_f16 : &float_f32;
    struct elements a, b, c;
    uint32_t d[ROWS * MATRIX_N];
    read_factors(w, op, &a, &b);
    read_c(w, op, &c);
    bool special = split(&a, ROWS * MAX_K, f);
    special |= split(&b, LINE, f);
    special |= split(&c, ROWS * MATRIX_N, fc);
    for (uint32_t row = 0; row < ROWS; row++) {
        int32_t top[MATRIX_N], sum[MATRIX_N];
        memcpy(top, &c.exponent[row * MATRIX_N], sizeof top);
        dot_row(&a.significand[row * MAX_K], &a.exponent[row * MAX_K], &b,
                FRACTION - 2 * f->fraction, top, sum);
        for (uint32_t col = 0; col < MATRIX_N; col++) {
            uint32_t i = row * MATRIX_N + col;
            if (special && special_output(op, &a.bits[row * MAX_K], &b.bits[col], c.bits[i], &d[i]))
                continue;
            d[i] = output(fc, sum[col], c.significand[i], c.exponent[i], top[col]);
        }
    }
    write_d(w, op, d, mask);
}

bool emu_decode_hmma(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    static const struct matrix_shape shapes[] = {
        {"16816", 16, 16}, {"1688", 16, 8}, {"1684", 16, 4}, {NULL, 0, 0}};
    TRY(float_check_modifiers(d, "16816 1688 1684 F32 F16 BF16 TF32", err));
    const struct matrix_shape *shape = matrix_shape_of(d, shapes);
    if (!shape)
        return emu_decode_error(d, err, "expected a shape such as .16816");
    op->param[TYPE] = emu_has(d, "BF16") ? TYPE_BF16 : emu_has(d, "TF32") ? TYPE_TF32 : TYPE_F16;
    op->param[K] = shape->k;
    op->param[HALF] = !emu_has(d, "F32");
    if (op->param[HALF] && op->param[TYPE] != TYPE_F16)
        return emu_decode_error(d, err, "FP16 accumulators go with FP16 factors");
    uint32_t steps = shape->k / (4 * (op->param[TYPE] == TYPE_TF32 ? 1u : 2u));
    uint32_t accumulators = op->param[HALF] ? 2 : 4;
    TRY(matrix_decode(op, d, (uint32_t[]){accumulators, 2 * steps, steps, accumulators}, err));
    op->run = run_hmma;
    return steps > 0 || emu_decode_error(d, err, "expected a shape with a larger K");
}

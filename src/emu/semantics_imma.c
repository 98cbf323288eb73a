/* Exact matrix products, IMMA, BMMA and DMMA, and the transposition MOVM. */
#include "emu/hot.h"
#include "emu/matrix.h"
#include "emu/semantics.h"
#include "isa/modifier.h"

/* param[] */
enum { M, K, TYPES, FLAGS };
#define TYPE_BITS 0x0fu /* bits of an element: 8, 4 or 1 */
#define A_SIGNED 0x10u
#define B_SIGNED 0x20u
#define FLAG_SAT 1u
#define FLAG_XOR 2u /* BMMA: differing bits count; else common ones */

#define MAX_K 64

static int32_t element(uint32_t word, uint32_t k, uint32_t bits, bool is_signed)
{
    uint32_t v = word >> k % (32 / bits) * bits & ((1u << bits) - 1);
    return is_signed && v >> (bits - 1) ? (int32_t)v - (1 << bits) : (int32_t)v;
}

/* Rows of A or columns of B; zeros behind K. */
static void read_vectors(const struct emu_warp *w, const struct emu_op *op, bool is_a,
                         int32_t (*v)[MAX_K])
{
    uint32_t types = op->param[TYPES], bits = types & TYPE_BITS, packed = 32 / bits;
    bool is_signed = types & (is_a ? A_SIGNED : B_SIGNED);
    for (uint32_t r = 0; r < (is_a ? op->param[M] : MATRIX_N); r++) {
        memset(v[r], 0, sizeof v[r]);
        for (uint32_t k = 0; k < op->param[K]; k += packed) {
            uint32_t word = is_a ? matrix_a(w, &op->source[0], op->param[M], packed, r, k)
                                 : matrix_b(w, &op->source[1], packed, r, k);
            for (uint32_t i = 0; i < packed; i++)
                v[r][k + i] = element(word, i, bits, is_signed);
        }
    }
}

/* At most 64 products of 16 bits. */
EMU_HOT static int32_t dot(const int32_t *a, const int32_t *b)
{
    int32_t sum = 0;
    for (uint32_t k = 0; k < MAX_K; k++)
        sum += a[k] * b[k];
    return sum;
}

/* BMMA: bits that both have, or that differ. */
static int32_t count(const struct emu_warp *w, const struct emu_op *op, uint32_t row, uint32_t col)
{
    int32_t sum = 0;
    for (uint32_t k = 0; k < op->param[K]; k += 32) {
        uint32_t a = matrix_a(w, &op->source[0], op->param[M], 32, row, k);
        uint32_t b = matrix_b(w, &op->source[1], 32, col, k);
        sum += __builtin_popcount(op->param[FLAGS] & FLAG_XOR ? a ^ b : a & b);
    }
    return sum;
}

static void run_imma(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes out[4];
    int32_t a[16][MAX_K], b[MATRIX_N][MAX_K];
    bool bits = (op->param[TYPES] & TYPE_BITS) == 1;
    if (!bits) {
        read_vectors(w, op, true, a);
        read_vectors(w, op, false, b);
    }
    for (uint32_t row = 0; row < op->param[M]; row++) {
        for (uint32_t col = 0; col < MATRIX_N; col++) {
            struct matrix_place at = matrix_c(row, col);
            int64_t sum = bits ? count(w, op, row, col) : dot(a[row], b[col]);
            sum += (int32_t)matrix_word(w, &op->source[2], at.reg, at.lane);
            if (op->param[FLAGS] & FLAG_SAT)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            out[at.reg][at.lane] = (uint32_t)sum;
        }
    }
    for (uint32_t i = 0; i < op->param[M] / 4; i++)
        float_store(w, op->dest + i, out[i], mask);
}

static bool decode(struct emu_op *op, const struct emu_decode *d, const struct matrix_shape *shapes,
                   struct sim_err *err)
{
    const struct matrix_shape *shape = matrix_shape_of(d, shapes);
    uint32_t step = 4 * 32 / (op->param[TYPES] & TYPE_BITS); /* K of one register */
    if (!shape || shape->k % step)
        return emu_decode_error(d, err, "expected a shape that fits the element types");
    op->param[M] = shape->m;
    op->param[K] = shape->k;
    uint32_t steps = shape->k / step, rows = shape->m / 8;
    op->run = run_imma;
    return matrix_decode(op, d, (uint32_t[]){2 * rows, rows * steps, steps, 2 * rows}, err);
}

bool emu_decode_imma(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    static const struct matrix_shape shapes[] = {{"16832", 16, 32}, {"16816", 16, 16},
                                                 {"8816", 8, 16},   {"16864", 16, 64},
                                                 {"8832", 8, 32},   {NULL, 0, 0}};
    TRY(float_check_modifiers(d, "16832 16816 8816 16864 8832 S8 U8 S4 U4 SAT", err));
    struct modifier m;
    uint32_t seen = 0, bits[2] = {0}, types = 0;
    for (const char *cursor = d->inst->opcode; modifier_next(&cursor, &m) && seen < 2;) {
        if (m.len != 2 || (m.text[0] != 'S' && m.text[0] != 'U'))
            continue;
        types |= m.text[0] == 'S' ? A_SIGNED << seen : 0;
        bits[seen++] = (uint32_t)(m.text[1] - '0');
    }
    if (seen < 2 || bits[0] != bits[1])
        return emu_decode_error(d, err, "expected two element types of one width");
    op->param[TYPES] = types | bits[0];
    op->param[FLAGS] = emu_has(d, "SAT") ? FLAG_SAT : 0;
    return decode(op, d, shapes, err);
}

bool emu_decode_bmma(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    static const struct matrix_shape shapes[] = {
        {"168256", 16, 256}, {"168128", 16, 128}, {"88128", 8, 128}, {NULL, 0, 0}};
    TRY(float_check_modifiers(d, "168256 168128 88128 XOR AND POPC", err));
    op->param[TYPES] = 1;
    op->param[FLAGS] = emu_has(d, "XOR") ? FLAG_XOR : 0;
    return decode(op, d, shapes, err);
}

/* FP64 pairs: register 2 * i of a group holds the low word. */
static double wide(const struct emu_warp *w, const struct emu_source *s, uint32_t i, uint32_t lane)
{
    uint32_t lo = matrix_word(w, s, 2 * i, lane), hi = matrix_word(w, s, 2 * i + 1, lane);
    return float_double_of((uint64_t)hi << 32 | lo);
}

/* A NaN passes through, made quiet: b before c before a. */
static double fma_wide(double a, double b, double c)
{
    double r = __builtin_fma(a, b, c);
    if (!(r != r))
        return r;
    double nan = b != b ? b : c != c ? c : a;
    uint64_t bits = nan != nan ? float_double_bits(nan) | 0x0008000000000000u : 0xfff8000000000000u;
    return float_double_of(bits);
}

static void run_dmma(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes out[8];
    uint32_t rows = op->param[M] / 8;
    for (uint32_t row = 0; row < op->param[M]; row++) {
        for (uint32_t col = 0; col < MATRIX_N; col++) {
            struct matrix_place at = matrix_c(row, col);
            double sum = wide(w, &op->source[2], at.reg, at.lane);
            for (uint32_t k = 0; k < op->param[K]; k++) {
                uint32_t lane = k & 3, i = k / 4 * rows + row / 8;
                double a = wide(w, &op->source[0], i, (row & 7) * 4 + lane);
                double b = wide(w, &op->source[1], k / 4, col * 4 + lane);
                sum = fma_wide(a, b, sum);
            }
            uint64_t bits = float_double_bits(sum);
            out[2 * at.reg][at.lane] = (uint32_t)bits;
            out[2 * at.reg + 1][at.lane] = (uint32_t)(bits >> 32);
        }
    }
    for (uint32_t i = 0; i < 4 * rows; i++)
        float_store(w, op->dest + i, out[i], mask);
}

bool emu_decode_dmma(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    static const struct matrix_shape shapes[] = {{"884", 8, 4},       {"8x8x4", 8, 4},
                                                 {"16x8x4", 16, 4},   {"16x8x8", 16, 8},
                                                 {"16x8x16", 16, 16}, {NULL, 0, 0}};
    TRY(float_check_modifiers(d, "884 8x8x4 16x8x4 16x8x8 16x8x16", err));
    const struct matrix_shape *shape = matrix_shape_of(d, shapes);
    if (!shape)
        return emu_decode_error(d, err, "expected a shape such as .8x8x4");
    op->param[M] = shape->m;
    op->param[K] = shape->k;
    uint32_t rows = shape->m / 8, steps = shape->k / 4;
    op->run = run_dmma;
    return matrix_decode(op, d, (uint32_t[]){4 * rows, 2 * rows * steps, 2 * steps, 4 * rows}, err);
}

/* Transposes an 8x8 matrix of halves whose row i is in lanes 4i to 4i + 3. */
static void run_movm(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes t, out;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], t);
    FLOAT_LANES(i)
    {
        uint32_t row = i / 4, col = i % 4 * 2, shift = (row & 1) * 16;
        uint32_t lo = a[col * 4 + row / 2] >> shift & 0xffff;
        uint32_t hi = a[(col + 1) * 4 + row / 2] >> shift & 0xffff;
        out[i] = lo | hi << 16;
    }
    float_store(w, op->dest, out, mask);
}

bool emu_decode_movm(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d, "16 MT88", err));
    TRY(float_decode_sources(op, d, 1, 32, err));
    op->run = run_movm;
    return emu_has(d, "MT88") || emu_decode_error(d, err, "expected .16.MT88");
}

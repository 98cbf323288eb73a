/* HMMA: products of FP16, BF16 or TF32, accumulated in FP32 or FP16.
 *
 * Measured on an H200: the products of one output and C are aligned to the largest exponent among
 * them (a product's is the sum of its factors' exponents, not normalised), each truncated toward
 * zero to 25 fraction bits, and added exactly. FP32 results are truncated, FP16 results rounded to
 * nearest. */
#include "emu/half.h"
#include "emu/matrix.h"
#include "emu/semantics.h"

#define FRACTION 25
#define MAX_K 16
#define NO_TERM INT32_MIN

/* param[] */
enum { TYPE, M, K, HALF };
enum type { TYPE_F16, TYPE_BF16, TYPE_TF32 };

/* significand * 2^(exponent - bits of the fraction); special: infinity or NaN. */
struct element {
    int32_t significand, exponent;
    bool special;
};

struct row {
    struct element e[MAX_K];
    bool special;
};

static struct element split(const struct float_format *f, uint32_t bits)
{
    uint32_t magnitude = bits & (uint32_t)(f->sign - 1), field = magnitude >> f->fraction;
    uint32_t fraction = magnitude & ((1u << f->fraction) - 1);
    int32_t significand = (int32_t)(field ? fraction | 1u << f->fraction : fraction);
    return (struct element){bits & f->sign ? -significand : significand,
                            f->least + (int32_t)(field ? field - 1 : 0), magnitude >= f->infinity};
}

static const struct float_format *const formats[] = {&float_f16, &float_bf16, &float_tf32};

static uint32_t packed_of(enum type type)
{
    return type == TYPE_TF32 ? 1 : 2;
}

/* Element k of a word that holds one or two. */
static uint32_t element_bits(enum type type, uint32_t word, uint32_t k)
{
    return type == TYPE_TF32 ? word >> 13 : k & 1 ? word >> 16 : word & 0xffff;
}

/* The 16 rows of A or 8 columns of B. */
static void read_rows(const struct emu_warp *w, const struct emu_op *op, bool is_a,
                      struct row *rows)
{
    enum type type = op->param[TYPE];
    uint32_t packed = packed_of(type);
    for (uint32_t r = 0; r < (is_a ? op->param[M] : MATRIX_N); r++) {
        rows[r].special = false;
        for (uint32_t k = 0; k < op->param[K]; k++) {
            uint32_t word = is_a ? matrix_a(w, &op->source[0], op->param[M], packed, r, k)
                                 : matrix_b(w, &op->source[1], packed, r, k);
            rows[r].e[k] = split(formats[type], element_bits(type, word, k));
            rows[r].special |= rows[r].e[k].special;
        }
    }
}

/* A term with `from` fraction bits as an integer with FRACTION of them below exponent `top`. */
static int64_t align(int64_t significand, uint32_t from, int32_t below)
{
    uint64_t magnitude = (uint64_t)(significand < 0 ? -significand : significand)
                         << (FRACTION - from);
    magnitude = below > 63 ? 0 : magnitude >> below;
    return significand < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* Sum of the products and C in units of 2^(*top - FRACTION). */
static int64_t dot(const struct row *a, const struct row *b, uint32_t count, uint32_t fraction,
                   struct element c, uint32_t c_fraction, int32_t *top)
{
    int32_t most = c.significand ? c.exponent : NO_TERM;
    for (uint32_t k = 0; k < count; k++) {
        int32_t e = a->e[k].exponent + b->e[k].exponent;
        if (a->e[k].significand && b->e[k].significand && e > most)
            most = e;
    }
    *top = most == NO_TERM ? 0 : most;
    int64_t sum = c.significand ? align(c.significand, c_fraction, *top - c.exponent) : 0;
    for (uint32_t k = 0; k < count; k++) {
        int64_t product = (int64_t)a->e[k].significand * b->e[k].significand;
        if (product)
            sum += align(product, 2 * fraction, *top - a->e[k].exponent - b->e[k].exponent);
    }
    return sum;
}

/* With an infinity or a NaN only their kind and signs matter. */
static double special_value(const struct element *e)
{
    if (!e->special)
        return e->significand > 0 ? 1 : e->significand < 0 ? -1 : 0;
    double infinity = float_of(FLOAT_INF);
    bool negative = e->significand < 0;
    uint32_t magnitude = (uint32_t)(negative ? -e->significand : e->significand);
    bool nan = magnitude & (magnitude - 1); /* the hidden bit alone is an infinity */
    return nan ? infinity - infinity : negative ? -infinity : infinity;
}

static double special_sum(const struct row *a, const struct row *b, uint32_t count,
                          struct element c)
{
    double sum = special_value(&c);
    for (uint32_t k = 0; k < count; k++)
        sum += special_value(&a->e[k]) * special_value(&b->e[k]);
    return sum;
}

static uint32_t output(const struct row *a, const struct row *b, const struct emu_op *op,
                       uint32_t c_bits)
{
    const struct float_format *f = op->param[HALF] ? &float_f16 : &float_f32;
    struct element c = split(f, c_bits);
    if (a->special || b->special || c.special)
        return (uint32_t)float_pack_sum(f, special_sum(a, b, op->param[K], c), 0, FLOAT_RN);
    int32_t top;
    int64_t sum = dot(a, b, op->param[K], formats[op->param[TYPE]]->fraction, c, f->fraction, &top);
    uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
    uint32_t bits = (uint32_t)float_pack(f, sum < 0, magnitude, top - FRACTION,
                                         op->param[HALF] ? FLOAT_RN : FLOAT_RZ);
    bool overflow = magnitude && 63 - __builtin_clzll(magnitude) + top - FRACTION > 127;
    return overflow ? (bits & (uint32_t)f->sign) | (uint32_t)f->infinity : bits;
}

static void run_hmma(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    struct row a[16], b[MATRIX_N];
    emu_lanes out[4] = {{0}};
    read_rows(w, op, true, a);
    read_rows(w, op, false, b);
    bool half = op->param[HALF];
    for (uint32_t row = 0; row < op->param[M]; row++) {
        for (uint32_t col = 0; col < MATRIX_N; col++) {
            struct matrix_place at = matrix_c(row, col);
            if (half)
                at.reg /= 2;
            uint32_t shift = half && col & 1 ? 16 : 0;
            uint32_t c = matrix_word(w, &op->source[2], at.reg, at.lane) >> shift;
            uint32_t v = output(&a[row], &b[col], op, half ? c & 0xffff : c);
            out[at.reg][at.lane] |= v << shift;
        }
    }
    for (uint32_t i = 0; i < (half ? 2u : 4u); i++)
        float_store(w, op->dest + i, out[i], mask);
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
    op->param[M] = shape->m;
    op->param[K] = shape->k;
    op->param[HALF] = !emu_has(d, "F32");
    if (op->param[HALF] && op->param[TYPE] != TYPE_F16)
        return emu_decode_error(d, err, "FP16 accumulators go with FP16 factors");
    uint32_t steps = shape->k / (4 * packed_of(op->param[TYPE]));
    uint32_t accumulators = op->param[HALF] ? 2 : 4;
    TRY(matrix_decode(op, d, (uint32_t[]){accumulators, 2 * steps, steps, accumulators}, err));
    op->run = run_hmma;
    return steps > 0 || emu_decode_error(d, err, "expected a shape with a larger K");
}

/* Packed half arithmetic: HADD2, HMUL2, HFMA2 on two FP16 or BF16 values a register. */
#include "emu/half.h"
#include "emu/hot.h"
#include "emu/semantics.h"

/* param[] */
enum { FLAGS, WIDE, WHAT };
#define FLAG_FTZ 1u
#define FLAG_SAT 2u
#define FLAG_RELU 4u
#define FLAG_BF16 8u
#define FLAG_F32 16u /* the result is one FP32 value, from the low halves */

#define HALF_TINY (0x1p-14f - 0x1p-26f)

enum arithmetic { ADD, MUL, FMA };

/* FTZ, SAT and RELU on bits whose 1.0 is `one` and whose infinity is `infinity`. SAT turns NaN into
 * 0, RELU keeps it; both turn -0 into 0. */
FLOAT_INLINE uint32_t finish(uint32_t half, uint32_t flags, uint32_t infinity, uint32_t one)
{
    bool nan = (half & 0x7fff) > infinity;
    if (flags & FLAG_FTZ)
        half = half & infinity ? half : half & HALF_SIGN;
    if (flags & (FLAG_SAT | FLAG_RELU))
        half = half & HALF_SIGN ? 0 : half;
    if (flags & FLAG_SAT)
        half = nan ? 0 : half > one ? one : half;
    return half;
}

FLOAT_INLINE float load(uint32_t word, struct half_source s, bool ftz)
{
    uint32_t half = half_take(word, s);
    return half_to_float(ftz ? half_flush(half) : half);
}

/* One half of all lanes: a * b + c; HADD2 has b = 1. */
FLOAT_INLINE void part_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out,
                             enum arithmetic what, uint32_t flags, uint32_t part)
{
    emu_lanes t[3];
    const struct emu_source *sa = &op->source[0], *sb = &op->source[1], *sc = &op->source[2];
    const uint32_t *a = emu_lanes_of(w, sa, t[0]), *b = emu_lanes_of(w, sb, t[1]);
    const uint32_t *c = what == FMA ? emu_lanes_of(w, sc, t[2]) : b;
    struct half_source ha = half_source_of(sa, part), hb = half_source_of(sb, part);
    struct half_source hc = half_source_of(sc, part);
    bool ftz = flags & FLAG_FTZ;
    FLOAT_LANES(i)
    {
        float x = load(a[i], ha, ftz), y = load(b[i], hb, ftz), z = load(c[i], hc, ftz);
        float r = what == ADD ? half_fma(x, 1.0f, y) : what == MUL ? x * y : half_fma(x, y, z);
        uint32_t half = half_from_float(r);
        /* Flushed when it rounds to less than 2^-14 with 11 bits and any exponent. */
        if (flags & FLAG_FTZ)
            half = r < HALF_TINY && r > -HALF_TINY ? half & HALF_SIGN : half;
        out[i] = finish(half, flags, HALF_INF, 0x3c00);
    }
}

FLOAT_INLINE void half_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out,
                             enum arithmetic what, uint32_t flags)
{
    emu_lanes high;
    part_lanes(w, op, out, what, flags, 0);
    part_lanes(w, op, high, what, flags, 1);
    FLOAT_LANES(i) out[i] |= high[i] << 16;
}

#define HALF_HANDLERS(name, what)                                                                  \
    EMU_HOT static void run_##name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)     \
    {                                                                                              \
        emu_lanes out;                                                                             \
        half_lanes(w, op, out, what, 0);                                                           \
        float_store(w, op->dest, out, mask);                                                       \
    }                                                                                              \
    EMU_HOT static void run_##name##_flags(struct emu_warp *w, const struct emu_op *op,            \
                                           uint32_t mask)                                          \
    {                                                                                              \
        emu_lanes out;                                                                             \
        half_lanes(w, op, out, what, op->param[FLAGS]);                                            \
        float_store(w, op->dest, out, mask);                                                       \
    }

HALF_HANDLERS(hadd2, ADD)
HALF_HANDLERS(hmul2, MUL)
HALF_HANDLERS(hfma2, FMA)

/* A constant move: HFMA2 with two RZ factors and an immediate. */
static void run_constant(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    float_store(w, op->dest, op->source[2].lanes, mask);
}

/* Source k of the forms below as a number. */
static double wide_load(const struct emu_op *op, uint32_t k, uint32_t word, uint32_t part)
{
    const struct emu_source *s = &op->source[k];
    uint32_t flags = op->param[FLAGS];
    bool ftz = flags & FLAG_FTZ;
    if (op->param[WIDE] >> k & 1)
        return float_of(float_source(word, float_sign_of(s), ftz));
    uint32_t half = half_take(word, half_source_of(s, part));
    if (flags & FLAG_BF16)
        return float_of(float_source(half << 16, (struct float_sign){~0u, 0}, ftz));
    return half_to_float(ftz ? half_flush(half) : half);
}

static uint32_t wide_compute(const struct emu_op *op, const uint32_t *words, uint32_t part)
{
    uint32_t flags = op->param[FLAGS];
    double v[3] = {0}, rest;
    for (uint32_t k = 0; k < op->source_count; k++)
        v[k] = wide_load(op, k, words[k], part);
    double sum = op->param[WHAT] == ADD   ? float_fma_exact(v[0], 1, v[1], &rest)
                 : op->param[WHAT] == MUL ? float_fma_exact(v[0], v[1], -0.0, &rest)
                                          : float_fma_exact(v[0], v[1], v[2], &rest);
    if (flags & FLAG_F32) {
        uint32_t bits = (uint32_t)float_pack_sum(&float_f32, sum, rest, FLOAT_RN);
        return float_result(float_of(bits), flags & FLAG_FTZ, flags & FLAG_SAT);
    }
    bool bf16 = flags & FLAG_BF16;
    uint32_t half = (uint32_t)float_pack_sum(bf16 ? &float_bf16 : &float_f16, sum, rest, FLOAT_RN);
    return finish(half, flags, bf16 ? HALF_BF16_INF : HALF_INF, bf16 ? 0x3f80 : 0x3c00);
}

/* BF16, and FP32 sources or results. */
static void run_wide(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes t[3], out;
    const uint32_t *v[3] = {0};
    for (uint32_t k = 0; k < op->source_count; k++)
        v[k] = emu_lanes_of(w, &op->source[k], t[k]);
    FLOAT_LANES(i)
    {
        uint32_t words[3] = {v[0][i], v[1][i], op->source_count > 2 ? v[2][i] : 0};
        out[i] = wide_compute(op, words, 0);
        if (!(op->param[FLAGS] & FLAG_F32))
            out[i] |= wide_compute(op, words, 1) << 16;
    }
    float_store(w, op->dest, out, mask);
}

typedef void (*handler)(struct emu_warp *w, const struct emu_op *op, uint32_t mask);

static const handler handlers[3][2] = {
    {run_hadd2, run_hadd2_flags}, {run_hmul2, run_hmul2_flags}, {run_hfma2, run_hfma2_flags}};

static bool is_zero(const struct emu_source *s)
{
    return s->kind == EMU_SRC_REG && s->reg == REG_RZ;
}

/* -RZ * RZ is -0, which leaves every number as it is, -0 too. */
static bool is_constant_move(const struct emu_op *op)
{
    const struct emu_source *a = &op->source[0], *b = &op->source[1], *c = &op->source[2];
    if (!is_zero(a) || !is_zero(b) || a->neg == b->neg || c->kind != EMU_SRC_VALUE)
        return false;
    bool number = (c->value & 0x7fff) <= HALF_INF && (c->value >> 16 & 0x7fff) <= HALF_INF;
    return number && !c->neg && !c->abs && c->half == 0;
}

static bool decode(struct emu_op *op, const struct emu_decode *d, enum arithmetic what,
                   struct sim_err *err)
{
    uint32_t next;
    TRY(float_check_modifiers(d, "MMA BF16_V2 FTZ SAT RELU F32 F16_V2", err));
    TRY(emu_dest_from_arg(op, d, 0, err));
    TRY(half_decode_sources(op, d, 1, what == FMA ? 3 : 2, &op->param[WIDE], &next, err));
    op->param[FLAGS] = (emu_has(d, "FTZ") ? FLAG_FTZ : 0) | (emu_has(d, "SAT") ? FLAG_SAT : 0) |
                       (emu_has(d, "RELU") ? FLAG_RELU : 0) |
                       (emu_has(d, "BF16_V2") ? FLAG_BF16 : 0) | (emu_has(d, "F32") ? FLAG_F32 : 0);
    op->param[WHAT] = what;
    if (op->param[WIDE] || op->param[FLAGS] & (FLAG_BF16 | FLAG_F32))
        op->run = run_wide;
    else if (what == FMA && op->param[FLAGS] == 0 && is_constant_move(op))
        op->run = run_constant;
    else
        op->run = handlers[what][op->param[FLAGS] != 0];
    return true;
}

bool emu_decode_hadd2(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode(op, d, ADD, err);
}

bool emu_decode_hmul2(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode(op, d, MUL, err);
}

bool emu_decode_hfma2(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode(op, d, FMA, err);
}

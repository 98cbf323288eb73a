/* MUFU: transcendental functions.
 *
 * The hardware interpolates tables; here results are rounded from double precision, which agrees
 * with it to about 22 bits. Special cases (zeros, denormals, infinities, NaN) are the hardware's,
 * measured on an H200: denormals are zeros, as operand and as result, but for TANH. */
#include <math.h>

#include "emu/half.h"
#include "emu/hot.h"
#include "emu/semantics.h"

#define HALF_TURN_PI 6.283185307179586476925 /* 2 pi: a turn in radians */

FLOAT_INLINE float flush(float x)
{
    return float_of(float_flush(float_bits(x)));
}

FLOAT_INLINE float rcp(float x)
{
    return (float)(1.0 / (double)flush(x));
}

FLOAT_INLINE float rsq(float x)
{
    /* -0 gives -infinity. */
    float v = flush(x);
    double r = 1.0 / __builtin_sqrt((double)v);
    return (float)r;
}

FLOAT_INLINE float root(float x)
{
    return (float)__builtin_sqrt((double)flush(x));
}

/* The argument is in turns. */
static float sine(float x)
{
    double v = (double)flush(x), r = v - rint(v); /* exact, within half a turn */
    if (r > 0.25 || r < -0.25)
        r = copysign(0.5, r) - r;
    if (r == 0)
        r = copysign(r, v);
    return (float)sin(r * HALF_TURN_PI);
}

static float cosine(float x)
{
    double v = (double)flush(x), r = fabs(v - rint(v));
    return (float)sin((0.25 - r) * HALF_TURN_PI);
}

static float logarithm(float x)
{
    float v = flush(x);
    return v == 0.0f ? -INFINITY : (float)log2((double)v);
}

static float power(float x)
{
    return (float)exp2((double)flush(x));
}

static float tangent(float x)
{
    return (float)tanh((double)x);
}

#define FUNCTION(name, function, flushes)                                                          \
    EMU_HOT static void run_##name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)     \
    {                                                                                              \
        emu_lanes t, out;                                                                          \
        const uint32_t *a = emu_lanes_of(w, &op->source[0], t);                                    \
        struct float_sign sign = float_sign_of(&op->source[0]);                                    \
        FLOAT_LANES(i)                                                                             \
        {                                                                                          \
            float x = float_of(float_source(a[i], sign, false));                                   \
            out[i] = float_result(function(x), flushes, op->param[0]);                             \
        }                                                                                          \
        float_store(w, op->dest, out, mask);                                                       \
    }

FUNCTION(rcp, rcp, true)
FUNCTION(rsq, rsq, true)
FUNCTION(sqrt, root, true)
FUNCTION(sin, sine, true)
FUNCTION(cos, cosine, true)
FUNCTION(lg2, logarithm, true)
FUNCTION(ex2, power, true)
FUNCTION(tanh, tangent, false)

/* The high word of a function of `value`. */
static uint32_t high_word(double value, double function)
{
    if (value != value)
        return FLOAT_NAN;
    uint64_t bits = float_double_bits(function);
    bool denormal = (bits & 0x7ff0000000000000u) == 0;
    return (uint32_t)(bits >> 32) & (denormal ? FLOAT_SIGN : ~0u);
}

static double high_value(uint32_t word, const struct emu_source *s)
{
    word = float_source(word, float_sign_of(s), false);
    return float_double_of((uint64_t)(word & 0x7ff00000 ? word : word & FLOAT_SIGN) << 32);
}

static void run_rcp64h(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes t, out;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], t);
    FLOAT_LANES(i)
    {
        double x = high_value(a[i], &op->source[0]);
        out[i] = high_word(x, 1.0 / x);
    }
    float_store(w, op->dest, out, mask);
}

static void run_rsq64h(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes t, out;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], t);
    FLOAT_LANES(i)
    {
        double x = high_value(a[i], &op->source[0]);
        out[i] = x < 0 ? FLOAT_NAN : high_word(x, 1.0 / sqrt(x));
    }
    float_store(w, op->dest, out, mask);
}

/* An FP32 result cut to half precision; overflow gives infinity. */
static uint32_t truncate_half(const struct float_format *f, float value)
{
    uint32_t bits = (uint32_t)float_pack_sum(f, (double)value, 0, FLOAT_RZ);
    bool overflow = value > float_unpack(f, (uint32_t)f->infinity - 1);
    return overflow ? (uint32_t)f->infinity : bits;
}

/* EX2 and TANH of one half. param[1] = BF16, param[2] = TANH, param[3] = high half. */
static void run_packed(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes t, out;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], t);
    const struct float_format *f = op->param[1] ? &float_bf16 : &float_f16;
    struct half_source from = half_source_of(&op->source[0], op->param[3]);
    FLOAT_LANES(i)
    {
        uint32_t half = half_take(a[i], from);
        float x = op->param[1] ? float_of(half << 16) : half_to_float(half);
        out[i] = truncate_half(f, op->param[2] ? tangent(x) : power(x));
    }
    float_store(w, op->dest, out, mask);
}

struct function {
    const char *name;
    void (*run)(struct emu_warp *w, const struct emu_op *op, uint32_t mask);
};

static const struct function functions[] = {
    {"RCP", run_rcp},       {"RSQ", run_rsq},       {"SQRT", run_sqrt}, {"SIN", run_sin},
    {"COS", run_cos},       {"LG2", run_lg2},       {"EX2", run_ex2},   {"TANH", run_tanh},
    {"RCP64H", run_rcp64h}, {"RSQ64H", run_rsq64h},
};

static bool selects_high_half(const struct emu_decode *d)
{
    const struct sass_arg *a = &d->text.args[1];
    for (size_t i = 0; i + 3 <= a->len; i++)
        if (memcmp(a->text + i, ".H1", 3) == 0)
            return true;
    return false;
}

bool emu_decode_mufu(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d, "RCP RSQ SQRT SIN COS LG2 EX2 TANH RCP64H RSQ64H SAT F16 BF16",
                              err));
    TRY(float_decode_sources(op, d, 1, 32, err));
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (emu_has(d, functions[i].name))
            op->run = functions[i].run;
    op->param[0] = emu_has(d, "SAT");
    if (emu_has(d, "F16") || emu_has(d, "BF16")) {
        if (!emu_has(d, "EX2") && !emu_has(d, "TANH"))
            return emu_decode_error(d, err, "a half form has semantics for EX2 and TANH only");
        op->param[1] = emu_has(d, "BF16");
        op->param[2] = emu_has(d, "TANH");
        op->param[3] = selects_high_half(d);
        op->run = run_packed;
    }
    return op->run || emu_decode_error(d, err, "expected a function such as .RCP, found none");
}

/* FP32 arithmetic: FADD, FMUL, FFMA and their uniform forms, FSWZADD. */
#include "emu/float.h"
#include "emu/hot.h"
#include "emu/semantics.h"

/* param[0] of the general handlers. */
#define FLAG_FTZ 1u
#define FLAG_SAT 2u

FLOAT_INLINE void add_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out,
                            bool ftz, bool sat)
{
    emu_lanes ta, tb;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], ta);
    const uint32_t *b = emu_lanes_of(w, &op->source[1], tb);
    struct float_sign sa = float_sign_of(&op->source[0]), sb = float_sign_of(&op->source[1]);
    FLOAT_LANES(i)
    {
        float x = float_of(float_source(a[i], sa, ftz)), y = float_of(float_source(b[i], sb, ftz));
        out[i] = float_result(x + y, ftz, sat);
    }
}

FLOAT_INLINE void mul_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out,
                            bool ftz, bool sat)
{
    emu_lanes ta, tb;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], ta);
    const uint32_t *b = emu_lanes_of(w, &op->source[1], tb);
    struct float_sign sa = float_sign_of(&op->source[0]), sb = float_sign_of(&op->source[1]);
    FLOAT_LANES(i)
    {
        float x = float_of(float_source(a[i], sa, ftz)), y = float_of(float_source(b[i], sb, ftz));
        out[i] = float_result(x * y, ftz, sat);
    }
}

FLOAT_INLINE void fma_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out,
                            bool ftz, bool sat)
{
    emu_lanes ta, tb, tc;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], ta);
    const uint32_t *b = emu_lanes_of(w, &op->source[1], tb);
    const uint32_t *c = emu_lanes_of(w, &op->source[2], tc);
    struct float_sign sa = float_sign_of(&op->source[0]), sb = float_sign_of(&op->source[1]);
    struct float_sign sc = float_sign_of(&op->source[2]);
    FLOAT_LANES(i)
    {
        float x = float_of(float_source(a[i], sa, ftz)), y = float_of(float_source(b[i], sb, ftz));
        float z = float_of(float_source(c[i], sc, ftz));
        out[i] = float_result(__builtin_fmaf(x, y, z), ftz, sat);
    }
}

/* Handlers of one operation, to nearest. Without denormal flushing or saturation a lane costs its
 * arithmetic and one comparison. */
#define ARITHMETIC(name)                                                                           \
    EMU_HOT static void run_##name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)     \
    {                                                                                              \
        emu_lanes out;                                                                             \
        name##_lanes(w, op, out, false, false);                                                    \
        float_store(w, op->dest, out, mask);                                                       \
    }                                                                                              \
    EMU_HOT static void run_##name##_ftz(struct emu_warp *w, const struct emu_op *op,              \
                                         uint32_t mask)                                            \
    {                                                                                              \
        emu_lanes out;                                                                             \
        name##_lanes(w, op, out, true, false);                                                     \
        float_store(w, op->dest, out, mask);                                                       \
    }                                                                                              \
    EMU_HOT static void run_##name##_sat(struct emu_warp *w, const struct emu_op *op,              \
                                         uint32_t mask)                                            \
    {                                                                                              \
        emu_lanes out;                                                                             \
        name##_lanes(w, op, out, op->param[0] & FLAG_FTZ, true);                                   \
        float_store(w, op->dest, out, mask);                                                       \
    }

ARITHMETIC(add)
ARITHMETIC(mul)
ARITHMETIC(fma)

enum arithmetic { ADD, MUL, FMA };

/* A value with the instruction's rounding; uniform registers and directed rounding. */
static uint32_t compute(enum arithmetic what, const struct emu_op *op, const uint32_t *v)
{
    bool ftz = op->param[0] & FLAG_FTZ, sat = op->param[0] & FLAG_SAT;
    uint32_t x[3] = {0};
    for (uint32_t k = 0; k < op->source_count; k++)
        x[k] = float_source(v[k], float_sign_of(&op->source[k]), ftz);
    enum float_rounding mode = op->param[1];
    uint32_t r = what == ADD   ? float_add_rounded(x[0], x[1], mode)
                 : what == MUL ? float_mul_rounded(x[0], x[1], mode)
                               : float_fma_rounded(x[0], x[1], x[2], mode);
    return float_result(float_of(r), ftz, sat);
}

static void compute_lanes(enum arithmetic what, const struct emu_warp *w, const struct emu_op *op,
                          uint32_t *out)
{
    emu_lanes tmp[3];
    const uint32_t *v[3] = {0};
    for (uint32_t k = 0; k < op->source_count; k++)
        v[k] = emu_lanes_of(w, &op->source[k], tmp[k]);
    FLOAT_LANES(i)
    {
        uint32_t x[3] = {v[0][i], v[1][i], op->source_count > 2 ? v[2][i] : 0};
        out[i] = compute(what, op, x);
    }
}

#define DIRECTED(name, what)                                                                       \
    static void run_##name##_directed(struct emu_warp *w, const struct emu_op *op, uint32_t mask)  \
    {                                                                                              \
        emu_lanes out;                                                                             \
        compute_lanes(what, w, op, out);                                                           \
        float_store(w, op->dest, out, mask);                                                       \
    }                                                                                              \
    static void run_##name##_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)   \
    {                                                                                              \
        (void)mask;                                                                                \
        uint32_t v[3] = {0};                                                                       \
        for (uint32_t k = 0; k < op->source_count; k++) {                                          \
            const struct emu_source *s = &op->source[k];                                           \
            v[k] = s->kind == EMU_SRC_UREG ? w->ur[s->reg] : (uint32_t)s->value;                   \
        }                                                                                          \
        w->ur[op->dest] = compute(what, op, v);                                                    \
    }

DIRECTED(add, ADD)
DIRECTED(mul, MUL)
DIRECTED(fma, FMA)

typedef void (*handler)(struct emu_warp *w, const struct emu_op *op, uint32_t mask);

struct forms {
    handler plain, ftz, sat, directed, uniform;
};

#define FORMS(name)                                                                                \
    {                                                                                              \
        run_##name, run_##name##_ftz, run_##name##_sat, run_##name##_directed,                     \
            run_##name##_uniform                                                                   \
    }
static const struct forms add_forms = FORMS(add), mul_forms = FORMS(mul), fma_forms = FORMS(fma);

static bool decode(struct emu_op *op, const struct emu_decode *d, const struct forms *forms,
                   struct sim_err *err)
{
    TRY(float_check_modifiers(d, "FTZ SAT RN RM RP RZ", err));
    TRY(float_decode_sources(op, d, forms == &fma_forms ? 3 : 2, 32, err));
    bool ftz = emu_has(d, "FTZ"), sat = emu_has(d, "SAT");
    op->param[0] = (ftz ? FLAG_FTZ : 0) | (sat ? FLAG_SAT : 0);
    op->param[1] = float_rounding_of(d);
    op->run = float_arg_is_uniform(d, 0) ? forms->uniform
              : op->param[1] != FLOAT_RN ? forms->directed
              : sat                      ? forms->sat
              : ftz                      ? forms->ftz
                                         : forms->plain;
    return true;
}

bool emu_decode_fadd(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode(op, d, &add_forms, err);
}

bool emu_decode_fmul(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode(op, d, &mul_forms, err);
}

bool emu_decode_ffma(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode(op, d, &fma_forms, err);
}

/* FSWZADD: param[2] holds two bits for each lane of a quad: a + b, a - b, b - a, b. */
static void run_fswzadd(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb, out;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], ta);
    const uint32_t *b = emu_lanes_of(w, &op->source[1], tb);
    FLOAT_LANES(i)
    {
        uint32_t how = op->param[2] >> 2 * (i & 3) & 3;
        uint32_t v[2] = {how == 3 ? 0 : a[i] ^ (how == 2 ? FLOAT_SIGN : 0),
                         b[i] ^ (how == 1 ? FLOAT_SIGN : 0)};
        out[i] = compute(ADD, op, v);
    }
    float_store(w, op->dest, out, mask);
}

bool emu_decode_fswzadd(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d, "FTZ RN RM RP RZ NDV", err));
    TRY(float_decode_sources(op, d, 2, 32, err));
    op->param[0] = emu_has(d, "FTZ") ? FLAG_FTZ : 0;
    op->param[1] = float_rounding_of(d);
    op->param[2] = (uint32_t)(d->lo >> 32) & 0xff;
    op->run = run_fswzadd;
    return true;
}

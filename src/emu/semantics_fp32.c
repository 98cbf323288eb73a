/* FP32 arithmetic: FADD, FMUL, FFMA and their uniform forms, FSWZADD. */
#include "emu/float.h"
#include "emu/hot.h"
#include "emu/semantics.h"

/* param[0] = FLOAT_FTZ, FLOAT_SAT; param[1] = rounding. */

static uint32_t compute(enum float_arithmetic what, const struct emu_op *op, const uint32_t *v)
{
    uint32_t x[3] = {0};
    for (uint32_t k = 0; k < op->source_count; k++)
        x[k] = float_source(v[k], float_sign_of(&op->source[k]), false);
    return float_compute(what, x, op->param[0], op->param[1]);
}

static void compute_lanes(enum float_arithmetic what, const struct emu_warp *w,
                          const struct emu_op *op, uint32_t *out)
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

/* To nearest, with the host's arithmetic. A result of 2^-126 may have to be flushed, which only
 * compute() can tell. */
FLOAT_INLINE void nearest_lanes(enum float_arithmetic what, const struct emu_warp *w,
                                const struct emu_op *op, uint32_t *out, bool ftz, bool sat)
{
    emu_lanes ta, tb, tc;
    const struct emu_source *sa = &op->source[0], *sb = &op->source[1], *sc = &op->source[2];
    const uint32_t *a = emu_lanes_of(w, sa, ta), *b = emu_lanes_of(w, sb, tb);
    const uint32_t *c = what == FLOAT_FMA ? emu_lanes_of(w, sc, tc) : b;
    struct float_sign ma = float_sign_of(sa), mb = float_sign_of(sb), mc = float_sign_of(sc);
    uint32_t edge = 0;
    FLOAT_LANES(i)
    {
        float x = float_of(float_source(a[i], ma, ftz)), y = float_of(float_source(b[i], mb, ftz));
        float z = float_of(float_source(c[i], mc, ftz));
        float r = what == FLOAT_ADD ? x + y : what == FLOAT_MUL ? x * y : __builtin_fmaf(x, y, z);
        edge |= (float_bits(r) & ~FLOAT_SIGN) == FLOAT_LEAST;
        out[i] = float_result(r, ftz, sat);
    }
    if (ftz && what != FLOAT_ADD && edge)
        compute_lanes(what, w, op, out);
}

#define HANDLERS(name, what)                                                                       \
    EMU_HOT static void run_##name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)     \
    {                                                                                              \
        emu_lanes out;                                                                             \
        nearest_lanes(what, w, op, out, false, false);                                             \
        float_store(w, op->dest, out, mask);                                                       \
    }                                                                                              \
    EMU_HOT static void run_##name##_ftz(struct emu_warp *w, const struct emu_op *op,              \
                                         uint32_t mask)                                            \
    {                                                                                              \
        emu_lanes out;                                                                             \
        nearest_lanes(what, w, op, out, true, false);                                              \
        float_store(w, op->dest, out, mask);                                                       \
    }                                                                                              \
    EMU_HOT static void run_##name##_sat(struct emu_warp *w, const struct emu_op *op,              \
                                         uint32_t mask)                                            \
    {                                                                                              \
        emu_lanes out;                                                                             \
        nearest_lanes(what, w, op, out, op->param[0] & FLOAT_FTZ, true);                           \
        float_store(w, op->dest, out, mask);                                                       \
    }                                                                                              \
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

HANDLERS(add, FLOAT_ADD)
HANDLERS(mul, FLOAT_MUL)
HANDLERS(fma, FLOAT_FMA)

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
    op->param[0] = (ftz ? FLOAT_FTZ : 0) | (sat ? FLOAT_SAT : 0);
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
        out[i] = compute(FLOAT_ADD, op, v);
    }
    float_store(w, op->dest, out, mask);
}

bool emu_decode_fswzadd(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d, "FTZ RN RM RP RZ NDV", err));
    TRY(float_decode_sources(op, d, 2, 32, err));
    op->param[0] = emu_has(d, "FTZ") ? FLOAT_FTZ : 0;
    op->param[1] = float_rounding_of(d);
    op->param[2] = (uint32_t)(d->lo >> 32) & 0xff;
    op->run = run_fswzadd;
    return true;
}

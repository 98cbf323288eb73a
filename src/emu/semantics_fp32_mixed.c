/* FP32 arithmetic of Blackwell: pairs (FADD2, FMUL2, FFMA2) and FP16 or BF16 factors (FHADD,
 * FHFMA).
 *
 * Forms as ptxas 13.0 writes them for sm_100; not compared with hardware. */
#include "emu/half.h"
#include "emu/semantics.h"

/* param[] */
enum { FLAGS, MODE, WHAT, FORM };

/* Pairs: FORM >> 8 * k holds these for source k. */
#define PAIR_SWAP 1u     /* .LO_HI: the parts change places */
#define PAIR_SINGLE 2u   /* .F32: one register for both */
#define PAIR_NEG_HIGH 4u /* .NP, .NN */
#define PAIR_NEG_LOW 8u  /* .PN, .NN */

#define FORM_BF16 1u /* FHADD, FHFMA */

static uint32_t pair_part(const struct emu_warp *w, const struct emu_op *op, uint32_t k,
                          uint32_t part, uint32_t lane)
{
    const struct emu_source *s = &op->source[k];
    uint32_t form = op->param[FORM] >> 8 * k & 0xff;
    uint32_t high = form & PAIR_SINGLE ? 0 : form & PAIR_SWAP ? 1 - part : part;
    uint32_t word = s->kind == EMU_SRC_UREG    ? w->ur[s->reg + high]
                    : s->kind == EMU_SRC_VALUE ? (uint32_t)(s->value >> 32 * high)
                    : s->reg == REG_RZ         ? 0
                                               : w->r[s->reg + high][lane];
    bool flip = form & (part ? PAIR_NEG_HIGH : PAIR_NEG_LOW);
    return float_source(word, float_sign_of(s), false) ^ (flip ? FLOAT_SIGN : 0);
}

static void run_pair(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes out[2];
    for (uint32_t part = 0; part < 2; part++) {
        FLOAT_LANES(i)
        {
            uint32_t x[3] = {0};
            for (uint32_t k = 0; k < op->source_count; k++)
                x[k] = pair_part(w, op, k, part, i);
            out[part][i] = float_compute(op->param[WHAT], x, op->param[FLAGS], op->param[MODE]);
        }
    }
    float_store(w, op->dest, out[0], mask);
    float_store(w, op->dest + 1u, out[1], mask);
}

/* FHADD: half + single. FHFMA: half * half + single. */
static void run_mixed(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes t[3], out;
    const uint32_t *v[3] = {0};
    for (uint32_t k = 0; k < op->source_count; k++)
        v[k] = emu_lanes_of(w, &op->source[k], t[k]);
    FLOAT_LANES(i)
    {
        uint32_t x[3] = {0};
        for (uint32_t k = 0; k < op->source_count; k++) {
            const struct emu_source *s = &op->source[k];
            bool single = k + 1u == op->source_count;
            uint32_t half = half_take(v[k][i], half_source_of(s, 0));
            x[k] = single                        ? float_source(v[k][i], float_sign_of(s), false)
                   : op->param[FORM] & FORM_BF16 ? half << 16
                                                 : float_bits(half_to_float(half));
        }
        out[i] = float_compute(op->param[WHAT], x, op->param[FLAGS], op->param[MODE]);
    }
    float_store(w, op->dest, out, mask);
}

static bool has_suffix(const struct sass_arg *a, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= a->len; i++)
        if (memcmp(a->text + i, word, len) == 0 && (i + len == a->len || a->text[i + len] == '.'))
            return true;
    return false;
}

static bool decode_common(struct emu_op *op, const struct emu_decode *d, enum float_arithmetic what,
                          const char *modifiers, struct sim_err *err)
{
    TRY(float_check_modifiers(d, modifiers, err));
    op->param[FLAGS] = (emu_has(d, "FTZ") ? FLOAT_FTZ : 0) | (emu_has(d, "SAT") ? FLOAT_SAT : 0);
    op->param[MODE] = float_rounding_of(d);
    op->param[WHAT] = what;
    return true;
}

static bool decode_pair(struct emu_op *op, const struct emu_decode *d, enum float_arithmetic what,
                        struct sim_err *err)
{
    TRY(decode_common(op, d, what, "FTZ RN RM RP RZ", err));
    TRY(emu_dest_from_arg(op, d, 0, err));
    TRY(float_check_group(d, op->dest, 2, err));
    for (uint32_t k = 0; k < (what == FLOAT_FMA ? 3u : 2u); k++) {
        TRY(emu_source_from_arg(op, d, 1 + k, 64, true, err));
        const struct sass_arg *a = &d->text.args[1 + k];
        uint32_t form = (has_suffix(a, ".LO_HI") ? PAIR_SWAP : 0) |
                        (has_suffix(a, ".F32") ? PAIR_SINGLE : 0) |
                        (has_suffix(a, ".NP") || has_suffix(a, ".NN") ? PAIR_NEG_HIGH : 0) |
                        (has_suffix(a, ".PN") || has_suffix(a, ".NN") ? PAIR_NEG_LOW : 0);
        if (a->kind != SASS_REGISTER)
            return emu_decode_error(d, err, "expected registers as pairs");
        if (op->source[k].kind == EMU_SRC_REG && !(form & PAIR_SINGLE))
            TRY(float_check_group(d, op->source[k].reg, 2, err));
        op->param[FORM] |= form << 8 * k;
    }
    op->run = run_pair;
    return true;
}

static bool decode_mixed(struct emu_op *op, const struct emu_decode *d, enum float_arithmetic what,
                         struct sim_err *err)
{
    TRY(decode_common(op, d, what, "FTZ SAT RN RM RP RZ BF16", err));
    TRY(float_decode_sources(op, d, what == FLOAT_FMA ? 3 : 2, 32, err));
    op->param[FORM] = emu_has(d, "BF16") ? FORM_BF16 : 0;
    op->run = run_mixed;
    return true;
}

bool emu_decode_fadd2(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode_pair(op, d, FLOAT_ADD, err);
}

bool emu_decode_fmul2(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode_pair(op, d, FLOAT_MUL, err);
}

bool emu_decode_ffma2(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode_pair(op, d, FLOAT_FMA, err);
}

bool emu_decode_fhadd(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode_mixed(op, d, FLOAT_ADD, err);
}

bool emu_decode_fhfma(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return decode_mixed(op, d, FLOAT_FMA, err);
}

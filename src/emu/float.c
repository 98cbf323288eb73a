#include "emu/float.h"

#include "isa/modifier.h"

static float next_up(float f)
{
    uint32_t bits = float_bits(f);
    if (bits == FLOAT_SIGN)
        bits = 0;
    return float_of(bits & FLOAT_SIGN ? bits - 1 : bits + 1);
}

float float_round_exact(double sum, double rest, enum float_rounding mode)
{
    float f = (float)sum; /* one of the two neighbours of the exact value */
    if (mode == FLOAT_RN)
        return f;
    double above = (double)f - sum; /* exact: f is within a last place of sum */
    bool too_high = above > rest, too_low = above < rest;
    if (mode == FLOAT_RZ)
        mode = sum > 0 ? FLOAT_RM : FLOAT_RP;
    if (mode == FLOAT_RM && too_high)
        return -next_up(-f);
    if (mode == FLOAT_RP && too_low)
        return next_up(f);
    return f;
}

/* a + b of doubles that hold exact values, rounded once to a float. */
static float add_exact(double a, double b, enum float_rounding mode)
{
    double sum = a + b;
    if (!(sum - sum == 0)) /* infinity or NaN among the operands */
        return (float)sum;
    if (sum == 0) {
        bool same = (float_double_bits(a) ^ float_double_bits(b)) >> 63 == 0;
        return same ? (float)a : mode == FLOAT_RM ? -0.0f : 0.0f;
    }
    double part = sum - a;
    double rest = (a - (sum - part)) + (b - part);
    return float_round_exact(sum, rest, mode);
}

uint32_t float_add_rounded(uint32_t a, uint32_t b, enum float_rounding mode)
{
    if (mode == FLOAT_RN)
        return float_bits(float_of(a) + float_of(b));
    return float_bits(add_exact(float_of(a), float_of(b), mode));
}

uint32_t float_mul_rounded(uint32_t a, uint32_t b, enum float_rounding mode)
{
    double product = (double)float_of(a) * (double)float_of(b); /* exact */
    if (product == 0 || !(product - product == 0))
        return float_bits((float)product);
    return float_bits(float_round_exact(product, 0, mode));
}

uint32_t float_fma_rounded(uint32_t a, uint32_t b, uint32_t c, enum float_rounding mode)
{
    if (mode == FLOAT_RN)
        return float_bits(__builtin_fmaf(float_of(a), float_of(b), float_of(c)));
    double product = (double)float_of(a) * (double)float_of(b); /* exact */
    return float_bits(add_exact(product, float_of(c), mode));
}

bool float_is_tiny(double sum, double rest, enum float_rounding mode)
{
    bool away = mode == (sum < 0 ? FLOAT_RM : FLOAT_RP);
    double magnitude = sum < 0 ? -sum : sum, over = sum < 0 ? -rest : rest;
    if (away) /* only the float below 2^-126, and what is below that, stays there */
        return magnitude - (0x1p-126 - 0x1p-150) <= -over;
    double limit = mode == FLOAT_RN ? 0x1p-126 - 0x1p-151 : 0x1p-126;
    return magnitude - limit < -over;
}

uint32_t float_compute(enum float_arithmetic what, const uint32_t x[3], uint32_t flags,
                       enum float_rounding mode)
{
    bool ftz = flags & FLOAT_FTZ, sat = flags & FLOAT_SAT;
    uint32_t a = ftz ? float_flush(x[0]) : x[0], b = ftz ? float_flush(x[1]) : x[1];
    uint32_t c = what != FLOAT_FMA ? FLOAT_SIGN : ftz ? float_flush(x[2]) : x[2];
    uint32_t r = what == FLOAT_ADD   ? float_add_rounded(a, b, mode)
                 : what == FLOAT_MUL ? float_mul_rounded(a, b, mode)
                                     : float_fma_rounded(a, b, c, mode);
    if (ftz && what != FLOAT_ADD && (r & ~FLOAT_SIGN) == FLOAT_LEAST) {
        double rest, sum = float_fma_exact(float_of(a), float_of(b), float_of(c), &rest);
        if (float_is_tiny(sum, rest, mode))
            return sat ? 0 : r & FLOAT_SIGN;
    }
    return float_result(float_of(r), ftz, sat);
}

enum float_rounding float_rounding_of(const struct emu_decode *d)
{
    return emu_has(d, "RM")   ? FLOAT_RM
           : emu_has(d, "RP") ? FLOAT_RP
           : emu_has(d, "RZ") ? FLOAT_RZ
                              : FLOAT_RN;
}

bool float_compare_of(const struct emu_decode *d, uint32_t *set)
{
    /* Index: set of outcomes. */
    static const char *const names[16] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                          "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};
    for (uint32_t i = 0; i < 16; i++) {
        if (emu_has(d, names[i])) {
            *set = i;
            return true;
        }
    }
    return false;
}

enum float_combine float_combine_of(const struct emu_decode *d)
{
    return emu_has(d, "OR") ? FLOAT_OR : emu_has(d, "XOR") ? FLOAT_XOR : FLOAT_AND;
}

bool float_check_group(const struct emu_decode *d, uint32_t first, uint32_t count,
                       struct sim_err *err)
{
    if (first >= REG_RZ || first + count <= REG_RZ)
        return true;
    return emu_decode_error(d, err, "registers R%u to R%u pass the last register R%d", first,
                            first + count - 1, REG_RZ - 1);
}

bool float_decode_sources(struct emu_op *op, const struct emu_decode *d, uint32_t sources,
                          uint32_t bits, struct sim_err *err)
{
    TRY(emu_dest_from_arg(op, d, 0, err));
    if (!float_arg_is_uniform(d, 0))
        TRY(float_check_group(d, op->dest, bits / 32, err));
    for (uint32_t i = 0; i < sources; i++) {
        TRY(emu_source_from_arg(op, d, 1 + i, bits, true, err));
        const struct emu_source *s = &op->source[op->source_count - 1];
        if (s->kind == EMU_SRC_REG)
            TRY(float_check_group(d, s->reg, bits / 32, err));
    }
    return true;
}

static bool is_among(struct modifier m, const char *words)
{
    while (*words) {
        size_t len = strcspn(words, " ");
        if (len == m.len && memcmp(words, m.text, len) == 0)
            return true;
        words += len + (words[len] == ' ');
    }
    return false;
}

bool float_check_modifiers(const struct emu_decode *d, const char *known, struct sim_err *err)
{
    struct modifier m;
    for (const char *cursor = d->inst->opcode; modifier_next(&cursor, &m);)
        if (!is_among(m, known))
            return emu_decode_error(d, err, "modifier \".%.*s\" has no semantics", (int)m.len,
                                    m.text);
    return true;
}

bool float_arg_is_uniform(const struct emu_decode *d, uint32_t arg)
{
    return arg < d->text.arg_count && d->text.args[arg].kind == SASS_REGISTER &&
           d->text.args[arg].regs[0].file == REG_UNIFORM;
}

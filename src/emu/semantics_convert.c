/* Conversions between number formats: F2F, F2I, I2F, I2FP, FRND and their uniform forms. */
#include <math.h>

#include "emu/half.h"
#include "emu/hot.h"
#include "emu/semantics.h"
#include "isa/modifier.h"

enum kind { KIND_F16, KIND_BF16, KIND_F32, KIND_F64, KIND_S, KIND_U };

struct type {
    const char *name;
    uint8_t kind, bits;
};

static const struct type types[] = {
    {"F16", KIND_F16, 16}, {"BF16", KIND_BF16, 16}, {"F32", KIND_F32, 32}, {"F64", KIND_F64, 64},
    {"S8", KIND_S, 8},     {"S16", KIND_S, 16},     {"S32", KIND_S, 32},   {"S64", KIND_S, 64},
    {"U8", KIND_U, 8},     {"U16", KIND_U, 16},     {"U32", KIND_U, 32},   {"U64", KIND_U, 64},
};
#define TYPE_COUNT (sizeof types / sizeof types[0])
enum { TYPE_F32 = 2, TYPE_S32 = 6, TYPE_U32 = 10 };

/* param[] */
enum { TO, FROM, MODE, FLAGS };
#define FLAG_FTZ 1u
#define FLAG_SAT 2u
#define FLAG_NTZ 4u   /* NaN gives 0 */
#define FLAG_WHOLE 8u /* FRND */
#define FLAG_SHIFT 8u /* FLAGS >> 8 = first bit of the source value in its register */

static const struct float_format *const formats[] = {&float_f16, &float_bf16, &float_f32,
                                                     &float_f64};

/* A float source with its modifiers applied. */
static double load_float(const struct emu_op *op, uint64_t word)
{
    const struct emu_source *s = &op->source[0];
    bool ftz = op->param[FLAGS] & FLAG_FTZ;
    double value;
    switch (types[op->param[FROM]].kind) {
    case KIND_F64:
        value = float_double_of(word);
        break;
    case KIND_F32:
        value = float_of(ftz ? float_flush((uint32_t)word) : (uint32_t)word);
        break;
    case KIND_BF16:
        value = float_of((uint32_t)word << 16);
        break;
    default:
        value = half_to_float((uint32_t)word & 0xffff);
        break;
    }
    value = s->abs ? fabs(value) : value;
    return s->neg ? -value : value;
}

static double round_whole(double x, enum float_rounding mode)
{
    switch (mode) {
    case FLOAT_RM:
        return floor(x);
    case FLOAT_RP:
        return ceil(x);
    case FLOAT_RZ:
        return trunc(x);
    default:
        return rint(x);
    }
}

/* NaNs keep sign and payload, made quiet, where FP64 is involved; elsewhere they are canonical. */
static uint64_t payload(const struct float_format *to, const struct float_format *from,
                        uint64_t word)
{
    uint64_t fraction = (word & (from->sign - 1)) << (63 - from->fraction) << 1; /* left aligned */
    fraction = fraction >> 1 >> (63 - to->fraction) | UINT64_C(1) << (to->fraction - 1);
    return (word & from->sign ? to->sign : 0) | to->infinity | fraction;
}

static uint64_t to_float(const struct emu_op *op, uint64_t word)
{
    const struct type *to = &types[op->param[TO]], *from = &types[op->param[FROM]];
    uint32_t flags = op->param[FLAGS];
    double v = load_float(op, word);
    if (v != v && !(flags & FLAG_SAT) && (to->kind == KIND_F64 || from->kind == KIND_F64))
        return payload(formats[to->kind], formats[from->kind], word);
    if (flags & FLAG_WHOLE)
        v = round_whole(v, op->param[MODE]);
    if (flags & FLAG_SAT)
        v = v > 0 ? v < 1 ? v : 1 : 0;
    uint64_t bits = float_pack_sum(formats[to->kind], v, 0, op->param[MODE]);
    return flags & FLAG_FTZ && to->kind == KIND_F32 ? float_flush((uint32_t)bits) : bits;
}

/* Out of range gives the nearest number of the range. NaN gives 0 with .NTZ, else the highest
 * bit of the result alone. */
static uint64_t to_integer(const struct emu_op *op, uint64_t word)
{
    const struct type *to = &types[op->param[TO]];
    double v = load_float(op, word);
    if (v != v && op->param[FLAGS] & FLAG_NTZ)
        return 0;
    if (v != v)
        return to->kind == KIND_U ? UINT64_C(1) << (to->bits - 1) : ~UINT64_C(0) << (to->bits - 1);
    v = round_whole(v, op->param[MODE]);
    if (to->kind == KIND_U) {
        if (v <= 0)
            return 0;
        return v >= ldexp(1, to->bits) ? UINT64_MAX >> (64 - to->bits) : (uint64_t)v;
    }
    double limit = ldexp(1, to->bits - 1);
    if (v >= limit)
        return UINT64_MAX >> (65 - to->bits);
    return v < -limit ? ~(UINT64_MAX >> (65 - to->bits)) : (uint64_t)(int64_t)v;
}

static uint64_t from_integer(const struct emu_op *op, uint64_t word)
{
    const struct type *from = &types[op->param[FROM]];
    const struct emu_source *s = &op->source[0];
    uint32_t unused = 64u - from->bits;
    bool negative = false;
    uint64_t magnitude = word << unused >> unused;
    if (from->kind == KIND_S) {
        negative = word >> (from->bits - 1) & 1;
        if (negative)
            magnitude = 0 - ((word | (from->bits == 64 ? 0 : ~UINT64_C(0) << from->bits)));
    }
    negative = (negative && !s->abs) != (s->neg && magnitude);
    return float_pack(formats[types[op->param[TO]].kind], negative, magnitude, 0, op->param[MODE]);
}

static uint64_t convert(const struct emu_op *op, uint64_t word)
{
    word >>= op->param[FLAGS] >> FLAG_SHIFT;
    if (types[op->param[FROM]].kind >= KIND_S)
        return from_integer(op, word);
    return types[op->param[TO]].kind >= KIND_S ? to_integer(op, word) : to_float(op, word);
}

static void run_convert(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes tl, th, lo, hi;
    bool wide_from = types[op->param[FROM]].bits == 64;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], tl);
    const uint32_t *b = wide_from ? emu_lanes_hi_of(w, &op->source[0], th) : NULL;
    FLOAT_LANES(i)
    {
        uint64_t r = convert(op, (b ? (uint64_t)b[i] << 32 : 0) | a[i]);
        lo[i] = (uint32_t)r;
        hi[i] = (uint32_t)(r >> 32);
    }
    float_store(w, op->dest, lo, mask);
    if (types[op->param[TO]].bits == 64)
        float_store(w, op->dest + 1u, hi, mask);
}

static void run_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    const struct emu_source *s = &op->source[0];
    uint64_t word = s->value;
    if (s->kind == EMU_SRC_UREG) {
        word = w->ur[s->reg];
        if (types[op->param[FROM]].bits == 64)
            word |= (uint64_t)w->ur[s->reg + 1] << 32;
    }
    uint64_t r = convert(op, word);
    w->ur[op->dest] = (uint32_t)r;
    if (types[op->param[TO]].bits == 64)
        w->ur[op->dest + 1] = (uint32_t)(r >> 32);
}

/* FP32 of 32-bit integers, to nearest: the host's conversion. */
EMU_HOT static void f32_s32_lanes(const uint32_t *a, uint32_t *out)
{
    FLOAT_LANES(i) out[i] = float_bits((float)(int32_t)a[i]);
}

EMU_HOT static void f32_u32_lanes(const uint32_t *a, uint32_t *out)
{
    FLOAT_LANES(i) out[i] = float_bits((float)a[i]);
}

/* S32 of FP32, toward zero, NaN gives 0: the common cast. */
EMU_HOT static void s32_f32_lanes(const uint32_t *a, uint32_t *out)
{
    FLOAT_LANES(i)
    {
        float x = float_of(a[i]);
        bool low = x < -0x1p31f, high = x >= 0x1p31f, inside = !low && !high && x == x;
        int32_t r = (int32_t)(inside ? x : 0.0f);
        out[i] = high ? 0x7fffffffu : low ? 0x80000000u : (uint32_t)r;
    }
}

#define FAST(name)                                                                                 \
    static void run_##name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)             \
    {                                                                                              \
        emu_lanes t, out;                                                                          \
        name##_lanes(emu_lanes_of(w, &op->source[0], t), out);                                     \
        float_store(w, op->dest, out, mask);                                                       \
    }

FAST(f32_s32)
FAST(f32_u32)
FAST(s32_f32)

/* ".B2", ".H1" and so on after the source register: its first bit. */
static uint32_t source_shift(const struct emu_decode *d)
{
    const struct sass_arg *a = &d->text.args[1];
    for (size_t i = 0; a->kind == SASS_REGISTER && i + 3 <= a->len; i++) {
        const char *p = a->text + i;
        if (p[0] == '.' && p[1] == 'B' && p[2] >= '0' && p[2] <= '3')
            return 8u * (uint32_t)(p[2] - '0');
        if (p[0] == '.' && p[1] == 'H' && p[2] == '1')
            return 16;
    }
    return 0;
}

#define TYPE_WORDS "F16 BF16 F32 F64 S8 S16 S32 S64 U8 U16 U32 U64 "

/* Types named by modifiers, in order; at most two. */
static uint32_t named_types(const struct emu_decode *d, uint32_t named[2])
{
    struct modifier m;
    uint32_t count = 0;
    for (const char *cursor = d->inst->opcode; modifier_next(&cursor, &m) && count < 2;)
        for (uint32_t i = 0; i < TYPE_COUNT; i++)
            if (modifier_is(m, types[i].name) && count < 2)
                named[count++] = i;
    return count;
}

static bool decode(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    const struct type *to = &types[op->param[TO]], *from = &types[op->param[FROM]];
    TRY(emu_dest_from_arg(op, d, 0, err));
    bool uniform = float_arg_is_uniform(d, 0);
    if (!uniform)
        TRY(float_check_group(d, op->dest, to->bits / 32, err));
    TRY(emu_source_from_arg(op, d, 1, from->bits == 64 ? 64 : 32, from->kind < KIND_S, err));
    if (op->source[0].kind == EMU_SRC_REG)
        TRY(float_check_group(d, op->source[0].reg, from->bits / 32, err));
    enum float_rounding mode = float_rounding_of(d);
    op->param[MODE] = emu_has(d, "FLOOR")   ? FLOAT_RM
                      : emu_has(d, "CEIL")  ? FLOAT_RP
                      : emu_has(d, "TRUNC") ? FLOAT_RZ
                                            : mode;
    op->param[FLAGS] |= (emu_has(d, "FTZ") ? FLAG_FTZ : 0) | (emu_has(d, "SAT") ? FLAG_SAT : 0) |
                        (emu_has(d, "NTZ") ? FLAG_NTZ : 0) | source_shift(d) << FLAG_SHIFT;
    op->run = uniform ? run_uniform : run_convert;
    return true;
}

static bool is_plain(const struct emu_op *op)
{
    const struct emu_source *s = &op->source[0];
    return op->run == run_convert && !s->neg && !s->abs;
}

bool emu_decode_i2f(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    uint32_t named[2], count = named_types(d, named);
    TRY(float_check_modifiers(d, TYPE_WORDS "RN RM RP RZ", err));
    op->param[TO] = TYPE_F32;
    op->param[FROM] = TYPE_S32;
    for (uint32_t i = 0; i < count; i++)
        op->param[types[named[i]].kind >= KIND_S ? FROM : TO] = named[i];
    TRY(decode(op, d, err));
    if (is_plain(op) && op->param[TO] == TYPE_F32 && op->param[MODE] == FLOAT_RN) {
        if (op->param[FROM] == TYPE_S32)
            op->run = run_f32_s32;
        else if (op->param[FROM] == TYPE_U32)
            op->run = run_f32_u32;
    }
    return true;
}

bool emu_decode_f2i(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    uint32_t named[2], count = named_types(d, named);
    TRY(float_check_modifiers(d, TYPE_WORDS "FLOOR CEIL TRUNC FTZ NTZ", err));
    op->param[TO] = TYPE_S32;
    op->param[FROM] = TYPE_F32;
    for (uint32_t i = 0; i < count; i++)
        op->param[types[named[i]].kind >= KIND_S ? TO : FROM] = named[i];
    TRY(decode(op, d, err));
    bool cast = op->param[TO] == TYPE_S32 && op->param[FROM] == TYPE_F32 &&
                op->param[MODE] == FLOAT_RZ && op->param[FLAGS] & FLAG_NTZ;
    if (is_plain(op) && cast) /* denormals are truncated to 0 in any case */
        op->run = run_s32_f32;
    return true;
}

bool emu_decode_f2f(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    uint32_t named[2];
    TRY(float_check_modifiers(d, "F16 BF16 F32 F64 RN RM RP RZ FTZ SAT", err));
    if (named_types(d, named) != 2)
        return emu_decode_error(d, err, "expected two formats such as .F32.F64");
    op->param[TO] = named[0];
    op->param[FROM] = named[1];
    return decode(op, d, err);
}

bool emu_decode_frnd(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    uint32_t named[2];
    TRY(float_check_modifiers(d, "F16 BF16 F32 F64 FLOOR CEIL TRUNC FTZ", err));
    op->param[TO] = op->param[FROM] = named_types(d, named) ? named[0] : TYPE_F32;
    op->param[FLAGS] = FLAG_WHOLE;
    return decode(op, d, err);
}

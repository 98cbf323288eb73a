/* F2FP, F2IP: conversions that pack two results into a register. */
#include <math.h>

#include "emu/half.h"
#include "emu/hot.h"
#include "emu/semantics.h"
#include "isa/modifier.h"

/* param[] */
enum { TO, MODE, FLAGS };
#define FLAG_RELU 1u
#define FLAG_FINITE 2u /* overflow and infinity give the largest finite number */

static const struct float_format *const formats[] = {&float_f16, &float_bf16, &float_tf32,
                                                     &float_e4m3, &float_e5m2};
static const char *const names[] = {"F16", "BF16", "TF32", "E4M3", "E5M2"};
#define FORMAT_COUNT (sizeof formats / sizeof formats[0])
enum { TO_TF32 = 2, TO_E4M3 = 3, TO_E5M2 = 4 };

static uint32_t pack(const struct emu_op *op, double v)
{
    const struct float_format *f = formats[op->param[TO]];
    uint32_t flags = op->param[FLAGS];
    if (flags & FLAG_RELU && !(v > 0) && v == v)
        v = 0;
    uint32_t bits = (uint32_t)float_pack_sum(f, v, 0, op->param[MODE]);
    if (flags & FLAG_FINITE && v == v && (bits & (f->sign - 1)) >= f->infinity)
        bits = (bits & (uint32_t)f->sign) | (uint32_t)(f->infinity - 1);
    return bits;
}

static double single(const struct emu_op *op, uint32_t k, uint32_t word)
{
    return float_of(float_source(word, float_sign_of(&op->source[k]), false));
}

/* Two FP32 values: the first goes to the high part. A third source fills what 8-bit results leave.
 */
static uint32_t pack_two(const struct emu_op *op, const uint32_t *v)
{
    uint32_t high = pack(op, single(op, 0, v[0])), low = pack(op, single(op, 1, v[1]));
    if (op->param[TO] < TO_E4M3)
        return high << 16 | low;
    return v[2] << 16 | high << 8 | low;
}

static uint32_t pack_one(const struct emu_op *op, const uint32_t *v)
{
    return pack(op, single(op, 0, v[0])) << 13; /* TF32 is the high part of an FP32 word */
}

/* Two FP16 values of one source into 8-bit formats. */
static uint32_t pack_halves(const struct emu_op *op, const uint32_t *v)
{
    uint32_t low = pack(op, half_to_float(v[0] & 0xffff)),
             high = pack(op, half_to_float(v[0] >> 16));
    return v[1] << 16 | high << 8 | low;
}

/* Two 8-bit values into FP16. */
static uint32_t unpack_bytes(const struct emu_op *op, const uint32_t *v,
                             const struct float_format *f)
{
    uint32_t word = op->source[0].half == 2 ? v[0] >> 16 : v[0];
    uint32_t low = pack(op, float_unpack(f, word & 0xff));
    return pack(op, float_unpack(f, word >> 8 & 0xff)) << 16 | low;
}

static uint32_t unpack_e4m3(const struct emu_op *op, const uint32_t *v)
{
    return unpack_bytes(op, v, &float_e4m3);
}

static uint32_t unpack_e5m2(const struct emu_op *op, const uint32_t *v)
{
    return unpack_bytes(op, v, &float_e5m2);
}

/* FP32 to a byte, saturating; NaN gives 0. The second value is the low byte. */
static uint32_t byte_of(const struct emu_op *op, uint32_t k, uint32_t word)
{
    double v = single(op, k, word);
    v = op->param[MODE] == FLOAT_RZ ? trunc(v) : rint(v);
    bool is_signed = op->param[TO];
    double least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
    if (v != v)
        return 0;
    return (uint32_t)(int32_t)(v < least ? least : v > most ? most : v) & 0xff;
}

static uint32_t pack_bytes(const struct emu_op *op, const uint32_t *v)
{
    return v[2] << 16 | byte_of(op, 0, v[0]) << 8 | byte_of(op, 1, v[1]);
}

#define HANDLER(function)                                                                          \
    static void run_##function(struct emu_warp *w, const struct emu_op *op, uint32_t mask)         \
    {                                                                                              \
        emu_lanes t[3], out;                                                                       \
        const uint32_t *v[3] = {0};                                                                \
        for (uint32_t k = 0; k < op->source_count; k++)                                            \
            v[k] = emu_lanes_of(w, &op->source[k], t[k]);                                          \
        FLOAT_LANES(i)                                                                             \
        {                                                                                          \
            uint32_t words[3] = {0};                                                               \
            for (uint32_t k = 0; k < op->source_count; k++)                                        \
                words[k] = v[k][i];                                                                \
            out[i] = function(op, words);                                                          \
        }                                                                                          \
        float_store(w, op->dest, out, mask);                                                       \
    }                                                                                              \
    static void run_u##function(struct emu_warp *w, const struct emu_op *op, uint32_t mask)        \
    {                                                                                              \
        (void)mask;                                                                                \
        uint32_t words[3] = {0};                                                                   \
        for (uint32_t k = 0; k < op->source_count; k++) {                                          \
            const struct emu_source *s = &op->source[k];                                           \
            words[k] = s->kind == EMU_SRC_UREG ? w->ur[s->reg] : (uint32_t)s->value;               \
        }                                                                                          \
        w->ur[op->dest] = function(op, words);                                                     \
    }

HANDLER(pack_two)
HANDLER(pack_one)
HANDLER(pack_halves)
HANDLER(unpack_e4m3)
HANDLER(unpack_e5m2)
HANDLER(pack_bytes)

/* FP16 to nearest, the common case. */
EMU_HOT static void f16_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t *out)
{
    emu_lanes ta, tb;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], ta);
    const uint32_t *b = emu_lanes_of(w, &op->source[1], tb);
    struct float_sign sa = float_sign_of(&op->source[0]), sb = float_sign_of(&op->source[1]);
    FLOAT_LANES(i)
    {
        uint32_t high = half_from_float(float_of(float_source(a[i], sa, false)));
        out[i] = high << 16 | half_from_float(float_of(float_source(b[i], sb, false)));
    }
}

static void run_pack_f16(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes out;
    f16_lanes(w, op, out);
    float_store(w, op->dest, out, mask);
}

struct layout {
    const char *name;
    uint32_t sources;
    void (*run)(struct emu_warp *w, const struct emu_op *op, uint32_t mask);
    void (*urun)(struct emu_warp *w, const struct emu_op *op, uint32_t mask);
};

static const struct layout layouts[] = {
    {"PACK_AB", 2, run_pack_two, run_upack_two},
    {"PACK_AB_MERGE_C", 3, run_pack_two, run_upack_two},
    {"PACK_B", 1, run_pack_one, run_upack_one},
    {"UNPACK_B_MERGE_C", 2, run_pack_halves, run_upack_halves},
    {"UNPACK_B", 1, run_unpack_e4m3, run_uunpack_e4m3},
    {"UNPACK_B", 1, run_unpack_e5m2, run_uunpack_e5m2},
};

bool emu_decode_f2fp(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d,
                              "F16 BF16 TF32 E4M3 E5M2 F32 RELU SATFINITE RN RZ PACK_AB "
                              "PACK_AB_MERGE_C PACK_B UNPACK_B_MERGE_C UNPACK_B",
                              err));
    const struct layout *layout = NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0] && !layout; i++)
        if (emu_has(d, layouts[i].name))
            layout = &layouts[i];
    if (!layout)
        return emu_decode_error(d, err, "expected a layout such as .PACK_AB");
    bool unpack = layout->run == run_unpack_e4m3;
    if (unpack && emu_has(d, "E5M2"))
        layout++;
    /* The format named first is the result's; FP16 is not always written. */
    struct modifier m;
    bool found = false;
    for (const char *cursor = d->inst->opcode; modifier_next(&cursor, &m) && !found;)
        for (uint32_t i = 0; i < FORMAT_COUNT && !found; i++) {
            found = modifier_is(m, names[i]);
            op->param[TO] = found ? i : 0;
        }
    op->param[MODE] = float_rounding_of(d);
    op->param[FLAGS] =
        (emu_has(d, "RELU") ? FLAG_RELU : 0) | (emu_has(d, "SATFINITE") ? FLAG_FINITE : 0);
    bool fits = layout->run == run_pack_one      ? op->param[TO] == TO_TF32
                : layout->run == run_pack_halves ? op->param[TO] >= TO_E4M3
                : unpack                         ? op->param[TO] < TO_TF32
                                                 : op->param[TO] != TO_TF32;
    if (!fits)
        return emu_decode_error(d, err, "this format has no semantics in this layout");
    TRY(float_decode_sources(op, d, layout->sources, 32, err));
    op->run = float_arg_is_uniform(d, 0) ? layout->urun : layout->run;
    if (op->run == run_pack_two && op->param[TO] == 0 && op->param[MODE] == FLOAT_RN &&
        op->param[FLAGS] == 0)
        op->run = run_pack_f16;
    return true;
}

bool emu_decode_f2ip(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(float_check_modifiers(d, "U8 S8 F32 TRUNC NTZ", err));
    TRY(float_decode_sources(op, d, 3, 32, err));
    op->param[TO] = emu_has(d, "S8");
    op->param[MODE] = emu_has(d, "TRUNC") ? FLOAT_RZ : FLOAT_RN;
    op->run = float_arg_is_uniform(d, 0) ? run_upack_bytes : run_pack_bytes;
    return true;
}

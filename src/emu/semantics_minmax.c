/* IMNMX, VIMNMX, VIMNMX3, VIADDMNMX and their uniform forms.
 *
 * The last predicate selects the minimum where it holds, else the maximum. .RELU raises negative
 * results to 0. Packed types work element by element. */
#include "emu/lanes.h"
#include "emu/operands.h"
#include "emu/packed.h"
#include "emu/semantics.h"

/* Words: q flips the order so that the smaller one is kept; p is the bias that makes an unsigned
 * comparison a signed one. */
static inline uint32_t keep(uint32_t a, uint32_t b, uint32_t p, uint32_t q)
{
    return ((a ^ p) ^ q) > ((b ^ p) ^ q) ? a : b;
}
LANES_2(run_keep, keep)

static inline uint32_t keep_3(uint32_t a, uint32_t b, uint32_t c, uint32_t p, uint32_t q)
{
    return keep(keep(a, b, p, q), c, p, q);
}
LANES_3(run_keep_3, keep_3)

static inline uint32_t add_keep(uint32_t a, uint32_t b, uint32_t c, uint32_t p, uint32_t q)
{
    return keep(a + b, c, p, q);
}
LANES_3(run_add_keep, add_keep)

/* The general form: p = bits of an element, signed, .RELU, and what is done with the sources. */
#define ELEMENT_BITS 0x3fu
#define IS_SIGNED 0x40u
#define RELU 0x80u
#define ADD_FIRST 0x100u

static inline int64_t better(int64_t x, int64_t y, uint32_t smaller)
{
    return (smaller ? x < y : x > y) ? x : y;
}

/* q = all ones for the minimum. */
static inline uint32_t minmax_any(uint32_t a, uint32_t b, uint32_t c, uint32_t p, uint32_t q)
{
    uint32_t bits = p & ELEMENT_BITS, is_signed = p & IS_SIGNED, result = 0;
    for (uint32_t at = 0; at < 32; at += bits) {
        int64_t x = packed_get(a, at, bits, is_signed), y = packed_get(b, at, bits, is_signed);
        int64_t z = packed_get(c, at, bits, is_signed);
        x = p & ADD_FIRST ? packed_get((uint32_t)(x + y), 0, bits, is_signed) : better(x, y, q);
        x = better(x, z, q);
        if (p & RELU && x < 0)
            x = 0;
        result |= packed_cut((uint32_t)x, bits) << at;
    }
    return result;
}

static void run_minmax_any(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb, tc;
    const uint32_t *a = lanes_of(w, &op->source[0], ta);
    const uint32_t *b = lanes_of(w, &op->source[1], tb);
    const uint32_t *c = lanes_of(w, &op->source[2], tc);
    uint32_t *d = w->r[op->dest];
    for (uint32_t i = 0; i < WARP_LANES; i++)
        if (lane_of(mask, i))
            d[i] = minmax_any(a[i], b[i], c[i], op->param[0], op->param[1]);
}

static void run_minmax_any_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    w->ur[op->dest] = minmax_any(uniform_of(w, &op->source[0]), uniform_of(w, &op->source[1]),
                                 uniform_of(w, &op->source[2]), op->param[0], op->param[1]);
}

/* Predicates of packed halves: the first source is kept, or both are equal. */
static void run_minmax_halves(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb;
    const uint32_t *a = lanes_of(w, &op->source[0], ta);
    const uint32_t *b = lanes_of(w, &op->source[1], tb);
    const uint32_t p = op->param[0], q = op->param[1];
    uint32_t first[2] = {0, 0};
    uint32_t *d = w->r[op->dest];
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        for (uint32_t k = 0; k < 2; k++) {
            int64_t x = packed_get(a[i], 16 * k, 16, p & IS_SIGNED);
            int64_t y = packed_get(b[i], 16 * k, 16, p & IS_SIGNED);
            first[k] |= (uint32_t)(q ? x <= y : x >= y) << i;
        }
        uint32_t v = minmax_any(a[i], b[i], b[i], p, q);
        d[i] = lane_of(mask, i) ? v : d[i];
    }
    emu_write_predicate(w, op->pdest[0], first[0], mask);
    emu_write_predicate(w, op->pdest[1], first[1], mask);
}

/* 32-bit words and a predicate that differs between lanes. p as for keep(). */
EMU_HOT static void run_keep_each(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes ta, tb;
    const uint32_t *a = lanes_of(w, &op->source[0], ta);
    const uint32_t *b = lanes_of(w, &op->source[1], tb);
    const uint32_t p = op->param[0], smaller = emu_predicate_of(w, &op->psource[0]);
    uint32_t *d = w->r[op->dest];
    LANES_STORE(d, mask, keep(a[i], b[i], p, 0 - (smaller >> i & 1)))
}

static void run_keep_each_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    w->ur[op->dest] = keep(uniform_of(w, &op->source[0]), uniform_of(w, &op->source[1]),
                           op->param[0], 0 - uniform_predicate(w, &op->psource[0]));
}

/* 64-bit words: p = signed, q = all ones for the minimum. */
static inline uint64_t keep_64(uint64_t a, uint64_t b, uint32_t p, uint32_t q)
{
    uint64_t bias = (uint64_t)(p != 0) << 63;
    bool greater = (a ^ bias) > (b ^ bias);
    return greater != (q != 0) ? a : b;
}

static void run_keep_64(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    struct lanes64 a, b;
    lanes64_read(&a, w, &op->source[0]);
    lanes64_read(&b, w, &op->source[1]);
    uint32_t *d = w->r[op->dest], *e = w->r[op->dest + 1];
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint64_t x = (uint64_t)a.hi[i] << 32 | a.lo[i], y = (uint64_t)b.hi[i] << 32 | b.lo[i];
        uint64_t v = keep_64(x, y, op->param[0], op->param[1]);
        if (lane_of(mask, i)) {
            d[i] = (uint32_t)v;
            e[i] = (uint32_t)(v >> 32);
        }
    }
}

static void run_keep_64_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint64_t a = uniform64_of(w, &op->source[0]), b = uniform64_of(w, &op->source[1]);
    uniform64_write(w, op->dest, keep_64(a, b, op->param[0], op->param[1]));
}

/* Element type and .RELU as flags of minmax_any(); words are the default. */
static uint32_t read_flags(const struct emu_decode *d)
{
    uint32_t bits = emu_has(d, "S16x2") || emu_has(d, "U16x2") ? 16
                    : emu_has(d, "S8x4") || emu_has(d, "U8x4") ? 8
                                                               : 32;
    bool is_unsigned = emu_has(d, "U32") || emu_has(d, "U16x2") || emu_has(d, "U8x4");
    return bits | (is_unsigned ? 0 : IS_SIGNED) | (emu_has(d, "RELU") ? RELU : 0);
}

/* Reads the selecting predicate; *constant when it is PT or !PT. Sets param[1]. */
static bool read_select(struct operands *o, bool *constant)
{
    TRY(operands_psource(o, 0));
    const struct emu_predicate *p = &o->op->psource[0];
    *constant = p->index == 7;
    o->op->param[1] = p->neg ? 0 : ~0u;
    return true;
}

static bool constant_select(struct operands *o)
{
    bool constant;
    TRY(read_select(o, &constant));
    return constant || emu_decode_error(o->d, o->err, "expected PT or !PT as selection");
}

/* Bias of keep() for the flags. */
static uint32_t bias_of(uint32_t flags)
{
    return flags & IS_SIGNED ? 0x80000000u : 0;
}

/* IMNMX.S64 PT, PT, d, a, b, P, !PT (sm_100 and later). */
static bool decode_64(struct operands *o)
{
    TRY(operands_pdests(o, 2));
    TRY(operands_no_pdest(o));
    TRY(operands_dest(o, 2));
    TRY(operands_source(o, 64));
    TRY(operands_source(o, 64));
    TRY(constant_select(o));
    TRY(operands_psource(o, 1));
    const struct emu_predicate *p = &o->op->psource[1];
    if (p->index != 7 || !p->neg)
        return emu_decode_error(o->d, o->err, "expected !PT as last predicate");
    o->op->param[0] = emu_has(o->d, "S64");
    LANES_PICK(o, run_keep_64);
    return operands_end(o);
}

/* IMNMX d, a, b, P and VIMNMX d, [P, P,] a, b, P */
bool emu_decode_minmax(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    bool constant;
    TRY(operands_start(&o, op, d, "S32 U32 S64 U64 S16x2 U16x2 S8x4 U8x4 RELU", err));
    if (emu_has(d, "S64") || emu_has(d, "U64"))
        return decode_64(&o);
    uint32_t flags = read_flags(d);
    TRY(operands_dest(&o, 1));
    TRY(operands_pdests(&o, 2));
    TRY(operands_sources(&o, 2));
    TRY(read_select(&o, &constant));
    bool halves = (flags & ELEMENT_BITS) == 16 && !(flags & RELU) && !o.uniform;
    bool words = (flags & (ELEMENT_BITS | RELU)) == 32;
    if (!halves)
        TRY(operands_no_pdest(&o));
    if (!constant && !words)
        return emu_decode_error(d, err, "expected PT or !PT as selection");
    op->param[0] = words ? bias_of(flags) : flags;
    if (halves && (op->pdest[0] != 7 || op->pdest[1] != 7)) {
        op->run = run_minmax_halves;
    } else if (!constant) {
        LANES_PICK(&o, run_keep_each);
    } else if (words) {
        LANES_PICK(&o, run_keep);
    } else {
        op->source[op->source_count++] = op->source[1]; /* the better of a, b and b */
        LANES_PICK(&o, run_minmax_any);
    }
    return operands_end(&o);
}

static bool decode_three(struct operands *o, uint32_t add)
{
    uint32_t flags = read_flags(o->d) | add;
    TRY(operands_dest(o, 1));
    TRY(operands_sources(o, 3));
    TRY(constant_select(o));
    o->op->param[0] = flags;
    LANES_PICK(o, run_minmax_any);
    if ((flags & (ELEMENT_BITS | RELU)) == 32) {
        o->op->param[0] = bias_of(flags);
        if (add)
            LANES_PICK(o, run_add_keep);
        else
            LANES_PICK(o, run_keep_3);
    }
    return operands_end(o);
}

/* VIMNMX3 d, a, b, c, P */
bool emu_decode_minmax3(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "S32 U32 S16x2 U16x2 RELU", err));
    return decode_three(&o, 0);
}

/* VIADDMNMX d, a, b, c, P: of a + b and c. */
bool emu_decode_viaddmnmx(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "S32 U32 S16x2 U16x2 RELU", err));
    return decode_three(&o, ADD_FIRST);
}

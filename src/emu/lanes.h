/* Lane loops of integer handlers.
 *
 * An operation is an inline function of words; the macros make of it a handler that runs it in the
 * lanes of a mask, and one that runs it once on uniform registers ("_uniform"). Parameters are
 * passed by value: a store to a lane could change what `op` points to, as far as compilers know. */
#ifndef SUBCORE_EMU_LANES_H
#define SUBCORE_EMU_LANES_H

#include "emu/hot.h"
#include "emu/op.h"

/* A destination row is a source row or does not overlap it, so lanes are independent. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop may stay scalar, as with -O1 */
#define EACH_LANE(i)                                                                               \
    _Pragma("clang loop vectorize(assume_safety)") for (uint32_t i = 0; i < WARP_LANES; i++)
#elif defined(__GNUC__)
#define EACH_LANE(i) _Pragma("GCC ivdep") for (uint32_t i = 0; i < WARP_LANES; i++)
#else
#define EACH_LANE(i) for (uint32_t i = 0; i < WARP_LANES; i++)
#endif

/* Lane i of `mask`. */
static inline bool lane_of(uint32_t mask, uint32_t i)
{
    return mask >> i & 1;
}

/* What "-" or "~" before a source flips, and what "-" adds then. */
static inline uint32_t sign_flip(const struct emu_source *s)
{
    return s->neg || s->inv ? ~0u : 0;
}

/* Values of a 32-bit source, sign applied. */
static inline const uint32_t *lanes_of(const struct emu_warp *w, const struct emu_source *s,
                                       emu_lanes tmp)
{
    const uint32_t *v = emu_lanes_of(w, s, tmp);
    if (!s->neg && !s->inv)
        return v;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        tmp[i] = ~v[i] + s->neg;
    return tmp;
}

/* Value of a uniform source without its sign. */
static inline uint32_t uniform_raw(const struct emu_warp *w, const struct emu_source *s)
{
    return s->kind == EMU_SRC_UREG ? w->ur[s->reg] : (uint32_t)s->value;
}

/* Value of a 32-bit uniform source, sign applied. */
static inline uint32_t uniform_of(const struct emu_warp *w, const struct emu_source *s)
{
    return (uniform_raw(w, s) ^ sign_flip(s)) + s->neg;
}

/* Value of a 64-bit uniform source, sign applied. */
static inline uint64_t uniform64_of(const struct emu_warp *w, const struct emu_source *s)
{
    uint64_t v = s->value;
    if (s->kind == EMU_SRC_UREG)
        v = (uint64_t)w->ur[s->reg + 1] << 32 | w->ur[s->reg];
    return s->inv ? ~v : s->neg ? 0 - v : v;
}

/* A 64-bit source in lanes, sign applied. */
struct lanes64 {
    const uint32_t *lo, *hi;
    emu_lanes tmp_lo, tmp_hi;
};

static inline void lanes64_read(struct lanes64 *out, const struct emu_warp *w,
                                const struct emu_source *s)
{
    out->lo = emu_lanes_of(w, s, out->tmp_lo);
    out->hi = emu_lanes_hi_of(w, s, out->tmp_hi);
    if (!s->neg && !s->inv)
        return;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint32_t lo = ~out->lo[i] + s->neg;
        out->tmp_hi[i] = ~out->hi[i] + (s->neg && lo == 0);
        out->tmp_lo[i] = lo;
    }
    out->lo = out->tmp_lo;
    out->hi = out->tmp_hi;
}

static inline void uniform64_write(struct emu_warp *w, uint32_t dest, uint64_t v)
{
    w->ur[dest] = (uint32_t)v;
    w->ur[dest + 1] = (uint32_t)(v >> 32);
}

/* A uniform predicate source as 0 or 1, and a write of one. */
static inline uint32_t uniform_predicate(const struct emu_warp *w, const struct emu_predicate *p)
{
    return (uint32_t)(w->up >> p->index & 1) ^ p->neg;
}

static inline void uniform_write_predicate(struct emu_warp *w, uint32_t index, bool value)
{
    if (index != 7)
        w->up = (uint8_t)((w->up & ~(1u << index)) | (uint32_t)value << index);
}

/* `value` in the lanes of m, all ones or 0, else `old`: without a branch, for vectors. */
static inline uint32_t lane_choose(uint32_t m, uint32_t value, uint32_t old)
{
    return (value & m) | (old & ~m);
}

/* All ones where lane i is in `mask`. */
static inline uint32_t lane_ones(uint32_t mask, uint32_t i)
{
    return 0 - (mask >> i & 1);
}

#define LANES_STORE(d, mask, expression)                                                           \
    if ((mask) == ~0u) {                                                                           \
        EACH_LANE(i)                                                                               \
        {                                                                                          \
            (d)[i] = (expression);                                                                 \
        }                                                                                          \
    } else {                                                                                       \
        EACH_LANE(i)                                                                               \
        {                                                                                          \
            (d)[i] = lane_choose(lane_ones(mask, i), (expression), (d)[i]);                        \
        }                                                                                          \
    }

/* Handlers NAME and NAME_uniform of an operation f(a, p, q), f(a, b, p, q) or f(a, b, c, p, q) with
 * p, q = op->param[0], [1]. */
#define LANES_1(name, f)                                                                           \
    EMU_HOT static void name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)           \
    {                                                                                              \
        emu_lanes ta;                                                                              \
        const uint32_t *a = lanes_of(w, &op->source[0], ta);                                       \
        const uint32_t p = op->param[0], q = op->param[1];                                         \
        uint32_t *d = w->r[op->dest];                                                              \
        LANES_STORE(d, mask, f(a[i], p, q))                                                        \
    }                                                                                              \
    static void name##_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)         \
    {                                                                                              \
        (void)mask;                                                                                \
        w->ur[op->dest] = f(uniform_of(w, &op->source[0]), op->param[0], op->param[1]);            \
    }

#define LANES_2(name, f)                                                                           \
    EMU_HOT static void name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)           \
    {                                                                                              \
        emu_lanes ta, tb;                                                                          \
        const uint32_t *a = lanes_of(w, &op->source[0], ta);                                       \
        const uint32_t *b = lanes_of(w, &op->source[1], tb);                                       \
        const uint32_t p = op->param[0], q = op->param[1];                                         \
        uint32_t *d = w->r[op->dest];                                                              \
        LANES_STORE(d, mask, f(a[i], b[i], p, q))                                                  \
    }                                                                                              \
    static void name##_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)         \
    {                                                                                              \
        (void)mask;                                                                                \
        w->ur[op->dest] = f(uniform_of(w, &op->source[0]), uniform_of(w, &op->source[1]),          \
                            op->param[0], op->param[1]);                                           \
    }

#define LANES_3(name, f)                                                                           \
    EMU_HOT static void name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)           \
    {                                                                                              \
        emu_lanes ta, tb, tc;                                                                      \
        const uint32_t *a = lanes_of(w, &op->source[0], ta);                                       \
        const uint32_t *b = lanes_of(w, &op->source[1], tb);                                       \
        const uint32_t *c = lanes_of(w, &op->source[2], tc);                                       \
        const uint32_t p = op->param[0], q = op->param[1];                                         \
        uint32_t *d = w->r[op->dest];                                                              \
        LANES_STORE(d, mask, f(a[i], b[i], c[i], p, q))                                            \
    }                                                                                              \
    static void name##_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)         \
    {                                                                                              \
        (void)mask;                                                                                \
        w->ur[op->dest] = f(uniform_of(w, &op->source[0]), uniform_of(w, &op->source[1]),          \
                            uniform_of(w, &op->source[2]), op->param[0], op->param[1]);            \
    }

/* The handler for the operands: in lanes or uniform. */
#define LANES_PICK(o, name) ((o)->op->run = (o)->uniform ? name##_uniform : name)

#endif

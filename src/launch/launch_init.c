#include "launch/launch_init.h"

#include <inttypes.h>
#include <string.h>

#include "base/stream.h"

#define GOLDEN 0x9E3779B97F4A7C15ull

static uint64_t hash64(uint64_t seed, uint64_t i)
{
    uint64_t z = (seed * GOLDEN + i + 1) * GOLDEN;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

uint16_t launch_init_half(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000) /* NaN: quiet, upper bits of the payload */
        return (uint16_t)(sign | 0x7e00 | (rest >> 13 & 0x1ff));
    if (rest >= 0x477ff000) /* rounds to 65536 or more */
        return (uint16_t)(sign | 0x7c00);
    uint32_t mantissa = rest, drop = 13;
    if (rest < 0x38800000) { /* below 2^-14: a subnormal, a multiple of 2^-24 */
        uint32_t shift = 126 - (rest >> 23);
        if (shift > 25)
            return (uint16_t)sign;
        mantissa = (rest & 0x7fffff) | 0x800000;
        drop = shift;
    } else {
        mantissa -= 112u << 23;
    }
    uint32_t half = mantissa >> drop, lost = mantissa & ((1u << drop) - 1);
    uint32_t tie = 1u << (drop - 1);
    half += lost > tie || (lost == tie && (half & 1));
    return (uint16_t)(sign | half);
}

/* Stores `v` as element i. */
static void put_integer(uint8_t *data, enum launch_type type, uint64_t i, uint64_t v)
{
    const struct launch_type_info *t = launch_type_info(type);
    uint8_t *at = data + i * t->bytes;
    float f = (float)v;
    double d = (double)v;
    if (t->kind == LAUNCH_FLOAT && t->bytes == 8) {
        memcpy(at, &d, sizeof d);
    } else if (t->kind == LAUNCH_FLOAT && t->bytes == 4) {
        memcpy(at, &f, sizeof f);
    } else {
        if (t->kind == LAUNCH_FLOAT)
            v = launch_init_half(f);
        for (uint32_t b = 0; b < t->bytes; b++)
            at[b] = (uint8_t)(v >> (8 * b));
    }
}

static void fill_hash(uint8_t *data, const struct launch_arg *arg)
{
    const struct launch_type_info *t = launch_type_info(arg->type);
    for (uint64_t i = 0; i < arg->count; i++) {
        uint64_t z = hash64(arg->number, i);
        uint32_t h = (uint32_t)(z >> 32);
        float f = (float)(h >> 8) * 0x1p-24f;
        double d = (double)(z >> 11) * 0x1p-53;
        if (t->kind != LAUNCH_FLOAT)
            put_integer(data, arg->type, i, t->bytes == 8 ? z : h);
        else if (t->bytes == 8)
            memcpy(data + 8 * i, &d, sizeof d);
        else if (t->bytes == 4)
            memcpy(data + 4 * i, &f, sizeof f);
        else
            put_integer(data, LAUNCH_TYPE_u16, i, launch_init_half(f));
    }
}

static void fill_ring(uint8_t *data, const struct launch_arg *arg)
{
    uint64_t steps = arg->count / arg->number;
    for (uint64_t i = 0; i < steps; i++)
        put_integer(data, arg->type, i * arg->number,
                    (i * 1664525 + 1013904223) % steps * arg->number);
}

static bool fill_file(uint8_t *data, const struct launch_arg *arg, const char *path,
                      struct sim_err *err)
{
    uint64_t bytes = arg->count * launch_type_info(arg->type)->bytes;
    size_t got = 0, more = 0;
    uint8_t extra;
    struct stream *s;
    TRY(stream_open(&s, path, err));
    bool ok = stream_read(s, data, (size_t)bytes, &got, err) &&
              (got < bytes || stream_read(s, &extra, 1, &more, err));
    if (ok && (got < bytes || more > 0))
        ok = err_set(err, ERR_INPUT, path, 0, 0,
                     "the buffer has %" PRIu64 " bytes, but the file has %s", bytes,
                     more > 0 ? "more" : "fewer");
    stream_close(s);
    return ok;
}

bool launch_init_fill(uint8_t *data, const struct launch_arg *arg, const char *path,
                      struct sim_err *err)
{
    switch (arg->init) {
    case LAUNCH_INIT_iota:
    case LAUNCH_INIT_times:
        for (uint64_t i = 0; i < arg->count; i++)
            put_integer(data, arg->type, i, arg->init == LAUNCH_INIT_iota ? i : arg->number * i);
        return true;
    case LAUNCH_INIT_hash:
        fill_hash(data, arg);
        return true;
    case LAUNCH_INIT_ring:
        fill_ring(data, arg);
        return true;
    case LAUNCH_INIT_file:
        return fill_file(data, arg, path, err);
    case LAUNCH_INIT_zeros:
    case LAUNCH_INIT_COUNT:
        break;
    }
    return true;
}

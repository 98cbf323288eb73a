/* Writes the input files of the opcode kernels: FOLDER/TYPE_NAME.bin, little-endian, COUNT
 * elements.
 *
 *   cc -O1 -ffp-contract=off -o inputs inputs.c -lm && ./inputs FOLDER
 *
 * TYPE_a, _b, _c are operands: every pair of special values comes first, then numbers near to each
 * other in magnitude, so that sums cancel and round, then arbitrary bits. TYPE_s are single
 * operands of conversions: limits of the integer types, halves, ties. f32_m goes through the range
 * of the special functions. TYPE_t and _u are elements of matrices. f16 and bf16 are pairs in a
 * word, low half first. */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define COUNT 896
#define SPECIALS 24

static const uint32_t special_f32[SPECIALS] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x7f7fffff,
    0xff7fffff, 0x3f7fffff, 0x3f800001, 0x40000000, 0x33800000, 0x4b000001, 0x5f000000, 0x1f800000};
static const uint64_t special_f64[SPECIALS] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0x7ff0000000000001, 0xfff8123456789abc, 0x7fefffffffffffff,
    0xffefffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000001, 0x4000000000000000,
    0x3ca0000000000000, 0x4330000000000001, 0x5fe0000000000000, 0x1ff0000000000000};
static const uint16_t special_f16[SPECIALS] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x7c00, 0xfc00,
    0x7e00, 0x7c01, 0xfe12, 0x7bff, 0xfbff, 0x3bff, 0x3c01, 0x4000, 0x3800, 0x1400, 0x6401, 0x5bff};
static const uint16_t special_bf16[SPECIALS] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x3f80, 0xbf80, 0x7f80, 0xff80,
    0x7fc0, 0x7f81, 0xffc1, 0x7f7f, 0xff7f, 0x3f7f, 0x3f81, 0x4000, 0x3b80, 0x4301, 0x5f00, 0x1f80};
static const uint64_t special_int[SPECIALS] = {
    0,          1,          2,          31,         32,         33,         63,         64,
    0x7f,       0x80,       0xff,       0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff,
    0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x01234567, 0x89abcdef, 0x00ff00ff, 0xf0f0f0f0};

static uint64_t state;

static uint64_t noise(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* A number format of up to 64 bits: sign, exponent, fraction. */
struct format {
    const char *name;
    unsigned exponent, fraction;
};

static uint64_t special_of(const struct format *f, unsigned k)
{
    if (f->exponent == 11)
        return special_f64[k];
    if (f->exponent == 8)
        return f->fraction == 23 ? special_f32[k] : special_bf16[k];
    return special_f16[k];
}

/* A number with a magnitude near 2^(e - bias). */
static uint64_t near_exponent(const struct format *f, int64_t e)
{
    int64_t last = ((int64_t)1 << f->exponent) - 2;
    e = e < 0 ? 0 : e > last ? last : e;
    uint64_t fraction = noise() & ((1ull << f->fraction) - 1);
    if (noise() % 4 == 0) /* few bits: sums and products that are exact or ties */
        fraction &= ~0ull << (f->fraction - 3);
    return (noise() & 1) << (f->exponent + f->fraction) | (uint64_t)e << f->fraction | fraction;
}

static uint64_t exponent_of(const struct format *f, uint64_t bits)
{
    return bits >> f->fraction & ((1ull << f->exponent) - 1);
}

/* Operand `which` of element i; `a` and `b` are the operands before it. */
static uint64_t operand(const struct format *f, unsigned which, unsigned i,
                        const uint64_t before[2])
{
    int64_t bias = ((int64_t)1 << (f->exponent - 1)) - 1;
    if (i < SPECIALS * SPECIALS) {
        const unsigned pick[3] = {i / SPECIALS, i % SPECIALS, (i * 7 + i / SPECIALS) % SPECIALS};
        return special_of(f, pick[which]);
    }
    uint64_t bits = noise() & (((1ull << (f->exponent + f->fraction)) - 1) << 1 | 1);
    if (i >= COUNT - 64) /* any bits */
        return bits;
    if (which == 0)
        return i % 8 == 0 ? near_exponent(f, (int64_t)(noise() % 3))
                          : near_exponent(f, bias - 6 + (int64_t)(noise() % 12));
    int64_t ea = (int64_t)exponent_of(f, before[0]), eb = (int64_t)exponent_of(f, before[1]);
    if (which == 1)
        return near_exponent(f, ea + (int64_t)(noise() % (f->fraction + 5)) - f->fraction / 2);
    return near_exponent(f,
                         ea + eb - bias + (int64_t)(noise() % (f->fraction + 3)) - f->fraction / 2);
}

static int put(const char *folder, const char *type, const char *name, const void *data,
               unsigned bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s_%s.bin", folder, type, name);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(data, bytes, COUNT, out) != COUNT || fclose(out) != 0) {
        perror(path);
        return 1;
    }
    return 0;
}

static int operands(const char *folder, const struct format *f)
{
    static uint64_t wide[3][COUNT];
    static uint32_t narrow[3][COUNT];
    unsigned size = 1 + f->exponent + f->fraction;
    int bad = 0;
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned half = 0; half < (size == 16 ? 2 : 1); half++) {
            uint64_t v[3] = {0};
            for (unsigned w = 0; w < 3; w++) {
                v[w] = operand(f, w, half ? (i * 5 + 331) % COUNT : i, v);
                wide[w][i] = v[w];
                narrow[w][i] = half ? narrow[w][i] | (uint32_t)v[w] << 16 : (uint32_t)v[w];
            }
        }
    for (unsigned w = 0; w < 3; w++)
        bad |= put(folder, f->name, (const char *[]){"a", "b", "c"}[w],
                   size == 64 ? (void *)wide[w] : (void *)narrow[w], size == 64 ? 8 : 4);
    return bad;
}

/* Numbers whose products add up with few bits lost; a special value in every 64th of the last. */
static int elements(const char *folder, const struct format *f, const char *name)
{
    static uint64_t wide[COUNT];
    static uint32_t narrow[COUNT];
    int64_t bias = ((int64_t)1 << (f->exponent - 1)) - 1;
    unsigned size = 1 + f->exponent + f->fraction;
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned half = 0; half < (size == 16 ? 2 : 1); half++) {
            int64_t width = i < COUNT / 2 ? 3 : 9;
            uint64_t v =
                near_exponent(f, bias - width + (int64_t)(noise() % (uint64_t)(2 * width)));
            if (i >= COUNT * 7 / 8 && noise() % 64 == 0)
                v = special_of(f, (unsigned)(noise() % SPECIALS));
            wide[i] = v;
            narrow[i] = half ? narrow[i] | (uint32_t)v << 16 : (uint32_t)v;
        }
    return put(folder, f->name, name, size == 64 ? (void *)wide : (void *)narrow,
               size == 64 ? 8 : 4);
}

static int integers(const char *folder)
{
    static uint64_t wide[COUNT];
    static uint32_t narrow[COUNT];
    int bad = 0;
    for (unsigned w = 0; w < 3; w++) {
        for (unsigned i = 0; i < COUNT; i++) {
            const unsigned pick[3] = {i / SPECIALS, i % SPECIALS,
                                      (i * 7 + i / SPECIALS) % SPECIALS};
            uint64_t bits = noise(), low = special_int[pick[w]];
            int small = i < SPECIALS * SPECIALS;
            narrow[i] = small ? (uint32_t)low : (uint32_t)(bits >> (i % 3 == w ? noise() % 32 : 0));
            uint64_t high = special_int[(pick[w] + i) % SPECIALS];
            wide[i] =
                small ? (i & 1 ? low : low << 32 | high) : bits >> (i % 3 == w ? noise() % 64 : 0);
        }
        bad |= put(folder, "u32", (const char *[]){"a", "b", "c"}[w], narrow, 4);
        bad |= put(folder, "u64", (const char *[]){"a", "b", "c"}[w], wide, 8);
    }
    return bad;
}

/* Values whose conversion to an integer saturates, ties or loses bits. */
static double conversion_value(unsigned i)
{
    static const double limits[] = {0x1p7, 0x1p8, 0x1p15, 0x1p16, 0x1p31, 0x1p32, 0x1p63, 0x1p64};
    static const double steps[] = {0,       0.25,     -0.25,   0.5,      -0.5,  0.75,
                                   -0.75,   1,        -1,      1.5,      -1.5,  2.5,
                                   0x1p-20, -0x1p-20, 0x1p-40, -0x1p-40, 0x1p8, -0x1p8};
    unsigned rows = sizeof limits / sizeof *limits, columns = sizeof steps / sizeof *steps;
    double sign = i & 1 ? -1 : 1;
    if (i < 64) /* 0, 0.25, 0.5 ... */
        return sign * 0.25 * (i / 2);
    i = (i - 64) / 2;
    if (i < rows * columns)
        return sign * (limits[i / columns] + steps[i % columns]);
    return sign * ldexp((double)(noise() >> 11), (int)(noise() % 80) - 64);
}

static int singles(const char *folder)
{
    static uint64_t f64[COUNT];
    static uint32_t f32[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        double d = conversion_value(i);
        float f = (float)d;
        memcpy(&f64[i], &d, 8);
        memcpy(&f32[i], &f, 4);
        if (i >= COUNT - SPECIALS) {
            f64[i] = special_f64[i - (COUNT - SPECIALS)];
            f32[i] = special_f32[i - (COUNT - SPECIALS)];
        } else if (i >= COUNT - 128) { /* what rounds at the limits of FP16 and FP32 */
            f32[i] = (uint32_t)(noise() & 0x80ffffff) | (uint32_t)(0x32 + i % 22) << 24;
            f64[i] = (noise() & 0x801fffffffffffff) | (uint64_t)(0x36 + i % 18) << 56;
        }
    }
    return put(folder, "f64", "s", f64, 8) | put(folder, "f32", "s", f32, 4);
}

static int range(const char *folder)
{
    static uint32_t f32[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t exponent = i < 512 ? i / 2 : 112 + i % 32; /* all of them, then 2^-15 to 2^16 */
        uint32_t fraction = (uint32_t)noise() & 0x7fffff;
        if (i % 16 < 2)
            fraction = 0;
        f32[i] = (i & 1) << 31 | exponent << 23 | fraction;
        if (i >= COUNT - SPECIALS)
            f32[i] = special_f32[i - (COUNT - SPECIALS)];
        else if (i >= 768) { /* around 1, where logarithms vanish, and multiples of pi */
            double turn = 1.57079632679489661923 * ((double)i - 820);
            float f = i & 1 ? (float)turn : 1 + ldexpf((float)(i % 32) - 16, -(int)(i % 24));
            memcpy(&f32[i], &f, 4);
        }
    }
    return put(folder, "f32", "m", f32, 4);
}

int main(int count, char **words)
{
    static const struct format formats[] = {
        {"f32", 8, 23}, {"f64", 11, 52}, {"f16", 5, 10}, {"bf16", 8, 7}};
    int bad = 0;
    if (count != 2) {
        fprintf(stderr, "usage: inputs FOLDER\n");
        return 2;
    }
    for (unsigned k = 0; k < sizeof formats / sizeof *formats; k++) {
        state = k;
        bad |= operands(words[1], &formats[k]) | elements(words[1], &formats[k], "t") |
               elements(words[1], &formats[k], "u");
    }
    state = 100;
    bad |= integers(words[1]);
    bad |= singles(words[1]);
    bad |= range(words[1]);
    return bad;
}

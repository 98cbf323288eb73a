#include "emu/atomic.h"

#include "emu/float.h"

#define NAN_HALF 0x7fffu
#define NAN_BF16 0x7fffu

static uint32_t add_f32(uint32_t a, uint32_t b)
{
    return float_result(float_of(float_flush(a)) + float_of(float_flush(b)), true, false);
}

/* A NaN passes through as it is, unlike in DADD; the operand's wins over memory's. */
static uint64_t add_f64(uint64_t a, uint64_t b)
{
    double x = float_double_of(a), y = float_double_of(b), sum = x + y;
    if (sum == sum)
        return float_double_bits(sum);
    return y != y ? b : x != x ? a : 0xfff8000000000000ull;
}

/* 2^n for -1022 <= n <= 1023. */
static double power_of_two(int32_t n)
{
    return float_double_of((uint64_t)(n + 1023) << 52);
}

static double half_value(uint32_t h)
{
    int32_t exponent = (int32_t)(h >> 10 & 31);
    uint32_t mantissa = h & 1023;
    double v = exponent ? (double)(mantissa + 1024) * power_of_two(exponent - 25)
                        : (double)mantissa * power_of_two(-24);
    return h & 0x8000 ? -v : v;
}

/* To the nearest whole number, ties to even; 0 <= x < 2^51. */
static uint32_t round_even(double x)
{
    const double shift = 6755399441055744.0; /* 3 * 2^51: the last place is 1 */
    return (uint32_t)((x + shift) - shift);
}

/* A finite value to the nearest half. */
static uint32_t half_of(double v)
{
    uint32_t sign = (uint32_t)(float_double_bits(v) >> 48) & 0x8000;
    double x = sign ? -v : v;
    if (x >= 65520.0)
        return sign | 0x7c00;
    int32_t exponent = (int32_t)(float_double_bits(x) >> 52) - 1023;
    if (exponent < -14)
        return sign | round_even(x * power_of_two(24));
    uint32_t mantissa = round_even(x * power_of_two(10 - exponent));
    return sign | (((uint32_t)(exponent + 14) << 10) + mantissa);
}

/* The sum of two halves is exact as a double. */
static uint32_t add_half(uint32_t a, uint32_t b)
{
    bool a_special = (a & 0x7c00) == 0x7c00, b_special = (b & 0x7c00) == 0x7c00;
    if (!a_special && !b_special)
        return half_of(half_value(a) + half_value(b));
    bool nan = (a_special && (a & 1023)) || (b_special && (b & 1023)) ||
               (a_special && b_special && a != b);
    return nan ? NAN_HALF : a_special ? a : b;
}

/* Rounding to 24 and then to 8 bits is rounding once: 24 >= 2 * 8 + 2. */
static uint32_t add_bf16(uint32_t a, uint32_t b)
{
    float sum = float_of(a << 16) + float_of(b << 16);
    if (sum != sum)
        return NAN_BF16;
    uint32_t bits = float_bits(sum);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint64_t add(enum emu_atomic_type type, uint64_t a, uint64_t b)
{
    uint32_t x = (uint32_t)a, y = (uint32_t)b;
    switch (type) {
    case EMU_ATOMIC_F32:
        return add_f32(x, y);
    case EMU_ATOMIC_F64:
        return add_f64(a, b);
    case EMU_ATOMIC_F16X2:
        return add_half(x & 0xffff, y & 0xffff) | add_half(x >> 16, y >> 16) << 16;
    case EMU_ATOMIC_BF16X2:
        return add_bf16(x & 0xffff, y & 0xffff) | add_bf16(x >> 16, y >> 16) << 16;
    default:
        return a + b;
    }
}

static bool less(enum emu_atomic_type type, uint64_t a, uint64_t b)
{
    switch (type) {
    case EMU_ATOMIC_S32:
        return (int32_t)a < (int32_t)b;
    case EMU_ATOMIC_S64:
        return (int64_t)a < (int64_t)b;
    default:
        return a < b;
    }
}

uint64_t emu_atomic_apply(enum emu_atomic_op op, enum emu_atomic_type type, uint64_t old,
                          uint64_t b, uint64_t c)
{
    switch (op) {
    case EMU_ATOMIC_ADD:
        return add(type, old, b);
    case EMU_ATOMIC_MIN:
        return less(type, b, old) ? b : old;
    case EMU_ATOMIC_MAX:
        return less(type, old, b) ? b : old;
    case EMU_ATOMIC_INC:
        return old >= b ? 0 : old + 1;
    case EMU_ATOMIC_DEC:
        return old == 0 || old > b ? b : old - 1;
    case EMU_ATOMIC_AND:
        return old & b;
    case EMU_ATOMIC_OR:
        return old | b;
    case EMU_ATOMIC_XOR:
        return old ^ b;
    case EMU_ATOMIC_EXCH:
        return b;
    case EMU_ATOMIC_CAS:
    case EMU_ATOMIC_CAST:
        return old == b ? c : old;
    case EMU_ATOMIC_POPC:
        return old + 1;
    case EMU_ATOMIC_OP_COUNT:
        break;
    }
    return old;
}

bool emu_atomic_exists(enum emu_atomic_op op, enum emu_atomic_type type)
{
    bool whole = type <= EMU_ATOMIC_S64;
    bool word = type == EMU_ATOMIC_U32 || type == EMU_ATOMIC_S32;
    switch (op) {
    case EMU_ATOMIC_ADD:
        return true;
    case EMU_ATOMIC_INC:
    case EMU_ATOMIC_DEC:
    case EMU_ATOMIC_POPC:
        return word;
    default:
        return whole;
    }
}

/* Tokens of an instruction line: blank-separated, in a text that ends with NUL.
 *
 * Each text_* number reader takes one whole token at *p (blanks before it are skipped) and leaves
 * *p behind it. On a token that is no such number it returns false and leaves *p at the token.
 * Inline, since a trace is millions of such lines. */
#ifndef SUBCORE_TRACE_ACCELSIM_TEXT_H
#define SUBCORE_TRACE_ACCELSIM_TEXT_H

#include <stdbool.h>
#include <stdint.h>

static inline const char *text_skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

static inline bool text_token_end(char c)
{
    return c == ' ' || c == '\0' || c == '\t';
}

static inline const char *text_skip_token(const char *p)
{
    p = text_skip_blanks(p);
    while (!text_token_end(*p))
        p++;
    return p;
}

/* Value of a hexadecimal digit, or 16 and more. */
static inline uint32_t text_hex_digit(char c)
{
    uint32_t d = (uint32_t)(unsigned char)c - '0';
    if (d < 10)
        return d;
    d = ((uint32_t)(unsigned char)c | 0x20u) - 'a';
    return d < 6 ? d + 10 : 16;
}

/* Value of each character as a hexadecimal digit; 16 = none. A table, since lists of addresses are
 * most of a trace's text. */
extern const uint8_t text_hex_value[256];

/* Hexadecimal with or without 0x, at most 64 bits. */
static inline bool text_hex(const char **p, uint64_t *out)
{
    const char *s = text_skip_blanks(*p);
    *p = s;
    if (s[0] == '0' && (s[1] | 0x20) == 'x')
        s += 2;
    const char *first = s;
    uint64_t v = 0, lost = 0;
    uint32_t d;
    for (; (d = text_hex_value[(unsigned char)*s]) < 16; s++) {
        lost |= v >> 60;
        v = v << 4 | d;
    }
    if (s == first || lost || !text_token_end(*s))
        return false;
    *out = v;
    *p = s;
    return true;
}

/* Unsigned decimal up to `max`. */
static inline bool text_u64(const char **p, uint64_t max, uint64_t *out)
{
    const char *s = text_skip_blanks(*p);
    *p = s;
    uint64_t v = 0;
    const char *first = s;
    while (*s >= '0' && *s <= '9') {
        uint64_t d = (uint64_t)(*s - '0');
        if (v > (max - d) / 10 || d > max)
            return false;
        v = v * 10 + d;
        s++;
    }
    if (s == first || !text_token_end(*s))
        return false;
    *out = v;
    *p = s;
    return true;
}

static inline bool text_u32(const char **p, uint32_t *out)
{
    uint64_t v;
    if (!text_u64(p, UINT32_MAX, &v))
        return false;
    *out = (uint32_t)v;
    return true;
}

/* Signed decimal of 64 bits. */
static inline bool text_i64(const char **p, int64_t *out)
{
    const char *s = text_skip_blanks(*p);
    bool negative = *s == '-';
    const char *digits = s + negative;
    uint64_t v;
    *p = s;
    if (*digits == ' ' || *digits == '\t')
        return false;
    if (!text_u64(&digits, (uint64_t)INT64_MAX, &v))
        return false;
    *out = negative ? -(int64_t)v : (int64_t)v;
    *p = digits;
    return true;
}

#endif

#include "trace/span.h"

#include <string.h>

struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct span span_trim(struct span s)
{
    while (s.n > 0 && is_blank(s.p[0]))
        s = span_skip(s, 1);
    while (s.n > 0 && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

struct span span_skip(struct span s, size_t n)
{
    return (struct span){s.p + n, s.n - n};
}

bool span_is(struct span s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

bool span_starts(struct span s, const char *prefix)
{
    size_t n = strlen(prefix);
    return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

size_t span_find(struct span s, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i + n <= s.n; i++)
        if (memcmp(s.p + i, text, n) == 0)
            return i;
    return s.n;
}

struct span span_word(struct span *s)
{
    *s = span_trim(*s);
    size_t n = 0;
    while (n < s->n && !is_blank(s->p[n]))
        n++;
    struct span word = {s->p, n};
    *s = span_trim(span_skip(*s, n));
    return word;
}

struct span span_field(struct span *s, char separator)
{
    size_t n = 0;
    while (n < s->n && s->p[n] != separator)
        n++;
    struct span field = span_trim((struct span){s->p, n});
    *s = span_skip(*s, n < s->n ? n + 1 : n);
    return field;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static bool number(struct span s, unsigned base, uint64_t *out)
{
    uint64_t v = 0;
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        int d = digit_value(s.p[i]);
        if (d < 0 || (unsigned)d >= base || v > (UINT64_MAX - (unsigned)d) / base)
            return false;
        v = v * base + (unsigned)d;
    }
    *out = v;
    return true;
}

bool span_u64(struct span s, uint64_t *out)
{
    if (span_starts(s, "0x"))
        return number(span_skip(s, 2), 16, out);
    return number(s, 10, out);
}

bool span_i64(struct span s, int64_t *out)
{
    bool negative = span_starts(s, "-");
    if (negative || span_starts(s, "+"))
        s = span_skip(s, 1);
    uint64_t v;
    if (!span_u64(s, &v) || v > (uint64_t)INT64_MAX)
        return false;
    *out = negative ? -(int64_t)v : (int64_t)v;
    return true;
}

bool span_hex(struct span s, uint64_t *out)
{
    return number(s, 16, out);
}

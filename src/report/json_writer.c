#include "report/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/number.h"

void json_init(struct json *j, struct buf *out)
{
    memset(j, 0, sizeof *j);
    j->out = out;
}

/* Length of the well-formed UTF-8 sequence at s, 0 when there is none. */
static size_t utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, second_low, second_high, length;
    } forms[] = {
        {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (s[0] < forms[i].first || s[0] > forms[i].last)
            continue;
        if (forms[i].length == 1)
            return 1;
        if (s[1] < forms[i].second_low || s[1] > forms[i].second_high)
            return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

void json_quote(struct buf *out, const char *text)
{
    static const char escapes[][2] = {{'"', '"'},  {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'},
                                      {'\n', 'n'}, {'\r', 'r'},  {'\t', 't'}};
    const unsigned char *s = (const unsigned char *)text;
    buf_add(out, "\"", 1);
    while (*s) {
        size_t n = utf8_length(s), e = 0;
        while (e < sizeof escapes / sizeof escapes[0] && (unsigned char)escapes[e][0] != *s)
            e++;
        if (e < sizeof escapes / sizeof escapes[0])
            buf_printf(out, "\\%c", escapes[e][1]);
        else if (n == 0)
            buf_puts(out, "\\ufffd");
        else if (*s < 0x20 || *s == 0x7f)
            buf_printf(out, "\\u%04x", *s);
        else
            buf_add(out, (const char *)s, n);
        s += n ? n : 1;
    }
    buf_add(out, "\"", 1);
}

static bool is_inline(const struct json *j)
{
    return j->inline_depth != 0 && j->depth >= j->inline_depth;
}

static void new_line(struct json *j)
{
    buf_add(j->out, "\n", 1);
    for (uint32_t i = 0; i < j->depth; i++)
        buf_add(j->out, "  ", 2);
}

/* Comma, line break and key before a value. */
static void begin_value(struct json *j, const char *key)
{
    if (j->depth > 0) {
        if (j->filled[j->depth])
            buf_puts(j->out, is_inline(j) ? ", " : ",");
        if (!is_inline(j))
            new_line(j);
        j->filled[j->depth] = true;
    }
    if (key) {
        json_quote(j->out, key);
        buf_add(j->out, ": ", 2);
    }
}

static void open_level(struct json *j, const char *key, char bracket, bool on_one_line)
{
    begin_value(j, key);
    buf_add(j->out, &bracket, 1);
    assert(j->depth < JSON_MAX_DEPTH);
    j->depth++;
    j->filled[j->depth] = false;
    if (on_one_line && j->inline_depth == 0)
        j->inline_depth = j->depth;
}

static void close_level(struct json *j, char bracket)
{
    bool on_one_line = is_inline(j), filled = j->filled[j->depth];
    if (j->inline_depth == j->depth)
        j->inline_depth = 0;
    j->depth--;
    if (filled && !on_one_line)
        new_line(j);
    buf_add(j->out, &bracket, 1);
    if (j->depth == 0)
        buf_add(j->out, "\n", 1);
}

void json_object(struct json *j, const char *key)
{
    open_level(j, key, '{', false);
}

void json_object_inline(struct json *j, const char *key)
{
    open_level(j, key, '{', true);
}

void json_object_end(struct json *j)
{
    close_level(j, '}');
}

void json_array(struct json *j, const char *key)
{
    open_level(j, key, '[', false);
}

void json_array_inline(struct json *j, const char *key)
{
    open_level(j, key, '[', true);
}

void json_array_end(struct json *j)
{
    close_level(j, ']');
}

void json_string(struct json *j, const char *key, const char *value)
{
    begin_value(j, key);
    if (value)
        json_quote(j->out, value);
    else
        buf_puts(j->out, "null");
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    buf_printf(j->out, "%" PRIu64, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
    begin_value(j, key);
    buf_puts(j->out, value ? "true" : "false");
}

void json_ratio(struct json *j, const char *key, uint64_t num, uint64_t den, uint32_t decimals)
{
    char text[NUMBER_SIZE] = "null";
    if (den != 0)
        number_ratio(text, num, den, decimals);
    begin_value(j, key);
    buf_puts(j->out, text);
}

void json_decimal(struct json *j, const char *key, double value, uint32_t decimals)
{
    char text[NUMBER_SIZE] = "null";
    if (isfinite(value))
        number_decimal(text, value, decimals);
    begin_value(j, key);
    buf_puts(j->out, text);
}

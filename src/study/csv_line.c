#include "study/csv_line.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 64

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Takes a quoted cell at `p` and writes it there without quotes; returns what is behind it, or NULL
 * when it is not closed or something but a comma follows. */
static char *take_quoted(char *p)
{
    char *out = p;
    for (p++; *p && !(*p == '"' && p[1] != '"'); p++) {
        p += *p == '"';
        *out++ = *p;
    }
    if (*p == '\0')
        return NULL;
    *out = '\0';
    for (p++; is_blank(*p); p++)
        ;
    return *p == '\0' || *p == ',' ? p : NULL;
}

/* Likewise a plain one, which ends at a comma; *last tells whether the line does too. */
static char *take_plain(char *p, bool *last)
{
    char *comma = p + strcspn(p, ","), *end = comma;
    *last = *comma == '\0';
    while (end > p && is_blank(end[-1]))
        end--;
    *end = '\0';
    return comma;
}

size_t csv_split(char *line, char **cells, size_t most)
{
    size_t n = 0;
    for (char *p = line;; p++) {
        bool last;
        while (is_blank(*p))
            p++;
        if (n == most)
            return most + 1;
        cells[n++] = p;
        if (*p == '"') {
            p = take_quoted(p);
            if (!p)
                return 0;
            last = *p == '\0';
        } else {
            p = take_plain(p, &last);
        }
        if (last)
            return n;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Every `mark` in text stands before a group of three digits. */
static bool separates_thousands(const char *text, char mark)
{
    const char *p = strchr(text, mark);
    if (p == text || !is_digit(p[-1]))
        return false;
    for (; p; p = strchr(p + 1, mark))
        if (!is_digit(p[1]) || !is_digit(p[2]) || !is_digit(p[3]) || is_digit(p[4]))
            return false;
    return true;
}

/* The decimal point of a number, or NUL when it has none. */
static char decimal_point(const char *text)
{
    const char *comma = strrchr(text, ','), *dot = strrchr(text, '.');
    if (comma && dot)
        return comma > dot ? ',' : '.';
    if (comma)
        return separates_thousands(text, ',') ? '\0' : ',';
    if (dot && strchr(text, '.') != dot)
        return '\0';
    return '.';
}

bool csv_number(const char *text, double *out)
{
    char plain[NUMBER_MAX], point = decimal_point(text);
    size_t n = 0;
    if (*text == '\0' || strspn(text, "+-0123456789.,eE") != strlen(text))
        return false;
    for (const char *p = text; *p; p++) {
        if ((*p == ',' || *p == '.') && *p != point)
            continue;
        if (n + 1 == NUMBER_MAX)
            return false;
        plain[n++] = *p == point ? '.' : *p;
    }
    plain[n] = '\0';
    char *end;
    *out = strtod(plain, &end);
    return *end == '\0' && end != plain;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/parts.h"

void html_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        const char *as = *text == '<'   ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '&' ? "&amp;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
        if (as)
            buf_puts(out, as);
        else
            buf_add(out, text, 1);
    }
}

static void add_element(struct buf *out, const char *tag, const char *shown, const char *field,
                        va_list ap)
{
    struct buf place = {0};
    buf_vprintf(&place, field, ap);
    buf_printf(out, "<%s data-field=\"", tag);
    html_text(out, place.data ? place.data : "");
    buf_puts(out, "\">");
    html_text(out, shown);
    buf_printf(out, "</%s>", tag);
    out->failed = out->failed || place.failed;
    buf_free(&place);
}

void html_number(struct buf *out, const char *shown, const char *field, ...)
{
    va_list ap;
    va_start(ap, field);
    add_element(out, "span", shown, field, ap);
    va_end(ap);
}

void html_cell(struct buf *out, const char *shown, const char *field, ...)
{
    va_list ap;
    va_start(ap, field);
    add_element(out, "td", shown, field, ap);
    va_end(ap);
}

void html_tile(struct buf *out, const char *name, const char *shown, const char *field)
{
    buf_puts(out, "<div class=\"tile\">");
    html_number(out, shown, "%s", field);
    buf_puts(out, "<small>");
    html_text(out, name);
    buf_puts(out, "</small></div>\n");
}

/* Commas between the thousands of a whole number. */
static void group(char out[SHOWN_SIZE], const char *digits)
{
    size_t n = strlen(digits), at = 0;
    for (size_t i = 0; i < n && at + 2 < SHOWN_SIZE; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

void html_shown(char out[SHOWN_SIZE], const struct json_value *v)
{
    if (!v || v->kind == JSON_NULL || !v->text)
        snprintf(out, SHOWN_SIZE, "-");
    else if (v->kind == JSON_NUMBER && strspn(v->text, "0123456789") == strlen(v->text))
        group(out, v->text);
    else
        snprintf(out, SHOWN_SIZE, "%s", v->text);
}

void html_percent(char out[SHOWN_SIZE], const struct json_value *v)
{
    if (v && v->kind == JSON_NUMBER)
        snprintf(out, SHOWN_SIZE, "%.1f %%", 100 * v->number);
    else
        snprintf(out, SHOWN_SIZE, "-");
}

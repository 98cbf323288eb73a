#include "report/csv.h"

#include <string.h>

void csv_text(struct buf *out, const char *text)
{
    buf_puts(out, "\"");
    for (const char *s = text ? text : ""; *s; s++) {
        if (*s == '"')
            buf_puts(out, "\"");
        buf_add(out, s, 1);
    }
    buf_puts(out, "\"");
}

void csv_plain(struct buf *out, const char *text)
{
    if (strpbrk(text, ",\"\n"))
        csv_text(out, text);
    else
        buf_puts(out, text);
}

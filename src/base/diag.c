#include "base/diag.h"

#include <stdio.h>
#include <string.h>

/* The message part of an item, after "file:line: ". */
static bool same_message(const char *text, const char *msg)
{
    size_t tl = strlen(text), ml = strlen(msg);
    return tl >= ml && strcmp(text + tl - ml, msg) == 0;
}

bool diag_warn(struct diag *d, struct sim_err *err, const char *file, uint32_t line,
               const char *fmt, ...)
{
    char msg[384];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    if (d->strict)
        return err_set(err, ERR_INPUT, file, line, 0, "%s (a warning without --strict)", msg);
    for (uint32_t i = 0; i < d->count; i++) {
        if (same_message(d->items[i].text, msg)) {
            d->items[i].count++;
            return true;
        }
    }
    if (d->count == DIAG_MAX) {
        d->dropped++;
        return true;
    }
    struct diag_item *it = &d->items[d->count++];
    it->count = 1;
    if (!file)
        snprintf(it->text, sizeof it->text, "%s", msg);
    else if (line == 0)
        snprintf(it->text, sizeof it->text, "%.512s: %s", file, msg);
    else
        snprintf(it->text, sizeof it->text, "%.512s:%u: %s", file, line, msg);
    if (d->print)
        d->print(d->user, it->text);
    return true;
}

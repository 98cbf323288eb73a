#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void err_clear(struct sim_err *err)
{
    free(err->detail);
    memset(err, 0, sizeof *err);
}

bool err_setv(struct sim_err *err, enum sim_err_code code, const char *file, uint32_t line,
              uint32_t col, const char *fmt, va_list ap)
{
    if (err->code != ERR_NONE)
        return false;
    err->code = code;
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    err->line = line;
    err->col = col;
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    return false;
}

bool err_set(struct sim_err *err, enum sim_err_code code, const char *file, uint32_t line,
             uint32_t col, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    err_setv(err, code, file, line, col, fmt, ap);
    va_end(ap);
    return false;
}

bool err_memory(struct sim_err *err, const char *what)
{
    return err_set(err, ERR_RESOURCE, NULL, 0, 0, "out of memory while %s", what);
}

void err_format(const struct sim_err *err, char *out, size_t size)
{
    if (err->file[0] == '\0')
        snprintf(out, size, "%s", err->msg);
    else if (err->line == 0)
        snprintf(out, size, "%s: %s", err->file, err->msg);
    else if (err->col == 0)
        snprintf(out, size, "%s:%u: %s", err->file, err->line, err->msg);
    else
        snprintf(out, size, "%s:%u:%u: %s", err->file, err->line, err->col, err->msg);
}

int err_exit_status(enum sim_err_code code)
{
    static const int status[ERR_CODE_COUNT] = {
#define X(name, st, doc) [ERR_##name] = st,
        ERR_CODES(X)
#undef X
    };
    return status[code];
}

bool err_list_add(struct err_list *list, enum sim_err_code code, const char *file, uint32_t line,
                  uint32_t col, const char *fmt, ...)
{
    if (list->count == ERR_LIST_MAX) {
        list->dropped++;
        return false;
    }
    va_list ap;
    va_start(ap, fmt);
    struct sim_err *e = &list->items[list->count++];
    memset(e, 0, sizeof *e);
    err_setv(e, code, file, line, col, fmt, ap);
    va_end(ap);
    return false;
}

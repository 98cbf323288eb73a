/* Growable text buffer, for messages and reports.
 *
 * A failed allocation sets `failed` and drops further text; check it once at the end. */
#ifndef SUBCORE_BASE_BUF_H
#define SUBCORE_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
    char *data; /* NUL-terminated once anything was added; NULL when empty */
    size_t len;
    size_t cap;
    bool failed;
};

/* Appends `len` bytes. */
void buf_add(struct buf *b, const char *s, size_t len);

/* Appends a string. */
void buf_puts(struct buf *b, const char *s);

/* Appends formatted text. */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As buf_printf with a va_list. */
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);

/* Hands the text to the caller, who frees it with free(); the buffer is empty again.
 * NULL when an allocation failed. */
char *buf_take(struct buf *b);

/* Frees the text. */
void buf_free(struct buf *b);

#endif

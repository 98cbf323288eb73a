/* A piece of text inside a longer line: pointer and length, not terminated. */
#ifndef SUBCORE_TRACE_SPAN_H
#define SUBCORE_TRACE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    const char *p;
    size_t n;
};

/* For "%.*s": length (cut at 80, so that messages stay readable) and pointer. */
#define SPAN_FMT "%.*s"
#define SPAN_ARG(s) (int)((s).n > 80 ? 80 : (s).n), (s).p

/* The whole of a terminated string. */
struct span span_of(const char *text);

/* `s` without leading and trailing blanks, tabs and carriage returns. */
struct span span_trim(struct span s);

/* `s` without its first `n` characters. */
struct span span_skip(struct span s, size_t n);

/* True when the text equals `text`. */
bool span_is(struct span s, const char *text);

/* True when the text begins with `prefix`. */
bool span_starts(struct span s, const char *prefix);

/* Offset of the first occurrence of `text`, or s.n when there is none. */
size_t span_find(struct span s, const char *text);

/* Takes the first word (up to a blank) off `s`; empty when there is none. */
struct span span_word(struct span *s);

/* Takes the text before the first `separator` off `s`, and the separator; blanks around the text
 * are dropped. Without a separator it takes everything. */
struct span span_field(struct span *s, char separator);

/* The whole text as a number, decimal or 0x hexadecimal. False when it is none or too large. */
bool span_u64(struct span s, uint64_t *out);

/* As span_u64 with an optional sign. */
bool span_i64(struct span s, int64_t *out);

/* The whole text as hexadecimal digits without prefix. */
bool span_hex(struct span s, uint64_t *out);

#endif

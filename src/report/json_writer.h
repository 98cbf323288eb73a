/* Streaming JSON writer into a text buffer.
 *
 * The caller opens and closes objects and arrays; commas, indentation and escaping are done here.
 * Integers and ratios are printed by integer arithmetic, so the bytes do not depend on compiler or
 * C library. Bytes that are not UTF-8 become U+FFFD. The caller may empty the buffer at any time.
 * A `key` is NULL inside arrays and for the outermost value. */
#ifndef SUBCORE_REPORT_JSON_WRITER_H
#define SUBCORE_REPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define JSON_MAX_DEPTH 16

struct json {
    struct buf *out;
    uint32_t depth;
    uint32_t inline_depth;           /* from this depth on all stands on one line; 0 = nowhere */
    bool filled[JSON_MAX_DEPTH + 1]; /* the level has a member */
};

void json_init(struct json *j, struct buf *out);

void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);

/* As json_object and json_array, with all members on one line. */
void json_object_inline(struct json *j, const char *key);
void json_array_inline(struct json *j, const char *key);

/* A string; NULL is null. */
void json_string(struct json *j, const char *key, const char *value);
void json_u64(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);

/* Appends `text` in quotation marks, escaped. */
void json_quote(struct buf *out, const char *text);

/* A decimal with at most `decimals` digits behind the point, without zeros at its end; null when it
 * is not finite. */
void json_decimal(struct json *j, const char *key, double value, uint32_t decimals);

/* num / den rounded half up to `decimals` digits; null when den is 0. */
void json_ratio(struct json *j, const char *key, uint64_t num, uint64_t den, uint32_t decimals);

#endif

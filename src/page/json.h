/* JSON as a tree: results read back for the report.
 *
 * Everything lives in the arena. Numbers keep their text, so that they are shown as they were
 * written. */
#ifndef SUBCORE_PAGE_JSON_H
#define SUBCORE_PAGE_JSON_H

#include "base/arena.h"
#include "base/err.h"

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
    enum json_kind kind;
    const char *key;  /* in an object; else NULL */
    const char *text; /* string, decoded; number and bool as written */
    double number;
    struct json_value *first, *next; /* members in order; the next sibling */
    size_t count;                    /* members */
};

/* Parses `len` bytes; `file` is for messages. NULL and an error with line and column when it is no
 * JSON. */
struct json_value *json_parse(struct arena *arena, const char *file, const char *text, size_t len,
                              struct sim_err *err);

/* Member of an object, or NULL. */
const struct json_value *json_member(const struct json_value *object, const char *key);

/* First member of an object, each with a key; NULL when `v` is none. */
const struct json_value *json_members(const struct json_value *v);

/* What stands at a path such as "icache.l0.hits", or NULL. */
const struct json_value *json_at(const struct json_value *object, const char *path);

/* Its number, or `otherwise` when it is none. */
double json_number(const struct json_value *object, const char *path, double otherwise);

/* Its text; "" when it is neither string nor number. */
const char *json_text(const struct json_value *object, const char *path);

#endif

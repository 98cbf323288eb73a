/* What a report is made of: results of `run` and `validate` (JSON) and of `sweep` (CSV), told by
 * their content. */
#ifndef SUBCORE_PAGE_INPUT_H
#define SUBCORE_PAGE_INPUT_H

#include "page/json.h"

enum page_kind { PAGE_RUN, PAGE_VALIDATION, PAGE_SWEEP };

/* A table of text; row 0 is the head. */
struct page_table {
    const char **cells; /* [rows * columns] */
    size_t rows, columns;
};

struct page_input {
    enum page_kind kind;
    const char *name; /* the file, without its folder */
    const struct json_value *json;
    struct page_table table; /* PAGE_SWEEP */
};

/* Reads a file, plain or compressed, into the arena. */
bool page_read(struct page_input *in, struct arena *arena, const char *path, struct sim_err *err);

/* The same of text, which a NUL ends behind its `len` bytes; `path` is its name. */
bool page_parse(struct page_input *in, struct arena *arena, const char *path, const char *text,
                size_t len, struct sim_err *err);

/* Column of this name, or the number of columns. */
size_t page_column(const struct page_table *t, const char *name);

/* A cell; "" beyond the table. */
const char *page_cell(const struct page_table *t, size_t row, size_t column);

#endif

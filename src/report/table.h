/* Tables of two cells a line, each a label on the left and a value on the right, and wrapped lists:
 * what the text reports are made of. Pages have 100 columns. */
#ifndef SUBCORE_REPORT_TABLE_H
#define SUBCORE_REPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define TABLE_PAGE 100

struct table {
    struct buf *out;
    bool second; /* the next cell is the right one */
};

/* A cell; the value is text, a number with commas, a ratio with 3 decimals ("-" when den is 0) or a
 * percentage with one. */
void table_cell(struct table *t, const char *label, const char *value);
void table_count(struct table *t, const char *label, uint64_t v);
void table_ratio(struct table *t, const char *label, uint64_t num, uint64_t den);
void table_percent(struct table *t, const char *label, uint64_t num, uint64_t den);

/* Ends the line that is begun, if any. */
void table_end(struct table *t);

/* A list "name 12.5 %, name 3.0 %" behind a label, broken at the width of the page. */
struct table_list {
    struct buf *out;
    size_t column;
    bool any;
};

void table_list_begin(struct table_list *l, struct buf *out, const char *label);
void table_list_share(struct table_list *l, const char *name, uint64_t num, uint64_t den);
void table_list_end(struct table_list *l);

/* "1 kernel", "1,234 kernels". */
void table_plural(struct buf *out, uint64_t n, const char *what);

/* "Kernel 3: name" cut to the page, `mark` behind it, and a line break. */
void table_title(struct buf *out, uint64_t id, const char *name, const char *mark);

#endif

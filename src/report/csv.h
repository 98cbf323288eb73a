/* Fields of CSV files that are written. */
#ifndef SUBCORE_REPORT_CSV_H
#define SUBCORE_REPORT_CSV_H

#include "base/buf.h"

/* A text in quotes, as names of kernels need it: they hold commas. NULL is "". */
void csv_text(struct buf *out, const char *text);

/* A text in quotes only when it holds a comma, a quote or a line break. */
void csv_plain(struct buf *out, const char *text);

#endif

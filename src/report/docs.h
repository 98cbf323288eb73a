/* The generated pages of docs/: counters and stall reasons from their tables. */
#ifndef SUBCORE_REPORT_DOCS_H
#define SUBCORE_REPORT_DOCS_H

#include "base/buf.h"

/* docs/stats.md */
void docs_stats(struct buf *out);

/* docs/stalls.md */
void docs_stalls(struct buf *out);

/* A page of docs/: its file name and the function that writes it. */
struct docs_page {
    const char *name;
    void (*write)(struct buf *out);
};

/* All generated pages, ended by a NULL name. */
const struct docs_page *docs_pages(void);

#endif

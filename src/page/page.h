/* One self-contained HTML page of results: no script, nothing from outside.
 *
 * Charts are drawn by the caller, which gets a gnuplot script for each. Every number stands in an
 * element whose data-field says where in the file it comes from, or how it was formed; data-file of
 * the section around it names the file. */
#ifndef SUBCORE_PAGE_PAGE_H
#define SUBCORE_PAGE_PAGE_H

#include "base/buf.h"
#include "page/input.h"

/* Appends what gnuplot writes to its standard output for a script. */
typedef bool page_draw(void *user, const char *script, struct buf *svg, struct sim_err *err);

/* Writes the page of all inputs. `version` is the program's. */
bool page_write(struct buf *out, const struct page_input *inputs, size_t count, const char *version,
                page_draw *draw, void *user, struct sim_err *err);

#endif

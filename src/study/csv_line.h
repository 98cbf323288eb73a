/* Cells of one line of CSV. */
#ifndef SUBCORE_STUDY_CSV_LINE_H
#define SUBCORE_STUDY_CSV_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Splits `line` in place: quotes are taken off, doubled ones made single, blanks around a cell cut.
 * Gives up to `most` cells; returns their number, `most` + 1 when there are more, 0 when a quote is
 * not closed. */
size_t csv_split(char *line, char **cells, size_t most);

/* Reads a number as people and locales write it: "1234", "1,234,567.5", "1.234.567,5", "12,5",
 * "1e-3". One comma before three digits separates thousands. False when it is none. */
bool csv_number(const char *text, double *out);

#endif

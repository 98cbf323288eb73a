/* Measurements of a GPU: a table with a row a launch and a column a counter.
 *
 * Two forms are told by their content: a CSV whose first line names the columns, one of them
 * `name`, and what Nsight Compute exports (`ncu --csv`), with `--page raw` (a column a metric, a
 * line of units) or without (a line a metric). Values of an export are converted to base units:
 * bytes, ns, Hz; percentages become fractions, also in a CSV whose column is called so (".pct"). */
#ifndef SUBCORE_STUDY_MEASURED_H
#define SUBCORE_STUDY_MEASURED_H

#include "base/arena.h"
#include "base/err.h"

#define MEASURED_NONE UINT32_MAX

struct measured_row {
    const char *name;   /* column `name`; of an export the kernel's name as Nsight prints it */
    uint32_t line;      /* where it stands in the file */
    const char **cells; /* [columns] as written; NULL = not there */
    const char **units; /* [columns] of an export, else NULL */
};

struct measured {
    struct arena arena;
    const char *file;
    uint32_t crc; /* CRC-32 of the text: tells which measurements were compared with */
    bool nsight;  /* rows are launches in order, without names of their own */
    const char **columns;
    uint32_t column_count, column_cap;
    struct measured_row *rows;
    uint32_t row_count, row_cap;
};

/* Reads the file at `path`, plain or compressed. `out` can be freed in any case. */
bool measured_read(struct measured *out, const char *path, struct sim_err *err);

void measured_free(struct measured *m);

/* Index of a column, or MEASURED_NONE. */
uint32_t measured_column(const struct measured *m, const char *name);

/* Error that names a column which is not there, with a suggestion. Always false. */
bool measured_no_column(const struct measured *m, const char *name, struct sim_err *err);

/* Value of a cell. *found = false when it is empty or not available ("n/a"). A cell that is no
 * number is an error. */
bool measured_value(const struct measured *m, const struct measured_row *row, uint32_t column,
                    double *value, bool *found, struct sim_err *err);

/* True when a kernel's name as Nsight prints it (with or without parameters, return type and
 * template arguments) may be that of `kernel`, which may be mangled. */
bool measured_same_kernel(const char *printed, const char *kernel);

#endif

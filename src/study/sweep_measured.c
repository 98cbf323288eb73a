/* Measurements of the inputs of a sweep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/measured.h"
#include "study/sweep_result.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median of the rows of one name; NAN when there is none. `room` holds a value a row. */
static bool median_of(const struct measured *m, uint32_t column, const char *name, double *room,
                      double *median, struct sim_err *err)
{
    uint32_t n = 0;
    *median = NAN;
    for (uint32_t i = 0; i < m->row_count; i++) {
        bool found = false;
        if (!m->rows[i].name || strcmp(m->rows[i].name, name) != 0)
            continue;
        TRY(measured_value(m, &m->rows[i], column, &room[n], &found, err));
        if (found && !(room[n] > 0))
            return err_set(err, ERR_INPUT, m->file, m->rows[i].line, 0,
                           "'%s': expected a number above 0, found %g", name, room[n]);
        n += found;
    }
    if (n == 0)
        return true;
    qsort(room, n, sizeof *room, ascending);
    *median = n % 2 ? room[n / 2] : (room[n / 2 - 1] + room[n / 2]) / 2;
    return true;
}

static bool take_values(const struct sweep *s, const struct measured *m, double *values,
                        struct sim_err *err)
{
    uint32_t column = measured_column(m, s->measured.column);
    if (m->nsight)
        return err_set(
            err, ERR_INPUT, m->file, 0, 0,
            "expected a CSV with the names of inputs, found an export of Nsight Compute");
    if (column == MEASURED_NONE)
        return measured_no_column(m, s->measured.column, err);
    double *room = calloc(m->row_count + 1, sizeof *room);
    if (!room)
        return err_memory(err, "reading measurements");
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->input_count; i++)
        ok = median_of(m, column, s->inputs[i].name, room, &values[i], err);
    free(room);
    return ok;
}

bool sweep_read_measured(const struct sweep *s, double **values, struct sim_err *err)
{
    struct measured m;
    *values = calloc(s->input_count, sizeof **values);
    if (!*values)
        return err_memory(err, "reading measurements");
    bool ok = measured_read(&m, s->measured.file, err) && take_values(s, &m, *values, err);
    measured_free(&m);
    return ok;
}

#include "study/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/distance.h"
#include "base/stream.h"
#include "study/csv_line.h"

/* Nsight Compute has some 3,000 metrics. */
#define COLUMNS_MAX 8192
/* An export with a line a metric keeps room for these in each row. */
#define METRICS_MAX 1024
#define ROWS_MAX (1u << 20)

/* Columns of an export that describe the launch. */
#define ID_COLUMN "ID"
#define KERNEL_COLUMN "Kernel Name"
#define METRIC_COLUMN "Metric Name"

enum form { FORM_UNKNOWN, FORM_CSV, FORM_RAW, FORM_DETAILS };

struct reader {
    struct measured *m;
    enum form form;
    uint32_t line;
    char *cells[COLUMNS_MAX];
    size_t count;
    size_t header;            /* cells of the headline */
    const char **units;       /* RAW: of the line of units */
    bool quoted;              /* the headline begins with a quote: lines that do not are no rows */
    size_t id, kernel;        /* columns of an export */
    size_t name, unit, value; /* DETAILS */
    char *last_id;            /* DETAILS: of the last row */
};

#define READ_FAIL(r, err, ...) err_set(err, ERR_INPUT, (r)->m->file, (r)->line, 0, __VA_ARGS__)

static const char *keep(struct reader *r, const char *text)
{
    return arena_strndup(&r->m->arena, text, strlen(text));
}

/* Makes room for one more item of `size`. */
static bool grow(struct measured *m, void *array, uint32_t count, uint32_t *cap, size_t size,
                 struct sim_err *err)
{
    void **at = array;
    if (count < *cap)
        return true;
    uint32_t more = *cap ? 2 * *cap : 64;
    void *p = arena_array(&m->arena, more, size);
    if (!p)
        return err_memory(err, "reading measurements");
    if (count > 0)
        memcpy(p, *at, count * size);
    *at = p;
    *cap = more;
    return true;
}

static bool add_column(struct reader *r, const char *name, struct sim_err *err)
{
    struct measured *m = r->m;
    uint32_t most = r->form == FORM_DETAILS ? METRICS_MAX : COLUMNS_MAX;
    if (m->column_count == most)
        return READ_FAIL(r, err, "more than %u columns", most);
    TRY(grow(m, &m->columns, m->column_count, &m->column_cap, sizeof *m->columns, err));
    const char *copy = keep(r, name);
    if (!copy)
        return err_memory(err, "reading measurements");
    m->columns[m->column_count++] = copy;
    return true;
}

static bool add_row(struct reader *r, const char *name, struct sim_err *err)
{
    struct measured *m = r->m;
    if (m->row_count == ROWS_MAX)
        return READ_FAIL(r, err, "more than %u rows", ROWS_MAX);
    TRY(grow(m, &m->rows, m->row_count, &m->row_cap, sizeof *m->rows, err));
    /* DETAILS: columns come with the rows. */
    size_t columns = r->form == FORM_DETAILS ? METRICS_MAX : m->column_count;
    struct measured_row row = {.name = keep(r, name),
                               .line = r->line,
                               .cells = arena_array(&m->arena, columns, sizeof *row.cells),
                               .units = r->units};
    if (r->form == FORM_DETAILS)
        row.units = arena_array(&m->arena, columns, sizeof *row.units);
    if (!row.name || !row.cells || (r->form == FORM_DETAILS && !row.units))
        return err_memory(err, "reading measurements");
    m->rows[m->row_count++] = row;
    return true;
}

static size_t find_cell(const struct reader *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->cells[i], name) == 0)
            return i;
    return SIZE_MAX;
}

/* The line of column names. */
static bool read_headline(struct reader *r, bool quoted, struct sim_err *err)
{
    r->header = r->count;
    r->quoted = quoted;
    r->id = find_cell(r, ID_COLUMN);
    r->kernel = find_cell(r, KERNEL_COLUMN);
    r->name = find_cell(r, METRIC_COLUMN);
    if (r->id != SIZE_MAX && r->kernel != SIZE_MAX) {
        r->m->nsight = true;
        r->form = FORM_RAW;
        if (r->name != SIZE_MAX) {
            r->form = FORM_DETAILS;
            r->unit = find_cell(r, "Metric Unit");
            r->value = find_cell(r, "Metric Value");
            if (r->unit == SIZE_MAX || r->value == SIZE_MAX)
                return READ_FAIL(r, err, "a column '%s' without 'Metric Unit' and 'Metric Value'",
                                 METRIC_COLUMN);
            return true;
        }
    } else {
        r->name = find_cell(r, "name");
        if (r->name == SIZE_MAX)
            return true; /* a line before the headline of an export, perhaps */
        r->form = FORM_CSV;
    }
    for (size_t i = 0; i < r->count; i++)
        TRY(add_column(r, r->cells[i], err));
    return true;
}

static bool check_width(struct reader *r, struct sim_err *err)
{
    if (r->count == r->header)
        return true;
    return READ_FAIL(r, err, "%zu cells, but the headline has %zu", r->count, r->header);
}

static bool copy_cells(struct reader *r, const char **out, struct sim_err *err)
{
    for (size_t i = 0; i < r->count; i++) {
        out[i] = keep(r, r->cells[i]);
        if (!out[i])
            return err_memory(err, "reading measurements");
    }
    return true;
}

static bool read_wide_row(struct reader *r, size_t name, struct sim_err *err)
{
    TRY(check_width(r, err));
    TRY(add_row(r, r->cells[name], err));
    return copy_cells(r, r->m->rows[r->m->row_count - 1].cells, err);
}

/* The line behind the headline of a raw export: no id. */
static bool read_units(struct reader *r, struct sim_err *err)
{
    TRY(check_width(r, err));
    r->units = arena_array(&r->m->arena, r->header, sizeof *r->units);
    return r->units ? copy_cells(r, r->units, err) : err_memory(err, "reading measurements");
}

/* A metric of a launch. One that several sections show counts once. */
static bool read_metric(struct reader *r, struct sim_err *err)
{
    struct measured *m = r->m;
    if (r->count != r->header && r->count <= r->value)
        return check_width(r, err);
    if (!r->last_id || strcmp(r->last_id, r->cells[r->id]) != 0) {
        TRY(add_row(r, r->cells[r->kernel], err));
        r->last_id = arena_strndup(&m->arena, r->cells[r->id], strlen(r->cells[r->id]));
    }
    if (r->cells[r->name][0] == '\0')
        return true; /* a rule's remark */
    uint32_t column = measured_column(m, r->cells[r->name]);
    if (column == MEASURED_NONE) {
        column = m->column_count;
        TRY(add_column(r, r->cells[r->name], err));
    }
    struct measured_row *row = &m->rows[m->row_count - 1];
    if (row->cells[column])
        return true;
    row->cells[column] = keep(r, r->cells[r->value]);
    row->units[column] = keep(r, r->cells[r->unit]);
    return (row->cells[column] && row->units[column]) || err_memory(err, "reading measurements");
}

static bool read_line(struct reader *r, char *line, struct sim_err *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some editors begin files with it */
    if (r->line == 1 && strncmp(line, mark, 3) == 0)
        line += 3;
    bool quoted = line[0] == '"';
    if (line[strspn(line, " \t\r")] == '\0' || line[0] == '#' || strncmp(line, "==", 2) == 0 ||
        (r->m->nsight && r->quoted && !quoted))
        return true;
    r->count = csv_split(line, r->cells, COLUMNS_MAX);
    if (r->form == FORM_UNKNOWN)
        return r->count == 0 || r->count > COLUMNS_MAX || read_headline(r, quoted, err);
    if (r->count == 0)
        return READ_FAIL(r, err, "a quote is not closed, or text follows it");
    if (r->count > COLUMNS_MAX)
        return READ_FAIL(r, err, "more than %d cells", COLUMNS_MAX);
    if (r->form == FORM_CSV)
        return read_wide_row(r, r->name, err);
    if (r->form == FORM_DETAILS)
        return read_metric(r, err);
    if (!r->units && r->id < r->count && r->cells[r->id][0] == '\0')
        return read_units(r, err);
    return read_wide_row(r, r->kernel, err);
}

static bool read_lines(struct reader *r, struct stream *s, struct sim_err *err)
{
    char *line;
    size_t len;
    for (;;) {
        TRY(stream_line(s, &line, &len, err));
        if (!line)
            break;
        r->line = (uint32_t)stream_line_number(s);
        r->m->crc = (uint32_t)crc32(crc32(r->m->crc, (const Bytef *)line, (uInt)len),
                                    (const Bytef *)"\n", 1);
        if (strlen(line) != len)
            return READ_FAIL(r, err, "the line holds a zero byte");
        TRY(read_line(r, line, err));
    }
    r->line = 0;
    if (r->form == FORM_UNKNOWN)
        return READ_FAIL(r, err,
                         "expected a CSV with a column 'name', or an export of Nsight Compute "
                         "(ncu --csv)");
    if (r->m->row_count == 0)
        return READ_FAIL(r, err, "holds no measurements");
    return true;
}

bool measured_read(struct measured *out, const char *path, struct sim_err *err)
{
    struct stream *s = NULL;
    memset(out, 0, sizeof *out);
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return err_memory(err, "reading measurements");
    r->m = out;
    out->file = arena_strndup(&out->arena, path, strlen(path));
    bool ok = out->file ? stream_open(&s, path, err) && read_lines(r, s, err)
                        : err_memory(err, "reading measurements");
    stream_close(s);
    free(r);
    return ok;
}

void measured_free(struct measured *m)
{
    arena_free(&m->arena);
    memset(m, 0, sizeof *m);
}

uint32_t measured_column(const struct measured *m, const char *name)
{
    for (uint32_t i = 0; i < m->column_count; i++)
        if (strcmp(m->columns[i], name) == 0)
            return i;
    return MEASURED_NONE;
}

bool measured_no_column(const struct measured *m, const char *name, struct sim_err *err)
{
    struct closest near = {.word = name};
    for (uint32_t i = 0; i < m->column_count; i++)
        closest_offer(&near, m->columns[i]);
    if (near.found)
        return err_set(err, ERR_INPUT, m->file, 0, 0, "has no column '%s' (did you mean '%s'?)",
                       name, near.found);
    return err_set(err, ERR_INPUT, m->file, 0, 0, "has no column '%s'", name);
}

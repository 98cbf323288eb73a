#include "page/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/stream.h"

/* Larger results are no page any more. */
#define BYTES_MAX ((size_t)512 << 20)

static bool read_all(const char *path, struct buf *out, struct sim_err *err)
{
    struct stream *s = NULL;
    static const size_t part = 65536;
    char *bytes = malloc(part);
    if (!bytes)
        return err_memory(err, "reading a result");
    bool ok = stream_open(&s, path, err);
    for (size_t got = part; ok && got == part;) {
        ok = stream_read(s, bytes, part, &got, err);
        if (ok)
            buf_add(out, bytes, got);
        if (ok && out->len > BYTES_MAX)
            ok = err_set(err, ERR_INPUT, path, 0, 0, "is too large for a page");
    }
    stream_close(s);
    free(bytes);
    return ok && (!out->failed || err_memory(err, "reading a result"));
}

/* One field of CSV, which may be in quotes; *end is behind it. */
static char *take_field(struct arena *arena, const char *at, const char **end)
{
    bool quoted = *at == '"';
    const char *close = at + quoted;
    while (*close &&
           !(quoted ? close[0] == '"' && close[1] != '"' : strchr(",\r\n", *close) != NULL))
        close += quoted && close[0] == '"' ? 2 : 1;
    char *out = arena_alloc(arena, (size_t)(close - at) + 1);
    size_t n = 0;
    if (!out)
        return NULL;
    for (at += quoted; at < close; at++) {
        at += quoted && *at == '"'; /* a doubled one */
        out[n++] = *at;
    }
    out[n] = '\0';
    *end = close + (quoted && *close == '"');
    return out;
}

static size_t count_columns(struct arena *arena, const char *text)
{
    size_t n = 0;
    for (;; text++) {
        if (!take_field(arena, text, &text))
            return 0;
        n++;
        if (*text != ',')
            return n;
    }
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += text[0] == '\n' || text[1] == '\0';
    return n;
}

static bool read_table(struct page_table *t, struct arena *arena, const char *path,
                       const char *text, struct sim_err *err)
{
    t->columns = count_columns(arena, text);
    t->cells = arena_array(arena, count_lines(text) * t->columns, sizeof *t->cells);
    if (!t->columns || !t->cells)
        return err_memory(err, "reading a table");
    while (*text) {
        size_t column = 0;
        for (;; text++) {
            char *field = take_field(arena, text, &text);
            if (!field)
                return err_memory(err, "reading a table");
            if (column < t->columns)
                t->cells[t->rows * t->columns + column] = field;
            column++;
            if (*text != ',')
                break;
        }
        t->rows++;
        if (column != t->columns)
            return err_set(err, ERR_INPUT, path, (uint32_t)t->rows, 0,
                           "expected %zu fields as in the first line, found %zu", t->columns,
                           column);
        text += *text == '\r';
        text += *text == '\n';
    }
    return true;
}

size_t page_column(const struct page_table *t, const char *name)
{
    size_t c = 0;
    while (c < t->columns && strcmp(t->cells[c], name) != 0)
        c++;
    return c;
}

const char *page_cell(const struct page_table *t, size_t row, size_t column)
{
    return row < t->rows && column < t->columns ? t->cells[row * t->columns + column] : "";
}

static bool is_sweep(const struct page_table *t)
{
    return strcmp(page_cell(t, 0, 0), "card") == 0 && page_column(t, "input") < t->columns &&
           page_column(t, "status") < t->columns;
}

static bool is_a(const struct json_value *json, const char *key, enum json_kind kind)
{
    const struct json_value *v = json_member(json, key);
    return v && v->kind == kind;
}

bool page_parse(struct page_input *in, struct arena *arena, const char *path, const char *text,
                size_t len, struct sim_err *err)
{
    const char *slash = strrchr(path, '/'), *start = text + strspn(text, " \t\r\n");
    memset(in, 0, sizeof *in);
    in->name = slash ? slash + 1 : path;
    if (*start == '\0')
        return err_set(err, ERR_INPUT, path, 0, 0, "is empty");
    if (*start != '{') {
        in->kind = PAGE_SWEEP;
        if (strncmp(start, "card,", 5) != 0)
            return err_set(
                err, ERR_INPUT, path, 0, 0,
                "is no result: expected JSON of `run -o` or `validate -o`, or the CSV of "
                "a sweep");
        TRY(read_table(&in->table, arena, path, start, err));
        return is_sweep(&in->table) ||
               err_set(err, ERR_INPUT, path, 1, 0,
                       "is no CSV of a sweep: expected the columns card, input and status");
    }
    in->json = json_parse(arena, path, text, len, err);
    TRY(in->json);
    bool run = is_a(in->json, "kernels", JSON_ARRAY) && is_a(in->json, "total", JSON_OBJECT);
    in->kind = run ? PAGE_RUN : PAGE_VALIDATION;
    return run || (is_a(in->json, "summary", JSON_OBJECT) && is_a(in->json, "rows", JSON_ARRAY)) ||
           err_set(err, ERR_INPUT, path, 0, 0,
                   "is no result: expected the members of `run -o` (kernels, total) or of "
                   "`validate -o` (summary, rows)");
}

bool page_read(struct page_input *in, struct arena *arena, const char *path, struct sim_err *err)
{
    struct buf text = {0};
    bool ok = read_all(path, &text, err) &&
              page_parse(in, arena, path, text.data ? text.data : "", text.len, err);
    buf_free(&text);
    return ok;
}

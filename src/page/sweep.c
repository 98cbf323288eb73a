/* The section of a sweep's CSV: curves of the mean speed-up, and a table of the variants.
 *
 * The columns between `card` and `input` are the axes. A variant is a card with values of all axes;
 * its mean is over the inputs that did not fail. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/parts.h"

#define LINES_MAX 12

struct variant {
    size_t row; /* first of the table that has it */
    double logs, errors;
    size_t speedups, measured, failed, rows;
};

struct sweep {
    const struct page_table *t;
    size_t axes; /* columns 1 ... axes */
    size_t input, status, speedup, error;
    struct variant *variants;
    size_t count;
    size_t x; /* axis of the curves, a column; 0 = none */
};

static bool number_of(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return *text && *end == '\0' && isfinite(*out);
}

static bool same_variant(const struct sweep *s, size_t a, size_t b)
{
    for (size_t c = 0; c <= s->axes; c++)
        if (strcmp(page_cell(s->t, a, c), page_cell(s->t, b, c)) != 0)
            return false;
    return true;
}

static struct variant *variant_of(struct sweep *s, size_t row)
{
    for (size_t i = 0; i < s->count; i++)
        if (same_variant(s, s->variants[i].row, row))
            return &s->variants[i];
    s->variants[s->count] = (struct variant){.row = row};
    return &s->variants[s->count++];
}

static void take_row(struct sweep *s, size_t row)
{
    struct variant *v = variant_of(s, row);
    double x;
    v->rows++;
    v->failed += strcmp(page_cell(s->t, row, s->status), "ok") != 0;
    if (number_of(page_cell(s->t, row, s->speedup), &x) && x > 0) {
        v->logs += log(x);
        v->speedups++;
    }
    if (number_of(page_cell(s->t, row, s->error), &x)) {
        v->errors += fabs(x);
        v->measured++;
    }
}

static size_t count_values(const struct sweep *s, size_t column)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t k = 0;
        while (strcmp(page_cell(s->t, s->variants[k].row, column),
                      page_cell(s->t, s->variants[i].row, column)) != 0)
            k++;
        n += k == i;
    }
    return n;
}

/* The axis with the most values: the curves run along it. */
static void choose_axis(struct sweep *s)
{
    size_t most = 1;
    for (size_t c = 1; c <= s->axes; c++) {
        size_t n = count_values(s, c);
        if (n > most) {
            most = n;
            s->x = c;
        }
    }
}

static bool is_numeric(const struct sweep *s)
{
    double x;
    for (size_t i = 0; i < s->count; i++)
        if (!number_of(page_cell(s->t, s->variants[i].row, s->x), &x) || x < 0)
            return false;
    return true;
}

/* Both variants lie on one curve: they differ in the axis of the curves at most. */
static bool same_curve(const struct sweep *s, size_t a, size_t b)
{
    for (size_t c = 0; c <= s->axes; c++)
        if (c != s->x && strcmp(page_cell(s->t, a, c), page_cell(s->t, b, c)) != 0)
            return false;
    return true;
}

static void curve_name(const struct sweep *s, size_t row, struct buf *out)
{
    buf_puts(out, page_cell(s->t, row, 0));
    for (size_t c = 1; c <= s->axes; c++)
        if (c != s->x)
            buf_printf(out, ", %s %s", page_cell(s->t, 0, c), page_cell(s->t, row, c));
}

static double value_of(const struct variant *v, bool error)
{
    return error ? 100 * v->errors / (double)v->measured : exp(v->logs / (double)v->speedups);
}

static bool has_value(const struct variant *v, bool error)
{
    return error ? v->measured > 0 : v->speedups > 0;
}

/* Place of a value on an axis of words: in order of appearance. */
static size_t place_of(const struct sweep *s, size_t row)
{
    size_t place = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t k = 0;
        const char *own = page_cell(s->t, s->variants[i].row, s->x);
        while (strcmp(page_cell(s->t, s->variants[k].row, s->x), own) != 0)
            k++;
        if (k != i)
            continue;
        if (strcmp(own, page_cell(s->t, row, s->x)) == 0)
            return place;
        place++;
    }
    return place;
}

/* One data block a curve; returns how many. */
static size_t add_curves(const struct sweep *s, bool error, bool numeric, struct chart *c,
                         struct buf *plot)
{
    size_t curves = 0;
    for (size_t i = 0; i < s->count && curves < LINES_MAX; i++) {
        struct buf name = {0};
        bool first = true, any = false;
        for (size_t k = 0; k < i; k++)
            first = first && !same_curve(s, s->variants[k].row, s->variants[i].row);
        for (size_t k = i; k < s->count; k++)
            any = any || (same_curve(s, s->variants[k].row, s->variants[i].row) &&
                          has_value(&s->variants[k], error));
        if (!first || !any)
            continue;
        buf_printf(&c->script, "$c%zu << EOD\n", curves);
        for (size_t k = i; k < s->count; k++) {
            const struct variant *v = &s->variants[k];
            if (!same_curve(s, v->row, s->variants[i].row) || !has_value(v, error))
                continue;
            const char *x = page_cell(s->t, v->row, s->x);
            buf_printf(&c->script, "%zu %.5f ", place_of(s, v->row), value_of(v, error));
            chart_quote(&c->script, x, 16);
            buf_printf(&c->script, " %s\n", numeric ? x : "0");
        }
        buf_puts(&c->script, "EOD\n");
        curve_name(s, s->variants[i].row, &name);
        buf_printf(plot, "%s$c%zu using %s with linespoints lw 2 pt 7 ps 0.8 lc rgb '%s' title ",
                   curves > 0 ? ", " : "plot ", curves, numeric ? "4:2" : "1:2:xtic(3)",
                   chart_colour(2 * curves));
        chart_quote(plot, name.data ? name.data : "", 40);
        buf_free(&name);
        curves++;
    }
    return curves;
}

static bool curve_chart(struct page *p, const struct sweep *s, bool error)
{
    struct chart c = {.title = error ? "Error along the sweep" : "Speed-up along the sweep",
                      .caption = error
                                     ? "Mean absolute error against measurements, over the inputs."
                                     : "Geometric mean over the inputs, against the base of the "
                                       "sweep; above 1 is faster.",
                      .wide_height = 400,
                      .narrow_height = 340};
    struct buf plot = {0};
    bool numeric = is_numeric(s);
    size_t curves = add_curves(s, error, numeric, &c, &plot);
    buf_printf(&c.script,
               "set key below\nset ylabel '%s' offset 1\nset offsets graph 0.03, graph "
               "0.03, graph 0.1, graph 0.1\nset xlabel ",
               error ? "absolute error (%)" : "speed-up");
    chart_quote(&c.script, page_cell(s->t, 0, s->x), 60);
    buf_printf(&c.script, "\n%s%s%s\n", error ? "set yrange [0:*]\n" : "",
               numeric ? "" : "set xtics rotate by -30\n", plot.data ? plot.data : "");
    buf_free(&plot);
    if (curves > 0)
        return chart_draw(p, &c);
    buf_free(&c.script);
    return true;
}

static void add_variant(struct page *p, const struct sweep *s, const struct variant *v)
{
    char shown[SHOWN_SIZE];
    buf_puts(p->out, "<tr>");
    for (size_t c = 0; c <= s->axes; c++) {
        buf_puts(p->out, "<td class=\"l\">");
        html_text(p->out, page_cell(s->t, v->row, c));
        buf_puts(p->out, "</td>");
    }
    snprintf(shown, sizeof shown, "%zu", v->rows - v->failed);
    html_cell(p->out, shown, "number of rows like [%zu] with status ok", v->row);
    snprintf(shown, sizeof shown, "%zu", v->failed);
    html_cell(p->out, shown, "number of rows like [%zu] with another status", v->row);
    snprintf(shown, sizeof shown, "%.4f", has_value(v, false) ? value_of(v, false) : 0.0);
    html_cell(p->out, has_value(v, false) ? shown : "-",
              "geometric mean of speedup of rows like [%zu]", v->row);
    snprintf(shown, sizeof shown, "%.1f %%", has_value(v, true) ? value_of(v, true) : 0.0);
    html_cell(p->out, has_value(v, true) ? shown : "-", "mean of |error| of rows like [%zu]",
              v->row);
    buf_puts(p->out, "</tr>\n");
}

static void add_table(struct page *p, const struct sweep *s)
{
    buf_puts(p->out, "<h3>Configurations</h3>\n<div class=\"scroll\"><table>\n<tr>");
    for (size_t c = 0; c <= s->axes; c++) {
        buf_puts(p->out, "<th class=\"l\">");
        html_text(p->out, page_cell(s->t, 0, c));
        buf_puts(p->out, "</th>");
    }
    buf_puts(p->out, "<th>inputs</th><th>failed</th><th>speed-up</th><th>error</th></tr>\n");
    for (size_t i = 0; i < s->count; i++)
        add_variant(p, s, &s->variants[i]);
    buf_puts(p->out, "</table></div>\n");
}

/* Every row of the file as it is, with its columns up to the error. */
static void add_points(struct page *p, const struct sweep *s)
{
    size_t last = s->error < s->t->columns ? s->error : s->status;
    buf_puts(p->out, "<details><summary>All points</summary>\n<div class=\"scroll\"><table>\n<tr>");
    for (size_t c = 0; c <= last; c++) {
        buf_puts(p->out, "<th class=\"l\">");
        html_text(p->out, page_cell(s->t, 0, c));
        buf_puts(p->out, "</th>");
    }
    buf_puts(p->out, "</tr>\n");
    for (size_t row = 1; row < s->t->rows; row++) {
        buf_puts(p->out, "<tr>");
        for (size_t c = 0; c <= last; c++)
            html_cell(p->out, page_cell(s->t, row, c), "[%zu].%s", row, page_cell(s->t, 0, c));
        buf_puts(p->out, "</tr>\n");
    }
    buf_puts(p->out, "</table></div>\n</details>\n");
}

bool page_sweep(struct page *p, const struct page_input *in)
{
    const struct page_table *t = &in->table;
    struct sweep s = {.t = t,
                      .input = page_column(t, "input"),
                      .status = page_column(t, "status"),
                      .speedup = page_column(t, "speedup"),
                      .error = page_column(t, "error")};
    s.axes = s.input - 1;
    s.variants = calloc(t->rows + 1, sizeof *s.variants);
    if (!s.variants)
        return err_memory(p->err, "reading a sweep");
    for (size_t row = 1; row < t->rows; row++)
        take_row(&s, row);
    choose_axis(&s);
    buf_puts(p->out, "<p>A sweep of ");
    for (size_t c = 1; c <= s.axes; c++) {
        buf_puts(p->out, c > 1 ? ", <code>" : "<code>");
        html_text(p->out, page_cell(t, 0, c));
        buf_puts(p->out, "</code>");
    }
    buf_puts(p->out, s.axes == 0 ? "cards.</p>\n" : ".</p>\n");
    bool ok = s.x == 0 || (curve_chart(p, &s, false) && curve_chart(p, &s, true));
    if (ok) {
        add_table(p, &s);
        add_points(p, &s);
    }
    free(s.variants);
    return ok;
}

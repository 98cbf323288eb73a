/* The section of a result of `validate`: simulated against measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/parts.h"

/* Bins of the error distribution: 5 % each, the outer ones hold the rest. */
#define BIN 0.05
#define BINS_A_SIDE 12

static const struct {
    const char *name, *path;
    bool percent;
} tiles[] = {{"launches compared", "summary.n", false},
             {"mean absolute error (MAPE)", "summary.mape", true},
             {"mean error (bias)", "summary.bias", true},
             {"median absolute error", "summary.p50", true},
             {"90th percentile", "summary.p90", true},
             {"largest", "summary.max", true},
             {"Pearson correlation", "summary.pearson", false},
             {"Spearman correlation", "summary.spearman", false},
             {"within 5 %", "summary.within_5", true},
             {"within 10 %", "summary.within_10", true},
             {"within 25 %", "summary.within_25", true}};

static void add_tiles(struct page *p, const struct page_input *in)
{
    char shown[SHOWN_SIZE];
    buf_puts(p->out, "<div class=\"tiles\">\n");
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        const struct json_value *v = json_at(in->json, tiles[i].path);
        if (!v || v->kind == JSON_NULL)
            continue;
        if (tiles[i].percent)
            html_percent(shown, v);
        else
            html_shown(shown, v);
        html_tile(p->out, tiles[i].name, shown, tiles[i].path);
    }
    buf_puts(p->out, "</div>\n");
}

static bool scatter(struct page *p, const struct json_value *rows)
{
    struct chart c = {.title = "Simulated against measured cycles",
                      .caption =
                          "One mark a launch; bars span the measurements. On the line x = y the "
                          "simulation is right; the thin lines are 10 % and 25 % off.",
                      .wide_height = 620,
                      .narrow_height = 400};
    size_t n = 0;
    double low = HUGE_VAL, high = 0;
    buf_puts(&c.script, "$d << EOD\n");
    for (const struct json_value *r = rows->first; r; r = r->next) {
        double x = json_number(r, "measured", 0), y = json_number(r, "simulated", 0);
        if (x <= 0 || y <= 0)
            continue;
        buf_printf(&c.script, "%.6g %.6g %.6g %.6g\n", x, y, json_number(r, "measured_min", x),
                   json_number(r, "measured_max", x));
        low = fmin(low, fmin(x, y));
        high = fmax(high, fmax(x, y));
        n++;
    }
    buf_puts(&c.script, "EOD\n");
    buf_printf(
        &c.script,
        "set logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n"
        "set format '%%.0s%%c'\nset size ratio 1\nset key top left\n"
        "set xlabel 'measured'\nset ylabel 'simulated' offset 1\n"
        "plot x with lines lw 2 lc rgb '#1a202c' title 'x = y', "
        "1.1*x with lines lc rgb '#a0aec0' title '10 %%', x/1.1 with lines lc rgb '#a0aec0' "
        "notitle, "
        "1.25*x with lines dt 2 lc rgb '#a0aec0' title '25 %%', x/1.25 with lines dt 2 lc rgb "
        "'#a0aec0' notitle, "
        "$d using 1:2:3:4 with xerrorbars pt 7 ps 0.7 lc rgb '#2b6cb0' title 'launches'\n",
        low / 1.5, high * 1.5, low / 1.5, high * 1.5);
    if (n > 0)
        return chart_draw(p, &c);
    buf_free(&c.script);
    return true;
}

static bool distribution(struct page *p, const struct json_value *rows)
{
    struct chart c = {.title = "Distribution of errors",
                      .caption =
                          "Launches by signed error, in steps of 5 %; right of 0 the simulation "
                          "takes too long. The outermost bars hold everything beyond.",
                      .wide_height = 320,
                      .narrow_height = 260};
    unsigned counts[2 * BINS_A_SIDE] = {0}, n = 0;
    for (const struct json_value *r = rows->first; r; r = r->next) {
        const struct json_value *e = json_member(r, "error");
        if (!e || e->kind != JSON_NUMBER)
            continue;
        double bin = floor(e->number / BIN) + BINS_A_SIDE;
        counts[bin < 0 ? 0 : bin >= 2 * BINS_A_SIDE ? 2 * BINS_A_SIDE - 1 : (size_t)bin]++;
        n++;
    }
    buf_puts(&c.script, "$d << EOD\n");
    for (int i = 0; i < 2 * BINS_A_SIDE; i++)
        buf_printf(&c.script, "%.2f %u\n", 100 * BIN * (i - BINS_A_SIDE + 0.5), counts[i]);
    buf_printf(&c.script,
               "EOD\nset style fill solid noborder\nset boxwidth %.2f\nunset key\n"
               "set xrange [%.0f:%.0f]\nset yrange [0:*]\nset xlabel 'error (%%)'\n"
               "set ylabel 'launches'\nset arrow from 0, graph 0 to 0, graph 1 nohead lc rgb "
               "'#1a202c'\nplot $d using 1:2 with boxes lc rgb '#2b6cb0'\n",
               100 * BIN * 0.9, -100 * BIN * BINS_A_SIDE, 100 * BIN * BINS_A_SIDE);
    if (n > 0)
        return chart_draw(p, &c);
    buf_free(&c.script);
    return true;
}

struct place {
    const struct json_value *row;
    size_t index;
};

static double size_of_error(const struct json_value *row)
{
    return fabs(json_number(row, "error", 0));
}

/* Largest errors first; equal ones in the order of the file. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    double ex = size_of_error(x->row), ey = size_of_error(y->row);
    if (ex != ey)
        return ex > ey ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void add_row(struct page *p, const struct place *at)
{
    static const char *const numbers[] = {"simulated", "measured", "measured_min", "measured_max"};
    char shown[SHOWN_SIZE];
    buf_puts(p->out, "<tr><td class=\"l\">");
    html_text(p->out, json_text(at->row, "name"));
    buf_puts(p->out, "</td>");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        html_shown(shown, json_member(at->row, numbers[i]));
        html_cell(p->out, shown, "rows[%zu].%s", at->index, numbers[i]);
    }
    html_percent(shown, json_member(at->row, "error"));
    html_cell(p->out, shown, "rows[%zu].error", at->index);
    buf_puts(p->out, "</tr>\n");
}

static bool add_rows(struct page *p, const struct json_value *rows)
{
    struct place *places = malloc((rows->count + 1) * sizeof *places);
    size_t n = 0;
    if (!places)
        return err_memory(p->err, "sorting errors");
    for (const struct json_value *r = rows->first; r; r = r->next, n++)
        places[n] = (struct place){r, n};
    qsort(places, n, sizeof *places, compare_places);
    buf_puts(p->out, "<h3>Launches, the largest error first</h3>\n<div class=\"scroll\"><table>\n"
                     "<tr><th class=\"l\">name</th><th>simulated</th><th>measured</th>"
                     "<th>least</th><th>most</th><th>error</th></tr>\n");
    for (size_t i = 0; i < n; i++)
        add_row(p, &places[i]);
    buf_puts(p->out, "</table></div>\n");
    free(places);
    return true;
}

bool page_validation(struct page *p, const struct page_input *in)
{
    const struct json_value *rows = json_at(in->json, "rows");
    const struct json_value *failed = json_at(in->json, "failed");
    const char *title = json_text(in->json, "title"), *card = json_text(in->json, "card");
    buf_puts(p->out, "<p>Simulated against measured");
    if (title[0]) {
        buf_puts(p->out, ": ");
        html_text(p->out, title);
    }
    if (card[0]) {
        buf_puts(p->out, "; on ");
        html_text(p->out, card);
    }
    buf_puts(p->out, "</p>\n");
    for (const struct json_value *f = failed ? failed->first : NULL; f; f = f->next) {
        buf_puts(p->out, "<p class=\"warn\">Failed: ");
        html_text(p->out, json_text(f, "name"));
        buf_puts(p->out, ": ");
        html_text(p->out, json_text(f, "message"));
        buf_puts(p->out, "</p>\n");
    }
    add_tiles(p, in);
    return scatter(p, rows) && distribution(p, rows) && add_rows(p, rows);
}

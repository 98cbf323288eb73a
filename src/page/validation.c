/* The section of a result of `validate`: simulated against measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/parts.h"

/* Bins of the error distribution: 5 % each, the outer ones hold the rest. */
#define BIN 0.05
#define BINS_A_SIDE 12

/* More parts than this have only their line in the overview. */
#define PARTS_MAX 12

/* Members of a summary. */
static const struct {
    const char *name, *key;
    bool percent;
    const char *brief; /* head of its column in the overview; NULL: none */
} numbers[] = {{"values compared", "n", false, "n"},
               {"mean absolute error (MAPE)", "mape", true, "MAPE"},
               {"mean error (bias)", "bias", true, "bias"},
               {"median absolute error", "p50", true, "median"},
               {"90th percentile", "p90", true, "90 %"},
               {"largest", "max", true, "largest"},
               {"Pearson correlation", "pearson", false, "Pearson"},
               {"Spearman correlation", "spearman", false, NULL},
               {"within 5 %", "within_5", true, NULL},
               {"within 10 %", "within_10", true, "within 10 %"},
               {"within 25 %", "within_25", true, NULL}};
#define NUMBERS (sizeof numbers / sizeof numbers[0])

/* Rows that are compared together. */
struct part {
    const struct json_value *rows; /* NULL: none */
    const char *place;             /* of the rows in the file */
    const char *statistic;
};

/* The rows of a part. */
#define FOR_ROWS(t, r)                                                                             \
    for (const struct json_value *r = (t)->rows ? (t)->rows->first : NULL; r; r = r->next)

static void show_number(char out[SHOWN_SIZE], const struct json_value *summary, size_t i)
{
    const struct json_value *v = json_member(summary, numbers[i].key);
    if (numbers[i].percent)
        html_percent(out, v);
    else
        html_shown(out, v);
}

/* Tiles of the summary that stands at `path`. */
static void add_tiles(struct page *p, const struct json_value *summary, const char *path)
{
    char shown[SHOWN_SIZE], field[128];
    buf_puts(p->out, "<div class=\"tiles\">\n");
    for (size_t i = 0; i < NUMBERS; i++) {
        const struct json_value *v = json_member(summary, numbers[i].key);
        if (!v || v->kind == JSON_NULL)
            continue;
        show_number(shown, summary, i);
        snprintf(field, sizeof field, "%s.%s", path, numbers[i].key);
        html_tile(p->out, numbers[i].name, shown, field);
    }
    buf_puts(p->out, "</div>\n");
}

static bool scatter(struct page *p, const struct part *t)
{
    struct buf title = {0};
    buf_printf(&title, "Simulated against measured: %s", t->statistic);
    struct chart c = {.title = title.data ? title.data : "",
                      .caption =
                          "One mark a value; bars span the measurements. On the line x = y the "
                          "simulation is right; the thin lines are 10 % and 25 % off.",
                      .wide_height = 620,
                      .narrow_height = 400};
    size_t n = 0;
    double low = HUGE_VAL, high = 0;
    buf_puts(&c.script, "$d << EOD\n");
    FOR_ROWS(t, r)
    {
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
        "$d using 1:2:3:4 with xerrorbars pt 7 ps 0.7 lc rgb '#2b6cb0' title 'values'\n",
        low / 1.5, high * 1.5, low / 1.5, high * 1.5);
    bool ok = n == 0 || chart_draw(p, &c);
    buf_free(&c.script);
    buf_free(&title);
    return ok;
}

static bool distribution(struct page *p, const struct part *t)
{
    struct chart c = {.title = "Distribution of errors",
                      .caption =
                          "Values by signed error, in steps of 5 %; right of 0 the simulation "
                          "takes too long. The outermost bars hold everything beyond.",
                      .wide_height = 320,
                      .narrow_height = 260};
    unsigned counts[2 * BINS_A_SIDE] = {0}, n = 0;
    FOR_ROWS(t, r)
    {
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
               "set ylabel 'values'\nset arrow from 0, graph 0 to 0, graph 1 nohead lc rgb "
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

static void add_row(struct page *p, const struct part *t, const struct place *at)
{
    static const char *const keys[] = {"simulated", "measured", "measured_min", "measured_max"};
    char shown[SHOWN_SIZE];
    buf_puts(p->out, "<tr><td class=\"l\">");
    html_text(p->out, json_text(at->row, "name"));
    buf_puts(p->out, "</td>");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        html_shown(shown, json_member(at->row, keys[i]));
        html_cell(p->out, shown, "%s[%zu].%s", t->place, at->index, keys[i]);
    }
    html_percent(shown, json_member(at->row, "error"));
    html_cell(p->out, shown, "%s[%zu].error", t->place, at->index);
    buf_puts(p->out, "</tr>\n");
}

static bool add_rows(struct page *p, const struct part *t)
{
    struct place *places = malloc(((t->rows ? t->rows->count : 0) + 1) * sizeof *places);
    size_t n = 0;
    if (!places)
        return err_memory(p->err, "sorting errors");
    FOR_ROWS(t, r)
    {
        places[n] = (struct place){r, n};
        n++;
    }
    qsort(places, n, sizeof *places, compare_places);
    buf_printf(p->out,
               "<details%s><summary>All values, the largest error first</summary>\n"
               "<div class=\"scroll\"><table>\n"
               "<tr><th class=\"l\">name</th><th>simulated</th><th>measured</th>"
               "<th>least</th><th>most</th><th>error</th></tr>\n",
               n <= 70 ? " open" : "");
    for (size_t i = 0; i < n; i++)
        add_row(p, t, &places[i]);
    buf_puts(p->out, "</table></div>\n</details>\n");
    free(places);
    return true;
}

static bool add_part(struct page *p, const struct part *t)
{
    return scatter(p, t) && distribution(p, t) && add_rows(p, t);
}

/* Whether the limits of a part hold, in words. */
static void add_limits(struct page *p, const struct json_value *part)
{
    const struct json_value *limits = json_member(part, "limits");
    bool exceeded = false;
    for (const struct json_value *l = limits ? limits->first : NULL; l; l = l->next) {
        const struct json_value *holds = json_member(l, "holds");
        exceeded = exceeded || (holds && holds->kind == JSON_BOOL && holds->text[0] == 'f');
    }
    buf_printf(p->out, "<td class=\"l%s\">%s</td>", exceeded ? " bad" : "",
               exceeded                  ? "exceeded"
               : limits && limits->first ? "hold"
                                         : "none");
}

/* True for a part of a list of statistics: "counters/l2.read_hits". */
static bool is_listed(const struct json_value *part)
{
    return strchr(json_text(part, "name"), '/') != NULL;
}

static void add_line(struct page *p, const struct json_value *part, size_t index)
{
    char shown[SHOWN_SIZE];
    buf_puts(p->out, "<tr><td class=\"l\">");
    html_text(p->out, json_text(part, "name"));
    if (!is_listed(part)) {
        buf_puts(p->out, "</td><td class=\"l\">");
        html_text(p->out, json_text(part, "statistic"));
    }
    buf_puts(p->out, "</td>");
    for (size_t i = 0; i < NUMBERS; i++) {
        if (!numbers[i].brief)
            continue;
        show_number(shown, json_member(part, "summary"), i);
        html_cell(p->out, shown, "parts[%zu].summary.%s", index, numbers[i].key);
    }
    add_limits(p, part);
    buf_puts(p->out, "</tr>\n");
}

/* A line a part: of those that are `listed`, or of the others. */
static void add_overview(struct page *p, const struct json_value *parts, bool listed)
{
    size_t index = 0, lines = 0;
    for (const struct json_value *part = parts->first; part; part = part->next)
        lines += is_listed(part) == listed;
    if (lines == 0)
        return;
    buf_printf(
        p->out, "<h3>%s</h3>\n<div class=\"scroll\"><table>\n<tr><th class=\"l\">part</th>%s",
        listed ? "Lists of statistics" : "Parts", listed ? "" : "<th class=\"l\">statistic</th>");
    for (size_t i = 0; i < NUMBERS; i++)
        if (numbers[i].brief)
            buf_printf(p->out, "<th>%s</th>", numbers[i].brief);
    buf_puts(p->out, "<th class=\"l\">limits</th></tr>\n");
    for (const struct json_value *part = parts->first; part; part = part->next, index++)
        if (is_listed(part) == listed)
            add_line(p, part, index);
    buf_puts(p->out, "</table></div>\n");
}

/* Parts of their own, each with its charts. */
static bool add_parts(struct page *p, const struct json_value *parts)
{
    size_t index = 0, shown = 0;
    for (const struct json_value *part = parts->first; part; part = part->next, index++) {
        const char *name = json_text(part, "name");
        char path[64], place[64];
        if (is_listed(part) || shown == PARTS_MAX)
            continue;
        snprintf(path, sizeof path, "parts[%zu].summary", index);
        snprintf(place, sizeof place, "parts[%zu].rows", index);
        struct part t = {json_member(part, "rows"), place, json_text(part, "statistic")};
        buf_puts(p->out, "<h3>");
        html_text(p->out, name);
        buf_puts(p->out, "</h3>\n");
        add_tiles(p, json_member(part, "summary"), path);
        TRY(add_part(p, &t));
        shown++;
    }
    return true;
}

bool page_validation(struct page *p, const struct page_input *in)
{
    const struct json_value *rows = json_at(in->json, "rows"), *parts = json_at(in->json, "parts");
    const struct json_value *failed = json_at(in->json, "failed");
    const char *title = json_text(in->json, "title"), *card = json_text(in->json, "card");
    size_t part_count = parts ? parts->count : 0;
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
    if (part_count > 1) {
        add_overview(p, parts, false);
        TRY(add_parts(p, parts));
        add_overview(p, parts, true);
        return true;
    }
    const char *statistic = part_count == 1 ? json_text(parts->first, "statistic") : "";
    struct part all = {rows, "rows", statistic[0] ? statistic : "cycles"};
    add_tiles(p, json_at(in->json, "summary"), "summary");
    return add_part(p, &all);
}

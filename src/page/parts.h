/* Parts of the page. Internal to the page layer. */
#ifndef SUBCORE_PAGE_PARTS_H
#define SUBCORE_PAGE_PARTS_H

#include "page/page.h"

struct page {
    struct buf *out;
    page_draw *draw;
    void *user;
    struct sim_err *err;
    uint32_t charts; /* drawn so far */
    uint32_t section;
};

/* html.c */

/* Text, with what HTML would read as markup escaped. */
void html_text(struct buf *out, const char *text);

/* A number as shown, with the place it comes from (formatted); in a span. */
void html_number(struct buf *out, const char *shown, const char *field, ...)
    __attribute__((format(printf, 3, 4)));

/* The same as a cell of a table. */
void html_cell(struct buf *out, const char *shown, const char *field, ...)
    __attribute__((format(printf, 3, 4)));

/* A tile: a number in large with its name. */
void html_tile(struct buf *out, const char *name, const char *shown, const char *field);

/* "1,234,567", "0.1234", "-" for null: a number of JSON as people read it. */
#define SHOWN_SIZE 64
void html_shown(char out[SHOWN_SIZE], const struct json_value *v);

/* 100 * v with one decimal and a percent sign; "-" when v is no number. */
void html_percent(char out[SHOWN_SIZE], const struct json_value *v);

/* chart.c */

/* A chart being made: a gnuplot script that may look at `narrow`. */
struct chart {
    const char *title;
    const char *caption; /* how to read it */
    struct buf script;
    struct buf legend; /* HTML below the drawing, or empty; freed with the script */
    uint32_t wide_height, narrow_height;
};

/* Text in double quotes of gnuplot, cut to `most` characters (0 = not cut). */
void chart_quote(struct buf *script, const char *text, size_t most);

/* Adds a coloured square with its name to the legend. */
void chart_legend(struct chart *c, const char *colour, const char *name);

/* Draws the chart in two widths, and frees the script. */
bool chart_draw(struct page *p, struct chart *c);

/* Colour i of the palette. */
const char *chart_colour(size_t i);

/* run.c, run_charts.c, validation.c, sweep.c: the section of one file. */
bool page_run(struct page *p, const struct page_input *in);
bool page_run_charts(struct page *p, const struct page_input *in);
bool page_validation(struct page *p, const struct page_input *in);
bool page_sweep(struct page *p, const struct page_input *in);

#endif

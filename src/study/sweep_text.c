#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/number.h"
#include "report/table.h"
#include "study/statistic.h"
#include "study/sweep_result.h"

#define LEAST_CELL 8u
#define CELL_SIZE 32

#define MEAN_LABEL "Speed-up, geometric mean"
#define AREA_LABEL "Area of dependence management"

/* Some variants of a group side by side. */
struct block {
    const struct sweep_result *r;
    struct buf *out;
    uint32_t first, end;  /* variants */
    uint32_t label, cell; /* widths */
};

/* Prints the cell of a variant, or of its point with `input`. */
typedef void print_cell(const struct sweep_result *r, uint32_t variant, uint32_t input,
                        char out[CELL_SIZE]);

static void add_row(const struct block *b, const char *label, print_cell *print, uint32_t input)
{
    buf_printf(b->out, "  %-*s", (int)b->label, label);
    for (uint32_t v = b->first; v < b->end; v++) {
        char cell[CELL_SIZE] = "-";
        print(b->r, v, input, cell);
        buf_printf(b->out, "%*s", (int)b->cell, cell);
    }
    buf_puts(b->out, "\n");
}

static void speedup_mean(const struct sweep_result *r, uint32_t v, uint32_t input,
                         char out[CELL_SIZE])
{
    double mean;
    (void)input;
    if (sweep_mean_speedup(r, v, &mean))
        snprintf(out, CELL_SIZE, "%.3f", mean);
}

static void mape(const struct sweep_result *r, uint32_t v, uint32_t input, char out[CELL_SIZE])
{
    double value;
    (void)input;
    if (sweep_mape(r, v, &value))
        snprintf(out, CELL_SIZE, "%.2f %%", 100 * value);
}

static void area(const struct sweep_result *r, uint32_t v, uint32_t input, char out[CELL_SIZE])
{
    const struct plan_variant *variant = &r->plan->variants[v];
    (void)input;
    if (variant->has_area)
        snprintf(out, CELL_SIZE, "%u.%02u %%", (unsigned)(variant->area_percent_hundredths / 100),
                 (unsigned)(variant->area_percent_hundredths % 100));
}

/* Index of the point, or false (and the cell's text) when it has no values. */
static bool point_of(const struct sweep_result *r, uint32_t v, uint32_t input, uint32_t *point,
                     char out[CELL_SIZE])
{
    *point = plan_find_point(r->plan, v, input);
    if (*point == r->plan->point_count) {
        strcpy(out, "");
        return false;
    }
    if (r->points[*point].done && !r->points[*point].failed)
        return true;
    strcpy(out, "failed");
    return false;
}

static void speedup(const struct sweep_result *r, uint32_t v, uint32_t input, char out[CELL_SIZE])
{
    uint32_t point;
    uint64_t base, own;
    char ratio[NUMBER_SIZE];
    if (!point_of(r, v, input, &point, out) || !sweep_speedup(r, point, &base, &own))
        return;
    number_ratio(ratio, base, own, 3);
    snprintf(out, CELL_SIZE, "%.*s", CELL_SIZE - 1, ratio);
}

static void error(const struct sweep_result *r, uint32_t v, uint32_t input, char out[CELL_SIZE])
{
    uint32_t point;
    double value;
    if (point_of(r, v, input, &point, out) && sweep_error(r, point, &value))
        snprintf(out, CELL_SIZE, "%+.1f %%", 100 * value);
}

static void add_head(const struct block *b)
{
    const struct plan *p = b->r->plan;
    for (uint32_t a = 0; a < p->sweep->axis_count; a++) {
        const struct sweep_axis *axis = &p->sweep->axes[a];
        buf_printf(b->out, "  %-*s", (int)b->label, axis->name);
        for (uint32_t v = b->first; v < b->end; v++)
            buf_printf(b->out, "%*s", (int)b->cell, axis->values[p->variants[v].value[a]].label);
        buf_puts(b->out, "\n");
    }
}

static void add_inputs(const struct block *b, const char *title, print_cell *print)
{
    const struct sweep *s = b->r->plan->sweep;
    buf_printf(b->out, "\n  %s\n", title);
    for (uint32_t i = 0; i < s->input_count; i++)
        add_row(b, s->inputs[i].name, print, i);
}

static void add_block(const struct block *b)
{
    bool measured = b->r->measured != NULL;
    add_head(b);
    if (measured)
        add_row(b, "MAPE", mape, 0);
    add_row(b, MEAN_LABEL, speedup_mean, 0);
    if (sweep_area_differs(b->r))
        add_row(b, AREA_LABEL, area, 0);
    add_inputs(b, "Speed-up of each input", speedup);
    if (measured)
        add_inputs(b, "Error of each input", error);
}

static uint32_t longer(uint32_t width, const char *text)
{
    uint32_t n = (uint32_t)strlen(text);
    return n > width ? n : width;
}

/* Widths that hold all labels, and how many variants then fit the page. */
static uint32_t measure(struct block *b)
{
    const struct sweep *s = b->r->plan->sweep;
    b->label = (uint32_t)strlen(MEAN_LABEL);
    if (sweep_area_differs(b->r))
        b->label = longer(b->label, AREA_LABEL);
    b->cell = LEAST_CELL - 1;
    for (uint32_t i = 0; i < s->input_count; i++)
        b->label = longer(b->label, s->inputs[i].name);
    for (uint32_t a = 0; a < s->axis_count; a++) {
        b->label = longer(b->label, s->axes[a].name);
        for (uint32_t i = 0; i < s->axes[a].count; i++)
            b->cell = longer(b->cell, s->axes[a].values[i].label);
    }
    b->cell++;
    uint32_t room = b->label + 2 < TABLE_PAGE ? TABLE_PAGE - b->label - 2 : 0;
    return room >= b->cell ? room / b->cell : 1;
}

void sweep_text(const struct sweep_result *r, struct buf *out)
{
    const struct sweep *s = r->plan->sweep;
    char name[STATISTIC_NAME_SIZE];
    struct block b = {.r = r, .out = out};
    uint32_t fit = measure(&b);
    statistic_name(s->statistic, name);
    buf_printf(out, "%s\n", s->title);
    for (uint32_t g = 0; g < sweep_group_count(r); g++) {
        uint32_t end = sweep_group_first(r, g + 1);
        for (uint32_t v = sweep_group_first(r, g); v < end; v += fit) {
            b.first = v;
            b.end = end - v > fit ? v + fit : end;
            buf_puts(out, "\n");
            if (s->card_count > 0)
                buf_printf(out, "%s, compared by %s\n", s->cards[g].name, name);
            else
                buf_printf(out, "compared by %s\n", name);
            add_block(&b);
        }
    }
}

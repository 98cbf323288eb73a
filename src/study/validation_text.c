#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/table.h"
#include "study/validation.h"

/* Digits of values that are not whole. */
#define VALUE_DECIMALS 4
/* Columns of a name. */
#define NAME_LEAST 20
#define NAME_MOST 44

/* Signed percentage with one digit. */
static void percent_text(char out[NUMBER_SIZE], double v, bool sign)
{
    if (!isfinite(v))
        snprintf(out, NUMBER_SIZE, isnan(v) ? "-" : "infinite");
    else
        snprintf(out, NUMBER_SIZE, sign ? "%+.1f %%" : "%.1f %%", 100 * v);
    if (strcmp(out, "-0.0 %") == 0 || strcmp(out, "+0.0 %") == 0)
        snprintf(out, NUMBER_SIZE, "0.0 %%");
}

static void percent_cell(struct table *t, const char *label, double v, bool sign)
{
    char text[NUMBER_SIZE];
    percent_text(text, v, sign);
    table_cell(t, label, text);
}

static void correlation_cell(struct table *t, const char *label, double v)
{
    char text[NUMBER_SIZE];
    number_decimal(text, v, 4);
    table_cell(t, label, text);
}

static void summary_cells(struct buf *out, const struct agreement *a)
{
    struct table t = {.out = out};
    percent_cell(&t, "Mean absolute error (MAPE)", a->mape, false);
    percent_cell(&t, "Within 5 %", a->within_5, false);
    percent_cell(&t, "Bias (mean signed error)", a->bias, true);
    percent_cell(&t, "Within 10 %", a->within_10, false);
    percent_cell(&t, "Half of them within", a->p50, false);
    percent_cell(&t, "Within 25 %", a->within_25, false);
    percent_cell(&t, "90 % of them within", a->p90, false);
    correlation_cell(&t, "Pearson correlation", a->pearson);
    percent_cell(&t, "All within", a->max, false);
    correlation_cell(&t, "Spearman rank correlation", a->spearman);
    if (a->ranged > 0) {
        percent_cell(&t, "Spread of the measurements", a->spread, false);
        percent_cell(&t, "Inside the measured range", a->in_range, false);
    }
    table_end(&t);
    if (a->unmeasured > 0)
        buf_printf(out, "  (mean and bias without %u measured as 0)\n", a->unmeasured);
}

static void limit_lines(struct buf *out, const struct agreement *a, const struct suite_part *p)
{
    for (uint32_t i = 0; i < SUITE_LIMIT_COUNT; i++) {
        enum suite_limit_name limit = (enum suite_limit_name)i;
        char bound[NUMBER_SIZE];
        bool upper;
        const char *name = suite_limit_name(limit, &upper);
        if (!p->limits[i].given)
            continue;
        validation_limit_value(bound, limit, p->limits[i].value);
        buf_printf(out, "  Limit: %s at %s %s: %s\n", name, upper ? "most" : "least", bound,
                   validation_limit_holds(a, p, limit) ? "holds" : "EXCEEDED");
    }
}

/* Rows by |error| from the largest down; equal ones in order. */
static int worst_first(const void *pa, const void *pb)
{
    const struct validation_row *a = *(const struct validation_row *const *)pa;
    const struct validation_row *b = *(const struct validation_row *const *)pb;
    double x = fabs(pair_error(&a->pair)), y = fabs(pair_error(&b->pair));
    if (x != y)
        return x > y ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void range_text(char out[2 * NUMBER_SIZE + 4], const struct pair *p)
{
    char low[NUMBER_SIZE], high[NUMBER_SIZE];
    out[0] = '\0';
    if (isnan(p->low) || isnan(p->high))
        return;
    number_grouped_decimal(low, p->low, VALUE_DECIMALS);
    number_grouped_decimal(high, p->high, VALUE_DECIMALS);
    snprintf(out, 2 * NUMBER_SIZE + 4, "%s..%s", low, high);
}

static void text_row(struct buf *out, const struct validation_row *row, int name, bool ranged)
{
    char simulated[NUMBER_SIZE], measured[NUMBER_SIZE], error[NUMBER_SIZE];
    char range[2 * NUMBER_SIZE + 4];
    number_grouped_decimal(simulated, row->pair.simulated, VALUE_DECIMALS);
    number_grouped_decimal(measured, row->pair.measured, VALUE_DECIMALS);
    percent_text(error, pair_error(&row->pair), true);
    range_text(range, &row->pair);
    buf_printf(out, "  %-*.*s%14s%14s", name, name, row->name, simulated, measured);
    if (ranged)
        buf_printf(out, "%24s", range);
    buf_printf(out, "%12s\n", error);
}

/* Rows without error are counted only, unless `all`. */
static bool text_rows(struct buf *out, const struct validation *v, const struct validation_part *p,
                      bool all)
{
    const struct validation_row **order = malloc((p->count + 1) * sizeof(*order));
    int name = NAME_LEAST;
    if (!order)
        return false;
    for (uint32_t i = 0; i < p->count; i++) {
        order[i] = &v->rows[p->first + i];
        int n = (int)strlen(order[i]->name);
        name = n > name ? n : name;
    }
    name = name > NAME_MOST ? NAME_MOST : name;
    qsort(order, p->count, sizeof(*order), worst_first);
    bool ranged = p->agreement.ranged > 0;
    buf_printf(out, "\n  %-*s%14s%14s", name, "", "simulated", "measured");
    if (ranged)
        buf_printf(out, "%24s", "measured range");
    buf_printf(out, "%12s\n", "error");
    uint32_t shown = 0;
    while (shown < p->count && (all || pair_error(&order[shown]->pair) != 0))
        text_row(out, order[shown++], name, ranged);
    if (shown < p->count) {
        buf_puts(out, "  ");
        table_plural(out, p->count - shown, shown > 0 ? "other" : "value");
        buf_puts(out, " without error\n");
    }
    free(order);
    buf_puts(out, "\n");
    return true;
}

static void text_part(struct buf *out, const struct validation *v, uint32_t index, bool all)
{
    const struct suite_part *p = &v->suite->parts[index];
    const struct validation_part *r = &v->parts[index];
    buf_printf(out, "%s%s%s\n", v->suite->title ? v->suite->title : v->suite->tree.file,
               p->name ? ": " : "", p->name ? p->name : "");
    buf_puts(out, "  ");
    table_plural(out, r->count, "value");
    buf_printf(out, " of %s%s on %s", p->statistic_name, p->warm ? ", warm," : "", v->card);
    if (r->column)
        buf_printf(out, " against %s", r->column);
    for (uint32_t f = 0; f < p->measured_count; f++)
        buf_printf(out, "%s%s", f == 0 ? " of " : ", ", v->suite->measured[p->measured[f]].file);
    buf_puts(out, "\n");
    if (r->agreement.max != 0 || all) {
        if (!text_rows(out, v, r, all))
            out->failed = true;
        summary_cells(out, &r->agreement);
    } else {
        buf_puts(out, "  none has an error\n");
    }
    limit_lines(out, &r->agreement, p);
    buf_puts(out, "\n");
}

/* All parts, a line each. */
static void overview(struct buf *out, const struct validation *v)
{
    int name = NAME_LEAST;
    for (uint32_t p = 0; p < v->suite->part_count; p++) {
        int n = (int)strlen(v->suite->parts[p].name ? v->suite->parts[p].name : "");
        name = n > name ? n : name;
    }
    name = name > NAME_MOST ? NAME_MOST : name;
    buf_printf(out, "%-*s%8s%10s%11s%13s%9s  limits\n", name, "Part", "values", "MAPE", "bias",
               "within 10 %", "Pearson");
    for (uint32_t p = 0; p < v->suite->part_count; p++) {
        const struct suite_part *part = &v->suite->parts[p];
        const struct agreement *a = &v->parts[p].agreement;
        char mape[NUMBER_SIZE], bias[NUMBER_SIZE], within[NUMBER_SIZE], pearson[NUMBER_SIZE];
        uint32_t limits = 0, held = 0;
        if (!v->parts[p].selected || v->parts[p].count == 0)
            continue;
        for (uint32_t i = 0; i < SUITE_LIMIT_COUNT; i++) {
            limits += part->limits[i].given;
            held +=
                part->limits[i].given && validation_limit_holds(a, part, (enum suite_limit_name)i);
        }
        percent_text(mape, a->mape, false);
        percent_text(bias, a->bias, true);
        percent_text(within, a->within_10, false);
        number_decimal(pearson, a->pearson, 4);
        buf_printf(out, "%-*.*s%8u%10s%11s%13s%9s  %s\n", name, name, part->name, a->n, mape, bias,
                   within, pearson,
                   limits == 0      ? "none"
                   : held == limits ? "hold"
                                    : "EXCEEDED");
    }
}

void validation_text(struct buf *out, const struct validation *v, bool all)
{
    for (uint32_t p = 0; p < v->suite->part_count; p++)
        if (v->parts[p].selected && v->parts[p].count > 0 &&
            (all || v->chosen || !v->suite->parts[p].one_of_many))
            text_part(out, v, p, all);
    if (v->suite->part_count > 1)
        overview(out, v);
    if (v->failure_count > 0)
        buf_puts(out, "Inputs that could not be simulated:\n");
    for (uint32_t i = 0; i < v->failure_count; i++)
        buf_printf(out, "  %s: %s\n", v->failures[i].name, v->failures[i].message);
}

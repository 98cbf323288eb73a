/* A validation as JSON and as CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/csv.h"
#include "report/json_writer.h"
#include "study/validation.h"

/* Digits of errors and correlations, and of values that are not whole. */
#define DECIMALS 6
#define VALUE_DECIMALS 4

static void json_summary(struct json *j, const struct agreement *a)
{
    json_object(j, "summary");
    json_u64(j, "n", a->n);
    json_decimal(j, "mape", a->mape, DECIMALS);
    json_decimal(j, "bias", a->bias, DECIMALS);
    json_decimal(j, "pearson", a->pearson, DECIMALS);
    json_decimal(j, "spearman", a->spearman, DECIMALS);
    json_decimal(j, "p50", a->p50, DECIMALS);
    json_decimal(j, "p90", a->p90, DECIMALS);
    json_decimal(j, "max", a->max, DECIMALS);
    json_decimal(j, "within_5", a->within_5, DECIMALS);
    json_decimal(j, "within_10", a->within_10, DECIMALS);
    json_decimal(j, "within_25", a->within_25, DECIMALS);
    json_u64(j, "measured_as_zero", a->unmeasured);
    json_u64(j, "with_range", a->ranged);
    json_decimal(j, "measured_spread", a->spread, DECIMALS);
    json_decimal(j, "in_measured_range", a->in_range, DECIMALS);
    json_object_end(j);
}

static void json_rows(struct json *j, const struct validation *v, const struct validation_part *p)
{
    json_array(j, "rows");
    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        const struct validation_row *row = &v->rows[i];
        json_object_inline(j, NULL);
        json_string(j, "name", row->name);
        json_decimal(j, "simulated", row->pair.simulated, VALUE_DECIMALS);
        json_decimal(j, "measured", row->pair.measured, VALUE_DECIMALS);
        json_decimal(j, "measured_min", row->pair.low, VALUE_DECIMALS);
        json_decimal(j, "measured_max", row->pair.high, VALUE_DECIMALS);
        json_decimal(j, "error", pair_error(&row->pair), DECIMALS);
        json_object_end(j);
    }
    json_array_end(j);
}

static void json_limits(struct json *j, const struct agreement *a, const struct suite_part *p)
{
    json_array(j, "limits");
    for (uint32_t i = 0; i < SUITE_LIMIT_COUNT; i++) {
        bool upper;
        const char *name = suite_limit_name((enum suite_limit_name)i, &upper);
        if (!p->limits[i].given)
            continue;
        json_object_inline(j, NULL);
        json_string(j, "name", name);
        json_decimal(j, upper ? "most" : "least", p->limits[i].value, DECIMALS);
        json_decimal(j, "value", validation_limited(a, (enum suite_limit_name)i), DECIMALS);
        json_bool(j, "holds", validation_limit_holds(a, p, (enum suite_limit_name)i));
        json_object_end(j);
    }
    json_array_end(j);
}

static void json_part(struct json *j, const struct validation *v, uint32_t index)
{
    const struct suite_part *p = &v->suite->parts[index];
    json_object(j, NULL);
    json_string(j, "name", p->name);
    json_string(j, "statistic", p->statistic_name);
    json_string(j, "column", v->parts[index].column);
    json_bool(j, "warm", p->warm);
    json_array(j, "measured");
    for (uint32_t f = 0; f < p->measured_count; f++) {
        const struct measured *m = &v->suite->measured[p->measured[f]];
        char crc[16];
        snprintf(crc, sizeof crc, "%08" PRIx32, m->crc);
        json_object_inline(j, NULL);
        json_string(j, "file", m->file);
        json_string(j, "crc32", crc);
        json_object_end(j);
    }
    json_array_end(j);
    json_summary(j, &v->parts[index].agreement);
    json_limits(j, &v->parts[index].agreement, p);
    json_rows(j, v, &v->parts[index]);
    json_object_end(j);
}

/* The part that stands for the suite. */
static const struct validation_part *first_part(const struct validation *v)
{
    uint32_t p = 0;
    while (p + 1 < v->suite->part_count && !v->parts[p].selected)
        p++;
    return &v->parts[p];
}

void validation_json(struct buf *out, const struct validation *v, const char *version)
{
    struct json j;
    json_init(&j, out);
    json_object(&j, NULL);
    json_string(&j, "version", version);
    json_string(&j, "suite", v->suite->tree.file);
    json_string(&j, "title", v->suite->title);
    json_string(&j, "card", v->card);
    const struct validation_part *first = first_part(v);
    json_string(&j, "part", v->suite->parts[first - v->parts].name);
    json_summary(&j, &first->agreement);
    json_rows(&j, v, first);
    json_array(&j, "parts");
    for (uint32_t p = 0; p < v->suite->part_count; p++)
        if (v->parts[p].selected)
            json_part(&j, v, p);
    json_array_end(&j);
    json_array(&j, "failed");
    for (uint32_t i = 0; i < v->failure_count; i++) {
        json_object_inline(&j, NULL);
        json_string(&j, "name", v->failures[i].name);
        json_string(&j, "message", v->failures[i].message);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
}

static void csv_decimal(struct buf *out, double v, uint32_t decimals)
{
    char text[NUMBER_SIZE] = "";
    if (isfinite(v))
        number_decimal(text, v, decimals);
    buf_printf(out, ",%s", text);
}

void validation_csv(struct buf *out, const struct validation *v)
{
    buf_puts(out, "part,name,simulated,measured,measured_min,measured_max,error\n");
    for (uint32_t i = 0; i < v->row_count; i++) {
        const struct validation_row *row = &v->rows[i];
        const char *part = v->suite->parts[row->part].name;
        csv_plain(out, part ? part : "");
        buf_puts(out, ",");
        csv_plain(out, row->name);
        csv_decimal(out, row->pair.simulated, VALUE_DECIMALS);
        csv_decimal(out, row->pair.measured, VALUE_DECIMALS);
        csv_decimal(out, row->pair.low, VALUE_DECIMALS);
        csv_decimal(out, row->pair.high, VALUE_DECIMALS);
        csv_decimal(out, pair_error(&row->pair), DECIMALS);
        buf_puts(out, "\n");
    }
}

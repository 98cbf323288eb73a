#include <inttypes.h>
#include <string.h>

#include "report/number.h"
#include "study/statistic.h"
#include "study/sweep_result.h"

/* A field; in quotes where it has to be. */
static void add_text(struct buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        buf_puts(out, text);
        return;
    }
    buf_puts(out, "\"");
    for (const char *s = text; *s; s++)
        buf_printf(out, "%s%c", *s == '"' ? "\"" : "", *s);
    buf_puts(out, "\"");
}

static void add_head(const struct sweep_result *r, struct buf *out)
{
    const struct sweep *s = r->plan->sweep;
    char name[STATISTIC_NAME_SIZE];
    buf_puts(out, "card");
    for (uint32_t a = 0; a < s->axis_count; a++) {
        buf_puts(out, ",");
        add_text(out, s->axes[a].name);
    }
    buf_puts(out, ",input,status,speedup,measured,error,area_bits,area_percent");
    for (uint32_t i = 0; i < statistic_count(); i++) {
        if (!point_keeps(i))
            continue;
        statistic_name(i, name);
        buf_printf(out, ",%s", name);
    }
    buf_puts(out, "\n");
}

static void add_comparison(const struct sweep_result *r, uint32_t point, struct buf *out)
{
    char ratio[NUMBER_SIZE] = "";
    uint64_t base, own;
    double measured, error;
    if (sweep_speedup(r, point, &base, &own))
        number_ratio(ratio, base, own, 4);
    buf_printf(out, ",%s,", ratio);
    if (sweep_measurement(r, point, &measured))
        buf_printf(out, "%.12g", measured);
    buf_puts(out, ",");
    if (sweep_error(r, point, &error))
        buf_printf(out, "%.4f", error);
}

static void add_row(const struct sweep_result *r, uint32_t point, struct buf *out)
{
    const struct sweep *s = r->plan->sweep;
    const struct plan_point *at = &r->plan->points[point];
    const struct plan_variant *v = &r->plan->variants[at->variant];
    const struct point_result *result = &r->points[point];
    bool ok = result->done && !result->failed;
    add_text(out, v->card.name);
    for (uint32_t a = 0; a < s->axis_count; a++) {
        buf_puts(out, ",");
        add_text(out, s->axes[a].values[v->value[a]].label);
    }
    buf_puts(out, ",");
    add_text(out, s->inputs[at->input].name);
    buf_printf(out, ",%s", ok ? "ok" : "failed");
    add_comparison(r, point, out);
    if (v->has_area) {
        char percent[NUMBER_SIZE];
        number_ratio(percent, v->area_percent_hundredths, 100, 2);
        buf_printf(out, ",%" PRIu64 ",%s", v->area_bits, percent);
    } else {
        buf_puts(out, ",,");
    }
    for (uint32_t i = 0; i < statistic_count(); i++) {
        if (!point_keeps(i))
            continue;
        buf_puts(out, ",");
        if (ok)
            buf_printf(out, "%" PRIu64, result->values[i]);
    }
    buf_puts(out, "\n");
}

void sweep_csv(const struct sweep_result *r, struct buf *out)
{
    add_head(r, out);
    for (uint32_t i = 0; i < r->plan->point_count; i++)
        add_row(r, i, out);
}

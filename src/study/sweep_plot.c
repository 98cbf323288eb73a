#include <math.h>
#include <string.h>

#include "study/sweep_result.h"

/* Radius of a dot, as a share of the width. Circles, as some viewers do not show gnuplot's points.
 */
#define DOT 0.004

/* So many labels have room side by side; more are written at an angle. */
#define LEVEL_LABELS 9u

/* Text in double quotes of gnuplot. */
static void add_quoted(struct buf *out, const char *text)
{
    buf_puts(out, "\"");
    for (const char *s = text; *s; s++)
        buf_printf(out, "%s%c", *s == '"' || *s == '\\' ? "\\" : "", *s);
    buf_puts(out, "\"");
}

static void add_label(const struct sweep_result *r, uint32_t variant, struct buf *out)
{
    const struct sweep *s = r->plan->sweep;
    const struct plan_variant *v = &r->plan->variants[variant];
    struct buf label = {0};
    if (s->axis_count == 0)
        buf_puts(&label, v->card.name);
    for (uint32_t a = 0; a < s->axis_count; a++)
        buf_printf(&label, "%s%s", a > 0 ? ", " : "", s->axes[a].values[v->value[a]].label);
    add_quoted(out, label.data ? label.data : "");
    buf_free(&label);
}

static bool mean_of(const struct sweep_result *r, enum sweep_plot plot, uint32_t variant,
                    double *value)
{
    if (plot == SWEEP_PLOT_SPEEDUP)
        return sweep_mean_speedup(r, variant, value);
    bool ok = sweep_mape(r, variant, value);
    *value *= 100;
    return ok;
}

static bool value_of(const struct sweep_result *r, enum sweep_plot plot, uint32_t point,
                     double *value)
{
    uint64_t base, own;
    if (plot == SWEEP_PLOT_SPEEDUP) {
        bool ok = sweep_speedup(r, point, &base, &own);
        *value = ok ? (double)base / (double)own : 0;
        return ok;
    }
    bool ok = sweep_error(r, point, value);
    *value = 100 * fabs(*value);
    return ok;
}

/* Data blocks: means with labels, and the points of all inputs. */
static bool add_data(const struct sweep_result *r, enum sweep_plot plot, uint32_t g,
                     struct buf *out)
{
    uint32_t first = sweep_group_first(r, g), end = sweep_group_first(r, g + 1);
    bool any = false;
    buf_puts(out, "$means << EOD\n");
    for (uint32_t v = first; v < end; v++) {
        double mean;
        bool ok = mean_of(r, plot, v, &mean);
        any = any || ok;
        buf_printf(out, "%u ", v - first);
        add_label(r, v, out);
        if (ok)
            buf_printf(out, " %.4f\n", mean);
        else
            buf_puts(out, " NaN\n");
    }
    buf_puts(out, "EOD\n$inputs << EOD\n");
    for (uint32_t v = first; v < end; v++)
        for (uint32_t i = 0; i < r->plan->sweep->input_count; i++) {
            uint32_t point = plan_find_point(r->plan, v, i);
            double value;
            if (point < r->plan->point_count && value_of(r, plot, point, &value))
                buf_printf(out, "%u %.4f\n", v - first, value);
        }
    buf_puts(out, "EOD\n");
    return any;
}

void sweep_plot_script(const struct sweep_result *r, enum sweep_plot plot, uint32_t g,
                       const char *svg, struct buf *out)
{
    static const struct {
        const char *axis, *mean, *one, *format;
    } words[SWEEP_PLOT_COUNT] = {
        {"Speed-up", "geometric mean", "one input", "%.3f"},
        {"Absolute error (%)", "mean absolute error (MAPE)", "one input", "%.1f"},
    };
    const struct sweep *s = r->plan->sweep;
    struct buf data = {0}, title = {0};
    bool any = add_data(r, plot, g, &data);
    buf_printf(&title, "%s%s%s", s->title, s->card_count > 0 ? ", " : "",
               s->card_count > 0 ? s->cards[g].name : "");
    if (any && !data.failed && !title.failed) {
        buf_puts(out, "set encoding utf8\nset terminal svg size 860,430 font 'sans-serif,13' "
                      "background rgb 'white' noenhanced\nset output ");
        add_quoted(out, svg);
        buf_puts(out, "\nset title ");
        add_quoted(out, title.data);
        buf_printf(out, "\nset ylabel '%s'\nset yrange [0:*]\nset xrange [-0.6:%u.6]\n",
                   words[plot].axis, sweep_group_first(r, 1) - 1);
        if (s->axis_count == 1) {
            buf_puts(out, "set xlabel ");
            add_quoted(out, s->axes[0].name);
            buf_puts(out, " offset 0,-1\nset bmargin 5\n");
        }
        buf_puts(out, "set key above\nset grid ytics lc rgb '#dddddd'\nset boxwidth 0.7\n"
                      "set style fill solid\nset border 3\nset tics nomirror\n");
        bool many = sweep_group_first(r, 1) > LEVEL_LABELS;
        if (many)
            buf_puts(out, "set xtics rotate by 40 right\nset rmargin 2\n");
        buf_puts(out, data.data);
        buf_printf(out,
                   "plot $means using 1:3:xtic(sprintf(\"%%s%s%s\", strcol(2), $3)) with boxes "
                   "lc rgb '#9bbcdc' title '%s', \\\n"
                   "  $inputs using 1:2:(%.3f) with circles fs solid noborder lc rgb '#333333' "
                   "title '%s'\n",
                   many ? ": " : "\\n", words[plot].format, words[plot].mean,
                   DOT * sweep_group_first(r, 1), words[plot].one);
    }
    if (data.failed || title.failed)
        out->failed = true;
    buf_free(&data);
    buf_free(&title);
}

void sweep_plot_name(const struct sweep_result *r, enum sweep_plot plot, uint32_t g,
                     struct buf *out)
{
    static const char *const names[SWEEP_PLOT_COUNT] = {"speedup", "error"};
    buf_puts(out, names[plot]);
    if (sweep_group_count(r) == 1)
        return;
    buf_puts(out, "-");
    for (const char *c = r->plan->sweep->cards[g].name; *c; c++)
        buf_add(out, *c == '/' ? "_" : c, 1);
}

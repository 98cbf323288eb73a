/* Charts of a run: where warp cycles went, roofline, hits, traffic. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/parts.h"

/* Rows of a chart: the longest kernels, in their order. */
#define ROWS_MAX 24

/* Kernels whose numbers stand in the tables behind the charts. */
#define NUMBERS_MAX 500

struct rows {
    const struct json_value *kernels[ROWS_MAX];
    size_t count, all;
};

static double cycles_of(const struct json_value *k)
{
    return json_number(k, "cycles", 0);
}

/* Takes out the shortest kernel when there are too many. */
static void add_row(struct rows *r, const struct json_value *k)
{
    size_t least = 0;
    r->all++;
    if (r->count < ROWS_MAX) {
        r->kernels[r->count++] = k;
        return;
    }
    for (size_t i = 1; i < r->count; i++)
        if (cycles_of(r->kernels[i]) < cycles_of(r->kernels[least]))
            least = i;
    if (cycles_of(k) <= cycles_of(r->kernels[least]))
        return;
    for (size_t i = least; i + 1 < r->count; i++)
        r->kernels[i] = r->kernels[i + 1];
    r->kernels[r->count - 1] = k;
}

/* Names of the kernels as tics of the y axis, the first one on top. */
static void add_names(struct chart *c, const struct rows *r)
{
    for (int narrow = 0; narrow < 2; narrow++) {
        buf_printf(&c->script, "if (narrow == %d) set ytics (", narrow);
        for (size_t i = 0; i < r->count; i++) {
            struct buf name = {0};
            buf_printf(&name, "%s %s", json_text(r->kernels[i], "kernel"),
                       json_text(r->kernels[i], "name"));
            buf_puts(&c->script, i > 0 ? ", " : "");
            chart_quote(&c->script, name.data ? name.data : "", narrow ? 12 : 28);
            buf_printf(&c->script, " %zu", i);
            buf_free(&name);
        }
        buf_puts(&c->script, ")\n");
    }
    buf_printf(&c->script,
               "set yrange [%zu.5:-0.5]\nunset grid\nset grid xtics lc rgb '#e2e8f0'\n"
               "set key below\nset style fill solid noborder\n",
               r->count - 1);
}

static uint32_t height_of(const struct rows *r, uint32_t fixed, uint32_t each)
{
    return fixed + each * (uint32_t)r->count;
}

static double share_of(const struct json_value *k, const char *reason)
{
    const struct json_value *v = json_member(json_at(k, "issue.stalls"), reason);
    double all = json_number(k, "issue.resident_warp_cycles", 0);
    return v && all > 0 ? 100 * v->number / all : 0;
}

static bool stall_chart(struct page *p, const struct rows *r)
{
    struct chart c = {.title = "Where warp cycles went",
                      .caption =
                          "Share of the cycles of resident warps by stall reason. selected: the "
                          "warp issued. The other reasons are those of docs/stalls.md.",
                      .wide_height = height_of(r, 90, 26),
                      .narrow_height = height_of(r, 90, 22)};
    struct buf plot = {0};
    double sums[ROWS_MAX] = {0};
    size_t colour = 0, blocks = 0;
    const struct json_value *stalls = json_at(r->kernels[0], "issue.stalls");
    add_names(&c, r);
    for (const struct json_value *s = json_members(stalls); s; s = s->next, colour++) {
        bool any = false;
        for (size_t i = 0; i < r->count; i++)
            any = any || share_of(r->kernels[i], s->key) > 0;
        if (!any)
            continue;
        buf_printf(&c.script, "$r%zu << EOD\n", blocks);
        for (size_t i = 0; i < r->count; i++) {
            double share = share_of(r->kernels[i], s->key);
            buf_printf(&c.script, "%zu %.4f %.4f\n", i, sums[i], sums[i] + share);
            sums[i] += share;
        }
        buf_puts(&c.script, "EOD\n");
        buf_printf(
            &plot,
            "%s$r%zu using (($2+$3)/2):1:2:3:($1-0.38):($1+0.38) with boxxyerror lc rgb '%s' "
            "notitle",
            blocks > 0 ? ", " : "plot ", blocks, chart_colour(colour));
        chart_legend(&c, chart_colour(colour), s->key);
        blocks++;
    }
    buf_puts(&c.script, "unset key\nset xrange [0:100]\nset xlabel 'share of warp cycles (%)'\n");
    buf_puts(&c.script, plot.data ? plot.data : "");
    buf_free(&plot);
    if (blocks > 0)
        return chart_draw(p, &c);
    buf_free(&c.script);
    return true;
}

/* The numbers of the stall chart. */
static void stall_table(struct page *p, const struct rows *r, const struct json_value *kernels)
{
    const struct json_value *stalls = json_at(r->kernels[0], "issue.stalls");
    size_t index = 0;
    buf_puts(p->out, "<details><summary>Numbers: warp cycles</summary>\n<div "
                     "class=\"scroll\"><table>\n<tr><th>#</th>");
    for (const struct json_value *s = json_members(stalls); s; s = s->next)
        buf_printf(p->out, "<th>%s</th>", s->key);
    buf_puts(p->out, "</tr>\n");
    for (const struct json_value *k = kernels->first; k && index < NUMBERS_MAX;
         k = k->next, index++) {
        const struct json_value *own = json_at(k, "issue.stalls");
        char shown[SHOWN_SIZE];
        html_shown(shown, json_at(k, "kernel"));
        buf_puts(p->out, "<tr>");
        html_cell(p->out, shown, "kernels[%zu].kernel", index);
        for (const struct json_value *s = json_members(own); s; s = s->next) {
            html_shown(shown, s);
            html_cell(p->out, shown, "kernels[%zu].issue.stalls.%s", index, s->key);
        }
        buf_puts(p->out, "</tr>\n");
    }
    buf_puts(p->out, "</table></div>\n</details>\n");
}

/* What the other charts are drawn from. */
static void chart_table(struct page *p, const struct json_value *kernels)
{
    static const char *const paths[] = {
        "ipc_gpu",          "icache.l0.hit_rate", "icache.l1.hit_rate", "l1d.load_hit_rate",
        "l2.read_hit_rate", "rfc.hit_rate",       "l2.read_sectors",    "l2.write_sectors",
        "dram.read_bytes",  "dram.write_bytes"};
    static const size_t n = sizeof paths / sizeof paths[0];
    size_t index = 0;
    buf_puts(p->out, "<details><summary>Numbers: roofline, hits, traffic (a sector is 32 bytes)"
                     "</summary>\n<div class=\"scroll\"><table>\n<tr><th>#</th>");
    for (size_t c = 0; c < n; c++)
        buf_printf(p->out, "<th>%s</th>", paths[c]);
    buf_puts(p->out, "</tr>\n");
    for (const struct json_value *k = kernels->first; k && index < NUMBERS_MAX;
         k = k->next, index++) {
        char shown[SHOWN_SIZE];
        html_shown(shown, json_at(k, "kernel"));
        buf_puts(p->out, "<tr>");
        html_cell(p->out, shown, "kernels[%zu].kernel", index);
        for (size_t c = 0; c < n; c++) {
            html_shown(shown, json_at(k, paths[c]));
            html_cell(p->out, shown, "kernels[%zu].%s", index, paths[c]);
        }
        buf_puts(p->out, "</tr>\n");
    }
    buf_puts(p->out, "</table></div>\n</details>\n");
}

/* A key of the configuration, 0 when there is none. */
static double key_of(const struct page_input *in, const char *path)
{
    char place[128];
    snprintf(place, sizeof place, "config.%s.value", path);
    return json_number(in->json, place, 0);
}

/* Points (x, y, number) of the kernels that moved bytes through `path` times `unit`. */
static size_t add_points(struct chart *c, const struct rows *r, const char *block,
                         const char *const *paths, double unit)
{
    size_t n = 0;
    buf_printf(&c->script, "$%s << EOD\n", block);
    for (size_t i = 0; i < r->count; i++) {
        double bytes = 0, insts = json_number(r->kernels[i], "warp_instructions", 0);
        for (size_t q = 0; paths[q]; q++)
            bytes += unit * json_number(r->kernels[i], paths[q], 0);
        double y = json_number(r->kernels[i], "ipc_gpu", 0);
        if (bytes <= 0 || insts <= 0 || y <= 0)
            continue;
        buf_printf(&c->script, "%.6g %.6g ", insts / bytes, y);
        chart_quote(&c->script, json_text(r->kernels[i], "kernel"), 0);
        buf_puts(&c->script, "\n");
        n++;
    }
    buf_puts(&c->script, "EOD\n");
    return n;
}

/* Instruction roofline: what a kernel issues against what it moves, below the roofs of the card. */
static bool roofline(struct page *p, const struct page_input *in, const struct rows *r)
{
    static const char *const dram[] = {"dram.read_bytes", "dram.write_bytes", NULL};
    static const char *const l2[] = {"l2.read_sectors", "l2.write_sectors", NULL};
    struct chart c = {
        .title = "Roofline",
        .caption =
            "Warp instructions a cycle of the card against warp instructions a byte of DRAM "
            "(filled) and of L2 traffic (open); numbers are kernels. Lines: the issue limit of "
            "4 sub-cores an SM, and the bandwidth of DRAM. A point below the slope is bound by "
            "something else than bandwidth.",
        .wide_height = 430,
        .narrow_height = 340};
    double peak = 4 * key_of(in, "gpu.sms"), mhz = key_of(in, "gpu.core_mhz");
    double bytes = mhz > 0
                       ? key_of(in, "dram.memory_mhz") * key_of(in, "dram.transfers_per_clock") *
                             key_of(in, "dram.bus_bits") / 8 / mhz
                       : 0;
    size_t points = add_points(&c, r, "dram", dram, 1) + add_points(&c, r, "l2", l2, 32);
    buf_puts(&c.script, "set logscale xy\nset key below\nset format '%g'\n"
                        "set xlabel 'warp instructions a byte'\n"
                        "set ylabel 'warp instructions a cycle' offset 1\n");
    buf_printf(&c.script, "set yrange [*:%.6g]\n", peak > 0 ? 2 * peak : 1000.0);
    buf_puts(&c.script, "plot ");
    if (peak > 0)
        buf_printf(&c.script, "%.6g with lines lw 2 lc rgb '#4a5568' title 'issue limit', ", peak);
    if (peak > 0 && bytes > 0)
        buf_printf(
            &c.script,
            "(x * %.6g < %.6g ? x * %.6g : NaN) with lines lw 2 lc rgb '#c05621' title 'DRAM "
            "bandwidth', ",
            bytes, peak, bytes);
    buf_puts(&c.script,
             "$l2 using 1:2 with points pt 6 ps 1 lc rgb '#2b6cb0' title 'L2 bytes', "
             "$dram using 1:2 with points pt 7 ps 1 lc rgb '#c05621' title 'DRAM bytes', "
             "$dram using 1:2:3 with labels offset 0.8,0.6 font ',10' notitle\n");
    if (points > 0)
        return chart_draw(p, &c);
    buf_free(&c.script);
    return true;
}

struct series {
    const char *name, *path;
};

/* One mark a cache and kernel. */
static bool hit_chart(struct page *p, const struct rows *r)
{
    static const struct series caches[] = {{"L0 instruction", "icache.l0.hit_rate"},
                                           {"L1 instruction", "icache.l1.hit_rate"},
                                           {"L1D loads", "l1d.load_hit_rate"},
                                           {"L2 reads", "l2.read_hit_rate"},
                                           {"register-file cache", "rfc.hit_rate"}};
    static const int marks[] = {4, 6, 7, 5, 9};
    struct chart c = {.title = "Cache hits",
                      .caption =
                          "Share of lookups that hit. A kernel that never looked has no mark.",
                      .wide_height = height_of(r, 170, 22),
                      .narrow_height = height_of(r, 190, 20)};
    struct buf plot = {0};
    add_names(&c, r);
    for (size_t s = 0; s < sizeof caches / sizeof caches[0]; s++) {
        buf_printf(&c.script, "$h%zu << EOD\n", s);
        for (size_t i = 0; i < r->count; i++) {
            double rate = json_number(r->kernels[i], caches[s].path, -1);
            if (rate >= 0)
                buf_printf(&c.script, "%.3f %zu\n", 100 * rate, i);
        }
        /* A data block must not be empty. */
        buf_puts(&c.script, "NaN NaN\nEOD\n");
        buf_printf(&plot, "%s$h%zu using 1:2 with points pt %d ps 1 lc rgb '%s' title '%s'",
                   s > 0 ? ", " : "plot ", s, marks[s], chart_colour(2 * s), caches[s].name);
    }
    buf_puts(&c.script, "set grid ytics xtics lc rgb '#e2e8f0'\nset xrange [-2:102]\n"
                        "set xlabel 'hits (%)'\n");
    buf_puts(&c.script, plot.data ? plot.data : "");
    buf_free(&plot);
    return chart_draw(p, &c);
}

/* Bytes that crossed each level, side by side. */
static bool traffic_chart(struct page *p, const struct rows *r)
{
    static const struct {
        const char *name, *path;
        double unit;
    } flows[] = {{"L2 read", "l2.read_sectors", 32},
                 {"L2 written", "l2.write_sectors", 32},
                 {"DRAM read", "dram.read_bytes", 1},
                 {"DRAM written", "dram.write_bytes", 1}};
    struct chart c = {.title = "Memory traffic",
                      .caption = "Bytes between SMs and L2, and between L2 and DRAM; logarithmic.",
                      .wide_height = height_of(r, 170, 34),
                      .narrow_height = height_of(r, 190, 30)};
    struct buf plot = {0};
    double most = 0;
    add_names(&c, r);
    for (size_t s = 0; s < sizeof flows / sizeof flows[0]; s++) {
        buf_printf(&c.script, "$t%zu << EOD\n", s);
        for (size_t i = 0; i < r->count; i++) {
            double bytes = flows[s].unit * json_number(r->kernels[i], flows[s].path, 0);
            most = bytes > most ? bytes : most;
            if (bytes >= 1)
                buf_printf(&c.script, "%.0f %.3f\n", bytes, (double)i - 0.3 + 0.2 * (double)s);
        }
        buf_puts(&c.script, "NaN NaN\nEOD\n");
        buf_printf(&plot,
                   "%s$t%zu using 1:2:(10):1:($2-0.1):($2+0.1) with boxxyerror lc rgb '%s' title "
                   "'%s'",
                   s > 0 ? ", " : "plot ", s, chart_colour(s), flows[s].name);
    }
    buf_puts(&c.script, "set logscale x\nset format x '%.0s%cB'\nset xrange [10:*]\n"
                        "set xlabel 'bytes'\nif (narrow) set xtics 1e1,1e3\n");
    buf_puts(&c.script, plot.data ? plot.data : "");
    buf_free(&plot);
    if (most >= 1)
        return chart_draw(p, &c);
    buf_free(&c.script);
    return true;
}

bool page_run_charts(struct page *p, const struct page_input *in)
{
    const struct json_value *kernels = json_at(in->json, "kernels");
    struct rows r = {.count = 0};
    for (const struct json_value *k = kernels->first; k; k = k->next)
        add_row(&r, k);
    if (r.count == 0)
        return true;
    if (r.all > r.count)
        buf_printf(p->out, "<p>The charts show the %zu longest of %zu kernels.</p>\n", r.count,
                   r.all);
    TRY(stall_chart(p, &r));
    stall_table(p, &r, kernels);
    TRY(roofline(p, in, &r) && hit_chart(p, &r) && traffic_chart(p, &r));
    chart_table(p, kernels);
    return true;
}

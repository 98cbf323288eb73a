/* The section of a result of `run`. */
#include <stdio.h>
#include <string.h>

#include "page/parts.h"

/* More kernels than this stand in the file only. */
#define KERNELS_MAX 500

enum shown_as { WHOLE, PERCENT };

struct column {
    const char *name, *path;
    enum shown_as show;
};

static const struct column tiles[] = {
    {"kernels", "total.kernels", WHOLE},
    {"cycles", "total.cycles", WHOLE},
    {"warp instructions", "total.warp_instructions", WHOLE},
    {"IPC of an SM", "total.ipc", WHOLE},
    {"occupancy", "total.occupancy", PERCENT},
    {"L1D load hits", "total.l1d.load_hit_rate", PERCENT},
    {"L2 read hits", "total.l2.read_hit_rate", PERCENT},
    {"DRAM bytes read", "total.dram.read_bytes", WHOLE},
    {"DRAM bytes written", "total.dram.write_bytes", WHOLE},
};

static const struct column columns[] = {
    {"cycles", "cycles", WHOLE},
    {"warp instr.", "warp_instructions", WHOLE},
    {"IPC of an SM", "ipc", WHOLE},
    {"occupancy", "occupancy", PERCENT},
    {"CTAs", "ctas", WHOLE},
    {"registers", "registers", WHOLE},
    {"L0I hits", "icache.l0.hit_rate", PERCENT},
    {"L1D hits", "l1d.load_hit_rate", PERCENT},
    {"L2 hits", "l2.read_hit_rate", PERCENT},
    {"DRAM read", "dram.read_bytes", WHOLE},
    {"DRAM written", "dram.write_bytes", WHOLE},
};

static void show(char out[SHOWN_SIZE], const struct json_value *v, enum shown_as how)
{
    if (how == PERCENT)
        html_percent(out, v);
    else
        html_shown(out, v);
}

static void add_tiles(struct page *p, const struct page_input *in)
{
    char shown[SHOWN_SIZE];
    buf_puts(p->out, "<div class=\"tiles\">\n");
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        const struct json_value *v = json_at(in->json, tiles[i].path);
        if (!v || v->kind == JSON_NULL)
            continue;
        show(shown, v, tiles[i].show);
        html_tile(p->out, tiles[i].name, shown, tiles[i].path);
    }
    buf_puts(p->out, "</div>\n");
}

/* What a reader must know before he looks at numbers. */
static void add_warnings(struct page *p, const struct page_input *in)
{
    const struct json_value *complete = json_at(in->json, "complete");
    if (complete && complete->kind == JSON_BOOL && strcmp(complete->text, "false") == 0)
        buf_puts(p->out,
                 "<p class=\"warn\">The run is incomplete: what follows is of the part that "
                 "was simulated.</p>\n");
    const struct json_value *failed = json_at(in->json, "failed");
    for (const struct json_value *f = failed ? failed->first : NULL; f; f = f->next) {
        buf_puts(p->out, "<p class=\"warn\">Passed over: ");
        html_text(p->out, f->text ? f->text : "");
        buf_puts(p->out, "</p>\n");
    }
    const struct json_value *warnings = json_at(in->json, "warnings");
    for (const struct json_value *w = warnings ? warnings->first : NULL; w; w = w->next) {
        buf_puts(p->out, "<p class=\"warn\">Warning: ");
        html_text(p->out, json_text(w, "message"));
        buf_puts(p->out, "</p>\n");
    }
}

static void add_kernel(struct page *p, const struct json_value *k, size_t index)
{
    char shown[SHOWN_SIZE];
    html_shown(shown, json_at(k, "kernel"));
    buf_puts(p->out, "<tr>");
    html_cell(p->out, shown, "kernels[%zu].kernel", index);
    buf_puts(p->out, "<td class=\"l\">");
    html_text(p->out, json_text(k, "name"));
    buf_puts(p->out, "</td>");
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        show(shown, json_at(k, columns[c].path), columns[c].show);
        html_cell(p->out, shown, "kernels[%zu].%s", index, columns[c].path);
    }
    buf_puts(p->out, "</tr>\n");
}

static void add_kernels(struct page *p, const struct page_input *in)
{
    const struct json_value *kernels = json_at(in->json, "kernels");
    size_t index = 0;
    buf_puts(p->out, "<h3>Kernels</h3>\n<div class=\"scroll\"><table>\n<tr><th>#</th>"
                     "<th class=\"l\">kernel</th>");
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        buf_printf(p->out, "<th>%s</th>", columns[c].name);
    buf_puts(p->out, "</tr>\n");
    for (const struct json_value *k = kernels->first; k && index < KERNELS_MAX; k = k->next)
        add_kernel(p, k, index++);
    buf_puts(p->out, "</table></div>\n");
    if (kernels->count > KERNELS_MAX)
        buf_printf(p->out, "<p>The first %d kernels; the others are in the file.</p>\n",
                   KERNELS_MAX);
}

/* A value of the configuration as YAML would have it. */
static void value_text(struct buf *out, const struct json_value *v)
{
    if (!v || v->kind != JSON_ARRAY) {
        buf_puts(out, v && v->text ? v->text : "null");
        return;
    }
    buf_puts(out, "[");
    for (const struct json_value *m = v->first; m; m = m->next)
        buf_printf(out, "%s%s", m == v->first ? "" : ", ", m->text ? m->text : "null");
    buf_puts(out, "]");
}

static void add_key(struct page *p, const char *path, const struct json_value *leaf)
{
    struct buf value = {0};
    value_text(&value, json_member(leaf, "value"));
    buf_puts(p->out, "<tr><td class=\"l\"><code>");
    html_text(p->out, path);
    buf_puts(p->out, "</code></td>");
    html_cell(p->out, value.data ? value.data : "", "config.%s.value", path);
    buf_puts(p->out, "<td class=\"l wrap\">");
    html_text(p->out, json_text(leaf, "origin"));
    buf_puts(p->out, "</td></tr>\n");
    p->out->failed = p->out->failed || value.failed;
    buf_free(&value);
}

/* Keys below `node`; those of the command line alone, or all. */
static size_t add_keys(struct page *p, const struct json_value *node, const char *path, bool sets)
{
    size_t n = 0;
    for (const struct json_value *m = json_members(node); m; m = m->next) {
        char below[256];
        snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", m->key);
        if (m->kind != JSON_OBJECT)
            continue;
        if (!json_member(m, "origin")) {
            n += add_keys(p, m, below, sets);
        } else if (!sets || strncmp(json_text(m, "origin"), "--set", 5) == 0) {
            add_key(p, below, m);
            n++;
        }
    }
    return n;
}

static void add_config(struct page *p, const struct page_input *in)
{
    static const char head[] = "<div class=\"scroll\"><table>\n<tr><th class=\"l\">key</th>"
                               "<th>value</th><th class=\"l\">from</th></tr>\n";
    const struct json_value *config = json_at(in->json, "config");
    if (!config)
        return;
    buf_puts(p->out, "<h3>Configuration: ");
    html_text(p->out, json_text(in->json, "card"));
    buf_printf(p->out, "</h3>\n<p>Changed by <code>--set</code>:</p>\n%s", head);
    if (add_keys(p, config, "", true) == 0)
        buf_puts(p->out, "<tr><td class=\"l\" colspan=\"3\">nothing</td></tr>\n");
    buf_printf(p->out, "</table></div>\n<details><summary>All keys</summary>\n%s", head);
    add_keys(p, config, "", false);
    buf_puts(p->out, "</table></div>\n</details>\n");
}

/* Files that were simulated; many of them folded. */
static void add_inputs(struct page *p, const struct page_input *in)
{
    const struct json_value *inputs = json_at(in->json, "input");
    size_t n = inputs ? inputs->count : 0;
    if (n == 0)
        return;
    if (n > 3)
        buf_printf(p->out, "<details><summary>%zu inputs</summary>\n", n);
    buf_puts(p->out, "<p>");
    for (const struct json_value *i = inputs->first; i; i = i->next) {
        html_text(p->out, i->text ? i->text : "");
        buf_puts(p->out, i->next ? "<br>" : "</p>\n");
    }
    buf_puts(p->out, n > 3 ? "</details>\n" : "");
}

bool page_run(struct page *p, const struct page_input *in)
{
    buf_puts(p->out, "<p>Simulated on ");
    html_text(p->out, json_text(in->json, "card"));
    buf_puts(p->out, " by subcore ");
    html_text(p->out, json_text(in->json, "version"));
    buf_puts(p->out, "</p>\n");
    add_inputs(p, in);
    add_warnings(p, in);
    add_tiles(p, in);
    add_kernels(p, in);
    TRY(page_run_charts(p, in));
    add_config(p, in);
    return true;
}

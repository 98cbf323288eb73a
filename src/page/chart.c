#include <stdio.h>
#include <string.h>

#include "page/parts.h"

/* Pixels of the two drawings: of a screen, and of a phone. */
#define WIDE 960
#define NARROW 380

void chart_quote(struct buf *script, const char *text, size_t most)
{
    size_t n = strlen(text);
    buf_puts(script, "\"");
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (most > 0 && i == most && n > most) {
            buf_puts(script, "..");
            break;
        }
        if (c == '"' || c == '\\')
            buf_puts(script, "\\");
        buf_add(script, (unsigned char)c < 0x20 ? " " : &c, 1);
    }
    buf_puts(script, "\"");
}

const char *chart_colour(size_t i)
{
    /* Told apart by lightness too, for print and for colour-blind readers. */
    static const char *const colours[] = {"#2b6cb0", "#9ec5e8", "#2f855a", "#a5d8b5", "#c05621",
                                          "#f6b98a", "#6b46c1", "#c9b6ee", "#b83280", "#f2b3d3",
                                          "#744210", "#e3c687", "#1a365d", "#718096", "#cbd5e0",
                                          "#22543d", "#e53e3e", "#feb2b2", "#000000"};
    return colours[i % (sizeof colours / sizeof colours[0])];
}

void chart_legend(struct chart *c, const char *colour, const char *name)
{
    buf_printf(&c->legend, "<span><i style=\"background:%s\"></i>", colour);
    html_text(&c->legend, name);
    buf_puts(&c->legend, "</span>\n");
}

/* Copies the svg element, with its identifiers made unique in the page. */
static void add_svg(struct page *p, const struct chart *c, const char *svg, char width)
{
    static const char title[] = "<title>Gnuplot</title>";
    const char *at = strstr(svg, "<svg");
    while (at && *at) {
        if (strncmp(at, title, sizeof title - 1) == 0) {
            buf_puts(p->out, "<title>");
            html_text(p->out, c->title);
            buf_puts(p->out, "</title>");
            at += sizeof title - 1;
        } else if (strncmp(at, "gpDot", 5) == 0 || strncmp(at, "gpPt", 4) == 0) {
            buf_printf(p->out, "c%u%c", p->charts, width);
            buf_add(p->out, at, 4);
            at += 4;
        } else {
            size_t n = 1 + strcspn(at + 1, "<g");
            buf_add(p->out, at, n);
            at += n;
        }
    }
}

static bool draw(struct page *p, const struct chart *c, bool narrow)
{
    struct buf script = {0}, svg = {0};
    buf_printf(&script,
               "set encoding utf8\nnarrow = %d\n"
               "set terminal svg size %d,%u font 'sans-serif,%d' name 'c%u%c' noenhanced "
               "background rgb 'white'\n"
               "set border 3 lc rgb '#4a5568'\nset tics nomirror\n"
               "set grid lc rgb '#e2e8f0'\n%s",
               narrow, narrow ? NARROW : WIDE, narrow ? c->narrow_height : c->wide_height,
               narrow ? 11 : 13, p->charts, narrow ? 'n' : 'w',
               c->script.data ? c->script.data : "");
    bool ok = !script.failed && !c->script.failed ? p->draw(p->user, script.data, &svg, p->err)
                                                  : err_memory(p->err, "drawing a chart");
    if (ok && (!svg.data || !strstr(svg.data, "</svg>")))
        ok = err_set(p->err, ERR_RESOURCE, NULL, 0, 0, "gnuplot drew nothing for the chart '%s'",
                     c->title);
    if (ok) {
        buf_printf(p->out, "<div class=\"%s\">", narrow ? "narrow" : "wide");
        add_svg(p, c, svg.data, narrow ? 'n' : 'w');
        buf_puts(p->out, "</div>\n");
    }
    buf_free(&script);
    buf_free(&svg);
    return ok;
}

bool chart_draw(struct page *p, struct chart *c)
{
    p->charts++;
    buf_puts(p->out, "<figure>\n<h3>");
    html_text(p->out, c->title);
    buf_puts(p->out, "</h3>\n");
    bool ok = draw(p, c, false) && draw(p, c, true);
    if (c->legend.len > 0)
        buf_printf(p->out, "<div class=\"legend\">\n%s</div>\n", c->legend.data);
    buf_puts(p->out, "<figcaption>");
    html_text(p->out, c->caption);
    buf_puts(p->out, "</figcaption>\n</figure>\n");
    p->out->failed = p->out->failed || c->legend.failed;
    buf_free(&c->script);
    buf_free(&c->legend);
    return ok;
}

#include "page/page.h"

#include "page/parts.h"

static const char style[] =
    ":root{--ink:#1a202c;--dim:#4a5568;--line:#e2e8f0;--tint:#f7fafc}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:70rem;padding:1rem;color:var(--ink);background:#fff;"
    "font:16px/1.5 system-ui,'DejaVu Sans',sans-serif}\n"
    "h1{font-size:1.5rem;margin:.5rem 0}\n"
    "h2{font-size:1.25rem;margin:2rem 0 .5rem;border-bottom:2px solid var(--line);"
    "overflow-wrap:anywhere}\n"
    "h3{font-size:1rem;margin:1.5rem 0 .5rem}\n"
    "p,figcaption,small{color:var(--dim)}\n"
    "figcaption,small{font-size:.85rem}\n"
    "nav a{margin-right:1rem}\n"
    "a{color:#2b6cb0}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.5rem}\n"
    ".tile{border:1px solid var(--line);border-radius:.4rem;padding:.5rem .7rem;"
    "background:var(--tint)}\n"
    ".tile span{display:block;font-size:1.25rem;font-variant-numeric:tabular-nums}\n"
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-size:.85rem;width:100%}\n"
    "th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;"
    "white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    "th{background:var(--tint);white-space:normal;vertical-align:bottom}\n"
    "th.l,td.l{text-align:left}\n"
    "td.wrap{white-space:normal;overflow-wrap:anywhere}\n"
    "td.bad{color:#c53030;font-weight:600}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.85rem}\n"
    ".legend i{display:inline-block;width:1em;height:1em;margin-right:.35em;vertical-align:-.1em;"
    "print-color-adjust:exact}\n"
    "figure{margin:1rem 0;break-inside:avoid}\n"
    "figure svg{width:100%;height:auto;display:block}\n"
    ".narrow{display:none}\n"
    ".warn{border-left:4px solid #c05621;background:#fffaf0;padding:.5rem .7rem;margin:.5rem 0}\n"
    "details{margin:.5rem 0}summary{cursor:pointer;color:#2b6cb0}\n"
    "@media(max-width:40rem){body{padding:.6rem}.wide{display:none}.narrow{display:block}}\n"
    "@media print{body{max-width:none;font-size:11px}nav{display:none}.wide{display:block}"
    ".narrow{display:none}.scroll{overflow:visible}th,td{white-space:normal}"
    "h2{break-after:avoid}tr{break-inside:avoid}}\n";

static void begin(struct buf *out, const struct page_input *inputs, size_t count,
                  const char *version)
{
    buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<link rel=\"icon\" href=\"data:,\">\n<title>subcore: ");
    html_text(out, inputs[0].name);
    buf_puts(out, count > 1 ? " and others" : "");
    buf_printf(out,
               "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>subcore report</h1>\n<nav>",
               style);
    for (size_t i = 0; count > 1 && i < count; i++) {
        buf_printf(out, "<a href=\"#s%zu\">", i + 1);
        html_text(out, inputs[i].name);
        buf_puts(out, "</a>");
    }
    buf_puts(out, "</nav>\n<p>Made by subcore ");
    html_text(out, version);
    buf_puts(out,
             ". Each number says in its <code>data-field</code> where in its file it stands, or "
             "how it was formed.</p>\n");
}

bool page_write(struct buf *out, const struct page_input *inputs, size_t count, const char *version,
                page_draw *draw, void *user, struct sim_err *err)
{
    static bool (*const sections[])(struct page *, const struct page_input *) = {
        [PAGE_RUN] = page_run, [PAGE_VALIDATION] = page_validation, [PAGE_SWEEP] = page_sweep};
    struct page p = {.out = out, .draw = draw, .user = user, .err = err};
    begin(out, inputs, count, version);
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "<section id=\"s%zu\" data-file=\"", i + 1);
        html_text(out, inputs[i].name);
        buf_puts(out, "\">\n<h2>");
        html_text(out, inputs[i].name);
        buf_puts(out, "</h2>\n");
        TRY(sections[inputs[i].kind](&p, &inputs[i]));
        buf_puts(out, "</section>\n");
    }
    buf_puts(out, "</body>\n</html>\n");
    return !out->failed || err_memory(err, "writing the page");
}

#include "report/docs.h"

#include <stdbool.h>
#include <string.h>

#include "cfg/show.h"
#include "sim/result.h"

static const char generated[] =
    "<!-- Made by gen_docs from the tables in src/; do not edit. -->\n\n";

/* Vertical bars would end a cell. */
static void cell(struct buf *out, const char *text)
{
    buf_puts(out, " ");
    for (; *text; text++) {
        if (*text == '|')
            buf_puts(out, "\\");
        buf_add(out, text, 1);
    }
    buf_puts(out, " |");
}

static void ratios_of(struct buf *out, const char *group)
{
    for (size_t i = 0; i < ratio_count(); i++) {
        const struct ratio_info *r = ratio_info(i);
        if (strcmp(r->group, group) != 0)
            continue;
        buf_printf(out, "| `%s` |", r->name);
        cell(out, "ratio");
        cell(out, r->doc);
        buf_puts(out, " |\n");
    }
}

/* A group's name in the JSON: icache_l0 is icache.l0. */
static void group_title(struct buf *out, const char *group)
{
    bool nested = strncmp(group, "icache_", 7) == 0;
    buf_printf(out,
               "\n## %s%s\n\n| name | unit | meaning | hardware counter |\n|---|---|---|---|\n",
               nested ? "icache." : "", nested ? group + 7 : group);
}

void docs_stats(struct buf *out)
{
    const char *open = NULL;
    buf_puts(out, "# Counters\n\n");
    buf_puts(out, generated);
    buf_puts(
        out,
        "Each kernel of a JSON result, and its `total`, has one object a group below with these\n"
        "members, summed over SMs; in the CSV they are columns `group.name`. A ratio is null\n"
        "(CSV: left out) when nothing was counted. `issue.stalls` is described in stalls.md. The\n"
        "hardware counter is the one of Nsight Compute that counts the same.\n");
    for (size_t i = 0; i < stat_count(); i++) {
        const struct stat_info *s = stat_info(i);
        if (!open || strcmp(open, s->group) != 0) {
            if (open)
                ratios_of(out, open);
            group_title(out, s->group);
            open = s->group;
        }
        buf_printf(out, "| `%s` |", s->name);
        cell(out, s->unit);
        cell(out, s->doc);
        if (s->counter[0])
            buf_printf(out, " `%s`", s->counter);
        buf_puts(out, " |\n");
    }
    if (open)
        ratios_of(out, open);
}

void docs_stalls(struct buf *out)
{
    buf_puts(out, "# Stall reasons\n\n");
    buf_puts(out, generated);
    buf_puts(out,
             "Every resident warp has exactly one reason in every cycle; `issue.stalls` counts\n"
             "warp cycles, and their sum is `issue.resident_warp_cycles`. The names are those of\n"
             "Nsight Compute where it has one.\n\n| reason | meaning |\n|---|---|\n");
    for (uint32_t r = 0; r < STALL_COUNT; r++) {
        buf_printf(out, "| `%s` |", stall_name((enum stall_reason)r));
        cell(out, stall_doc((enum stall_reason)r));
        buf_puts(out, "\n");
    }
}

const struct docs_page *docs_pages(void)
{
    static const struct docs_page pages[] = {{"config.md", config_keys_markdown},
                                             {"stats.md", docs_stats},
                                             {"stalls.md", docs_stalls},
                                             {NULL, NULL}};
    return pages;
}

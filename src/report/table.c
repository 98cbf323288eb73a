#include "report/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/number.h"

#define LABEL_WIDTH 30
#define VALUE_WIDTH 16
#define CELL_GAP 4
#define LIST_LABEL 20
#define LIST_INDENT (2u + LIST_LABEL + 1u)

/* Longest name in a list. */
#define NAME_WIDTH 40

void table_cell(struct table *t, const char *label, const char *value)
{
    buf_printf(t->out, "%*s%-*s%*s", t->second ? CELL_GAP : 2, "", LABEL_WIDTH, label, VALUE_WIDTH,
               value);
    if (t->second)
        buf_puts(t->out, "\n");
    t->second = !t->second;
}

void table_count(struct table *t, const char *label, uint64_t v)
{
    char text[NUMBER_SIZE];
    number_grouped(text, v);
    table_cell(t, label, text);
}

void table_ratio(struct table *t, const char *label, uint64_t num, uint64_t den)
{
    char text[NUMBER_SIZE] = "-";
    if (den != 0)
        number_ratio(text, num, den, 3);
    table_cell(t, label, text);
}

void table_percent(struct table *t, const char *label, uint64_t num, uint64_t den)
{
    char share[NUMBER_SIZE], text[NUMBER_SIZE + 4];
    number_percent(share, num, den, 1);
    snprintf(text, sizeof text, "%s%s", share, den != 0 ? " %" : "");
    table_cell(t, label, text);
}

void table_end(struct table *t)
{
    if (t->second)
        buf_puts(t->out, "\n");
    t->second = false;
}

void table_list_begin(struct table_list *l, struct buf *out, const char *label)
{
    buf_printf(out, "  %-*s ", LIST_LABEL, label);
    *l = (struct table_list){.out = out, .column = LIST_INDENT};
}

void table_list_share(struct table_list *l, const char *name, uint64_t num, uint64_t den)
{
    char share[NUMBER_SIZE], item[NUMBER_SIZE + NAME_WIDTH + 8];
    number_percent(share, num, den, 1);
    int n = snprintf(item, sizeof item, "%.*s %s %%", NAME_WIDTH, name, share);
    size_t len = n > 0 ? (size_t)n : 0;
    if (l->any && l->column + len + 3 > TABLE_PAGE) {
        buf_printf(l->out, ",\n%*s", (int)LIST_INDENT, "");
        l->column = LIST_INDENT;
    } else if (l->any) {
        buf_puts(l->out, ", ");
        l->column += 2;
    }
    buf_puts(l->out, item);
    l->column += len;
    l->any = true;
}

void table_list_end(struct table_list *l)
{
    buf_puts(l->out, l->any ? "\n" : "-\n");
}

void table_plural(struct buf *out, uint64_t n, const char *what)
{
    char text[NUMBER_SIZE];
    number_grouped(text, n);
    buf_printf(out, "%s %s%s", text, what, n == 1 ? "" : "s");
}

void table_title(struct buf *out, uint64_t id, const char *name, const char *mark)
{
    char head[32];
    snprintf(head, sizeof head, "Kernel %" PRIu64 ": ", id);
    size_t room = TABLE_PAGE - strlen(head) - strlen(mark);
    buf_puts(out, head);
    if (strlen(name) > room)
        buf_printf(out, "%.*s...", (int)room - 3, name);
    else
        buf_puts(out, name);
    buf_printf(out, "%s\n", mark);
}

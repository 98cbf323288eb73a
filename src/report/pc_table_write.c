#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/csv.h"
#include "report/number.h"
#include "report/pc_table.h"

/* Columns of the SASS text and of a source place. */
#define SASS_WIDTH 40
#define PLACE_SIZE 64
#define UNKNOWN_PLACE "(no line known)"
/* Reasons listed a row. */
#define TOP_REASONS 2

static const char *sass_of(const struct inst *in)
{
    return in->text ? in->text : in->opcode;
}

/* Name of a file without its folders. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "kernels.cu:487", or nothing. */
static int place_of(char out[PLACE_SIZE], const struct inst *in)
{
    out[0] = '\0';
    if (in->line == 0)
        return 0;
    return snprintf(out, PLACE_SIZE, "%.40s:%u", in->source ? last_part(in->source) : "line",
                    in->line);
}

/* Counters that have a column of their own. */
static const struct {
    const char *title;
    size_t offset; /* in struct sim_stats */
} columns[] = {
    {"L1 misses", offsetof(struct sim_stats, l1d_fill_sectors)},
    {"L2 misses", offsetof(struct sim_stats, l2_read_misses)},
    {"conflicts", offsetof(struct sim_stats, shared_bank_conflicts)},
};
#define COLUMNS (sizeof columns / sizeof columns[0])

static uint64_t counter(const struct sim_stats *s, size_t offset)
{
    uint64_t v;
    memcpy(&v, (const char *)s + offset, sizeof v);
    return v;
}

static void add_count(struct buf *out, uint64_t v, int width)
{
    char text[NUMBER_SIZE] = "";
    if (v > 0)
        number_grouped(text, v);
    buf_printf(out, "%*s", width, text);
}

/* The largest reasons a warp did not issue, from 1 % of the row's cycles on. */
static void add_reasons(struct buf *out, const struct pc_row *row)
{
    bool shown[STALL_COUNT] = {[STALL_selected] = true};
    for (uint32_t n = 0; n < TOP_REASONS; n++) {
        uint32_t best = STALL_COUNT;
        char share[NUMBER_SIZE];
        for (uint32_t r = 0; r < STALL_COUNT; r++)
            if (!shown[r] && row->stats.stalls[r] > 0 &&
                (best == STALL_COUNT || row->stats.stalls[r] > row->stats.stalls[best]))
                best = r;
        if (best == STALL_COUNT || row->stats.stalls[best] < row->cycles / 100 + 1)
            return;
        shown[best] = true;
        number_percent(share, row->stats.stalls[best], row->cycles, 0);
        buf_printf(out, "%s%s %s %%", n > 0 ? ", " : "  ", stall_name((enum stall_reason)best),
                   share);
    }
}

struct text_layout {
    bool column[COLUMNS];
    bool by_line;
    int sass, place;
};

static void measure(struct text_layout *l, const struct pc_table *t)
{
    memset(l, 0, sizeof *l);
    l->by_line = t->by_line;
    l->sass = 4;
    l->place = t->by_line ? (int)strlen(UNKNOWN_PLACE) : 0;
    for (size_t i = 0; i < t->count; i++) {
        char place[PLACE_SIZE];
        int sass = (int)strlen(sass_of(t->rows[i].inst)), n = place_of(place, t->rows[i].inst);
        l->sass = sass > l->sass ? sass : l->sass;
        l->place = n > l->place ? n : l->place;
        for (size_t c = 0; c < COLUMNS; c++)
            l->column[c] |= counter(&t->rows[i].stats, columns[c].offset) > 0;
    }
    if (l->sass > SASS_WIDTH)
        l->sass = SASS_WIDTH;
}

/* What a row is about: pc, SASS and place; or place and instructions. */
static void add_subject(struct buf *out, const struct text_layout *l, const struct pc_row *row)
{
    char place[PLACE_SIZE];
    if (place_of(place, row->inst) == 0 && l->by_line)
        snprintf(place, sizeof place, UNKNOWN_PLACE);
    if (l->by_line) {
        buf_printf(out, "  %-*s%14u", l->place, place, row->instructions);
        return;
    }
    buf_printf(out, "  0x%04x  %-*.*s", row->inst->pc, l->sass, l->sass, sass_of(row->inst));
    if (l->place > 0)
        buf_printf(out, "  %-*s", l->place, place);
}

static void add_row(struct buf *out, const struct text_layout *l, const struct pc_table *t,
                    const struct pc_row *row)
{
    char share[NUMBER_SIZE];
    add_subject(out, l, row);
    add_count(out, row->stats.issue_issued, 12);
    add_count(out, row->cycles, 14);
    number_percent(share, row->cycles, t->cycles, 1);
    buf_printf(out, "%6s %%", share);
    for (size_t c = 0; c < COLUMNS; c++)
        if (l->column[c])
            add_count(out, counter(&row->stats, columns[c].offset), 12);
    add_reasons(out, row);
    buf_puts(out, "\n");
}

void pc_table_text(struct buf *out, const struct pc_table *t)
{
    struct text_layout l;
    measure(&l, t);
    if (l.by_line)
        buf_printf(out, "\n  %-*s%14s", l.place, "source", "instructions");
    else
        buf_printf(out, "\n  %-6s  %-*s", "pc", l.sass, "SASS");
    if (l.place > 0 && !l.by_line)
        buf_printf(out, "  %-*s", l.place, "source");
    buf_printf(out, "%12s%14s%8s", "issued", "warp cycles", "share");
    for (size_t c = 0; c < COLUMNS; c++)
        if (l.column[c])
            buf_printf(out, "%12s", columns[c].title);
    buf_puts(out, "  waits for\n");
    for (size_t i = 0; i < t->count; i++)
        add_row(out, &l, t, &t->rows[i]);
}

/* Counters that are not 0, by the names of the CSV ("l1d.fill_sectors"). */
static void json_counters(struct json *j, const struct sim_stats *s)
{
    json_object(j, "counters");
    for (size_t i = 0; i < stat_count(); i++) {
        const struct stat_info *info = stat_info(i);
        char name[128];
        uint64_t v = counter(s, info->offset);
        snprintf(name, sizeof name, "%s.%s", info->group, info->name);
        if (v > 0)
            json_u64(j, name, v);
    }
    json_object_end(j);
}

static void json_row(struct json *j, const struct pc_table *t, const struct pc_row *row)
{
    char pc[16];
    snprintf(pc, sizeof pc, "0x%04x", row->inst->pc);
    json_object_inline(j, NULL);
    if (!t->by_line) {
        json_string(j, "pc", pc);
        json_string(j, "sass", sass_of(row->inst));
    }
    if (row->inst->line > 0) {
        json_string(j, "source", row->inst->source);
        json_u64(j, "line", row->inst->line);
    }
    if (t->by_line)
        json_u64(j, "instructions", row->instructions);
    json_u64(j, "issued", row->stats.issue_issued);
    json_u64(j, "warp_cycles", row->cycles);
    json_object(j, "stalls");
    for (uint32_t r = 0; r < STALL_COUNT; r++)
        if (row->stats.stalls[r] > 0)
            json_u64(j, stall_name((enum stall_reason)r), row->stats.stalls[r]);
    json_object_end(j);
    json_counters(j, &row->stats);
    json_object_end(j);
}

void pc_table_json(struct json *j, const struct pc_table *t)
{
    json_array(j, t->by_line ? "by_line" : "by_pc");
    for (size_t i = 0; i < t->count; i++)
        json_row(j, t, &t->rows[i]);
    json_array_end(j);
    json_object_inline(j, "no_instruction");
    json_counters(j, &t->rest);
    json_object_end(j);
}

void pc_table_csv_begin(struct buf *out, bool by_line)
{
    buf_printf(out, "kernel,name,launch,%ssource,line,%swarp_cycles", by_line ? "" : "pc,sass,",
               by_line ? "instructions," : "");
    for (size_t i = 0; i < stat_count(); i++)
        buf_printf(out, ",%s.%s", stat_info(i)->group, stat_info(i)->name);
    for (uint32_t r = 0; r < STALL_COUNT; r++)
        buf_printf(out, ",stall.%s", stall_name((enum stall_reason)r));
    buf_puts(out, "\n");
}

static void csv_subject(struct buf *out, const struct pc_table *t, const struct pc_row *row)
{
    if (!t->by_line) {
        buf_printf(out, ",0x%04x,", row->inst->pc);
        csv_text(out, sass_of(row->inst));
    }
    buf_puts(out, ",");
    csv_text(out, row->inst->line > 0 ? row->inst->source : NULL);
    buf_puts(out, ",");
    if (row->inst->line > 0)
        buf_printf(out, "%u", row->inst->line);
    if (t->by_line)
        buf_printf(out, ",%u", row->instructions);
}

void pc_table_csv(struct buf *out, const struct kernel *k, const struct pc_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct pc_row *row = &t->rows[i];
        buf_printf(out, "%" PRIu64 ",", k->id);
        csv_text(out, k->name);
        buf_puts(out, ",");
        csv_text(out, k->launch);
        csv_subject(out, t, row);
        buf_printf(out, ",%" PRIu64, row->cycles);
        for (size_t c = 0; c < stat_count(); c++)
            buf_printf(out, ",%" PRIu64, counter(&row->stats, stat_info(c)->offset));
        for (uint32_t r = 0; r < STALL_COUNT; r++)
            buf_printf(out, ",%" PRIu64, row->stats.stalls[r]);
        buf_puts(out, "\n");
    }
}

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/number.h"
#include "report/table.h"
#include "study/comparison.h"

/* Shown without `all`. */
#define KERNELS_SHOWN 5u
#define VALUES_SHOWN 12u
#define PCS_SHOWN 10u

#define NAME_WIDTH 40
#define SASS_WIDTH 40

/* Numbers that every kernel is told by, whether they differ or not. */
static const struct {
    const char *label, *path;
} leading[] = {
    {"Cycles", "cycles"},
    {"Active cycles, busiest SM", "sm_active_cycles_max"},
    {"Warp instructions", "warp_instructions"},
    {"Thread instructions", "thread_instructions"},
    {"IPC of an SM", "ipc"},
    {"IPC of the card", "ipc_gpu"},
    {"Occupancy", "occupancy"},
};
#define LEADING (sizeof leading / sizeof leading[0])

static const char stalls[] = "issue.stalls.";

/* Follows from other rows. */
static bool is_leading(const char *path)
{
    static const char *const derived[] = {"elapsed_cycles", "sm_active_cycles_sum",
                                          "sm_active_cycles_avg", "issue.resident_warp_cycles"};
    for (size_t i = 0; i < LEADING; i++)
        if (strcmp(path, leading[i].path) == 0)
            return true;
    for (size_t i = 0; i < sizeof derived / sizeof derived[0]; i++)
        if (strcmp(path, derived[i]) == 0)
            return true;
    return strncmp(path, stalls, sizeof stalls - 1) == 0;
}

static void change_text(char out[NUMBER_SIZE], double a, double b)
{
    if (isnan(a) || isnan(b))
        snprintf(out, NUMBER_SIZE, "-");
    else if (a == b)
        snprintf(out, NUMBER_SIZE, "=");
    else if (a == 0)
        snprintf(out, NUMBER_SIZE, "new");
    else
        snprintf(out, NUMBER_SIZE, fabs(b - a) < fabs(a) / 100 ? "%+.2f %%" : "%+.1f %%",
                 100 * (b - a) / fabs(a));
}

/* A name, both numbers, their difference and the change in percent. */
static void row(struct buf *out, const char *name, int width, double a, double b)
{
    char va[NUMBER_SIZE], vb[NUMBER_SIZE], d[NUMBER_SIZE], change[NUMBER_SIZE];
    number_grouped_decimal(va, a, 4);
    number_grouped_decimal(vb, b, 4);
    number_grouped_decimal(d, b - a, 4);
    change_text(change, a, b);
    buf_printf(out, "  %-*.*s%15s%15s%15s%11s\n", width, width, name, va, vb, a == b ? "" : d,
               change);
}

static void head(struct buf *out, const char *name, int width)
{
    buf_printf(out, "  %-*s%15s%15s%15s%11s\n", width, name, "A", "B", "difference", "change");
}

static void leading_rows(struct buf *out, const struct comparison_kernel *k)
{
    head(out, "", NAME_WIDTH);
    for (size_t i = 0; i < LEADING; i++)
        row(out, leading[i].label, NAME_WIDTH, json_number(k->json[0], leading[i].path, NAN),
            json_number(k->json[1], leading[i].path, NAN));
}

/* Reasons by the difference of their warp cycles. */
static void stall_rows(struct buf *out, const struct comparison_kernel *k)
{
    bool any = false;
    double below = INFINITY;
    for (;;) {
        const struct comparison_value *best = NULL;
        double most = -1;
        for (size_t i = 0; i < k->value_count; i++) {
            const struct comparison_value *v = &k->values[i];
            double d = fabs(v->v[1] - v->v[0]);
            if (strncmp(v->path, stalls, sizeof stalls - 1) == 0 && d < below && d > most) {
                best = v;
                most = d;
            }
        }
        if (!best)
            return;
        if (!any)
            head(out, "Warp cycles by reason", NAME_WIDTH);
        any = true;
        below = most;
        for (size_t i = 0; i < k->value_count; i++) {
            const struct comparison_value *v = &k->values[i];
            if (strncmp(v->path, stalls, sizeof stalls - 1) == 0 && fabs(v->v[1] - v->v[0]) == most)
                row(out, v->path + sizeof stalls - 1, NAME_WIDTH, v->v[0], v->v[1]);
        }
    }
}

static void value_rows(struct buf *out, const struct comparison_kernel *k, bool all)
{
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < k->value_count; i++) {
        if (is_leading(k->values[i].path))
            continue;
        if (!all && shown == VALUES_SHOWN) {
            more++;
            continue;
        }
        if (shown++ == 0)
            head(out, "Other numbers", NAME_WIDTH);
        row(out, k->values[i].path, NAME_WIDTH, k->values[i].v[0], k->values[i].v[1]);
    }
    if (more > 0)
        buf_printf(out, "  (%zu more differ: -v)\n", more);
}

/* The reason whose warp cycles at this instruction changed most. */
static void pc_reason(struct buf *out, const struct comparison_pc *p)
{
    const struct json_value *sides[2] = {json_member(p->row[0], "stalls"),
                                         json_member(p->row[1], "stalls")};
    const char *name = NULL;
    double most = 0;
    for (int side = 0; side < 2; side++) {
        for (const struct json_value *m = sides[side] ? sides[side]->first : NULL; m; m = m->next) {
            double d = json_number(sides[1], m->key, 0) - json_number(sides[0], m->key, 0);
            if (fabs(d) > fabs(most)) {
                most = d;
                name = m->key;
            }
        }
    }
    char text[NUMBER_SIZE];
    if (!name)
        return;
    number_grouped_decimal(text, most, 0);
    buf_printf(out, "  %s %s%s", name, most > 0 ? "+" : "", text);
}

static void pc_rows(struct buf *out, const struct comparison_kernel *k, bool all)
{
    if (k->pc_count == 0)
        return;
    buf_printf(out, "  %-6s  %-*s%15s%15s%15s  mostly\n", "pc", SASS_WIDTH, "Warp cycles at", "A",
               "B", "difference");
    for (size_t i = 0; i < k->pc_count && (all || i < PCS_SHOWN); i++) {
        const struct comparison_pc *p = &k->pcs[i];
        char va[NUMBER_SIZE], vb[NUMBER_SIZE], d[NUMBER_SIZE];
        number_grouped_decimal(va, p->cycles[0], 0);
        number_grouped_decimal(vb, p->cycles[1], 0);
        number_grouped_decimal(d, p->cycles[1] - p->cycles[0], 0);
        buf_printf(out, "  %-6s  %-*.*s%15s%15s%15s", p->pc, SASS_WIDTH, SASS_WIDTH, p->sass, va,
                   vb, d);
        pc_reason(out, p);
        buf_puts(out, "\n");
    }
    if (!all && k->pc_count > PCS_SHOWN)
        buf_printf(out, "  (%zu more differ: -v)\n", k->pc_count - PCS_SHOWN);
}

static void kernel_text(struct buf *out, const struct comparison_kernel *k, bool all)
{
    buf_printf(out, "%s\n", k->label);
    if (k->value_count == 0 && k->pc_count == 0) {
        buf_puts(out, "  no difference\n\n");
        return;
    }
    leading_rows(out, k);
    stall_rows(out, k);
    value_rows(out, k, all);
    pc_rows(out, k, all);
    buf_puts(out, "\n");
}

static void add_key(void *user, const char *key, const char *a, const char *b)
{
    buf_printf(user, "  %-38s %s -> %s\n", key, a[0] ? a : "(none)", b[0] ? b : "(none)");
}

static void files_text(struct buf *out, const struct comparison *c)
{
    struct buf keys = {0};
    for (int side = 0; side < 2; side++)
        buf_printf(out, "%c  %s  (%s, subcore %s)\n", "AB"[side], c -> file[side],
                   json_text(c->json[side], "card"), json_text(c->json[side], "version"));
    comparison_config(c, add_key, &keys);
    buf_puts(out, keys.len > 0 ? "Configuration\n" : "The configurations are the same.\n");
    if (keys.len > 0)
        buf_add(out, keys.data, keys.len);
    out->failed = out->failed || keys.failed;
    buf_free(&keys);
    buf_puts(out, "\n");
}

void comparison_text(struct buf *out, const struct comparison *c, bool all)
{
    files_text(out, c);
    for (size_t i = 0; i < c->kernel_count && (all || i < KERNELS_SHOWN); i++)
        kernel_text(out, &c->kernels[i], all);
    if (c->kernel_count > 1) {
        buf_puts(out, "Cycles of all kernels\n");
        head(out, "", NAME_WIDTH);
        for (size_t i = 0; i < c->kernel_count; i++)
            row(out, c->kernels[i].label, NAME_WIDTH, c->kernels[i].cycles[0],
                c->kernels[i].cycles[1]);
        row(out, "Timeline, with launches", NAME_WIDTH, c->total.cycles[0], c->total.cycles[1]);
    }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < c->only_count[side]; i++)
            buf_printf(out, "Only in %c: %s\n", "AB"[side], c -> only[side][i]);
}

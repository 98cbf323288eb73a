#include "report/opcode_tally.h"

#include <stdlib.h>
#include <string.h>

#include "report/table.h"

/* Opcodes in a line of text. */
#define TOP_OPCODES 6u

/* A row that still points into its instruction's text. */
struct span_row {
    const char *name;
    size_t len;
    uint64_t inst, thread;
};

static int compare_spans(const void *pa, const void *pb)
{
    const struct span_row *a = pa, *b = pb;
    size_t n = a->len < b->len ? a->len : b->len;
    int c = memcmp(a->name, b->name, n);
    if (c != 0)
        return c;
    return a->len < b->len ? -1 : a->len > b->len;
}

/* Adds up neighbours with the same name; returns the number of rows left. */
static size_t fold(struct span_row *rows, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && compare_spans(&rows[kept - 1], &rows[i]) == 0) {
            rows[kept - 1].inst += rows[i].inst;
            rows[kept - 1].thread += rows[i].thread;
        } else {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

/* Makes the tally the sum of itself and `rows` (any order). */
static bool absorb(struct opcode_tally *t, struct span_row *rows, size_t n, struct sim_err *err)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct opcode_row *r = &t->rows[i];
        rows[n++] = (struct span_row){r->name, strlen(r->name), r->inst, r->thread};
    }
    if (n == 0)
        return true;
    qsort(rows, n, sizeof rows[0], compare_spans);
    n = fold(rows, n);
    struct opcode_tally sum = {.rows = calloc(n, sizeof sum.rows[0])};
    if (!sum.rows)
        return err_memory(err, "counting opcodes");
    for (size_t i = 0; i < n; i++) {
        char *name = strndup(rows[i].name, rows[i].len);
        if (!name) {
            opcode_tally_free(&sum);
            return err_memory(err, "counting opcodes");
        }
        sum.rows[sum.count++] = (struct opcode_row){name, rows[i].inst, rows[i].thread};
    }
    opcode_tally_free(t);
    *t = sum;
    return true;
}

bool opcode_tally_add(struct opcode_tally *t, const struct inst *const *insts,
                      const struct inst_count *counts, size_t n, struct sim_err *err)
{
    struct span_row *rows = calloc(n + t->count + 1, sizeof rows[0]);
    if (!rows)
        return err_memory(err, "counting opcodes");
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const char *name = insts[i]->opcode;
        if (counts[i].inst > 0)
            rows[used++] =
                (struct span_row){name, strcspn(name, "."), counts[i].inst, counts[i].thread};
    }
    bool ok = absorb(t, rows, used, err);
    free(rows);
    return ok;
}

bool opcode_tally_merge(struct opcode_tally *t, const struct opcode_tally *other,
                        struct sim_err *err)
{
    struct span_row *rows = calloc(other->count + t->count + 1, sizeof rows[0]);
    if (!rows)
        return err_memory(err, "counting opcodes");
    for (size_t i = 0; i < other->count; i++) {
        const struct opcode_row *r = &other->rows[i];
        rows[i] = (struct span_row){r->name, strlen(r->name), r->inst, r->thread};
    }
    bool ok = absorb(t, rows, other->count, err);
    free(rows);
    return ok;
}

static int compare_ranks(const void *pa, const void *pb)
{
    const struct opcode_row *a = *(const struct opcode_row *const *)pa;
    const struct opcode_row *b = *(const struct opcode_row *const *)pb;
    if (a->inst != b->inst)
        return a->inst > b->inst ? -1 : 1;
    return strcmp(a->name, b->name);
}

size_t *opcode_tally_ranking(const struct opcode_tally *t)
{
    const struct opcode_row **order = malloc((t->count + 1) * sizeof(*order));
    size_t *ranking = malloc((t->count + 1) * sizeof *ranking);
    if (!order || !ranking) {
        free(order);
        free(ranking);
        return NULL;
    }
    for (size_t i = 0; i < t->count; i++)
        order[i] = &t->rows[i];
    qsort(order, t->count, sizeof(*order), compare_ranks);
    for (size_t i = 0; i < t->count; i++)
        ranking[i] = (size_t)(order[i] - t->rows);
    free(order);
    return ranking;
}

void opcode_tally_text(struct buf *out, const struct opcode_tally *t, uint64_t all)
{
    struct table_list l;
    size_t *ranking = opcode_tally_ranking(t);
    if (!ranking)
        out->failed = true;
    table_list_begin(&l, out, "Most issued opcodes");
    for (size_t i = 0; ranking && i < t->count && i < TOP_OPCODES; i++)
        table_list_share(&l, t->rows[ranking[i]].name, t->rows[ranking[i]].inst, all);
    table_list_end(&l);
    free(ranking);
}

void opcode_tally_free(struct opcode_tally *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->rows[i].name);
    free(t->rows);
    memset(t, 0, sizeof *t);
}

#include "report/pc_table.h"

#include <stdlib.h>
#include <string.h>

static uint64_t sum_of_stalls(const struct sim_stats *s)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < STALL_COUNT; r++)
        sum += s->stalls[r];
    return sum;
}

static int by_pc(const void *pa, const void *pb)
{
    const struct pc_row *a = pa, *b = pb;
    return a->inst->pc < b->inst->pc ? -1 : a->inst->pc > b->inst->pc;
}

/* By file and line; instructions without a known one come last. */
static int by_place(const void *pa, const void *pb)
{
    const struct inst *a = ((const struct pc_row *)pa)->inst,
                      *b = ((const struct pc_row *)pb)->inst;
    if ((a->line == 0) != (b->line == 0))
        return a->line == 0 ? 1 : -1;
    int files = strcmp(a->source ? a->source : "", b->source ? b->source : "");
    if (a->line == 0 || (files == 0 && a->line == b->line))
        return 0;
    return files != 0 ? files : a->line < b->line ? -1 : 1;
}

static int larger(uint64_t a, uint64_t b, const void *pa, const void *pb)
{
    if (a != b)
        return a > b ? -1 : 1;
    return by_pc(pa, pb);
}

static int by_cycles(const void *pa, const void *pb)
{
    const struct pc_row *a = pa, *b = pb;
    return larger(a->cycles, b->cycles, a, b);
}

static int by_issued(const void *pa, const void *pb)
{
    const struct pc_row *a = pa, *b = pb;
    return larger(a->stats.issue_issued, b->stats.issue_issued, a, b);
}

static int by_l1(const void *pa, const void *pb)
{
    const struct pc_row *a = pa, *b = pb;
    return larger(a->stats.l1d_fill_sectors, b->stats.l1d_fill_sectors, a, b);
}

static int by_l2(const void *pa, const void *pb)
{
    const struct pc_row *a = pa, *b = pb;
    return larger(a->stats.l2_read_misses, b->stats.l2_read_misses, a, b);
}

static int by_conflicts(const void *pa, const void *pb)
{
    const struct pc_row *a = pa, *b = pb;
    return larger(a->stats.shared_bank_conflicts, b->stats.shared_bank_conflicts, a, b);
}

/* By enum pc_order. */
static int (*const compare[])(const void *, const void *) = {by_pc, by_cycles, by_issued,
                                                             by_l1, by_l2,     by_conflicts};

/* Adds up neighbours that are equal by `order`. */
static size_t fold(struct pc_row *rows, size_t n, int (*order)(const void *, const void *))
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && order(&rows[kept - 1], &rows[i]) == 0) {
            rows[kept - 1].cycles += rows[i].cycles;
            rows[kept - 1].instructions += rows[i].instructions;
            stats_add(&rows[kept - 1].stats, &rows[i].stats);
        } else {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

static int by_place_and_pc(const void *a, const void *b)
{
    int place = by_place(a, b);
    return place != 0 ? place : by_pc(a, b);
}

/* One row a pc: a trace may hold an instruction in several forms. Then one a line, if asked for. */
static void gather(struct pc_table *t)
{
    qsort(t->rows, t->count, sizeof *t->rows, by_pc);
    t->count = fold(t->rows, t->count, by_pc);
    for (size_t i = 0; i < t->count; i++)
        t->rows[i].instructions = 1;
    if (!t->by_line)
        return;
    qsort(t->rows, t->count, sizeof *t->rows, by_place_and_pc);
    t->count = fold(t->rows, t->count, by_place);
}

/* What the rows do not make up. Counters of samples are rounded one by one: their rows may make up
 * a little too much. */
static void keep_rest(struct sim_stats *rest, const struct sim_stats *all,
                      const struct sim_stats *rows)
{
    for (size_t i = 0; i < stat_count(); i++) {
        uint64_t a, b;
        memcpy(&a, (const char *)all + stat_info(i)->offset, sizeof a);
        memcpy(&b, (const char *)rows + stat_info(i)->offset, sizeof b);
        a = a > b ? a - b : 0;
        memcpy((char *)rest + stat_info(i)->offset, &a, sizeof a);
    }
}

bool pc_table_make(struct pc_table *t, const struct kernel *k, const struct kernel_result *r,
                   bool by_line, enum pc_order order, struct sim_err *err)
{
    size_t n = r->inst_count < k->inst_count ? r->inst_count : k->inst_count;
    struct sim_stats sum;
    memset(&sum, 0, sizeof sum);
    memset(t, 0, sizeof *t);
    t->rows = malloc((n + 1) * sizeof *t->rows);
    if (!t->rows)
        return err_memory(err, "making the table by pc");
    for (size_t i = 0; r->by_inst && i < n; i++) {
        uint64_t cycles = sum_of_stalls(&r->by_inst[i]);
        stats_add(&sum, &r->by_inst[i]);
        if (cycles > 0)
            t->rows[t->count++] = (struct pc_row){k->insts[i], 1, cycles, r->by_inst[i]};
    }
    keep_rest(&t->rest, &r->stats, &sum);
    t->cycles = sum_of_stalls(&r->stats);
    t->by_line = by_line;
    gather(t);
    if (order != PC_ORDER_PC)
        qsort(t->rows, t->count, sizeof *t->rows, compare[order]);
    return true;
}

void pc_table_free(struct pc_table *t)
{
    free(t->rows);
    memset(t, 0, sizeof *t);
}

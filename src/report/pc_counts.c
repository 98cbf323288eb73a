#include "report/pc_counts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/csv.h"

/* Guard value of "always". */
#define GUARD_TRUE 7

struct pc_row {
    uint32_t pc;
    bool active_known;
    uint64_t inst, active, thread; /* warps; lanes, lanes whose guard is true */
};

void pc_counts_begin(struct buf *out)
{
    buf_puts(out, "kernel,launch,pc,inst,thread,thread_true\n");
}

static int compare_pc(const void *pa, const void *pb)
{
    const struct pc_row *a = pa, *b = pb;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/* Adds up rows of one pc; returns the number of rows left. */
static size_t fold(struct pc_row *rows, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct pc_row *last = kept > 0 ? &rows[kept - 1] : NULL;
        if (last && last->pc == rows[i].pc) {
            last->inst += rows[i].inst;
            last->thread += rows[i].thread;
            last->active += rows[i].active;
            last->active_known = last->active_known && rows[i].active_known;
        } else {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

bool pc_counts_kernel(struct buf *out, const struct kernel *k, const struct kernel_result *r,
                      struct sim_err *err)
{
    size_t n = r->inst_count < k->inst_count ? r->inst_count : k->inst_count, used = 0;
    struct pc_row *rows = calloc(n + 1, sizeof *rows);
    if (!rows)
        return err_memory(err, "writing executions by pc");
    for (size_t i = 0; r->counts && i < n; i++) {
        const struct inst *in = k->insts[i];
        if (r->counts[i].inst > 0)
            rows[used++] = (struct pc_row){
                .pc = in->pc,
                .active_known = k->active_lanes || in->guard == GUARD_TRUE,
                .inst = r->counts[i].inst,
                .active = k->active_lanes ? k->active_lanes(k, (uint32_t)i) : r->counts[i].thread,
                .thread = r->counts[i].thread};
    }
    qsort(rows, used, sizeof *rows, compare_pc);
    used = fold(rows, used);
    for (size_t i = 0; i < used; i++) {
        csv_plain(out, k->name);
        buf_puts(out, ",");
        if (k->launch)
            csv_plain(out, k->launch);
        else
            buf_printf(out, "%" PRIu64, k->id);
        buf_printf(out, ",0x%04x,%" PRIu64 ",", rows[i].pc, rows[i].inst);
        if (rows[i].active_known)
            buf_printf(out, "%" PRIu64, rows[i].active);
        buf_printf(out, ",%" PRIu64 "\n", rows[i].thread);
    }
    free(rows);
    return true;
}

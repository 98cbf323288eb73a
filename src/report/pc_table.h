/* Statistics by instruction (run --by pc): a row for each pc that was executed or waited at, or by
 * source line (--by line): a row for each line, as text, JSON and CSV.
 *
 * A row's warp cycles are those in which a warp was at the instruction, issuing it or waiting to:
 * the rows add up to the kernel's. What belongs to no instruction, such as reading code, is the
 * rest. */
#ifndef SUBCORE_REPORT_PC_TABLE_H
#define SUBCORE_REPORT_PC_TABLE_H

#include "base/buf.h"
#include "base/err.h"
#include "report/json_writer.h"
#include "sim/result.h"
#include "trace/kernel.h"

/* Order of the rows: by pc or place in the source, or largest first and then by pc. */
enum pc_order {
    PC_ORDER_PC,
    PC_ORDER_CYCLES,
    PC_ORDER_ISSUED,
    PC_ORDER_L1,
    PC_ORDER_L2,
    PC_ORDER_CONFLICTS
};

struct pc_row {
    const struct inst *inst; /* the first of this pc or line */
    uint32_t instructions;   /* pcs in the row */
    uint64_t cycles;         /* warp cycles: sum of the stall reasons */
    struct sim_stats stats;
};

struct pc_table {
    bool by_line;
    struct pc_row *rows; /* owned */
    size_t count;
    uint64_t cycles;       /* warp cycles of the kernel */
    struct sim_stats rest; /* what belongs to no instruction */
};

/* Makes the table of a kernel that was simulated with statistics by instruction; the caller frees
 * it with pc_table_free(). */
bool pc_table_make(struct pc_table *t, const struct kernel *k, const struct kernel_result *r,
                   bool by_line, enum pc_order order, struct sim_err *err);

void pc_table_free(struct pc_table *t);

/* A line a row under a headline. Columns in which nothing happened are left out. */
void pc_table_text(struct buf *out, const struct pc_table *t);

/* "by_pc" or "by_line": [...] and "no_instruction": {...}; counters and reasons that are 0 are left
 * out. */
void pc_table_json(struct json *j, const struct pc_table *t);

/* The line of column names, and a line a row. */
void pc_table_csv_begin(struct buf *out, bool by_line);
void pc_table_csv(struct buf *out, const struct kernel *k, const struct pc_table *t);

#endif

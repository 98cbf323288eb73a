/* Executions by opcode: the first dot-separated token, sorted by name. */
#ifndef SUBCORE_REPORT_OPCODE_TALLY_H
#define SUBCORE_REPORT_OPCODE_TALLY_H

#include "base/buf.h"
#include "base/err.h"
#include "isa/inst.h"
#include "sim/result.h"

struct opcode_row {
    char *name;      /* owned */
    uint64_t inst;   /* warp-level */
    uint64_t thread; /* lanes whose guard is true */
};

struct opcode_tally {
    struct opcode_row *rows; /* sorted by name */
    size_t count;
};

/* Adds counts[i] executions of insts[i], i < n. Instructions that never ran add no row. */
bool opcode_tally_add(struct opcode_tally *t, const struct inst *const *insts,
                      const struct inst_count *counts, size_t n, struct sim_err *err);

/* Adds all rows of `other`. */
bool opcode_tally_merge(struct opcode_tally *t, const struct opcode_tally *other,
                        struct sim_err *err);

/* Row indices from the most executed down (equal counts by name), in a heap array; NULL when out of
 * memory. */
size_t *opcode_tally_ranking(const struct opcode_tally *t);

/* A line of the most executed opcodes with their shares of `all`. */
void opcode_tally_text(struct buf *out, const struct opcode_tally *t, uint64_t all);

void opcode_tally_free(struct opcode_tally *t);

#endif

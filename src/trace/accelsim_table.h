/* The static instructions of one Accel-Sim kernel, found by the text of a line's static part.
 *
 * One entry for each distinct (pc, text, immediate); a generic access has up to three instructions,
 * one for each memory space its addresses fall into. The hash's order is never used: instructions
 * are numbered in order of first occurrence. */
#ifndef SUBCORE_TRACE_ACCELSIM_TABLE_H
#define SUBCORE_TRACE_ACCELSIM_TABLE_H

#include "base/arena.h"
#include "trace/accelsim_line.h"
#include "trace/sass_file.h"

#define TABLE_PC_CACHE 4096 /* entries; a power of two */

struct accelsim_entry {
    struct inst inst;
    uint32_t pc, text_len;
    const char *text; /* from the destination count to the width */
    int64_t imm;
    struct line_shape shape;
    uint32_t ids[3];    /* in kernel->insts; generic accesses: global, shared, local; others: [0] */
    bool pseudo;        /* REPLAY_START, REPLAY_END: marks, no instructions */
    bool ldgsts;        /* in raw traces twice: shared address, global address */
    bool takes_address; /* a memory class */
    bool needs_address; /* cannot run without one */
};

struct accelsim_table {
    struct arena arena;
    const struct accelsim_format *format;
    uint32_t sm;
    const struct sass_function *sass; /* to join with, or NULL */
    uint32_t unjoined; /* instructions that `sass` does not have, or without control bits */
    struct accelsim_entry **slots; /* open addressing */
    uint32_t slot_count, used;
    const struct inst **insts;
    uint8_t *is_memory; /* [inst_count]; pack_has_address() of each */
    uint32_t inst_count, inst_cap;
    struct accelsim_entry *by_pc[TABLE_PC_CACHE]; /* last used */
};

void table_free(struct accelsim_table *t);

/* The entry last used at `pc` when the text at `p` (up to `end`) begins with its static part. */
struct accelsim_entry *table_cached(const struct accelsim_table *t, uint32_t pc, const char *p,
                                    const char *end);

/* What tells one static instruction from another, and where it was first seen. */
struct table_key {
    uint32_t pc;
    uint32_t source_line;
    const char *text; /* the static part: `len` bytes */
    size_t len;
    int64_t imm;
};

/* Finds or makes the entry of a key. */
bool table_get(struct accelsim_table *t, const struct table_key *key, struct accelsim_entry **out,
               const struct accelsim_place *at, struct sim_err *err);

/* Index of the instruction of a generic access that goes to `space` (MEM_GLOBAL, MEM_SHARED or
 * MEM_LOCAL). */
bool table_generic(struct accelsim_table *t, struct accelsim_entry *e, enum mem_space space,
                   uint32_t *id, struct sim_err *err);

#endif

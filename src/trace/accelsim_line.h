/* One instruction line of an Accel-Sim trace, read part by part.
 *
 *   [ctax ctay ctaz warp [..]] [line] PC mask | ndst dst.. opcode nsrc src.. [gmma] width | mem..
 * imm..
 *   \------------- head --------------------/  \------------- static --------------------/ \- tail
 * -/
 *
 * The static part is the same each time an instruction runs; the caller compares it as text and
 * parses it once (trace/accelsim_table.h). Each reader takes a cursor and leaves it behind what it
 * read; errors name the place. */
#ifndef SUBCORE_TRACE_ACCELSIM_LINE_H
#define SUBCORE_TRACE_ACCELSIM_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/opcode.h"
#include "trace/accelsim_place.h"

#define LINE_REGS_MAX 32
#define LINE_OPCODE_MAX 128

/* What the lines of one file look like. */
struct accelsim_format {
    uint32_t version; /* of the tracer; 0 = unknown */
    bool lineinfo;    /* a source line number stands before the pc */
    uint32_t prefix;  /* tokens before that: CTA, warp, cluster, SM */
};

struct line_head {
    struct dim3 cta; /* with prefix >= 4 */
    uint32_t warp;   /* likewise */
    uint32_t source_line;
    uint32_t pc, mask;
};

/* What the static part says about the tail. */
struct line_shape {
    uint32_t width; /* as the trace says, often wrong: only tells whether addresses follow */
    bool tma;       /* the memory part is that of a bulk or tensor copy */
};

struct line_static {
    const char *opcode; /* in the line, not terminated */
    size_t opcode_len;
    uint32_t n_dst, n_src;
    struct trace_reg dst[LINE_REGS_MAX], src[LINE_REGS_MAX];
    struct line_shape shape;
};

enum line_addr_mode { LINE_ADDR_NONE, LINE_ADDR_STRIDE, LINE_ADDR_LIST };

struct line_tail {
    enum line_addr_mode mode;
    uint64_t base; /* LINE_ADDR_STRIDE: of lane 0, active or not */
    int32_t stride;
    uint64_t list[WARP_LANES]; /* LINE_ADDR_LIST; inactive lanes are 0 */
    int64_t imm;
};

/* Finds how many tokens stand before the line number and pc. `raw`: the file is not grouped. */
bool line_detect_prefix(struct accelsim_format *format, const char *line, bool raw,
                        const struct accelsim_place *at, struct sim_err *err);

/* True when a line can only be an instruction (starts with a digit of a number). */
bool line_is_instruction(const char *line);

bool line_read_head(const struct accelsim_format *format, const char **p, struct line_head *out,
                    const struct accelsim_place *at, struct sim_err *err);

bool line_read_static(const struct accelsim_format *format, const char **p, struct line_static *out,
                      const struct accelsim_place *at, struct sim_err *err);

/* Reads addresses and immediates to the end of the line; *p is left at its NUL. */
bool line_read_tail(const struct accelsim_format *format, const struct line_shape *shape,
                    uint32_t mask, const char **p, struct line_tail *out,
                    const struct accelsim_place *at, struct sim_err *err);

#endif

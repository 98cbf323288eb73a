/* Hazard checker: dependences that the control bits do not keep.
 *
 * Hardware does not check; wrong control bits give wrong results. The checker follows, for each
 * register of a warp, when its last result is available and whether queued instructions still have
 * to read it, and reports RAW, WAW and WAR violations of program order. A violation is a question
 * of operand-read time, not of issue distance: times are those of an undelayed issue (paper 5.3).
 */
#ifndef SUBCORE_UNIT_HAZARD_H
#define SUBCORE_UNIT_HAZARD_H

#include "sim/cycle.h"
#include "sim/result.h"
#include "unit/exec_inst.h"

struct hazard_reg {
    cycle_t issued;     /* effective issue of the last fixed-latency producer */
    uint32_t producer;  /* instruction index of the last producer */
    uint32_t reader;    /* of the last queued reader */
    uint32_t mask;      /* lanes the last producer wrote */
    uint32_t read_mask; /* lanes queued readers read */
    uint16_t pending;   /* queued producers whose result has not been written */
    uint16_t reading;   /* queued readers that have not read */
    bool written;       /* by a fixed-latency producer */
};

struct hazard_state {
    struct hazard_reg regs[DEP_REGISTERS];
};

struct hazard_list {
    struct hazard_record *items; /* heap */
    uint32_t count, cap;
    uint64_t total[HAZARD_KIND_COUNT];
};

/* What the checker needs to know of one issue. */
struct hazard_issue {
    const struct exec_inst *table;
    const struct exec_inst *e;
    const struct unit_set *sets;
    uint32_t inst;              /* index of e */
    uint32_t mask;              /* lanes */
    cycle_t effective;          /* issue cycle, later by the cycles it waited in Allocate */
    struct hazard_record where; /* cycle, cta, sm, warp filled in */
};

/* Checks an instruction against earlier ones, then records it. */
void hazard_issue(struct hazard_state *s, const struct latency_cfg *latency,
                  const struct hazard_issue *h, struct hazard_list *out);

/* A queued instruction has read its sources, or written its result. */
void hazard_read_done(struct hazard_state *s, const struct exec_inst *e);
void hazard_write_done(struct hazard_state *s, const struct exec_inst *e);

#endif

/* Scoreboards of one warp (dependence mode `scoreboard`): registers with a pending write, and the
 * number of queued readers of each register. Fixed-latency readers need no entry: they read before
 * any later instruction of the warp can write. Source: paper 7.5. */
#ifndef SUBCORE_UNIT_SCOREBOARD_H
#define SUBCORE_UNIT_SCOREBOARD_H

#include "unit/exec_inst.h"

struct scoreboard {
    uint64_t pending[(DEP_REGISTERS + 63) / 64];
    uint64_t pending_long[(DEP_REGISTERS + 63) / 64];  /* of them: written by an L1TEX access */
    uint64_t pending_fixed[(DEP_REGISTERS + 63) / 64]; /* of them: by a fixed-latency unit */
    uint16_t readers[DEP_REGISTERS];
};

/* Why an instruction may not issue. */
enum scoreboard_block {
    SCOREBOARD_FREE,
    SCOREBOARD_FIXED, /* on a fixed-latency result */
    SCOREBOARD_SHORT,
    SCOREBOARD_LONG
};

/* Checks RAW, WAW and WAR. `max_readers` = 0: unlimited. */
enum scoreboard_block scoreboard_check(const struct scoreboard *s, const struct exec_inst *e,
                                       uint32_t max_readers);

/* Marks the destinations pending and, for queued instructions, counts the sources. */
void scoreboard_issue(struct scoreboard *s, const struct exec_inst *e);

/* The result is available, or the sources have been read. */
void scoreboard_write_done(struct scoreboard *s, const struct exec_inst *e);
void scoreboard_read_done(struct scoreboard *s, const struct exec_inst *e);

#endif

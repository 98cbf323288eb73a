/* What one global or local memory instruction touches: sectors of cache lines. */
#ifndef SUBCORE_UNIT_COALESCE_H
#define SUBCORE_UNIT_COALESCE_H

#include "trace/kernel.h"

/* Parts of a line that are told apart within sectors: words of a 128-byte line. */
#define LINE_PARTS 32

/* A line with the sectors and parts that are touched (bit i = sector or part i of the line). */
struct line_access {
    uint64_t line; /* address / line size */
    uint32_t sectors;
    uint32_t parts;
    uint32_t partial; /* coalesce_partial: of the sectors, those not touched as a whole */
    uint32_t passes;  /* coalesce_passes: lanes at the most popular word of a sector, summed */
};

/* Most lines an instruction can touch: 32 lanes, each across one line boundary. */
#define COALESCE_MAX_LINES 64
#define COALESCE_MAX_SECTORS 16 /* of a line */

/* Lines in order of the first lane that touches them. Returns their number. */
uint32_t coalesce_lines(const struct dyn_inst *d, uint32_t width, uint32_t line_bytes,
                        uint32_t sector_bytes, struct line_access out[COALESCE_MAX_LINES]);

/* Sets `partial` of the lines that coalesce_lines gave. */
void coalesce_partial(const struct dyn_inst *d, uint32_t width, uint32_t line_bytes,
                      uint32_t sector_bytes, struct line_access *lines, uint32_t count);

/* Sets `passes` of the lines that coalesce_lines gave: lanes at different words of a sector go
 * together, lanes at one word one after the other. */
void coalesce_passes(const struct dyn_inst *d, uint32_t line_bytes, uint32_t sector_bytes,
                     struct line_access *lines, uint32_t count);

/* Address of a lane. */
uint64_t lane_address(const struct dyn_inst *d, uint32_t lane);

#endif

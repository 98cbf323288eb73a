/* Annotations of listings: what stands after `// @` behind an instruction. */
#ifndef SUBCORE_TRACE_LISTING_NOTE_H
#define SUBCORE_TRACE_LISTING_NOTE_H

#include "trace/listing_code.h"
#include "trace/span.h"

/* Place in the input, for messages. */
struct listing_place {
    const char *file;
    uint32_t line;
};

/* Adds the annotations in `comment` (the text after "//") to `note`. A comment that does not begin
 * with '@' is free text up to a further "//". Memory comes from `arena`. */
bool listing_note_read(struct listing_note *note, struct span comment, struct arena *arena,
                       struct listing_place at, struct sim_err *err);

/* Reads "0,4,8" as a set of warps. */
bool listing_warp_set(struct span text, uint32_t *out, struct listing_place at,
                      struct sim_err *err);

#endif

/* Compact form of a warp's dynamic instructions: what the project's own trace format stores and
 * what functional execution keeps of a CTA.
 *
 * Two byte strings a warp, both of little-endian varints:
 *   flow       one token a run of consecutive static instructions with one mask:
 *              (length << 2 | jump << 1 | mask change), then the signed distance of the jump from
 * the instruction that would come next, then the new mask. addresses  for the memory instructions
 * in order: the number of instructions whose address follows from the last two executions of the
 * same instruction, then one that does not: its kind, and base and stride or the lanes'
 * differences. So a loop whose addresses move evenly costs two or three bytes a trip. */
#ifndef SUBCORE_TRACE_PACK_H
#define SUBCORE_TRACE_PACK_H

#include <stddef.h>

#include "base/err.h"
#include "trace/kernel.h"

/* Growing byte string. */
struct pack_bytes {
    uint8_t *data; /* heap */
    size_t len, cap;
};

/* What is known of the addresses of one static instruction. */
struct pack_predictor {
    uint64_t base; /* last base */
    int64_t delta; /* last base - the one before */
    int32_t stride;
    uint32_t inst; /* its instruction + 1; 0 = free entry */
    bool seen;
};

/* Predictors of one warp: a hash table by instruction, made of the memory instructions that occur.
 */
struct pack_state {
    struct pack_predictor *entries; /* heap */
    uint32_t cap, used;             /* cap: a power of two */
    uint64_t last_base;             /* of any memory instruction */
};

struct pack_warp {
    struct pack_bytes flow, addresses;
    uint64_t insts;
    /* Writer's: the open run and the predicted instructions not written yet. */
    uint32_t run_inst, run_length, next_inst, mask;
    uint64_t predicted;
    bool run_jump, run_mask;
    bool has_lists; /* some addresses are lists of lanes */
    struct pack_state state;
};

/* Forgets everything but keeps the memory. */
void pack_reset(struct pack_warp *w);
void pack_free(struct pack_warp *w);

/* Adds an instruction. False when out of memory. */
bool pack_add(struct pack_warp *w, const struct dyn_inst *d);

/* As pack_add for an instruction without addresses. */
bool pack_add_plain(struct pack_warp *w, uint32_t inst, uint32_t mask);

/* Closes what is open; call once after the last instruction. */
bool pack_end(struct pack_warp *w);

/* Reader of one warp. Strings may come from a file: every step is checked. */
struct pack_cursor {
    const uint8_t *flow, *flow_end, *addresses, *addresses_end;
    uint32_t next_inst, left, mask;
    uint64_t predicted; /* addresses that follow before the next explicit one */
    struct pack_state state;
};

void pack_open(struct pack_cursor *c, const uint8_t *flow, size_t flow_len,
               const uint8_t *addresses, size_t addresses_len);
void pack_close(struct pack_cursor *c);

/* Decodes up to `n` instructions into `out`; ADDR_LIST entries go to `lists` (room for n; NULL
 * when the strings have none).
 * `is_memory` tells by static instruction which ones have addresses ([inst_count]). *got = 0 at the
 * end. False with a message in `why` when the strings are damaged or memory is out. */
bool pack_read(struct pack_cursor *c, const uint8_t *is_memory, uint32_t inst_count,
               struct dyn_inst *out, uint32_t n, uint64_t (*lists)[WARP_LANES], uint32_t *got,
               const char **why);

/* True for instructions that carry addresses in a trace. */
bool pack_has_address(const struct inst *in);

/* Varints, for other parts of the file format. False when out of memory, or past the end. */
bool pack_put(struct pack_bytes *b, uint64_t v);
bool pack_put_signed(struct pack_bytes *b, int64_t v);
bool pack_put_bytes(struct pack_bytes *b, const void *data, size_t len);
bool pack_get(const uint8_t **p, const uint8_t *end, uint64_t *v);
bool pack_get_signed(const uint8_t **p, const uint8_t *end, int64_t *v);

#endif

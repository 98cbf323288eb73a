/* What one CTA executed, kept compactly (trace/pack.h): written once by the machine, then read
 * through cursors by whoever needs the dynamic instructions. Reading needs no lock. */
#ifndef SUBCORE_EMU_RECORD_H
#define SUBCORE_EMU_RECORD_H

#include "base/err.h"
#include "trace/kernel.h"
#include "trace/pack.h"

struct emu_record {
    uint64_t linear_id;
    struct dim3 id;
    uint32_t warp_count;
    struct pack_warp *warps; /* [warp_cap], heap */
    uint32_t warp_cap;
};

/* Addresses of a memory instruction: all 32 lanes, valid where mask is set. */
struct emu_access {
    bool used;
    uint32_t mask;
    uint64_t addr[WARP_LANES];
};

/* Forgets what is recorded and prepares for a CTA. */
bool emu_record_begin(struct emu_record *r, uint64_t linear_id, struct dim3 id, uint32_t warps,
                      struct sim_err *err);

/* Adds an executed instruction that has no addresses in a trace (pack_has_address is false):
 * `mask` = active lanes with a true guard. */
bool emu_record_plain(struct emu_record *r, uint32_t warp, uint32_t inst, uint32_t mask,
                      struct sim_err *err);

/* Adds a memory instruction; `access` may be unused (no lane active). */
bool emu_record_memory(struct emu_record *r, uint32_t warp, uint32_t inst, uint32_t mask,
                       const struct emu_access *access, struct sim_err *err);

/* Closes open runs. */
bool emu_record_end(struct emu_record *r, struct sim_err *err);

/* Bytes of memory held by the recorded streams. */
size_t emu_record_bytes(const struct emu_record *r);

void emu_record_free(struct emu_record *r);

/* Starts a cursor (zeroed, or used before) over one warp; pack_read() reads, pack_close() ends. */
void emu_record_open(struct pack_cursor *c, const struct emu_record *r, uint32_t warp);

#endif

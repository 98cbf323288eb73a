/* What one CTA executed, kept compactly: for each warp a byte stream of runs, masks and addresses.
 *
 * A record is written once by the machine and then read through cursors; reading needs no lock.
 * Encoding (little-endian varints; private to record.c): a token is a run of consecutive static
 * instructions, a new active mask, a jump to another instruction, or the addresses of the memory
 * instruction the run ends with (base and stride when they fit, else 32-lane deltas). */
#ifndef SUBCORE_EMU_RECORD_H
#define SUBCORE_EMU_RECORD_H

#include "base/err.h"
#include "trace/kernel.h"

struct emu_warp_record {
    uint8_t *bytes;
    size_t len, cap;
    uint64_t insts; /* dynamic instructions */
    /* writer's state */
    uint32_t last_inst, run_start, mask;
    bool open;
};

struct emu_record {
    uint64_t linear_id;
    struct dim3 id;
    uint32_t warp_count;
    struct emu_warp_record *warps; /* [warp_cap] */
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

/* Adds an executed instruction: `mask` = active lanes with a true guard, `access` = NULL or its
 * addresses. */
bool emu_record_inst(struct emu_record *r, uint32_t warp, uint32_t inst, uint32_t mask,
                     const struct emu_access *access, struct sim_err *err);

/* Closes open runs. */
bool emu_record_end(struct emu_record *r, struct sim_err *err);

/* Bytes of memory held. */
size_t emu_record_bytes(const struct emu_record *r);

void emu_record_free(struct emu_record *r);

/* Cursor over one warp. */
struct emu_cursor {
    const uint8_t *next, *end;
    uint32_t inst, left, mask; /* state of the current run */
    uint64_t last_base;
};
void emu_cursor_start(struct emu_cursor *c, const struct emu_record *r, uint32_t warp);

/* Decodes up to `n` dynamic instructions; ADDR_LIST entries are written to `lists` (32 words each,
 * room for n lists). Returns how many; 0 at the end. */
uint32_t emu_cursor_read(struct emu_cursor *c, struct dyn_inst *out, uint32_t n,
                         uint64_t (*lists)[WARP_LANES]);

#endif

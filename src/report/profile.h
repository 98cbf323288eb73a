/* What is in a kernel's trace, without simulating it: instruction mix, memory footprint,
 * divergence, and faults that a trace can have. Memory is bounded by one CTA and the line set. */
#ifndef SUBCORE_REPORT_PROFILE_H
#define SUBCORE_REPORT_PROFILE_H

#include "base/buf.h"
#include "report/json_writer.h"
#include "report/line_set.h"
#include "report/opcode_tally.h"
#include "trace/kernel.h"

#define PROFILE_LINE_BYTES 128

/* Memory instructions by what they reach. */
enum profile_space {
    PROFILE_GLOBAL,
    PROFILE_LOCAL,
    PROFILE_SHARED,
    PROFILE_CONSTANT,
    PROFILE_TEXTURE,
    PROFILE_SPACE_COUNT
};
const char *profile_space_name(enum profile_space s);

/* Where a fault was first seen. */
struct profile_place {
    uint64_t cta;
    uint32_t warp, inst;
};

/* Faults: X(name, text before the count). */
#define PROFILE_FAULTS(X)                                                                          \
    X(MISSING_CTAS, "CTAs of the grid missing")                                                    \
    X(EMPTY_WARPS, "warps without instructions")                                                   \
    X(NO_EXIT, "warps that end without an EXIT")                                                   \
    X(ZERO_ADDRESSES, "accesses to address 0")                                                     \
    X(NO_ADDRESSES, "memory instructions without addresses")                                       \
    X(UNKNOWN_OPCODES, "instructions with an opcode that is not in the table")

enum profile_fault {
#define X(name, text) PROFILE_FAULT_##name,
    PROFILE_FAULTS(X)
#undef X
        PROFILE_FAULT_COUNT
};
const char *profile_fault_text(enum profile_fault f);

struct profile {
    uint64_t ctas, warps;
    uint64_t warp_instructions, thread_instructions;
    uint64_t full_instructions; /* all 32 lanes active */
    uint64_t branches;
    uint64_t classes[OP_CLASS_COUNT]; /* warp instructions by class */
    struct {
        uint64_t loads, stores, atomics;
    } memory[PROFILE_SPACE_COUNT];
    uint64_t line_accesses; /* global and local accesses with addresses */
    uint64_t sectors;       /* distinct 32-byte sectors of each, summed */
    struct line_set lines;  /* distinct 128-byte lines of them */
    struct opcode_tally opcodes;
    uint64_t faults[PROFILE_FAULT_COUNT];
    struct profile_place first[PROFILE_FAULT_COUNT];
    struct inst_count *counts; /* while reading: by static instruction */
    uint32_t count_size;
};

/* Called with every instruction, in order of CTA and warp; may be NULL. */
typedef void profile_visit(void *user, const struct cta_stream *cta, const struct warp_stream *warp,
                           const struct dyn_inst *d);

/* Reads the whole kernel. `p` must be zeroed; the caller frees it in any case. */
bool profile_kernel(struct profile *p, struct kernel *k, profile_visit *visit, void *user,
                    struct sim_err *err);

void profile_free(struct profile *p);

/* Address of a lane. */
uint64_t profile_address(const struct dyn_inst *d, uint32_t lane);

/* Warp instructions by Nsight Compute's pipe, in order of first opcode name; returns the rows. */
#define PROFILE_PIPES_MAX 32
struct profile_share {
    const char *name;
    uint64_t count;
};
size_t profile_pipes(const struct profile *p, struct profile_share out[PROFILE_PIPES_MAX]);

/* Writers. */
void profile_text(struct buf *out, const struct kernel *k, const struct profile *p);
void profile_json(struct json *j, const struct kernel *k, const struct profile *p);

/* One instruction as a line: CTA, warp, pc, mask, control code where known, instruction, addresses.
 */
void profile_dump(struct buf *out, const struct cta_stream *cta, const struct warp_stream *warp,
                  const struct dyn_inst *d);

/* One line a fault: "kernel 3: accesses to address 0: 12, the first in CTA 0, warp 2, pc 0x0080
 * LDG.E". Returns the number of lines. */
uint32_t profile_faults(struct buf *out, const struct kernel *k, const struct profile *p);

#endif

/* The functional machine: executes the SASS of a kernel CTA by CTA, without a GPU.
 *
 *   emu_program_create()   decodes a kernel's instructions for one launch
 *   emu_run_cta()          executes one whole CTA: warps in turn, between barriers
 *
 * Global memory is a list of buffers. CTAs are executed one after the other in ascending linear id,
 * so results never depend on threads or timing. What a CTA executed is recorded compactly, for a
 * trace or for the timing model (record.h). Main thread only. */
#ifndef SUBCORE_EMU_MACHINE_H
#define SUBCORE_EMU_MACHINE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/err.h"
#include "emu/record.h"
#include "trace/kernel.h"
#include "trace/sass_file.h"

/* A device buffer. */
struct emu_buffer {
    uint64_t addr; /* device address; buffers do not overlap and are sorted by address */
    uint64_t bytes;
    uint8_t *data;    /* heap, owned by the launch layer */
    const char *name; /* for messages: "argument 2" */
};

/* Constant banks of a kernel. */
#define EMU_CONST_BANKS 32
struct emu_constants {
    const uint8_t *data[EMU_CONST_BANKS]; /* NULL = not known */
    uint32_t bytes[EMU_CONST_BANKS];
};

struct emu_checks {
    bool races; /* data races between warps of a CTA on shared memory: errors */
    uint64_t
        max_cta_steps; /* warp instructions of one CTA before it is taken for endless; 0 = 2^32 */
};

/* Executions of a static instruction: by warps, by active lanes, by active lanes with a true guard.
 */
struct emu_count {
    uint64_t inst, thread, thread_true;
};

struct emu_launch {
    const char *kernel;
    const struct sass_function *code;
    uint32_t sm;
    struct dim3 grid, block;
    uint32_t registers;             /* a thread, for messages and occupancy */
    uint32_t shared_bytes;          /* static + dynamic */
    uint32_t local_bytes;           /* a thread (stack) */
    struct emu_constants constants; /* bank 0 holds launch constants and parameters */
    struct emu_buffer *buffers;
    uint32_t buffer_count;
    struct emu_checks checks;
    struct emu_count *counts; /* [code->inst_count], added to by emu_run_cta; NULL = not counted */
    const char *file;         /* launch file, for messages */
};

struct emu_program;

/* Decodes; errors name kernel, pc and text of an instruction without semantics. */
bool emu_program_create(struct emu_program **out, const struct emu_launch *launch,
                        struct sim_err *err);
void emu_program_free(struct emu_program *p);

/* Executes CTA `linear_id`; fills `rec` (which it resets first). Errors: out-of-bounds or
 * misaligned access, read of shared memory never written, race, endless loop, deadlock at a
 * barrier, BPT.TRAP; each with kernel, CTA, warp, lane, pc. */
bool emu_run_cta(struct emu_program *p, uint64_t linear_id, struct emu_record *rec,
                 struct sim_err *err);

#endif

/* Cubins (ELF64): what a launch needs to know of a kernel beyond its SASS.
 *
 * The file is held in memory; every offset and size of it is checked against its length before it
 * is used. Read-only after loading. */
#ifndef SUBCORE_LAUNCH_CUBIN_H
#define SUBCORE_LAUNCH_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CUBIN_MAX_BYTES ((size_t)512 << 20)
#define CUBIN_MAX_PARAMS 1024
#define CUBIN_BANKS 32

/* A parameter of a kernel, relative to the parameters' start. */
struct cubin_param {
    uint32_t offset, bytes;
};

/* What the file says of one kernel. */
struct cubin_kernel {
    uint64_t code_bytes;   /* of .text.K */
    uint32_t registers;    /* 0 = not given */
    uint32_t frame_bytes;  /* stack of a thread, callees included where the file tells */
    uint64_t shared_bytes; /* size of .nv.shared.K, with the system's part (sm_90 and later) */
    bool has_params;       /* param_base and param_bytes are given */
    uint32_t param_base;   /* offset in bank 0 */
    uint32_t param_bytes;  /* all parameters */
    uint32_t param_count;  /* 0 = not given */
    struct cubin_param params[CUBIN_MAX_PARAMS]; /* by index */
    const uint8_t *bank[CUBIN_BANKS]; /* .nv.constantN.K, else .nv.constantN; NULL = none */
    uint32_t bank_bytes[CUBIN_BANKS];
};

struct cubin;

/* Reads a cubin (plain or compressed). */
bool cubin_load(struct cubin **out, const char *path, struct sim_err *err);

/* As cubin_load from memory, which is copied; `path` is for messages. */
bool cubin_parse(struct cubin **out, const char *path, const uint8_t *data, size_t len,
                 struct sim_err *err);

/* 75, 80, 90...; 0 = not known. */
uint32_t cubin_sm(const struct cubin *c);

const char *cubin_path(const struct cubin *c);

/* Reads what there is about `kernel` (its symbol). Pointers in *out belong to the cubin. A kernel
 * without a section .text.K is an error. */
bool cubin_kernel(const struct cubin *c, const char *kernel, struct cubin_kernel *out,
                  struct sim_err *err);

/* NULL is allowed. */
void cubin_free(struct cubin *c);

#endif

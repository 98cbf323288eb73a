/* The project's own trace format, version 1.
 *
 * A file is magic and version, blocks, and an index. A block is a kind, a CRC-32 of its content,
 * the length of the content and of its zlib stream, and the stream. Kernel block: geometry. Table
 * block: static instructions with operands, roles, reuse and control bits, always before the CTAs
 * that use them; behind it, when they come from Accel-Sim text, a block of their lines. CTA block:
 * some hundred KiB of CTAs, each warp as two packed strings (trace/pack.h). End block: totals, so
 * that a missing CTA is noticed. The index at the end of the file lists kernels and host copies in
 * order, so any kernel is opened without reading the others.
 *
 * Writing and reading take memory for the CTAs in flight only. Damage is an error that names the
 * file, the kernel and, inside a CTA, CTA and warp. */
#ifndef SUBCORE_TRACE_NATIVE_H
#define SUBCORE_TRACE_NATIVE_H

#include "trace/kernel.h"
#include "trace/pack.h"

/* True when a file starts like this format (any version). */
bool native_probe(const char *bytes, size_t n);

struct native_item {
    bool is_kernel;
    uint64_t offset;                /* kernels */
    uint64_t copy_addr, copy_bytes; /* host copies */
};

/* Reads the index. *items is a heap array the caller frees. */
bool native_index(const char *path, struct native_item **items, size_t *n, struct sim_err *err);

/* Opens the kernel at `offset`. */
bool native_kernel_open(struct kernel **out, const char *path, uint64_t offset,
                        struct sim_err *err);
void native_kernel_close(struct kernel *k);

struct native_writer;

/* Nothing is left under `path` before native_writer_commit(). */
bool native_writer_open(struct native_writer **out, const char *path, struct sim_err *err);
bool native_writer_copy(struct native_writer *w, uint64_t addr, uint64_t bytes,
                        struct sim_err *err);
/* Call before native_writer_begin() of a kernel that may be dropped. */
bool native_writer_hold(struct native_writer *w, struct sim_err *err);
/* Takes back the kernel that was begun after native_writer_hold(). */
bool native_writer_drop(struct native_writer *w, struct sim_err *err);
bool native_writer_begin(struct native_writer *w, const struct kernel *k, struct sim_err *err);
/* A CTA: its warps packed and ended (pack_end). Static instructions it uses are in k->insts. */
bool native_writer_cta(struct native_writer *w, const struct kernel *k, uint64_t linear_id,
                       const struct pack_warp *warps, uint32_t warp_count, struct sim_err *err);
bool native_writer_end(struct native_writer *w, struct sim_err *err);
bool native_writer_commit(struct native_writer *w, struct sim_err *err);
/* Drops the file; also frees after a commit. NULL is allowed. */
void native_writer_close(struct native_writer *w);

#endif

/* The binary form of Accel-Sim 2.0 (`.tracez`), as text lines.
 *
 * Little-endian, without a magic number: header text ended by NUL; u32 bytes of the dictionary, u32
 * instructions a piece; the zstd dictionary; for each warp u32 instructions, u32 pieces, and for
 * each piece u32 bytes and one zstd frame of text lines; the index; u64 offset of the index. The
 * index: u32 CTAs, for each u32 x 11 (CTA x y z, cluster x y z, CTA in the cluster x y z, rank,
 * warps), for each warp u32 instructions, u32 pieces, u64 offset, u32 instructions of each piece.
 *
 * The index is read as CTAs are asked for, and frames are decompressed a little at a time, so
 * memory is bounded by the longest line. Nothing is allocated on the word of a count. */
#ifndef SUBCORE_TRACE_TRACEZ_H
#define SUBCORE_TRACE_TRACEZ_H

#include "trace/accelsim_place.h"

struct tracez;

/* True when the first `n` bytes are header text with a NUL behind it. */
bool tracez_probe(const char *bytes, size_t n);

/* Opens the file; `at` names it in messages, must outlive it, and gains CTA and warp outside. */
bool tracez_open(struct tracez **out, const struct accelsim_place *at, struct sim_err *err);

/* The header text; lines may be cut in place. */
char *tracez_header(struct tracez *z);

/* Next CTA of the index: its id and how many warps it has (at most `warps_max`). *end = true when
 * there is none left. */
bool tracez_cta(struct tracez *z, uint32_t warps_max, struct dim3 *id, uint32_t *warps, bool *end,
                struct sim_err *err);

/* Next warp of that CTA: how many instructions it has. */
bool tracez_warp(struct tracez *z, uint32_t *insts, struct sim_err *err);

/* Next line of that warp, ended by NUL, valid until the next call; NULL at the end. `len` counts
 * NULs in it. */
bool tracez_line(struct tracez *z, char **line, size_t *len, struct sim_err *err);

/* How far the file has been read. */
uint64_t tracez_consumed(const struct tracez *z);

/* NULL is allowed. */
void tracez_close(struct tracez *z);

#endif

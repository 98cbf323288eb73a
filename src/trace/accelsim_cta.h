/* One CTA of an Accel-Sim trace in memory, built line by line.
 *
 * Begin, then for each warp begin_warp, lines, end_warp; then finish. Each line is packed at once
 * (trace/pack.h); the CTA owns the packed strings, which the cursors of its warps decode chunk by
 * chunk. Released CTAs are kept for reuse by the kernel that owns them. */
#ifndef SUBCORE_TRACE_ACCELSIM_CTA_H
#define SUBCORE_TRACE_ACCELSIM_CTA_H

#include "trace/accelsim_header.h"
#include "trace/accelsim_line.h"
#include "trace/accelsim_table.h"
#include "trace/pack_stream.h"

#define CTA_WARPS_MAX 32 /* 1024 threads */

/* Where the packed strings of a warp are: flow, then addresses. */
struct accelsim_packed {
    size_t at, flow_len, address_len;
    uint64_t insts;
    bool has_lists;
};

struct accelsim_cta {
    struct cta_stream stream; /* first: the public part */
    struct warp_stream warps[CTA_WARPS_MAX];
    struct accelsim_packed packed[CTA_WARPS_MAX];
    uint32_t seen; /* bit w: warp w was begun */
    struct pack_bytes bytes;
    struct pack_stream *streams;      /* [stream.warp_count]; the same in all CTAs of a kernel */
    struct accelsim_cta *prev, *next; /* in the kernel's list of open or of free CTAs */
};

/* An instruction before it is packed. */
struct accelsim_held {
    struct dyn_inst d;
    uint64_t list[WARP_LANES];
};

/* What building needs from the kernel, and the state between two lines. */
struct accelsim_builder {
    const struct accelsim_header *header;
    struct accelsim_format *format;
    struct accelsim_table *table;
    struct accelsim_place *at;
    struct accelsim_cta *cta;
    uint64_t least_cta; /* linear id that the next CTA must reach */
    bool raw;
    uint64_t lines;        /* of this warp */
    uint64_t marks;        /* of these: REPLAY_START and REPLAY_END */
    struct pack_warp warp; /* being packed */
    uint32_t last_inst;    /* of this warp; valid when something was packed */
    bool pair_open;        /* `pair` holds an LDGSTS that may be the first of two lines */
    uint32_t pair_pc;
    struct accelsim_held pair;
};

/* Gives back the memory of building. */
void cta_builder_free(struct accelsim_builder *b);

/* Checks the id and starts `cta`. */
bool cta_begin(struct accelsim_builder *b, struct accelsim_cta *cta, struct kernel *k,
               struct dim3 id, struct sim_err *err);

bool cta_begin_warp(struct accelsim_builder *b, uint32_t warp, struct sim_err *err);

/* Adds one instruction line of `len` bytes, terminated by NUL. */
bool cta_add_line(struct accelsim_builder *b, const char *line, size_t len, struct sim_err *err);

bool cta_end_warp(struct accelsim_builder *b, struct sim_err *err);

/* Sets the cursors; warps that were lost are a warning. */
bool cta_finish(struct accelsim_builder *b, struct sim_err *err);

/* Makes the next chunk of a warp visible; `is_memory` as pack_read() wants it. */
bool cta_refill(struct warp_stream *w, const uint8_t *is_memory, struct sim_err *err);

/* Empties a CTA for reuse, or gives back its memory. */
void cta_reset(struct accelsim_cta *cta);
void cta_free(struct accelsim_cta *cta);

/* Number of warps of a block. */
uint32_t cta_warp_count(struct dim3 block);

#endif

/* One CTA of an Accel-Sim trace in memory, built line by line.
 *
 * Begin, then for each warp begin_warp, lines, end_warp; then finish. The CTA owns its instructions
 * and address lists; released CTAs are kept for reuse by the kernel that owns them. */
#ifndef SUBCORE_TRACE_ACCELSIM_CTA_H
#define SUBCORE_TRACE_ACCELSIM_CTA_H

#include "trace/accelsim_header.h"
#include "trace/accelsim_line.h"
#include "trace/accelsim_table.h"

#define CTA_WARPS_MAX 32 /* 1024 threads */

struct accelsim_cta {
    struct cta_stream stream; /* first: the public part */
    struct warp_stream warps[CTA_WARPS_MAX];
    size_t first[CTA_WARPS_MAX], last[CTA_WARPS_MAX]; /* in `insts`: [first, last) */
    uint32_t seen;                                    /* bit w: warp w was begun */
    struct dyn_inst *insts;
    size_t count, cap;
    struct arena lists;
    struct accelsim_cta *prev, *next; /* in the kernel's list of open or of free CTAs */
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
    uint64_t lines; /* of this warp */
    uint64_t marks; /* of these: REPLAY_START and REPLAY_END */
    bool pair_open; /* the last line was an LDGSTS that may be the first of two */
    uint32_t pair_pc;
};

/* Checks the id and starts `cta`. */
bool cta_begin(struct accelsim_builder *b, struct accelsim_cta *cta, struct kernel *k,
               struct dim3 id, struct sim_err *err);

bool cta_begin_warp(struct accelsim_builder *b, uint32_t warp, struct sim_err *err);

/* Adds one instruction line of `len` bytes, terminated by NUL. */
bool cta_add_line(struct accelsim_builder *b, const char *line, size_t len, struct sim_err *err);

bool cta_end_warp(struct accelsim_builder *b, struct sim_err *err);

/* Sets the cursors; warps that were lost are a warning. */
bool cta_finish(struct accelsim_builder *b, struct sim_err *err);

/* Empties a CTA for reuse, or gives back its memory. */
void cta_reset(struct accelsim_cta *cta);
void cta_free(struct accelsim_cta *cta);

/* Number of warps of a block. */
uint32_t cta_warp_count(struct dim3 block);

#endif

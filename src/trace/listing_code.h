/* A listing after parsing: static instructions with their annotations, and the program that says
 * in which order the warps run them. Private to listing*.c.
 *
 * The program is a flat array of operations. `.loop` and `.warp` are operations of their own, never
 * instructions: they shape the dynamic stream and take no time. A block is the text between one of
 * them and its end; blocks nest, and a branch may leave blocks but not enter one. */
#ifndef SUBCORE_TRACE_LISTING_CODE_H
#define SUBCORE_TRACE_LISTING_CODE_H

#include "isa/opcode.h"
#include "trace/kernel.h"

#define LISTING_MAX_WARPS 32 /* a CTA has at most 1024 threads */
#define LISTING_MAX_DEPTH 16 /* of nested blocks */
#define LISTING_MAX_OPS (1u << 20)
#define LISTING_NO_INDEX UINT32_MAX

/* Lanes whose guard is true, for some warps; `next` was written before this one. */
struct listing_mask {
    uint32_t warps; /* bit w = warp w */
    uint32_t lanes;
    struct listing_mask *next;
};

enum listing_addr_kind { LISTING_ADDR_NONE, LISTING_ADDR_AFFINE, LISTING_ADDR_LIST };

/* What the comment behind an instruction says. */
struct listing_note {
    enum listing_addr_kind addr_kind;
    uint64_t base;
    int64_t stride, warp, cta; /* AFFINE: bytes a lane, a warp, a CTA */
    uint64_t *list;            /* LIST: WARP_LANES entries */
    uint32_t list_count;
    bool has_taken;
    uint64_t taken; /* first so many times; UINT64_MAX = always; 0 without @taken */
    struct listing_mask *masks;
};

/* One static instruction. */
struct listing_inst {
    struct inst *inst;
    struct listing_note note;
    uint32_t line;
    uint32_t op;
    uint32_t target;        /* op a taken branch goes to, or LISTING_NO_INDEX */
    uint32_t target_block;  /* block of the label there */
    uint32_t slot;          /* index of the warp's counter for this branch, or LISTING_NO_INDEX */
    const uint64_t **lists; /* LIST: for each warp, inactive lanes 0 */
};

enum listing_op_kind {
    LISTING_INST,
    LISTING_LOOP,
    LISTING_END_LOOP,
    LISTING_WARP,
    LISTING_END_WARP
};

struct listing_op {
    enum listing_op_kind kind;
    uint32_t block; /* block it stands in (a LOOP or WARP and its end: the block outside) */
    uint32_t index; /* INST: of listing->insts; else the matching end or start operation */
    uint32_t warps; /* WARP: bit w = warp w runs it */
    uint64_t count; /* LOOP: times */
    uint32_t line;
};

struct listing_block {
    uint32_t parent;     /* block 0, the whole code, is its own parent */
    uint32_t start;      /* the LOOP or WARP operation */
    uint32_t depth;      /* block 0 has 0 */
    uint32_t loop_depth; /* enclosing loops, this one included */
};

struct listing_label {
    const char *name;
    uint32_t op; /* the operation after it */
    uint32_t block;
    uint32_t line;
};

struct listing {
    struct kernel kernel;
    struct arena arena;
    struct listing_inst *insts;
    uint32_t inst_count, inst_cap;
    struct listing_op *ops;
    uint32_t op_count, op_cap;
    struct listing_block *blocks;
    uint32_t block_count, block_cap;
    struct listing_label *labels;
    uint32_t label_count, label_cap;
    const struct inst **table; /* kernel.insts */
    uint32_t slot_count;       /* counters a warp needs */
    uint32_t exit_inst;        /* an EXIT without guard, or LISTING_NO_INDEX */
    uint32_t warp_count;
    uint32_t last_lanes;   /* mask of the last warp's existing threads */
    uint32_t active_warps; /* bit w = warp w runs the code */
    uint32_t active_line;  /* of .active_warps */
    uint64_t next_cta;
};

/* Lanes of warp `w` that exist. */
uint32_t listing_lanes(const struct listing *l, uint32_t w);

/* Lanes in which warp `w` executes `li`, apart from branches and exits that are not taken. */
uint32_t listing_inst_mask(const struct listing *l, const struct listing_inst *li, uint32_t w);

/* True for an instruction that may go elsewhere or end the warp. */
static inline bool listing_is_control(const struct inst *in)
{
    return (in->flags & (INST_BRANCH | INST_EXIT)) != 0;
}

/* Times the branch or exit `li` is taken; UINT64_MAX = always. */
uint64_t listing_taken(const struct listing_inst *li);

/* Parses the text at `path` into the empty `l`: code, directives, kernel fields. */
bool listing_parse(struct listing *l, const char *path, struct sim_err *err);

/* Resolves branches and checks that every warp ends at an EXIT. */
bool listing_resolve(struct listing *l, struct diag *diag, struct sim_err *err);

/* Operations of listing kernels (open_cta, refill, close_cta). */
extern const struct kernel_ops listing_ops;

#endif

/* The front-end contract: what every input (Accel-Sim trace, own trace, listing, functional
 * execution) gives the timing model.
 *
 *   struct input        a list of items in stream order: memcpy records and kernels
 *   struct kernel       one launch: geometry, static instructions, and CTAs opened one by one
 *   struct cta_stream   the dynamic instructions of one CTA while it is resident on an SM
 *   struct warp_stream  a cursor over one warp's dynamic instructions
 *
 * Memory is bounded by the CTAs that are open. Thread rule: `open_cta`, `close_cta` and `next_item`
 * are called from one thread at a time; `refill` from the thread that simulates the CTA's SM, and
 * it touches nothing outside its CTA. The static table may grow only inside open_cta, and not at
 * all in a kernel with `opens_beside`, whose open_cta may run while others refill. */
#ifndef SUBCORE_TRACE_KERNEL_H
#define SUBCORE_TRACE_KERNEL_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/err.h"
#include "isa/inst.h"

struct dim3 {
    uint32_t x, y, z;
};

/* How the addresses of a dynamic memory instruction are given. */
enum addr_mode {
    ADDR_NONE,   /* not a memory instruction, or no lane active */
    ADDR_STRIDE, /* lane i (0..31) uses base + i * stride */
    ADDR_LIST    /* lane i uses list[i]; list has 32 entries; inactive lanes hold 0 */
};

/* One dynamic instruction of one warp. */
struct dyn_inst {
    uint32_t inst;     /* index into kernel->insts */
    uint32_t mask;     /* lanes that are active and whose guard is true */
    uint8_t addr_mode; /* enum addr_mode */
    int32_t stride;    /* ADDR_STRIDE: bytes from lane to lane */
    union {
        uint64_t base;        /* ADDR_STRIDE */
        const uint64_t *list; /* ADDR_LIST; owned by the CTA */
    } addr;
};

struct cta_stream;

/* A cursor. The consumer reads [next, end) and calls cta->kernel->ops->refill when it is empty. */
struct warp_stream {
    const struct dyn_inst *next;
    const struct dyn_inst *end;
    struct cta_stream *cta;
    uint32_t warp; /* index in the CTA */
    bool finished; /* no instruction comes after `end` */
    void *state;   /* owned by the input */
};

struct kernel;

struct cta_stream {
    struct kernel *kernel;
    uint64_t linear_id; /* x + grid.x * (y + grid.y * z) */
    struct dim3 id;
    uint32_t warp_count;       /* warps that exist: ceil(block threads / 32) */
    struct warp_stream *warps; /* [warp_count]; a warp without instructions has finished = true */
    void *state;               /* owned by the input */
};

struct pack_warp;

struct kernel_ops {
    /* Opens the next CTA in ascending linear id. At the end of the kernel sets *out = NULL and
     * returns true. CTAs that are absent from a trace are skipped. */
    bool (*open_cta)(struct kernel *k, struct cta_stream **out, struct sim_err *err);
    /* Makes at least one more instruction of `w` available, or sets w->finished. Instructions
     * already consumed become invalid, ADDR_LIST pointers of the last 64 consumed ones do not. */
    bool (*refill)(struct warp_stream *w, struct sim_err *err);
    /* Ends a CTA and frees its memory. */
    void (*close_cta)(struct cta_stream *cta);
    /* May be NULL. The whole of an open CTA as pack.h keeps it for a trace, an entry a warp, or
     * NULL when it is not kept like that. The CTA's until it is closed. */
    const struct pack_warp *(*packed)(const struct cta_stream *cta);
};

/* A region of memory that is warm before the kernel starts (listings only). */
struct warm_region {
    uint64_t addr, bytes;
};

#define KERNEL_MAX_WARM 16

struct kernel {
    const char *name;
    const char *launch;  /* name in the launch file, or NULL */
    uint64_t id;         /* as the input numbers it; counts from 1 */
    uint32_t sm_version; /* 86, 90...; 0 = unknown */
    struct dim3 grid, block;
    uint32_t cluster_ctas; /* of a thread-block cluster; 0 or 1: there are none */
    uint32_t registers;    /* a thread */
    uint32_t shared_bytes; /* static + dynamic */
    uint64_t stream;
    uint64_t shared_base, local_base; /* generic windows; 0 = unknown */
    uint64_t cta_count;               /* CTAs of the grid; a trace may hold fewer */
    bool has_ctrl;                    /* control bits of all instructions are known */
    const char *file;                 /* where it comes from, for messages */

    /* Static instructions. `insts[i]` is stable in memory once made; the array may move when
     * open_cta grows it. */
    const struct inst *const *insts;
    uint32_t inst_count;

    /* Listings: what is warm when the kernel starts. */
    bool warm_code, warm_const;
    struct warm_region warm_data[KERNEL_MAX_WARM];
    uint32_t warm_data_count;

    /* Lanes that were active, whatever the guard, in all executions of `inst` so far. NULL: the
     * input knows only lanes whose guard is true. */
    uint64_t (*active_lanes)(const struct kernel *k, uint32_t inst);

    /* The static table is complete: open_cta may run while other threads refill. */
    bool opens_beside;

    const struct kernel_ops *ops;
    void *state; /* owned by the input */
};

enum input_item_kind {
    INPUT_END,
    INPUT_KERNEL,
    INPUT_MEMCPY /* host to device */
};

struct input_item {
    enum input_item_kind kind;
    struct kernel *kernel; /* INPUT_KERNEL; valid until the next next_item call or input_close */
    uint64_t position;     /* INPUT_KERNEL: which kernel of the input, from 1 */
    uint64_t copy_addr, copy_bytes;
};

struct input_options {
    const char *sass_path; /* --sass: join operands and control bits by function and pc, or NULL */
    bool keep_going;       /* a bad kernel is reported through `failed` and skipped */
    void (*failed)(void *user, const struct sim_err *err); /* with keep_going; may be NULL */
    void *user;
    struct diag *diag;                  /* required */
    uint64_t kernel_first, kernel_last; /* --kernel A-B by position (1-based); 0,0 = all */
};

struct input;

/* Opens any input: told apart by content (docs of the command line). */
bool input_open(struct input **out, const char *path, const struct input_options *opt,
                struct sim_err *err);

/* Next item in order. INPUT_END at the end. With keep_going bad kernels are passed over. */
bool input_next(struct input *in, struct input_item *item, struct sim_err *err);

/* The next item when it is a kernel whose stream is none of `streams`, else *out = NULL: nothing is
 * passed then. The kernels given since the last input_next() stay valid until the next one; no more
 * than INPUT_BESIDE of them. */
#define INPUT_BESIDE 16
bool input_next_beside(struct input *in, const uint64_t *streams, uint32_t count,
                       struct kernel **out, uint64_t *position, struct sim_err *err);

/* The kernel given last once more, from its first CTA on. Its old struct kernel becomes invalid. */
bool input_again(struct input *in, struct kernel **out, struct sim_err *err);

/* Bytes read so far and in all (compressed), for progress; total is 0 when unknown. */
void input_progress(const struct input *in, uint64_t *done, uint64_t *total);

/* Number of kernels the input lists, 0 when unknown. */
uint64_t input_kernel_count(const struct input *in);

void input_close(struct input *in);

#endif

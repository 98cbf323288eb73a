#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/native_block.h"
#include "trace/pack_stream.h"

/* Threads a CTA may have. */
#define BLOCK_THREADS_MAX 1024

/* A block of CTAs, kept while any of its CTAs is open or has not been opened. */
struct batch {
    struct native_block block;
    uint64_t left;  /* CTAs not opened */
    uint32_t users; /* open CTAs */
    const uint8_t *head, *flow, *addresses, *end;
};

struct native_kernel {
    struct kernel kernel; /* first: the owner's view */
    struct arena arena;
    FILE *file;
    char *path;
    struct inst **insts; /* heap array of arena pointers */
    uint8_t *is_memory;
    uint32_t inst_cap;
    struct batch *batch; /* the one being opened */
    uint64_t next_cta, opened, insts_read;
    bool ended;
};

struct native_cta {
    struct cta_stream cta; /* first */
    struct native_kernel *owner;
    struct batch *batch;
    struct pack_stream *streams; /* [warp_count] */
};

static bool damaged(struct native_kernel *k, struct sim_err *err, const char *what)
{
    return err_set(err, ERR_INPUT, k->path, 0, 0, "kernel %s: %s",
                   k->kernel.name ? k->kernel.name : "?", what);
}

static bool get_u32(const uint8_t **p, const uint8_t *end, uint32_t *v)
{
    uint64_t n;
    TRY(pack_get(p, end, &n) && n <= UINT32_MAX);
    *v = (uint32_t)n;
    return true;
}

static bool get_dim(const uint8_t **p, const uint8_t *end, struct dim3 *d)
{
    return get_u32(p, end, &d->x) && get_u32(p, end, &d->y) && get_u32(p, end, &d->z);
}

/* What the model relies on. */
static bool check_geometry(const struct kernel *k)
{
    const struct dim3 g = k->grid, b = k->block;
    uint64_t ctas, threads = (uint64_t)b.x * b.y;
    TRY(g.x > 0 && g.y > 0 && g.z > 0 && b.x > 0 && b.y > 0 && b.z > 0);
    TRY(!__builtin_mul_overflow((uint64_t)g.x * g.y, (uint64_t)g.z, &ctas) && ctas == k->cta_count);
    return threads <= BLOCK_THREADS_MAX && threads * b.z <= BLOCK_THREADS_MAX &&
           k->registers <= REG_RZ;
}

static uint64_t warps_of_block(const struct kernel *k)
{
    return ((uint64_t)k->block.x * k->block.y * k->block.z + WARP_LANES - 1) / WARP_LANES;
}

static bool parse_kernel(struct native_kernel *n, const struct native_block *b)
{
    struct kernel *k = &n->kernel;
    const uint8_t *p = b->data, *end = b->data + b->len;
    uint64_t has_ctrl;
    TRY(native_get_string(&p, end, &n->arena, &k->name) && k->name);
    TRY(native_get_string(&p, end, &n->arena, &k->launch));
    TRY(pack_get(&p, end, &k->id) && get_u32(&p, end, &k->sm_version));
    TRY(get_dim(&p, end, &k->grid) && get_dim(&p, end, &k->block));
    TRY(get_u32(&p, end, &k->registers) && get_u32(&p, end, &k->shared_bytes));
    TRY(pack_get(&p, end, &k->stream) && pack_get(&p, end, &k->shared_base) &&
        pack_get(&p, end, &k->local_base) && pack_get(&p, end, &k->cta_count) &&
        pack_get(&p, end, &has_ctrl));
    k->has_ctrl = has_ctrl != 0;
    return check_geometry(k);
}

static bool grow_table(struct native_kernel *k, uint64_t more, struct sim_err *err)
{
    uint64_t need = k->kernel.inst_count + more;
    if (need <= k->inst_cap)
        return true;
    uint32_t cap = k->inst_cap ? k->inst_cap : 64;
    while (cap < need)
        cap *= 2;
    struct inst **insts = realloc(k->insts, cap * sizeof *insts);
    if (insts)
        k->insts = insts;
    uint8_t *is_memory = realloc(k->is_memory, cap);
    if (is_memory)
        k->is_memory = is_memory;
    if (!insts || !is_memory)
        return err_memory(err, "reading a trace");
    k->inst_cap = cap;
    return true;
}

static bool parse_table(struct native_kernel *k, const struct native_block *b, struct sim_err *err)
{
    const uint8_t *p = b->data, *end = b->data + b->len;
    uint64_t count;
    if (!pack_get(&p, end, &count) || count > b->len)
        return damaged(k, err, "its table of instructions is damaged");
    TRY(grow_table(k, count, err));
    for (uint64_t i = 0; i < count; i++) {
        struct inst *in = arena_alloc(&k->arena, sizeof *in);
        if (!in)
            return err_memory(err, "reading a trace");
        if (!native_get_inst(&p, end, in, &k->arena))
            return damaged(k, err, "its table of instructions is damaged");
        k->is_memory[k->kernel.inst_count] = pack_has_address(in);
        k->insts[k->kernel.inst_count++] = in;
    }
    k->kernel.insts = (const struct inst *const *)k->insts;
    return true;
}

/* Lines of the instructions of the table before. */
static bool parse_lines(struct native_kernel *k, const struct native_block *b, struct sim_err *err)
{
    const uint8_t *p = b->data, *end = b->data + b->len;
    uint64_t count;
    bool ok = pack_get(&p, end, &count) && count <= k->kernel.inst_count;
    for (uint64_t i = 0; ok && i < count; i++) {
        struct inst *in = k->insts[k->kernel.inst_count - count + i];
        ok = native_get_string(&p, end, &k->arena, &in->traced);
    }
    return ok || damaged(k, err, "its lines of instructions are damaged");
}

static void drop_batch(struct batch *b)
{
    free(b->block.data);
    free(b);
}

/* Walks the heads of a batch to find where flows and addresses start. */
static bool measure_batch(struct batch *b)
{
    const uint8_t *p = b->block.data, *end = p + b->block.len;
    uint64_t flows = 0, addresses = 0, skip, warps, n;
    TRY(pack_get(&p, end, &b->left));
    b->head = p;
    for (uint64_t c = 0; c < b->left; c++) {
        TRY(pack_get(&p, end, &skip) && pack_get(&p, end, &warps) && warps <= b->block.len);
        for (uint64_t i = 0; i < warps; i++) {
            TRY(pack_get(&p, end, &skip));
            TRY(pack_get(&p, end, &n) && n <= b->block.len);
            flows += n;
            TRY(pack_get(&p, end, &n) && n <= b->block.len);
            addresses += n;
        }
    }
    b->flow = p;
    b->addresses = p + flows;
    b->end = end;
    return flows + addresses == (uint64_t)(end - p);
}

static bool take_end(struct native_kernel *k, const struct native_block *b, struct sim_err *err)
{
    const uint8_t *p = b->data, *end = b->data + b->len;
    uint64_t ctas, insts;
    if (!pack_get(&p, end, &ctas) || !pack_get(&p, end, &insts))
        return damaged(k, err, "its end is damaged");
    if (ctas != k->opened || insts != k->insts_read)
        return damaged(k, err, "it holds other numbers of CTAs or instructions than it says");
    k->ended = true;
    return true;
}

/* Reads blocks up to the next CTAs or the end of the kernel. */
static bool next_batch(struct native_kernel *k, struct sim_err *err)
{
    while (!k->ended && (!k->batch || k->batch->left == 0)) {
        struct native_block b;
        if (k->batch && k->batch->users == 0)
            drop_batch(k->batch);
        k->batch = NULL;
        TRY(native_get_block(k->file, k->path, &b, err));
        bool ok = true;
        if (b.kind == NATIVE_CTAS) {
            k->batch = calloc(1, sizeof *k->batch);
            if (!k->batch) {
                free(b.data);
                return err_memory(err, "reading a trace");
            }
            k->batch->block = b;
            if (measure_batch(k->batch))
                continue;
            k->batch->left = 0;
            return damaged(k, err, "a block of CTAs is damaged");
        }
        if (b.kind == NATIVE_TABLE)
            ok = parse_table(k, &b, err);
        else if (b.kind == NATIVE_LINES)
            ok = parse_lines(k, &b, err);
        else if (b.kind == NATIVE_END)
            ok = take_end(k, &b, err);
        else
            ok = damaged(k, err, "expected CTAs, found another block");
        free(b.data);
        TRY(ok);
    }
    return true;
}

static void close_cta(struct cta_stream *cta)
{
    struct native_cta *c = (struct native_cta *)cta;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        pack_stream_close(&c->streams[i]);
    if (--c->batch->users == 0 && c->batch->left == 0 && c->owner->batch != c->batch)
        drop_batch(c->batch);
    free(c->streams);
    free(cta->warps);
    free(c);
}

static bool open_warp(struct native_cta *c, uint32_t i, struct sim_err *err)
{
    struct batch *b = c->batch;
    uint64_t insts = 0, flow = 0, addresses = 0;
    bool ok = pack_get(&b->head, b->end, &insts) && pack_get(&b->head, b->end, &flow) &&
              pack_get(&b->head, b->end, &addresses);
    ok = ok && flow <= (uint64_t)(b->end - b->flow) &&
         addresses <= (uint64_t)(b->end - b->addresses);
    if (!ok)
        return damaged(c->owner, err, "a block of CTAs is damaged");
    pack_stream_open(&c->streams[i], b->flow, (size_t)flow, b->addresses, (size_t)addresses,
                     insts & 1);
    b->flow += flow;
    b->addresses += addresses;
    c->owner->insts_read += insts >> 1;
    c->cta.warps[i] = (struct warp_stream){.cta = &c->cta, .warp = i, .state = &c->streams[i]};
    return true;
}

static struct dim3 cta_id(const struct kernel *k, uint64_t linear)
{
    uint64_t x = k->grid.x, y = k->grid.y;
    return (struct dim3){(uint32_t)(linear % x), (uint32_t)(linear / x % y),
                         (uint32_t)(linear / x / y)};
}

static bool open_cta(struct kernel *kernel, struct cta_stream **out, struct sim_err *err)
{
    struct native_kernel *k = (struct native_kernel *)kernel;
    uint64_t skip = 0, warps = 0;
    *out = NULL;
    TRY(next_batch(k, err));
    if (k->ended)
        return true;
    struct batch *b = k->batch;
    if (!pack_get(&b->head, b->end, &skip) || !pack_get(&b->head, b->end, &warps) ||
        warps != warps_of_block(kernel))
        return damaged(k, err, "a block of CTAs is damaged");
    bool ascends = k->opened == 0 || skip > 0;
    if (!ascends || skip >= kernel->cta_count - k->next_cta)
        return damaged(k, err, "expected CTAs of the grid in ascending order");
    struct native_cta *c = calloc(1, sizeof *c);
    if (!c)
        return err_memory(err, "opening a CTA");
    c->owner = k;
    c->batch = b;
    b->users++;
    b->left--;
    k->next_cta += skip;
    k->opened++;
    c->cta = (struct cta_stream){.kernel = kernel,
                                 .linear_id = k->next_cta,
                                 .id = cta_id(kernel, k->next_cta),
                                 .warp_count = (uint32_t)warps};
    c->streams = calloc(warps ? (size_t)warps : 1, sizeof *c->streams);
    c->cta.warps = calloc(warps ? (size_t)warps : 1, sizeof *c->cta.warps);
    bool ok = c->streams && c->cta.warps;
    if (!ok) {
        err_memory(err, "opening a CTA");
        c->cta.warp_count = 0;
    }
    for (uint32_t i = 0; ok && i < warps; i++)
        ok = open_warp(c, i, err);
    if (!ok) {
        close_cta(&c->cta);
        return false;
    }
    *out = &c->cta;
    return true;
}

static bool refill(struct warp_stream *w, struct sim_err *err)
{
    struct native_cta *c = (struct native_cta *)w->cta;
    const char *why;
    if (pack_stream_refill(w->state, w, c->owner->is_memory, c->owner->kernel.inst_count, &why))
        return true;
    w->finished = true;
    return err_set(err, ERR_INPUT, c->owner->path, 0, 0, "kernel %s, CTA %" PRIu64 ", warp %u: %s",
                   c->owner->kernel.name, c->cta.linear_id, w->warp, why);
}

static const struct kernel_ops native_ops = {
    .open_cta = open_cta, .refill = refill, .close_cta = close_cta};

bool native_kernel_open(struct kernel **out, const char *path, uint64_t offset, struct sim_err *err)
{
    uint64_t size;
    struct native_block b;
    FILE *f = native_open_file(path, &size, err);
    TRY(f != NULL);
    struct native_kernel *k = calloc(1, sizeof *k);
    if (!k) {
        fclose(f);
        return err_memory(err, "opening a trace");
    }
    k->file = f;
    k->path = arena_strndup(&k->arena, path, strlen(path));
    bool ok = k->path != NULL || err_memory(err, "opening a trace");
    ok = ok && fseeko(f, (off_t)offset, SEEK_SET) == 0 && native_get_block(f, path, &b, err);
    if (ok) {
        ok = (b.kind == NATIVE_KERNEL && parse_kernel(k, &b)) ||
             err_set(err, ERR_INPUT, path, 0, 0, "a kernel's head is damaged");
        free(b.data);
    }
    k->kernel.file = k->path;
    k->kernel.opens_beside = true;
    k->kernel.ops = &native_ops;
    /* Up to the first CTA, so that the code is known at once: prefetching stops at its end. */
    ok = ok && next_batch(k, err);
    if (!ok) {
        native_kernel_close(&k->kernel);
        return false;
    }
    *out = &k->kernel;
    return true;
}

void native_kernel_close(struct kernel *kernel)
{
    struct native_kernel *k = (struct native_kernel *)kernel;
    if (k->batch)
        drop_batch(k->batch);
    fclose(k->file);
    free(k->insts);
    free(k->is_memory);
    arena_free(&k->arena);
    free(k);
}

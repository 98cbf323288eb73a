#include "launch/launch_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "emu/memory.h"

/* Instructions a refill decodes. Two chunks live at a time, so that addresses of the last 64
 * consumed instructions stay valid. */
#define CHUNK 64u

struct address_lists {
    uint64_t (*lists)[WARP_LANES];
    uint32_t cap;
};

struct launch_warp {
    struct pack_cursor cursor;
    struct dyn_inst *chunk;
    struct address_lists lists[2];
    uint32_t turn;
};

struct launch_cta {
    struct cta_stream stream;
    struct emu_record record;
    struct launch_warp *warps;
    struct dyn_inst *chunks;
    struct launch_cta *next_free, *next_all;
};

struct launch_kernel {
    struct kernel kernel;
    struct launch *launch;
    struct emu_program *program;
    const struct inst **insts;
    uint8_t *is_memory;          /* [inst_count] */
    bool has_constant_addresses; /* is_memory of more than has addresses in a trace */
    struct emu_count *counts;
    uint64_t next_cta;
    bool failed;
    struct launch_cta *free_list, *all; /* CTAs are reused: their buffers have the right size */
};

static void free_cta(struct launch_cta *c)
{
    for (uint32_t w = 0; c->warps && w < c->stream.warp_count; w++) {
        pack_close(&c->warps[w].cursor);
        for (uint32_t i = 0; i < 2; i++)
            free(c->warps[w].lists[i].lists);
    }
    emu_record_free(&c->record);
    free(c->stream.warps);
    free(c->warps);
    free(c->chunks);
    free(c);
}

static struct launch_cta *new_cta(struct launch_kernel *lk, uint32_t warps)
{
    struct launch_cta *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->stream.warps = calloc(warps, sizeof *c->stream.warps);
    c->warps = calloc(warps, sizeof *c->warps);
    c->chunks = calloc((size_t)warps * CHUNK, sizeof *c->chunks);
    if (!c->stream.warps || !c->warps || !c->chunks) {
        free_cta(c);
        return NULL;
    }
    c->stream.kernel = &lk->kernel;
    c->stream.warp_count = warps;
    c->stream.state = c;
    for (uint32_t w = 0; w < warps; w++)
        c->warps[w].chunk = c->chunks + (size_t)w * CHUNK;
    c->next_all = lk->all;
    lk->all = c;
    return c;
}

static struct launch_cta *take_cta(struct launch_kernel *lk, uint32_t warps)
{
    struct launch_cta *c = lk->free_list;
    if (!c)
        return new_cta(lk, warps);
    lk->free_list = c->next_free;
    return c;
}

static void close_cta(struct cta_stream *cta)
{
    struct launch_kernel *lk = cta->kernel->state;
    struct launch_cta *c = cta->state;
    c->next_free = lk->free_list;
    lk->free_list = c;
}

static bool open_cta(struct kernel *k, struct cta_stream **out, struct sim_err *err)
{
    struct launch_kernel *lk = k->state;
    *out = NULL;
    if (lk->next_cta == k->cta_count)
        return true;
    uint32_t threads = k->block.x * k->block.y * k->block.z;
    struct launch_cta *c = take_cta(lk, (threads + WARP_LANES - 1) / WARP_LANES);
    if (!c)
        return err_memory(err, "executing a CTA");
    if (!emu_run_cta(lk->program, lk->next_cta, &c->record, err)) {
        close_cta(&c->stream);
        lk->failed = err->code == ERR_SIM || err->code == ERR_INPUT;
        return false;
    }
    lk->next_cta++;
    c->stream.linear_id = c->record.linear_id;
    c->stream.id = c->record.id;
    for (uint32_t w = 0; w < c->stream.warp_count; w++) {
        c->warps[w].turn = 0;
        emu_record_open(&c->warps[w].cursor, &c->record, w);
        c->stream.warps[w] = (struct warp_stream){.cta = &c->stream,
                                                  .warp = w,
                                                  .finished = c->record.warps[w].insts == 0,
                                                  .state = &c->warps[w]};
    }
    *out = &c->stream;
    return true;
}

/* Copies the address lists of n instructions to where they live until the chunk after next. */
static bool keep_lists(struct launch_warp *w, uint32_t n, struct sim_err *err)
{
    struct address_lists *to = &w->lists[w->turn];
    uint32_t count = 0, used = 0;
    for (uint32_t i = 0; i < n; i++)
        count += w->chunk[i].addr_mode == ADDR_LIST;
    if (count > to->cap) {
        free(to->lists);
        to->lists = malloc(count * sizeof *to->lists);
        to->cap = to->lists ? count : 0;
        if (!to->lists)
            return err_memory(err, "reading an executed CTA");
    }
    for (uint32_t i = 0; i < n; i++) {
        struct dyn_inst *d = &w->chunk[i];
        if (d->addr_mode != ADDR_LIST)
            continue;
        memcpy(to->lists[used], d->addr.list, sizeof to->lists[used]);
        d->addr.list = to->lists[used++];
    }
    w->turn ^= 1;
    return true;
}

static bool refill(struct warp_stream *s, struct sim_err *err)
{
    struct launch_warp *w = s->state;
    const struct launch_kernel *lk = s->cta->kernel->state;
    uint64_t lists[CHUNK][WARP_LANES]; /* most are unused, so those used are kept elsewhere */
    uint32_t n = 0;
    const char *why;
    if (!pack_read(&w->cursor, lk->is_memory, lk->kernel.inst_count, w->chunk, CHUNK, lists, &n,
                   &why))
        return err_set(err, ERR_RESOURCE, lk->kernel.file, 0, 0, "reading an executed CTA: %s",
                       why);
    TRY(keep_lists(w, n, err));
    s->next = w->chunk;
    s->end = w->chunk + n;
    s->finished = n < CHUNK;
    return true;
}

static uint64_t active_lanes(const struct kernel *k, uint32_t inst)
{
    const struct launch_kernel *lk = k->state;
    return lk->counts[inst].thread;
}

static const struct pack_warp *packed(const struct cta_stream *cta)
{
    const struct launch_kernel *lk = cta->kernel->state;
    const struct launch_cta *c = cta->state;
    return lk->has_constant_addresses ? NULL : c->record.warps;
}

static const struct kernel_ops launch_ops = {
    .open_cta = open_cta, .refill = refill, .close_cta = close_cta, .packed = packed};

static void publish(struct launch_kernel *lk, uint64_t id)
{
    const struct launch *l = lk->launch;
    const struct emu_launch *e = &l->emu;
    for (uint32_t i = 0; i < e->code->inst_count; i++) {
        lk->insts[i] = &e->code->insts[i];
        const struct inst *in = &e->code->insts[i];
        lk->has_constant_addresses |= in->op_class == OP_CLASS_ldc_reg;
        lk->is_memory[i] = pack_has_address(in) || in->op_class == OP_CLASS_ldc_reg;
    }
    lk->kernel = (struct kernel){.name = e->kernel,
                                 .launch = l->spec->name,
                                 .id = id,
                                 .sm_version = e->sm,
                                 .grid = e->grid,
                                 .block = e->block,
                                 .cluster_ctas =
                                     l->spec->cluster.x * l->spec->cluster.y * l->spec->cluster.z,
                                 .registers = e->registers,
                                 .shared_bytes = l->shared_charge,
                                 .shared_base = EMU_SHARED_WINDOW,
                                 .local_base = EMU_LOCAL_WINDOW,
                                 .cta_count = (uint64_t)e->grid.x * e->grid.y * e->grid.z,
                                 .has_ctrl = true,
                                 .file = e->file,
                                 .insts = lk->insts,
                                 .inst_count = e->code->inst_count,
                                 .active_lanes = active_lanes,
                                 .opens_beside = true,
                                 .ops = &launch_ops,
                                 .state = lk};
}

bool launch_kernel_open(struct kernel **out, struct launch *launch, uint64_t id,
                        struct sim_err *err)
{
    *out = NULL;
    struct launch_kernel *lk = calloc(1, sizeof *lk);
    if (!lk)
        return err_memory(err, "opening a launch");
    uint32_t n = launch->emu.code->inst_count;
    lk->kernel.state = lk;
    lk->launch = launch;
    lk->insts = calloc(n, sizeof *lk->insts);
    lk->is_memory = calloc(n, sizeof *lk->is_memory);
    lk->counts = calloc(n, sizeof *lk->counts);
    launch->emu.counts = lk->counts;
    bool ok = (lk->insts && lk->is_memory && lk->counts) || err_memory(err, "opening a launch");
    ok = ok && emu_program_create(&lk->program, &launch->emu, err);
    if (!ok) {
        launch_kernel_close(&lk->kernel);
        return false;
    }
    publish(lk, id);
    *out = &lk->kernel;
    return true;
}

bool launch_kernel_failed(const struct kernel *k)
{
    const struct launch_kernel *lk = k->state;
    return lk->failed;
}

void launch_kernel_close(struct kernel *k)
{
    if (!k)
        return;
    struct launch_kernel *lk = k->state;
    for (struct launch_cta *c = lk->all; c;) {
        struct launch_cta *next = c->next_all;
        free_cta(c);
        c = next;
    }
    lk->launch->emu.counts = NULL;
    emu_program_free(lk->program);
    free(lk->insts);
    free(lk->is_memory);
    free(lk->counts);
    free(lk);
}

#include <stdlib.h>
#include <string.h>

#include "trace/native_block.h"

struct native_writer {
    struct outfile out;
    uint64_t offset;
    struct pack_bytes index;
    uint64_t items;
    /* Of the open kernel. */
    uint32_t table_written;
    uint64_t last_cta, ctas, insts;
    struct pack_bytes heads, flows, addresses; /* of the open batch */
    uint64_t batch;
    uint64_t held_offset, held_items; /* before a kernel that may be dropped */
    size_t held_index;
};

static bool no_memory(struct sim_err *err)
{
    return err_memory(err, "writing a trace");
}

bool native_writer_open(struct native_writer **out, const char *path, struct sim_err *err)
{
    struct native_writer *w = calloc(1, sizeof *w);
    if (!w)
        return no_memory(err);
    static const char head[NATIVE_HEADER_BYTES + 1] = NATIVE_MAGIC "\x01\x00\x00\x00";
    if (!outfile_open(&w->out, path, err) ||
        !outfile_write(&w->out, head, NATIVE_HEADER_BYTES, err)) {
        native_writer_close(w);
        return false;
    }
    w->offset = NATIVE_HEADER_BYTES;
    *out = w;
    return true;
}

bool native_writer_copy(struct native_writer *w, uint64_t addr, uint64_t bytes, struct sim_err *err)
{
    w->items++;
    return (pack_put(&w->index, 0) && pack_put(&w->index, addr) && pack_put(&w->index, bytes)) ||
           no_memory(err);
}

static bool put_dim(struct pack_bytes *b, struct dim3 d)
{
    return pack_put(b, d.x) && pack_put(b, d.y) && pack_put(b, d.z);
}

bool native_writer_begin(struct native_writer *w, const struct kernel *k, struct sim_err *err)
{
    struct pack_bytes b = {0};
    w->items++;
    bool ok = pack_put(&w->index, 1) && pack_put(&w->index, w->offset) &&
              native_put_string(&b, k->name) && native_put_string(&b, k->launch) &&
              pack_put(&b, k->id) && pack_put(&b, k->sm_version) && put_dim(&b, k->grid) &&
              put_dim(&b, k->block) && pack_put(&b, k->registers) &&
              pack_put(&b, k->shared_bytes) && pack_put(&b, k->stream) &&
              pack_put(&b, k->shared_base) && pack_put(&b, k->local_base) &&
              pack_put(&b, k->cta_count) && pack_put(&b, k->has_ctrl);
    ok = ok ? native_put_block(&w->out, NATIVE_KERNEL, &b, &w->offset, err) : no_memory(err);
    free(b.data);
    w->table_written = 0;
    w->last_cta = w->ctas = w->insts = 0;
    return ok;
}

static bool flush_batch(struct native_writer *w, struct sim_err *err)
{
    struct pack_bytes b = {0};
    if (w->batch == 0)
        return true;
    bool ok = pack_put(&b, w->batch) && pack_put_bytes(&b, w->heads.data, w->heads.len) &&
              pack_put_bytes(&b, w->flows.data, w->flows.len) &&
              pack_put_bytes(&b, w->addresses.data, w->addresses.len);
    ok = ok ? native_put_block(&w->out, NATIVE_CTAS, &b, &w->offset, err) : no_memory(err);
    free(b.data);
    w->heads.len = w->flows.len = w->addresses.len = 0;
    w->batch = 0;
    return ok;
}

/* Lines of Accel-Sim text that instructions `from` to the last come from; nothing without any. */
static bool put_lines(struct native_writer *w, const struct kernel *k, uint32_t from,
                      struct sim_err *err)
{
    struct pack_bytes b = {0};
    bool any = false, ok = pack_put(&b, k->inst_count - from);
    for (uint32_t i = from; ok && i < k->inst_count; i++) {
        any = any || k->insts[i]->traced;
        ok = native_put_string(&b, k->insts[i]->traced);
    }
    if (!ok)
        no_memory(err);
    else if (any)
        ok = native_put_block(&w->out, NATIVE_LINES, &b, &w->offset, err);
    free(b.data);
    return ok;
}

static bool flush_table(struct native_writer *w, const struct kernel *k, struct sim_err *err)
{
    struct pack_bytes b = {0};
    uint32_t from = w->table_written;
    if (from == k->inst_count)
        return true;
    TRY(flush_batch(w, err));
    bool ok = pack_put(&b, k->inst_count - from);
    for (; ok && w->table_written < k->inst_count; w->table_written++)
        ok = native_put_inst(&b, k->insts[w->table_written]);
    ok = ok ? native_put_block(&w->out, NATIVE_TABLE, &b, &w->offset, err) : no_memory(err);
    free(b.data);
    return ok && put_lines(w, k, from, err);
}

bool native_writer_cta(struct native_writer *w, const struct kernel *k, uint64_t linear_id,
                       const struct pack_warp *warps, uint32_t warp_count, struct sim_err *err)
{
    TRY(flush_table(w, k, err));
    bool ok = pack_put(&w->heads, linear_id - w->last_cta) && pack_put(&w->heads, warp_count);
    for (uint32_t i = 0; ok && i < warp_count; i++) {
        const struct pack_warp *p = &warps[i];
        ok = pack_put(&w->heads, p->insts << 1 | p->has_lists) &&
             pack_put(&w->heads, p->flow.len) && pack_put(&w->heads, p->addresses.len) &&
             pack_put_bytes(&w->flows, p->flow.data, p->flow.len) &&
             pack_put_bytes(&w->addresses, p->addresses.data, p->addresses.len);
        w->insts += p->insts;
    }
    w->last_cta = linear_id;
    w->ctas++;
    w->batch++;
    if (!ok)
        return no_memory(err);
    if (w->heads.len + w->flows.len + w->addresses.len >= NATIVE_BATCH_BYTES)
        return flush_batch(w, err);
    return true;
}

bool native_writer_hold(struct native_writer *w, struct sim_err *err)
{
    w->held_offset = w->offset;
    w->held_items = w->items;
    w->held_index = w->index.len;
    return outfile_hold(&w->out, err);
}

bool native_writer_drop(struct native_writer *w, struct sim_err *err)
{
    w->offset = w->held_offset;
    w->items = w->held_items;
    w->index.len = w->held_index;
    w->heads.len = w->flows.len = w->addresses.len = 0;
    w->batch = 0;
    return outfile_drop(&w->out, err);
}

bool native_writer_end(struct native_writer *w, struct sim_err *err)
{
    struct pack_bytes b = {0};
    TRY(flush_batch(w, err));
    bool ok = pack_put(&b, w->ctas) && pack_put(&b, w->insts);
    ok = ok ? native_put_block(&w->out, NATIVE_END, &b, &w->offset, err) : no_memory(err);
    free(b.data);
    return ok && outfile_keep(&w->out, err);
}

bool native_writer_commit(struct native_writer *w, struct sim_err *err)
{
    struct pack_bytes b = {0};
    uint64_t at = w->offset;
    bool ok = pack_put(&b, w->items) && pack_put_bytes(&b, w->index.data, w->index.len);
    ok = ok ? native_put_block(&w->out, NATIVE_INDEX, &b, &w->offset, err) : no_memory(err);
    free(b.data);
    char trailer[NATIVE_TRAILER_BYTES];
    for (uint32_t i = 0; i < 8; i++)
        trailer[i] = (char)(at >> (8 * i));
    memcpy(trailer + 8, NATIVE_END_MAGIC, 8);
    return ok && outfile_write(&w->out, trailer, sizeof trailer, err) &&
           outfile_commit(&w->out, err);
}

void native_writer_close(struct native_writer *w)
{
    if (!w)
        return;
    outfile_abort(&w->out);
    free(w->index.data);
    free(w->heads.data);
    free(w->flows.data);
    free(w->addresses.data);
    free(w);
}

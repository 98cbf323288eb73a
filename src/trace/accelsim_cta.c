#include "trace/accelsim_cta.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/accelsim_space.h"
#include "trace/accelsim_text.h"

uint32_t cta_warp_count(struct dim3 block)
{
    return (block.x * block.y * block.z + WARP_LANES - 1) / WARP_LANES;
}

void cta_reset(struct accelsim_cta *cta)
{
    cta->bytes.len = 0;
    cta->seen = 0;
}

void cta_free(struct accelsim_cta *cta)
{
    for (uint32_t w = 0; cta->streams && w < cta->stream.warp_count; w++)
        pack_stream_close(&cta->streams[w]);
    free(cta->streams);
    free(cta->bytes.data);
    free(cta);
}

void cta_builder_free(struct accelsim_builder *b)
{
    pack_free(&b->warp);
}

bool cta_begin(struct accelsim_builder *b, struct accelsim_cta *cta, struct kernel *k,
               struct dim3 id, struct sim_err *err)
{
    struct dim3 g = b->header->grid;
    b->at->in_cta = true;
    b->at->in_warp = false;
    b->at->cta = id;
    if (id.x >= g.x || id.y >= g.y || id.z >= g.z)
        return place_error(b->at, err, "expected a CTA of the grid (%u,%u,%u), found %u,%u,%u", g.x,
                           g.y, g.z, id.x, id.y, id.z);
    uint64_t linear = id.x + g.x * (id.y + (uint64_t)g.y * id.z);
    if (linear < b->least_cta)
        return place_error(b->at, err,
                           "expected CTAs in ascending order, found %u,%u,%u again or "
                           "too late",
                           id.x, id.y, id.z);
    b->least_cta = linear + 1;
    cta_reset(cta);
    cta->stream = (struct cta_stream){
        .kernel = k,
        .linear_id = linear,
        .id = id,
        .warp_count = cta_warp_count(b->header->block),
        .warps = cta->warps,
        .state = cta,
    };
    b->cta = cta;
    if (!cta->streams)
        cta->streams = calloc(cta->stream.warp_count, sizeof *cta->streams);
    return cta->streams ? true : err_memory(err, "reading a CTA");
}

bool cta_begin_warp(struct accelsim_builder *b, uint32_t warp, struct sim_err *err)
{
    struct accelsim_cta *cta = b->cta;
    b->at->in_warp = true;
    b->at->warp = warp;
    if (warp >= cta->stream.warp_count)
        return place_error(b->at, err, "expected a warp below %u, found %u", cta->stream.warp_count,
                           warp);
    if (cta->seen >> warp & 1)
        return place_error(b->at, err, "expected each warp once, found warp %u again", warp);
    cta->seen |= 1u << warp;
    pack_reset(&b->warp);
    b->lines = 0;
    b->marks = 0;
    b->pair_open = false;
    return true;
}

static bool put(struct accelsim_builder *b, const struct dyn_inst *d, struct sim_err *err)
{
    bool memory = pack_has_address(b->table->insts[d->inst]);
    b->last_inst = d->inst;
    bool ok = memory ? pack_add(&b->warp, d) : pack_add_plain(&b->warp, d->inst, d->mask);
    return ok || err_memory(err, "reading a CTA");
}

/* The first of the two lines that the tracer writes for an LDGSTS holds shared addresses. Grouping
 * drops it, except with line numbers (then its filter looks at the wrong column); raw files have
 * both. Two lines of one pc and mask in a row can be nothing else: a loop needs a branch.
 *
 * Packs or drops the LDGSTS that is held; *second = true when it was dropped for `head`. */
static bool settle_ldgsts(struct accelsim_builder *b, const struct accelsim_entry *e,
                          const struct line_head *head, bool *second, struct sim_err *err)
{
    *second = e && e->ldgsts && head->pc == b->pair_pc && head->mask == b->pair.d.mask;
    b->pair_open = false;
    if (*second)
        return true;
    if (b->raw)
        TRY(place_warn(b->at, err, "an LDGSTS stands alone, expected two lines in a raw trace"));
    return put(b, &b->pair.d, err);
}

/* Keeps an LDGSTS until the next line tells whether it is the first of two. */
static void hold_ldgsts(struct accelsim_builder *b, uint32_t pc, const struct dyn_inst *d)
{
    b->pair_open = true;
    b->pair_pc = pc;
    b->pair.d = *d;
    if (d->addr_mode == ADDR_LIST) {
        memcpy(b->pair.list, d->addr.list, sizeof b->pair.list);
        b->pair.d.addr.list = b->pair.list;
    }
}

static bool check_addresses(const struct accelsim_builder *b, const struct accelsim_entry *e,
                            const struct line_head *head, const struct line_tail *tail,
                            struct sim_err *err)
{
    if (tail->mode != LINE_ADDR_NONE || head->mask == 0 || !e->needs_address)
        return true;
    return place_error(b->at, err, "expected addresses of %s at pc 0x%x with mask %08x, found none",
                       e->inst.opcode, head->pc, head->mask);
}

static void set_addresses(const struct line_tail *tail, struct dyn_inst *d)
{
    if (tail->mode == LINE_ADDR_STRIDE) {
        d->addr_mode = ADDR_STRIDE;
        d->stride = tail->stride;
        d->addr.base = tail->base;
    } else {
        d->addr_mode = ADDR_LIST;
        d->addr.list = tail->list;
    }
}

static bool append(struct accelsim_builder *b, struct accelsim_entry *e,
                   const struct line_head *head, struct line_tail *tail, struct sim_err *err)
{
    bool second = false;
    TRY(check_addresses(b, e, head, tail, err));
    if (b->pair_open)
        TRY(settle_ldgsts(b, e, head, &second, err));
    uint32_t id = e->ids[0];
    if (e->takes_address || e->inst.mem_space == MEM_GENERIC)
        TRY(space_resolve(b, e, head->mask, tail, &id, err));
    struct dyn_inst d = {.inst = id, .mask = head->mask};
    if (tail->mode != LINE_ADDR_NONE && e->takes_address)
        set_addresses(tail, &d);
    if (!e->ldgsts || second)
        return put(b, &d, err);
    hold_ldgsts(b, head->pc, &d);
    return true;
}

static bool check_owner(const struct accelsim_builder *b, const struct line_head *head,
                        struct sim_err *err)
{
    const struct accelsim_place *at = b->at;
    bool same = head->cta.x == at->cta.x && head->cta.y == at->cta.y && head->cta.z == at->cta.z &&
                head->warp == at->warp;
    if (same)
        return true;
    return place_error(at, err,
                       "expected a line of this CTA and warp, found one of %u,%u,%u warp %u",
                       head->cta.x, head->cta.y, head->cta.z, head->warp);
}

/* Reads the tail behind a static part of `text_len` bytes and finds its entry. */
static bool read_rest(struct accelsim_builder *b, const struct line_head *head, const char *text,
                      const char *end, struct accelsim_entry **entry, struct line_tail *tail,
                      struct sim_err *err)
{
    struct accelsim_entry *e = table_cached(b->table, head->pc, text, end);
    struct line_shape shape;
    const char *p = text;
    if (e) {
        shape = e->shape;
        p += e->text_len;
    } else {
        struct line_static s;
        TRY(line_read_static(b->format, &p, &s, b->at, err));
        shape = s.shape;
    }
    size_t text_len = (size_t)(p - text);
    TRY(line_read_tail(b->format, &shape, head->mask, &p, tail, b->at, err));
    if (p != end)
        return place_error(b->at, err, "expected text, found a NUL byte");
    if (!e || e->imm != tail->imm) {
        struct table_key key = {head->pc, head->source_line, text, text_len, tail->imm};
        TRY(table_get(b->table, &key, &e, b->at, err));
    }
    *entry = e;
    return true;
}

bool cta_add_line(struct accelsim_builder *b, const char *line, size_t len, struct sim_err *err)
{
    struct line_head head;
    struct line_tail tail;
    struct accelsim_entry *e;
    const char *p = line;
    TRY(line_read_head(b->format, &p, &head, b->at, err));
    if (b->format->prefix >= 4 && !b->raw)
        TRY(check_owner(b, &head, err));
    TRY(read_rest(b, &head, text_skip_blanks(p), line + len, &e, &tail, err));
    b->lines++;
    if (e->pseudo) {
        b->marks++;
        return true;
    }
    return append(b, e, &head, &tail, err);
}

/* A warp that was cut off can be simulated: it ends behind its last instruction. */
static bool check_exit(const struct accelsim_builder *b, struct sim_err *err)
{
    if (b->warp.insts == 0 || b->table->insts[b->last_inst]->flags & INST_EXIT)
        return true;
    return place_warn(b->at, err, "a warp ends without an EXIT");
}

bool cta_end_warp(struct accelsim_builder *b, struct sim_err *err)
{
    struct accelsim_cta *cta = b->cta;
    bool second;
    if (b->pair_open)
        TRY(settle_ldgsts(b, NULL, NULL, &second, err));
    TRY(check_exit(b, err));
    const struct pack_bytes *flow = &b->warp.flow, *addresses = &b->warp.addresses;
    size_t at = cta->bytes.len;
    bool ok = pack_end(&b->warp) && pack_put_bytes(&cta->bytes, flow->data, flow->len) &&
              pack_put_bytes(&cta->bytes, addresses->data, addresses->len);
    if (!ok)
        return err_memory(err, "reading a CTA");
    cta->packed[b->at->warp] = (struct accelsim_packed){.at = at,
                                                        .flow_len = flow->len,
                                                        .address_len = addresses->len,
                                                        .insts = b->warp.insts,
                                                        .has_lists = b->warp.has_lists};
    b->at->in_warp = false;
    return true;
}

/* Points the cursor of a warp at its strings, which move no more. */
static void open_warp(struct accelsim_cta *cta, uint32_t w)
{
    const struct accelsim_packed *p = &cta->packed[w];
    const uint8_t *flow = cta->bytes.data + p->at;
    pack_stream_open(&cta->streams[w], flow, p->flow_len, flow + p->flow_len, p->address_len,
                     p->has_lists);
    cta->warps[w].finished = false;
    cta->warps[w].state = &cta->streams[w];
}

bool cta_finish(struct accelsim_builder *b, struct sim_err *err)
{
    struct accelsim_cta *cta = b->cta;
    for (uint32_t w = 0; w < cta->stream.warp_count; w++) {
        bool seen = cta->seen >> w & 1 && cta->packed[w].insts > 0;
        cta->warps[w] = (struct warp_stream){.cta = &cta->stream, .warp = w, .finished = true};
        if (seen)
            open_warp(cta, w);
        else
            TRY(place_warn(b->at, err, "a warp of a CTA has no instructions in the trace"));
    }
    b->at->in_cta = false;
    b->cta = NULL;
    return true;
}

bool cta_refill(struct warp_stream *w, const uint8_t *is_memory, struct sim_err *err)
{
    const struct kernel *k = w->cta->kernel;
    const char *why;
    if (w->finished || pack_stream_refill(w->state, w, is_memory, k->inst_count, &why))
        return true;
    w->finished = true;
    return err_set(err, ERR_RESOURCE, k->file, 0, 0, "kernel %s, CTA %u,%u,%u, warp %u: %s",
                   k->name, w->cta->id.x, w->cta->id.y, w->cta->id.z, w->warp, why);
}

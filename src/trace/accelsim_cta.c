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
    arena_reset(&cta->lists);
    cta->count = 0;
    cta->seen = 0;
}

void cta_free(struct accelsim_cta *cta)
{
    arena_free(&cta->lists);
    free(cta->insts);
    free(cta);
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
    return true;
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
    cta->first[warp] = cta->count;
    b->lines = 0;
    b->marks = 0;
    b->pair_open = false;
    return true;
}

static bool push(struct accelsim_cta *cta, struct dyn_inst **out, struct sim_err *err)
{
    if (cta->count == cta->cap) {
        size_t cap = cta->cap ? cta->cap * 2 : 1024;
        struct dyn_inst *p = realloc(cta->insts, cap * sizeof *p);
        if (!p)
            return err_memory(err, "reading a CTA");
        cta->insts = p;
        cta->cap = cap;
    }
    *out = &cta->insts[cta->count++];
    return true;
}

/* The first of the two lines that the tracer writes for an LDGSTS holds shared addresses. Grouping
 * drops it, except with line numbers (then its filter looks at the wrong column); raw files have
 * both. Two lines of one pc and mask in a row can be nothing else: a loop needs a branch. */
static bool pair_ldgsts(struct accelsim_builder *b, const struct accelsim_entry *e,
                        const struct line_head *head, struct sim_err *err)
{
    struct accelsim_cta *cta = b->cta;
    bool open = b->pair_open;
    b->pair_open = false;
    if (open && e && e->ldgsts && head->pc == b->pair_pc &&
        head->mask == cta->insts[cta->count - 1].mask) {
        cta->count--;
        return true;
    }
    if (open && b->raw)
        TRY(place_warn(b->at, err, "an LDGSTS stands alone, expected two lines in a raw trace"));
    if (e && e->ldgsts) {
        b->pair_open = true;
        b->pair_pc = head->pc;
    }
    return true;
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

static bool set_addresses(struct accelsim_cta *cta, const struct line_tail *tail,
                          struct dyn_inst *d, struct sim_err *err)
{
    if (tail->mode == LINE_ADDR_STRIDE) {
        d->addr_mode = ADDR_STRIDE;
        d->stride = tail->stride;
        d->addr.base = tail->base;
        return true;
    }
    uint64_t *list = arena_alloc(&cta->lists, sizeof tail->list);
    if (!list)
        return err_memory(err, "reading a CTA");
    memcpy(list, tail->list, sizeof tail->list);
    d->addr_mode = ADDR_LIST;
    d->addr.list = list;
    return true;
}

static bool append(struct accelsim_builder *b, struct accelsim_entry *e,
                   const struct line_head *head, struct line_tail *tail, struct sim_err *err)
{
    TRY(check_addresses(b, e, head, tail, err));
    if (e->ldgsts || b->pair_open)
        TRY(pair_ldgsts(b, e, head, err));
    uint32_t id = e->ids[0];
    if (e->takes_address || e->inst.mem_space == MEM_GENERIC)
        TRY(space_resolve(b, e, head->mask, tail, &id, err));
    struct dyn_inst *d;
    TRY(push(b->cta, &d, err));
    *d = (struct dyn_inst){.inst = id, .mask = head->mask};
    if (tail->mode == LINE_ADDR_NONE || !e->takes_address)
        return true;
    return set_addresses(b->cta, tail, d, err);
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
    const struct accelsim_cta *cta = b->cta;
    if (cta->count == cta->first[b->at->warp] ||
        b->table->insts[cta->insts[cta->count - 1].inst]->flags & INST_EXIT)
        return true;
    return place_warn(b->at, err, "a warp ends without an EXIT");
}

bool cta_end_warp(struct accelsim_builder *b, struct sim_err *err)
{
    if (b->pair_open)
        TRY(pair_ldgsts(b, NULL, NULL, err));
    TRY(check_exit(b, err));
    b->cta->last[b->at->warp] = b->cta->count;
    b->at->in_warp = false;
    return true;
}

bool cta_finish(struct accelsim_builder *b, struct sim_err *err)
{
    struct accelsim_cta *cta = b->cta;
    for (uint32_t w = 0; w < cta->stream.warp_count; w++) {
        bool seen = cta->seen >> w & 1 && cta->last[w] > cta->first[w];
        if (!seen)
            TRY(place_warn(b->at, err, "a warp of a CTA has no instructions in the trace"));
        struct dyn_inst *p = seen ? cta->insts : NULL;
        cta->warps[w] = (struct warp_stream){
            .next = seen ? p + cta->first[w] : NULL,
            .end = seen ? p + cta->last[w] : NULL,
            .cta = &cta->stream,
            .warp = w,
            .finished = true,
        };
    }
    b->at->in_cta = false;
    b->cta = NULL;
    return true;
}

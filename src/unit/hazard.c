#include "unit/hazard.h"

#include <stdlib.h>

static void report(struct hazard_list *out, const struct hazard_issue *h, enum hazard_kind kind,
                   uint32_t id, uint32_t producer, uint32_t early_by)
{
    out->total[kind]++;
    /* All of one cycle or none: sub-cores come in any order within it. */
    if (out->count >= HAZARD_RECORDS_MAX && out->items[out->count - 1].cycle != h->where.cycle)
        return;
    if (out->count == out->cap) {
        uint32_t cap = out->cap ? out->cap * 2 : 64;
        struct hazard_record *p = realloc(out->items, cap * sizeof *p);
        if (!p)
            return;
        out->items = p;
        out->cap = cap;
    }
    struct hazard_record *r = &out->items[out->count++];
    *r = h->where;
    r->kind = kind;
    r->inst = h->inst;
    r->producer = producer;
    r->early_by = early_by;
    if (id >= DEP_UNIFORM_PREDICATE_BASE) {
        r->file = REG_UNIFORM_PREDICATE;
        r->reg = (uint16_t)(id - DEP_UNIFORM_PREDICATE_BASE);
    } else if (id >= DEP_PREDICATE_BASE) {
        r->file = REG_PREDICATE;
        r->reg = (uint16_t)(id - DEP_PREDICATE_BASE);
    } else if (id >= DEP_UNIFORM_BASE) {
        r->file = REG_UNIFORM;
        r->reg = (uint16_t)(id - DEP_UNIFORM_BASE);
    } else {
        r->file = REG_GENERAL;
        r->reg = (uint16_t)id;
    }
}

/* Producer and consumer are on the same kind of unit: packed FP16, which takes both FMA halves, is
 * on another one than FP32 (H200 probes, section 2). */
static bool same_units(const struct hazard_issue *h, const struct exec_inst *p)
{
    const struct unit_set *a = &h->sets[p->unit_set], *b = &h->sets[h->e->unit_set];
    return a->all == b->all && (a->units & b->units) != 0;
}

/* Cycles from the issue of fixed-latency producer `p` to that of `e` which reads register `id`. */
static uint32_t needed(const struct latency_cfg *l, const struct hazard_issue *h,
                       const struct exec_inst *p, uint32_t id)
{
    const struct exec_inst *e = h->e;
    if (id >= DEP_PREDICATE_BASE) {
        const struct inst *in = e->inst;
        bool guard = in->guard != 7 && dep_register(in->guard_file, in->guard) == id;
        if (guard || e->op_class == OP_CLASS_vote)
            return l->guard;
        return l->predicate_operand + !same_units(h, p);
    }
    if (e->queue != QUEUE_none)
        return e->operand_latency && id < DEP_UNIFORM_BASE ? e->operand_latency : l->to_address;
    bool same = same_units(h, p);
    if (p->op_class == OP_CLASS_uniform && !same)
        return l->uniform_to_regular;
    uint32_t latency = same ? p->latency : p->latency_other;
    /* IMAD.WIDE, which is longer in Allocate, gives its low word that much earlier. */
    if (p->dest_count == 2 && p->dests[0] == id)
        latency -= latency > p->allocate_hold ? p->allocate_hold : 0;
    return latency > e->operand_latency ? latency : e->operand_latency;
}

static void check_source(struct hazard_state *s, const struct latency_cfg *l,
                         const struct hazard_issue *h, uint32_t id, struct hazard_list *out)
{
    const struct hazard_reg *r = &s->regs[id];
    if (r->pending > 0 && (r->mask & h->mask)) {
        report(out, h, HAZARD_RAW, id, r->producer, 0);
        return;
    }
    if (!r->written || !(r->mask & h->mask))
        return;
    uint32_t need = needed(l, h, &h->table[r->producer], id);
    if (h->effective < r->issued + need)
        report(out, h, HAZARD_RAW, id, r->producer, (uint32_t)(r->issued + need - h->effective));
}

/* A fixed-latency result that would be written before an earlier, slower one. */
static void check_overtaken(const struct hazard_reg *r, const struct hazard_issue *h, uint32_t id,
                            struct hazard_list *out)
{
    if (!r->written || !(r->mask & h->mask) || h->e->queue != QUEUE_none ||
        id >= DEP_PREDICATE_BASE)
        return;
    cycle_t earlier = r->issued + h->table[r->producer].latency_other;
    cycle_t later = h->effective + h->e->latency_other;
    if (later <= earlier && r->issued < h->effective)
        report(out, h, HAZARD_WAW, id, r->producer, (uint32_t)(earlier - later + 1));
}

static void check_dest(struct hazard_state *s, const struct hazard_issue *h, uint32_t id,
                       struct hazard_list *out)
{
    const struct hazard_reg *r = &s->regs[id];
    if (r->pending > 0 && (r->mask & h->mask))
        report(out, h, HAZARD_WAW, id, r->producer, 0);
    check_overtaken(r, h, id, out);
    /* Queued readers read in order with queued writers: only a fixed-latency writer can overtake.
     */
    if (r->reading > 0 && h->e->queue == QUEUE_none && (r->read_mask & h->mask))
        report(out, h, HAZARD_WAR, id, r->reader, 0);
}

void hazard_issue(struct hazard_state *s, const struct latency_cfg *latency,
                  const struct hazard_issue *h, struct hazard_list *out)
{
    const struct exec_inst *e = h->e;
    bool queued = e->queue != QUEUE_none;
    for (uint32_t i = 0; i < e->source_count && h->mask; i++)
        check_source(s, latency, h, e->sources[i], out);
    for (uint32_t i = 0; i < e->dest_count && h->mask; i++)
        check_dest(s, h, e->dests[i], out);
    for (uint32_t i = 0; i < e->queued_source_count && queued; i++) {
        struct hazard_reg *r = &s->regs[e->sources[i]];
        r->read_mask = r->reading ? r->read_mask | h->mask : h->mask;
        r->reading++;
        r->reader = h->inst;
    }
    for (uint32_t i = 0; i < e->dest_count && (queued || h->mask); i++) {
        struct hazard_reg *r = &s->regs[e->dests[i]];
        r->mask = r->pending ? r->mask | h->mask : h->mask;
        r->producer = h->inst;
        r->issued = h->effective;
        r->written = !queued;
        if (queued)
            r->pending++;
    }
}

void hazard_read_done(struct hazard_state *s, const struct exec_inst *e)
{
    for (uint32_t i = 0; i < e->queued_source_count; i++)
        s->regs[e->sources[i]].reading--;
}

void hazard_write_done(struct hazard_state *s, const struct exec_inst *e)
{
    for (uint32_t i = 0; i < e->dest_count; i++)
        s->regs[e->dests[i]].pending--;
}

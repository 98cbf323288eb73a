/* What an instruction does once its unit has taken it, and the way of its result back to the
 * registers. Global and shared memory have files of their own.
 *
 * `raw - grant` of the operation class is the time from hand-over to the consumer's issue on a hit;
 * everything here is added to it. */
#include <stdlib.h>

#include "base/bits.h"
#include "sm/access.h"

uint32_t access_hit_cycles(const struct exec_inst *e, uint32_t passes)
{
    uint32_t cycles = (uint32_t)e->raw - e->grant;
    if (e->width_passes > 1 && passes > 1)
        cycles += e->full_warp * (passes - 1) / (e->width_passes - 1u);
    return cycles;
}

uint32_t access_new(struct sm *sm)
{
    if (sm->free_access == TAGS_NONE) {
        uint32_t cap = sm->access_cap ? sm->access_cap * 2 : 64;
        struct mem_access *p = realloc(sm->accesses, cap * sizeof *p);
        if (!p) {
            err_memory(&sm->err, "following memory accesses");
            return TAGS_NONE;
        }
        for (uint32_t i = sm->access_cap; i < cap; i++)
            p[i].next_free = i + 1 < cap ? i + 1 : TAGS_NONE;
        sm->free_access = sm->access_cap;
        sm->accesses = p;
        sm->access_cap = cap;
    }
    uint32_t i = sm->free_access;
    sm->free_access = sm->accesses[i].next_free;
    return i;
}

cycle_t access_send(struct sm *sm, cycle_t at, uint32_t flits)
{
    cycle_t start = max_u64(sm->link_free, at);
    sm->link_free = start + flits;
    return start;
}

void access_request(struct sm *sm, struct mem_request r)
{
    if (sm->request_count == sm->request_cap) {
        uint32_t cap = sm->request_cap ? sm->request_cap * 2 : 256;
        struct mem_request *p = realloc(sm->requests, cap * sizeof *p);
        if (!p) {
            err_memory(&sm->err, "sending requests to the L2");
            return;
        }
        sm->requests = p;
        sm->request_cap = cap;
    }
    r.sm = sm->id;
    r.order = sm->request_order++;
    sm->requests[sm->request_count++] = r;
    sm->stats.noc_requests++;
}

void access_write_done_at(struct subcore *sc, uint32_t warp, uint32_t inst, cycle_t at)
{
    sc->warps[warp].pending_events++;
    wheel_push(&sc->sm->wheel, at,
               (struct event){
                   .type = EVENT_WRITE_DONE, .a = sc->index, .warp = (uint16_t)warp, .b = inst});
}

uint32_t access_link_cycles(const struct sm *sm, const struct exec_inst *e)
{
    if (e->shared_unit != SHARED_UNIT_memory && e->shared_unit != SHARED_UNIT_fp64)
        return 0;
    uint32_t n = e->return_registers * sm->cfg->l1d.return_interval;
    uint32_t whole = (uint32_t)e->raw - e->grant;
    return n < whole ? n : whole;
}

void access_complete_at(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                        cycle_t at)
{
    struct sm *sm = sc->sm;
    uint32_t link = access_link_cycles(sm, e);
    if (link == 0) {
        sc->stats.register_file_writes += (uint64_t)e->bank_writes[0] + e->bank_writes[1];
        access_write_done_at(sc, q->warp, q->inst, at);
        return;
    }
    uint32_t a = access_new(sm);
    if (a == TAGS_NONE)
        return;
    sm->accesses[a] = (struct mem_access){.inst = q->inst, .subcore = sc->index, .warp = q->warp};
    wheel_push(&sm->wheel, at - link, (struct event){.type = EVENT_RETURN, .b = a});
}

uint32_t access_start(struct subcore *sc, struct queued *q, cycle_t grant)
{
    const struct exec_inst *e = subcore_exec(sc, q->inst);
    if (q->dyn.mask == 0) {
        /* No lane is active: nothing is accessed, but it goes through the unit. */
        if (e->flags & EXEC_MEMORY)
            sc->stats.shared_wavefronts++;
        access_write_done_at(sc, q->warp, q->inst, grant + e->raw - e->grant);
        return e->shared_interval;
    }
    if (e->flags & EXEC_GLOBAL)
        return access_global(sc, q, e, grant);
    if (e->flags & EXEC_SHARED)
        return access_shared(sc, q, e, grant);
    if (e->flags & EXEC_CONSTANT)
        return constant_load(sc, q, e, grant);
    if (e->flags & EXEC_LANE_PASS)
        sc->stats.shared_wavefronts++;
    access_complete_at(sc, q, e, grant + e->raw - e->grant);
    return e->shared_interval;
}

/* One line of an access is there. */
static void line_done(void *owner, uint32_t user)
{
    struct sm *sm = owner;
    struct mem_access *a = &sm->accesses[user];
    if (--a->waiting == 0)
        wheel_push(&sm->wheel, max_u64(sm->now + a->tail, a->earliest),
                   (struct event){.type = EVENT_RETURN, .b = user});
}

/* The warp may have ended meanwhile: only memory barriers wait for acknowledgements. */
static void store_acknowledged(struct sm *sm, uint32_t user, cycle_t now)
{
    uint32_t slot = user % (SUBCORES * SUBCORE_WARPS);
    struct subcore *sc = &sm->subcores[slot % SUBCORES];
    struct warp *w = &sc->warps[slot / SUBCORES];
    if (w->generation != user / (SUBCORES * SUBCORE_WARPS))
        return;
    w->stores_unacked--;
    membar_check(sc, w, now);
}

void memory_reply(struct sm *sm, const struct event *e, cycle_t now)
{
    sm->stats.noc_replies++;
    sm->memory_wake = min_u64(sm->memory_wake, now);
    switch ((enum mem_kind)e->a) {
    case MEM_READ:
        l1d_fill(&sm->l1d, e->c, e->b, line_done, sm);
        break;
    case MEM_READ_DIRECT:
    case MEM_ATOMIC:
        line_done(sm, e->b);
        break;
    case MEM_WRITE:
    case MEM_REDUCTION:
        sm->store_lines--;
        store_acknowledged(sm, e->b, now);
        break;
    case MEM_CFETCH:
        constant_reply(sm, e->b, e->c, now);
        break;
    case MEM_IFETCH: /* tpc_reply() */
        break;
    }
}

/* The data takes the return link of its sub-core, then the write port of its bank. */
void memory_return(struct sm *sm, uint32_t access, cycle_t now)
{
    struct mem_access a = sm->accesses[access];
    struct subcore *sc = &sm->subcores[a.subcore];
    const struct exec_inst *e = subcore_exec(sc, a.inst);
    sm->accesses[access].next_free = sm->free_access;
    sm->free_access = access;
    if (e->flags & EXEC_COPY) {
        access_write_done_at(sc, a.warp, a.inst, now);
        return;
    }
    cycle_t end = max_u64(now, sc->return_free) + access_link_cycles(sm, e);
    sc->return_free = end;
    if (e->bank_writes[0] | e->bank_writes[1]) {
        end = register_file_write_load(&sc->rf, e, now, end - 1, &sc->stats) + 1;
        sc->stats.register_file_writes += (uint64_t)e->bank_writes[0] + e->bank_writes[1];
    }
    access_write_done_at(sc, a.warp, a.inst, end);
}

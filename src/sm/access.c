/* What an instruction does once its unit has taken it: coalescing, bank conflicts, caches, and the
 * way of its result back to the registers.
 *
 * `raw - grant` of the operation class is the time from hand-over to the consumer's issue on a hit;
 * everything here is added to it. */
#include <stdlib.h>

#include "base/bits.h"
#include "sm/subcore.h"

/* Bytes of local memory a thread can have: 512 KB (CUDA programming guide). */
#define LOCAL_BYTES (512u * 1024)
/* Where the model puts local memory and code, away from any device address. */
#define LOCAL_SPACE (1ull << 52)
#define CODE_SPACE (1ull << 60)

/* Time from hand-over to the consumer's issue on a hit when `passes` of the width's passes are
 * taken. */
static uint32_t hit_cycles(const struct exec_inst *e, uint32_t passes)
{
    uint32_t cycles = (uint32_t)e->raw - e->grant;
    if (e->width_passes > 1 && passes > 1)
        cycles += e->full_warp * (passes - 1) / (e->width_passes - 1u);
    return cycles;
}

/* Lane groups with an active lane: 32 lanes of 4 bytes go together, 16 of 8, 8 of 16. */
static uint32_t lane_groups(const struct exec_inst *e, uint32_t mask)
{
    uint32_t lanes = WARP_LANES / e->width_passes, n = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += lanes)
        n += (mask >> first & (lanes == 32 ? ~0u : (1u << lanes) - 1)) != 0;
    return n;
}

/* Lines beyond those that a coalesced access of this width touches anyway. */
static uint32_t further_lines(const struct exec_inst *e, uint32_t lines)
{
    return lines > e->width_passes ? lines - e->width_passes : 0;
}

static bool uses_l1d(const struct exec_inst *e)
{
    return (e->flags & EXEC_GLOBAL) && !(e->flags & EXEC_TO_L2) && (e->inst_flags & INST_LOAD);
}

/* Local memory is interleaved by 4-byte words of the 32 lanes, so that lanes with one offset share
 * a line. Each warp slot of each SM has its own region. */
static void coalesce_local(struct subcore *sc, const struct queued *q, const struct exec_inst *e)
{
    struct sm *sm = sc->sm;
    uint64_t list[WARP_LANES];
    struct dyn_inst d = q->dyn;
    uint32_t words = e->inst->mem_width > 4 ? e->inst->mem_width / 4u : 1;
    uint64_t slot = (uint64_t)sm->id * SUBCORES * SUBCORE_WARPS + sc->warps[q->warp].slot;
    uint64_t region = LOCAL_SPACE + slot * LOCAL_BYTES * WARP_LANES;
    sm->line_count = 0;
    for (uint32_t w = 0; w < words; w++) {
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            uint64_t offset =
                q->dyn.addr_mode == ADDR_NONE ? 0 : lane_address(&q->dyn, lane) % LOCAL_BYTES;
            list[lane] = region + (offset / 4 + w) * 4 * WARP_LANES + lane * 4ull;
        }
        d.addr_mode = ADDR_LIST;
        d.addr.list = list;
        struct line_access part[COALESCE_MAX_LINES];
        uint32_t n =
            coalesce_lines(&d, 4, sm->cfg->l1d.line_bytes, sm->cfg->l1d.sector_bytes, part);
        if (!(e->inst_flags & INST_LOAD))
            coalesce_partial(&d, 4, sm->cfg->l1d.line_bytes, sm->cfg->l1d.sector_bytes, part, n);
        for (uint32_t i = 0; i < n && sm->line_count < COALESCE_MAX_LINES; i++)
            sm->lines[sm->line_count++] = part[i];
    }
}

static void coalesce(struct subcore *sc, const struct queued *q, const struct exec_inst *e)
{
    struct sm *sm = sc->sm;
    if (e->flags & EXEC_LOCAL)
        coalesce_local(sc, q, e);
    else
        sm->line_count = coalesce_lines(&q->dyn, e->inst->mem_width, sm->cfg->l1d.line_bytes,
                                        sm->cfg->l1d.sector_bytes, sm->lines);
}

bool access_can_start(struct subcore *sc, const struct queued *q, cycle_t now)
{
    struct sm *sm = sc->sm;
    const struct exec_inst *e = &sm->exec->insts[q->inst];
    if (!(e->flags & EXEC_GLOBAL))
        return true;
    coalesce(sc, q, e);
    if (!uses_l1d(e) || l1d_has_room(&sm->l1d, sm->lines, sm->line_count)) {
        if (sm->mshr_blocked != CYCLE_NEVER)
            sm->stats.l1d_mshr_stalls += now - sm->mshr_blocked;
        sm->mshr_blocked = CYCLE_NEVER;
        return true;
    }
    if (sm->mshr_blocked == CYCLE_NEVER)
        sm->mshr_blocked = now;
    return false;
}

static uint32_t new_access(struct sm *sm)
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

static void request(struct sm *sm, struct mem_request r)
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

void access_fetch_line(struct sm *sm, uint64_t line, cycle_t send)
{
    request(sm, (struct mem_request){
                    .send = send, .line = CODE_SPACE | line, .sectors = 0xf, .kind = MEM_IFETCH});
}

static void write_done_at(struct subcore *sc, uint32_t warp, uint32_t inst, cycle_t at)
{
    sc->warps[warp].pending_events++;
    wheel_push(&sc->sm->wheel, at,
               (struct event){
                   .type = EVENT_WRITE_DONE, .a = sc->index, .warp = (uint16_t)warp, .b = inst});
}

/* Cycles of the return link an instruction's result takes. */
static uint32_t link_cycles(const struct sm *sm, const struct exec_inst *e)
{
    if (e->shared_unit != SHARED_UNIT_memory && e->shared_unit != SHARED_UNIT_fp64)
        return 0;
    uint32_t n = e->return_registers * sm->cfg->l1d.return_interval;
    uint32_t whole = (uint32_t)e->raw - e->grant;
    return n < whole ? n : whole;
}

/* A result that is complete at `at` if nothing is in its way. */
static void complete_at(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                        cycle_t at)
{
    struct sm *sm = sc->sm;
    uint32_t link = link_cycles(sm, e);
    if (link == 0) {
        sc->stats.register_file_writes += (uint64_t)e->bank_writes[0] + e->bank_writes[1];
        write_done_at(sc, q->warp, q->inst, at);
        return;
    }
    uint32_t a = new_access(sm);
    if (a == TAGS_NONE)
        return;
    sm->accesses[a] = (struct mem_access){.inst = q->inst, .subcore = sc->index, .warp = q->warp};
    wheel_push(&sm->wheel, at - link, (struct event){.type = EVENT_RETURN, .b = a});
}

static uint32_t start_shared(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                             cycle_t grant)
{
    const struct shared_memory_cfg *cfg = &sc->sm->cfg->shared_memory;
    uint32_t fewest, width = e->inst->matrix_count ? 16 : e->inst->mem_width;
    struct dyn_inst d = q->dyn;
    if (e->inst->matrix_count && e->inst->matrix_count < 4)
        d.mask &= (1u << (8 * e->inst->matrix_count)) - 1; /* 8 row addresses a matrix */
    uint32_t passes = (e->inst_flags & INST_ATOMIC) ? bank_passes_atomic(&d, cfg->banks, &fewest)
                                                    : bank_passes(&d, width, cfg->banks, &fewest);
    uint32_t extra = passes - fewest;
    sc->stats.shared_instructions++;
    sc->stats.shared_wavefronts += passes;
    sc->stats.shared_bank_conflicts += extra;
    complete_at(sc, q, e, grant + hit_cycles(e, fewest) + (cycle_t)extra * cfg->conflict_cycles);
    return e->shared_interval + extra * cfg->conflict_interval;
}

static uint32_t start_constant(struct subcore *sc, const struct queued *q,
                               const struct exec_inst *e, cycle_t grant)
{
    struct sm *sm = sc->sm;
    const struct constant_cfg *cfg = &sm->cfg->constant;
    uint64_t line = ((uint64_t)e->inst->const_bank << 20 | e->inst->const_offset) / cfg->line_bytes;
    uint32_t entry = tags_find(&sm->ldc, line);
    uint32_t miss = 0;
    sc->stats.constant_ldc_accesses++;
    if (entry != TAGS_NONE) {
        tags_touch(&sm->ldc, entry);
    } else if (!cfg->perfect) {
        tags_insert(&sm->ldc, line);
        sc->stats.constant_ldc_misses++;
        miss = cfg->ldc_miss_cycles;
    }
    complete_at(sc, q, e, grant + e->raw - e->grant + miss);
    return e->shared_interval;
}

/* Looks one line of a load up; returns the sectors to ask for. Sets *waits when the line will be
 * reported by the L1D. */
static uint32_t load_line(struct subcore *sc, const struct line_access *l, uint32_t access,
                          bool *waits)
{
    struct sm *sm = sc->sm;
    struct l1d_lookup r = l1d_load(&sm->l1d, l->line, l->sectors, access);
    if (r.failed)
        err_memory(&sm->err, "following cache misses");
    sc->stats.l1d_load_sectors += popcount32(l->sectors);
    sc->stats.l1d_load_sector_hits += popcount32(r.hit);
    sc->stats.l1d_load_sector_merges += popcount32(r.merged);
    sc->stats.l1d_load_sector_misses += popcount32(r.missing);
    *waits = (r.merged | r.missing) != 0;
    return r.missing;
}

/* Loads, copies and atomics: through the L1D, or past it. */
static void start_load(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                       cycle_t grant)
{
    struct sm *sm = sc->sm;
    const struct l1d_cfg *cfg = &sm->cfg->l1d;
    bool direct = (e->flags & EXEC_TO_L2) != 0;
    uint32_t a = new_access(sm);
    if (a == TAGS_NONE)
        return;
    uint32_t whole = hit_cycles(e, lane_groups(e, q->dyn.mask)), link = link_cycles(sm, e);
    uint32_t further = further_lines(e, sm->line_count) * cfg->line_cycles;
    sm->accesses[a] = (struct mem_access){
        .inst = q->inst,
        .subcore = sc->index,
        .warp = q->warp,
        .tail = (uint16_t)(whole > cfg->tag_cycles + link ? whole - cfg->tag_cycles - link : 0),
        .earliest = grant + whole - link + further};
    for (uint32_t i = 0; i < sm->line_count; i++) {
        const struct line_access *l = &sm->lines[i];
        bool waits = true;
        uint32_t sectors = l->sectors;
        if (!direct)
            sectors = load_line(sc, l, a, &waits);
        if (waits)
            sm->accesses[a].waiting++;
        if (!sectors)
            continue;
        uint8_t kind = (e->inst_flags & INST_ATOMIC) ? MEM_ATOMIC
                       : direct                      ? MEM_READ_DIRECT
                                                     : MEM_READ;
        request(sm, (struct mem_request){.send = grant + cfg->tag_cycles +
                                                 (cycle_t)i * cfg->line_interval,
                                         .line = l->line,
                                         .sectors = sectors,
                                         .user = a,
                                         .inst = q->inst,
                                         .passes = (uint8_t)l->passes,
                                         .kind = kind});
    }
    if (sm->accesses[a].waiting == 0)
        wheel_push(&sm->wheel, sm->accesses[a].earliest,
                   (struct event){.type = EVENT_RETURN, .b = a});
}

static void start_store(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                        cycle_t grant)
{
    struct sm *sm = sc->sm;
    const struct l1d_cfg *cfg = &sm->cfg->l1d;
    struct warp *w = &sc->warps[q->warp];
    uint8_t kind = (e->inst_flags & INST_ATOMIC) ? MEM_REDUCTION : MEM_WRITE;
    for (uint32_t i = 0; i < sm->line_count; i++) {
        sc->stats.l1d_store_sectors += popcount32(sm->lines[i].sectors);
        w->stores_unacked++;
        request(sm, (struct mem_request){
                        .send = grant + cfg->tag_cycles + (cycle_t)i * cfg->line_interval,
                        .line = sm->lines[i].line,
                        .sectors = sm->lines[i].sectors,
                        .user = w->generation * (uint32_t)(SUBCORES * SUBCORE_WARPS) + w->slot,
                        .inst = q->inst,
                        .partial = (uint16_t)sm->lines[i].partial,
                        .passes = (uint8_t)sm->lines[i].passes,
                        .kind = kind});
    }
    write_done_at(sc, q->warp, q->inst, grant + max_u64(1, (cycle_t)e->war - e->grant));
}

static uint32_t start_global(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                             cycle_t grant)
{
    const struct l1d_cfg *cfg = &sc->sm->cfg->l1d;
    uint32_t lines = sc->sm->line_count;
    bool result = (e->inst_flags & INST_LOAD) || (e->flags & (EXEC_RESULT | EXEC_COPY));
    sc->stats.l1d_lines += lines;
    if ((e->inst_flags & INST_LOAD) && !(e->inst_flags & INST_ATOMIC))
        sc->stats.l1d_load_instructions++;
    else
        sc->stats.l1d_store_instructions++;
    if (e->inst_flags & INST_ATOMIC)
        coalesce_passes(&q->dyn, cfg->line_bytes, cfg->sector_bytes, sc->sm->lines, lines);
    else if (!result && !(e->flags & EXEC_LOCAL))
        coalesce_partial(&q->dyn, e->inst->mem_width, cfg->line_bytes, cfg->sector_bytes,
                         sc->sm->lines, lines);
    if (lines == 0)
        write_done_at(sc, q->warp, q->inst, grant + e->raw - e->grant);
    else if (result)
        start_load(sc, q, e, grant);
    else
        start_store(sc, q, e, grant);
    uint32_t further = further_lines(e, lines) * cfg->line_interval;
    return e->shared_interval + further;
}

uint32_t access_start(struct subcore *sc, struct queued *q, cycle_t grant)
{
    const struct exec_inst *e = subcore_exec(sc, q->inst);
    if (q->dyn.mask == 0) {
        /* No lane is active: nothing is accessed, but it goes through the unit. */
        write_done_at(sc, q->warp, q->inst, grant + e->raw - e->grant);
        return e->shared_interval;
    }
    if (e->flags & EXEC_GLOBAL)
        return start_global(sc, q, e, grant);
    if (e->flags & EXEC_SHARED)
        return start_shared(sc, q, e, grant);
    if (e->flags & EXEC_CONSTANT)
        return start_constant(sc, q, e, grant);
    complete_at(sc, q, e, grant + e->raw - e->grant);
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
        store_acknowledged(sm, e->b, now);
        break;
    case MEM_IFETCH:
        icache_fill(sm, e->c & ~CODE_SPACE, now);
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
        write_done_at(sc, a.warp, a.inst, now);
        return;
    }
    cycle_t end = max_u64(now, sc->return_free) + link_cycles(sm, e);
    sc->return_free = end;
    if (e->bank_writes[0] | e->bank_writes[1]) {
        end = register_file_write_load(&sc->rf, e, now, end - 1, &sc->stats) + 1;
        sc->stats.register_file_writes += (uint64_t)e->bank_writes[0] + e->bank_writes[1];
    }
    write_done_at(sc, a.warp, a.inst, end);
}

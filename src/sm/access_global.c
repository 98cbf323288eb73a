/* Accesses to global and local memory: lines and sectors, the L1D, requests to the L2. */
#include "base/bits.h"
#include "sm/access.h"

/* Bytes of local memory a thread can have: 512 KB (CUDA programming guide). */
#define LOCAL_BYTES (512u * 1024)
/* Where the model puts local memory, away from any device address. */
#define LOCAL_SPACE (1ull << 52)

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

static uint32_t words_of_lane(const struct exec_inst *e)
{
    return e->inst->mem_width > 4 ? e->inst->mem_width / 4u : 1;
}

/* Local memory is interleaved by 4-byte words of the 32 lanes, so that lanes with one offset share
 * a line. Each warp slot of each SM has its own region. */
static void coalesce_local(struct subcore *sc, const struct queued *q, const struct exec_inst *e)
{
    struct sm *sm = sc->sm;
    uint64_t list[WARP_LANES];
    struct dyn_inst d = q->dyn;
    uint32_t words = words_of_lane(e);
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

static bool returns_data(const struct exec_inst *e)
{
    return (e->inst_flags & INST_LOAD) || (e->flags & (EXEC_RESULT | EXEC_COPY));
}

bool access_can_start(struct subcore *sc, const struct queued *q, cycle_t now)
{
    struct sm *sm = sc->sm;
    const struct exec_inst *e = &sm->exec->insts[q->inst];
    if (e->flags & EXEC_CONSTANT)
        return constant_load_can_start(sm);
    if (!(e->flags & EXEC_GLOBAL))
        return true;
    coalesce(sc, q, e);
    bool room = !uses_l1d(e) || l1d_has_room(&sm->l1d, sm->lines, sm->line_count);
    if (!returns_data(e))
        room = sm->store_lines + sm->line_count <= sm->cfg->l1d.store_lines;
    if (room) {
        if (sm->mshr_blocked != CYCLE_NEVER)
            sm->stats.l1d_mshr_stalls += now - sm->mshr_blocked;
        sm->mshr_blocked = CYCLE_NEVER;
        return true;
    }
    if (sm->mshr_blocked == CYCLE_NEVER)
        sm->mshr_blocked = now;
    return false;
}

/* Counts `sectors` of an access, of which `hits` were found. */
static void count_sectors(struct sim_stats *s, uint32_t op, uint32_t sectors, uint32_t hits)
{
    switch ((enum l1d_op)op) {
#define COUNT(op, name)                                                                            \
    case op:                                                                                       \
        s->l1d_##name##_sectors += sectors;                                                        \
        s->l1d_##name##_sector_hits += hits;                                                       \
        s->l1d_##name##_sector_misses += sectors - hits;                                           \
        break
        COUNT(L1D_GLOBAL_LOAD, global_load);
        COUNT(L1D_GLOBAL_STORE, global_store);
        COUNT(L1D_LOCAL_LOAD, local_load);
        COUNT(L1D_LOCAL_STORE, local_store);
#undef COUNT
    case L1D_REDUCTION:
        s->l1d_reduction_sectors += sectors;
        break;
    case L1D_ATOMIC:
        s->l1d_atomic_sectors += sectors;
        break;
    }
}

/* Wide accesses to local memory are a request a word of the lanes. */
static void count_request(struct sim_stats *s, const struct exec_inst *e)
{
    uint32_t words = words_of_lane(e);
    switch ((enum l1d_op)e->l1d_op) {
    case L1D_GLOBAL_LOAD:
        s->l1d_global_load_requests++;
        break;
    case L1D_GLOBAL_STORE:
        s->l1d_global_store_requests++;
        break;
    case L1D_LOCAL_LOAD:
        s->l1d_local_load_requests += words;
        break;
    case L1D_LOCAL_STORE:
        s->l1d_local_store_requests += words;
        break;
    case L1D_REDUCTION:
        s->l1d_reduction_requests++;
        break;
    case L1D_ATOMIC:
        s->l1d_atomic_requests++;
        break;
    }
}

/* Looks one line of a load up; returns the sectors to ask for. Sets *waits when the line will be
 * reported by the L1D. */
static uint32_t load_line(struct subcore *sc, const struct exec_inst *e,
                          const struct line_access *l, uint32_t access, bool *waits)
{
    struct sm *sm = sc->sm;
    bool allocate = !(e->flags & EXEC_NO_ALLOCATE);
    struct l1d_lookup r = l1d_load(&sm->l1d, l, allocate, access);
    if (r.failed)
        err_memory(&sm->err, "following cache misses");
    count_sectors(&sc->stats, e->l1d_op, popcount32(l->sectors), popcount32(r.hit | r.merged));
    if (e->l1d_op == L1D_GLOBAL_LOAD)
        sc->stats.l1d_pending_sector_hits += popcount32(r.merged);
    *waits = (r.merged | r.missing) != 0;
    return r.missing;
}

/* A line of an access that goes past the L1D, and takes what the L1D has of it out. */
static uint32_t direct_line(struct subcore *sc, const struct exec_inst *e,
                            const struct line_access *l)
{
    l1d_invalidate(&sc->sm->l1d, l->line, l->sectors);
    if (!(e->inst_flags & INST_ATOMIC))
        count_sectors(&sc->stats, e->l1d_op, popcount32(l->sectors), 0);
    return l->sectors;
}

static enum mem_kind read_kind(const struct exec_inst *e)
{
    if (e->inst_flags & INST_ATOMIC)
        return MEM_ATOMIC;
    return (e->flags & EXEC_TO_L2) ? MEM_READ_DIRECT : MEM_READ;
}

/* Loads, copies and atomics: through the L1D, or past it. */
static void start_load(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                       cycle_t grant)
{
    struct sm *sm = sc->sm;
    const struct l1d_cfg *cfg = &sm->cfg->l1d;
    uint32_t a = access_new(sm);
    if (a == TAGS_NONE)
        return;
    uint32_t whole = access_hit_cycles(e, lane_groups(e, q->dyn.mask));
    uint32_t link = access_link_cycles(sm, e);
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
        uint32_t sectors =
            (e->flags & EXEC_TO_L2) ? direct_line(sc, e, l) : load_line(sc, e, l, a, &waits);
        if (waits)
            sm->accesses[a].waiting++;
        if (!sectors)
            continue;
        if (!(e->inst_flags & INST_ATOMIC))
            sc->stats.l1d_fill_sectors += popcount32(sectors);
        access_request(sm, (struct mem_request){.send = grant + cfg->tag_cycles +
                                                        (cycle_t)i * cfg->line_interval,
                                                .line = l->line,
                                                .sectors = sectors,
                                                .user = a,
                                                .inst = q->inst,
                                                .passes = (uint8_t)l->passes,
                                                .kind = (uint8_t)read_kind(e)});
    }
    if (sm->accesses[a].waiting == 0)
        wheel_push(&sm->wheel, sm->accesses[a].earliest,
                   (struct event){.type = EVENT_RETURN, .b = a});
}

/* What the L1D keeps of one line of a store. */
static void store_line(struct subcore *sc, const struct exec_inst *e, const struct line_access *l)
{
    struct l1d *l1d = &sc->sm->l1d;
    if (e->flags & EXEC_TO_L2) {
        direct_line(sc, e, l);
        return;
    }
    /* Narrower stores leave no whole part. */
    bool whole = (e->flags & EXEC_LOCAL) || e->inst->mem_width >= l1d->cfg->line_bytes / LINE_PARTS;
    bool hit = l1d_store(l1d, l->line, whole ? l->parts : 0);
    uint32_t sectors = popcount32(l->sectors);
    count_sectors(&sc->stats, e->l1d_op, sectors, hit ? sectors : 0);
}

static void start_store(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                        cycle_t grant)
{
    struct sm *sm = sc->sm;
    const struct l1d_cfg *cfg = &sm->cfg->l1d;
    struct warp *w = &sc->warps[q->warp];
    uint8_t kind = (e->inst_flags & INST_ATOMIC) ? MEM_REDUCTION : MEM_WRITE;
    for (uint32_t i = 0; i < sm->line_count; i++) {
        const struct line_access *l = &sm->lines[i];
        store_line(sc, e, l);
        if (kind == MEM_WRITE)
            sc->stats.l1d_write_sectors += popcount32(l->sectors);
        w->stores_unacked++;
        sm->store_lines++;
        access_request(sm,
                       (struct mem_request){
                           .send = grant + cfg->tag_cycles + (cycle_t)i * cfg->line_interval,
                           .line = l->line,
                           .sectors = l->sectors,
                           .user = w->generation * (uint32_t)(SUBCORES * SUBCORE_WARPS) + w->slot,
                           .inst = q->inst,
                           .partial = (uint16_t)l->partial,
                           .passes = (uint8_t)l->passes,
                           .kind = kind});
    }
    access_write_done_at(sc, q->warp, q->inst, grant + max_u64(1, (cycle_t)e->war - e->grant));
}

/* Lanes of an atomic on one word take turns; each turn sends its sectors (an H200 counts 32 sectors
 * for a warp that adds to one word, 4 for one that adds to 32 in a row). */
static void count_atomic(struct subcore *sc, const struct exec_inst *e)
{
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < sc->sm->line_count; i++)
        sectors += sc->sm->lines[i].passes;
    count_sectors(&sc->stats, e->l1d_op, sectors, 0);
    if (e->l1d_op == L1D_REDUCTION)
        sc->stats.l1d_reduction_write_sectors += sectors;
}

uint32_t access_global(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                       cycle_t grant)
{
    const struct l1d_cfg *cfg = &sc->sm->cfg->l1d;
    uint32_t lines = sc->sm->line_count;
    sc->stats.l1d_lines += lines;
    count_request(&sc->stats, e);
    if (e->inst_flags & INST_ATOMIC) {
        coalesce_passes(&q->dyn, cfg->line_bytes, cfg->sector_bytes, sc->sm->lines, lines);
        count_atomic(sc, e);
    } else if (!returns_data(e) && !(e->flags & EXEC_LOCAL)) {
        coalesce_partial(&q->dyn, e->inst->mem_width, cfg->line_bytes, cfg->sector_bytes,
                         sc->sm->lines, lines);
    }
    if ((e->flags & EXEC_COPY) && !(e->flags & EXEC_TO_L2))
        sc->stats.shared_wavefronts += lane_groups(e, q->dyn.mask);
    if (lines == 0)
        access_write_done_at(sc, q->warp, q->inst, grant + e->raw - e->grant);
    else if (returns_data(e))
        start_load(sc, q, e, grant);
    else
        start_store(sc, q, e, grant);
    uint32_t further = further_lines(e, lines) * cfg->line_interval;
    return e->shared_interval + further;
}

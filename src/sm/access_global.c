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

/* Acknowledged accesses; the others are answered with data. */
static bool sends_writes(const struct exec_inst *e)
{
    return !(e->inst_flags & INST_LOAD) && !(e->flags & (EXEC_RESULT | EXEC_COPY));
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

/* Parts of a line that a store writes whole and the L1D keeps. */
static uint32_t parts_kept(const struct sm *sm, const struct exec_inst *e,
                           const struct line_access *l)
{
    bool wide =
        (e->flags & EXEC_LOCAL) || e->inst->mem_width >= sm->cfg->l1d.line_bytes / LINE_PARTS;
    return wide && !(e->flags & EXEC_TO_L2) ? l->parts : 0;
}

/* Packets for the network fill the store buffer at `at`, when the tags answer. */
static bool store_buffer_full(const struct sm *sm, cycle_t at)
{
    return sm->link_free > at + sm->cfg->l1d.store_buffer_cycles;
}

/* A store to words of a write that waits for the network joins it, when it follows directly or the
 * store buffer is full (H200: stores of a warp to one line take 2 cycles each in a long row, not
 * the 4 of their flits; while there is room, each is sent). */
static bool joins_write(const struct sm *sm, const struct line_access *l, uint32_t parts,
                        cycle_t at)
{
    if (parts == 0)
        return false;
    if (sm->write_start > at && sm->write_line == l->line && (parts & ~sm->write_parts) == 0)
        return true;
    return store_buffer_full(sm, at) && l1d_write_waits(&sm->l1d, l->line, parts, at);
}

static bool joins_writes(const struct sm *sm, const struct exec_inst *e, cycle_t at)
{
    for (uint32_t i = 0; i < sm->line_count; i++)
        if (!joins_write(sm, &sm->lines[i], parts_kept(sm, e, &sm->lines[i]), at))
            return false;
    return true;
}

/* The L1D has MSHRs for a load; keeps the account of the cycles in which it had not. */
static bool mshrs_free(struct sm *sm, cycle_t now)
{
    if (l1d_has_room(&sm->l1d, sm->lines, sm->line_count)) {
        if (sm->mshr_blocked != CYCLE_NEVER)
            sm->stats.l1d_mshr_stalls += now - sm->mshr_blocked;
        sm->mshr_blocked = CYCLE_NEVER;
        return true;
    }
    if (sm->mshr_blocked == CYCLE_NEVER)
        sm->mshr_blocked = now;
    return false;
}

cycle_t access_ready(struct subcore *sc, const struct queued *q, cycle_t now)
{
    struct sm *sm = sc->sm;
    const struct l1d_cfg *cfg = &sm->cfg->l1d;
    const struct exec_inst *e = &sm->exec->insts[q->inst];
    if (e->flags & EXEC_CONSTANT)
        return constant_load_can_start(sm) ? now : CYCLE_NEVER;
    if (!(e->flags & EXEC_GLOBAL))
        return now;
    coalesce(sc, q, e);
    /* The L1D works in order: what waits for the network holds everything behind it. */
    cycle_t at = now + cfg->tag_cycles;
    if (store_buffer_full(sm, at) && !(sends_writes(e) && joins_writes(sm, e, at)))
        return sm->link_free - cfg->store_buffer_cycles - cfg->tag_cycles;
    if (uses_l1d(e))
        return mshrs_free(sm, now) ? now : CYCLE_NEVER;
    if (sends_writes(e) && sm->store_lines + sm->line_count > cfg->store_lines)
        return CYCLE_NEVER;
    return now;
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
        cycle_t at = grant + cfg->tag_cycles + (cycle_t)i * cfg->line_interval;
        uint32_t flits = (e->inst_flags & INST_ATOMIC) ? l->passes : 1;
        access_request(sm, (struct mem_request){.send = access_send(sm, at, flits),
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

/* Flits of a write: its sectors, and one for which bytes of them are written unless it is a whole
 * line (H200: 4 cycles a line of coalesced stores, 5 when the lines have gaps, 3 and 2 for 2 and 1
 * sectors of a line). */
static uint32_t write_flits(const struct sm *sm, const struct exec_inst *e,
                            const struct line_access *l)
{
    uint32_t sectors = popcount32(l->sectors);
    if (e->inst_flags & INST_ATOMIC)
        return l->passes;
    bool whole = sectors == sm->cfg->l1d.line_bytes / sm->cfg->l1d.sector_bytes && !l->partial;
    return whole ? sectors : sectors + 1;
}

/* A line of a store goes to the network, and the L1D keeps what it can. */
static void store_line(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                       const struct line_access *l, cycle_t at)
{
    struct sm *sm = sc->sm;
    struct warp *w = &sc->warps[q->warp];
    uint32_t sectors = popcount32(l->sectors);
    bool direct = (e->flags & EXEC_TO_L2) != 0;
    uint32_t parts = parts_kept(sm, e, l);
    if (direct)
        direct_line(sc, e, l);
    if (joins_write(sm, l, parts, at)) {
        count_sectors(&sc->stats, e->l1d_op, sectors, sectors);
        return;
    }
    uint32_t flits = write_flits(sm, e, l);
    bool follows = sm->write_start != 0 && sm->write_line == l->line;
    cycle_t send = access_send(sm, at, flits);
    sm->write_start = send;
    sm->write_line = l->line;
    sm->write_parts = parts;
    if (!direct) {
        bool hit = l1d_store(&sm->l1d, l->line, parts, at, send + flits);
        count_sectors(&sc->stats, e->l1d_op, sectors, hit || follows ? sectors : 0);
    }
    if (!(e->inst_flags & INST_ATOMIC))
        sc->stats.l1d_write_sectors += sectors;
    w->stores_unacked++;
    sm->store_lines++;
    access_request(sm, (struct mem_request){
                           .send = send,
                           .line = l->line,
                           .sectors = l->sectors,
                           .user = w->generation * (uint32_t)(SUBCORES * SUBCORE_WARPS) + w->slot,
                           .inst = q->inst,
                           .partial = (uint16_t)l->partial,
                           .passes = (uint8_t)l->passes,
                           .kind = (e->inst_flags & INST_ATOMIC) ? MEM_REDUCTION : MEM_WRITE});
}

static void start_store(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                        cycle_t grant)
{
    struct sm *sm = sc->sm;
    const struct l1d_cfg *cfg = &sm->cfg->l1d;
    for (uint32_t i = 0; i < sm->line_count; i++)
        store_line(sc, q, e, &sm->lines[i],
                   grant + cfg->tag_cycles + (cycle_t)i * cfg->line_interval);
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
    bool result = !sends_writes(e);
    sc->stats.l1d_lines += lines;
    count_request(&sc->stats, e);
    if (e->inst_flags & INST_ATOMIC) {
        coalesce_passes(&q->dyn, cfg->line_bytes, cfg->sector_bytes, sc->sm->lines, lines);
        count_atomic(sc, e);
    } else if (!result && !(e->flags & EXEC_LOCAL)) {
        coalesce_partial(&q->dyn, e->inst->mem_width, cfg->line_bytes, cfg->sector_bytes,
                         sc->sm->lines, lines);
    }
    if ((e->flags & EXEC_COPY) && !(e->flags & EXEC_TO_L2))
        sc->stats.shared_wavefronts += lane_groups(e, q->dyn.mask);
    if (lines == 0)
        access_write_done_at(sc, q->warp, q->inst, grant + e->raw - e->grant);
    else if (result)
        start_load(sc, q, e, grant);
    else
        start_store(sc, q, e, grant);
    uint32_t further = further_lines(e, lines) * cfg->line_interval;
    return e->shared_interval + further;
}

#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sm/pipe_log.h"
#include "sm/subcore.h"

bool sm_init(struct sm *sm, uint32_t id, const struct config *cfg, const struct sm_options *opt,
             struct arena *arena)
{
    memset(sm, 0, sizeof *sm);
    sm->id = id;
    sm->cfg = cfg;
    sm->opt = *opt;
    sm->free_access = TAGS_NONE;
    sm->memory_wake = CYCLE_NEVER;
    sm->mshr_blocked = CYCLE_NEVER;
    wheel_init(&sm->wheel, 0);
    bool ok = l1d_init(&sm->l1d, &cfg->l1d, arena) &&
              tags_init(&sm->ldc, arena, cfg->constant.ldc_bytes, cfg->constant.line_bytes,
                        cfg->constant.ldc_ways);
    for (uint32_t i = 0; i < SUBCORES && ok; i++) {
        struct subcore *sc = &sm->subcores[i];
        sc->sm = sm;
        sc->index = (uint8_t)i;
        sc->wake = CYCLE_NEVER;
        sc->last_issued = sc->greedy = SUBCORE_WARPS;
        register_file_init(&sc->rf, &cfg->register_file);
        ok = l0i_init(&sc->l0i, &cfg->icache, arena) &&
             tags_init(&sc->constant, arena, cfg->constant.l0_bytes, cfg->constant.line_bytes,
                       cfg->constant.l0_ways);
    }
    return ok;
}

static void free_hazards(struct sm *sm)
{
    for (uint32_t s = 0; s < SUBCORES; s++) {
        for (uint32_t w = 0; w < SUBCORE_WARPS; w++)
            free(sm->subcores[s].warps[w].hazard);
    }
    free(sm->hazards.items);
}

void sm_free(struct sm *sm)
{
    free_hazards(sm);
    wheel_free(&sm->wheel);
    l1d_free(&sm->l1d);
    free(sm->accesses);
    free(sm->requests);
    free(sm->line_requests.items);
    free(sm->log);
    free(sm->pipe);
    err_clear(&sm->err);
}

static void warm_code(struct sm *sm, const struct kernel *k, const struct exec_table *exec)
{
    uint64_t base = exec->code_base / sm->cfg->icache.line_bytes;
    for (uint32_t i = 0; i < k->inst_count; i++) {
        for (uint32_t s = 0; s < SUBCORES; s++)
            l0i_warm(&sm->subcores[s].l0i, base + exec->insts[i].line);
    }
}

static void warm_constants(struct sm *sm, const struct kernel *k)
{
    for (uint32_t i = 0; i < k->inst_count; i++) {
        const struct inst *in = k->insts[i];
        if (!(in->flags & INST_CONST_OPERAND) && in->mem_space != MEM_CONSTANT)
            continue;
        uint64_t line = constant_line(sm, &sm->exec->insts[i], in->const_offset);
        if (tags_find(&sm->ldc, line) == TAGS_NONE)
            tags_insert(&sm->ldc, line);
        for (uint32_t s = 0; s < SUBCORES; s++) {
            if (tags_find(&sm->subcores[s].constant, line) == TAGS_NONE)
                tags_insert(&sm->subcores[s].constant, line);
        }
    }
}

static void warm_data(struct sm *sm, const struct warm_region *r)
{
    const struct l1d_cfg *cfg = &sm->cfg->l1d;
    uint32_t all = (uint32_t)((1ull << (cfg->line_bytes / cfg->sector_bytes)) - 1);
    if (r->bytes == 0)
        return;
    for (uint64_t line = r->addr / cfg->line_bytes;
         line <= (r->addr + r->bytes - 1) / cfg->line_bytes; line++)
        l1d_warm(&sm->l1d, line, all);
}

bool sm_begin_kernel(struct sm *sm, const struct kernel *k, struct exec_table *exec, cycle_t start,
                     uint64_t l1d_bytes, struct sim_err *err)
{
    sm->kernel = k;
    sm->exec = exec;
    sm->kernel_start = start;
    sm->now = start;
    sm->last_issue = start;
    wheel_restart(&sm->wheel, start);
    sm->active_cycles = 0;
    memset(&sm->stats, 0, sizeof sm->stats);
    l1d_reset(&sm->l1d, l1d_bytes);
    for (uint32_t i = 0; i < SUBCORES; i++) {
        struct subcore *sc = &sm->subcores[i];
        memset(&sc->stats, 0, sizeof sc->stats);
        tags_clear(&sc->constant);
        register_file_forget(&sc->rf);
        sc->last_issued = sc->greedy = SUBCORE_WARPS;
        sc->wake = CYCLE_NEVER;
        sc->accounted = start;
        for (uint32_t w = 0; w < SUBCORE_WARPS && sm->opt.check_hazards; w++) {
            struct warp *warp = &sc->warps[w];
            if (!warp->hazard)
                warp->hazard = malloc(sizeof *warp->hazard);
            if (!warp->hazard)
                return err_memory(err, "preparing the hazard checker");
        }
    }
    tags_clear(&sm->ldc);
    if (k->warm_code)
        warm_code(sm, k, exec);
    if (k->warm_const)
        warm_constants(sm, k);
    for (uint32_t i = 0; i < k->warm_data_count; i++)
        warm_data(sm, &k->warm_data[i]);
    return true;
}

void sm_set_code(struct sm *sm)
{
    uint64_t base = sm->exec->code_base / sm->cfg->icache.line_bytes;
    uint64_t end = base;
    for (uint32_t i = 0; i < sm->exec->count; i++)
        end = max_u64(end, base + sm->exec->insts[i].line + 1);
    for (uint32_t i = 0; i < SUBCORES; i++)
        l0i_kernel(&sm->subcores[i].l0i, end);
}

/* Warp i of a CTA goes to the sub-core after that of warp i - 1; the first one to the sub-core with
 * the fewest warps. */
static struct warp *take_warp(struct sm *sm, uint32_t *turn)
{
    uint32_t limit = sm->cfg->sm.warps / SUBCORES;
    for (uint32_t i = 0; i < SUBCORES; i++) {
        struct subcore *sc = &sm->subcores[(*turn + i) % SUBCORES];
        uint32_t free = ~(uint32_t)sc->resident & ((1u << limit) - 1);
        if (!free)
            continue;
        *turn = sc->index + 1u;
        return &sc->warps[lowest_bit(free)];
    }
    return NULL;
}

static uint32_t emptiest(const struct sm *sm)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < SUBCORES; i++) {
        if (sm->subcores[i].order_count < sm->subcores[best].order_count)
            best = i;
    }
    return best;
}

static void start_warp(struct subcore *sc, struct warp *w, uint32_t cta_slot,
                       struct warp_stream *stream, cycle_t now)
{
    struct hazard_state *hazard = w->hazard;
    uint32_t index = (uint32_t)(w - sc->warps), generation = (w->generation + 1) % GENERATIONS;
    memset(w, 0, sizeof *w);
    if (hazard)
        memset(hazard, 0, sizeof *hazard);
    w->hazard = hazard;
    w->generation = generation;
    w->stream = stream;
    w->index = (uint8_t)index;
    w->slot = (uint16_t)(index * SUBCORES + sc->index);
    w->cta_slot = (uint8_t)cta_slot;
    w->last_line = UINT64_MAX;
    sc->resident |= warp_bit(w);
    sc->order[sc->order_count++] = w->index;
    if (sc->sm->opt.timeline)
        pipe_log(sc, w, PIPE_WARP, 0, now);
}

static void start_next_warp(struct sm *sm, uint32_t slot, cycle_t now)
{
    struct cta_slot *cta = &sm->ctas[slot];
    struct warp *w = take_warp(sm, &cta->turn);
    struct subcore *sc = &sm->subcores[(cta->turn + SUBCORES - 1) % SUBCORES];
    struct warp_stream *s = &cta->stream->warps[cta->started++];
    subcore_account(sc, now);
    if (!sc->resident)
        sc->accounted = now;
    start_warp(sc, w, slot, s, now);
    if (s->next == s->end && !s->finished)
        cta->stream->kernel->ops->refill(s, &sm->err);
    w->fetch_done = s->next == s->end;
    fetch_open_warp(sc, w);
    subcore_wake(sc, now);
    retire_check(sc, w, now); /* a warp without instructions ends at once */
}

static void begin_cta(struct sm *sm, struct cta_slot *cta, cycle_t now)
{
    if (sm->resident_ctas++ == 0)
        sm->active_since = now;
    memset(cta->barriers, 0, sizeof cta->barriers);
    cta->warps_left = cta->live = cta->stream->warp_count;
    cta->begun = true;
    cta->since = now;
}

/* Begins the CTA, or goes on with it: a warp every sm.warp_launch_cycles. */
static void start_cta(struct sm *sm, uint32_t slot, cycle_t now)
{
    struct cta_slot *cta = &sm->ctas[slot];
    const struct sm_cfg *cfg = &sm->cfg->sm;
    const struct event again = {.type = EVENT_CTA_START, .b = slot};
    uint32_t warps = cta->stream->warp_count;
    if (!cta->begun) {
        begin_cta(sm, cta, now);
        if (cfg->cta_setup_cycles > 0) {
            wheel_push(&sm->wheel, now + cfg->cta_setup_cycles, again);
            return;
        }
    }
    if (cta->started == 0)
        cta->turn = emptiest(sm);
    do {
        start_next_warp(sm, slot, now);
    } while (cfg->warp_launch_cycles == 0 && cta->started < warps);
    if (cta->started < warps)
        wheel_push(&sm->wheel, now + cfg->warp_launch_cycles, again);
}

void sm_launch(struct sm *sm, struct cta_stream *cta, uint32_t owner, cycle_t cycle)
{
    uint32_t slot = 0;
    while (sm->ctas[slot].stream)
        slot++;
    sm->ctas[slot].stream = cta;
    sm->ctas[slot].order = sm->launched_ctas++;
    sm->ctas[slot].owner = owner;
    sm->ctas[slot].started = 0;
    sm->ctas[slot].begun = false;
    wheel_push(&sm->wheel, cycle, (struct event){.type = EVENT_CTA_START, .b = slot});
}

void sm_reply(struct sm *sm, cycle_t cycle, const struct mem_request *r)
{
    struct event e = {.type = EVENT_MEM_REPLY, .a = r->kind, .b = r->user, .c = r->line};
    uint32_t sectors = popcount32(r->sectors);
    if (r->kind == MEM_READ)
        e.b = r->sectors;
    if (r->kind == MEM_WRITE || r->kind == MEM_REDUCTION)
        sectors = 0;
    else if (r->kind == MEM_ATOMIC)
        sectors = 1;
    e.warp = (uint16_t)sectors;
    wheel_push(&sm->wheel, cycle, e);
}

/* A reply passes the port, which delivers so many sectors a cycle, in order of arrival: it must not
 * overtake one that has waited for this cycle. */
static void port(struct sm *sm, const struct event *e, cycle_t now)
{
    uint32_t rate = sm->cfg->l2.sm_sectors_per_cycle;
    uint64_t start = max_u64(sm->port_free, now * rate);
    /* The first packet at an idle port is not delayed by its own length. */
    sm->port_free = start + e->warp;
    if (start / rate == now && sm->port_last < now) {
        memory_reply(sm, e, now);
        return;
    }
    struct event later = *e;
    later.type = EVENT_MEM_DELIVER;
    sm->port_last = start / rate;
    wheel_push(&sm->wheel, sm->port_last, later);
}

static void count_up(struct warp *w, const struct exec_inst *e)
{
    const uint8_t bars[2] = {e->write_bar, e->read_bar};
    for (uint32_t i = 0; i < 2; i++) {
        if (bars[i] == NO_COUNTER)
            continue;
        uint8_t bit = (uint8_t)(1u << bars[i]);
        w->counters[bars[i]]++;
        w->counters_nonzero |= bit;
        if (e->flags & EXEC_LONG)
            w->counters_long |= bit;
        else
            w->counters_long &= (uint8_t)~bit;
    }
}

static void count_down(struct warp *w, uint8_t bar)
{
    if (bar != NO_COUNTER && --w->counters[bar] == 0)
        w->counters_nonzero &= (uint8_t) ~(1u << bar);
}

static void read_done(struct warp *w, const struct exec_inst *e)
{
    if (e->flags & EXEC_CONTROL_BITS)
        count_down(w, e->read_bar);
    else
        scoreboard_read_done(&w->scoreboard, e);
    if (w->hazard && e->queue != QUEUE_none)
        hazard_read_done(w->hazard, e);
}

static void write_done(struct subcore *sc, struct warp *w, const struct exec_inst *e, cycle_t now)
{
    if (e->flags & EXEC_CONTROL_BITS)
        count_down(w, e->write_bar);
    else
        scoreboard_write_done(&w->scoreboard, e);
    if (e->queue == QUEUE_none)
        return;
    w->inflight--;
    if (sc->sm->opt.timeline)
        pipe_log(sc, w, PIPE_DONE, (uint32_t)(e - sc->sm->exec->insts), now);
    if (w->hazard)
        hazard_write_done(w->hazard, e);
    if (e->flags & EXEC_COPY) {
        w->copies_done++;
        copies_done(sc, w, now);
    }
    membar_check(sc, w, now);
}

/* Events that concern one warp. */
static void warp_event(struct sm *sm, const struct event *ev, cycle_t now)
{
    struct subcore *sc = &sm->subcores[ev->a];
    struct warp *w = &sc->warps[ev->warp];
    const struct exec_inst *e = &sm->exec->insts[ev->b];
    subcore_account(sc, now);
    w->pending_events--;
    switch (ev->type) {
    case EVENT_COUNT:
        count_up(w, e);
        break;
    case EVENT_READ_DONE:
        read_done(w, e);
        break;
    case EVENT_WRITE_DONE:
        write_done(sc, w, e, now);
        break;
    case EVENT_BARRIER_SEEN:
        sc->barrier_unseen &= (warp_mask)~warp_bit(w);
        break;
    case EVENT_FETCH_RESUME:
        sc->redirecting &= (warp_mask)~warp_bit(w);
        fetch_open_warp(sc, w);
        break;
    default: /* EVENT_WAKE_WARP */
        sc->barrier &= (warp_mask)~warp_bit(w);
        sc->barrier_unseen &= (warp_mask)~warp_bit(w);
        sc->membar &= (warp_mask)~warp_bit(w);
        break;
    }
    issue_check_depbar(sc, w, now);
    issue_check_dependences(sc, w);
    subcore_wake(sc, now);
    retire_check(sc, w, now);
}

static void handle(struct sm *sm, const struct event *e, cycle_t now)
{
    switch ((enum sm_event)e->type) {
    case EVENT_CREDIT: {
        struct subcore *sc = &sm->subcores[e->a];
        subcore_account(sc, now);
        sc->queues[e->b].used--;
        subcore_wake(sc, now);
        break;
    }
    case EVENT_RETURN:
        memory_return(sm, e->b, now);
        break;
    case EVENT_CONST_FILL:
        constant_fill(&sm->subcores[e->a], e->c, now);
        break;
    case EVENT_L0_FILL:
        fetch_fill(&sm->subcores[e->a], e->c, now);
        break;
    case EVENT_MEM_REPLY:
        port(sm, e, now);
        break;
    case EVENT_MEM_DELIVER:
        memory_reply(sm, e, now);
        break;
    case EVENT_CTA_START: /* run_events() */
        break;
    default:
        warp_event(sm, e, now);
    }
}

static void tick_subcores(struct sm *sm, cycle_t now)
{
    for (uint32_t i = 0; i < SUBCORES; i++) {
        uint32_t s = i;
        if (sm->opt.tick_order == 1)
            s = SUBCORES - 1 - i;
        else if (sm->opt.tick_order == 2)
            s = (uint32_t)((i + now) % SUBCORES);
        struct subcore *sc = &sm->subcores[s];
        if (sc->wake <= now || sm->opt.no_skip)
            subcore_tick(sc, now);
    }
}

cycle_t sm_next(const struct sm *sm)
{
    cycle_t t = min_u64(wheel_next(&sm->wheel), sm->memory_wake);
    for (uint32_t i = 0; i < SUBCORES; i++)
        t = min_u64(t, sm->subcores[i].wake);
    if (sm->arbiter_pending)
        t = min_u64(t, sm->arbiter_next);
    return max_u64(t, sm->now);
}

/* The slot of the oldest CTA among `slots`, which is taken out. */
static uint32_t take_oldest(const struct sm *sm, uint32_t *slots)
{
    uint32_t best = lowest_bit(*slots);
    for (uint32_t m = *slots; m != 0; m &= m - 1)
        if (sm->ctas[lowest_bit(m)].order < sm->ctas[best].order)
            best = lowest_bit(m);
    *slots &= ~(1u << best);
    return best;
}

/* All events of a cycle. CTAs and warps start after the others, older CTAs first: the places they
 * find must not depend on when their start was put on the wheel, which is at the end of a window.
 */
static void run_events(struct sm *sm, cycle_t now)
{
    uint32_t starts = 0;
    struct event e;
    while (wheel_pop(&sm->wheel, now, &e)) {
        sm->last_event = now;
        if (e.type == EVENT_CTA_START)
            starts |= 1u << e.b;
        else
            handle(sm, &e, now);
    }
    while (starts != 0)
        start_cta(sm, take_oldest(sm, &starts), now);
}

void sm_run(struct sm *sm, cycle_t end)
{
    sm->run_end = end;
    for (;;) {
        cycle_t now = sm->opt.no_skip ? sm->now : sm_next(sm);
        if (now >= sm->run_end)
            break;
        sm->now = now;
        run_events(sm, now);
        if (sm->arbiter_pending && sm->arbiter_next <= now)
            icache_arbitrate(sm, now);
        tick_subcores(sm, now);
        if (sm->memory_wake <= now || sm->opt.no_skip)
            memory_tick(sm, now);
        sm->now = now + 1;
        if (sm->err.code != ERR_NONE)
            return;
    }
    sm->now = sm->run_end;
    if (sm->wheel.failed)
        err_memory(&sm->err, "scheduling events");
}

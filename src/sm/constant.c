/* The constant caches of an SM: one of a sub-core for operands of fixed-latency instructions (FL),
 * one of the SM for LDC.
 *
 * Where the card has caches of GPCs, a miss of either goes to the one of its GPC, and the LDC unit
 * takes nothing while constant.ldc_misses lines are on their way; else it takes a fixed time. */
#include "base/bits.h"
#include "sm/access.h"

/* Requests of the sub-cores go after those of the shared units that leave in the same cycle. */
#define ORDER_OF_SUBCORE (1u << 30)

uint64_t constant_line(const struct sm *sm, const struct exec_inst *e, uint32_t offset)
{
    uint64_t code = sm->exec->code_base + e->code_offset;
    uint64_t address = code << CONSTANT_CODE_SHIFT | (uint64_t)e->inst->const_bank << 20 | offset;
    return CONSTANT_SPACE | address / sm->cfg->constant.line_bytes;
}

static bool has_gpc_cache(const struct sm *sm)
{
    return sm->cfg->icache.l15_bytes > 0;
}

/* What a miss takes beyond the way to the GPC's cache and back. */
static cycle_t rest_of_miss(const struct sm *sm, uint32_t cycles)
{
    return cycles - sm->cfg->icache.l15_request_cycles - sm->cfg->icache.l15_reply_cycles;
}

static void ask(struct sm *sm, uint64_t line, uint32_t user, cycle_t now)
{
    access_request(
        sm, (struct mem_request){.send = now, .line = line, .user = user, .kind = MEM_CFETCH});
    /* Sub-cores come to this in any order within a cycle. */
    if (user < SUBCORES && sm->request_count > 0)
        sm->requests[sm->request_count - 1].order = ORDER_OF_SUBCORE | user;
}

static bool on_its_way(const struct subcore *sc, uint64_t line)
{
    for (uint32_t m = sc->const_wait; m != 0; m &= m - 1) {
        if (sc->warps[lowest_bit(m)].const_line == line)
            return true;
    }
    return false;
}

bool constant_operand(struct subcore *sc, struct warp *w, const struct exec_inst *e, cycle_t now)
{
    struct sm *sm = sc->sm;
    const struct constant_cfg *cfg = &sm->cfg->constant;
    if (!(e->inst_flags & INST_CONST_OPERAND) || cfg->perfect || e->queue != QUEUE_none)
        return true;
    uint64_t line = constant_line(sm, e, e->inst->const_offset);
    uint32_t entry = tags_find(&sc->constant, line);
    sc->stats.constant_accesses++;
    if (entry != TAGS_NONE) {
        tags_touch(&sc->constant, entry);
        return true;
    }
    sc->stats.constant_misses++;
    if (!on_its_way(sc, line)) {
        if (has_gpc_cache(sm))
            ask(sm, line, sc->index, now);
        else
            wheel_push(&sm->wheel, now + cfg->l0_miss_cycles,
                       (struct event){.type = EVENT_CONST_FILL, .a = sc->index, .c = line});
    }
    w->const_line = line;
    sc->const_wait |= warp_bit(w);
    sc->const_hold = now + max_u64(1, cfg->switch_cycles); /* this cycle's slot is lost */
    sc->const_hold_line = line;
    return false;
}

void constant_fill(struct subcore *sc, uint64_t line, cycle_t now)
{
    subcore_account(sc, now);
    if (tags_find(&sc->constant, line) == TAGS_NONE)
        tags_insert(&sc->constant, line);
    for (uint32_t m = sc->const_wait; m != 0; m &= m - 1) {
        if (sc->warps[lowest_bit(m)].const_line == line)
            sc->const_wait &= (warp_mask) ~(1u << lowest_bit(m));
    }
    if (sc->const_hold_line == line)
        sc->const_hold = now;
    subcore_wake(sc, now);
}

/* Adds a value to a list without repetition; returns its new length. */
static uint32_t add_once(uint64_t *list, uint32_t n, uint64_t value)
{
    for (uint32_t i = 0; i < n; i++) {
        if (list[i] == value)
            return n;
    }
    list[n] = value;
    return n + 1;
}

/* Lines and distinct words a load reads. Where the input does not tell the index of a register,
 * the line of the offset stands for it. */
static uint32_t lines_of(const struct sm *sm, const struct queued *q, const struct exec_inst *e,
                         uint64_t lines[WARP_LANES], uint32_t *words)
{
    uint64_t seen[WARP_LANES];
    uint32_t n = 0;
    *words = 1;
    if (q->dyn.addr_mode == ADDR_NONE) {
        lines[0] = constant_line(sm, e, e->inst->const_offset);
        return 1;
    }
    *words = 0;
    for (uint32_t m = q->dyn.mask; m != 0; m &= m - 1) {
        uint32_t offset = (uint32_t)lane_address(&q->dyn, lowest_bit(m));
        *words = add_once(seen, *words, offset);
        n = add_once(lines, n, constant_line(sm, e, offset & 0xfffff));
    }
    return n;
}

bool constant_load_can_start(const struct sm *sm)
{
    return sm->ldc_flight_count < sm->cfg->constant.ldc_misses &&
           sm->ldc_wait_count < LDC_MAX_WAITS;
}

/* True when a line is in the LDC cache; recently used then. */
static bool ldc_has(struct sm *sm, uint64_t line)
{
    uint32_t entry = tags_find(&sm->ldc, line);
    if (entry != TAGS_NONE)
        tags_touch(&sm->ldc, entry);
    return entry != TAGS_NONE;
}

/* The load waits for the lines w->lines; asks for those that are not on their way. */
static void ldc_wait(struct sm *sm, const struct ldc_wait *w, cycle_t now)
{
    for (uint32_t i = 0; i < w->missing; i++) {
        uint32_t n = add_once(sm->ldc_flights, sm->ldc_flight_count, w->lines[i]);
        if (n > sm->ldc_flight_count)
            ask(sm, w->lines[i], SUBCORES, now);
        sm->ldc_flight_count = n;
    }
    sm->ldc_waits[sm->ldc_wait_count++] = *w;
}

uint32_t constant_load(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                       cycle_t grant)
{
    struct sm *sm = sc->sm;
    const struct constant_cfg *cfg = &sm->cfg->constant;
    struct ldc_wait w = {.q = *q, .subcore = sc->index};
    uint64_t lines[WARP_LANES];
    uint32_t words, n = lines_of(sm, q, e, lines, &words);
    uint32_t taken = e->shared_interval * words;
    cycle_t cycles = (cycle_t)e->raw - e->grant + taken - e->shared_interval;
    sc->stats.constant_ldc_accesses++;
    for (uint32_t i = 0; i < n && !cfg->perfect; i++) {
        if (!ldc_has(sm, lines[i]))
            w.lines[w.missing++] = lines[i];
    }
    sc->stats.constant_ldc_misses += w.missing > 0;
    if (w.missing > 0 && has_gpc_cache(sm)) {
        w.rest = cycles + rest_of_miss(sm, cfg->ldc_miss_cycles);
        ldc_wait(sm, &w, grant);
        return taken;
    }
    for (uint32_t i = 0; i < w.missing; i++)
        tags_insert(&sm->ldc, w.lines[i]);
    access_complete_at(sc, q, e, grant + cycles + (w.missing ? cfg->ldc_miss_cycles : 0));
    return taken;
}

/* Takes `value` out of a list if it is there; returns the list's new length. */
static uint32_t take_out(uint64_t *list, uint32_t n, uint64_t value)
{
    for (uint32_t i = 0; i < n; i++) {
        if (list[i] == value) {
            list[i] = list[n - 1];
            return n - 1;
        }
    }
    return n;
}

static void ldc_fill(struct sm *sm, uint64_t line, cycle_t now)
{
    sm->ldc_flight_count = take_out(sm->ldc_flights, sm->ldc_flight_count, line);
    if (tags_find(&sm->ldc, line) == TAGS_NONE)
        tags_insert(&sm->ldc, line);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sm->ldc_wait_count; i++) {
        struct ldc_wait *w = &sm->ldc_waits[i];
        w->missing = take_out(w->lines, w->missing, line);
        if (w->missing > 0) {
            sm->ldc_waits[kept++] = *w;
            continue;
        }
        struct subcore *sc = &sm->subcores[w->subcore];
        access_complete_at(sc, &w->q, subcore_exec(sc, w->q.inst), now + w->rest);
    }
    sm->ldc_wait_count = kept;
}

void constant_reply(struct sm *sm, uint32_t user, uint64_t line, cycle_t now)
{
    if (user == SUBCORES)
        ldc_fill(sm, line, now);
    else
        wheel_push(&sm->wheel, now + rest_of_miss(sm, sm->cfg->constant.l0_miss_cycles),
                   (struct event){.type = EVENT_CONST_FILL, .a = (uint8_t)user, .c = line});
}

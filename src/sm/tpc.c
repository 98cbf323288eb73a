#include "sm/tpc.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sm/subcore.h"

/* Requests for code go after those for data that leave in the same cycle. */
#define ORDER_AFTER_DATA (1u << 31)

bool tpc_init(struct tpc *tpc, uint32_t id, struct sm *sms, uint32_t sm_count,
              const struct config *cfg, struct arena *arena)
{
    memset(tpc, 0, sizeof *tpc);
    tpc->id = id;
    tpc->cfg = &cfg->icache;
    tpc->sms = sms;
    tpc->sm_count = sm_count;
    return l1i_init(&tpc->l1i, &cfg->icache, arena);
}

void tpc_free(struct tpc *tpc)
{
    free(tpc->fills);
    free(tpc->requests);
    err_clear(&tpc->err);
}

void tpc_begin_kernel(struct tpc *tpc, const struct kernel *k, const struct exec_table *exec)
{
    uint64_t base = exec->code_base / tpc->cfg->line_bytes;
    for (uint32_t i = 0; k->warm_code && i < k->inst_count; i++)
        l1i_warm(&tpc->l1i, base + exec->insts[i].line);
}

void tpc_set_code(struct tpc *tpc)
{
    for (uint32_t i = 0; i < tpc->sm_count; i++)
        sm_set_code(&tpc->sms[i]);
    tpc->l1i.code_end = tpc->sms[0].subcores[0].l0i.stream_end;
}

/* Asks for a line behind the L1, which it leaves at `send`. */
static void request(struct tpc *tpc, uint64_t line, cycle_t send)
{
    if (tpc->request_count == tpc->request_cap) {
        uint32_t cap = tpc->request_cap ? tpc->request_cap * 2 : 64;
        struct mem_request *p = realloc(tpc->requests, cap * sizeof *p);
        if (!p) {
            err_memory(&tpc->err, "sending requests for code");
            return;
        }
        tpc->requests = p;
        tpc->request_cap = cap;
    }
    tpc->requests[tpc->request_count++] =
        (struct mem_request){.send = send,
                             .line = CODE_SPACE | line,
                             .sectors = 0xf,
                             .user = tpc->id,
                             .sm = tpc->sms[0].id,
                             .order = ORDER_AFTER_DATA | tpc->request_order++,
                             .kind = MEM_IFETCH};
    tpc->sms[0].stats.noc_requests++;
}

static void answer(struct tpc *tpc, uint32_t subcore, uint64_t line, cycle_t now)
{
    struct sm *sm = &tpc->sms[subcore / SUBCORES];
    wheel_push(
        &sm->wheel, now + tpc->cfg->l1_reply_cycles,
        (struct event){.type = EVENT_L0_FILL, .a = (uint8_t)(subcore % SUBCORES), .c = line});
}

/* The SM whose next request arrives first, or -1. */
static int first_request(const struct tpc *tpc)
{
    int first = -1;
    cycle_t at = CYCLE_NEVER;
    for (uint32_t i = 0; i < tpc->sm_count; i++) {
        const struct line_queue *q = &tpc->sms[i].line_requests;
        if (q->head < q->count && q->items[q->head].arrive < at) {
            at = q->items[q->head].arrive;
            first = (int)i;
        }
    }
    return first;
}

/* Next fill, or the position behind the last. */
static uint32_t first_fill(const struct tpc *tpc)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < tpc->fill_count; i++) {
        if (tpc->fills[i].cycle < tpc->fills[first].cycle)
            first = i;
    }
    return first;
}

static cycle_t fill_cycle(const struct tpc *tpc)
{
    return tpc->fill_count ? tpc->fills[first_fill(tpc)].cycle : CYCLE_NEVER;
}

static cycle_t request_cycle(const struct tpc *tpc)
{
    int sm = first_request(tpc);
    if (sm < 0 || l1i_full(&tpc->l1i))
        return CYCLE_NEVER;
    const struct line_queue *q = &tpc->sms[sm].line_requests;
    return max_u64(q->items[q->head].arrive, tpc->port_free);
}

static void take_fill(struct tpc *tpc)
{
    uint32_t i = first_fill(tpc);
    struct line_fill f = tpc->fills[i];
    /* Fills of one cycle stay in their order. */
    memmove(&tpc->fills[i], &tpc->fills[i + 1], (tpc->fill_count - i - 1) * sizeof f);
    tpc->fill_count--;
    tpc->last_fill = f.cycle;
    if (l1i_full(&tpc->l1i)) /* what has been held up comes after it */
        tpc->port_free = max_u64(tpc->port_free, f.cycle);
    for (uint64_t m = l1i_fill(&tpc->l1i, f.line); m != 0; m &= m - 1)
        answer(tpc, lowest_bit(m), f.line, f.cycle);
    for (uint32_t s = 0; tpc->cfg->l1_prefetch_lines && s < tpc->sm_count * SUBCORES; s++) {
        uint64_t lines[L1I_MAX_GROUP];
        uint32_t n = l1i_prefetch_next(&tpc->l1i, s, lines);
        for (uint32_t k = 0; k < n; k++)
            request(tpc, lines[k], f.cycle);
        tpc->sms[s / SUBCORES].stats.icache_l1_prefetches += n;
    }
    tpc->sms[0].stats.noc_replies++;
}

static void take_request(struct tpc *tpc, cycle_t now)
{
    uint32_t sm = (uint32_t)first_request(tpc);
    struct line_queue *q = &tpc->sms[sm].line_requests;
    struct line_request r = q->items[q->head++];
    struct sim_stats *stats = &tpc->sms[sm].stats;
    if (q->head == q->count)
        q->head = q->count = 0;
    enum l1i_result result = l1i_lookup(&tpc->l1i, r.line, sm * SUBCORES + r.subcore);
    stats->icache_l1_accesses++;
    if (result == L1I_HIT) {
        stats->icache_l1_hits++;
        answer(tpc, sm * SUBCORES + r.subcore, r.line, now);
    } else {
        stats->icache_l1_misses++;
        if (result == L1I_MISS)
            request(tpc, r.line, now);
    }
    uint64_t lines[L1I_MAX_GROUP];
    uint32_t n = l1i_prefetch(&tpc->l1i, r.line, sm * SUBCORES + r.subcore, result, lines);
    for (uint32_t i = 0; i < n; i++)
        request(tpc, lines[i], now);
    stats->icache_l1_prefetches += n;
    tpc->port_free = now + tpc->cfg->l1_interval;
}

/* Serves what is there before `end`. */
static void serve(struct tpc *tpc, cycle_t end)
{
    for (;;) {
        cycle_t fill = fill_cycle(tpc), ask = request_cycle(tpc);
        if (min_u64(fill, ask) >= end)
            return;
        if (fill <= ask)
            take_fill(tpc);
        else
            take_request(tpc, ask);
    }
}

void tpc_run(struct tpc *tpc, cycle_t end)
{
    cycle_t first;
    do {
        cycle_t next = min_u64(fill_cycle(tpc), request_cycle(tpc));
        cycle_t limit = next >= end ? end : min_u64(end, next + tpc->cfg->l1_reply_cycles);
        first = end;
        for (uint32_t i = 0; i < tpc->sm_count; i++) {
            struct sm *sm = &tpc->sms[i];
            if (sm->now < limit)
                sm_run(sm, limit);
            if (sm->err.code != ERR_NONE) {
                tpc->err = sm->err;
                sm->err = (struct sim_err){0};
                return;
            }
            first = min_u64(first, sm->now);
        }
        serve(tpc, min_u64(first + tpc->cfg->l1_request_cycles, end));
    } while (first < end);
}

cycle_t tpc_next(const struct tpc *tpc)
{
    cycle_t t = min_u64(fill_cycle(tpc), request_cycle(tpc));
    for (uint32_t i = 0; i < tpc->sm_count; i++)
        t = min_u64(t, sm_next(&tpc->sms[i]));
    return t;
}

void tpc_reply(struct tpc *tpc, cycle_t cycle, uint64_t line)
{
    if (tpc->fill_count == tpc->fill_cap) {
        uint32_t cap = tpc->fill_cap ? tpc->fill_cap * 2 : 64;
        struct line_fill *p = realloc(tpc->fills, cap * sizeof *p);
        if (!p) {
            err_memory(&tpc->err, "following lines of code");
            return;
        }
        tpc->fills = p;
        tpc->fill_cap = cap;
    }
    tpc->fills[tpc->fill_count++] = (struct line_fill){cycle, line & ~CODE_SPACE};
}

/* Trace events (JSON) for Perfetto and chrome://tracing: a process for every SM, a thread for every
 * warp slot. A cycle is shown as a microsecond. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/bits.h"
#include "report/inst_text.h"
#include "report/json_writer.h"
#include "report/number.h"
#include "report/timeline_parts.h"
#include "sim/result.h"

/* Process and thread 0 mean something else to the viewers. */
#define PID(sm) ((sm) + 1)
#define TID(slot) ((slot) + 1)

void perfetto_begin(struct timeline *t)
{
    buf_puts(&t->text,
             "{\"displayTimeUnit\":\"ns\",\n"
             "\"otherData\":{\"time\":\"1 us is 1 cycle\"},\n"
             "\"traceEvents\":[\n"
             "{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":"
             "\"subcore: 1 us is 1 cycle\"}}");
}

/* Order of what happens to a track in one cycle: the slice of a warp ends behind those within it.
 */
enum { ORDER_NAME, ORDER_STALL, ORDER_FLIGHT, ORDER_WARP_END, ORDER_WARP, ORDER_COUNTER };

/* Starts text that is written when all before `cycle` is. */
static bool begin_piece(struct timeline *t, uint64_t cycle, uint32_t sm, uint32_t slot,
                        uint32_t order, struct sim_err *err)
{
    if (t->piece_count == t->piece_cap) {
        uint32_t cap = t->piece_cap ? 2 * t->piece_cap : 1024;
        struct piece *p = realloc(t->pieces, cap * sizeof *p);
        if (!p)
            return err_memory(err, "writing the timeline");
        t->pieces = p;
        t->piece_cap = cap;
    }
    t->pieces[t->piece_count++] = (struct piece){
        .cycle = cycle, .sm = sm, .slot = slot, .order = order, .at = t->waiting.len};
    return true;
}

static bool end_piece(struct timeline *t, struct sim_err *err)
{
    struct piece *p = &t->pieces[t->piece_count - 1];
    p->len = t->waiting.len - p->at;
    return !t->waiting.failed || err_memory(err, "writing the timeline");
}

static void begin_event(struct timeline *t, const char *ph, uint32_t sm, uint32_t tid)
{
    buf_printf(&t->waiting, ",\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", ph, PID(sm), tid);
}

static bool shows(struct timeline_range r, uint64_t v)
{
    return v >= r.first && v <= r.last;
}

bool perfetto_name(struct timeline *t, uint32_t sm, uint64_t cycle, struct sim_err *err)
{
    if (t->named[sm])
        return true;
    t->named[sm] = true;
    TRY(begin_piece(t, cycle, sm, 0, ORDER_NAME, err));
    begin_event(t, "M", sm, 0);
    buf_printf(&t->waiting, ",\"name\":\"process_name\",\"args\":{\"name\":\"SM %u\"}}", sm);
    for (uint32_t slot = 0; slot < LANES_PER_SM; slot++) {
        if (!shows(t->filter.slots, slot) || !shows(t->filter.subcores, slot % 4))
            continue;
        begin_event(t, "M", sm, TID(slot));
        buf_printf(&t->waiting,
                   ",\"name\":\"thread_name\",\"args\":{\"name\":\"sub-core %u, warp slot %u\"}}",
                   slot % 4, slot);
        begin_event(t, "M", sm, TID(slot));
        buf_printf(&t->waiting, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}",
                   slot % 4 * LANES_PER_SM + slot);
    }
    return end_piece(t, err);
}

static void add_span(struct timeline *t, uint64_t from, uint64_t to)
{
    buf_printf(&t->waiting, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64, t->base + from, to - from);
}

/* One end of the time in which a shared unit has the instruction. */
static void add_in_flight(struct timeline *t, const char *ph, uint32_t sm, uint32_t slot,
                          const struct flight *f, uint64_t cycle)
{
    begin_event(t, ph, sm, TID(slot));
    buf_printf(&t->waiting,
               ",\"cat\":\"in flight\",\"id\":%" PRIu64 ",\"ts\":%" PRIu64 ",\"name\":", f->id,
               t->base + cycle);
    json_quote(&t->waiting, t->kernel->insts[f->inst]->opcode);
    buf_puts(&t->waiting, "}");
}

static void add_stages(struct buf *out, const struct flight *f)
{
    buf_printf(out,
               ",\"fetch\":%" PRIu64 ",\"decoded\":%" PRIu64 ",\"issue\":%" PRIu64
               ",\"control\":%" PRIu64,
               f->fetch, f->ready, f->issue, f->control);
    if (f->queued)
        buf_printf(out, ",\"addresses\":%" PRIu64 ",\"unit\":%" PRIu64, f->start, f->hand_over);
    else
        buf_printf(out, ",\"operand_read\":%" PRIu64 ",\"execute\":%" PRIu64, f->read, f->execute);
    buf_printf(out, ",\"write_back\":%" PRIu64 "}}", f->done);
}

/* The cycle of its issue as a slice, with the cycles of its stages. */
bool perfetto_flight(struct timeline *t, uint32_t sm, uint32_t slot, const struct lane *l,
                     const struct flight *f, struct sim_err *err)
{
    const struct inst *in = t->kernel->insts[f->inst];
    struct buf *out = &t->waiting, text = {0};
    inst_text(&text, in);
    TRY(begin_piece(t, f->done, sm, slot, ORDER_FLIGHT, err));
    begin_event(t, "X", sm, TID(slot));
    buf_puts(out, ",\"cat\":\"issue\",\"name\":");
    json_quote(out, in->opcode);
    add_span(t, f->issue, f->issue + 1);
    buf_puts(out, ",\"args\":{\"instruction\":");
    json_quote(out, text.data ? text.data : "");
    buf_printf(out, ",\"pc\":\"0x%04x\",\"kernel\":%" PRIu64 ",\"cta\":%" PRIu64 ",\"warp\":%u",
               in->pc, t->kernel->id, l->cta, (unsigned)l->warp);
    add_stages(out, f);
    if (f->queued) {
        add_in_flight(t, "b", sm, slot, f, f->hand_over);
        add_in_flight(t, "e", sm, slot, f, f->done);
    }
    out->failed = out->failed || text.failed;
    buf_free(&text);
    return end_piece(t, err);
}

bool perfetto_stall(struct timeline *t, uint32_t sm, uint32_t slot, const struct lane *l,
                    struct sim_err *err)
{
    if (l->reason == STALL_selected)
        return true; /* the slices of issued instructions */
    TRY(begin_piece(t, l->stall_to, sm, slot, ORDER_STALL, err));
    begin_event(t, "X", sm, TID(slot));
    buf_printf(&t->waiting, ",\"cat\":\"stall\",\"name\":\"%s\"",
               stall_name((enum stall_reason)l->reason));
    add_span(t, l->stall_from, l->stall_to);
    buf_puts(&t->waiting, "}");
    return end_piece(t, err);
}

bool perfetto_warp(struct timeline *t, uint32_t sm, uint32_t slot, const struct lane *l,
                   uint64_t cycle, struct sim_err *err)
{
    TRY(begin_piece(t, cycle, sm, slot, ORDER_WARP, err));
    begin_event(t, "B", sm, TID(slot));
    buf_printf(&t->waiting,
               ",\"cat\":\"warp\",\"ts\":%" PRIu64 ",\"name\":\"CTA %" PRIu64 " warp %u\"}",
               t->base + cycle, l->cta, (unsigned)l->warp);
    return end_piece(t, err);
}

bool perfetto_warp_end(struct timeline *t, uint32_t sm, uint32_t slot, const struct lane *l,
                       struct sim_err *err)
{
    TRY(begin_piece(t, l->stall_to, sm, slot, ORDER_WARP_END, err));
    begin_event(t, "E", sm, TID(slot));
    buf_printf(&t->waiting, ",\"ts\":%" PRIu64 "}", t->base + l->stall_to);
    return end_piece(t, err);
}

bool perfetto_count(struct timeline *t, uint32_t sm, uint64_t at, uint64_t cycles,
                    struct counter each, struct sim_err *err)
{
    struct counters *c = &t->counters[sm];
    if (c->count == 0 && !c->shown)
        c->first = at / COUNTER_CYCLES;
    while (cycles > 0) {
        uint64_t i = at / COUNTER_CYCLES;
        uint64_t part = min_u64(cycles, (i + 1) * COUNTER_CYCLES - at);
        for (; i - c->first >= c->count; c->count++) {
            if (c->count == c->cap) {
                uint32_t cap = c->cap ? 2 * c->cap : 16;
                struct counter *p = realloc(c->items, cap * sizeof *p);
                if (!p)
                    return err_memory(err, "writing the timeline");
                c->items = p;
                c->cap = cap;
            }
            c->items[c->count] = (struct counter){0};
        }
        c->items[i - c->first].resident += each.resident * part;
        c->items[i - c->first].issued += each.issued * part;
        at += part;
        cycles -= part;
    }
    return true;
}

static void add_counter(struct timeline *t, uint32_t sm, uint64_t cycle, const char *name,
                        uint64_t sum)
{
    char value[NUMBER_SIZE];
    number_ratio(value, sum, COUNTER_CYCLES, 2);
    begin_event(t, "C", sm, 0);
    buf_printf(&t->waiting, ",\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"value\":%s}}",
               t->base + cycle, name, value);
}

/* Averages over one interval. */
static bool add_counters(struct timeline *t, uint32_t sm, uint64_t interval, struct counter sums,
                         struct sim_err *err)
{
    uint64_t cycle = interval * COUNTER_CYCLES;
    TRY(begin_piece(t, cycle + COUNTER_CYCLES, sm, 0, ORDER_COUNTER, err));
    add_counter(t, sm, cycle, "resident warps", sums.resident);
    add_counter(t, sm, cycle, "IPC", sums.issued);
    t->counters[sm].shown = sums.resident > 0;
    return end_piece(t, err);
}

/* The intervals that end at `until` at the latest; of idle ones only the first. */
static bool write_counters(struct timeline *t, uint32_t sm, uint64_t until, struct sim_err *err)
{
    struct counters *c = &t->counters[sm];
    uint32_t n = 0;
    for (; n < c->count && (c->first + n + 1) * COUNTER_CYCLES <= until; n++)
        if (c->items[n].resident > 0 || c->shown)
            TRY(add_counters(t, sm, c->first + n, c->items[n], err));
    for (uint32_t i = n; i < c->count; i++)
        c->items[i - n] = c->items[i];
    c->count -= n;
    c->first += n;
    if (until == UINT64_MAX && c->shown)
        TRY(add_counters(t, sm, c->first, (struct counter){0}, err));
    return true;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

bool perfetto_drain(struct timeline *t, uint64_t until, struct sim_err *err)
{
    uint32_t n = 0;
    struct buf swap = t->kept;
    for (uint32_t sm = 0; sm < t->sm_count; sm++)
        TRY(write_counters(t, sm, until, err));
    if (t->piece_count > 1)
        qsort(t->pieces, t->piece_count, sizeof *t->pieces, compare_pieces);
    for (; n < t->piece_count && t->pieces[n].cycle < until; n++)
        buf_add(&t->text, t->waiting.data + t->pieces[n].at, t->pieces[n].len);
    swap.len = 0;
    for (uint32_t i = n; i < t->piece_count; i++) {
        struct piece *to = &t->pieces[i - n];
        *to = t->pieces[i];
        size_t at = swap.len;
        buf_add(&swap, t->waiting.data + to->at, to->len);
        to->at = at;
    }
    t->piece_count -= n;
    t->kept = t->waiting;
    t->waiting = swap;
    return !swap.failed || err_memory(err, "writing the timeline");
}

void perfetto_end(struct timeline *t)
{
    buf_puts(&t->text, "\n]}\n");
}

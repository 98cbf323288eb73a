/* Follows every instruction and warp through the events of the pipeline. */
#include "report/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "report/timeline_parts.h"

#define SUBCORES_OF_SM 4

bool timeline_format_of(const char *path, enum timeline_format *format, struct sim_err *err)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".json") == 0)
        *format = TIMELINE_PERFETTO;
    else if (dot && strcmp(dot, ".kanata") == 0)
        *format = TIMELINE_KANATA;
    else
        return err_set(err, ERR_USAGE, NULL, 0, 0,
                       "--timeline: expected a name that ends in .kanata (Konata) or .json "
                       "(Perfetto), found '%s'",
                       path);
    return true;
}

bool timeline_begin(struct timeline **out, struct outfile *file, enum timeline_format format,
                    const struct timeline_filter *filter, struct sim_err *err)
{
    struct timeline *t = calloc(1, sizeof *t);
    if (!t)
        return err_memory(err, "opening the timeline");
    t->file = file;
    t->format = format;
    t->filter = *filter;
    if (format == TIMELINE_KANATA)
        kanata_begin(t);
    else
        perfetto_begin(t);
    *out = t;
    return true;
}

static bool within(struct timeline_range r, uint64_t v)
{
    return v >= r.first && v <= r.last;
}

static bool shows_slot(const struct timeline *t, uint32_t sm, uint32_t slot)
{
    return within(t->filter.sms, sm) && within(t->filter.slots, slot) &&
           within(t->filter.subcores, slot % SUBCORES_OF_SM);
}

static bool grow_sms(struct timeline *t, uint32_t sm, struct sim_err *err)
{
    if (sm < t->sm_count)
        return true;
    uint32_t n = sm + 1;
    struct lane *lanes = realloc(t->lanes, (size_t)n * LANES_PER_SM * sizeof *lanes);
    if (lanes)
        t->lanes = lanes;
    struct counters *counters = realloc(t->counters, n * sizeof *counters);
    if (counters)
        t->counters = counters;
    bool *named = realloc(t->named, n * sizeof *named);
    if (named)
        t->named = named;
    if (!lanes || !counters || !named)
        return err_memory(err, "writing the timeline");
    uint32_t added = n - t->sm_count;
    memset(lanes + (size_t)t->sm_count * LANES_PER_SM, 0,
           (size_t)added * LANES_PER_SM * sizeof *lanes);
    memset(counters + t->sm_count, 0, added * sizeof *counters);
    memset(named + t->sm_count, 0, added * sizeof *named);
    t->sm_count = n;
    return true;
}

static struct lane *lane_of(struct timeline *t, uint32_t sm, uint32_t slot)
{
    return &t->lanes[(size_t)sm * LANES_PER_SM + slot];
}

/* First instruction of the warp that is at this point of its way, or NULL. */
static struct flight *find(struct lane *l, const struct pipe_record *r)
{
    for (uint32_t i = 0; i < l->count; i++) {
        struct flight *f = &l->flights[i];
        bool here = r->event == PIPE_ISSUE       ? f->issue == UNKNOWN
                    : r->event == PIPE_START     ? f->issue != UNKNOWN && f->start == UNKNOWN
                    : r->event == PIPE_HAND_OVER ? f->start != UNKNOWN && f->hand_over == UNKNOWN
                                                 : f->hand_over != UNKNOWN;
        if (f->inst == r->inst && here)
            return f;
    }
    return NULL;
}

static void forget(struct lane *l, struct flight *f)
{
    uint32_t at = (uint32_t)(f - l->flights);
    memmove(f, f + 1, (l->count - at - 1) * sizeof *f);
    l->count--;
}

/* The instruction's last stage ends with the cycle `f->done`. */
static bool finish(struct timeline *t, const struct pipe_record *r, struct lane *l,
                   struct flight *f, struct sim_err *err)
{
    bool ok = true;
    t->latest = max_u64(t->latest, f->done + 1);
    if (t->format == TIMELINE_PERFETTO)
        ok = perfetto_flight(t, r->sm, r->warp_slot, l, f, err);
    else
        ok = kanata_stage(t, f, "W", f->done, err) &&
             kanata_retire(t, f->id, f->done + 1, false, err);
    forget(l, f);
    return ok;
}

/* The stall that runs ends where it was charged last. */
static bool end_stall(struct timeline *t, uint32_t sm, uint32_t slot, struct lane *l,
                      struct sim_err *err)
{
    bool ok = true;
    if (l->stall_to == l->stall_from)
        return true;
    if (t->format == TIMELINE_PERFETTO)
        ok = perfetto_stall(t, sm, slot, l, err);
    else if (l->stall_shown)
        ok = kanata_stall_end(t, l, err);
    t->latest = max_u64(t->latest, l->stall_to);
    l->stall_from = l->stall_to;
    l->stall_shown = false;
    return ok;
}

/* The warp has left its slot. */
static bool end_warp(struct timeline *t, uint32_t sm, uint32_t slot, struct lane *l,
                     struct sim_err *err)
{
    TRY(end_stall(t, sm, slot, l, err));
    bool ok =
        t->format == TIMELINE_KANATA || !l->resident || perfetto_warp_end(t, sm, slot, l, err);
    l->resident = false;
    return ok;
}

static bool on_fetch(struct timeline *t, const struct pipe_record *r, struct lane *l,
                     struct sim_err *err)
{
    if (!within(t->filter.cycles, r->cycle))
        return true;
    if (l->count == l->cap) {
        uint32_t cap = l->cap ? 2 * l->cap : 16;
        struct flight *p = realloc(l->flights, cap * sizeof *p);
        if (!p)
            return err_memory(err, "writing the timeline");
        l->flights = p;
        l->cap = cap;
    }
    struct flight *f = &l->flights[l->count++];
    *f = (struct flight){.id = t->next_id++,
                         .inst = r->inst,
                         .fetch = r->cycle,
                         .ready = r->ready,
                         .issue = UNKNOWN,
                         .start = UNKNOWN,
                         .hand_over = UNKNOWN,
                         .done = UNKNOWN};
    return t->format == TIMELINE_PERFETTO || kanata_fetch(t, r->sm, r->warp_slot, l, f, err);
}

static bool on_issue(struct timeline *t, const struct pipe_record *r, struct lane *l,
                     struct flight *f, struct sim_err *err)
{
    f->issue = r->cycle;
    f->control = r->control;
    f->queued = r->write == 0;
    f->read = r->read;
    f->execute = r->execute;
    f->write = r->write;
    if (t->format == TIMELINE_KANATA)
        TRY(kanata_stage(t, f, "C", r->control, err) &&
            kanata_stage(t, f, f->queued ? "Q" : "A", r->control + 1, err));
    if (f->queued)
        return true;
    f->done = r->write;
    if (t->format == TIMELINE_KANATA)
        TRY(kanata_stage(t, f, "R", r->read, err) && kanata_stage(t, f, "X", r->execute, err));
    return finish(t, r, l, f, err);
}

static bool on_later(struct timeline *t, const struct pipe_record *r, struct lane *l,
                     struct flight *f, struct sim_err *err)
{
    if (r->event == PIPE_START) {
        f->start = r->cycle;
        return t->format == TIMELINE_PERFETTO || kanata_stage(t, f, "G", r->cycle, err);
    }
    if (r->event == PIPE_HAND_OVER) {
        f->hand_over = r->cycle;
        bool memory = t->kernel->insts[f->inst]->mem_space != MEM_NONE;
        return t->format == TIMELINE_PERFETTO ||
               kanata_stage(t, f, memory ? "M" : "X", r->cycle, err);
    }
    f->done = r->cycle;
    return finish(t, r, l, f, err);
}

/* The instruction the warp waits to issue: the first that has not. */
static struct flight *head_of(struct lane *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->flights[i].issue == UNKNOWN)
            return &l->flights[i];
    return NULL;
}

static bool stall_slot(struct timeline *t, const struct pipe_record *r, uint32_t slot,
                       struct sim_err *err)
{
    struct lane *l = lane_of(t, r->sm, slot);
    struct timeline_range shown = t->filter.cycles;
    uint64_t from = max_u64(r->cycle, shown.first), to = r->cycle + r->stall_cycles;
    if (shown.last != UINT64_MAX)
        to = min_u64(to, shown.last + 1);
    if (from >= to)
        return true;
    if (!l->resident) {
        l->resident = true;
        l->stall_from = l->stall_to = from;
        TRY(t->format == TIMELINE_KANATA || perfetto_warp(t, r->sm, slot, l, from, err));
    }
    if (l->stall_to > l->stall_from && l->reason == r->reason) {
        l->stall_to = to;
        return true;
    }
    TRY(end_stall(t, r->sm, slot, l, err));
    l->reason = r->reason;
    l->stall_from = from;
    l->stall_to = to;
    const struct flight *head = head_of(l);
    if (t->format == TIMELINE_PERFETTO || r->reason == STALL_selected || !head)
        return true;
    l->stall_shown = true;
    return kanata_stall(t, l, head->id, from, err);
}

static bool on_stall(struct timeline *t, const struct pipe_record *r, struct sim_err *err)
{
    struct counter each = {popcount32(r->warps), r->reason == STALL_selected};
    if (t->format == TIMELINE_PERFETTO)
        TRY(perfetto_count(t, r->sm, r->cycle, r->stall_cycles, each, err));
    for (uint32_t m = r->warps; m != 0; m &= m - 1) {
        uint32_t slot = lowest_bit(m) * SUBCORES_OF_SM + r->subcore;
        if (shows_slot(t, r->sm, slot))
            TRY(stall_slot(t, r, slot, err));
    }
    return true;
}

/* A warp that was in the slot has left. */
static bool on_warp(struct timeline *t, const struct pipe_record *r, struct lane *l,
                    struct sim_err *err)
{
    TRY(end_warp(t, r->sm, r->warp_slot, l, err));
    l->cta = r->cta;
    l->warp = r->warp;
    return true;
}

static bool on_event(struct timeline *t, const struct pipe_record *r, struct sim_err *err)
{
    TRY(grow_sms(t, r->sm, err));
    if (t->format == TIMELINE_PERFETTO)
        TRY(perfetto_name(t, r->sm, r->cycle, err));
    if (r->event == PIPE_STALL)
        return on_stall(t, r, err);
    if (!shows_slot(t, r->sm, r->warp_slot))
        return true;
    struct lane *l = lane_of(t, r->sm, r->warp_slot);
    if (r->event == PIPE_WARP)
        return on_warp(t, r, l, err);
    if (r->event == PIPE_FETCH)
        return on_fetch(t, r, l, err);
    struct flight *f = find(l, r);
    if (!f)
        return true; /* fetched before the cycles that are shown */
    return r->event == PIPE_ISSUE ? on_issue(t, r, l, f, err) : on_later(t, r, l, f, err);
}

static bool drain_text(struct timeline *t, struct sim_err *err)
{
    if (t->text.failed)
        return err_memory(err, "writing the timeline");
    bool ok = outfile_write(t->file, t->text.data, t->text.len, err);
    t->text.len = 0;
    return ok;
}

/* Warps that were not charged to the end of the window have left. */
static bool end_left_warps(struct timeline *t, uint64_t until, struct sim_err *err)
{
    for (uint32_t sm = 0; sm < t->sm_count; sm++)
        for (uint32_t slot = 0; slot < LANES_PER_SM; slot++) {
            struct lane *l = lane_of(t, sm, slot);
            if (l->resident && l->stall_to < until)
                TRY(end_warp(t, sm, slot, l, err));
        }
    return true;
}

static bool drain_lines(struct timeline *t, uint64_t until, struct sim_err *err)
{
    return t->format == TIMELINE_KANATA ? kanata_drain(t, until, err)
                                        : perfetto_drain(t, until, err);
}

bool timeline_add(void *user, const struct pipe_batch *b, struct sim_err *err)
{
    struct timeline *t = user;
    t->kernel = b->kernel;
    for (size_t i = 0; i < b->count; i++)
        TRY(on_event(t, &b->records[i], err));
    TRY(end_left_warps(t, b->until, err));
    TRY(drain_lines(t, b->until, err));
    return drain_text(t, err);
}

/* Instructions that were cut off. */
static bool flush_lane(struct timeline *t, struct lane *l, struct sim_err *err)
{
    for (uint32_t i = 0; t->format == TIMELINE_KANATA && i < l->count; i++)
        TRY(kanata_retire(t, l->flights[i].id, t->latest, true, err));
    l->count = 0;
    return true;
}

bool timeline_end_kernel(struct timeline *t, struct sim_err *err)
{
    TRY(end_left_warps(t, UINT64_MAX, err));
    for (uint32_t i = 0; i < t->sm_count * LANES_PER_SM; i++)
        TRY(flush_lane(t, &t->lanes[i], err));
    TRY(drain_lines(t, UINT64_MAX, err));
    t->kernel = NULL;
    t->base += t->latest;
    t->latest = 0;
    t->begun_ids = t->next_id;
    t->begun_retired = t->retired;
    t->begun_cycle = t->cycle;
    return drain_text(t, err);
}

void timeline_drop(struct timeline *t)
{
    for (uint32_t i = 0; i < t->sm_count * LANES_PER_SM; i++) {
        t->lanes[i].count = 0;
        t->lanes[i].resident = t->lanes[i].stall_shown = false;
    }
    for (uint32_t sm = 0; sm < t->sm_count; sm++) {
        t->counters[sm].count = 0;
        t->counters[sm].shown = false;
        t->named[sm] = false;
    }
    t->text.len = 0;
    t->step_count = t->piece_count = 0;
    t->waiting.len = 0;
    t->next_id = t->begun_ids;
    t->retired = t->begun_retired;
    t->cycle = t->begun_cycle;
    t->latest = 0;
    t->kernel = NULL;
}

bool timeline_end(struct timeline *t, struct sim_err *err)
{
    if (t->format == TIMELINE_PERFETTO)
        perfetto_end(t);
    return drain_text(t, err);
}

void timeline_free(struct timeline *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->sm_count * LANES_PER_SM; i++)
        free(t->lanes[i].flights);
    free(t->lanes);
    for (uint32_t sm = 0; sm < t->sm_count; sm++)
        free(t->counters[sm].items);
    free(t->counters);
    free(t->pieces);
    buf_free(&t->waiting);
    buf_free(&t->kept);
    free(t->named);
    free(t->steps);
    buf_free(&t->text);
    free(t);
}

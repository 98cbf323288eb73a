/* Kanata log 0004, for Konata. Lines are in order of time: a step waits until no earlier one can
 * come any more. */
#include <inttypes.h>
#include <stdlib.h>

#include "isa/opcode.h"
#include "report/inst_text.h"
#include "report/timeline_parts.h"
#include "sim/result.h"

void kanata_begin(struct timeline *t)
{
    buf_puts(&t->text, "Kanata\t0004\nC=\t0\n");
}

static bool add_step(struct timeline *t, struct step s, struct sim_err *err)
{
    if (t->step_count == t->step_cap) {
        uint32_t cap = t->step_cap ? 2 * t->step_cap : 1024;
        struct step *p = realloc(t->steps, cap * sizeof *p);
        if (!p)
            return err_memory(err, "writing the timeline");
        t->steps = p;
        t->step_cap = cap;
    }
    t->steps[t->step_count++] = s;
    return true;
}

/* Order of the steps of an instruction within a cycle. */
enum { ORDER_BEGIN, ORDER_FETCH, ORDER_DECODE, ORDER_WAIT, ORDER_STALL_END, ORDER_STALL };
enum { ORDER_STAGE = 8, ORDER_RETIRE = 64 };

static uint32_t stage_order(const char *name)
{
    static const char stages[] = "CAQRGXMW";
    uint32_t i = 0;
    while (stages[i] && stages[i] != name[0])
        i++;
    return ORDER_STAGE + i;
}

bool kanata_fetch(struct timeline *t, uint32_t sm, uint32_t slot, const struct lane *l,
                  const struct flight *f, struct sim_err *err)
{
    const struct step rows[] = {
        {.cycle = f->fetch, .order = ORDER_BEGIN, .kind = STEP_BEGIN},
        {.cycle = f->fetch, .order = ORDER_FETCH, .kind = STEP_STAGE, .name = "F"},
        {.cycle = f->fetch + 1, .order = ORDER_DECODE, .kind = STEP_STAGE, .name = "D"},
        {.cycle = f->ready, .order = ORDER_WAIT, .kind = STEP_STAGE, .name = "I"}};
    /* Decode that takes no cycle of its own is left out. */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct step s = rows[i];
        if (s.order == ORDER_DECODE && f->ready <= f->fetch + 1)
            continue;
        s.id = f->id;
        s.sm = sm;
        s.inst = f->inst;
        s.cta = l->cta;
        s.slot = (uint16_t)slot;
        s.warp = l->warp;
        TRY(add_step(t, s, err));
    }
    return true;
}

bool kanata_stage(struct timeline *t, const struct flight *f, const char *name, uint64_t cycle,
                  struct sim_err *err)
{
    return add_step(t,
                    (struct step){.cycle = cycle,
                                  .id = f->id,
                                  .order = stage_order(name),
                                  .kind = STEP_STAGE,
                                  .name = name},
                    err);
}

bool kanata_stall(struct timeline *t, struct lane *l, uint64_t id, uint64_t cycle,
                  struct sim_err *err)
{
    l->stall_id = id;
    return add_step(t,
                    (struct step){.cycle = cycle,
                                  .id = id,
                                  .order = ORDER_STALL,
                                  .kind = STEP_STALL,
                                  .name = stall_name((enum stall_reason)l->reason)},
                    err);
}

bool kanata_stall_end(struct timeline *t, struct lane *l, struct sim_err *err)
{
    return add_step(t,
                    (struct step){.cycle = l->stall_to,
                                  .id = l->stall_id,
                                  .order = ORDER_STALL_END,
                                  .kind = STEP_STALL_END,
                                  .name = stall_name((enum stall_reason)l->reason)},
                    err);
}

bool kanata_retire(struct timeline *t, uint64_t id, uint64_t cycle, bool flushed,
                   struct sim_err *err)
{
    return add_step(t,
                    (struct step){.cycle = cycle,
                                  .id = id,
                                  .order = ORDER_RETIRE,
                                  .kind = STEP_RETIRE,
                                  .flushed = flushed},
                    err);
}

static int compare_steps(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Left pane: the warp and the instruction. On mouse-over: where it ran, and its control code. */
static void write_begin(struct timeline *t, const struct step *s)
{
    const struct inst *in = t->kernel->insts[s->inst];
    buf_printf(&t->text, "I\t%" PRIu64 "\t%" PRIu64 "\t%u\nL\t%" PRIu64 "\t0\tw%u 0x%04x ", s->id,
               s->id, (unsigned)s->slot, s->id, (unsigned)s->slot, in->pc);
    inst_text(&t->text, in);
    buf_printf(&t->text,
               "\nL\t%" PRIu64 "\t1\tkernel %" PRIu64 ", SM %u, sub-core %u, warp slot %u, CTA "
               "%" PRIu64 ", warp %u",
               s->id, t->kernel->id, s->sm, s->slot % 4u, (unsigned)s->slot, s->cta,
               (unsigned)s->warp);
    if (t->kernel->has_ctrl) {
        char ctrl[24];
        ctrl_format(in->ctrl, ctrl);
        buf_printf(&t->text, "; %s", ctrl);
    }
    if (s->id == 0)
        buf_puts(&t->text,
                 "; stages: F fetch, D decode, I waits for issue, C Control, A Allocate, "
                 "R operand read, Q queue, G addresses, X execute, M memory, W write-back");
    buf_puts(&t->text, "\n");
}

static void write_step(struct timeline *t, const struct step *s)
{
    uint64_t cycle = t->base + s->cycle;
    if (cycle > t->cycle)
        buf_printf(&t->text, "C\t%" PRIu64 "\n", cycle - t->cycle);
    if (cycle > t->cycle)
        t->cycle = cycle;
    switch (s->kind) {
    case STEP_BEGIN:
        write_begin(t, s);
        break;
    case STEP_STAGE:
        buf_printf(&t->text, "S\t%" PRIu64 "\t0\t%s\n", s->id, s->name);
        break;
    case STEP_STALL:
        buf_printf(&t->text, "S\t%" PRIu64 "\t1\t%s\n", s->id, s->name);
        break;
    case STEP_STALL_END:
        buf_printf(&t->text, "E\t%" PRIu64 "\t1\t%s\n", s->id, s->name);
        break;
    case STEP_RETIRE:
        buf_printf(&t->text, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", s->id, t->retired++,
                   s->flushed ? 1 : 0);
        break;
    }
}

bool kanata_drain(struct timeline *t, uint64_t until, struct sim_err *err)
{
    uint32_t n = 0;
    if (t->step_count > 1)
        qsort(t->steps, t->step_count, sizeof *t->steps, compare_steps);
    for (; n < t->step_count && t->steps[n].cycle < until; n++)
        write_step(t, &t->steps[n]);
    for (uint32_t i = n; i < t->step_count; i++)
        t->steps[i - n] = t->steps[i];
    t->step_count -= n;
    return !t->text.failed || err_memory(err, "writing the timeline");
}

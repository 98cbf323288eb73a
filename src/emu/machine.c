/* Executes CTAs. */
#include "emu/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buf.h"
#include "emu/memory.h"
#include "emu/program.h"

/* A warp runs until it needs what a load brings, as on hardware: code without barriers whose warps
 * read what others overwrite later depends on that. At most so many instructions: then others get a
 * turn, and lanes that wait for other lanes, for code that waits in a loop. */
#define TURN_STEPS 65536u

/* A run of `n` instructions from `first` with all of `lanes`. */
static bool account(struct emu_program *p, const struct emu_warp *w, struct emu_record *rec,
                    uint32_t first, uint32_t n, uint32_t lanes, struct sim_err *err)
{
    p->cta.steps += n;
    if (p->tally) {
        int64_t threads = popcount32(lanes);
        p->tally[first].inst++;
        p->tally[first].thread += threads;
        p->tally[first + n].inst--;
        p->tally[first + n].thread -= threads;
    }
    for (uint32_t i = first; i < first + n; i++)
        TRY(emu_record_plain(rec, w->index, i, lanes, err));
    return true;
}

/* One instruction that is not for the tight loop. */
static bool execute(struct emu_program *p, struct emu_warp *w, struct emu_record *rec, uint32_t pc,
                    struct sim_err *err)
{
    const struct emu_op *op = &p->ops[pc];
    const struct emu_step *step = &p->steps[pc];
    struct emu_flow *f = w->flow;
    uint32_t lanes = f->active;
    uint32_t mask = lanes;
    if (step->flags & EMU_STEP_GUARDED)
        mask &= emu_predicate_of(w, &step->guard);
    p->access.used = false;
    if (mask)
        op->run(w, op, mask);
    p->cta.steps++;
    if (p->tally) {
        int64_t threads = popcount32(lanes);
        p->tally[pc].inst++;
        p->tally[pc].thread += threads;
        p->tally[pc].masked += popcount32(lanes & ~mask);
        p->tally[pc + 1].inst--;
        p->tally[pc + 1].thread -= threads;
    }
    f->pending |= step->loads;
    if (step->flags & EMU_STEP_MEMORY)
        return emu_record_memory(rec, w->index, pc, mask, &p->access, err);
    return emu_record_plain(rec, w->index, pc, mask, err);
}

/* Runs the running group of `w` until it waits, ends, diverges or its turn is over. */
static bool run_group(struct emu_program *p, struct emu_warp *w, struct emu_record *rec,
                      uint64_t turn_end, struct sim_err *err)
{
    struct emu_flow *f = w->flow;
    const struct emu_op *ops = p->ops;
    const struct emu_step *steps = p->steps;
    uint32_t lanes = f->active, pc = f->pc;
    while (lanes) {
        uint32_t first = pc;
        for (; !steps[pc].flags; pc++)
            ops[pc].run(w, &ops[pc], lanes);
        if (pc > first)
            TRY(account(p, w, rec, first, pc - first, lanes, err));
        if (steps[pc].waits & f->pending) {
            f->pending &= (uint8_t)~steps[pc].waits;
            f->pc = pc;
            f->yields = true;
            return true;
        }
        f->pc = pc + 1;
        if (pc == p->count) {
            ops[pc].run(w, &ops[pc], lanes);
            return emu_fault_error(&p->cta, err);
        }
        TRY(execute(p, w, rec, pc, err));
        if (p->cta.fault.set)
            return emu_fault_error(&p->cta, err);
        if ((steps[pc].flags & EMU_STEP_FLOW) && p->cta.steps >= turn_end)
            return true;
        lanes = f->active;
        pc = f->pc;
    }
    return true;
}

/* Runs a warp until all of its lanes wait or have ended, or its turn is over. */
static bool run_warp(struct emu_program *p, struct emu_warp *w, struct emu_record *rec,
                     struct sim_err *err)
{
    uint64_t turn_end = p->cta.steps + TURN_STEPS;
    w->flow->yields = false;
    while (p->cta.steps < turn_end && !w->flow->yields && emu_flow_pick(w->flow))
        TRY(run_group(p, w, rec, turn_end, err));
    if (p->cta.steps >= turn_end)
        emu_flow_rotate(w->flow);
    return true;
}

static bool too_many_steps(struct emu_program *p, const struct emu_warp *w, struct sim_err *err)
{
    const struct emu_flow *f = w->flow;
    uint32_t pc = f->active ? f->pc : f->count ? f->groups[0].pc : 0;
    const struct dim3 id = p->cta.id;
    return err_set(err, ERR_SIM, p->launch.file, 0, 0,
                   "kernel %s: CTA (%u,%u,%u): no end after %" PRIu64
                   " warp instructions; warp %u is at pc 0x%04x",
                   p->launch.kernel, id.x, id.y, id.z, p->cta.steps, w->index, pc * INST_BYTES);
}

/* What a group waits for. */
static void describe_wait(struct buf *b, struct emu_program *p, const struct emu_group *g)
{
    uint32_t arrived, needed;
    switch (g->wait) {
    case EMU_WAIT_BARRIER:
        emu_barrier_progress(&p->barriers, g->id, &arrived, &needed);
        buf_printf(b, "waits at barrier %u (%u of %u threads have arrived)", g->id, arrived,
                   needed);
        break;
    case EMU_WAIT_BSYNC:
        buf_printf(b, "waits for other lanes at convergence barrier B%u", g->id);
        break;
    default:
        buf_printf(b, "waits for lanes 0x%08x at WARPSYNC", g->want);
        break;
    }
}

static bool deadlock(struct emu_program *p, struct sim_err *err)
{
    struct buf b = {0};
    uint32_t stuck = 0;
    for (uint32_t i = 0; i < p->cta.warp_count; i++) {
        const struct emu_flow *f = &p->warps[i].flow;
        stuck += f->count > 0;
        for (uint32_t k = 0; k < f->count; k++) {
            const struct emu_group *g = &f->groups[k];
            const struct inst *in = p->ops[g->pc - 1].inst;
            buf_printf(&b, "  warp %u, lanes 0x%08x: pc 0x%04x: %s: ", i, g->mask, in->pc,
                       in->text ? in->text : in->opcode);
            describe_wait(&b, p, g);
            buf_puts(&b, "\n");
        }
    }
    const struct dim3 id = p->cta.id;
    err_set(err, ERR_SIM, p->launch.file, 0, 0,
            "kernel %s: CTA (%u,%u,%u): deadlock: %u of %u warps wait for what never comes",
            p->launch.kernel, id.x, id.y, id.z, stuck, p->cta.warp_count);
    if (!err->detail)
        err->detail = buf_take(&b);
    buf_free(&b);
    return false;
}

static void reset_warp(struct emu_program *p, struct emu_warp *w)
{
    memset(w->r, 0, p->rows * sizeof w->r[0]);
    memset(w->ur, 0, sizeof w->ur);
    memset(w->p, 0, sizeof w->p);
    w->p[7] = ~0u;
    w->up = 0x80;
    w->exited = 0;
    emu_flow_start(w->flow, w->exists);
}

static void reset_cta(struct emu_program *p, uint64_t linear_id)
{
    const struct dim3 grid = p->launch.grid;
    struct emu_cta *cta = &p->cta;
    cta->linear_id = linear_id;
    cta->id.x = (uint32_t)(linear_id % grid.x);
    cta->id.y = (uint32_t)(linear_id / grid.x % grid.y);
    cta->id.z = (uint32_t)(linear_id / grid.x / grid.y);
    cta->epoch = 1;
    cta->steps = 0;
    memset(cta->barrier_result, 0, cta->warp_count * sizeof *cta->barrier_result);
    emu_memory_begin(cta);
    emu_barriers_reset(&p->barriers);
    for (uint32_t i = 0; i < cta->warp_count; i++)
        reset_warp(p, p->warp_list[i]);
}

/* Adds what was executed to the launch's counts. */
static void flush_tally(struct emu_program *p)
{
    if (!p->tally)
        return;
    int64_t inst = 0, thread = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        struct emu_count *c = &p->launch.counts[i];
        inst += p->tally[i].inst;
        thread += p->tally[i].thread;
        c->inst += (uint64_t)inst;
        c->thread += (uint64_t)thread;
        c->thread_true += (uint64_t)thread - p->tally[i].masked;
    }
    memset(p->tally, 0, ((size_t)p->count + 1) * sizeof *p->tally);
}

/* Gives warps their turns until all lanes have exited. */
static bool run_warps(struct emu_program *p, struct emu_record *rec, struct sim_err *err)
{
    bool progress = true;
    while (progress) {
        progress = false;
        for (uint32_t i = 0; i < p->cta.warp_count; i++) {
            struct emu_warp *w = p->warp_list[i];
            uint64_t before = p->cta.steps;
            TRY(run_warp(p, w, rec, err));
            progress |= p->cta.steps > before || w->flow->yields;
            if (p->cta.steps > p->max_steps)
                return too_many_steps(p, w, err);
        }
    }
    for (uint32_t i = 0; i < p->cta.warp_count; i++)
        if (p->warp_list[i]->exists & ~p->warp_list[i]->exited)
            return deadlock(p, err);
    return true;
}

bool emu_run_cta(struct emu_program *p, uint64_t linear_id, struct emu_record *rec,
                 struct sim_err *err)
{
    reset_cta(p, linear_id);
    TRY(emu_record_begin(rec, linear_id, p->cta.id, p->cta.warp_count, err));
    bool ok = run_warps(p, rec, err);
    flush_tally(p);
    return ok && emu_record_end(rec, err);
}

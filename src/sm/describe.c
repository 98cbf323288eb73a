/* Where every resident warp is and what it waits for: the deadlock report. */
#include <inttypes.h>

#include "base/buf.h"
#include "sm/subcore.h"

static void describe_counters(const struct warp *w, const struct exec_inst *e, struct buf *out)
{
    buf_puts(out, "waits for dependence counters");
    for (uint32_t i = 0; i < DEP_COUNTERS; i++) {
        bool depbar = (e->inst_flags & INST_DEPBAR) && i == e->inst->depbar_counter;
        if (depbar || (e->wait_mask & w->counters_nonzero & (1u << i)))
            buf_printf(out, " SB%u = %u%s", i, w->counters[i], depbar ? " (DEPBAR)" : "");
    }
}

static void describe_reason(const struct sm *sm, const struct subcore *sc, const struct warp *w,
                            const struct exec_inst *e, struct buf *out)
{
    warp_mask bit = warp_bit(w);
    if (sc->exited & bit)
        buf_printf(out, "has exited, waits for %u accesses in flight", w->inflight);
    else if (sc->barrier & bit) {
        const struct cta_slot *cta = &sm->ctas[w->cta_slot];
        for (uint32_t i = 0; i < NAMED_BARRIERS; i++) {
            const struct cta_barrier *b = &cta->barriers[i];
            if (b->waiting >> w->slot & 1)
                buf_printf(out, "waits at barrier %u: %u of %u warps have come", i, b->arrived,
                           b->expected ? b->expected : cta->live);
        }
    } else if (sc->membar & bit)
        buf_printf(out, "waits at a memory barrier for %u accesses and %u stores", w->inflight,
                   w->stores_unacked);
    else if (!e)
        buf_puts(out, "waits for an instruction to be fetched");
    else if ((sc->dep_long | sc->dep_short | sc->dep_fixed) & bit) {
        if (e->flags & EXEC_CONTROL_BITS)
            describe_counters(w, e, out);
        else
            buf_puts(out, "waits for a register on the scoreboard");
    } else if (sc->const_wait & bit)
        buf_puts(out, "waits for a constant");
    else if (e->queue != QUEUE_none &&
             sc->queues[e->queue].used >= sm->cfg->queue[e->queue].entries)
        buf_puts(out, "waits for room in its queue");
    else
        buf_puts(out, "is ready");
}

void sm_describe(const struct sm *sm, struct buf *out)
{
    for (uint32_t s = 0; s < SUBCORES; s++) {
        const struct subcore *sc = &sm->subcores[s];
        for (uint32_t i = 0; i < SUBCORE_WARPS; i++) {
            const struct warp *w = &sc->warps[i];
            if (!(sc->resident >> i & 1))
                continue;
            const struct exec_inst *e =
                w->count ? &sm->exec->insts[w->buffer[w->head].dyn.inst] : NULL;
            /* Who waits at a barrier or for what is in flight has issued the instruction it is at.
             */
            bool issued = ((sc->barrier | sc->membar | sc->exited) >> i & 1) || !e;
            const struct exec_inst *at = issued ? &sm->exec->insts[w->last_inst] : e;
            buf_printf(out, "  SM %u sub-core %u warp slot %u (CTA %" PRIu64 ", warp %u) ", sm->id,
                       s, w->slot, w->stream->cta->linear_id, w->stream->warp);
            buf_printf(out, "at pc 0x%04x %s: ", at->inst->pc, at->inst->opcode);
            describe_reason(sm, sc, w, e, out);
            buf_puts(out, "\n");
        }
    }
}

/* Shared-memory accesses: passes over the banks. */
#include "sm/access.h"
#include "unit/banks.h"

/* Passes of a compare-and-swap: a read and a write each (H200: twice those of an addition). */
#define CAS_PASSES 2

static struct bank_passes passes_of(const struct subcore *sc, const struct queued *q,
                                    const struct exec_inst *e)
{
    const struct inst *in = e->inst;
    struct dyn_inst d = q->dyn;
    enum bank_access kind = BANK_STORE;
    uint32_t width = in->mem_width;
    if (in->matrix_count) {
        width = 16;
        if (in->matrix_count < 4)
            d.mask &= (1u << (8 * in->matrix_count)) - 1; /* 8 row addresses a matrix */
    } else if ((e->inst_flags & INST_ATOMIC) && !(e->flags & EXEC_COUNTING)) {
        kind = BANK_ATOMIC;
    } else if ((e->inst_flags & INST_LOAD) && !(e->inst_flags & INST_ATOMIC)) {
        kind = BANK_LOAD;
    }
    return bank_passes(&d, kind, width, sc->sm->cfg->shared_memory.banks);
}

static void count(struct sim_stats *s, const struct exec_inst *e, uint32_t passes, uint32_t extra)
{
    s->shared_instructions++;
    s->shared_wavefronts += passes;
    s->shared_bank_conflicts += extra;
    if (e->inst_flags & INST_ATOMIC) {
        s->shared_atomic_wavefronts += passes;
        s->shared_atomic_bank_conflicts += extra;
    } else if (e->inst_flags & INST_LOAD) {
        s->shared_load_instructions++;
        s->shared_load_wavefronts += passes;
        s->shared_load_bank_conflicts += extra;
    } else {
        s->shared_store_instructions++;
        s->shared_store_wavefronts += passes;
        s->shared_store_bank_conflicts += extra;
    }
}

uint32_t access_shared(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                       cycle_t grant)
{
    const struct shared_memory_cfg *cfg = &sc->sm->cfg->shared_memory;
    struct bank_passes p = passes_of(sc, q, e);
    uint32_t extra = p.passes - p.fewest;
    count(&sc->stats, e, (e->flags & EXEC_CAS) ? p.passes * CAS_PASSES : p.passes, extra);
    access_complete_at(
        sc, q, e, grant + access_hit_cycles(e, p.fewest) + (cycle_t)extra * cfg->conflict_cycles);
    return e->shared_interval + extra * cfg->conflict_interval;
}

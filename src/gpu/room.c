/* What is left of the SMs, and when a CTA can start on them. */
#include "base/bits.h"
#include "gpu/internal.h"

void room_init(struct gpu *g)
{
    const struct sm_cfg *sm = &g->cfg.sm;
    for (uint32_t i = 0; i < g->sm_count; i++)
        g->rooms[i] = (struct sm_room){.ctas = sm->ctas,
                                       .warps = sm->warps,
                                       .barriers = sm->barriers,
                                       .registers = sm->registers,
                                       .shared = sm->shared_bytes};
    for (uint32_t i = 0; i < g->topology.tpcs; i++)
        g->tpc_next[i] = 0;
    g->dispatch_free = 0;
}

/* Registers are given out by sub-core: what a sub-core has beyond whole warps is no use. */
static bool registers_fit(const struct gpu *g, const struct sm_room *r, const struct occupancy *o)
{
    uint32_t all = g->cfg.sm.registers, warp = o->warp_registers;
    if (warp == 0)
        return true;
    uint64_t usable = (uint64_t)(all / SUBCORES / warp) * SUBCORES * warp;
    return all - r->registers + (uint64_t)warp * o->warps_per_cta <= usable;
}

bool room_fits(const struct gpu *g, uint32_t sm, const struct occupancy *o)
{
    const struct sm_room *r = &g->rooms[sm];
    return r->ctas > 0 && r->warps >= o->warps_per_cta && r->barriers >= o->cta_barriers &&
           g->cfg.sm.shared_bytes - r->shared + o->cta_shared <= o->shared_bytes &&
           registers_fit(g, r, o);
}

void room_take(struct gpu *g, uint32_t sm, const struct occupancy *o)
{
    struct sm_room *r = &g->rooms[sm];
    r->ctas--;
    r->warps -= o->warps_per_cta;
    r->barriers -= o->cta_barriers;
    r->registers -= (uint64_t)o->warp_registers * o->warps_per_cta;
    r->shared -= o->cta_shared;
}

void room_give_warp(struct gpu *g, uint32_t sm, const struct occupancy *o)
{
    g->rooms[sm].warps++;
    g->rooms[sm].registers += o->warp_registers;
}

void room_give_cta(struct gpu *g, uint32_t sm, const struct occupancy *o)
{
    struct sm_room *r = &g->rooms[sm];
    r->ctas++;
    r->barriers += o->cta_barriers;
    r->shared += o->cta_shared;
}

/* The SMs of a TPC take turns: an SM starts its next CTA when each of the others had its turn. */
cycle_t room_start(struct gpu *g, uint32_t sm, cycle_t earliest, uint32_t warps)
{
    const struct config *cfg = &g->cfg;
    struct sm_room *r = &g->rooms[sm];
    cycle_t *tpc = &g->tpc_next[g->topology.tpc[sm]];
    uint64_t turn = cfg->gpu.tpc_launch_cycles + warps, pending = cfg->gpu.tpc_launch_warps;
    if (warps > pending)
        turn = max_u64(turn, (warps - pending) * cfg->sm.warp_launch_cycles);
    cycle_t start = max_u64(earliest, max_u64(*tpc, r->next_start));
    *tpc = start + turn;
    r->next_start = start + max_u64(cfg->sm.cta_launch_cycles + warps,
                                    turn * cfg->gpu.sms_per_tpc + cfg->gpu.sms_per_tpc);
    return start;
}

#include "gpu/occupancy.h"

#include <inttypes.h>

#include "base/bits.h"

/* Sub-cores of an SM: registers are given out by sub-core. */
#define SM_SUBCORES 4u

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return to ? (n + to - 1) / to * to : n;
}

/* Named barriers of a CTA; a kernel without any still takes one. */
static uint32_t barriers_of(const struct kernel *k)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < k->inst_count; i++)
        if (k->insts[i]->flags & (INST_BARRIER_SYNC | INST_BARRIER_ARRIVE))
            n = (uint32_t)max_u64(n, k->insts[i]->barrier_id + 1u);
    return n;
}

/* Shared-memory sizes the driver chooses among, in KB (CUDA programming guide, compute capabilities
 * 7.5 to 9.0). */
static const uint32_t carveout_kb[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

/* The smallest size that holds `bytes`; `most` when none of them does. */
static uint64_t carveout_size(uint64_t bytes, uint64_t most)
{
    for (size_t i = 0; i < sizeof carveout_kb / sizeof carveout_kb[0]; i++) {
        uint64_t size = (uint64_t)carveout_kb[i] * 1024;
        if (size >= bytes && size <= most)
            return size;
    }
    return bytes > most ? bytes : most;
}

/* CTAs the driver makes room for. Seen on an H200 (tests/data/occupancy): twice as many as can be
 * resident, as far as half of the unified memory goes; four times when a kernel has no shared
 * memory of its own; no more than can be resident with the largest CTAs, or when barriers are what
 * limits them. */
static uint64_t ctas_wished(const struct config *cfg, const struct kernel *k,
                            const struct occupancy *o, uint64_t resident)
{
    uint64_t threads = (uint64_t)o->warps_per_cta * WARP_LANES, most = cfg->sm.ctas;
    if (o->limit[OCCUPANCY_barriers] < most && o->limit[OCCUPANCY_barriers] == resident)
        return resident;
    if (k->shared_bytes == 0)
        return min_u64(4 * resident, most);
    return threads >= 1024 ? resident : min_u64(2 * resident, most);
}

static uint64_t carveout(const struct config *cfg, const struct kernel *k,
                         const struct occupancy *o, uint64_t cta_bytes)
{
    uint64_t most = cfg->sm.shared_bytes, resident = cfg->sm.ctas;
    if (cta_bytes == 0)
        return 0;
    for (uint32_t i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (i != OCCUPANCY_shared_memory)
            resident = min_u64(resident, o->limit[i]);
    uint64_t needed = cta_bytes * min_u64(resident, most / cta_bytes);
    uint64_t wished = cta_bytes * ctas_wished(cfg, k, o, resident);
    uint64_t half = carveout_size(cfg->l1d.unified_bytes / 2, most);
    return carveout_size(max_u64(needed, min_u64(wished, half)), most);
}

/* CTAs by warps, registers and barriers, and at all. */
static void simple_limits(const struct config *cfg, struct occupancy *o)
{
    const struct sm_cfg *sm = &cfg->sm;
    o->limit[OCCUPANCY_ctas] = sm->ctas;
    o->limit[OCCUPANCY_warps] = sm->warps / o->warps_per_cta;
    o->limit[OCCUPANCY_registers] = sm->ctas;
    if (o->warp_registers > 0)
        o->limit[OCCUPANCY_registers] =
            sm->registers / SM_SUBCORES / o->warp_registers * SM_SUBCORES / o->warps_per_cta;
    o->limit[OCCUPANCY_barriers] = (uint32_t)min_u64(sm->ctas, sm->barriers / o->cta_barriers);
}

/* The least limit; of equal ones the first of the table. */
static void choose_limit(struct occupancy *o)
{
    o->ctas_per_sm = UINT32_MAX;
    for (uint32_t i = 0; i < OCCUPANCY_LIMIT_COUNT; i++) {
        if (o->limit[i] >= o->ctas_per_sm)
            continue;
        o->ctas_per_sm = o->limit[i];
        o->limited_by = occupancy_limit_text((enum occupancy_limit)i);
    }
}

bool occupancy_of(const struct config *cfg, const struct kernel *k, struct occupancy *out,
                  struct sim_err *err)
{
    const struct sm_cfg *sm = &cfg->sm;
    uint64_t threads = (uint64_t)k->block.x * k->block.y * k->block.z;
    uint64_t warps = (threads + WARP_LANES - 1) / WARP_LANES;
    if (warps == 0 || warps > sm->warps)
        return err_set(err, ERR_INPUT, k->file, 0, 0,
                       "kernel %s has %" PRIu64 " warps a CTA, but an SM holds %u (sm.warps)",
                       k->name, warps, sm->warps);
    uint64_t cta_bytes =
        round_up((uint64_t)k->shared_bytes + sm->shared_reserved_bytes, sm->shared_allocation);
    *out = (struct occupancy){.warps_per_cta = (uint32_t)warps,
                              .cluster_ctas = k->cluster_ctas > 0 ? k->cluster_ctas : 1,
                              .warp_registers = (uint32_t)round_up(
                                  (uint64_t)k->registers * WARP_LANES, sm->register_allocation),
                              .cta_barriers = barriers_of(k),
                              .cta_shared = cta_bytes};
    simple_limits(cfg, out);
    uint64_t fit = cta_bytes > 0 ? sm->shared_bytes / cta_bytes : sm->ctas;
    out->shared_bytes = sm->shared_bytes;
    if (cfg->l1d.shared_carveout && fit > 0)
        out->shared_bytes = carveout(cfg, k, out, cta_bytes);
    if (cta_bytes > 0)
        fit = out->shared_bytes / cta_bytes;
    out->limit[OCCUPANCY_shared_memory] = (uint32_t)fit;
    choose_limit(out);
    if (out->ctas_per_sm == 0)
        return err_set(err, ERR_INPUT, k->file, 0, 0,
                       "kernel %s does not fit on an SM: it needs more %s (%u registers a thread, "
                       "%u bytes of shared memory, %" PRIu64 " warps)",
                       k->name, out->limited_by, k->registers, k->shared_bytes, warps);
    uint64_t per_sm = (k->cta_count + cfg->gpu.sms - 1) / cfg->gpu.sms;
    if (k->cta_count && per_sm < out->ctas_per_sm)
        out->limited_by = "grid";
    out->l1d_bytes =
        cfg->l1d.unified_bytes > out->shared_bytes ? cfg->l1d.unified_bytes - out->shared_bytes : 0;
    return true;
}

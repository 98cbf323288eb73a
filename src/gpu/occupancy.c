#include "gpu/occupancy.h"

#include <inttypes.h>

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return to ? (n + to - 1) / to * to : n;
}

/* Shared-memory sizes the driver chooses among, in KB (CUDA programming guide, compute capabilities
 * 7.5 to 9.0). */
static const uint32_t carveout_kb[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

static uint64_t carveout(uint64_t bytes, uint64_t most)
{
    for (size_t i = 0; i < sizeof carveout_kb / sizeof carveout_kb[0]; i++) {
        uint64_t size = (uint64_t)carveout_kb[i] * 1024;
        if (size >= bytes && size <= most)
            return size;
    }
    return bytes > most ? bytes : most;
}

static void limit(struct occupancy *o, uint64_t ctas, const char *what)
{
    if (ctas < o->ctas_per_sm) {
        o->ctas_per_sm = (uint32_t)ctas;
        o->limited_by = what;
    }
}

bool occupancy_of(const struct config *cfg, const struct kernel *k, struct occupancy *out,
                  struct sim_err *err)
{
    const struct sm_cfg *sm = &cfg->sm;
    uint64_t threads = (uint64_t)k->block.x * k->block.y * k->block.z;
    uint64_t warps = (threads + WARP_LANES - 1) / WARP_LANES;
    uint64_t warp_registers =
        round_up((uint64_t)k->registers * WARP_LANES, sm->register_allocation);
    uint64_t shared =
        round_up((uint64_t)k->shared_bytes + sm->shared_reserved_bytes, sm->shared_allocation);
    *out = (struct occupancy){.ctas_per_sm = sm->ctas, .limited_by = "CTAs"};
    if (warps == 0 || warps > sm->warps)
        return err_set(err, ERR_INPUT, k->file, 0, 0,
                       "kernel %s has %" PRIu64 " warps a CTA, but an SM holds %u (sm.warps)",
                       k->name, warps, sm->warps);
    out->warps_per_cta = (uint32_t)warps;
    limit(out, sm->warps / warps, "warps");
    if (warp_registers > 0)
        limit(out, sm->registers / (warp_registers * warps), "registers");
    if (k->shared_bytes > 0)
        limit(out, sm->shared_bytes / shared, "shared memory");
    if (out->ctas_per_sm == 0)
        return err_set(err, ERR_INPUT, k->file, 0, 0,
                       "kernel %s does not fit on an SM: it needs more %s (%u registers a thread, "
                       "%u bytes of shared memory, %" PRIu64 " warps)",
                       k->name, out->limited_by, k->registers, k->shared_bytes, warps);
    uint64_t per_sm = (k->cta_count + cfg->gpu.sms - 1) / cfg->gpu.sms;
    if (k->cta_count && per_sm < out->ctas_per_sm)
        out->limited_by = "grid";
    uint64_t used = k->shared_bytes ? shared * out->ctas_per_sm : 0;
    uint64_t carved =
        cfg->l1d.shared_carveout ? carveout(used, sm->shared_bytes) : sm->shared_bytes;
    out->l1d_bytes = cfg->l1d.unified_bytes > carved ? cfg->l1d.unified_bytes - carved : 0;
    return true;
}

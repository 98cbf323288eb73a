#include "cfg/topology.h"

#include <string.h>

#include "base/bits.h"

/* Gives the TPCs that are not single to the GPCs in turn, as long as each has room. */
static void deal(uint32_t tpcs, uint32_t gpcs, uint32_t singles, uint16_t *gpc_of_tpc)
{
    uint16_t used[TOPOLOGY_MAX_SMS] = {0};
    uint32_t next = 0;
    for (uint32_t t = 0; t < tpcs - singles; t++) {
        for (;; next = (next + 1) % gpcs) {
            uint32_t room = tpcs / gpcs + (next >= gpcs - tpcs % gpcs);
            if (used[next] < room - (next == 0 ? singles : 0))
                break;
        }
        gpc_of_tpc[t] = (uint16_t)next;
        used[next]++;
        next = (next + 1) % gpcs;
    }
}

void topology_init(struct topology *t, const struct config *cfg, uint32_t sms)
{
    uint16_t gpc_of_tpc[TOPOLOGY_MAX_SMS] = {0};
    const struct gpu_cfg *g = &cfg->gpu;
    uint32_t tpcs = (g->sms + g->sms_per_tpc - 1) / g->sms_per_tpc;
    uint32_t singles = (uint32_t)min_u64(g->single_tpcs, tpcs / g->gpcs);
    uint32_t first_single = tpcs - singles;
    memset(t, 0, sizeof *t);
    t->sms = sms;
    t->tpcs = (sms + g->sms_per_tpc - 1) / g->sms_per_tpc;
    t->gpcs = g->gpcs;
    t->singles = (singles + TOPOLOGY_GROUP_TPCS - 1) / TOPOLOGY_GROUP_TPCS;
    t->groups = g->gpcs + t->singles;
    deal(tpcs, t->gpcs, singles, gpc_of_tpc);
    for (uint32_t i = 0; i < sms; i++) {
        uint32_t tpc = i / g->sms_per_tpc;
        t->tpc[i] = (uint16_t)tpc;
        t->gpc[i] = gpc_of_tpc[tpc];
        t->group[i] = t->gpc[i];
        if (tpc >= first_single)
            t->group[i] = (uint16_t)(t->gpcs + (tpc - first_single) / TOPOLOGY_GROUP_TPCS);
    }
}

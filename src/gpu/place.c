/* Where the first CTAs of a kernel go, as seen on an H200: one CTA for every SM, then a second one,
 * and so on. CTAs that are not enough for a whole layer are spread over the GPCs in turn, within a
 * GPC over its TPCs; single TPCs come first. The numbers of the CTAs of a layer follow each other
 * within a group of SMs. */
#include <stdlib.h>

#include "base/bits.h"
#include "gpu/internal.h"

struct place_key {
    uint32_t group, major, minor;
    uint16_t sm;
};

static int compare_keys(const void *a, const void *b)
{
    const struct place_key *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->major != y->major)
        return x->major < y->major ? -1 : 1;
    return x->minor < y->minor ? -1 : x->minor > y->minor;
}

/* Groups of single TPCs are before the GPCs. */
static uint32_t group_order(const struct topology *t, uint32_t sm)
{
    uint32_t group = t->group[sm];
    return group >= t->gpcs ? group - t->gpcs : group + t->singles;
}

bool place_init(struct gpu *g, struct sim_err *err)
{
    const struct topology *t = &g->topology;
    uint32_t per_tpc = g->cfg.gpu.sms_per_tpc;
    struct place_key *keys = calloc(g->sm_count, sizeof *keys);
    g->raster = calloc(g->sm_count, sizeof *g->raster);
    g->pick = calloc(g->sm_count, sizeof *g->pick);
    if (!keys || !g->raster || !g->pick) {
        free(keys);
        return err_memory(err, "creating the card");
    }
    for (uint32_t i = 0; i < g->sm_count; i++)
        keys[i] = (struct place_key){group_order(t, i), t->tpc[i], i, (uint16_t)i};
    qsort(keys, g->sm_count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < g->sm_count; i++)
        g->raster[i] = keys[i].sm;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        uint32_t group = group_order(t, i);
        group = group < t->singles ? 0 : group;
        keys[i] = (struct place_key){group, i % per_tpc, i, (uint16_t)i};
    }
    qsort(keys, g->sm_count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < g->sm_count; i++)
        g->pick[i] = keys[i].sm;
    free(keys);
    return true;
}

/* Keeps `want` of the marked SMs: all of single TPCs, then one of each GPC in turn. */
static void keep_some(const struct gpu *g, uint8_t *marked, uint64_t want)
{
    const struct topology *t = &g->topology;
    uint8_t kept[TOPOLOGY_MAX_SMS] = {0};
    uint32_t at[TOPOLOGY_MAX_SMS] = {0}; /* by GPC: place in `pick` to go on from */
    for (uint32_t i = 0; i < g->sm_count && want > 0; i++) {
        uint32_t sm = g->pick[i];
        if (marked[sm] && t->group[sm] >= t->gpcs) {
            kept[sm] = 1;
            want--;
        }
    }
    for (bool any = true; any && want > 0;) {
        any = false;
        for (uint32_t c = 0; c < t->gpcs && want > 0; c++) {
            uint32_t i = at[c];
            while (i < g->sm_count && !(marked[g->pick[i]] && t->group[g->pick[i]] == c))
                i++;
            at[c] = i + 1;
            if (i >= g->sm_count)
                continue;
            kept[g->pick[i]] = 1;
            want--;
            any = true;
        }
    }
    for (uint32_t i = 0; i < g->sm_count; i++)
        marked[i] = kept[i];
}

uint32_t place_layer(const struct gpu *g, const struct occupancy *o, uint64_t want, uint16_t *sms)
{
    uint8_t marked[TOPOLOGY_MAX_SMS] = {0};
    uint32_t most = 0, count = 0, n = 0;
    for (uint32_t i = 0; i < g->sm_count; i++)
        if (room_fits(g, i, o))
            most = (uint32_t)max_u64(most, g->rooms[i].warps);
    for (uint32_t i = 0; i < g->sm_count; i++) {
        marked[i] = room_fits(g, i, o) && g->rooms[i].warps == most;
        count += marked[i];
    }
    if (want < count)
        keep_some(g, marked, want);
    for (uint32_t i = 0; i < g->sm_count; i++)
        if (marked[g->raster[i]])
            sms[n++] = g->raster[i];
    return n;
}

/* Single TPCs hold no cluster that is larger than a TPC. */
static bool group_takes(const struct gpu *g, uint32_t group, uint32_t ctas)
{
    return group < g->topology.gpcs || ctas <= g->cfg.gpu.sms_per_tpc;
}

bool place_cluster(const struct gpu *g, const struct occupancy *o, uint32_t group, uint16_t *sms)
{
    uint32_t n = 0;
    if (!group_takes(g, group, o->cluster_ctas))
        return false;
    for (uint32_t warps = g->cfg.sm.warps; warps > 0 && n < o->cluster_ctas; warps--)
        for (uint32_t i = 0; i < g->sm_count && n < o->cluster_ctas; i++) {
            uint32_t sm = g->raster[i];
            if (g->topology.group[sm] == group && g->rooms[sm].warps == warps &&
                room_fits(g, sm, o))
                sms[n++] = (uint16_t)sm;
        }
    return n == o->cluster_ctas;
}

bool place_check_cluster(const struct gpu *g, const struct occupancy *o, struct sim_err *err)
{
    uint32_t sms[TOPOLOGY_MAX_SMS] = {0}, most = 0;
    if (o->cluster_ctas == 1)
        return true;
    for (uint32_t i = 0; i < g->sm_count; i++)
        sms[g->topology.group[i]]++;
    for (uint32_t i = 0; i < g->topology.groups; i++)
        if (group_takes(g, i, o->cluster_ctas))
            most = (uint32_t)max_u64(most, sms[i]);
    if (o->cluster_ctas <= most)
        return true;
    return err_set(err, ERR_INPUT, g->kernel->file, 0, 0,
                   "kernel %s: a cluster of %u CTAs needs as many SMs of a GPC, the largest has %u",
                   g->kernel->name, o->cluster_ctas, most);
}

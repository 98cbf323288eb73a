/* Which SMs share a TPC and a GPC, worked out once from the configuration.
 *
 * The SMs of a TPC have consecutive numbers. TPCs are dealt to the GPCs in turn; when the TPCs do
 * not divide evenly the last GPCs have one more. gpu.single_tpcs of them belong to GPC 0 and have
 * the highest numbers: there, each pair of TPCs is a group of its own when CTAs are placed. The
 * rule gives the SM numbers of an H200 (probes: SMs of one clock and one instruction cache). */
#ifndef SUBCORE_CFG_TOPOLOGY_H
#define SUBCORE_CFG_TOPOLOGY_H

#include "cfg/config.h"

#define TOPOLOGY_MAX_SMS 1024 /* the largest gpu.sms */
#define TOPOLOGY_GROUP_TPCS 2 /* of a group of single TPCs */

struct topology {
    uint32_t sms, tpcs, gpcs;
    uint32_t singles;                 /* of `groups` the last ones are single TPCs */
    uint32_t groups;                  /* GPCs, without single TPCs, then groups of these */
    uint16_t tpc[TOPOLOGY_MAX_SMS];   /* of an SM */
    uint16_t gpc[TOPOLOGY_MAX_SMS];   /* of an SM */
    uint16_t group[TOPOLOGY_MAX_SMS]; /* of an SM */
};

/* Fills `t` for the first `sms` SMs of the card. */
void topology_init(struct topology *t, const struct config *cfg, uint32_t sms);

#endif

/* Inside of memory accesses: what the files access*.c share. */
#ifndef SUBCORE_SM_ACCESS_H
#define SUBCORE_SM_ACCESS_H

#include "sm/subcore.h"

/* Number of a free entry of sm->accesses; TAGS_NONE and an error when there is no memory. */
uint32_t access_new(struct sm *sm);

/* Sends `flits` to the network, one a cycle, from `at` on; returns the cycle of the first. */
cycle_t access_send(struct sm *sm, cycle_t at, uint32_t flits);

/* Puts a request for the L2 into the outbox. */
void access_request(struct sm *sm, struct mem_request r);

/* Time from hand-over to the consumer's issue on a hit when `passes` of the width's passes are
 * taken. */
uint32_t access_hit_cycles(const struct exec_inst *e, uint32_t passes);

/* Cycles of the return link an instruction's result takes. */
uint32_t access_link_cycles(const struct sm *sm, const struct exec_inst *e);

/* The result of an instruction is written at `at`. */
void access_write_done_at(struct subcore *sc, uint32_t warp, uint32_t inst, cycle_t at);

/* A result that is complete at `at` if nothing is in its way. */
void access_complete_at(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                        cycle_t at);

/* Hand-over of an access to the memory behind the L1D, or to shared memory. Returns the cycles the
 * shared unit is taken. */
uint32_t access_global(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                       cycle_t grant);
uint32_t access_shared(struct subcore *sc, const struct queued *q, const struct exec_inst *e,
                       cycle_t grant);

#endif

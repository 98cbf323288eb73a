/* Register file of a sub-core: read ports, register-file cache, write ports.
 *
 * Two banks (register number mod 2). Allocate reserves the read ports of a fixed-latency
 * instruction for a window of cycles (3, or as many as its operands need); queued instructions take
 * what is left. The write ports serve fixed-latency results first. Ports are bit masks over the
 * next 64 cycles. Source: paper 5.3. */
#ifndef SUBCORE_UNIT_REGISTER_FILE_H
#define SUBCORE_UNIT_REGISTER_FILE_H

#include "sim/cycle.h"
#include "sim/result.h"
#include "unit/exec_inst.h"

#define RF_MAX_PORTS 8

struct rfc_entry {
    uint16_t warp;
    uint8_t reg;
    bool valid;
};

struct register_file {
    const struct register_file_cfg *cfg;
    cycle_t base; /* bit i of the masks below is cycle base + i */
    uint64_t read_taken[RF_BANKS][RF_MAX_PORTS];
    cycle_t write_base;
    uint64_t write_taken[RF_BANKS];
    struct rfc_entry rfc[RF_BANKS][RFC_SLOTS];
    bool rfc_used; /* any entry valid */
};

void register_file_init(struct register_file *rf, const struct register_file_cfg *cfg);

/* Reserves read ports for `warp` executing `e`, issued at `now`, which is in Allocate at cycle
 * `allocate` at the earliest. Returns the first cycle of the read window, > allocate. */
cycle_t register_file_read(struct register_file *rf, const struct exec_inst *e, uint16_t warp,
                           cycle_t now, cycle_t allocate, struct sim_stats *stats);

/* An instruction whose guard is false reads nothing, but drops what is kept where it would read. */
void register_file_drop(struct register_file *rf, const struct exec_inst *e);

/* Tries to take the ports a queued (variable-latency) instruction needs in cycle `now`. False when
 * a fixed-latency instruction has them. */
bool register_file_try_read(struct register_file *rf, const struct exec_inst *e, bool first,
                            cycle_t now, struct sim_stats *stats);

/* A fixed-latency result wants the write ports at `cycle`: taken there or, through the result
 * queue, at the next free cycle. Consumers do not wait for it (bypass). */
void register_file_write_fixed(struct register_file *rf, const struct exec_inst *e, cycle_t now,
                               cycle_t cycle);

/* A load result wants the write ports at `cycle`; returns the cycle it gets them. */
cycle_t register_file_write_load(struct register_file *rf, const struct exec_inst *e, cycle_t now,
                                 cycle_t cycle, struct sim_stats *stats);

/* Forgets the kept values of all warps (another warp issued), or of one warp (it ended). */
void register_file_forget(struct register_file *rf);
void register_file_forget_warp(struct register_file *rf, uint16_t warp);

#endif

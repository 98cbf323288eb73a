/* What a simulation produces: plain structs of integers, filled by the model, printed by report/.
 */
#ifndef SUBCORE_SIM_RESULT_H
#define SUBCORE_SIM_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stall_reason {
#define STALL(name, doc) STALL_##name,
#include "sim/stall.def"
#undef STALL
    STALL_COUNT
};

struct sim_stats {
#define STAT(group, name, unit, counter, doc) uint64_t group##_##name;
#include "sim/stats.def"
#undef STAT
    uint64_t stalls[STALL_COUNT]; /* warp cycles by reason */
};

/* Row of the counter table: where a counter is and what it means. */
struct stat_info {
    const char *group, *name, *unit;
    const char *counter; /* hardware counter of Nsight Compute that counts the same; "" = none */
    const char *doc;
    size_t offset; /* in struct sim_stats */
};
size_t stat_count(void);
const struct stat_info *stat_info(size_t i);

/* Row of the ratio table (ratios.def): printed beside the counters of its group. */
struct ratio_info {
    const char *group, *name, *doc;
};
size_t ratio_count(void);
const struct ratio_info *ratio_info(size_t i);

/* Numerator and denominator of ratio i. */
void ratio_value(const struct sim_stats *s, size_t i, uint64_t *num, uint64_t *den);

const char *stall_name(enum stall_reason r);
const char *stall_doc(enum stall_reason r);

/* Adds b to a, counter by counter. */
void stats_add(struct sim_stats *a, const struct sim_stats *b);

/* Adds to a what was counted from `before` to `now`. */
void stats_add_since(struct sim_stats *a, const struct sim_stats *now,
                     const struct sim_stats *before);

/* One issued instruction (issue log). Ordered by cycle, SM, sub-core. */
struct issue_record {
    uint64_t cycle;   /* from the kernel's start */
    uint64_t control; /* cycle in which it is in Control, where clocks are read */
    uint64_t cta;     /* linear id */
    uint32_t sm;
    uint32_t inst;      /* index into kernel->insts */
    uint16_t warp_slot; /* in the SM */
    uint16_t warp;      /* in the CTA */
    uint8_t subcore;
};

/* What happens to an instruction, in the order of one cycle (timeline). */
enum pipe_event {
    PIPE_WARP,      /* a warp has come into the slot; of no instruction */
    PIPE_FETCH,     /* fetched; it can issue at `ready` */
    PIPE_ISSUE,     /* issued; see the times below */
    PIPE_START,     /* left its queue: addresses are formed */
    PIPE_HAND_OVER, /* handed over to its unit */
    PIPE_DONE,      /* its result is written (a store: accepted) */
    PIPE_STALL      /* warps waited; of a sub-core, not of an instruction */
};

/* One event of the pipeline. All cycles count from the kernel's start. */
struct pipe_record {
    uint64_t cycle;
    union {
        uint64_t ready;        /* PIPE_FETCH */
        uint64_t control;      /* PIPE_ISSUE: in Control */
        uint64_t stall_cycles; /* PIPE_STALL: how long, from `cycle` on */
    };
    uint64_t read, execute, write; /* PIPE_ISSUE: first cycle of operand read and of execution,
                                      result written; of instructions with a queue 0 */
    uint64_t cta;                  /* linear id */
    uint32_t sm;
    uint32_t inst;      /* index into kernel->insts */
    uint16_t warp_slot; /* in the SM */
    union {
        uint16_t warp;  /* in the CTA */
        uint16_t warps; /* PIPE_STALL: bit i = warp i of the sub-core, slot 4 * i + subcore */
    };
    uint8_t subcore;
    uint8_t event;  /* enum pipe_event */
    uint8_t reason; /* PIPE_STALL: enum stall_reason */
};

/* A dependence that the control bits do not keep (--check-hazards). */
enum hazard_kind { HAZARD_RAW, HAZARD_WAW, HAZARD_WAR, HAZARD_KIND_COUNT };
struct hazard_record {
    enum hazard_kind kind;
    uint64_t cycle; /* issue of the later instruction, from the kernel's start */
    uint64_t cta;
    uint32_t sm, warp;
    uint32_t inst;     /* later instruction: index into kernel->insts */
    uint32_t producer; /* earlier instruction */
    uint8_t file;      /* enum reg_file */
    uint16_t reg;
    uint32_t early_by; /* cycles it came too early; 0 = unknown */
};
#define HAZARD_RECORDS_MAX 1000

/* Executions of one static instruction. */
struct inst_count {
    uint64_t inst;   /* warp-level */
    uint64_t thread; /* lanes whose guard is true */
};

/* What limits the CTAs of an SM: X(name, as the table says it). */
#define OCCUPANCY_LIMITS(X)                                                                        \
    X(ctas, "CTAs")                                                                                \
    X(warps, "warps")                                                                              \
    X(registers, "registers")                                                                      \
    X(shared_memory, "shared memory")                                                              \
    X(barriers, "barriers")

enum occupancy_limit {
#define LIMIT(name, text) OCCUPANCY_##name,
    OCCUPANCY_LIMITS(LIMIT)
#undef LIMIT
        OCCUPANCY_LIMIT_COUNT
};

/* Name of a limit in the JSON ("shared_memory") and in the table ("shared memory"). */
const char *occupancy_limit_name(enum occupancy_limit l);
const char *occupancy_limit_text(enum occupancy_limit l);

struct kernel_result {
    uint64_t cycles;         /* first CTA's dispatch to the last CTA's end, stores accepted */
    uint64_t elapsed_cycles; /* cycles + launch latency */
    uint64_t start_cycle;    /* on the timeline of all kernels, launch latency before it */
    uint64_t sm_active_cycles_max;
    uint64_t sm_active_cycles_sum; /* over SMs; avg = sum / sms_used */
    uint32_t sms, sms_used;
    uint64_t ctas; /* of the grid when sampled, else simulated */
    uint64_t ctas_simulated;
    bool sampled; /* only the first CTAs were simulated, the numbers are scaled */
    uint64_t waves, waves_simulated; /* sampled: cycles are scaled by waves / waves_simulated */
    uint32_t ctas_per_sm;            /* resident, by the occupancy rule */
    const char *ctas_limited_by;     /* text of a limit, or "grid" */
    uint32_t ctas_limit[OCCUPANCY_LIMIT_COUNT]; /* CTAs of an SM that each resource allows */
    uint64_t shared_config_bytes;               /* shared memory of an SM as the driver sets it */
    uint32_t warps_per_cta;
    uint32_t max_warps;        /* of an SM */
    uint32_t dependence_mode;  /* DEPENDENCE_control_bits or DEPENDENCE_scoreboard */
    struct sim_stats stats;    /* summed over SMs */
    struct inst_count *counts; /* [inst_count], heap, owned */
    uint32_t inst_count;
    struct sim_stats *by_inst;     /* [inst_count], heap, owned; NULL unless asked for: what each
                                      instruction waited for and did. Instruction fetch has no owner */
    struct hazard_record *hazards; /* [hazard_kept], heap, owned; ordered by cycle, sm */
    uint32_t hazard_kept;
    uint64_t hazard_total[HAZARD_KIND_COUNT];
    uint64_t warp_instructions, thread_instructions;
    double host_seconds;
};

/* Frees what the result owns. */
void kernel_result_free(struct kernel_result *r);

#endif

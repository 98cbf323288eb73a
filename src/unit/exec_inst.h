/* Timing decode: what the pipeline needs to know of a static instruction, worked out once from the
 * decoded instruction and the configuration, so that nothing is looked up per warp and cycle. */
#ifndef SUBCORE_UNIT_EXEC_INST_H
#define SUBCORE_UNIT_EXEC_INST_H

#include "cfg/config.h"
#include "isa/inst.h"
#include "trace/kernel.h"

#define RF_BANKS 2
#define RFC_SLOTS 3
#define EXEC_MAX_READS 16
#define EXEC_MAX_DEPS 16
#define EXEC_MAX_WRITES 16

/* Registers of one warp under one numbering, for scoreboards and hazard checks. */
#define DEP_UNIFORM_BASE 256
#define DEP_PREDICATE_BASE 512
#define DEP_UNIFORM_PREDICATE_BASE 520
#define DEP_REGISTERS 528

/* Unit sets: the distinct (units, all) pairs of the configuration; index 0 = no unit. */
#define MAX_UNIT_SETS 24
struct unit_set {
    uint32_t units; /* mask of UNIT_... */
    bool all;       /* takes all at once */
};

/* One register read through a bank port. */
struct reg_read {
    uint8_t reg;
    uint8_t bank;
    uint8_t slots;  /* positions in the register-file cache it is read for, bit i = slot i */
    uint8_t reuse;  /* likewise: where it is kept */
    bool cacheable; /* first register of its operand in its bank: the cache holds one a bank */
};

#define EXEC_MEMORY (1u << 0)       /* has addresses, goes to the memory unit */
#define EXEC_LONG (1u << 1)         /* waiting for it is a long scoreboard stall (L1TEX) */
#define EXEC_GLOBAL (1u << 2)       /* served by the L1D: global, local, generic */
#define EXEC_SHARED (1u << 3)       /* served by shared memory */
#define EXEC_CONSTANT (1u << 4)     /* LDC */
#define EXEC_TO_L2 (1u << 5)        /* goes to the L2 past the L1D */
#define EXEC_RESULT (1u << 6)       /* writes registers */
#define EXEC_COPY (1u << 7)         /* LDGSTS */
#define EXEC_CONTROL_BITS (1u << 8) /* stall counts and counters rule (else scoreboards) */
#define EXEC_DRAIN (1u << 9)        /* stall 0 with yield */
#define EXEC_LOCAL (1u << 10)
#define EXEC_LANE_PASS (1u << 11)      /* SHFL, MOVM, TID: a pass over the data path */
#define EXEC_COUNTING (1u << 12)       /* ATOMS.POPC.INC: lanes of one word are counted first */
#define EXEC_CAS (1u << 13)            /* compare and swap */
#define EXEC_NO_ALLOCATE (1u << 14)    /* .NA, .LU: a miss leaves nothing in the L1D */
#define EXEC_YIELD (1u << 15)          /* stall 1 with yield */
#define EXEC_PASSES_BARRIER (1u << 16) /* barriers do not hold it */

/* Operations that the L1D counts apart. */
enum l1d_op {
    L1D_GLOBAL_LOAD, /* also asynchronous copies */
    L1D_GLOBAL_STORE,
    L1D_LOCAL_LOAD,
    L1D_LOCAL_STORE,
    L1D_REDUCTION,
    L1D_ATOMIC
};

struct exec_inst {
    const struct inst *inst;
    uint64_t code_offset; /* of the kernel's pc 0 behind the table's code_base */
    uint32_t line;        /* (code_offset + pc) / instruction-cache line */
    uint32_t flags;       /* EXEC_... */
    uint32_t inst_flags;  /* INST_... */
    uint8_t op_class;
    uint8_t l1d_op;      /* enum l1d_op; meaningful with EXEC_GLOBAL */
    uint8_t queue;       /* QUEUE_...; QUEUE_none = fixed latency */
    uint8_t shared_unit; /* SHARED_UNIT_... */
    uint8_t unit_set;
    uint8_t stall; /* cycles to the next issue of the warp, yield folded in; >= 1 */
    uint8_t wait_mask;
    uint8_t write_bar, read_bar; /* NO_COUNTER = none */
    uint16_t interval, shared_interval;
    uint16_t grant, war, raw;
    uint16_t latency, latency_other;
    uint16_t scoreboard_latency; /* fixed latency: issue to the scoreboard's release */
    uint16_t full_warp;          /* added to raw when all passes of the width are taken */
    uint8_t width_passes;        /* passes a full warp of this width needs: 1, 2, 4 */
    uint32_t blocks;             /* further units busy afterwards */
    uint16_t blocks_interval;
    uint8_t allocate_hold;
    uint8_t operand_latency;  /* hazard checker: 0 = not said */
    uint8_t return_registers; /* registers a lane the result brings back */
    uint8_t read_count;
    uint8_t bank_reads[RF_BANKS];
    uint8_t bank_writes[RF_BANKS];
    struct reg_read reads[EXEC_MAX_READS];
    uint8_t source_count, dest_count;
    uint8_t
        queued_source_count; /* of the sources the first ones are read in the queue, not at issue */
    uint16_t sources[EXEC_MAX_DEPS]; /* DEP_... ids, guard included */
    uint16_t dests[EXEC_MAX_WRITES];
};

/* The table of one kernel. */
struct exec_table {
    struct exec_inst *insts;
    uint32_t count, cap;
    bool control_bits;
    uint64_t code_base; /* address of pc 0 for the instruction caches */
    struct unit_set sets[MAX_UNIT_SETS];
    uint32_t set_count;
};

/* Adds the static instructions of `k` that are not in the table yet. */
bool exec_table_grow(struct exec_table *t, const struct kernel *k, const struct config *cfg,
                     struct sim_err *err);
void exec_table_free(struct exec_table *t);

/* Id of a register under the common numbering, or DEP_REGISTERS for files that are not tracked. */
uint32_t dep_register(uint32_t file, uint32_t index);

#endif

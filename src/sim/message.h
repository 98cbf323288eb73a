/* What crosses between SMs and the memory behind them. */
#ifndef SUBCORE_SIM_MESSAGE_H
#define SUBCORE_SIM_MESSAGE_H

#include "sim/cycle.h"

/* Address spaces of lines that are not data: bits of a line number. */
#define CODE_SPACE (1ull << 60)
#define CONSTANT_SPACE (1ull << 59)

/* Constants of a kernel whose code lies at C begin at C << CONSTANT_CODE_SHIFT; bank b at b << 20
 * from there. */
#define CONSTANT_CODE_SHIFT 2

enum mem_kind {
    MEM_READ,        /* fills the L1D */
    MEM_READ_DIRECT, /* past the L1D: answered by access number */
    MEM_WRITE,       /* acknowledged to the warp */
    MEM_ATOMIC,      /* answered by access number */
    MEM_REDUCTION,   /* an atomic without result: acknowledged to the warp */
    MEM_IFETCH,      /* fills the L1 instruction cache of TPC `user`; this and what follows is not
                        data: it goes to the cache of the GPC where there is one */
    MEM_CFETCH       /* fills a constant cache: `user` tells which */
};

/* A request to the L2; leaves the SM at `send`. The reply is the same message. */
struct mem_request {
    cycle_t send;
    uint64_t line;    /* address / line size */
    uint32_t sectors; /* mask */
    uint32_t user;    /* access number; of stores generation and slot of the warp */
    uint32_t sm;
    uint32_t order;   /* of the SM's requests; breaks ties of `send` */
    uint32_t inst;    /* instruction that asks: index into kernel->insts; of data only */
    uint16_t partial; /* writes: mask of the sectors that are not written as a whole */
    uint8_t passes;   /* atomics: over the sectors, the most lanes at one word, summed */
    uint8_t kind;     /* enum mem_kind */
};

#endif

/* Passes over the shared-memory banks that one instruction takes ("wavefronts").
 *
 * The rules are those of an H200's counters: 560 random and regular patterns of addresses and
 * active lanes, all exact. */
#ifndef SUBCORE_UNIT_BANKS_H
#define SUBCORE_UNIT_BANKS_H

#include "trace/kernel.h"

enum bank_access {
    BANK_LOAD,
    BANK_STORE, /* also matrix loads and counting atomics (ATOMS.POPC.INC) */
    BANK_ATOMIC /* also asynchronous copies that arrive through the L1D */
};

struct bank_passes {
    uint32_t passes; /* all of them */
    uint32_t fewest; /* of these without a conflict */
};

/* Passes over `banks` 4-byte banks. Lanes go together in groups as wide as the banks deliver in one
 * pass: 32 lanes of 4 bytes, 16 of 8, 8 of 16. Different words of one bank conflict; lanes of an
 * atomic conflict on one word too. Wide loads join two groups into one when every active lane has
 * the address of its neighbour (lane ^ 1), or every one that of lane ^ 2, or that one is inactive.
 */
struct bank_passes bank_passes(const struct dyn_inst *d, enum bank_access kind, uint32_t width,
                               uint32_t banks);

#endif

/* What atomics compute: one lane's new value from the old one and its operands. */
#ifndef SUBCORE_EMU_ATOMIC_H
#define SUBCORE_EMU_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

/* X(name): operations by their modifiers. POPC.INC adds 1 a lane; CAST is a compare-and-swap that
 * gives 1 for success instead of the old value. */
#define EMU_ATOMIC_OPS(X)                                                                          \
    X(ADD)                                                                                         \
    X(MIN)                                                                                         \
    X(MAX)                                                                                         \
    X(INC)                                                                                         \
    X(DEC)                                                                                         \
    X(AND)                                                                                         \
    X(OR)                                                                                          \
    X(XOR)                                                                                         \
    X(EXCH)                                                                                        \
    X(CAS)                                                                                         \
    X(CAST)                                                                                        \
    X(POPC)

enum emu_atomic_op {
#define X(name) EMU_ATOMIC_##name,
    EMU_ATOMIC_OPS(X)
#undef X
        EMU_ATOMIC_OP_COUNT
};

enum emu_atomic_type {
    EMU_ATOMIC_U32,
    EMU_ATOMIC_S32,
    EMU_ATOMIC_U64,
    EMU_ATOMIC_S64,
    EMU_ATOMIC_F32, /* denormals are 0 */
    EMU_ATOMIC_F64,
    EMU_ATOMIC_F16X2,
    EMU_ATOMIC_BF16X2
};

/* The new value. `b` is the operand, or for CAS and CAST the value to compare with and `c` the one
 * to store. */
uint64_t emu_atomic_apply(enum emu_atomic_op op, enum emu_atomic_type type, uint64_t old,
                          uint64_t b, uint64_t c);

/* Whether there is such an operation on such a type. */
bool emu_atomic_exists(enum emu_atomic_op op, enum emu_atomic_type type);

#endif

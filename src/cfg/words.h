/* The words of enumerated configuration keys. Each TYPE_WORDS(X) has rows X(TYPE, word, doc). */
#ifndef SUBCORE_CFG_WORDS_H
#define SUBCORE_CFG_WORDS_H

#define SCHEDULER_WORDS(X)                                                                         \
    X(SCHEDULER, cggty, "compiler-guided greedy, then youngest")                                   \
    X(SCHEDULER, gto, "greedy, then oldest")                                                       \
    X(SCHEDULER, lrr, "loose round robin")                                                         \
    X(SCHEDULER, oldest, "oldest first")

#define YOUNGEST_WORDS(X)                                                                          \
    X(YOUNGEST, launch, "the warp launched last")                                                  \
    X(YOUNGEST, slot, "the warp in the highest slot")

#define DEPENDENCE_WORDS(X)                                                                        \
    X(DEPENDENCE, control_bits, "stall counts and dependence counters of the SASS")                \
    X(DEPENDENCE, scoreboard, "two scoreboards: pending writes, and counted readers")              \
    X(DEPENDENCE, hybrid, "control bits where a kernel has them, else scoreboards")

/* Execution units of a sub-core that fixed-latency instructions are issued to. */
#define UNIT_WORDS(X)                                                                              \
    X(UNIT, alu, "integer and logic, 16 lanes")                                                    \
    X(UNIT, fma_heavy, "FP32 and integer multiply, 16 lanes")                                      \
    X(UNIT, fma_lite, "FP32 only, 16 lanes")                                                       \
    X(UNIT, half, "packed FP16 where it is a unit of its own")                                     \
    X(UNIT, tensor_port, "issue port shared by tensor, FP64 and HFMA2.MMA on Hopper")              \
    X(UNIT, tensor, "matrix unit")                                                                 \
    X(UNIT, fp64, "FP64 unit of the sub-core")                                                     \
    X(UNIT, uniform, "uniform datapath")                                                           \
    X(UNIT, uniform_move, "path of UMOV and ULDC")                                                 \
    X(UNIT, control, "branches and convergence barriers (CBU)")

/* Queues of a sub-core that variable-latency instructions wait in. */
#define QUEUE_WORDS(X)                                                                             \
    X(QUEUE, none, "fixed latency: goes through Allocate to a unit")                               \
    X(QUEUE, memory, "memory instructions (LSU)")                                                  \
    X(QUEUE, xu, "transcendental unit and conversions")                                            \
    X(QUEUE, constant, "LDC")                                                                      \
    X(QUEUE, special, "special registers, warp reductions, barriers state (ADU)")                  \
    X(QUEUE, fp64, "double precision where the unit is shared by the SM")                          \
    X(QUEUE, texture, "texture and surface")

/* Units shared by the sub-cores of an SM. */
#define SHARED_UNIT_WORDS(X)                                                                       \
    X(SHARED_UNIT, none, "executed in the sub-core")                                               \
    X(SHARED_UNIT, memory, "the shared memory unit: L1D, shared memory, lane exchange")            \
    X(SHARED_UNIT, constant, "LDC cache and special registers")                                    \
    X(SHARED_UNIT, fp64, "the SM's FP64 unit")                                                     \
    X(SHARED_UNIT, texture, "the texture unit")

#define CFG_ENUM_MEMBER(type, word, doc) type##_##word,
#define CFG_ENUM(type)                                                                             \
    enum type##_word                                                                               \
    {                                                                                              \
        type##_WORDS(CFG_ENUM_MEMBER) type##_COUNT                                                 \
    }

CFG_ENUM(SCHEDULER);
CFG_ENUM(YOUNGEST);
CFG_ENUM(DEPENDENCE);
CFG_ENUM(UNIT);
CFG_ENUM(QUEUE);
CFG_ENUM(SHARED_UNIT);

#define UNIT_BIT(u) (1u << UNIT_##u)

#endif

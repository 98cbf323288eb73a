/* The functional machine's view of one instruction, and of the warp that executes it.
 *
 * Decoding (once a kernel launch, when all constants are known) turns every static instruction into
 * a `struct emu_op`: a handler and its operands. Executing calls `op->run(warp, op, mask)` with the
 * lanes that are active and whose guard is true; mask is never 0. Handlers write only those lanes.
 *
 * Families of opcodes live in semantics_*.c files. Each gives decode functions, named in
 * semantics.def; an opcode without a row is an error naming kernel, pc and text.
 *
 * Floating point: every handler computes exactly what the instruction says (rounding, FTZ, FMA as
 * one rounding). Files are compiled without contraction and without fast-math. */
#ifndef SUBCORE_EMU_OP_H
#define SUBCORE_EMU_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "isa/inst.h"
#include "isa/sass_text.h"

#define EMU_GENERAL 256  /* R0..R254, RZ */
#define EMU_SINK 256     /* row that writes to RZ or URZ go to */
#define EMU_SINK_ROWS 16 /* so many, for the widest destination */
#define EMU_UNIFORM 256

typedef uint32_t emu_lanes[WARP_LANES];

struct emu_cta;
struct emu_op;

/* Registers and state of a warp while its CTA is executed. */
struct emu_warp {
    emu_lanes
        r[EMU_GENERAL + EMU_SINK_ROWS]; /* row 255 is 0, EMU_SINK takes what is written to RZ */
    uint32_t ur[EMU_UNIFORM + EMU_SINK_ROWS]; /* decoding makes a source URZ the value 0 */
    uint32_t p[8];                            /* a bit a lane; p[7] = all ones */
    uint8_t up;                               /* bit i = UPi; bit 7 always set */
    uint32_t exists;                          /* lanes that are threads of the block */
    uint32_t exited;                          /* lanes that have exited */
    struct emu_cta *cta;
    uint32_t index;            /* in the CTA */
    struct emu_flow *flow;     /* control flow (machine's) */
    struct emu_access *access; /* what a memory instruction reports to the recorder */
};

/* Where a source comes from. */
enum emu_source_kind {
    EMU_SRC_NONE,
    EMU_SRC_REG,  /* r[reg], and r[reg + 1] for 64-bit operands */
    EMU_SRC_UREG, /* ur[reg], the same in all lanes */
    EMU_SRC_VALUE /* immediate or constant: `value` (64 bits where the operand is 64-bit) */
};

struct emu_source {
    uint8_t kind;
    bool neg, abs, inv; /* "-", "|..|", "~" as written */
    uint8_t half;       /* FP16 selection: 0 = H1_H0, 1 = H0_H0, 2 = H1_H1; else 0 */
    uint16_t reg;
    uint64_t value;
    const uint32_t *lanes;    /* EMU_SRC_VALUE: 32 copies of the low word (arena of the program) */
    const uint32_t *lanes_hi; /* and of the high word of a 64-bit value */
};

struct emu_predicate {
    uint8_t index; /* 7 = true */
    bool neg;
    bool uniform; /* UPi */
};

#define EMU_MAX_SOURCES 4

struct emu_op {
    void (*run)(struct emu_warp *w, const struct emu_op *op, uint32_t mask);
    const struct inst *inst;
    uint16_t dest, dest2; /* row of r, or index of ur; EMU_SINK for RZ and URZ */
    uint8_t pdest[2];     /* predicates written; 7 = none */
    struct emu_predicate psource[3];
    uint8_t source_count;
    struct emu_source source[EMU_MAX_SOURCES];
    uint32_t param[4]; /* what the family needs: rounding, LOP3 table, compare... */
    uint32_t next;     /* machine's: index of the instruction at pc + 16 */
    uint32_t target;   /* machine's: index of a direct branch's target */
};

/* What a decode function gets. */
struct emu_decode {
    const struct inst *inst;
    struct sass_text text; /* arguments in order, destinations first */
    uint64_t lo, hi;       /* the encoding */
    uint32_t sm;
    const char *kernel;  /* for messages */
    struct arena *arena; /* of the program: broadcast values */
    /* c[bank][offset] as a 32-bit word; false (and err) when the bank is not known there. */
    bool (*constant)(void *user, uint32_t bank, uint32_t offset, uint32_t *word,
                     struct sim_err *err);
    void *user;
};

/* True when the opcode has the modifier ("FTZ", "U32"). */
bool emu_has(const struct emu_decode *d, const char *modifier);

/* Fills the next source from text argument `arg`: register, uniform register, constant, immediate.
 * `bits` is 32 or 64 (register pairs, c[] pairs). An integer immediate is taken from the text, its
 * sign folded into the value. With `as_float` immediates are floats, whose text is rounded: the
 * 32-bit immediate of the encoding, sign included; of two packed halves both; with 64 bits it is
 * the high word. */
bool emu_source_from_arg(struct emu_op *op, const struct emu_decode *d, uint32_t arg, uint32_t bits,
                         bool as_float, struct sim_err *err);

/* Destination register (general or uniform) of text argument `arg`. */
bool emu_dest_from_arg(struct emu_op *op, const struct emu_decode *d, uint32_t arg,
                       struct sim_err *err);

/* Predicate destination i / source i from text argument `arg`. */
bool emu_pdest_from_arg(struct emu_op *op, uint32_t i, const struct emu_decode *d, uint32_t arg,
                        struct sim_err *err);
bool emu_psource_from_arg(struct emu_op *op, uint32_t i, const struct emu_decode *d, uint32_t arg,
                          struct sim_err *err);

/* "kernel K: pc 0x0120: TEXT: message" as an ERR_INPUT. Returns false. */
bool emu_decode_error(const struct emu_decode *d, struct sim_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Lane values of a 32-bit source without modifiers applied. `tmp` is used for uniform registers. */
static inline const uint32_t *emu_lanes_of(const struct emu_warp *w, const struct emu_source *s,
                                           emu_lanes tmp)
{
    if (s->kind == EMU_SRC_REG)
        return w->r[s->reg];
    if (s->kind == EMU_SRC_VALUE)
        return s->lanes;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        tmp[i] = w->ur[s->reg];
    return tmp;
}

/* High words of a 64-bit source. */
static inline const uint32_t *emu_lanes_hi_of(const struct emu_warp *w, const struct emu_source *s,
                                              emu_lanes tmp)
{
    if (s->kind == EMU_SRC_REG)
        return s->reg == REG_RZ ? w->r[REG_RZ] : w->r[s->reg + 1];
    if (s->kind == EMU_SRC_VALUE)
        return s->lanes_hi;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        tmp[i] = w->ur[s->reg + 1];
    return tmp;
}

/* Lane mask of a predicate source. */
static inline uint32_t emu_predicate_of(const struct emu_warp *w, const struct emu_predicate *p)
{
    uint32_t v = p->uniform ? ((w->up >> p->index & 1) ? ~0u : 0) : w->p[p->index];
    return p->neg ? ~v : v;
}

/* Writes a predicate in the lanes of `mask`; index 7 is dropped. */
static inline void emu_write_predicate(struct emu_warp *w, uint32_t index, uint32_t value,
                                       uint32_t mask)
{
    if (index != 7)
        w->p[index] = (w->p[index] & ~mask) | (value & mask);
}

/* Decode functions: bool NAME(struct emu_op *op, const struct emu_decode *d, struct sim_err *err).
 */
typedef bool (*emu_decode_fn)(struct emu_op *op, const struct emu_decode *d, struct sim_err *err);

#endif

/* A decoded static instruction: what every SASS or trace reader produces and the timing model
 * reads.
 *
 * One `struct inst` a static instruction, made once; dynamic instructions refer to it by index.
 * Text is interned in the arena of the kernel that owns the instruction. */
#ifndef SUBCORE_ISA_INST_H
#define SUBCORE_ISA_INST_H

#include <stdbool.h>
#include <stdint.h>

#define WARP_LANES 32
#define INST_BYTES 16  /* Volta and later */
#define DEP_COUNTERS 6 /* SB0..SB5 */
#define NO_COUNTER 7   /* encoding of "no barrier" */
#define REG_RZ 255
#define INST_MAX_OPERANDS 12

enum op_class {
#define OP_CLASS(name, mem, doc) OP_CLASS_##name,
#include "isa/op_class.def"
#undef OP_CLASS
    OP_CLASS_COUNT
};

/* Name of a class, as in `op.<name>` of the configuration. */
const char *op_class_name(enum op_class c);

/* True for classes that go to the shared memory unit with an address. */
bool op_class_is_memory(enum op_class c);

/* Control bits of one instruction (docs: spec of the 128-bit encoding, bits 105-121). */
struct ctrl {
    uint8_t stall;     /* 0..15 cycles */
    bool yield;        /* already inverted: true = do not issue this warp in the next cycle */
    uint8_t write_bar; /* 0..5, or NO_COUNTER */
    uint8_t read_bar;  /* 0..5, or NO_COUNTER */
    uint8_t wait_mask; /* bit i = wait for SBi to be 0 */
};

/* Register files. */
enum reg_file {
    REG_GENERAL,           /* R0..R254; R255 = RZ is never listed */
    REG_UNIFORM,           /* UR0.. ; URZ is never listed */
    REG_PREDICATE,         /* P0..P6; PT is never listed */
    REG_UNIFORM_PREDICATE, /* UP0..UP6; UPT is never listed */
    REG_BARRIER,           /* B0..B15 */
    REG_FILE_COUNT
};

/* What an operand is for. */
enum operand_role {
    OPERAND_DEST,    /* written */
    OPERAND_SOURCE,  /* read as a value */
    OPERAND_ADDRESS, /* read as (part of) a memory address or descriptor */
    OPERAND_ROLE_COUNT
};

/* One register operand: `count` consecutive registers from `index`. */
struct operand {
    uint8_t file;   /* enum reg_file */
    uint8_t role;   /* enum operand_role */
    uint16_t index; /* first register */
    uint8_t count;  /* registers: 1, 2, 4... */
    uint8_t slot;   /* encoding slot of a source register: 0 = A, 1 = B, 2 = C */
    bool reuse;     /* keep the value in the register-file cache */
};

/* Memory spaces. */
enum mem_space {
    MEM_NONE,
    MEM_GLOBAL,
    MEM_SHARED,
    MEM_LOCAL,
    MEM_GENERIC, /* told by the address */
    MEM_CONSTANT,
    MEM_TEXTURE
};

/* Instruction flags. */
#define INST_LOAD (1u << 0)         /* reads memory into registers; LDGSTS: into shared memory */
#define INST_STORE (1u << 1)        /* writes memory */
#define INST_ATOMIC (1u << 2)       /* atomic or reduction */
#define INST_BYPASS_L1 (1u << 3)    /* LDGSTS.BYPASS, .STRONG.GPU/.SYS: not served by the L1D */
#define INST_BRANCH (1u << 4)       /* may change the pc: BRA, BRX, JMP, CALL, RET, BREAK, BSYNC */
#define INST_EXIT (1u << 5)         /* EXIT, KILL */
#define INST_VARIABLE (1u << 6)     /* variable latency on the instruction's architecture */
#define INST_CLOCK (1u << 7)        /* reads the cycle counter (CS2R/S2R SR_CLOCK*) */
#define INST_BARRIER_SYNC (1u << 8) /* BAR.SYNC, BAR.RED: waits for the barrier */
#define INST_BARRIER_ARRIVE (1u << 9) /* BAR.ARV: arrives and goes on */
#define INST_DEPBAR (1u << 10)        /* DEPBAR.LE */
#define INST_LDGDEPBAR (1u << 11)     /* groups pending LDGSTS under a counter */
#define INST_MEMBAR_CTA (1u << 12)
#define INST_MEMBAR_GPU (1u << 13)
#define INST_MEMBAR_SYS (1u << 14)
#define INST_UNKNOWN (1u << 15)        /* opcode not in the table */
#define INST_HAS_CTRL (1u << 16)       /* control bits are known */
#define INST_CONST_OPERAND (1u << 17)  /* a fixed-latency c[bank][offset] operand */
#define INST_PREDICATE_DEST (1u << 18) /* writes at least one predicate */
#define INST_SLEEP (1u << 19)          /* NANOSLEEP */
#define INST_WARP_SYNC (1u << 20)      /* WARPSYNC, BSYNC: convergence */
#define INST_WAS_GENERIC (1u << 21)    /* generic access; the trace's reader resolved mem_space */

struct inst {
    uint32_t pc;        /* byte offset in its function */
    uint32_t flags;     /* INST_... */
    const char *opcode; /* full opcode with modifiers, "LDG.E.128.CONSTANT"; never NULL */
    const char *text;   /* full SASS text without control bits, or NULL for traces without SASS */
    const char *traced; /* "IMMEDIATE REGISTERS-AND-OPCODE WIDTH" of an Accel-Sim line, or NULL */
    uint16_t opcode_id; /* index into the opcode table; OPCODE_UNKNOWN when not in it */
    uint8_t op_class;   /* enum op_class */
    uint8_t guard_file; /* REG_PREDICATE or REG_UNIFORM_PREDICATE */
    uint8_t guard;      /* 0..6; 7 = always */
    bool guard_negate;
    struct ctrl ctrl; /* meaningful with INST_HAS_CTRL */
    uint8_t operand_count;
    struct operand operands[INST_MAX_OPERANDS];
    uint8_t mem_space;      /* enum mem_space */
    uint8_t mem_width;      /* bytes a lane */
    uint8_t matrix_count;   /* LDSM/STSM: matrices (1, 2, 4); else 0 */
    uint8_t const_bank;     /* INST_CONST_OPERAND or LDC */
    uint32_t const_offset;  /* likewise; bytes */
    uint8_t barrier_id;     /* BAR: 0..15 */
    uint16_t barrier_count; /* BAR: threads that take part; 0 = all of the CTA */
    uint8_t depbar_counter; /* DEPBAR.LE SBi */
    uint8_t depbar_limit;   /* DEPBAR.LE SBi, n */
    uint8_t depbar_mask;    /* DEPBAR.LE SBi, n, {..}: counters that must be 0 */
    uint32_t line;          /* source line when known, else 0 */
    const char *source;     /* its file when known, else NULL */
};

#endif

/* The opcode table (opcode.def): one row an opcode, and decoding of one instruction.
 *
 * A decoder fills `struct inst` from text and, where there is one, the 128-bit encoding. Nothing
 * here allocates except through the given arena. */
#ifndef SUBCORE_ISA_OPCODE_H
#define SUBCORE_ISA_OPCODE_H

#include "base/arena.h"
#include "base/err.h"
#include "isa/inst.h"

#define OPCODE_UNKNOWN 0xffffu

/* SM versions that are known: X(number). */
#define SM_VERSIONS(X) X(70) X(72) X(75) X(80) X(86) X(87) X(89) X(90) X(100) X(103) X(120) X(121)

struct opcode_info {
    const char *name;      /* first dot-separated token, "FFMA" */
    const char *doc;       /* meaning, one line */
    const char *pipe;      /* Nsight Compute's pipe name: "FMA", "ALU", "LSU"... */
    uint8_t op_class;      /* enum op_class before refinement by modifiers */
    uint32_t flags;        /* INST_... that every form has */
    uint32_t variable;     /* bit i = variable latency on SM_VERSIONS[i]; all ones = everywhere */
    uint8_t mem_space;     /* enum mem_space */
    uint8_t dest_operands; /* leading operands that are destinations; see opcode.def */
};

/* Number of rows, and row i. */
uint16_t opcode_count(void);
const struct opcode_info *opcode_info(uint16_t id);

/* Row of the opcode whose first token is `name` (`len` bytes), or OPCODE_UNKNOWN. */
uint16_t opcode_find(const char *name, size_t len);

/* True when `sm` (75, 86, ...) is one of SM_VERSIONS. */
bool sm_version_known(uint32_t sm);

/* True when the opcode has a variable latency on `sm`. A version that is not in SM_VERSIONS is
 * taken for the newest known one below it. */
bool opcode_is_variable(const struct opcode_info *info, uint32_t sm);

/* Decodes control bits of the high 64-bit word. The value 16 of the 5-bit stall and yield field,
 * which no compiler emits, is kept as it is: stall 0 without yield. */
struct ctrl ctrl_decode(uint64_t hi);

/* Reuse flags of the high word: bit 0 = slot A, 1 = B, 2 = C. */
uint8_t ctrl_reuse(uint64_t hi);

/* Prints "B------:R-:W-:-:S01" (CuAssembler's form) into out. */
void ctrl_format(struct ctrl c, char out[24]);

/* Parses that form; `text` need not be terminated. Returns false when it is none. */
bool ctrl_parse(const char *text, size_t len, struct ctrl *out);

/* Decodes an instruction from SASS text such as "@!P0 LDG.E R2, desc[UR4][R6.64] ;" (guard
 * included, control code and comments not). `sm` selects the architecture. With `hi`/`lo` != NULL
 * the control bits and reuse flags come from the encoding, else INST_HAS_CTRL stays clear and reuse
 * comes from ".reuse" in the text. An unknown opcode is not an error: INST_UNKNOWN is set and the
 * class comes from its prefix. Errors: malformed text, with `file` and `line` of the input. */
bool inst_from_text(struct inst *out, const char *text, uint32_t pc, uint32_t sm,
                    const uint64_t *lo, const uint64_t *hi, struct arena *arena, const char *file,
                    uint32_t line, struct sim_err *err);

/* Register of an Accel-Sim trace line. */
struct trace_reg {
    uint8_t file; /* enum reg_file */
    uint16_t index;
};

/* Builds an instruction from the fields of an Accel-Sim trace line: opcode, register lists (RZ
 * included in the lists, dropped here), immediate. Widths of operands are told from the opcode.
 * What such a line does not say is 0: barrier number and count, the counter of DEPBAR (compilers
 * use SB0), constant bank and offset. Errors name no file: the caller knows the line. */
bool inst_from_trace(struct inst *out, const char *opcode, uint32_t pc, uint32_t sm,
                     const struct trace_reg *dst, uint32_t n_dst, const struct trace_reg *src,
                     uint32_t n_src, int64_t imm, struct arena *arena, struct sim_err *err);

#endif

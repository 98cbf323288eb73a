/* Steps of decoding, shared by the text and the trace reader. Internal to this layer.
 *
 *   form_init      opcode and arguments: which are destinations, what memory it touches
 *   class_refine   operation class and flags from modifiers and address kind
 *   width_...      registers of each operand
 *   slot_...       encoding slot of each register source */
#ifndef SUBCORE_ISA_DECODE_H
#define SUBCORE_ISA_DECODE_H

#include "isa/opcode.h"
#include "isa/sass_text.h"

#define NO_POSITION UINT8_MAX

/* One instruction while it is decoded. */
struct form {
    const char *opcode;             /* full, terminated */
    const struct opcode_info *info; /* NULL when unknown */
    const struct sass_arg *args;
    uint32_t arg_count;
    uint32_t dest_count; /* leading arguments that are destinations */
    struct sass_place at;
    /* Place of each source among the value sources (registers, constants, immediates; predicates,
     * addresses and names are left out): 0, 1, 2...; NO_POSITION for the others. */
    uint8_t position[SASS_MAX_ARGS];
    uint32_t value_count;
};

/* Fills everything of `f` behind the first four fields and `at`. */
void form_init(struct form *f);

/* As form_init with the number of destinations known. */
void form_set_dests(struct form *f, uint32_t dest_count);

/* True when argument `i` is a register of `file`. */
bool form_is_reg(const struct form *f, uint32_t i, enum reg_file file);

/* Sets out->op_class, flags, mem_space, mem_width, matrix_count, and the fields of BAR, DEPBAR and
 * constant operands. */
bool class_refine(struct inst *out, const struct form *f, struct sim_err *err);

/* Class of an opcode that is not in the table, by its prefix. */
enum op_class class_guess(const char *opcode);

/* Bytes a lane of a memory opcode, from its modifiers. */
uint8_t width_memory(const char *opcode, enum op_class c);

/* Registers of the value argument `i` (a register) of an instruction of class `c`. */
uint8_t width_value(const struct form *f, uint32_t i, enum op_class c);

/* Registers of register `reg` inside the address argument `i`. */
uint8_t width_address(const struct form *f, uint32_t i, const struct sass_reg *reg,
                      enum op_class c);

/* Slot of the register of value argument `i`: 0 = A, 1 = B, 2 = C. */
uint8_t slot_value(const struct form *f, uint32_t i, enum op_class c);

/* Corrects the slots of arithmetic sources by the encoding, for operand orders that slot_value does
 * not know. */
void slot_correct(struct inst *out, uint64_t lo, uint64_t hi);

/* Fills operands and the derived flags of an instruction whose `op_class` is known. With `lo` and
 * `hi` reuse comes from the encoding. */
bool operands_build(struct inst *out, const struct form *f, const uint64_t *lo, const uint64_t *hi,
                    struct sim_err *err);

#endif

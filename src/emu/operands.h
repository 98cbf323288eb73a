/* Reads the operands of integer instructions in order, and refuses what a decode function does not
 * know: modifiers, suffixes, signs, register files, operands left over. */
#ifndef SUBCORE_EMU_OPERANDS_H
#define SUBCORE_EMU_OPERANDS_H

#include "emu/op.h"

struct operands {
    struct emu_op *op;
    const struct emu_decode *d;
    struct sim_err *err;
    uint32_t next;        /* text argument read next */
    bool uniform;         /* executed once a warp, on uniform registers: U... */
    uint8_t dest_file;    /* register file of destinations; follows `uniform` */
    const char *suffixes; /* what may follow a register's name, separated by blanks */
};

/* Starts at the first argument, with no destination and no predicates. `modifiers` names those that
 * are known, separated by blanks; another one is an error. */
bool operands_start(struct operands *o, struct emu_op *op, const struct emu_decode *d,
                    const char *modifiers, struct sim_err *err);

/* Arguments not read yet. */
uint32_t operands_left(const struct operands *o);

/* True when the next argument is a predicate. */
bool operands_at_predicate(const struct operands *o);

/* Destination of `words` registers. */
bool operands_dest(struct operands *o, uint32_t words);

/* Up to `max` predicates that are written, as many as stand here. */
bool operands_pdests(struct operands *o, uint32_t max);

/* Next source, of 32 or 64 bits. */
bool operands_source(struct operands *o, uint32_t bits);

/* `n` sources of 32 bits. */
bool operands_sources(struct operands *o, uint32_t n);

/* A source 0 that is not written in the text. */
void operands_zero_source(struct operands *o);

/* Predicate source i. */
bool operands_psource(struct operands *o, uint32_t i);

/* A number up to `max`: shift, truth table, mask. */
bool operands_number(struct operands *o, uint32_t max, uint32_t *out);

/* A set of predicates, PR or UPR. */
bool operands_predicate_set(struct operands *o);

/* Nothing may be left. */
bool operands_end(struct operands *o);

/* Error: source i has a sign that the instruction has no meaning for. */
bool operands_no_sign(const struct operands *o, uint32_t i);

/* Error when predicates are written. */
bool operands_no_pdest(const struct operands *o);

/* True when source i is 0 whatever the registers hold. */
bool operands_is_zero(const struct operands *o, uint32_t i);

/* True when source i is the immediate or constant `value` without a sign. */
bool operands_is_value(const struct operands *o, uint32_t i, uint32_t value);

#endif

/* Tables of issue distances: short listings given as text, run through the whole model. */
#ifndef SUBCORE_TESTS_DISTANCE_H
#define SUBCORE_TESTS_DISTANCE_H

#include "support/harness.h"

/* Control codes: stall; stall and waited counter; stall and write, read barrier. */
#define S(stall) "[B------:R-:W-:-:S" #stall "] "
#define Y(stall) "[B------:R-:W-:Y:S" #stall "] "
#define WAIT0 "[B0-----:R-:W-:-:S01] "
#define WAIT1 "[B-1----:R-:W-:-:S01] "
#define W0(stall) "[B------:R-:W0:-:S" #stall "] "
#define W1(stall) "[B------:R-:W1:-:S" #stall "] "
#define R0(stall) "[B------:R0:W-:-:S" #stall "] "

#define WARM_CODE ".warm code\n"
#define WARM WARM_CODE ".warm const\n.warm data 0x100000 65536\n"

/* The nth instruction of a warp with this opcode. */
struct issue_place {
    uint32_t warp;
    const char *opcode;
    uint32_t nth;
};

struct distance_row {
    const char *name;
    const char *head; /* directives */
    const char *code; /* without the final EXIT */
    struct issue_place from, to;
    uint64_t distance; /* issue to issue */
    const char *sets[RUN_SETS_MAX];
};

/* Runs one row and checks its distance. */
void check_distance(const struct distance_row *row);

/* Runs a listing made of directives and code; EXIT is added. */
void run_code(struct run *r, const char *head, const char *code, const struct run_setup *setup);

/* The warps of the instructions with this opcode in order of issue, a letter each: warp 0 is 'a'.
 */
void issue_order(const struct run *r, const char *opcode, char *out, size_t size);

#define CHECK_DISTANCES(rows)                                                                      \
    for (size_t row_ = 0; row_ < sizeof(rows) / sizeof(rows)[0]; row_++)                           \
    check_distance(&(rows)[row_])

#endif

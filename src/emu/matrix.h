/* Matrix fragments: which lane and register of a warp holds which element.
 *
 * A register holds four elements of K for each of the 32 lanes, `packed` to a register: lane l has
 * row (of A) or column (of B) l / 4 and elements from packed * (l % 4) on. Registers of A alternate
 * between rows 0..7 and 8..15 (when M is 16), then go on along K; those of B go along K. C and D
 * have columns 2 * (l % 4) and the next one, rows l / 4, then l / 4 + 8. (PTX: mma.m16n8k16 etc.)
 */
#ifndef SUBCORE_EMU_MATRIX_H
#define SUBCORE_EMU_MATRIX_H

#include "emu/float.h"

#define MATRIX_N 8

struct matrix_shape {
    const char *name; /* as the opcode writes it */
    uint16_t m, k;
};

/* Shape of an opcode from a table that ends with a NULL name, or NULL when it has none of them. */
const struct matrix_shape *matrix_shape_of(const struct emu_decode *d,
                                           const struct matrix_shape *table);

/* Decodes "D, A, B, C" as groups of so many registers. RZ as A, B or C is a zero matrix. */
bool matrix_decode(struct emu_op *op, const struct emu_decode *d, const uint32_t registers[4],
                   struct sim_err *err);

/* Word of lane `lane` in register `i` of a source group. */
static inline uint32_t matrix_word(const struct emu_warp *w, const struct emu_source *s, uint32_t i,
                                   uint32_t lane)
{
    if (s->kind != EMU_SRC_REG)
        return (uint32_t)s->value;
    return s->reg == REG_RZ ? 0 : w->r[s->reg + i][lane];
}

/* Word that holds element k of row `row` of A (M is `m`, `packed` elements a register). */
static inline uint32_t matrix_a(const struct emu_warp *w, const struct emu_source *s, uint32_t m,
                                uint32_t packed, uint32_t row, uint32_t k)
{
    uint32_t step = k / (4 * packed), lane = (row & 7) * 4 + k / packed % 4;
    uint32_t i = m == 16 ? step * 2 + (row >> 3) : step;
    return matrix_word(w, s, i, lane);
}

/* Word that holds element k of column `col` of B. */
static inline uint32_t matrix_b(const struct emu_warp *w, const struct emu_source *s,
                                uint32_t packed, uint32_t col, uint32_t k)
{
    return matrix_word(w, s, k / (4 * packed), col * 4 + k / packed % 4);
}

/* Place of element (row, col) of C and D with one element a register. */
struct matrix_place {
    uint32_t reg, lane;
};

static inline struct matrix_place matrix_c(uint32_t row, uint32_t col)
{
    return (struct matrix_place){(row >> 3) * 2 + (col & 1), (row & 7) * 4 + col / 2};
}

#endif

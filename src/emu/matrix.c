#include "emu/matrix.h"

const struct matrix_shape *matrix_shape_of(const struct emu_decode *d,
                                           const struct matrix_shape *table)
{
    for (; table->name; table++)
        if (emu_has(d, table->name))
            return table;
    return NULL;
}

bool matrix_decode(struct emu_op *op, const struct emu_decode *d, const uint32_t registers[4],
                   struct sim_err *err)
{
    TRY(emu_dest_from_arg(op, d, 0, err));
    TRY(float_check_group(d, op->dest, registers[0], err));
    for (uint32_t i = 1; i < 4; i++) {
        TRY(emu_source_from_arg(op, d, i, 32, true, err));
        const struct emu_source *s = &op->source[i - 1];
        bool zero = s->kind == EMU_SRC_VALUE && s->value == 0;
        if ((s->kind != EMU_SRC_REG && !zero) || s->neg || s->abs)
            return emu_decode_error(d, err, "expected registers as matrix operand %u", i);
        if (s->kind == EMU_SRC_REG)
            TRY(float_check_group(d, s->reg, registers[i], err));
    }
    return true;
}

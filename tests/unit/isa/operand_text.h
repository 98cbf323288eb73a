/* Writes operands in the notation of decode_rows.def. */
#ifndef SUBCORE_TESTS_ISA_OPERAND_TEXT_H
#define SUBCORE_TESTS_ISA_OPERAND_TEXT_H

#include <stdio.h>
#include <string.h>

#include "isa/inst.h"

static inline void operand_text(const struct inst *inst, char *out, size_t size)
{
    static const char *const files[] = {"R", "UR", "P", "UP", "B"};
    static const char *const roles[] = {"=", "", "@"};
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < inst->operand_count && used < size; i++) {
        const struct operand *o = &inst->operands[i];
        char count[8] = "", slot[4] = "";
        if (o->count != 1)
            snprintf(count, sizeof count, "x%u", o->count);
        if (o->role != OPERAND_DEST && o->file == REG_GENERAL)
            snprintf(slot, sizeof slot, ".%c", 'A' + o->slot);
        used += (size_t)snprintf(out + used, size - used, "%s%s%s%u%s%s%s", i ? " " : "",
                                 roles[o->role], files[o->file], o->index, count, slot,
                                 o->reuse ? "!" : "");
    }
}

#endif

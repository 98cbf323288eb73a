#include "trace/accelsim_join.h"

#include <string.h>

static const struct inst *find_pc(const struct sass_function *f, uint32_t pc)
{
    uint32_t low = 0, high = f->inst_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->insts[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->inst_count && f->insts[low].pc == pc ? &f->insts[low] : NULL;
}

static bool same_base(const char *a, const char *b)
{
    size_t n = strcspn(a, ".");
    return strncmp(a, b, n) == 0 && (b[n] == '\0' || b[n] == '.');
}

bool join_inst(struct inst *inst, const struct sass_function *f, bool *joined,
               const struct accelsim_place *at, struct sim_err *err)
{
    const struct inst *sass = find_pc(f, inst->pc);
    *joined = sass && (sass->flags & INST_HAS_CTRL);
    if (!sass)
        return true;
    if (!same_base(inst->opcode, sass->opcode))
        return place_error(at, err, "expected %s at pc 0x%x as in the SASS, found %s", sass->opcode,
                           inst->pc, inst->opcode);
    if (strcmp(inst->opcode, sass->opcode) != 0)
        TRY(place_warn(at, err, "the SASS has %s at pc 0x%x, the trace %s", sass->opcode, inst->pc,
                       inst->opcode));
    *inst = *sass;
    return true;
}

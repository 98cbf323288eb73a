#include "isa/opcode.h"

#include <string.h>

enum sm_index {
#define X(sm) SM_INDEX_##sm,
    SM_VERSIONS(X)
#undef X
        SM_INDEX_COUNT
};

#define ON(sm) (1u << SM_INDEX_##sm)
#define ALWAYS UINT32_MAX
#define NEVER 0u
/* FP64 has its own full-rate pipe with a fixed latency only on the GH100 and GB100 families. */
#define FP64_VARIABLE (~(ON(90) | ON(100) | ON(103)))
#define R2UR_VARIABLE (ON(70) | ON(72) | ON(75) | ON(80) | ON(86) | ON(87) | ON(89))

static const struct opcode_info table[] = {
#define OPCODE(name, pipe, op_class, dests, space, flags, variable, doc)                           \
    {#name, doc, pipe, OP_CLASS_##op_class, flags, variable, MEM_##space, dests},
#include "isa/opcode.def"
#undef OPCODE
};

uint16_t opcode_count(void)
{
    return (uint16_t)(sizeof table / sizeof table[0]);
}

const struct opcode_info *opcode_info(uint16_t id)
{
    return &table[id];
}

uint16_t opcode_find(const char *name, size_t len)
{
    for (uint16_t i = 0; i < opcode_count(); i++)
        if (strncmp(table[i].name, name, len) == 0 && table[i].name[len] == '\0')
            return i;
    return OPCODE_UNKNOWN;
}

static const uint32_t versions[SM_INDEX_COUNT] = {
#define X(sm) sm,
    SM_VERSIONS(X)
#undef X
};

bool sm_version_known(uint32_t sm)
{
    for (uint32_t i = 0; i < SM_INDEX_COUNT; i++)
        if (versions[i] == sm)
            return true;
    return false;
}

bool opcode_is_variable(const struct opcode_info *info, uint32_t sm)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < SM_INDEX_COUNT; i++)
        if (versions[i] <= sm)
            index = i;
    return (info->variable >> index) & 1u;
}

#include "isa/modifier.h"

#include <string.h>

#define NUMBER_LIMIT 1000000u

size_t modifier_base_length(const char *opcode)
{
    return strcspn(opcode, ".");
}

bool modifier_next(const char **cursor, struct modifier *out)
{
    const char *dot = strchr(*cursor, '.');
    if (!dot)
        return false;
    *out = (struct modifier){dot + 1, strcspn(dot + 1, ".")};
    *cursor = dot + 1;
    return true;
}

bool modifier_is(struct modifier m, const char *token)
{
    return strlen(token) == m.len && memcmp(m.text, token, m.len) == 0;
}

bool modifier_has(const char *opcode, const char *token)
{
    struct modifier m;
    while (modifier_next(&opcode, &m))
        if (modifier_is(m, token))
            return true;
    return false;
}

bool modifier_base_is(const char *opcode, const char *name)
{
    size_t len = modifier_base_length(opcode);
    return strlen(name) == len && memcmp(opcode, name, len) == 0;
}

uint32_t modifier_number(struct modifier m)
{
    uint32_t value = 0;
    for (size_t i = 0; i < m.len; i++) {
        if (m.text[i] < '0' || m.text[i] > '9')
            return 0;
        value = value * 10 + (uint32_t)(m.text[i] - '0');
        if (value > NUMBER_LIMIT)
            return 0;
    }
    return value;
}

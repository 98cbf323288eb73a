#include "launch/launch_abi.h"

#include <stddef.h>

#define NONE LAUNCH_ABI_NONE

static const struct launch_abi layouts[] = {
    {70, 0x160, 0x0, 0xc, 0x28, NONE, 0x18, 0x20},
    {80, 0x160, 0x0, 0xc, 0x28, 0x118, 0x18, 0x20},
    {90, 0x210, 0x0, 0xc, 0x28, 0x208, 0x18, 0x20},
    {100, 0x380, 0x360, 0x370, 0x37c, 0x358, NONE, NONE},
};

const struct launch_abi *launch_abi(uint32_t sm)
{
    const struct launch_abi *found = NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (sm >= layouts[i].sm)
            found = &layouts[i];
    return found;
}

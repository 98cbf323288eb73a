#include "mem/address_map.h"

struct divider divider_make(uint32_t by)
{
    return (struct divider){.inverse = by > 1 ? UINT64_MAX / by + 1 : 0, .by = by};
}

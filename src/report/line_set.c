#include "report/line_set.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY ((size_t)1 << 12)

/* Slot of a member, or the free slot where it belongs. Fibonacci hashing spreads strided lines. */
static size_t find(const uint64_t *slots, size_t capacity, uint64_t member)
{
    size_t at = (size_t)((member * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (capacity - 1);
    while (slots[at] != 0 && slots[at] != member + 1)
        at = (at + 1) & (capacity - 1);
    return at;
}

static bool grow(struct line_set *s)
{
    size_t capacity = s->capacity ? s->capacity * 2 : FIRST_CAPACITY;
    uint64_t *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < s->capacity; i++)
        if (s->slots[i] != 0)
            slots[find(slots, capacity, s->slots[i] - 1)] = s->slots[i];
    free(s->slots);
    s->slots = slots;
    s->capacity = capacity;
    return true;
}

void line_set_add(struct line_set *s, uint64_t member)
{
    size_t at = 0;
    if (s->capacity > 0) {
        at = find(s->slots, s->capacity, member);
        if (s->slots[at] != 0)
            return;
    }
    if (s->full)
        return;
    if (s->count == LINE_SET_MAX) {
        s->full = true;
        return;
    }
    if (s->count * 2 >= s->capacity) {
        if (!grow(s)) {
            s->full = true;
            return;
        }
        at = find(s->slots, s->capacity, member);
    }
    s->slots[at] = member + 1;
    s->count++;
}

void line_set_free(struct line_set *s)
{
    free(s->slots);
    memset(s, 0, sizeof *s);
}

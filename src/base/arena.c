#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES ((size_t)64 * 1024)

struct arena_block {
    struct arena_block *next;
    size_t size;
    alignas(max_align_t) unsigned char data[];
};

static struct arena_block *new_block(struct arena *a, size_t size)
{
    size_t want = size > ARENA_BLOCK_BYTES ? size : ARENA_BLOCK_BYTES;
    struct arena_block *b = malloc(sizeof *b + want);
    if (!b)
        return NULL;
    b->size = want;
    b->next = a->first;
    a->first = b;
    a->used = 0;
    a->total += want;
    return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    struct arena_block *b = a->first;
    if (!b || b->size - a->used < size)
        b = new_block(a, size);
    if (!b)
        return NULL;
    void *p = b->data + a->used;
    a->used += size;
    return memset(p, 0, size);
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return arena_alloc(a, count * size);
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
    char *p = arena_alloc(a, len + 1);
    if (p)
        memcpy(p, s, len);
    return p;
}

void arena_reset(struct arena *a)
{
    if (!a->first)
        return;
    struct arena_block *b = a->first->next;
    while (b) {
        struct arena_block *next = b->next;
        a->total -= b->size;
        free(b);
        b = next;
    }
    a->first->next = NULL;
    a->used = 0;
}

void arena_free(struct arena *a)
{
    struct arena_block *b = a->first;
    while (b) {
        struct arena_block *next = b->next;
        free(b);
        b = next;
    }
    memset(a, 0, sizeof *a);
}

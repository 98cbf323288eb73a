/* Arena: many small allocations with one lifetime.
 *
 * Memory comes in blocks from malloc and is given back all at once. Not thread safe: one owner.
 * Allocation returns NULL when memory is out; the caller turns that into err_memory(). */
#ifndef SUBCORE_BASE_ARENA_H
#define SUBCORE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *first; /* all blocks, newest first */
    size_t used;               /* bytes used in the newest block */
    size_t total;              /* bytes of all blocks */
};

/* Zeroed memory aligned for any type, alive until arena_free(). NULL when out of memory. */
void *arena_alloc(struct arena *a, size_t size);

/* As arena_alloc for an array; NULL also when count * size overflows. */
void *arena_array(struct arena *a, size_t count, size_t size);

/* Copies `len` bytes and a terminating NUL. */
char *arena_strndup(struct arena *a, const char *s, size_t len);

/* Gives back everything but one block, which is kept for reuse. */
void arena_reset(struct arena *a);

/* Gives back all memory; the arena may be used again. */
void arena_free(struct arena *a);

#endif

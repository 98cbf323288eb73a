/* FNV-1a of 64 bits: fingerprints of texts and files, never of anything secret. */
#ifndef SUBCORE_BASE_HASH_H
#define SUBCORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(14695981039346656037)

/* The hash `h` of what came before, gone on with `len` bytes. */
static inline uint64_t hash_bytes(uint64_t h, const void *data, size_t len)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * UINT64_C(1099511628211);
    return h;
}

#endif

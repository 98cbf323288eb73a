/* Set of numbers that counts distinct members with bounded memory: memory footprints. */
#ifndef SUBCORE_REPORT_LINE_SET_H
#define SUBCORE_REPORT_LINE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Members that are told apart: 1 GiB of 128-byte lines in 128 MiB of memory. */
#define LINE_SET_MAX ((size_t)1 << 23)

struct line_set {
    uint64_t *slots; /* member + 1; 0 = free */
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    bool full; /* members were dropped: `count` is a lower bound */
};

/* Adds a member below UINT64_MAX. Memory that cannot be had makes the set full. */
void line_set_add(struct line_set *s, uint64_t member);

void line_set_free(struct line_set *s);

#endif

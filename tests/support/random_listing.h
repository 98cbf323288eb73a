/* Listings made from a seed, for property tests: every kind of instruction the model tells apart,
 * with control bits that need not make sense. The text is valid and the kernel always ends. */
#ifndef SUBCORE_TESTS_RANDOM_LISTING_H
#define SUBCORE_TESTS_RANDOM_LISTING_H

#include <stdint.h>

#include "base/buf.h"

struct random_state {
    uint64_t state;
};

uint64_t random_next(struct random_state *r);

/* 0 .. n - 1. */
uint32_t random_below(struct random_state *r, uint32_t n);

/* Appends a whole listing of kernel `name` to `out`. */
void random_listing(struct random_state *r, const char *name, struct buf *out);

#endif

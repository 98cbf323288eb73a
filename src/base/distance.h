/* Edit distance between short words, for "did you mean". */
#ifndef SUBCORE_BASE_DISTANCE_H
#define SUBCORE_BASE_DISTANCE_H

#include <stddef.h>

#define DISTANCE_MAX_LEN 80

/* Letters to insert, delete or change to make b of a; a large number when either is longer than
 * DISTANCE_MAX_LEN. */
unsigned edit_distance(const char *a, const char *b);

/* Keeps the closest of the words offered one by one. Start with {.word = the user's}. */
struct closest {
    const char *word;  /* what the user wrote */
    const char *found; /* the nearest so far, or NULL */
    unsigned distance;
};

/* Offers a candidate. Taken when it is nearer than all before and a third of `word` at most (two
 * letters of a short one) is wrong. */
void closest_offer(struct closest *c, const char *candidate);

#endif

#include "base/distance.h"

#include <limits.h>
#include <string.h>

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

unsigned edit_distance(const char *a, const char *b)
{
    size_t rows = strlen(a), cols = strlen(b);
    if (rows > DISTANCE_MAX_LEN || cols > DISTANCE_MAX_LEN)
        return UINT_MAX;
    unsigned row[DISTANCE_MAX_LEN + 1];
    for (size_t j = 0; j <= cols; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; i < rows; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i + 1;
        for (size_t j = 0; j < cols; j++) {
            unsigned change = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = least(change, diagonal + 1, row[j] + 1);
        }
    }
    return row[cols];
}

void closest_offer(struct closest *c, const char *candidate)
{
    size_t len = strlen(c->word);
    unsigned limit = len < 6 ? 2 : (unsigned)(len / 3);
    unsigned d = edit_distance(c->word, candidate);
    if (d > limit || d >= strlen(candidate) || (c->found && d >= c->distance))
        return;
    c->found = candidate;
    c->distance = d;
}

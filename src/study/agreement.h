/* How well simulated values agree with measured ones.
 *
 * Plain IEEE arithmetic in a fixed order: the same numbers for every run. */
#ifndef SUBCORE_STUDY_AGREEMENT_H
#define SUBCORE_STUDY_AGREEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* One thing that was simulated and measured. */
struct pair {
    double simulated, measured;
    double low, high; /* range of the measurements; NAN = measured once */
};

/* Numbers are NAN where they are not defined: no pair, or no variance to correlate. */
struct agreement {
    uint32_t n;           /* pairs */
    uint32_t unmeasured;  /* of those: measured as 0 and simulated as something else */
    double mape;          /* mean of |error|, without the unmeasured */
    double bias;          /* mean of the signed error, likewise */
    double pearson;       /* correlation of the values */
    double spearman;      /* correlation of their ranks; equal values share the mean rank */
    double p50, p90, max; /* |error| that so many percent of the pairs do not exceed */
    double within_5, within_10, within_25; /* share of pairs with |error| <= 5, 10, 25 % */
    uint32_t ranged;                       /* pairs with a range */
    double spread;                         /* mean of (high - low) / measured over those */
    double in_range;                       /* share of those with low <= simulated <= high */
};

/* (simulated - measured) / measured; 0 when both are 0, infinite when only measured is. */
double pair_error(const struct pair *p);

/* Computes all of `out`. False when memory is out. */
bool agreement_of(struct agreement *out, const struct pair *pairs, uint32_t count);

#endif

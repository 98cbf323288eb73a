#include "study/agreement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double pair_error(const struct pair *p)
{
    if (p->measured == 0)
        return p->simulated == 0 ? 0 : copysign(INFINITY, p->simulated);
    return (p->simulated - p->measured) / p->measured;
}

static int ascending(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;
    return a < b ? -1 : a > b;
}

/* The smallest of the sorted values that `percent` of them do not exceed. */
static double percentile(const double *sorted, uint32_t n, uint32_t percent)
{
    uint32_t rank = (uint32_t)(((uint64_t)n * percent + 99) / 100);
    return n > 0 ? sorted[rank > 0 ? rank - 1 : 0] : NAN;
}

static double share_within(const double *sorted, uint32_t n, double limit)
{
    uint32_t k = 0;
    while (k < n && sorted[k] <= limit)
        k++;
    return n > 0 ? (double)k / n : NAN;
}

static double correlation(const double *x, const double *y, uint32_t n)
{
    double mx = 0, my = 0, sxx = 0, syy = 0, sxy = 0;
    for (uint32_t i = 0; i < n; i++) {
        mx += x[i];
        my += y[i];
    }
    mx /= n;
    my /= n;
    for (uint32_t i = 0; i < n; i++) {
        sxx += (x[i] - mx) * (x[i] - mx);
        syy += (y[i] - my) * (y[i] - my);
        sxy += (x[i] - mx) * (y[i] - my);
    }
    return n > 1 && sxx > 0 && syy > 0 ? sxy / (sqrt(sxx) * sqrt(syy)) : NAN;
}

struct ranked {
    double value;
    uint32_t index;
};

static int by_value(const void *pa, const void *pb)
{
    const struct ranked *a = pa, *b = pb;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Replaces values by their ranks. */
static void rank(double *values, struct ranked *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct ranked){values[i], i};
    qsort(order, n, sizeof *order, by_value);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && order[end].value == order[i].value; end++)
            ;
        for (uint32_t k = i; k < end; k++)
            values[order[k].index] = (i + end - 1) / 2.0;
    }
}

static void count_ranges(struct agreement *a, const struct pair *pairs, uint32_t count)
{
    double spread = 0;
    uint32_t inside = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pair *p = &pairs[i];
        if (isnan(p->low) || isnan(p->high) || p->measured == 0)
            continue;
        a->ranged++;
        spread += (p->high - p->low) / p->measured;
        inside += p->simulated >= p->low && p->simulated <= p->high;
    }
    a->spread = a->ranged > 0 ? spread / a->ranged : NAN;
    a->in_range = a->ranged > 0 ? (double)inside / a->ranged : NAN;
}

static void count_errors(struct agreement *a, double *errors)
{
    double sum = 0;
    qsort(errors, a->n, sizeof *errors, ascending);
    uint32_t finite = a->n - a->unmeasured;
    for (uint32_t i = 0; i < finite; i++)
        sum += errors[i];
    a->mape = finite > 0 ? sum / finite : NAN;
    a->p50 = percentile(errors, a->n, 50);
    a->p90 = percentile(errors, a->n, 90);
    a->max = percentile(errors, a->n, 100);
    a->within_5 = share_within(errors, a->n, 0.05);
    a->within_10 = share_within(errors, a->n, 0.10);
    a->within_25 = share_within(errors, a->n, 0.25);
}

bool agreement_of(struct agreement *out, const struct pair *pairs, uint32_t count)
{
    memset(out, 0, sizeof *out);
    double *errors = malloc((count + 1) * sizeof *errors);
    double *x = malloc((count + 1) * sizeof *x), *y = malloc((count + 1) * sizeof *y);
    struct ranked *order = malloc((count + 1) * sizeof *order);
    bool ok = errors && x && y && order;
    double bias = 0;
    for (uint32_t i = 0; ok && i < count; i++) {
        double error = pair_error(&pairs[i]);
        x[i] = pairs[i].simulated;
        y[i] = pairs[i].measured;
        errors[out->n++] = fabs(error);
        if (isinf(error))
            out->unmeasured++;
        else
            bias += error;
    }
    if (ok) {
        uint32_t finite = out->n - out->unmeasured;
        out->bias = finite > 0 ? bias / finite : NAN;
        count_errors(out, errors);
        count_ranges(out, pairs, count);
        out->pearson = correlation(x, y, count);
        rank(x, order, count);
        rank(y, order, count);
        out->spearman = correlation(x, y, count);
    }
    free(errors);
    free(x);
    free(y);
    free(order);
    return ok;
}

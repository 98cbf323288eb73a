#include "study/sweep_result.h"

#include <math.h>
#include <string.h>

static bool has_values(const struct sweep_result *r, uint32_t point)
{
    return point < r->plan->point_count && r->points[point].done && !r->points[point].failed;
}

static uint64_t statistic(const struct sweep_result *r, uint32_t point)
{
    return r->points[point].values[r->plan->sweep->statistic];
}

bool sweep_speedup(const struct sweep_result *r, uint32_t point, uint64_t *base, uint64_t *own)
{
    const struct plan_point *at = &r->plan->points[point];
    uint32_t other = plan_find_point(r->plan, plan_base(r->plan, at->variant), at->input);
    if (!has_values(r, point) || !has_values(r, other))
        return false;
    *own = statistic(r, point);
    *base = statistic(r, other);
    return *own > 0 && *base > 0;
}

bool sweep_measurement(const struct sweep_result *r, uint32_t point, double *value)
{
    const struct plan_point *at = &r->plan->points[point];
    const char *only = r->plan->sweep->measured.card;
    if (!r->measured || (only && strcmp(only, r->plan->variants[at->variant].card.name) != 0))
        return false;
    *value = r->measured[at->input];
    return !isnan(*value);
}

bool sweep_error(const struct sweep_result *r, uint32_t point, double *error)
{
    double measured;
    if (!sweep_measurement(r, point, &measured) || !has_values(r, point))
        return false;
    *error = ((double)statistic(r, point) - measured) / measured;
    return true;
}

bool sweep_mean_speedup(const struct sweep_result *r, uint32_t variant, double *mean)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->plan->sweep->input_count; i++) {
        uint32_t point = plan_find_point(r->plan, variant, i);
        uint64_t base, own;
        if (point == r->plan->point_count || !sweep_speedup(r, point, &base, &own))
            continue;
        sum += log((double)base / (double)own);
        count++;
    }
    *mean = count > 0 ? exp(sum / count) : 0;
    return count > 0;
}

bool sweep_mape(const struct sweep_result *r, uint32_t variant, double *mape)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->plan->sweep->input_count; i++) {
        uint32_t point = plan_find_point(r->plan, variant, i);
        double error;
        if (point == r->plan->point_count || !sweep_error(r, point, &error))
            continue;
        sum += fabs(error);
        count++;
    }
    *mape = count > 0 ? sum / count : 0;
    return count > 0;
}

uint32_t sweep_group_count(const struct sweep_result *r)
{
    return r->plan->sweep->card_count > 0 ? r->plan->sweep->card_count : 1;
}

uint32_t sweep_group_first(const struct sweep_result *r, uint32_t g)
{
    return g * (r->plan->variant_count / sweep_group_count(r));
}

bool sweep_area_differs(const struct sweep_result *r)
{
    for (uint32_t g = 0; g < sweep_group_count(r); g++) {
        const struct plan_variant *first = &r->plan->variants[sweep_group_first(r, g)];
        for (uint32_t v = sweep_group_first(r, g); v < sweep_group_first(r, g + 1); v++) {
            const struct plan_variant *other = &r->plan->variants[v];
            if (other->has_area != first->has_area || other->area_bits != first->area_bits)
                return true;
        }
    }
    return false;
}

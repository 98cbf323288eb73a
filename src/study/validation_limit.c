/* Limits of a suite. */
#include <math.h>
#include <stdio.h>

#include "study/validation.h"

double validation_limited(const struct agreement *a, enum suite_limit_name limit)
{
    const double values[SUITE_LIMIT_COUNT] = {
#define LIMIT(name, upper) [SUITE_LIMIT_##name] = a->name,
        SUITE_LIMITS(LIMIT)
#undef LIMIT
    };
    return limit == SUITE_LIMIT_bias ? fabs(values[limit]) : values[limit];
}

bool validation_limit_holds(const struct agreement *a, const struct suite_part *p,
                            enum suite_limit_name limit)
{
    bool upper;
    double value = validation_limited(a, limit);
    suite_limit_name(limit, &upper);
    return upper ? value <= p->limits[limit].value : value >= p->limits[limit].value;
}

static bool is_correlation(enum suite_limit_name limit)
{
    return limit == SUITE_LIMIT_pearson || limit == SUITE_LIMIT_spearman;
}

void validation_limit_value(char out[NUMBER_SIZE], enum suite_limit_name limit, double v)
{
    if (!isfinite(v))
        snprintf(out, NUMBER_SIZE, isnan(v) ? "not defined" : "infinite");
    else if (is_correlation(limit))
        number_decimal(out, v, 4);
    else
        snprintf(out, NUMBER_SIZE, "%.2f %%", 100 * v);
}

bool validation_check(const struct validation *v, struct err_list *errors)
{
    bool ok = true;
    for (uint32_t p = 0; p < v->suite->part_count; p++) {
        const struct suite_part *part = &v->suite->parts[p];
        for (uint32_t i = 0; v->parts[p].selected && i < SUITE_LIMIT_COUNT; i++) {
            enum suite_limit_name limit = (enum suite_limit_name)i;
            const struct suite_limit *l = &part->limits[i];
            char value[NUMBER_SIZE], bound[NUMBER_SIZE];
            bool upper;
            if (!l->given || validation_limit_holds(&v->parts[p].agreement, part, limit))
                continue;
            validation_limit_value(value, limit, validation_limited(&v->parts[p].agreement, limit));
            validation_limit_value(bound, limit, l->value);
            const char *name = suite_limit_name(limit, &upper);
            ok = err_list_add(errors, ERR_LIMIT, v->suite->tree.file, l->line, l->col,
                              "%s%s%s is %s, the limit is at %s %s", part->name ? part->name : "",
                              part->name ? ": " : "", name, value, upper ? "most" : "least", bound);
        }
    }
    return ok;
}

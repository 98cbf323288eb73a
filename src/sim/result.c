#include "sim/result.h"

#include <stdlib.h>
#include <string.h>

static const struct stat_info stats[] = {
#define STAT(group, name, unit, counter, doc)                                                      \
    {#group, #name, unit, counter, doc, offsetof(struct sim_stats, group##_##name)},
#include "sim/stats.def"
#undef STAT
};

static const struct ratio_info ratios[] = {
#define RATIO(group, name, num, den, doc) {#group, #name, doc},
#include "sim/ratios.def"
#undef RATIO
};

static const struct {
    const char *name, *doc;
} stalls[STALL_COUNT] = {
#define STALL(name, doc) {#name, doc},
#include "sim/stall.def"
#undef STALL
};

size_t stat_count(void)
{
    return sizeof stats / sizeof stats[0];
}

const struct stat_info *stat_info(size_t i)
{
    return &stats[i];
}

size_t ratio_count(void)
{
    return sizeof ratios / sizeof ratios[0];
}

const struct ratio_info *ratio_info(size_t i)
{
    return &ratios[i];
}

void ratio_value(const struct sim_stats *s, size_t i, uint64_t *num, uint64_t *den)
{
    const uint64_t values[][2] = {
#define RATIO(group, name, num, den, doc) {num, den},
#include "sim/ratios.def"
#undef RATIO
    };
    *num = values[i][0];
    *den = values[i][1];
}

const char *stall_name(enum stall_reason r)
{
    return stalls[r].name;
}

const char *stall_doc(enum stall_reason r)
{
    return stalls[r].doc;
}

void stats_add(struct sim_stats *a, const struct sim_stats *b)
{
#define STAT(group, name, unit, counter, doc) a->group##_##name += b->group##_##name;
#include "sim/stats.def"
#undef STAT
    for (size_t r = 0; r < STALL_COUNT; r++)
        a->stalls[r] += b->stalls[r];
}

void stats_add_since(struct sim_stats *a, const struct sim_stats *now,
                     const struct sim_stats *before)
{
#define STAT(group, name, unit, counter, doc)                                                      \
    a->group##_##name += now->group##_##name - before->group##_##name;
#include "sim/stats.def"
#undef STAT
    for (size_t r = 0; r < STALL_COUNT; r++)
        a->stalls[r] += now->stalls[r] - before->stalls[r];
}

static const struct {
    const char *name, *text;
} limits[OCCUPANCY_LIMIT_COUNT] = {
#define LIMIT(name, text) {#name, text},
    OCCUPANCY_LIMITS(LIMIT)
#undef LIMIT
};

const char *occupancy_limit_name(enum occupancy_limit l)
{
    return limits[l].name;
}

const char *occupancy_limit_text(enum occupancy_limit l)
{
    return limits[l].text;
}

void kernel_result_free(struct kernel_result *r)
{
    free(r->counts);
    free(r->by_inst);
    free(r->hazards);
    memset(r, 0, sizeof *r);
}

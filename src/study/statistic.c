#include "study/statistic.h"

#include <stdio.h>
#include <string.h>

#include "base/distance.h"

/* Numbers of the summary that are no counters of stats.def, and ratios of them. */
static const struct {
    const char *name, *counter;
    bool is_count;
} wholes[] = {
#define WHOLE(name, counter, num, den) {name, counter, sizeof #den == sizeof "1"},
#include "study/statistics.def"
#undef WHOLE
};
#define WHOLE_COUNT ((uint32_t)(sizeof wholes / sizeof wholes[0]))

/* The statistics in order: wholes, counters, ratios, stall reasons, stall reasons an issue. */
enum kind { KIND_WHOLE, KIND_COUNTER, KIND_RATIO, KIND_STALL, KIND_STALL_RATIO };

static enum kind kind_of(uint32_t i, uint32_t *index)
{
    const uint32_t sizes[] = {WHOLE_COUNT, (uint32_t)stat_count(), (uint32_t)ratio_count(),
                              STALL_COUNT};
    uint32_t kind = KIND_WHOLE;
    while (kind < KIND_STALL_RATIO && i >= sizes[kind])
        i -= sizes[kind++];
    *index = i;
    return (enum kind)kind;
}

uint32_t statistic_count(void)
{
    return WHOLE_COUNT + (uint32_t)stat_count() + (uint32_t)ratio_count() + 2 * STALL_COUNT;
}

/* Place in the JSON: "icache.l0.hits" for hits of icache_l0. */
static void place(char out[STATISTIC_NAME_SIZE], const char *group, const char *name)
{
    static const char nested[] = "icache_";
    snprintf(out, STATISTIC_NAME_SIZE, "%s.%s", group, name);
    if (strncmp(out, nested, sizeof nested - 1) == 0)
        out[sizeof nested - 2] = '.';
}

void statistic_name(uint32_t i, char out[STATISTIC_NAME_SIZE])
{
    uint32_t at;
    switch (kind_of(i, &at)) {
    case KIND_WHOLE:
        snprintf(out, STATISTIC_NAME_SIZE, "%s", wholes[at].name);
        break;
    case KIND_COUNTER:
        place(out, stat_info(at)->group, stat_info(at)->name);
        break;
    case KIND_RATIO:
        place(out, ratio_info(at)->group, ratio_info(at)->name);
        break;
    case KIND_STALL:
        snprintf(out, STATISTIC_NAME_SIZE, "issue.stalls.%s", stall_name((enum stall_reason)at));
        break;
    case KIND_STALL_RATIO:
        snprintf(out, STATISTIC_NAME_SIZE, "stalls_per_issue.%s",
                 stall_name((enum stall_reason)at));
        break;
    }
}

bool statistic_find(const char *name, uint32_t *i, uint32_t *near)
{
    struct closest closest = {.word = name};
    char candidate[STATISTIC_NAME_SIZE];
    *near = statistic_count();
    for (*i = 0; *i < statistic_count(); (*i)++) {
        const char *before = closest.found;
        statistic_name(*i, candidate);
        if (strcmp(candidate, name) == 0)
            return true;
        unsigned distance = closest.distance;
        closest_offer(&closest, candidate);
        if (closest.found != before || closest.distance != distance)
            *near = *i;
    }
    return false;
}

void statistic_counter(uint32_t i, char out[STATISTIC_NAME_SIZE])
{
    uint32_t at;
    out[0] = '\0';
    switch (kind_of(i, &at)) {
    case KIND_WHOLE:
        snprintf(out, STATISTIC_NAME_SIZE, "%s", wholes[at].counter);
        break;
    case KIND_COUNTER:
        snprintf(out, STATISTIC_NAME_SIZE, "%s", stat_info(at)->counter);
        break;
    case KIND_STALL_RATIO:
        snprintf(out, STATISTIC_NAME_SIZE,
                 "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
                 stall_name((enum stall_reason)at));
        break;
    default:
        break;
    }
}

static void whole_value(uint32_t i, const struct summary *s, uint64_t *num, uint64_t *den)
{
    const uint64_t values[][2] = {
#define WHOLE(name, counter, num, den) {num, den},
#include "study/statistics.def"
#undef WHOLE
    };
    *num = values[i][0];
    *den = values[i][1];
}

/* Value as num / den; false for ratios. */
static bool parts_of(uint32_t i, const struct summary *s, uint64_t *num, uint64_t *den)
{
    uint32_t at;
    *den = 1;
    switch (kind_of(i, &at)) {
    case KIND_WHOLE:
        whole_value(at, s, num, den);
        return wholes[at].is_count;
    case KIND_COUNTER:
        memcpy(num, (const char *)&s->stats + stat_info(at)->offset, sizeof *num);
        return true;
    case KIND_RATIO:
        ratio_value(&s->stats, at, num, den);
        return false;
    case KIND_STALL:
        *num = s->stats.stalls[at];
        return true;
    default:
        *num = s->stats.stalls[at];
        *den = s->stats.issue_issued;
        return false;
    }
}

bool statistic_is_count(uint32_t i)
{
    uint32_t at;
    enum kind kind = kind_of(i, &at);
    return kind == KIND_COUNTER || kind == KIND_STALL ||
           (kind == KIND_WHOLE && wholes[at].is_count);
}

uint64_t statistic_counted(uint32_t i, const struct summary *s)
{
    uint64_t num, den;
    return parts_of(i, s, &num, &den) ? num : 0;
}

bool statistic_value(uint32_t i, const struct summary *s, double *value)
{
    uint64_t num, den;
    parts_of(i, s, &num, &den);
    *value = den > 0 ? (double)num / (double)den : 0;
    return den > 0;
}

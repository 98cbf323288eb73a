/* Compares counters of simulated launches with those measured on a GPU. Called by
 * tools/compare_counters.
 *
 *   compare_counters [-v] HW_FOLDER RESULT_FOLDER LAUNCH...
 *
 * HW_FOLDER holds counters.csv (a launch a line, a counter a column) and counters_range.csv
 * (launch, counter, minimum, median, maximum of those that did not repeat); RESULT_FOLDER the
 * LAUNCH.json. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw_files.h"
#include "sim/result.h"

/* A counter that varies is right within its range widened by this share. */
#define RANGE_SLACK 0.02
#define NEAR 0.05
#define CLOSE 0.10
#define WORST_SHOWN 3

struct table {
    char *text;
    char **cells; /* [rows * columns] */
    size_t rows, columns;
};

struct difference {
    const char *launch;
    double simulated, low, high; /* hardware: equal when it repeats */
    double share;                /* distance from the range, as a share of its near end */
};

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    return p;
}

/* Numbers and names without quotes: cells end at commas. */
static struct table read_table(const char *folder, const char *name)
{
    struct table t = {0};
    char path[4096];
    size_t len, cells = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    t.text = slurp(path, &len);
    for (const char *p = t.text; *p; p++)
        t.rows += *p == '\n';
    t.columns = 1;
    for (const char *p = t.text; *p && *p != '\n'; p++)
        t.columns += *p == ',';
    t.cells = allocate(t.rows * t.columns, sizeof *t.cells);
    for (char *p = t.text; *p && cells < t.rows * t.columns; p++) {
        t.cells[cells++] = p;
        p += strcspn(p, ",\r\n");
        if (*p == '\0')
            break;
        if (*p == '\r')
            *p++ = '\0';
        *p = '\0';
    }
    return t;
}

static const char *cell(const struct table *t, size_t row, size_t column)
{
    const char *text = t->cells[row * t->columns + column];
    return text ? text : "";
}

/* Measured range of a counter; false when it was not measured. */
static bool measured(const struct table *counters, const struct table *ranges, const char *launch,
                     const char *counter, struct difference *d)
{
    size_t column = 1, row = 1;
    while (column < counters->columns && strcmp(cell(counters, 0, column), counter) != 0)
        column++;
    while (row < counters->rows && strcmp(cell(counters, row, 0), launch) != 0)
        row++;
    if (column == counters->columns || row == counters->rows)
        return false;
    d->low = d->high = strtod(cell(counters, row, column), NULL);
    for (size_t i = 1; i < ranges->rows; i++) {
        if (strcmp(cell(ranges, i, 0), launch) != 0 || strcmp(cell(ranges, i, 1), counter) != 0)
            continue;
        d->low = strtod(cell(ranges, i, 2), NULL) * (1 - RANGE_SLACK);
        d->high = strtod(cell(ranges, i, 4), NULL) * (1 + RANGE_SLACK);
    }
    return true;
}

/* Value of a statistic in the total of a JSON result: "icache_l0" is the object l0 of icache. */
static double simulated(const char *json, const struct stat_info *s)
{
    const char *p = member(json, "total"), *group = s->group;
    const char *nested = strchr(group, '_');
    char outer[64];
    const char *found = member(p, group);
    if (!found && nested) {
        snprintf(outer, sizeof outer, "%.*s", (int)(nested - group), group);
        found = member(member(p, outer), nested + 1);
    }
    found = member(found, s->name);
    return found ? strtod(found, NULL) : NAN;
}

static int by_share(const void *a, const void *b)
{
    const struct difference *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return strcmp(x->launch, y->launch);
}

static double share_off(const struct difference *d)
{
    double near = d->simulated < d->low ? d->low : d->high;
    if (d->simulated >= d->low && d->simulated <= d->high)
        return 0;
    return near > 0 ? fabs(d->simulated - near) / near : HUGE_VAL;
}

static void print_difference(const struct difference *d, bool whole)
{
    double middle = (d->low + d->high) / 2;
    printf(" %s %+.1f%%", d->launch, 100 * (d->simulated - middle) / middle);
    if (!whole)
        return;
    printf("  simulated %.0f, measured %.0f", d->simulated, d->low);
    if (d->high > d->low)
        printf(" to %.0f", d->high);
    printf("\n");
}

static void print_row(const struct stat_info *s, struct difference *d, size_t n, bool verbose)
{
    size_t exact = 0, near = 0, close = 0, off = 0;
    qsort(d, n, sizeof *d, by_share);
    for (size_t i = 0; i < n; i++) {
        exact += d[i].share == 0;
        near += d[i].share > 0 && d[i].share <= NEAR;
        close += d[i].share > NEAR && d[i].share <= CLOSE;
        off += !(d[i].share <= CLOSE);
    }
    printf("%-66s %-30s %5zu %5zu %5zu %5zu ", s->counter, s->name, exact, near, close, off);
    if (verbose)
        printf("\n");
    for (size_t i = 0; i < n && d[i].share != 0 && (verbose || i < WORST_SHOWN); i++) {
        printf(verbose ? "   " : "");
        print_difference(&d[i], verbose);
    }
    if (!verbose)
        printf("\n");
}

int main(int argc, char **argv)
{
    bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    int first = verbose ? 2 : 1;
    if (argc < first + 3) {
        fprintf(stderr, "usage: compare_counters [-v] HW_FOLDER RESULT_FOLDER LAUNCH...\n");
        return 2;
    }
    struct table counters = read_table(argv[first], "counters.csv");
    struct table ranges = read_table(argv[first], "counters_range.csv");
    size_t launches = (size_t)(argc - first - 2), len;
    char **json = allocate(launches, sizeof *json);
    struct difference *d = allocate(launches, sizeof *d);
    for (size_t i = 0; i < launches; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.json", argv[first + 1], argv[first + 2 + (int)i]);
        json[i] = slurp(path, &len);
    }
    printf("%-66s %-30s %5s %5s %5s %5s  worst\n", "counter", "statistic", "exact", "<=5%", "<=10%",
           "off");
    for (size_t k = 0; k < stat_count(); k++) {
        const struct stat_info *s = stat_info(k);
        size_t n = 0;
        for (size_t i = 0; i < launches && s->counter[0]; i++) {
            struct difference one = {.launch = argv[first + 2 + (int)i],
                                     .simulated = simulated(json[i], s)};
            if (!measured(&counters, &ranges, one.launch, s->counter, &one) ||
                (one.high == 0 && one.simulated == 0))
                continue;
            one.share = share_off(&one);
            d[n++] = one;
        }
        if (n > 0)
            print_row(s, d, n, verbose);
    }
    return 0;
}

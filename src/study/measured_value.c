/* What a cell of a measurement says: its number in base units, and whose it is. */
#include <ctype.h>
#include <string.h>

#include "study/csv_line.h"
#include "study/measured.h"

/* Factors of Nsight's units: decimal, as it prints them. */
static const struct {
    const char *prefix;
    double factor;
} prefixes[] = {{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};

static const struct {
    const char *unit;
    double factor;
} times[] = {{"ns", 1},   {"nsecond", 1},   {"us", 1e3}, {"usecond", 1e3},
             {"ms", 1e6}, {"msecond", 1e6}, {"s", 1e9},  {"second", 1e9}};

/* Number of base units that one of `unit` is. */
static double unit_factor(const char *unit)
{
    static const char *const scaled[] = {"byte", "hz", "Hz", "inst", "cycle"};
    if (strcmp(unit, "%") == 0)
        return 0.01;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (strcmp(unit, times[i].unit) == 0)
            return times[i].factor;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        for (size_t k = 0; k < sizeof scaled / sizeof scaled[0]; k++)
            if (unit[0] == prefixes[i].prefix[0] &&
                strncmp(unit + 1, scaled[k], strlen(scaled[k])) == 0)
                return prefixes[i].factor;
    return 1;
}

/* Columns of a CSV without units that are percentages by their names. */
static bool is_percent(const char *column)
{
    const char *pct = strstr(column, ".pct");
    return pct && (pct[4] == '\0' || pct[4] == '_' || pct[4] == '.');
}

/* Nsight's words for "not measured". */
static bool is_missing(const char *text)
{
    static const char *const words[] = {"", "n/a", "N/A", "nan", "NaN", "-", "(!) n/a"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

bool measured_value(const struct measured *m, const struct measured_row *row, uint32_t column,
                    double *value, bool *found, struct sim_err *err)
{
    const char *text = row->cells[column];
    *found = false;
    *value = 0;
    if (!text || is_missing(text))
        return true;
    if (!csv_number(text, value))
        return err_set(err, ERR_INPUT, m->file, row->line, 0,
                       "column '%s': expected a number, found '%.40s'", m->columns[column], text);
    if (row->units && row->units[column])
        *value *= unit_factor(row->units[column]);
    else if (is_percent(m->columns[column]))
        *value *= 0.01;
    *found = true;
    return true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The function's own name in what is printed: the last word before parameters or template
 * arguments. Namespaces and a return type come before it. */
static size_t own_name(const char *printed, const char **start)
{
    static const char *const unnamed[] = {"(anonymous namespace)::", "<unnamed>::"};
    for (size_t i = 0; i < sizeof unnamed / sizeof unnamed[0]; i++) {
        const char *at = strstr(printed, unnamed[i]);
        if (at)
            printed = at + strlen(unnamed[i]);
    }
    size_t end = strcspn(printed, "(<");
    while (end > 0 && !is_word(printed[end - 1]))
        end--;
    size_t at = end;
    while (at > 0 && is_word(printed[at - 1]))
        at--;
    *start = printed + at;
    return end - at;
}

/* A mangled name holds its words behind their lengths: _Z6vecaddPKf. */
static bool mangled_holds(const char *mangled, const char *word, size_t len)
{
    for (const char *p = mangled + 2; *p;) {
        size_t n = 0;
        while (isdigit((unsigned char)*p) && n < 4096)
            n = n * 10 + (size_t)(*p++ - '0');
        if (n == 0) {
            p++;
            continue;
        }
        if (n == len && strncmp(p, word, len) == 0)
            return true;
        size_t rest = strlen(p);
        p += n < rest ? n : rest;
    }
    return false;
}

bool measured_same_kernel(const char *printed, const char *kernel)
{
    const char *a, *b;
    if (strcmp(printed, kernel) == 0)
        return true;
    bool a_mangled = strncmp(printed, "_Z", 2) == 0, b_mangled = strncmp(kernel, "_Z", 2) == 0;
    size_t an = own_name(printed, &a), bn = own_name(kernel, &b);
    if (a_mangled && b_mangled)
        return false;
    if (b_mangled)
        return mangled_holds(kernel, a, an);
    if (a_mangled)
        return mangled_holds(printed, b, bn);
    return an == bn && strncmp(a, b, an) == 0;
}

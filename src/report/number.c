#include "report/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Long division keeps the remainder below den; den above UINT64_MAX / 10 is scaled down, far beyond
 * the digits printed. */
void number_ratio(char out[NUMBER_SIZE], uint64_t num, uint64_t den, uint32_t decimals)
{
    if (den > UINT64_MAX / 10) {
        num /= 10;
        den /= 10;
    }
    if (decimals > 18)
        decimals = 18;
    uint64_t whole = num / den, rest = num % den, fraction = 0, scale = 1;
    for (uint32_t i = 0; i < decimals; i++) {
        rest *= 10;
        fraction = fraction * 10 + rest / den;
        rest %= den;
        scale *= 10;
    }
    if (rest >= den - rest)
        fraction++;
    if (fraction == scale) {
        fraction = 0;
        whole++;
    }
    if (decimals == 0)
        snprintf(out, NUMBER_SIZE, "%" PRIu64, whole);
    else
        snprintf(out, NUMBER_SIZE, "%" PRIu64 ".%0*" PRIu64, whole, (int)decimals, fraction);
}

void number_grouped(char out[NUMBER_SIZE], uint64_t v)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, v);
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

void number_percent(char out[NUMBER_SIZE], uint64_t num, uint64_t den, uint32_t decimals)
{
    if (den == 0) {
        strcpy(out, "-");
        return;
    }
    /* Both scaled together, so that 100 * num fits. */
    while (num > UINT64_MAX / 100) {
        num /= 2;
        den = den > 1 ? den / 2 : 1;
    }
    number_ratio(out, num * 100, den, decimals);
}

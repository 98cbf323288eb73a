#include "report/number.h"

#include <inttypes.h>
#include <math.h>
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

void number_decimal(char out[NUMBER_SIZE], double v, uint32_t decimals)
{
    if (!isfinite(v) || fabs(v) >= 1e40) {
        strcpy(out, "-");
        return;
    }
    int n = snprintf(out, NUMBER_SIZE, "%.*f", decimals > 9 ? 9 : (int)decimals, v);
    if (strchr(out, '.')) {
        while (out[n - 1] == '0')
            out[--n] = '\0';
        if (out[n - 1] == '.')
            out[--n] = '\0';
    }
    if (strcmp(out, "-0") == 0)
        strcpy(out, "0");
}

void number_grouped_decimal(char out[NUMBER_SIZE], double v, uint32_t decimals)
{
    char plain[NUMBER_SIZE];
    number_decimal(plain, v, decimals);
    size_t sign = plain[0] == '-', whole = sign + strcspn(plain + sign, "."), at = 0;
    for (size_t i = 0; plain[i] && at + 2 < NUMBER_SIZE; i++) {
        if (i > sign && i < whole && (whole - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = plain[i];
    }
    out[at] = '\0';
}

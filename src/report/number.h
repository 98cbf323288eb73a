/* Numbers as text, by integer arithmetic only. */
#ifndef SUBCORE_REPORT_NUMBER_H
#define SUBCORE_REPORT_NUMBER_H

#include <stdint.h>

#include "base/buf.h"

/* Longest text of the functions below, with the NUL. */
#define NUMBER_SIZE 64

/* Writes num / den, rounded half up to `decimals` (at most 18) digits. den must not be 0. */
void number_ratio(char out[NUMBER_SIZE], uint64_t num, uint64_t den, uint32_t decimals);

/* Writes v with commas between thousands: "1,234,567". */
void number_grouped(char out[NUMBER_SIZE], uint64_t v);

/* Writes 100 * num / den with `decimals` digits; "-" when den is 0. */
void number_percent(char out[NUMBER_SIZE], uint64_t num, uint64_t den, uint32_t decimals);

/* Writes v with at most `decimals` digits behind the point and no zeros at its end; "-" when it is
 * not finite. */
void number_decimal(char out[NUMBER_SIZE], double v, uint32_t decimals);

/* The same with commas between thousands. */
void number_grouped_decimal(char out[NUMBER_SIZE], double v, uint32_t decimals);

#endif

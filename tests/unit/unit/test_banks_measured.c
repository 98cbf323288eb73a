/* Passes over the shared-memory banks for every pattern that was counted on an H200. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/banks.h"

#define PATTERNS SUBCORE_SOURCE_DIR "/tests/data/h200/shared_patterns.csv"

/* Columns of the counters of a kind: wavefronts, conflicts. */
static const struct {
    const char *name;
    enum bank_access kind;
    uint32_t width, wavefronts, conflicts;
} operations[] = {
    {"LD32", BANK_LOAD, 4, 0, 3},     {"LD64", BANK_LOAD, 8, 0, 3},
    {"LD128", BANK_LOAD, 16, 0, 3},   {"ST8", BANK_STORE, 1, 1, 4},
    {"ST32", BANK_STORE, 4, 1, 4},    {"ST64", BANK_STORE, 8, 1, 4},
    {"ST128", BANK_STORE, 16, 1, 4},  {"ATOM", BANK_ATOMIC, 4, 2, 5},
    {"ATOMINC", BANK_STORE, 4, 2, 5}, {"ATOMEXCH", BANK_ATOMIC, 4, 2, 5},
};

static void patterns_take_the_passes_that_were_counted(void **state)
{
    (void)state;
    FILE *f = fopen(PATTERNS, "r");
    assert_non_null(f);
    char line[1024];
    uint32_t rows = 0;
    while (fgets(line, sizeof line, f)) {
        size_t op = 0, ops = sizeof operations / sizeof operations[0];
        size_t name = strcspn(line, ",");
        while (op < ops &&
               (strncmp(line, operations[op].name, name) != 0 || operations[op].name[name] != '\0'))
            op++;
        if (op == ops)
            continue;
        uint64_t lanes[32];
        char *at = line + name + 1;
        struct dyn_inst d = {.addr_mode = ADDR_LIST, .addr.list = lanes};
        d.mask = (uint32_t)strtoul(at, &at, 16);
        uint32_t counted[6];
        for (uint32_t i = 0; i < 6; i++)
            counted[i] = (uint32_t)strtoul(at + 1, &at, 10);
        for (uint32_t i = 0; i < 32; i++)
            lanes[i] = strtoul(at + 1, &at, 10);
        struct bank_passes p = bank_passes(&d, operations[op].kind, operations[op].width, 32);
        if (p.passes != counted[operations[op].wavefronts] ||
            p.passes - p.fewest != counted[operations[op].conflicts])
            fail_msg("%s%u passes, %u of them conflicts; counted %u, %u", line, p.passes,
                     p.passes - p.fewest, counted[operations[op].wavefronts],
                     counted[operations[op].conflicts]);
        rows++;
    }
    fclose(f);
    print_message("%u patterns\n", rows);
    assert_true(rows > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_take_the_passes_that_were_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

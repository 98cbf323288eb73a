/* G2: latencies of memory instructions on a hit (paper, table 2), every cell of g2_table.def. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/harness.h"

struct cell {
    const char *access, *address;
    uint32_t width, tolerance, war, raw;
};

static const struct cell cells[] = {
#define G2(access, address, width, tolerance, war, raw)                                            \
    {#access, #address, width, tolerance, war, raw},
#include "golden/g2_table.def"
#undef G2
};

/* Opcode of the access, in capitals. */
static void opcode_of(const struct cell *cell, char *out)
{
    size_t i = 0;
    for (; cell->access[i]; i++)
        out[i] = (char)(cell->access[i] - 'a' + 'A');
    out[i] = '\0';
}

/* Runs one listing; returns 1 when its distance is not the expected one. */
static uint32_t check(const struct cell *cell, const char *kind, uint32_t expected)
{
    char path[256];
    snprintf(path, sizeof path, "traces/micro/g2_%s_%s_%u_%s.sass", cell->access, cell->address,
             cell->width, kind);
    char opcode[16];
    opcode_of(cell, opcode);
    struct run r;
    run_listing(&r, path, NULL);
    const struct issue_record *access = run_find(&r, 0, opcode, 0);
    uint64_t distance = 0;
    for (const struct issue_record *next = access + 1; next < r.issues + r.issue_count; next++) {
        if (next->warp == 0) {
            distance = next->cycle - access->cycle;
            break;
        }
    }
    run_free(&r);
    if (distance + cell->tolerance >= expected && distance <= expected + cell->tolerance)
        return 0;
    print_error("%s: distance %llu, expected %u (tolerance %u)\n", path,
                (unsigned long long)distance, expected, cell->tolerance);
    return 1;
}

static void every_source_can_be_overwritten_in_time(void **state)
{
    (void)state;
    uint32_t wrong = 0;
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        wrong += check(&cells[i], "war", cells[i].war);
    assert_int_equal(wrong, 0);
}

static void every_result_can_be_used_in_time(void **state)
{
    (void)state;
    uint32_t wrong = 0;
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        if (cells[i].raw)
            wrong += check(&cells[i], "raw", cells[i].raw);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_source_can_be_overwritten_in_time),
        cmocka_unit_test(every_result_can_be_used_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

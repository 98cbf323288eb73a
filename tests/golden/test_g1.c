/* G1: in which cycle the i-th memory instruction issues, one warp a sub-core (paper, table 1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/harness.h"

#define SUBCORES 4
#define LISTED 8 /* rows of the table; later ones follow at a fixed distance */
#define ACCESSES 12

/* Cycles of the active sub-cores, sorted: [active - 1][access][rank]. */
static const uint64_t listed[SUBCORES][LISTED][SUBCORES] = {
    {{2}, {3}, {4}, {5}, {6}, {13}, {17}, {21}},
    {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {13, 15}, {17, 19}, {21, 23}},
    {{2, 2, 2},
     {3, 3, 3},
     {4, 4, 4},
     {5, 5, 5},
     {6, 6, 6},
     {13, 15, 17},
     {19, 21, 23},
     {25, 27, 29}},
    {{2, 2, 2, 2},
     {3, 3, 3, 3},
     {4, 4, 4, 4},
     {5, 5, 5, 5},
     {6, 6, 6, 6},
     {13, 15, 17, 19},
     {21, 23, 25, 27},
     {29, 31, 33, 35}},
};
static const uint64_t distance[SUBCORES] = {4, 4, 6, 8};

static uint64_t expected(uint32_t active, uint32_t access, uint32_t rank)
{
    if (access < LISTED)
        return listed[active - 1][access][rank];
    return listed[active - 1][LISTED - 1][rank] + (access - LISTED + 1) * distance[active - 1];
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check(const char *listing, const char *opcode, uint32_t active)
{
    struct run r;
    run_listing(&r, listing, NULL);
    uint32_t wrong = 0;
    for (uint32_t access = 0; access < ACCESSES; access++) {
        uint64_t cycles[SUBCORES];
        for (uint32_t warp = 0; warp < active; warp++)
            cycles[warp] = run_issue(&r, warp, opcode, access);
        qsort(cycles, active, sizeof cycles[0], by_value);
        for (uint32_t rank = 0; rank < active; rank++) {
            if (cycles[rank] == expected(active, access, rank))
                continue;
            wrong++;
            print_error("%s: %s %u, sub-core %u of %u: cycle %llu, expected %llu\n", listing,
                        opcode, access + 1, rank + 1, active, (unsigned long long)cycles[rank],
                        (unsigned long long)expected(active, access, rank));
        }
    }
    run_free(&r);
    assert_int_equal(wrong, 0);
}

static void loads_of_one_subcore(void **state)
{
    (void)state;
    check("traces/micro/g1_1subcores.sass", "LDG", 1);
}

static void loads_of_two_subcores(void **state)
{
    (void)state;
    check("traces/micro/g1_2subcores.sass", "LDG", 2);
}

static void loads_of_three_subcores(void **state)
{
    (void)state;
    check("traces/micro/g1_3subcores.sass", "LDG", 3);
}

static void loads_of_four_subcores(void **state)
{
    (void)state;
    check("traces/micro/g1_4subcores.sass", "LDG", 4);
}

static void stores_of_four_subcores(void **state)
{
    (void)state;
    check("traces/micro/g1_store_4subcores.sass", "STG", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_of_one_subcore),    cmocka_unit_test(loads_of_two_subcores),
        cmocka_unit_test(loads_of_three_subcores), cmocka_unit_test(loads_of_four_subcores),
        cmocka_unit_test(stores_of_four_subcores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

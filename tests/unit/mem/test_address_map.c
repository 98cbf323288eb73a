/* Lines are spread evenly over any number of places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mem/address_map.h"

#define PLACES_MAX 192

static void a_quotient_is_exact(void **state)
{
    (void)state;
    static const uint32_t by[] = {1, 2, 3, 47, 48, 80, 96, 320, 65535, 1u << 20};
    for (size_t i = 0; i < sizeof by / sizeof by[0]; i++) {
        struct divider d = divider_make(by[i]);
        for (uint64_t x = 0; x < 3000; x++) {
            uint64_t far = ((1ull << 44) - 1) - x;
            assert_int_equal(divider_quotient(&d, x), x / by[i]);
            assert_int_equal(divider_quotient(&d, far), far / by[i]);
            assert_int_equal(divider_quotient(&d, x * by[i]), x);
        }
    }
}

/* Every block of n lines uses every place once, and the block number with the place names a line.
 */
static void consecutive_lines_take_all_places(void **state)
{
    (void)state;
    static const uint32_t places[] = {1, 2, 20, 22, 24, 47, 48, 96};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct divider d = divider_make(places[i]);
        for (uint64_t block = 0; block < 50; block++) {
            uint8_t seen[PLACES_MAX] = {0};
            for (uint64_t k = 0; k < places[i]; k++) {
                uint64_t b;
                seen[spread(&d, block * places[i] + k, &b)]++;
                assert_int_equal(b, block);
            }
            for (uint32_t p = 0; p < places[i]; p++)
                assert_int_equal(seen[p], 1);
        }
    }
}

/* Most lines at one place, in percent of an even share, of 200 lines a place. */
static uint32_t worst_share(uint32_t places, uint64_t stride)
{
    struct divider d = divider_make(places);
    uint32_t count[PLACES_MAX] = {0}, worst = 0;
    for (uint64_t i = 0; i < 200ull * places; i++) {
        uint64_t block;
        uint32_t c = ++count[spread(&d, fold_line(i * stride), &block)];
        worst = c > worst ? c : worst;
    }
    return worst / 2;
}

/* Lines thrown at random would give up to 130 %. */
static void lines_a_power_of_two_apart_are_spread(void **state)
{
    (void)state;
    static const uint32_t places[] = {20, 22, 24, 40, 44, 47, 48, 80, 96};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        assert_in_range(worst_share(places[i], 1), 100, 100);
        assert_in_range(worst_share(places[i], places[i]), 100, 130);
        for (uint64_t stride = 2; stride <= 1ull << 20; stride *= 2) {
            uint32_t share = worst_share(places[i], stride);
            if (share > 130)
                fail_msg("%u places, stride %llu: %u %%", places[i], (unsigned long long)stride,
                         share);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quotient_is_exact),
        cmocka_unit_test(consecutive_lines_take_all_places),
        cmocka_unit_test(lines_a_power_of_two_apart_are_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

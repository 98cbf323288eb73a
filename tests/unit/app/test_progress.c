/* The line of the progress bar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/progress.h"

static void expect(struct progress_state s, const char *line)
{
    struct buf out = {0};
    progress_line(&out, &s);
    assert_string_equal(out.data, line);
    buf_free(&out);
}

static void share_counts_kernels_and_the_ctas_of_the_running_one(void **state)
{
    (void)state;
    expect((struct progress_state){.kernel = 2,
                                   .kernels = 4,
                                   .ctas_done = 50,
                                   .ctas = 100,
                                   .cycles = 1234567,
                                   .instructions = 30000,
                                   .elapsed_ms = 3000},
           "[#######.............]  37 %  kernel 2/4  1,234,567 cycles  10,000 wi/s  ETA 0:05");
}

static void unknown_number_of_kernels_shows_the_running_one(void **state)
{
    (void)state;
    expect((struct progress_state){.kernel = 1, .ctas_done = 1, .ctas = 4, .elapsed_ms = 1200000},
           "[#####...............]  25 %  kernel 1  0 cycles  0 wi/s  ETA 1:00:00");
}

static void nothing_done_has_no_estimate(void **state)
{
    (void)state;
    expect((struct progress_state){.kernel = 1, .kernels = 1},
           "[....................]   0 %  kernel 1/1  0 cycles  0 wi/s  ETA -");
}

static void more_ctas_than_announced_stay_at_the_end(void **state)
{
    (void)state;
    expect(
        (struct progress_state){
            .kernel = 3, .kernels = 2, .ctas_done = 9, .ctas = 3, .elapsed_ms = 1},
        "[####################] 100 %  kernel 3/2  0 cycles  0 wi/s  ETA 0:00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(share_counts_kernels_and_the_ctas_of_the_running_one),
        cmocka_unit_test(unknown_number_of_kernels_shows_the_running_one),
        cmocka_unit_test(nothing_done_has_no_estimate),
        cmocka_unit_test(more_ctas_than_announced_stay_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

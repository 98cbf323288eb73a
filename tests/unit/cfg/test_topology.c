/* Which SMs share a TPC and a GPC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "cfg/load.h"
#include "cfg/topology.h"

static struct err_list errors;

static void load(struct loaded_config *c, const char *card)
{
    char path[256];
    snprintf(path, sizeof path, "%s/configs/%s.yaml", SUBCORE_SOURCE_DIR, card);
    assert_true(config_load(c, path, NULL, 0, &errors));
}

/* SMs of every GPC, as SMs of one clock were seen on an H200. */
static const uint16_t h200[8][19] = {
    {0, 1, 16, 17, 32, 33, 48, 49, 124, 125, 126, 127, 128, 129, 130, 131},
    {2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107},
    {4, 5, 20, 21, 36, 37, 52, 53, 66, 67, 80, 81, 94, 95, 108, 109},
    {6, 7, 22, 23, 38, 39, 54, 55, 68, 69, 82, 83, 96, 97, 110, 111},
    {8, 9, 24, 25, 40, 41, 56, 57, 70, 71, 84, 85, 98, 99, 112, 113},
    {10, 11, 26, 27, 42, 43, 58, 59, 72, 73, 86, 87, 100, 101, 114, 115},
    {12, 13, 28, 29, 44, 45, 60, 61, 74, 75, 88, 89, 102, 103, 116, 117, 120, 121},
    {14, 15, 30, 31, 46, 47, 62, 63, 76, 77, 90, 91, 104, 105, 118, 119, 122, 123},
};

static void an_h200_has_the_gpcs_that_were_measured(void **state)
{
    (void)state;
    struct loaded_config c;
    struct topology t;
    load(&c, "h200");
    topology_init(&t, &c.cfg, 132);
    assert_int_equal(t.tpcs, 66);
    assert_int_equal(t.gpcs, 8);
    assert_int_equal(t.groups, 10);
    for (uint32_t g = 0; g < 8; g++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < 132; i++) {
            if (t.gpc[i] != g)
                continue;
            assert_int_equal(i, h200[g][n++]);
            assert_int_equal(t.tpc[i], i / 2);
            assert_int_equal(t.group[i], i < 124 ? g : 8 + (i - 124) / 4);
        }
        assert_int_equal(n, g < 6 ? 16 : 18);
    }
    config_free(&c);
}

static void tpcs_are_dealt_evenly(void **state)
{
    (void)state;
    struct loaded_config c;
    struct topology t;
    load(&c, "rtx_3080");
    topology_init(&t, &c.cfg, 68);
    uint32_t sms[6] = {0};
    for (uint32_t i = 0; i < 68; i++)
        sms[t.gpc[i]]++;
    static const uint32_t want[6] = {10, 10, 12, 12, 12, 12};
    assert_memory_equal(sms, want, sizeof want);
    assert_int_equal(t.groups, 6);
    config_free(&c);
}

/* --sms keeps the place of each SM; gpu.sms makes another card. */
static void fewer_sms_are_no_special_case(void **state)
{
    (void)state;
    struct loaded_config c;
    struct topology few, one;
    load(&c, "h200");
    topology_init(&few, &c.cfg, 5);
    assert_int_equal(few.tpcs, 3);
    assert_int_equal(few.gpc[4], 2);
    c.cfg.gpu.sms = 1;
    topology_init(&one, &c.cfg, 1);
    assert_int_equal(one.tpcs, 1);
    assert_int_equal(one.gpc[0], 7);
    config_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_h200_has_the_gpcs_that_were_measured),
        cmocka_unit_test(tpcs_are_dealt_evenly),
        cmocka_unit_test(fewer_sms_are_no_special_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rules between keys: each is broken by one --set, and named in the message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cfg/load.h"

static struct err_list errors;

static const struct {
    const char *set, *message; /* beginning of the message */
} broken[] = {
    {"sm.warps=46", "the warps of an SM must divide evenly among its 4 sub-cores: sm.warps is 46"},
    {"sm.register_allocation=3", "the registers must be a multiple of the allocation unit"},
    {"sm.shared_bytes=1023", "the shared memory taken from every CTA must fit into the SM's"},
    {"sm.shared_bytes=131_073", "the L1D and shared memory together must be at least the largest"},
    {"icache.line_bytes=96", "a line must be a power of two: icache.line_bytes is 96"},
    {"icache.l0_bytes=4095", "the capacity must be a multiple of line x ways: icache.l0_bytes"},
    {"icache.l1_ways=17", "the capacity must be a multiple of line x ways: icache.l1_bytes"},
    {"icache.l15_bytes=1000", "the capacity must be a multiple of line x ways: icache.l15_bytes"},
    {"icache.l15_line_bytes=384", "a line must be a power of two and at least a line of the L2"},
    {"constant.line_bytes=33", "a line must be a power of two: constant.line_bytes"},
    {"constant.l0_ways=3", "the capacity must be a multiple of line x ways: constant.l0_bytes"},
    {"constant.ldc_bytes=2049", "the capacity must be a multiple of line x ways: constant.ldc"},
    {"l1d.sector_bytes=24", "a line and a sector must be powers of two"},
    {"l1d.line_bytes=32", "the lines of the L1D and of the L2 must be the same"},
    {"l1d.ways=255", "the capacity must be a multiple of line x ways: l1d.unified_bytes"},
    {"l2.line_bytes=48", "a line must be a power of two and 1 to 16 sectors of the L1D"},
    {"l2.slices=47", "the capacity must be a multiple of line x ways x slices: l2.bytes"},
    {"l2.partitions=2", NULL},
    {"dram.channels=32", "of the slices of a partition and the channels, one must be a multiple"},
    {"dram.access_bytes=96",
     "an access must be a power of two, a multiple of the L1D's sector and"},
    {"dram.access_bytes=256", "an access must be a power of two, a multiple of the L1D's sector"},
    {"dram.row_bytes=1280", "a row must be a power of two and at least a line"},
    {"dram.banks=12", "the banks must be a power of two"},
    {"dram.refresh_ns=1900", "a refresh must be shorter than the interval"},
    {"dram.bus_bits=12", "the bus must be whole bytes: dram.bus_bits is 12"},
    {"op.ldg_reg.queue=xu", "a memory operation needs the queue and the shared unit 'memory' or"},
    {"op.lds_reg.shared_unit=none", "a memory operation needs the queue and the shared unit"},
    {"op.fma.units=[]", "an operation of fixed latency needs a unit: op.fma.units is []"},
    {"op.xu.units=[alu]", "an operation with a queue has no unit of its own: op.xu.units is [alu]"},
    {"op.alu.shared_unit=fp64", "a unit shared by the SM is reached through a queue: op.alu."},
    {"op.alu.interval=[2, 0, 2]",
     "an interval is at least one cycle: op.alu.interval is [2, 0, 2]"},
    {"op.shfl.shared_interval=0", "an interval of a shared unit is at least one cycle: op.shfl."},
    {"op.ldg_reg.grant=32", "the result comes after the hand-over: op.ldg_reg.raw is [32, 34, 38]"},
    {"op.nop.units=[alu]", NULL},
};

static void a_broken_rule_is_reported_at_the_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct loaded_config c;
        memset(&errors, 0, sizeof errors);
        bool ok = config_load(&c, "rtx_a6000", &broken[i].set, 1, &errors);
        if (!broken[i].message) {
            if (!ok)
                fail_msg("%s: %s", broken[i].set, errors.items[0].msg);
            config_free(&c);
            continue;
        }
        if (ok)
            fail_msg("%s was accepted", broken[i].set);
        assert_string_equal(errors.items[0].file, "--set");
        assert_int_equal(errors.items[0].code, ERR_CONFIG);
        if (strncmp(errors.items[0].msg, broken[i].message, strlen(broken[i].message)) != 0)
            fail_msg("%s gives '%s'", broken[i].set, errors.items[0].msg);
    }
}

static void all_broken_rules_are_reported(void **state)
{
    (void)state;
    const char *sets[] = {"sm.warps=46",      "dram.bus_bits=12",    "op.fma.units=[]",
                          "op.imad.units=[]", "l1d.sector_bytes=64", "l1d.line_bytes=32"};
    struct loaded_config c;
    memset(&errors, 0, sizeof errors);
    assert_false(config_load(&c, "rtx_a6000", sets, 6, &errors));
    assert_int_equal(errors.count, 7);
}

static void a_constant_miss_takes_the_way_to_the_cache_of_the_gpc(void **state)
{
    (void)state;
    const char *sets[] = {"constant.l0_miss_cycles=46"}; /* 24 + 23 on the way */
    struct loaded_config c;
    memset(&errors, 0, sizeof errors);
    assert_false(config_load(&c, "h200", sets, 1, &errors));
    assert_int_equal(errors.count, 1);
    assert_non_null(strstr(errors.items[0].msg, "a miss cannot be faster than the way to the GPC's "
                                                "cache and back: constant.l0_miss_cycles is 46"));
    config_free(&c);
}

static void the_l2_is_no_nearer_to_a_gpc_than_its_cache(void **state)
{
    (void)state;
    const char *most[] = {"icache.l15_nearer_cycles=201"}; /* 248 to the L2, 47 to the cache */
    const char *beyond[] = {"icache.l15_nearer_cycles=202"};
    struct loaded_config c;
    memset(&errors, 0, sizeof errors);
    assert_true(config_load(&c, "h200", most, 1, &errors));
    config_free(&c);
    assert_false(config_load(&c, "h200", beyond, 1, &errors));
    assert_int_equal(errors.count, 1);
    assert_non_null(strstr(errors.items[0].msg,
                           "the L2 cannot answer the GPC's cache sooner than that one answers: "
                           "l2.request_cycles is 110, l2.access_cycles is 28, l2.reply_cycles is "
                           "110, icache.l15_request_cycles is 24, icache.l15_reply_cycles is 23, "
                           "icache.l15_nearer_cycles is 202"));
    config_free(&c);
}

static void fewer_slices_than_partitions_are_one_error(void **state)
{
    (void)state;
    const char *sets[] = {"l2.partitions=2", "l2.slices=1"};
    struct loaded_config c;
    memset(&errors, 0, sizeof errors);
    assert_false(config_load(&c, "rtx_a6000", sets, 2, &errors));
    assert_int_equal(errors.count, 1);
    assert_string_equal(errors.items[0].msg, "the slices must divide evenly among the partitions: "
                                             "l2.slices is 1, l2.partitions is 2");
    config_free(&c);
}

static void a_refresh_is_shorter_in_core_cycles(void **state)
{
    (void)state;
    const char *sets[] = {"gpu.core_mhz=500", "dram.refresh_ns=1", "dram.refresh_interval_ns=2"};
    struct loaded_config c;
    memset(&errors, 0, sizeof errors);
    assert_false(config_load(&c, "rtx_a6000", sets, 3, &errors));
    assert_int_equal(errors.count, 1);
    assert_string_equal(errors.items[0].msg, "a refresh must be shorter than the interval: "
                                             "dram.refresh_ns is 1, dram.refresh_interval_ns is 2, "
                                             "gpu.core_mhz is 500");
    config_free(&c);
}

static int enter_source(void **state)
{
    (void)state;
    unsetenv("SUBCORE_CONFIGS");
    return chdir(SUBCORE_SOURCE_DIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_rule_is_reported_at_the_key),
        cmocka_unit_test(all_broken_rules_are_reported),
        cmocka_unit_test(the_l2_is_no_nearer_to_a_gpc_than_its_cache),
        cmocka_unit_test(fewer_slices_than_partitions_are_one_error),
        cmocka_unit_test(a_refresh_is_shorter_in_core_cycles),
        cmocka_unit_test(a_constant_miss_takes_the_way_to_the_cache_of_the_gpc),
    };
    return cmocka_run_group_tests(tests, enter_source, NULL);
}

/* Where the first CTAs go, and when they start: the SMs and cycles that were seen on an H200. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/bits.h"
#include "cfg/load.h"
#include "gpu/internal.h"

static struct loaded_config config;
static struct err_list errors;
static struct diag diag;

static struct gpu *make_card(void)
{
    struct gpu *g;
    struct sim_err err = {0};
    struct sim_options opt = {.diag = &diag};
    assert_true(config_load(&config, SUBCORE_SOURCE_DIR "/configs/h200.yaml", NULL, 0, &errors));
    assert_true(gpu_create(&g, &config.cfg, &opt, &err));
    return g;
}

static void free_card(struct gpu *g)
{
    gpu_destroy(g);
    config_free(&config);
}

static struct occupancy occupancy(const struct gpu *g, uint32_t threads)
{
    struct occupancy o;
    struct sim_err err = {0};
    struct kernel k = {.name = "k", .block = {threads, 1, 1}, .registers = 16, .cta_count = 100000};
    assert_true(occupancy_of(&g->cfg, &k, &o, &err));
    return o;
}

/* CTAs of one warp on an empty card: SMs in the order of the CTAs' numbers. */
struct row {
    uint32_t ctas;
    uint16_t sms[26];
};

static const struct row rows[] = {
    {1, {124}},
    {2, {124, 126}},
    {3, {124, 126, 128}},
    {4, {124, 126, 128, 130}},
    {8, {124, 125, 126, 127, 128, 129, 130, 131}},
    {12, {124, 125, 126, 127, 128, 129, 130, 131, 0, 2, 4, 6}},
    {16, {124, 125, 126, 127, 128, 129, 130, 131, 0, 2, 4, 6, 8, 10, 12, 14}},
    {24, {124, 125, 126, 127, 128, 129, 130, 131, 0,  16, 2,  18,
          4,   20,  6,   22,  8,   24,  10,  26,  12, 28, 14, 30}},
    /* All but 4 x 8 SMs of 10 groups: first SMs of the TPCs, then the second ones. */
    {100, {124, 125, 126, 127, 128, 129, 130, 131, 0,  1,  16, 17, 32,
           33,  48,  49,  2,   3,   18,  19,  34,  35, 50, 51, 64, 78}},
    {132, {124, 125, 126, 127, 128, 129, 130, 131, 0,  1,  16, 17, 32,
           33,  48,  49,  2,   3,   18,  19,  34,  35, 50, 51, 64, 65}},
};

static void ctas_go_where_they_were_seen(void **state)
{
    (void)state;
    struct gpu *g = make_card();
    struct occupancy o = occupancy(g, 32);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint16_t sms[TOPOLOGY_MAX_SMS];
        assert_int_equal(place_layer(g, &o, rows[i].ctas, sms), rows[i].ctas);
        for (uint32_t c = 0; c < min_u64(rows[i].ctas, 26); c++)
            if (sms[c] != rows[i].sms[c])
                fail_msg("CTA %u of %u is on SM %u, expected %u", c, rows[i].ctas, sms[c],
                         rows[i].sms[c]);
    }
    free_card(g);
}

/* CTAs of a GPC without the single TPCs: 12 of 16 or 18 SMs each, as with 100 CTAs on an H200. */
static void a_layer_is_spread_evenly(void **state)
{
    (void)state;
    struct gpu *g = make_card();
    struct occupancy o = occupancy(g, 32);
    uint16_t sms[TOPOLOGY_MAX_SMS];
    uint32_t of_group[10] = {0};
    place_layer(g, &o, 100, sms);
    for (uint32_t i = 0; i < 100; i++)
        of_group[g->topology.group[sms[i]]]++;
    static const uint32_t want[10] = {8, 12, 12, 12, 12, 12, 12, 12, 4, 4};
    assert_memory_equal(of_group, want, sizeof want);
    free_card(g);
}

/* Clusters of an empty card, in turn over the groups; the first SMs of each. */
static void clusters_go_where_they_were_seen(void **state)
{
    (void)state;
    static const struct {
        uint32_t ctas, group;
        bool fits;
        uint16_t sms[16];
    } clusters[] = {
        {2, 8, true, {124, 125}},
        {2, 9, true, {128, 129}},
        {2, 3, true, {6, 7}},
        {3, 8, false, {0}},
        {3, 1, true, {2, 3, 18}},
        {4, 8, false, {0}},
        {4, 2, true, {4, 5, 20, 21}},
        {6, 4, true, {8, 9, 24, 25, 40, 41}},
        {8, 0, true, {0, 1, 16, 17, 32, 33, 48, 49}},
        {16, 0, false, {0}},
        {16, 5, true, {10, 11, 26, 27, 42, 43, 58, 59, 72, 73, 86, 87, 100, 101, 114, 115}},
    };
    struct gpu *g = make_card();
    struct occupancy o = occupancy(g, 256);
    uint16_t sms[TOPOLOGY_MAX_SMS];
    for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
        o.cluster_ctas = clusters[i].ctas;
        assert_int_equal(place_cluster(g, &o, clusters[i].group, sms), clusters[i].fits);
        if (clusters[i].fits)
            assert_memory_equal(sms, clusters[i].sms, clusters[i].ctas * sizeof sms[0]);
    }
    /* The second cluster of a GPC takes the SMs that are emptier. */
    static const uint16_t first[] = {2, 3, 18, 19}, next[] = {34, 35, 50, 51};
    o.cluster_ctas = 4;
    for (uint32_t i = 0; i < 4; i++)
        room_take(g, first[i], &o);
    assert_true(place_cluster(g, &o, 1, sms));
    assert_memory_equal(sms, next, sizeof next);
    free_card(g);
}

static void a_cluster_too_large_for_a_gpc_is_an_error(void **state)
{
    (void)state;
    struct gpu *g = make_card();
    struct sim_err err = {0};
    struct kernel k = {.name = "wide"};
    struct occupancy o = occupancy(g, 256);
    g->kernel = &k;
    o.cluster_ctas = 18;
    assert_true(place_check_cluster(g, &o, &err));
    o.cluster_ctas = 19;
    assert_false(place_check_cluster(g, &o, &err));
    assert_int_equal(err.code, ERR_INPUT);
    assert_string_equal(
        err.msg,
        "kernel wide: a cluster of 19 CTAs needs as many SMs of a GPC, the largest has 18");
    g->kernel = NULL;
    free_card(g);
}

static void the_emptiest_sms_come_first(void **state)
{
    (void)state;
    struct gpu *g = make_card();
    struct occupancy o = occupancy(g, 1024);
    uint16_t sms[TOPOLOGY_MAX_SMS];
    for (uint32_t i = 0; i < 132; i++)
        if (i != 5 && i != 77)
            room_take(g, i, &o);
    assert_int_equal(place_layer(g, &o, 1000, sms), 2);
    assert_int_equal(sms[0], 5);
    assert_int_equal(sms[1], 77);
    room_take(g, 5, &o);
    room_take(g, 77, &o);
    assert_int_equal(place_layer(g, &o, 1000, sms), 132);
    for (uint32_t i = 0; i < 132; i++)
        room_take(g, i, &o);
    assert_int_equal(place_layer(g, &o, 1000, sms), 0);
    free_card(g);
}

/* Starts of CTAs on the two SMs of a TPC, in turn, from the first one on. */
struct start_row {
    uint32_t warps;
    uint64_t starts[6];
};

static const struct start_row starts[] = {
    {1, {0, 7, 24, 31, 48, 55}},  {2, {0, 8, 25, 33, 50, 58}},    {4, {0, 10, 27, 37, 54, 64}},
    {8, {0, 14, 31, 45, 62, 76}}, {16, {0, 22, 46, 68, 92, 114}}, {32, {0, 48, 98, 146, 196, 244}},
};

static void ctas_start_at_the_rate_that_was_seen(void **state)
{
    (void)state;
    struct gpu *g = make_card();
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        for (uint32_t c = 0; c < 6; c++) {
            uint64_t at = room_start(g, 8 + c % 2, 1000, starts[i].warps) - 1000;
            if (at != starts[i].starts[c])
                fail_msg("CTA %u of %u warps starts at %u, expected %u", c, starts[i].warps,
                         (unsigned)at, (unsigned)starts[i].starts[c]);
        }
        room_init(g);
    }
    free_card(g);
}

/* 64 warps, 32 CTAs, 64 barriers; 16 registers a thread are 512 a warp. */
static void room_is_what_the_occupancy_says(void **state)
{
    (void)state;
    static const uint32_t threads[] = {32, 96, 256, 512, 1024};
    struct gpu *g = make_card();
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        struct occupancy o = occupancy(g, threads[i]);
        uint32_t n = 0;
        for (; room_fits(g, 3, &o); n++)
            room_take(g, 3, &o);
        assert_int_equal(n, o.ctas_per_sm);
        room_init(g);
    }
    free_card(g);
}

/* A CTA of 32 warps that has lost 31 of them leaves room for warps, not for CTAs' other resources.
 */
static void warps_that_have_ended_leave_room(void **state)
{
    (void)state;
    struct gpu *g = make_card();
    struct occupancy o = occupancy(g, 1024);
    room_take(g, 0, &o);
    room_take(g, 0, &o);
    for (uint32_t i = 0; i < 32; i++) {
        assert_false(room_fits(g, 0, &o));
        room_give_warp(g, 0, &o);
    }
    assert_true(room_fits(g, 0, &o));
    assert_int_equal(g->rooms[0].ctas, 30);
    room_give_cta(g, 0, &o);
    assert_int_equal(g->rooms[0].ctas, 31);
    free_card(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ctas_go_where_they_were_seen),
        cmocka_unit_test(a_layer_is_spread_evenly),
        cmocka_unit_test(clusters_go_where_they_were_seen),
        cmocka_unit_test(a_cluster_too_large_for_a_gpc_is_an_error),
        cmocka_unit_test(the_emptiest_sms_come_first),
        cmocka_unit_test(ctas_start_at_the_rate_that_was_seen),
        cmocka_unit_test(room_is_what_the_occupancy_says),
        cmocka_unit_test(warps_that_have_ended_leave_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

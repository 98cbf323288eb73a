/* How many CTAs fit on an SM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/occupancy.h"

/* The RTX A6000: 48 warps, 16 CTAs, 64 K registers, 100 KB of shared memory, 1 KB of it reserved.
 */
struct row {
    const char *name;
    uint32_t threads, registers, shared;
    uint64_t ctas; /* of the grid */
    uint32_t per_sm;
    const char *limit;
    uint32_t l1d_kb;
};

static const struct row rows[] = {
    {"small CTAs", 32, 16, 0, 100000, 16, "CTAs", 128},
    {"warps", 256, 16, 0, 100000, 6, "warps", 128},
    {"warps, rounded down", 320, 16, 0, 100000, 4, "warps", 128},
    {"a part of a warp is a warp", 33, 16, 0, 100000, 16, "CTAs", 128},
    {"registers", 256, 64, 0, 100000, 4, "registers", 128},
    {"registers, by 256 a warp", 256, 33, 0, 100000, 6, "warps", 128},
    {"registers of a warp are rounded up", 256, 41, 0, 100000, 5, "registers", 128},
    {"one large CTA", 1024, 64, 0, 100000, 1, "warps", 128},
    {"shared memory", 128, 16, 32 * 1024, 100000, 3, "shared memory", 28},
    {"all of shared memory", 128, 16, 99 * 1024, 100000, 1, "shared memory", 28},
    {"shared memory with what is reserved", 128, 16, 24 * 1024 + 1, 100000, 3, "shared memory", 28},
    {"4 x 25 KB just fit", 128, 16, 24 * 1024, 100000, 4, "shared memory", 28},
    {"carve-out of 64 KB", 512, 16, 20 * 1024, 100000, 3, "warps", 64},
    {"carve-out of 16 KB", 1024, 16, 8 * 1024, 100000, 1, "warps", 112},
    {"a small grid", 32, 16, 0, 84, 16, "grid", 128},
    {"a grid that just fills the card", 32, 16, 0, 16 * 84, 16, "CTAs", 128},
};

static void the_scarcest_resource_limits(void **state)
{
    (void)state;
    struct config cfg;
    config_defaults(&cfg);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        struct kernel k = {.name = "k",
                           .block = {r->threads, 1, 1},
                           .registers = r->registers,
                           .shared_bytes = r->shared,
                           .cta_count = r->ctas};
        struct occupancy o;
        struct sim_err err = {0};
        if (!occupancy_of(&cfg, &k, &o, &err))
            fail_msg("%s: %s", r->name, err.msg);
        if (o.ctas_per_sm != r->per_sm || strcmp(o.limited_by, r->limit) != 0)
            fail_msg("%s: %u CTAs limited by %s; expected %u, %s", r->name, o.ctas_per_sm,
                     o.limited_by, r->per_sm, r->limit);
        if (o.l1d_bytes != r->l1d_kb * 1024ull)
            fail_msg("%s: %llu bytes of L1D, expected %u KB", r->name,
                     (unsigned long long)o.l1d_bytes, r->l1d_kb);
        assert_int_equal(o.warps_per_cta, (r->threads + 31) / 32);
    }
}

static void all_dimensions_of_a_block_count(void **state)
{
    (void)state;
    struct config cfg;
    struct occupancy o;
    struct sim_err err = {0};
    config_defaults(&cfg);
    struct kernel k = {.name = "k", .block = {8, 8, 3}, .registers = 16, .cta_count = 100000};
    assert_true(occupancy_of(&cfg, &k, &o, &err));
    assert_int_equal(o.warps_per_cta, 6);
    assert_int_equal(o.ctas_per_sm, 8);
}

static void without_carve_out_the_l1d_is_what_is_left(void **state)
{
    (void)state;
    struct config cfg;
    struct occupancy o;
    struct sim_err err = {0};
    config_defaults(&cfg);
    cfg.l1d.shared_carveout = false;
    struct kernel k = {.name = "k", .block = {32, 1, 1}, .registers = 16, .cta_count = 1};
    assert_true(occupancy_of(&cfg, &k, &o, &err));
    assert_int_equal(o.l1d_bytes, 28 * 1024);
}

static void a_cta_that_never_fits_is_an_error(void **state)
{
    (void)state;
    static const struct {
        struct kernel k;
        const char *says;
    } bad[] = {
        {{.block = {1024, 1, 1}, .registers = 255}, "more registers"},
        {{.block = {128, 1, 1}, .registers = 16, .shared_bytes = 100 * 1024}, "more shared memory"},
        {{.block = {1024, 2, 1}, .registers = 16}, "64 warps a CTA, but an SM holds 48"},
        {{.block = {0, 1, 1}, .registers = 16}, "0 warps"},
    };
    struct config cfg;
    config_defaults(&cfg);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct kernel k = bad[i].k;
        struct occupancy o;
        struct sim_err err = {0};
        k.name = "huge";
        k.cta_count = 1;
        assert_false(occupancy_of(&cfg, &k, &o, &err));
        assert_int_equal(err.code, ERR_INPUT);
        assert_non_null(strstr(err.msg, "huge"));
        if (!strstr(err.msg, bad[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.msg, bad[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scarcest_resource_limits),
        cmocka_unit_test(all_dimensions_of_a_block_count),
        cmocka_unit_test(without_carve_out_the_l1d_is_what_is_left),
        cmocka_unit_test(a_cta_that_never_fits_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

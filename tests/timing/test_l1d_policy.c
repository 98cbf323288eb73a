/* What the L1D keeps of loads, stores and other accesses, and how shared memory counts: short
 * programs of one warp and the counts that Nsight Compute gave for them on an H200. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/distance.h"

/* Each access waits for the one before. */
#define THEN "[B0-----:R-:W0:-:S02] "
#define LINE " // @addr 0x200000 stride 4\n"
#define LDG(lanes) THEN "@P0 LDG.E R4, [R2.64] ; // @addr 0x200000 stride 4 @mask " lanes "\n"
#define STG(lanes) THEN "@P0 STG.E [R2.64], R4 ; // @addr 0x200000 stride 4 @mask " lanes "\n"
#define ALL "0xffffffff"

static const struct {
    const char *name, *code;
    uint64_t load_hits, load_misses, store_hits, store_misses, fill, write;
} rows[] = {
    {"load a sector, store the line", LDG("0x1") STG(ALL), 0, 1, 4, 0, 1, 4},
    {"store twice", STG(ALL) STG(ALL), 0, 0, 4, 4, 0, 8},
    {"store a half, then the other", STG("0xffff") STG("0xffff0000"), 0, 0, 2, 2, 0, 4},
    {"load what was stored", STG(ALL) LDG(ALL), 4, 0, 0, 4, 0, 4},
    {"load a word that was stored", STG("0x1") LDG("0x1"), 1, 0, 0, 1, 0, 1},
    {"load the next word", STG("0x1") LDG("0x2"), 0, 1, 0, 1, 1, 1},
    {"load the next sector", STG("0x1") LDG("0x100"), 0, 1, 0, 1, 1, 1},
    {"load the next word, then the stored one", STG("0x1") LDG("0x2") LDG("0x1"), 1, 1, 0, 1, 1, 1},
    {"load a word whose byte was stored",
     THEN "@P0 STG.E.U8 [R2.64], R4 ; // @addr 0x200000 stride 4 @mask 0x1\n" LDG("0x1"), 0, 1, 0,
     1, 1, 1},
    {"a store between loads", LDG(ALL) STG(ALL) LDG(ALL), 4, 4, 4, 0, 4, 4},
    {"a word stored between loads", LDG(ALL) STG("0x1") LDG(ALL), 4, 4, 1, 0, 4, 1},
    {"a constant load", LDG(ALL) THEN "LDG.E.CONSTANT R4, [R2.64] ;" LINE LDG(ALL), 8, 4, 0, 0, 4,
     0},
    {"a strong load takes the line out",
     LDG(ALL) THEN "LDG.E.STRONG.GPU R4, [R2.64] ;" LINE LDG(ALL), 0, 12, 0, 0, 12, 0},
    {"two loads that do not allocate",
     THEN "LDG.E.NA R4, [R2.64] ;" LINE THEN "LDG.E.NA R4, [R2.64] ;" LINE, 0, 8, 0, 0, 8, 0},
    {"one that finds the line", LDG(ALL) THEN "LDG.E.NA R4, [R2.64] ;" LINE LDG(ALL), 8, 4, 0, 0, 4,
     0},
    {"a last use", LDG(ALL) THEN "LDG.E.LU R4, [R2.64] ;" LINE LDG(ALL), 8, 4, 0, 0, 4, 0},
    {"copies through the L1D",
     THEN "LDGSTS.E [R4], [R2.64] ;" LINE THEN "LDGSTS.E [R4], [R2.64] ;" LINE, 4, 4, 0, 0, 4, 0},
    {"a copy past it takes the line out",
     LDG(ALL) THEN "LDGSTS.E.BYPASS [R4], [R2.64] ;" LINE LDG(ALL), 0, 12, 0, 0, 12, 0},
    {"a reduction takes the line out",
     LDG(ALL) THEN "RED.E.ADD.STRONG.GPU [R2.64], R4 ;" LINE LDG(ALL), 0, 8, 0, 0, 8, 0},
};

static void check(const char *name, const char *what, uint64_t got, uint64_t want)
{
    if (got != want)
        fail_msg("%s: %llu %s, expected %llu", name, (unsigned long long)got, what,
                 (unsigned long long)want);
}

static void sectors_are_those_of_the_hardware(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run r;
        run_code(&r, ".block 32\n" WARM, rows[i].code, NULL);
        const struct sim_stats *s = &r.result.stats;
        check(rows[i].name, "load hits", s->l1d_global_load_sector_hits, rows[i].load_hits);
        check(rows[i].name, "load misses", s->l1d_global_load_sector_misses, rows[i].load_misses);
        check(rows[i].name, "store hits", s->l1d_global_store_sector_hits, rows[i].store_hits);
        check(rows[i].name, "store misses", s->l1d_global_store_sector_misses,
              rows[i].store_misses);
        check(rows[i].name, "sectors filled", s->l1d_fill_sectors, rows[i].fill);
        check(rows[i].name, "sectors written", s->l1d_write_sectors, rows[i].write);
        run_free(&r);
    }
}

/* A load of data on its way is a hit. */
static void a_hit_may_be_on_its_way(void **state)
{
    (void)state;
    struct run r;
    run_code(&r, ".block 32\n" WARM,
             W0(02) "LDG.E R4, [R2.64] ;" LINE W0(02) "LDG.E R5, [R2.64] ;" LINE, NULL);
    assert_int_equal(r.result.stats.l1d_global_load_sector_hits, 4);
    assert_int_equal(r.result.stats.l1d_pending_sector_hits, 4);
    assert_int_equal(r.result.stats.l1d_global_load_sector_misses, 4);
    run_free(&r);
}

/* Wide accesses to local memory are four requests of four sectors each. */
static void local_accesses_are_counted_by_word(void **state)
{
    (void)state;
    struct run r;
    run_code(&r, ".block 32\n" WARM,
             THEN "STL.128 [R2], R4 ; // @addr 0x0 stride 0\n" THEN
                  "LDL R8, [R2] ; // @addr 0x8 stride 0\n",
             NULL);
    assert_int_equal(r.result.stats.l1d_local_store_requests, 4);
    assert_int_equal(r.result.stats.l1d_local_store_sectors, 16);
    assert_int_equal(r.result.stats.l1d_local_store_sector_misses, 16);
    assert_int_equal(r.result.stats.l1d_local_load_requests, 1);
    assert_int_equal(r.result.stats.l1d_local_load_sector_hits, 4);
    assert_int_equal(r.result.stats.l1d_fill_sectors, 0);
    assert_int_equal(r.result.stats.l1d_write_sectors, 16);
    run_free(&r);
}

static const struct {
    const char *name, *code;
    uint64_t wavefronts, conflicts;
} pass_rows[] = {
    {"a load", "LDS R4, [R2] ; // @addr 0 stride 4\n", 1, 0},
    {"a load with conflicts", "LDS R4, [R2] ; // @addr 0 stride 16\n", 4, 3},
    {"a load of one place", "LDS.128 R4, [R2] ; // @addr 0 stride 0\n", 2, 0},
    {"a store of one place", "STS.128 [R2], R4 ; // @addr 0 stride 0\n", 4, 0},
    {"an addition to one word", "ATOMS.ADD R4, [R2], R3 ; // @addr 0 stride 0\n", 32, 31},
    {"a count of one word", "ATOMS.POPC.INC.32 RZ, [R2] ; // @addr 0 stride 0\n", 1, 0},
    {"compare and swap", "ATOMS.CAS R4, [R2], R3, R5 ; // @addr 0 stride 4\n", 2, 0},
    {"compare and swap of one word", "ATOMS.CAS R4, [R2], R3, R5 ; // @addr 0 stride 0\n", 64, 31},
    {"matrix rows", "LDSM.16.M88.2 R4, [R2] ; // @addr 0 stride 128\n", 16, 14},
    {"no lane", "@P0 LDS R4, [R2] ; // @addr 0 stride 4 @mask 0x0\n", 1, 0},
    {"a shuffle", "SHFL.BFLY PT, R4, R2, 0x1, 0x1f ;\n", 1, 0},
    {"a thread's index", "S2R R4, SR_TID.X ;\n", 1, 0},
    {"a CTA's index", "S2R R4, SR_CTAID.X ;\n", 0, 0},
    {"a barrier", "BAR.SYNC.DEFER_BLOCKING 0x0 ;\n", 1, 0},
};

static void passes_are_those_of_the_hardware(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pass_rows / sizeof pass_rows[0]; i++) {
        struct run r;
        char code[256];
        snprintf(code, sizeof code, THEN "%s", pass_rows[i].code);
        run_code(&r, ".block 32\n.shared 8192\n" WARM, code, NULL);
        check(pass_rows[i].name, "passes", r.result.stats.shared_wavefronts,
              pass_rows[i].wavefronts);
        check(pass_rows[i].name, "conflicts", r.result.stats.shared_bank_conflicts,
              pass_rows[i].conflicts);
        run_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_are_those_of_the_hardware),
        cmocka_unit_test(a_hit_may_be_on_its_way),
        cmocka_unit_test(local_accesses_are_counted_by_word),
        cmocka_unit_test(passes_are_those_of_the_hardware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

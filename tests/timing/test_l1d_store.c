/* Stores on their way to the network: flits, what holds the L1D, and writes that join. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/distance.h"

#define STORES 40

/* A warp's stores, each to lines of its own. */
static void stores(char *out, size_t size, const char *opcode, uint32_t stride, uint32_t step)
{
    size_t n = 0;
    for (uint32_t i = 0; i < STORES; i++)
        n +=
            (size_t)snprintf(out + n, size - n, R0(02) "%s [R2.64], R4 ; // @addr 0x%x stride %u\n",
                             opcode, 0x200000 + i * step, stride);
}

/* Cycles a store in a long row, measured on one SM of an H200 with 16
 * warps: 64.3, 48.3, 40.2, 20.2, 16.3, 48.7, 10.3 and 8.3. */
static void a_store_takes_its_flits(void **state)
{
    (void)state;
    static const struct {
        const char *opcode;
        uint32_t stride, step, flits;
    } rows[] = {
        {"STG.E", 128, 4096, 64},   {"STG.E", 64, 2048, 48},    {"STG.E", 32, 1024, 40},
        {"STG.E", 16, 512, 20},     {"STG.E.128", 16, 512, 16}, {"STG.E.128", 64, 2048, 48},
        {"STG.E.64", 32, 1024, 40},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run r;
        char code[STORES * 96];
        stores(code, sizeof code, rows[i].opcode, rows[i].stride, rows[i].step);
        run_code(&r, ".block 32\n" WARM, code, NULL);
        uint64_t last = run_issue(&r, 0, "STG", STORES - 1);
        uint64_t cycles = last - run_issue(&r, 0, "STG", STORES - 11);
        if (cycles != 10 * rows[i].flits)
            fail_msg("%s stride %u: 10 stores in %llu cycles, expected %u", rows[i].opcode,
                     rows[i].stride, (unsigned long long)cycles, 10 * rows[i].flits);
        run_free(&r);
    }
}

/* 128 cycles of packets wait, then the L1D takes what the network takes. */
static void waiting_packets_hold_later_accesses(void **state)
{
    (void)state;
    struct run r;
    char code[2048], *at = code;
    for (uint32_t i = 0; i < 8; i++)
        at += sprintf(at, R0(02) "STG.E [R2.64], R4 ; // @addr 0x%x stride 128\n",
                      0x200000 + 4096 * i);
    sprintf(at, W0(02) "LDG.E R6, [R2.64] ; // @addr 0x100000 stride 4\n" WAIT0 "NOP ;\n");
    run_code(&r, ".block 32\n" WARM, code, NULL);
    uint64_t held = run_issue(&r, 0, "NOP", 0) - run_issue(&r, 0, "LDG", 0);
    run_free(&r);
    const struct run_setup wide = {.sets = {"l1d.store_buffer_cycles=1000"}};
    run_code(&r, ".block 32\n" WARM, code, &wide);
    uint64_t free = run_issue(&r, 0, "NOP", 0) - run_issue(&r, 0, "LDG", 0);
    run_free(&r);
    assert_true(held > free);
}

/* The third store of 32 lines finds 64 writes without acknowledgement. */
static void so_many_writes_are_in_flight(void **state)
{
    (void)state;
    struct run r;
    const char *code = R0(02) "STG.E [R2.64], R4 ; // @addr 0x200000 stride 128\n" R0(
        02) "STG.E [R2.64], R4 ; // @addr 0x210000 stride 128\n" R0(02) "STG.E [R2.64], R4 ; // "
                                                                        "@addr 0x220000 stride "
                                                                        "128\n" WAIT0 "NOP ;\n";
    const struct run_setup few = {.sets = {"l1d.store_lines=64"}};
    run_code(&r, ".block 32\n" WARM, code, NULL);
    uint64_t free = run_issue(&r, 0, "NOP", 0) - run_issue(&r, 0, "STG", 0);
    run_free(&r);
    run_code(&r, ".block 32\n" WARM, code, &few);
    uint64_t held = run_issue(&r, 0, "NOP", 0) - run_issue(&r, 0, "STG", 0);
    run_free(&r);
    assert_true(held > free + 150); /* the way to the L2 and back */
}

/* Stores of eight warps to one line at once are one write; to words of their own they are not. */
static void stores_to_the_words_of_a_waiting_write_join_it(void **state)
{
    (void)state;
    struct run r;
    const char *far = R0(02) "STG.E [R2.64], R4 ; // @addr 0x300000 stride 128\n";
    char code[512];
    snprintf(code, sizeof code,
             "%s" R0(02) "STG.E [R2.64], R4 ; // @addr 0x200000 stride 4\n" R0(
                 02) "STG.E [R2.64], R4 ; // @addr 0x200000 stride 4\n",
             far);
    run_code(&r, ".block 32\n" WARM, code, NULL);
    assert_int_equal(r.result.stats.l1d_global_store_sectors, 32 + 4 + 4);
    assert_int_equal(r.result.stats.l1d_write_sectors, 32 + 4);
    assert_int_equal(r.result.stats.l1d_global_store_sector_hits, 4);
    run_free(&r);
    snprintf(
        code, sizeof code,
        "%s" R0(02) "STG.E [R2.64], R4 ; // @addr 0x200000 stride 4\n" R0(
            02) "STG.E [R2.64], R4 ; // @addr 0x210000 stride 4\n" R0(02) "STG.E [R2.64], R4 ; // "
                                                                          "@addr 0x200000 stride "
                                                                          "4\n",
        far);
    run_code(&r, ".block 32\n" WARM, code, NULL);
    assert_int_equal(r.result.stats.l1d_write_sectors, 32 + 4 + 4 + 4);
    assert_int_equal(r.result.stats.l1d_global_store_sector_hits, 0); /* the first one waits */
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_takes_its_flits),
        cmocka_unit_test(waiting_packets_hold_later_accesses),
        cmocka_unit_test(so_many_writes_are_in_flight),
        cmocka_unit_test(stores_to_the_words_of_a_waiting_write_join_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

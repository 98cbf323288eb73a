/* Passes over the shared-memory banks. The expected numbers are those an H200 counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "unit/banks.h"

#define ALL 0xffffffffu

static struct dyn_inst strided(uint64_t base, int32_t stride, uint32_t mask)
{
    return (struct dyn_inst){
        .mask = mask, .addr_mode = ADDR_STRIDE, .stride = stride, .addr.base = base};
}

static void expect(const char *name, struct bank_passes p, uint32_t passes, uint32_t fewest)
{
    if (p.passes != passes || p.fewest != fewest)
        fail_msg("%s: %u passes of at least %u; expected %u, %u", name, p.passes, p.fewest, passes,
                 fewest);
}

static const struct {
    const char *name;
    enum bank_access kind;
    uint64_t base;
    int32_t stride;
    uint32_t width, mask;
    uint32_t passes, fewest;
} stride_rows[] = {
    {"32 bits in a row", BANK_LOAD, 0, 4, 4, ALL, 1, 1},
    {"a broadcast", BANK_LOAD, 64, 0, 4, ALL, 1, 1},
    {"2 ways", BANK_LOAD, 0, 8, 4, ALL, 2, 1},
    {"4 ways", BANK_LOAD, 0, 16, 4, ALL, 4, 1},
    {"32 ways", BANK_LOAD, 0, 128, 4, ALL, 32, 1},
    {"odd stride", BANK_LOAD, 0, 132, 4, ALL, 1, 1},
    {"32 ways, 8 lanes", BANK_LOAD, 0, 128, 4, 0xff, 8, 1},
    {"64 bits in a row", BANK_LOAD, 0, 8, 8, ALL, 2, 2},
    {"64 bits, 2 ways", BANK_LOAD, 0, 16, 8, ALL, 4, 2},
    {"64 bits, 3 words apart", BANK_LOAD, 0, 24, 8, ALL, 2, 2},
    {"64 bits, 16 ways", BANK_LOAD, 0, 256, 8, ALL, 32, 2},
    {"64 bits, half a warp", BANK_LOAD, 0, 8, 8, 0xffff, 1, 1},
    {"64 bits, lanes without an active neighbour", BANK_LOAD, 0, 8, 8, 0x55555555, 2, 1},
    {"64 bits, four of eight lanes", BANK_LOAD, 0, 8, 8, 0x0f0f0f0f, 2, 2},
    {"64 bits, one lane of each half", BANK_LOAD, 0, 8, 8, 0x10001, 2, 1},
    {"64 bits, broadcast", BANK_LOAD, 0, 0, 8, ALL, 1, 1},
    {"128 bits in a row", BANK_LOAD, 0, 16, 16, ALL, 4, 4},
    {"128 bits, 2 ways", BANK_LOAD, 0, 32, 16, ALL, 8, 4},
    {"128 bits, 8 lanes of one bank", BANK_LOAD, 0, 128, 16, ALL, 32, 4},
    {"128 bits, broadcast", BANK_LOAD, 0, 0, 16, ALL, 2, 2},
    {"128 bits, half a warp", BANK_LOAD, 0, 16, 16, 0xffff, 2, 2},
    {"128 bits, lanes without an active neighbour", BANK_LOAD, 0, 16, 16, 0x55555555, 4, 2},
    {"128 bits, one lane", BANK_LOAD, 0, 16, 16, 1, 1, 1},
    {"16 bits in a row", BANK_LOAD, 0, 2, 2, ALL, 1, 1},
    {"bytes of two words of a bank", BANK_LOAD, 0, 128, 1, 3, 2, 1},
    {"no lane", BANK_LOAD, 0, 4, 4, 0, 0, 0},
    {"bytes stored a word each", BANK_STORE, 0, 8, 1, ALL, 2, 1},
    {"64 bits stored to one place", BANK_STORE, 0, 0, 8, ALL, 2, 2},
    {"64 bits stored by every second lane", BANK_STORE, 0, 8, 8, 0x55555555, 2, 2},
    {"128 bits stored to one place", BANK_STORE, 0, 0, 16, ALL, 4, 4},
    {"128 bits stored, 4 ways", BANK_STORE, 0, 64, 16, ALL, 16, 4},
    {"atomics in a row", BANK_ATOMIC, 0, 4, 4, ALL, 1, 1},
    {"atomics on one word", BANK_ATOMIC, 0, 0, 4, ALL, 32, 1},
    {"atomics of two lanes on a bank", BANK_ATOMIC, 0, 8, 4, ALL, 2, 1},
    {"atomics, four lanes on two banks", BANK_ATOMIC, 0, 64, 4, 0xf, 2, 1},
    {"copies of 64 bits to one place", BANK_ATOMIC, 0, 0, 8, ALL, 32, 2},
    {"copies of 64 bits in a row", BANK_ATOMIC, 0, 8, 8, ALL, 2, 2},
};

static void passes_count_the_worst_bank_of_each_group(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof stride_rows / sizeof stride_rows[0]; i++) {
        struct dyn_inst d =
            strided(stride_rows[i].base, stride_rows[i].stride, stride_rows[i].mask);
        expect(stride_rows[i].name, bank_passes(&d, stride_rows[i].kind, stride_rows[i].width, 32),
               stride_rows[i].passes, stride_rows[i].fewest);
    }
}

/* Lane i reads element i with bits `clear` of i cleared, of `width` bytes. */
static struct bank_passes shared_by(enum bank_access kind, uint32_t width, uint32_t clear,
                                    uint32_t mask)
{
    uint64_t list[WARP_LANES];
    struct dyn_inst d = {.mask = mask, .addr_mode = ADDR_LIST, .addr.list = list};
    for (uint32_t i = 0; i < WARP_LANES; i++)
        list[i] = (uint64_t)(i & ~clear) * width;
    return bank_passes(&d, kind, width, 32);
}

static void neighbours_with_one_address_join_their_groups(void **state)
{
    (void)state;
    static const struct {
        uint32_t clear;
        uint32_t passes64, fewest64, passes128, fewest128;
    } rows[] = {{1, 2, 1, 4, 2},  {2, 2, 1, 4, 2},  {4, 2, 2, 4, 4},  {8, 2, 2, 4, 4},
                {16, 2, 2, 4, 4}, {24, 2, 2, 4, 4}, {28, 2, 2, 4, 4}, {31, 1, 1, 2, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "bits %u cleared", rows[i].clear);
        expect(name, shared_by(BANK_LOAD, 8, rows[i].clear, ALL), rows[i].passes64,
               rows[i].fewest64);
        expect(name, shared_by(BANK_LOAD, 16, rows[i].clear, ALL), rows[i].passes128,
               rows[i].fewest128);
        expect(name, shared_by(BANK_STORE, 16, rows[i].clear, ALL), 4, 4);
    }
}

/* One pair that differs keeps the groups of the whole warp apart. */
static void all_lanes_of_the_warp_must_agree(void **state)
{
    (void)state;
    uint64_t list[WARP_LANES] = {0};
    struct dyn_inst d = {.mask = 0x41050ca1, .addr_mode = ADDR_LIST, .addr.list = list};
    static const uint16_t lanes[][2] = {{0, 80},   {5, 64},   {7, 32},   {10, 608}, {11, 640},
                                        {16, 928}, {18, 256}, {24, 496}, {30, 160}};
    for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++)
        list[lanes[i][0]] = lanes[i][1];
    expect("lanes 5 and 7, 10 and 11 differ", bank_passes(&d, BANK_LOAD, 16, 32), 4, 4);
}

/* Lanes of one word share a pass wherever they are in the group. */
static void lanes_of_one_word_share_a_pass(void **state)
{
    (void)state;
    uint64_t list[WARP_LANES];
    struct dyn_inst d = {.mask = ALL, .addr_mode = ADDR_LIST, .addr.list = list};
    for (uint32_t i = 0; i < WARP_LANES; i++)
        list[i] = (i % 2) * 128;
    expect("two words", bank_passes(&d, BANK_LOAD, 4, 32), 2, 1);
    expect("two words, atomics", bank_passes(&d, BANK_ATOMIC, 4, 32), 32, 1);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        list[i] = 4 * (31 - i);
    expect("backwards", bank_passes(&d, BANK_LOAD, 4, 32), 1, 1);
}

static void fewer_banks_conflict_more(void **state)
{
    (void)state;
    struct dyn_inst d = strided(0, 4, ALL);
    expect("16 banks", bank_passes(&d, BANK_LOAD, 4, 16), 2, 1);
}

static void an_instruction_without_addresses_takes_no_pass(void **state)
{
    (void)state;
    struct dyn_inst d = {.mask = ALL, .addr_mode = ADDR_NONE};
    expect("none", bank_passes(&d, BANK_LOAD, 4, 32), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_count_the_worst_bank_of_each_group),
        cmocka_unit_test(neighbours_with_one_address_join_their_groups),
        cmocka_unit_test(all_lanes_of_the_warp_must_agree),
        cmocka_unit_test(lanes_of_one_word_share_a_pass),
        cmocka_unit_test(fewer_banks_conflict_more),
        cmocka_unit_test(an_instruction_without_addresses_takes_no_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

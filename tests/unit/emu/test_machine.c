#include "machine_support.h"

static void every_warp_of_every_cta_is_counted(void **state)
{
    (void)state;
    struct test_kernel *k = test_kernel_new(90);
    test_lines(k, "NOP\n@!PT NOP\nEXIT\nloop:\nBRA `(loop)\nNOP");
    k->launch.block = (struct dim3){10, 5, 1};
    k->launch.grid = (struct dim3){2, 3, 1};
    for (uint32_t i = 0; i < 6; i++) {
        test_run_cta(k, i);
        assert_int_equal(k->record.id.x, i % 2);
        assert_int_equal(k->record.id.y, i / 2);
        assert_int_equal(k->record.warp_count, 2);
        assert_int_equal(k->record.warps[1].insts, 3);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(k->counts[i].inst, 12);
        assert_int_equal(k->counts[i].thread, 300);
        assert_int_equal(k->counts[i].thread_true, i == 1 ? 0 : 300);
    }
    assert_int_equal(k->counts[3].inst, 0);
    assert_int_equal(k->counts[4].thread, 0);
    test_kernel_free(k);
}

static void record_holds_what_was_executed(void **state)
{
    (void)state;
    struct test_kernel *k = test_kernel_new(90);
    test_lines(k, "NOP\nBRA `(over)\nNOP\nover:\n@!PT NOP\nEXIT");
    test_run_cta(k, 0);
    struct pack_cursor c = {0};
    struct dyn_inst out[8];
    uint64_t lists[8][WARP_LANES];
    uint8_t is_memory[8] = {0};
    uint32_t got;
    const char *why = NULL;
    emu_record_open(&c, &k->record, 0);
    assert_true(pack_read(&c, is_memory, 5, out, 8, lists, &got, &why));
    assert_int_equal(got, 4);
    const uint32_t expected[] = {0, 1, 3, 4};
    for (uint32_t i = 0; i < got; i++) {
        assert_int_equal(out[i].inst, expected[i]);
        assert_int_equal(out[i].mask, i == 2 ? 0 : ~0u);
    }
    pack_close(&c);
    test_kernel_free(k);
}

static void unknown_instruction_is_named(void **state)
{
    (void)state;
    struct test_kernel *k = test_kernel_new(90);
    struct sim_err err = {0};
    test_lines(k, "NOP\nFROBNICATE R1, R2\nEXIT");
    assert_false(test_create(k, &err));
    assert_int_equal(err.code, ERR_INPUT);
    assert_string_equal(err.msg, "kernel test: pc 0x0010: FROBNICATE R1, R2: functional execution "
                                 "does not know this instruction");
    err_clear(&err);
    test_kernel_free(k);
}

static void impossible_blocks_are_errors(void **state)
{
    (void)state;
    struct test_kernel *k = test_kernel_new(90);
    struct sim_err err = {0};
    test_lines(k, "EXIT");
    const struct dim3 blocks[] = {
        {0, 1, 1}, {1025, 1, 1}, {32, 33, 1}, {0x10000, 0x10000, 0x10000}, {2, 2, 257}};
    for (uint32_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        k->launch.block = blocks[i];
        assert_false(test_create(k, &err));
        assert_non_null(strstr(err.msg, "expected a block of 1 to 1024 threads"));
        err_clear(&err);
    }
    k->launch.block = (struct dim3){1, 1, 1};
    k->launch.grid.z = 0;
    assert_false(test_create(k, &err));
    err_clear(&err);
    test_kernel_free(k);
}

static void faults_name_kernel_cta_warp_and_pc(void **state)
{
    (void)state;
    struct test_kernel *k = test_kernel_new(90);
    test_lines(k, "NOP\nBPT.TRAP 0x1\nEXIT");
    test_expect_fault(k, "kernel test: CTA (0,0,0) warp 0 lane 0: pc 0x0010: BPT.TRAP 0x1: trap");
    test_kernel_free(k);
    k = test_kernel_new(90);
    test_lines(k, "NOP\nNOP");
    test_expect_fault(k, "pc 0x0020: (end of the code): execution goes past the end of the code");
    test_kernel_free(k);
}

static void endless_loop_is_an_error(void **state)
{
    (void)state;
    struct test_kernel *k = test_kernel_new(90);
    test_lines(k, "NOP\nBRA 0x10\nEXIT");
    k->launch.checks.max_cta_steps = 1000;
    test_expect_fault(k, "kernel test: CTA (0,0,0): no end after");
    test_kernel_free(k);
}

static void barrier_deadlock_names_each_warp(void **state)
{
    (void)state;
    struct test_kernel *k = test_kernel_new(90);
    test_lines(k, "BAR.SYNC 0x1, 0x80\nEXIT");
    k->launch.block.x = 96;
    for (uint32_t warp = 0; warp < 3; warp++) {
        char expected[160];
        snprintf(
            expected, sizeof expected,
            "  warp %u, lanes 0xffffffff: pc 0x0000: BAR.SYNC 0x1, 0x80: waits at barrier 1 (96 "
            "of 128 threads have arrived)",
            warp);
        test_expect_fault(k, expected);
    }
    test_expect_fault(k, "deadlock: 3 of 3 warps");
    k->launch.block.x = 128;
    emu_program_free(k->program);
    k->program = NULL;
    test_run_cta(k, 0);
    test_kernel_free(k);
}

/* A warp whose lanes are no threads or have exited counts whole. */
static void partial_warps_arrive(void **state)
{
    (void)state;
    struct test_kernel *k = test_kernel_new(90);
    test_lines(k, "BAR.SYNC.DEFER_BLOCKING 0x0\nBAR.ARV 0x2, 0x80\nBAR.SYNC 0x3, 0x40\nEXIT");
    k->launch.block.x = 33;
    test_run_cta(k, 0);
    assert_int_equal(k->counts[3].thread, 33);
    assert_int_equal(k->program->cta.epoch, 3);
    test_kernel_free(k);
}

static void barrier_numbers_and_counts_are_checked(void **state)
{
    (void)state;
    struct test_kernel *k = test_kernel_new(90);
    test_lines(k, "BAR.SYNC 0x0, 0x21\nEXIT");
    test_expect_fault(k, "expected a multiple of 32 threads, found 33");
    test_kernel_free(k);
}

/* Warps of a block load before the first of them gets its value and goes on to a store. */
static void warps_load_before_one_of_them_stores(void **state)
{
    (void)state;
    struct test_kernel *k = test_kernel_new(86);
    uint32_t word = 5;
    struct emu_buffer buffer = {
        .addr = 0x10000, .bytes = sizeof word, .data = (uint8_t *)&word, .name = "word"};
    test_lines(k, "IADD3 R4, RZ, 0x10000, RZ\nLDG.E R2, [R4.64]\nIADD3 R2, R2, 0x1, RZ\n"
                  "STG.E [R4.64], R2\nEXIT");
    k->insts[1].ctrl.write_bar = 3;
    k->insts[2].ctrl.wait_mask = 1u << 3;
    k->launch.buffers = &buffer;
    k->launch.buffer_count = 1;
    k->launch.block.x = 128;
    test_run_cta(k, 0);
    assert_int_equal(word, 6);
    test_run_cta(k, 0);
    assert_int_equal(word, 7);
    test_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_warp_of_every_cta_is_counted),
        cmocka_unit_test(record_holds_what_was_executed),
        cmocka_unit_test(unknown_instruction_is_named),
        cmocka_unit_test(impossible_blocks_are_errors),
        cmocka_unit_test(faults_name_kernel_cta_warp_and_pc),
        cmocka_unit_test(endless_loop_is_an_error),
        cmocka_unit_test(barrier_deadlock_names_each_warp),
        cmocka_unit_test(partial_warps_arrive),
        cmocka_unit_test(barrier_numbers_and_counts_are_checked),
        cmocka_unit_test(warps_load_before_one_of_them_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

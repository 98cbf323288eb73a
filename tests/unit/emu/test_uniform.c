/* Uniform registers as operands and as results; registers that read as zero. The uniform forms of
 * single operations are tested beside the lane forms. */
#include "property.h"

struct fixture {
    struct emu_warp w;
};

static int setup(void **state)
{
    struct fixture *f = malloc(sizeof *f);
    if (!f)
        return -1;
    uint64_t seed = 41;
    test_warp_random(&f->w, &seed);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static void a_uniform_operand_is_the_same_in_all_lanes(void **state)
{
    struct emu_warp *w = &((struct fixture *)*state)->w;
    test_run(w, "IADD3 R10, R11, -UR6, RZ", 90, ~0u);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        assert_int_equal(w->r[10][i], w->r[11][i] - w->ur[6]);
    test_run(w, "IADD.64 R12, R14, UR8", 120, ~0u);
    uint64_t uniform = (uint64_t)w->ur[9] << 32 | w->ur[8];
    for (uint32_t i = 0; i < WARP_LANES; i++)
        assert_int_equal((uint64_t)w->r[13][i] << 32 | w->r[12][i],
                         ((uint64_t)w->r[15][i] << 32 | w->r[14][i]) + uniform);
}

static void a_uniform_result_does_not_depend_on_which_lanes_are_active(void **state)
{
    struct emu_warp *w = &((struct fixture *)*state)->w;
    uint32_t expected = w->ur[5] + w->ur[6];
    static const uint32_t masks[] = {1, 0x80000000, 0x00ff00ff, ~0u};
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        w->ur[4] = 0;
        test_run(w, "UIADD3 UR4, UR5, UR6, URZ", 90, masks[i]);
        assert_int_equal(w->ur[4], expected);
    }
}

static void a_uniform_chain_carries_through_a_uniform_predicate(void **state)
{
    struct emu_warp *w = &((struct fixture *)*state)->w;
    w->ur[4] = 0xffffffff;
    w->ur[5] = 7;
    test_run(w, "UIADD3 UR4, UP2, UR4, 0x1, URZ", 90, ~0u);
    test_run(w, "UIADD3.X UR5, URZ, UR5, URZ, UP2, !UPT", 90, ~0u);
    assert_int_equal(w->ur[4], 0);
    assert_int_equal(w->ur[5], 8);
    test_run(w, "USEL UR6, UR4, UR5, UP2", 90, ~0u);
    assert_int_equal(w->ur[6], 0);
    test_run(w, "USEL UR6, UR4, UR5, !UP2", 90, ~0u);
    assert_int_equal(w->ur[6], 8);
}

static void urz_is_number_63_up_to_sm_90_and_255_after(void **state)
{
    struct emu_warp *w = &((struct fixture *)*state)->w;
    w->ur[63] = 5;
    test_run(w, "UMOV UR4, UR63", 120, ~0u);
    assert_int_equal(w->ur[4], 5);
    test_run(w, "UMOV UR4, URZ", 120, ~0u);
    assert_int_equal(w->ur[4], 0);
    test_run(w, "UMOV UR4, 0x9", 90, ~0u);
    test_run(w, "UIADD3 URZ, UP0, UR4, UR4, URZ", 90, ~0u); /* must not reach a register */
    assert_int_equal(w->ur[63], 5);
    test_run(w, "UIADD3 UR4, UR4, URZ, URZ", 90, ~0u);
    assert_int_equal(w->ur[4], 9);
}

static void zero_registers_read_as_zero_after_writes_to_them(void **state)
{
    struct emu_warp *w = &((struct fixture *)*state)->w;
    test_run(w, "IADD3 RZ, P0, R4, R5, RZ", 90, ~0u);
    test_run(w, "IMAD.WIDE.U32 RZ, R4, R5, R6", 90, ~0u);
    test_run(w, "ISETP.T.AND PT, PT, R4, R5, !PT", 90, ~0u);
    test_run(w, "UISETP.F.AND UPT, UPT, UR4, UR5, UPT", 90, ~0u);
    test_run(w, "IMAD.WIDE R8, R4, RZ, RZ", 90, ~0u);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        assert_int_equal(w->r[REG_RZ][i], 0);
        assert_int_equal(w->r[8][i] | w->r[9][i], 0);
    }
    assert_int_equal(w->p[7], ~0u);
    assert_int_equal(w->up >> 7, 1);
}

static void r2ur_takes_the_first_active_lane(void **state)
{
    struct emu_warp *w = &((struct fixture *)*state)->w;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        w->r[4][i] = 100 + i;
    test_run(w, "R2UR UR5, R4", 90, ~0u);
    assert_int_equal(w->ur[5], 100);
    test_run(w, "R2UR UR5, R4", 90, 0xffff0000);
    assert_int_equal(w->ur[5], 116);
    assert_refused("R2UR R5, R4");
    assert_refused("R2UR P0, UR5, R4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_uniform_operand_is_the_same_in_all_lanes, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_uniform_result_does_not_depend_on_which_lanes_are_active,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_uniform_chain_carries_through_a_uniform_predicate, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(urz_is_number_63_up_to_sm_90_and_255_after, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(zero_registers_read_as_zero_after_writes_to_them, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(r2ur_takes_the_first_active_lane, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Lane exchange, votes, matches, reductions, special registers. */
#include "memory_fixture.h"

#include "base/bits.h"

/* The definition of the PTX manual, a lane at a time. */
static bool shuffle_source(const char *mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from)
{
    int32_t bval = (int32_t)(b & 31), cval = (int32_t)(c & 31), mask = (int32_t)(c >> 8 & 31);
    int32_t id = (int32_t)lane;
    int32_t max = (id & mask) | (cval & ~mask), min = id & mask, j;
    bool p;
    if (!strcmp(mode, "UP")) {
        j = id - bval;
        p = j >= max;
    } else if (!strcmp(mode, "DOWN")) {
        j = id + bval;
        p = j <= max;
    } else if (!strcmp(mode, "BFLY")) {
        j = id ^ bval;
        p = j <= max;
    } else {
        j = min | (bval & ~mask);
        p = j <= max;
    }
    *from = p ? (uint32_t)j : lane;
    return p;
}

static void shuffles_read_the_lane_of_the_definition_or_zero_when_it_is_not_active(void **state)
{
    (void)state;
    static const char *const modes[] = {"IDX", "UP", "DOWN", "BFLY"};
    uint64_t seed = test_seed(1);
    for (uint32_t m = 0; m < 4; m++)
        for (uint32_t round = 0; round < 200; round++) {
            struct memory_fixture *f = fixture_new(80, false, test_random(&seed));
            uint32_t mask = test_mask(&seed), b = (uint32_t)test_random(&seed) & 31;
            uint32_t c = (uint32_t)test_random(&seed) & 0x1f1f;
            if (round % 2)
                c = m == 1 ? 0 : 0x1f;
            struct emu_warp before = *f->w;
            char text[80];
            bool registers = round % 3 == 0;
            if (registers)
                snprintf(text, sizeof text, "SHFL.%s P1, R9, R8, R10, R11", modes[m]);
            else
                snprintf(text, sizeof text, "SHFL.%s P1, R9, R8, 0x%x, 0x%x", modes[m], b, c);
            run_ok(f, text, mask);
            for (uint32_t i = 0; i < WARP_LANES; i++) {
                uint32_t from;
                bool p = registers
                             ? shuffle_source(modes[m], i, before.r[10][i], before.r[11][i], &from)
                             : shuffle_source(modes[m], i, b, c, &from);
                bool on = mask >> i & 1;
                uint32_t value = mask >> from & 1 ? before.r[8][from] : 0;
                assert_int_equal(f->w->r[9][i], on ? value : before.r[9][i]);
                assert_int_equal(f->w->p[1] >> i & 1, on ? p : before.p[1] >> i & 1);
            }
            fixture_free(f);
        }
}

static void a_shuffle_may_write_its_own_source(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(80, false, 2);
    emu_lanes before;
    memcpy(before, f->w->r[8], sizeof before);
    run_ok(f, "SHFL.BFLY PT, R8, R8, 0x10, 0x1f", ~0u);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        assert_int_equal(f->w->r[8][i], before[i ^ 16]);
    fixture_free(f);
}

static void votes_count_active_lanes_only(void **state)
{
    (void)state;
    uint64_t seed = test_seed(3);
    for (uint32_t round = 0; round < 200; round++) {
        struct memory_fixture *f = fixture_new(90, false, test_random(&seed));
        uint32_t mask = test_mask(&seed);
        if (round % 3 == 0)
            f->w->p[2] |= mask;
        if (round % 3 == 1)
            f->w->p[2] &= ~mask;
        uint32_t p = f->w->p[2], votes = p & mask;
        struct emu_warp before = *f->w;
        run_ok(f, "VOTE.ANY R4, P3, P2", mask);
        run_ok(f, "VOTE.ALL P4, P2", mask);
        run_ok(f, "VOTE.EQ P5, P2", mask);
        run_ok(f, "VOTE.ANY R5, PT, !P2", mask);
        run_ok(f, "VOTEU.ANY UR4, UPT, P2", mask);
        run_ok(f, "VOTEU.ALL UP1, !P2", mask);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            bool on = mask >> i & 1;
            assert_int_equal(f->w->r[4][i], on ? votes : before.r[4][i]);
            assert_int_equal(f->w->r[5][i], on ? ~p & mask : before.r[5][i]);
        }
        assert_int_equal(f->w->p[3] & mask, votes ? mask : 0);
        assert_int_equal(f->w->p[4] & mask, votes == mask ? mask : 0);
        assert_int_equal(f->w->p[5] & mask, votes == mask || votes == 0 ? mask : 0);
        for (uint32_t i = 3; i < 6; i++)
            assert_int_equal(f->w->p[i] & ~mask, before.p[i] & ~mask);
        assert_int_equal(f->w->ur[4], votes);
        assert_int_equal(f->w->up, (before.up & ~2) | (votes == 0 ? 2 : 0));
        fixture_free(f);
    }
}

static void matches_are_the_lanes_of_equal_value(void **state)
{
    (void)state;
    uint64_t seed = test_seed(4);
    for (uint32_t round = 0; round < 200; round++) {
        struct memory_fixture *f = fixture_new(90, false, test_random(&seed));
        uint32_t mask = test_mask(&seed), kinds = round % 4 + 1;
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            f->w->r[2][i] = (uint32_t)(test_random(&seed) % kinds);
            f->w->r[3][i] = (uint32_t)(test_random(&seed) % 2);
        }
        run_ok(f, "MATCH.ANY R4, R2", mask);
        run_ok(f, "MATCH.ANY.U64 R5, R2", mask);
        run_ok(f, "MATCH.ALL P1, R6, R2", mask);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint32_t word = 0, pair = 0;
            for (uint32_t j = 0; j < WARP_LANES; j++) {
                bool same = f->w->r[2][i] == f->w->r[2][j];
                word |= (uint32_t)same << j;
                pair |= (uint32_t)(same && f->w->r[3][i] == f->w->r[3][j]) << j;
            }
            if (!(mask >> i & 1))
                continue;
            assert_int_equal(f->w->r[4][i], word & mask);
            assert_int_equal(f->w->r[5][i], pair & mask);
            bool all = (word & mask) == mask;
            assert_int_equal(f->w->r[6][i], all ? mask : 0);
            assert_int_equal(f->w->p[1] >> i & 1, all);
        }
        fixture_free(f);
    }
}

static void reductions_are_of_active_lanes(void **state)
{
    (void)state;
    uint64_t seed = test_seed(5);
    for (uint32_t round = 0; round < 200; round++) {
        struct memory_fixture *f = fixture_new(100, false, test_random(&seed));
        uint32_t mask = test_mask(&seed);
        uint32_t and = ~0u, or = 0, xor = 0, sum = 0, min = ~0u, max = 0;
        int32_t smin = INT32_MAX, smax = INT32_MIN;
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint32_t v = f->w->r[2][i];
            if (!(mask >> i & 1))
                continue;
            and &= v;
            or |= v;
            xor ^= v;
            sum += v;
            min = v < min ? v : min;
            max = v > max ? v : max;
            smin = (int32_t)v < smin ? (int32_t)v : smin;
            smax = (int32_t)v > smax ? (int32_t)v : smax;
        }
        static const char *const texts[] = {
            "REDUX UR4, R2",          "REDUX.OR UR5, R2",        "REDUX.XOR UR6, R2",
            "REDUX.SUM UR7, R2",      "REDUX.MIN UR8, R2",       "CREDUX.MAX UR9, R2",
            "REDUX.MIN.S32 UR10, R2", "CREDUX.MAX.S32 UR11, R2", "REDUX.SUM.S32 UR12, R2"};
        for (uint32_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            run_ok(f, texts[k], mask);
        const uint32_t expected[] = {and, or, xor, sum, min, max, (uint32_t)smin, (uint32_t)smax,
                                     sum};
        for (uint32_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            assert_int_equal(f->w->ur[4 + k], expected[k]);
        fixture_free(f);
    }
}

static void special_registers_tell_threads_apart(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(90, false, 6);
    f->w = &f->warps[1];
    static const char *const texts[] = {
        "S2R R4, SR_TID.X",   "S2R R5, SR_TID.Y",    "S2R R6, SR_TID.Z",   "S2R R7, SR_LANEID",
        "S2R R8, SR_LTMASK",  "S2R R9, SR_LEMASK",   "S2R R10, SR_EQMASK", "S2R R11, SR_GTMASK",
        "S2R R12, SR_GEMASK", "S2R R13, SR_CTAID.X", "S2R R14, SR_VIRTID"};
    for (uint32_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        run_ok(f, texts[k], ~0u);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint32_t thread = 32 + i, below = i == 0 ? 0 : ~0u >> (32 - i), self = 1u << i;
        const uint32_t expected[] = {thread % 8,   thread / 8 % 4, thread / 32,     i,      below,
                                     below | self, self,           ~(below | self), ~below, 3,
                                     1u << 8};
        for (uint32_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
            assert_int_equal(f->w->r[4 + k][i], expected[k]);
    }
    run_ok(f, "S2UR UR4, SR_CTAID.X", ~0u);
    run_ok(f, "S2UR UR5, SR_SWINHI", ~0u);
    run_ok(f, "S2UR UR6, SR_CgaCtaId", ~0u);
    run_ok(f, "S2UR UR7, SR_SMEMSZ", ~0u);
    assert_int_equal(f->w->ur[4], 3);
    assert_int_equal(f->w->ur[5], EMU_SHARED_WINDOW >> 32);
    assert_int_equal(f->w->ur[6], 0);
    assert_int_equal(f->w->ur[7], SHARED_BYTES);
    fixture_free(f);
}

static void clocks_count_the_ctas_instructions(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(120, false, 7);
    run_ok(f, "CS2R R4, SR_CLOCKLO", 2);
    assert_int_equal(f->w->r[4][1], 7);
    assert_int_equal(f->w->r[5][1], 5);
    uint32_t before = f->w->r[7][1];
    run_ok(f, "CS2R.32 R6, SR_CLOCKLO", 2);
    assert_int_equal(f->w->r[6][1], 7);
    assert_int_equal(f->w->r[7][1], before);
    run_ok(f, "CS2UR UR4, SR_CLOCKLO", ~0u);
    assert_int_equal(f->w->ur[5], 5);
    run_ok(f, "CS2R R4, SRZ", ~0u);
    assert_int_equal(f->w->r[4][1] | f->w->r[5][31], 0);
    expect_decode_error("S2R R4, SR_CgaSize", 100, "special register SR_CgaSize");
    fixture_free(f);
}

static void results_of_barrier_reductions_are_the_warps(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(80, false, 8);
    f->barrier_result[0] = 17;
    run_ok(f, "B2R.RESULT R4", ~0u);
    assert_int_equal(f->w->r[4][31], 17);
    run_ok(f, "B2R.RESULT RZ, P1", ~0u);
    assert_int_equal(f->w->p[1], ~0u);
    f->w = &f->warps[1];
    run_ok(f, "B2R.RESULT RZ, P1", ~0u);
    assert_int_equal(f->w->p[1], 0);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles_read_the_lane_of_the_definition_or_zero_when_it_is_not_active),
        cmocka_unit_test(a_shuffle_may_write_its_own_source),
        cmocka_unit_test(votes_count_active_lanes_only),
        cmocka_unit_test(matches_are_the_lanes_of_equal_value),
        cmocka_unit_test(reductions_are_of_active_lanes),
        cmocka_unit_test(special_registers_tell_threads_apart),
        cmocka_unit_test(clocks_count_the_ctas_instructions),
        cmocka_unit_test(results_of_barrier_reductions_are_the_warps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

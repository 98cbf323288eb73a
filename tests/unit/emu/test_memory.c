/* Global, generic, local and constant loads and stores, and their faults. */
#include "memory_fixture.h"

static void loads_of_all_widths_give_the_bytes_of_their_lane(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t bytes;
        bool is_signed;
    } cases[] = {
        {"LDG.E R8, desc[UR4][R2.64+0x10]", 4, false},
        {"LDG.E.64.CONSTANT R8, desc[UR4][R2.64+0x10]", 8, false},
        {"LDG.E.128 R8, [R2.64+0x10]", 16, false},
        {"LDG.E.U8 R8, [R2.64+0x10]", 1, false},
        {"LDG.E.S8 R8, [R2.64+0x10]", 1, true},
        {"LDG.E.U16 R8, [R2.64+0x10]", 2, false},
        {"LDG.E.S16.STRONG.GPU R8, [R2.64+0x10]", 2, true},
        {"LD.E.64 R8, [R2.64+0x10]", 8, false},
        {"LD.E.S8 R8, [R2.64+0x10]", 1, true},
    };
    uint64_t seed = test_seed(1);
    for (uint32_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (uint32_t round = 0; round < 40; round++) {
            struct memory_fixture *f = fixture_new(80, false, test_random(&seed));
            uint32_t mask = test_mask(&seed), bytes = cases[c].bytes;
            uint32_t offset[WARP_LANES], buffer[WARP_LANES];
            struct emu_warp before;
            for (uint32_t i = 0; i < WARP_LANES; i++) {
                /* dense, all in one buffer, or anywhere */
                buffer[i] = round % 3 == 2 ? (uint32_t)(test_random(&seed) & 1) : round & 1;
                offset[i] = round % 3 == 0 ? i * bytes + 64
                                           : (uint32_t)(test_random(&seed) % (BUFFER_BYTES / 16)) /
                                                 bytes * bytes;
                uint64_t base = buffer[i] ? SECOND_BUFFER : FIRST_BUFFER;
                set_pair(f, 2, i, mask >> i & 1 ? base + offset[i] - 0x10 : 3);
            }
            before = *f->w;
            run_ok(f, cases[c].text, mask);
            for (uint32_t i = 0; i < WARP_LANES; i++)
                for (uint32_t k = 0; k < 5; k++) {
                    uint32_t expected = before.r[8 + k][i];
                    const uint8_t *p = &f->data[buffer[i]][offset[i]];
                    if ((mask >> i & 1) && bytes >= 4 && k < bytes / 4)
                        expected = word_of(p + 4 * k);
                    else if ((mask >> i & 1) && bytes == 1 && k == 0)
                        expected = cases[c].is_signed ? (uint32_t)(int8_t)*p : *p;
                    else if ((mask >> i & 1) && bytes == 2 && k == 0)
                        expected = cases[c].is_signed ? (uint32_t)(int16_t)(p[0] | p[1] << 8)
                                                      : (uint32_t)(p[0] | p[1] << 8);
                    assert_int_equal(f->w->r[8 + k][i], expected);
                }
            fixture_free(f);
        }
}

static void of_lanes_that_store_to_one_place_the_hardware_s_wins(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t bytes;
    } cases[] = {{"STG.E desc[UR4][R2.64], R8", 4}, {"STG.E.64 [R2.64], R8", 8},
                 {"STG.E.128 [R2.64], R8", 16},     {"STG.E.U8 [R2.64], R8", 1},
                 {"STG.E.U16 [R2.64], R8", 2},      {"ST.E.128 [R2.64], R8", 16}};
    uint64_t seed = test_seed(2);
    for (uint32_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (uint32_t round = 0; round < 40; round++) {
            struct memory_fixture *f = fixture_new(80, false, test_random(&seed));
            uint32_t mask = test_mask(&seed), bytes = cases[c].bytes;
            uint8_t expected[2][BUFFER_BYTES];
            memcpy(expected, f->data, sizeof expected);
            uint32_t group = bytes <= 4 ? 32 : 128 / bytes;
            for (uint32_t k = 0; k < WARP_LANES; k++) {
                uint32_t i = k / group * group + group - 1 - k % group; /* last of a group first */
                uint32_t b = round % 3 == 2 ? (uint32_t)(test_random(&seed) & 1) : 1;
                uint32_t offset =
                    round % 3 == 0 ? i * bytes : (uint32_t)(test_random(&seed) % 16) * bytes;
                set_pair(f, 2, i, (b ? SECOND_BUFFER : FIRST_BUFFER) + offset);
                for (uint32_t n = 0; (mask >> i & 1) && n < bytes; n++)
                    expected[b][offset + n] = (uint8_t)(f->w->r[8 + n / 4][i] >> (8 * (n % 4)));
            }
            run_ok(f, cases[c].text, mask);
            assert_memory_equal(f->data, expected, sizeof expected);
            fixture_free(f);
        }
}

static void zero_registers_are_stored_as_zeros(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(80, false, 3);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        set_pair(f, 2, i, FIRST_BUFFER + 16 * i);
    f->w->r[EMU_SINK][4] = 99;
    run_ok(f, "STG.E.128 [R2.64], RZ", ~0u);
    for (uint32_t i = 0; i < 512; i++)
        assert_int_equal(f->data[0][i], 0);
    fixture_free(f);
}

/* Text, and the address that lane 5 uses: R2 = 0x20, R3 = 0, UR6 pair = FIRST_BUFFER. */
static void addresses_add_registers_and_offsets(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t sm;
        uint64_t addr;
    } cases[] = {
        {"LDG.E R8, [R2.U32+UR6+0x4]", 80, FIRST_BUFFER + 0x24},
        {"LDG.E.SYS R8, [R2.64+UR6]", 75, FIRST_BUFFER + 0x20},
        {"LDG.E.SYS R8, [UR6+0x8]", 75, FIRST_BUFFER + 8},
        {"LDG.E R8, desc[UR4][R4.64+-0x4]", 90, FIRST_BUFFER + 0x3c},
        {"LDG.E.SYS R8, [R4]", 75, FIRST_BUFFER + 0x40},
        {"LDG.E R8, desc[UR4][UR6.64+0x10]", 90, FIRST_BUFFER + 0x10},
    };
    for (uint32_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct memory_fixture *f = fixture_new(cases[c].sm, false, 4);
        set_uniform_pair(f, 6, FIRST_BUFFER);
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            set_pair(f, 2, i, 0x20);
            f->w->r[3][i] = 0;
            set_pair(f, 4, i, FIRST_BUFFER + 0x40);
        }
        if (strstr(cases[c].text, "U32"))
            f->w->r[3][5] = 77; /* not part of the address */
        run_ok(f, cases[c].text, 1u << 5);
        assert_true(f->access.used);
        assert_int_equal(f->access.mask, 1u << 5);
        assert_int_equal(f->access.addr[5], cases[c].addr);
        assert_int_equal(f->w->r[8][5], word_of(&f->data[0][cases[c].addr - FIRST_BUFFER]));
        fixture_free(f);
    }
}

static void faults_name_what_is_wrong(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(80, false, 5);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        set_pair(f, 2, i, FIRST_BUFFER + 4 * i);
    set_pair(f, 2, 7, FIRST_BUFFER + BUFFER_BYTES - 2);
    run_fault(f, "LDG.E R8, [R2.64]", ~0u, 7, "misaligned global access of 4 bytes");
    set_pair(f, 2, 7, FIRST_BUFFER + BUFFER_BYTES);
    run_fault(f, "LDG.E R8, [R2.64]", ~0u, 7,
              "the nearest is argument 0, 4096 bytes at 0x700000000100, and this is 4 bytes past");
    run_ok(f, "LDG.E R8, [R2.64]", ~(1u << 7));
    set_pair(f, 2, 7, SECOND_BUFFER - 4);
    run_fault(
        f, "STG.E [R2.64], R8", ~0u, 7,
        "the nearest is argument 1, 4096 bytes at 0x700000002000, and this is 4 bytes before");
    set_pair(f, 2, 31, 0);
    run_fault(f, "STG.E [R2.64], R8", 1u << 31, 31, "nearest is argument 0");
    f->buffers[0].bytes = BUFFER_BYTES - 8;
    set_pair(f, 2, 31, FIRST_BUFFER + BUFFER_BYTES - 16);
    run_fault(f, "LDG.E.128 R8, [R2.64]", 1u << 31, 31, "and this is 8 bytes past its end");
    f->launch.buffer_count = 0;
    run_fault(f, "LDG.E R8, [R2.64]", 1, 0, "there are no buffers");
    fixture_free(f);
}

static void a_fault_becomes_an_error_with_its_place(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(80, false, 6);
    struct test_op t;
    struct sim_err err = {0};
    assert_true(test_try_decode(&t, "LDG.E R8, [R2.64]", 80, 0, 0, &err));
    set_pair(f, 2, 9, 0x40);
    f->w = &f->warps[1];
    set_pair(f, 2, 9, 0x40);
    t.op.run(f->w, &t.op, 1u << 9);
    assert_false(emu_fault_error(&f->cta, &err));
    assert_int_equal(err.code, ERR_SIM);
    assert_string_equal(err.file, "test.yaml");
    assert_non_null(strstr(err.msg, "kernel k: CTA (3,0,0) warp 1 lane 9: pc 0x0000: LDG.E R8, "
                                    "[R2.64]: global access of 4 bytes at 0x40"));
    err_clear(&err);
    test_op_free(&t);
    fixture_free(f);
}

static void local_memory_is_a_threads_own(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(80, false, 10);
    assert_int_equal(emu_memory_stack_pointer(&f->launch), LOCAL_BYTES);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        f->w->r[1][i] = 8 * (i % 4);
    run_ok(f, "STL.128 [R1], R8", 0x0f0f0f0f & 0x55555555);
    run_ok(f, "LDL.128 R12, [R1]", 0x0f0f0f0f & 0x55555555);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        for (uint32_t k = 0; k < 4; k++)
            if (0x05050505 >> i & 1)
                assert_int_equal(f->w->r[12 + k][i], f->w->r[8 + k][i]);
    f->w->ur[4] = 2;
    run_ok(f, "LDL.U16 R20, [R1+UR4]", 4);
    assert_int_equal(f->w->r[20][2], f->w->r[8][2] >> 16);
    run_ok(f, "STL.U8 [R1+0x7], R21", 4);
    run_ok(f, "LDL R22, [R1+0x4]", 4);
    assert_int_equal(f->w->r[22][2], (f->w->r[9][2] & 0xffffff) | f->w->r[21][2] << 24);
    f->w->r[1][0] = LOCAL_BYTES;
    run_fault(f, "STL [R1], R8", 1, 0, "outside the thread's 64 bytes");
    /* the other warp has another frame */
    f->w = &f->warps[1];
    f->w->r[1][2] = 16;
    run_ok(f, "LDL R22, [R1+0x4]", 4);
    assert_int_equal(f->w->r[22][2], 0);
    fixture_free(f);
}

static void generic_addresses_reach_all_spaces_in_one_instruction(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(80, false, 11);
    set_pair(f, 2, 0, FIRST_BUFFER + 8);
    set_pair(f, 2, 1, EMU_SHARED_WINDOW + 0x20);
    set_pair(f, 2, 2, EMU_LOCAL_WINDOW + 0x10);
    set_pair(f, 2, 3, SECOND_BUFFER + 0x18);
    run_ok(f, "ST.E.64 [R2.64], R8", 0xf);
    run_ok(f, "LD.E.64 R12, [R2.64]", 0xf);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(f->w->r[12][i], f->w->r[8][i]);
        assert_int_equal(f->w->r[13][i], f->w->r[9][i]);
    }
    assert_int_equal(word_of(&f->data[0][12]), f->w->r[9][0]);
    assert_int_equal(word_of(&f->cta.shared[0x20]), f->w->r[8][1]);
    assert_int_equal(word_of(&f->data[1][0x18]), f->w->r[8][3]);
    f->w->r[1][2] = 0x14;
    run_ok(f, "LDL R14, [R1]", 4);
    assert_int_equal(f->w->r[14][2], f->w->r[9][2]);
    assert_int_equal(f->cta.written[0x27], 0xff);
    assert_int_equal(f->cta.written[0x28], 0);
    run_ok(f, "QSPC.E.S P0, RZ, [R2]", 0xf);
    run_ok(f, "QSPC.E.L P1, RZ, [R2]", 0xf);
    run_ok(f, "QSPC.E.G P2, RZ, [R2]", 0xf);
    assert_int_equal(f->w->p[0] & 0xf, 2);
    assert_int_equal(f->w->p[1] & 0xf, 4);
    assert_int_equal(f->w->p[2] & 0xf, 9);
    set_pair(f, 2, 1, EMU_SHARED_WINDOW + 0x28);
    run_fault(f, "LD.E R12, [R2.64]", 0xf, 1, "never written");
    fixture_free(f);
}

static void constants_are_loaded_by_index_or_known_when_decoded(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(90, false, 16);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        f->w->r[2][i] = 8 * (31 - i) % 128;
    run_ok(f, "LDC.64 R4, c[0x3][R2+0x40]", ~0u);
    run_ok(f, "LDC.S8 R6, c[0x3][R2+0x3]", ~0u);
    run_ok(f, "LDC.U16 R7, c[0x3][R2+0x2]", 0xffff);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        assert_int_equal(f->w->r[4][i], word_of(&f->bank[f->w->r[2][i] + 0x40]));
        assert_int_equal(f->w->r[5][i], word_of(&f->bank[f->w->r[2][i] + 0x44]));
        assert_int_equal(f->w->r[6][i], (uint32_t)(int8_t)f->bank[f->w->r[2][i] + 3]);
        if (i < 16)
            assert_int_equal(f->w->r[7][i], word_of(&f->bank[f->w->r[2][i]]) >> 16);
    }
    run_ok(f, "LDC.64 R4, c[0x0][0x210]", 2);
    assert_int_equal(f->w->r[4][1], test_constant(0, 0x210));
    assert_int_equal(f->w->r[5][1], test_constant(0, 0x214));
    run_ok(f, "LDC.S16 R6, c[0x0][0x212]", 2);
    assert_int_equal(f->w->r[6][1], (uint32_t)((int32_t)test_constant(0, 0x210) >> 16));
    run_ok(f, "ULDC.64 UR8, c[0x0][0x210]", ~0u);
    assert_int_equal(f->w->ur[9], test_constant(0, 0x214));
    run_ok(f, "LDC R4, c[0x0][RZ]", 2);
    assert_int_equal(f->w->r[4][1], test_constant(0, 0));
    f->w->ur[5] = 0x11;
    run_ok(f, "ULDC.S8 UR8, c[0x3][UR5+0x1]", ~0u);
    assert_int_equal(f->w->ur[8], (uint32_t)(int8_t)f->bank[0x12]);
    f->w->ur[5] = 0x10;
    run_ok(f, "LDCU.128 UR8, c[0x3][UR5]", ~0u);
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(f->w->ur[8 + k], word_of(&f->bank[0x10 + 4 * k]));
    f->w->r[2][9] = 253;
    run_fault(f, "LDC R4, c[0x3][R2]", ~0u, 9, "c[0x3][0xfd], whose size is 256");
    f->w->r[2][9] = 2;
    run_fault(f, "LDC R4, c[0x3][R2]", ~0u, 9, "misaligned");
    run_fault(f, "LDC R4, c[0x4][R2]", ~0u, 0, "bank 4 is not known");
    fixture_free(f);
}

static void forms_without_semantics_are_decode_errors(void **state)
{
    (void)state;
    expect_decode_error("LDG.E.ENL2.256 R8, R4, desc[UR4][R2.64]", 100, "expected");
    expect_decode_error("LDG.E R8, desc[UR4][R2.64], P0", 90, "expected a destination");
    expect_decode_error("LDC R8, cx[UR4][0x10]", 90, "bindless");
    expect_decode_error("LDSM.8.M832.2 R8, [R2]", 90, "only .16.M88");
    expect_decode_error("LDG.E.128 R252, [R2.64]", 80, "past R254");
    expect_decode_error("STG.E.128 [R2.64], R252", 80, "not all registers");
}

static void frames_and_shared_memory_above_hardware_are_refused(void **state)
{
    (void)state;
    struct emu_launch l = {.kernel = "k", .sm = 80, .local_bytes = 1u << 20, .file = "f"};
    struct emu_cta cta = {.launch = &l, .warp_count = 1};
    struct sim_err err = {0};
    assert_false(emu_memory_open(&cta, &err));
    assert_non_null(strstr(err.msg, "1048576 bytes of local memory"));
    err_clear(&err);
    l.local_bytes = 0;
    l.shared_bytes = 1u << 30;
    assert_false(emu_memory_open(&cta, &err));
    assert_non_null(strstr(err.msg, "bytes of shared memory"));
    err_clear(&err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_of_all_widths_give_the_bytes_of_their_lane),
        cmocka_unit_test(of_lanes_that_store_to_one_place_the_hardware_s_wins),
        cmocka_unit_test(zero_registers_are_stored_as_zeros),
        cmocka_unit_test(addresses_add_registers_and_offsets),
        cmocka_unit_test(faults_name_what_is_wrong),
        cmocka_unit_test(a_fault_becomes_an_error_with_its_place),
        cmocka_unit_test(local_memory_is_a_threads_own),
        cmocka_unit_test(generic_addresses_reach_all_spaces_in_one_instruction),
        cmocka_unit_test(constants_are_loaded_by_index_or_known_when_decoded),
        cmocka_unit_test(forms_without_semantics_are_decode_errors),
        cmocka_unit_test(frames_and_shared_memory_above_hardware_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

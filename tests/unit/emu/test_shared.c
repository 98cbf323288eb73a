/* Shared memory: what was written, bounds, copies, matrices, races. */
#include "memory_fixture.h"

static void shared_memory_keeps_what_was_stored(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(86, false, 7);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        f->w->r[2][i] = 31 - i;
    run_ok(f, "STS.64 [R2.X8+0x100], R8", ~0u);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        assert_int_equal(f->access.addr[i], 0x100 + 8 * (31 - i));
    f->w->ur[5] = 0x100;
    run_ok(f, "LDS.U.64 R20, [R2.X8+UR5]", ~0u);
    assert_memory_equal(f->w->r[20], f->w->r[8], 2 * sizeof(emu_lanes));
    run_ok(f, "LDS.S8 R22, [R2+0x103]", 1u << 31);
    assert_int_equal(f->w->r[22][31], (uint32_t)(int8_t)(f->w->r[8][31] >> 24));
    run_ok(f, "LDS.128 R24, [UR5]", 0x10);
    assert_int_equal(f->w->r[24][4], f->w->r[8][31]);
    assert_int_equal(f->w->r[27][4], f->w->r[9][30]);
    run_ok(f, "LDS R28, [0x104]", 1);
    assert_int_equal(f->w->r[28][0], f->w->r[9][31]);
    fixture_free(f);
}

static void reading_shared_memory_that_nobody_wrote_is_a_fault(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(86, false, 8);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        f->w->r[2][i] = 4 * i;
    run_ok(f, "STS [R2], R8", ~(1u << 20));
    run_fault(f, "LDS R9, [R2]", ~0u, 20, "never written, at offset 0x50");
    run_ok(f, "LDS R9, [R2]", ~(1u << 20));
    run_ok(f, "STS.U16 [R2], R8", 1u << 20);
    run_fault(f, "LDS R9, [R2]", 1u << 20, 20, "never written, at offset 0x52");
    run_fault(f, "LDS.128 R12, [0x50]", 1, 0, "never written, at offset 0x52");
    run_fault(f, "ATOMS.ADD R12, [0x50], R8", 1, 0, "never written");
    run_ok(f, "LDS RZ, [RZ+0x800]", 1);
    emu_memory_begin(&f->cta);
    run_fault(f, "LDS R9, [R2]", 2, 1, "never written, at offset 0x4");
    fixture_free(f);
}

static void shared_bounds_are_the_ctas(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(90, false, 9);
    f->w->r[2][3] = EMU_SHARED_SYSTEM - 4;
    run_fault(f, "STS [R2], R8", 8, 3, "outside the CTA's shared memory, 0x400 to 0x1000");
    f->w->r[2][3] = SHARED_BYTES;
    run_fault(f, "STS [R2], R8", 8, 3, "outside");
    f->w->r[2][3] = SHARED_BYTES - 4;
    run_ok(f, "STS [R2], R8", 8);
    run_fault(f, "STS.64 [R2], R8", 8, 3, "misaligned shared access of 8 bytes at 0xffc");
    fixture_free(f);
    f = fixture_new(80, false, 9);
    f->w->r[2][3] = 0;
    run_ok(f, "STS [R2], R8", 8);
    f->w->r[2][3] = 0xfffffffc;
    run_fault(f, "STS [R2], R8", 8, 3, "outside");
    fixture_free(f);
}

static void copies_go_from_global_to_shared_memory(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(90, false, 12);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        f->w->r[2][i] = 0x400 + 16 * i;
        set_pair(f, 4, i, SECOND_BUFFER + 32 * i);
    }
    f->w->p[0] = 0xffff0000;
    run_ok(f, "LDGSTS.E.BYPASS.128 [R2+0x10], desc[UR6][R4.64+0x10]", ~0u);
    assert_int_equal(f->access.addr[3], SECOND_BUFFER + 0x70);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        assert_memory_equal(&f->cta.shared[0x410 + 16 * i], &f->data[1][32 * i + 16], 16);
    run_ok(f, "LDGSTS.E [R2+0x800], desc[UR6][R4.64], !P0", ~0u);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        assert_int_equal(word_of(&f->cta.shared[0xc00 + 16 * i]),
                         i < 16 ? word_of(&f->data[1][32 * i]) : 0);
    assert_int_equal(f->cta.written[0xc04], 0);
    run_fault(f, "LDGSTS.E.64 [R2], desc[UR6][R4.64+0x4]", 1, 0, "misaligned copy");
    /* lanes that read nothing may point anywhere */
    set_pair(f, 4, 31, 12345);
    run_ok(f, "LDGSTS.E.128 [R2], desc[UR6][R4.64], !P0", ~0u);
    run_fault(f, "LDGSTS.E.128 [R2], desc[UR6][R4.64], P0", ~0u, 31, "misaligned copy");
    run_ok(f, "LDGDEPBAR", ~0u);
    run_ok(f, "DEPBAR.LE SB0, 0x1", ~0u);
    fixture_free(f);
}

/* cp.async with fewer source bytes: the compiler adds what is missing to the address. */
static void zero_filling_copies_end_with_zeros(void **state)
{
    (void)state;
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2)
        for (uint32_t zeros = 0; zeros < bytes; zeros++) {
            struct memory_fixture *f = fixture_new(80, false, 13);
            char text[80];
            snprintf(text, sizeof text, "LDGSTS.E%s.ZFILL [R2], [R4.64+0x%x], P1",
                     bytes == 4   ? ""
                     : bytes == 8 ? ".64"
                                  : ".BYPASS.128",
                     zeros);
            f->w->p[1] = 1;
            f->w->r[2][0] = 64;
            f->w->r[2][1] = 96;
            set_pair(f, 4, 0, FIRST_BUFFER + BUFFER_BYTES - bytes);
            set_pair(f, 4, 1, 0);
            run_ok(f, text, 3);
            assert_memory_equal(&f->cta.shared[64], &f->data[0][BUFFER_BYTES - bytes],
                                bytes - zeros);
            for (uint32_t k = bytes - zeros; k < bytes; k++)
                assert_int_equal(f->cta.shared[64 + k], 0);
            assert_int_equal(f->cta.written[64 + bytes - 1], 0xff);
            assert_int_equal(f->cta.shared[96], 0);
            assert_int_equal(f->cta.written[96 + bytes - 1], 0xff);
            fixture_free(f);
        }
}

static uint32_t half_at(const struct memory_fixture *f, uint32_t row_offset, uint32_t column)
{
    return f->cta.shared[row_offset + 2 * column] |
           (uint32_t)f->cta.shared[row_offset + 2 * column + 1] << 8;
}

static void matrix_loads_spread_rows_over_lanes(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(90, false, 14);
    fill_shared(f);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        f->w->r[2][i] = 0x400 + (i * 7 % 32) * 48;
    run_ok(f, "LDSM.16.M88.4 R4, [R2+0x10]", ~0u);
    run_ok(f, "LDSM.16.MT88.2 R8, [R2]", ~0u);
    uint32_t before = f->w->r[13][0];
    run_ok(f, "LDSM.16.M88 R12, [R2]", ~0u);
    assert_int_equal(f->w->r[13][0], before);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        for (uint32_t m = 0; m < 4; m++)
            assert_int_equal(f->w->r[4 + m][i],
                             word_of(&f->cta.shared[f->w->r[2][8 * m + i / 4] + 16 + i % 4 * 4]));
        for (uint32_t m = 0; m < 2; m++) {
            uint32_t low = half_at(f, f->w->r[2][8 * m + i % 4 * 2], i / 4);
            uint32_t high = half_at(f, f->w->r[2][8 * m + i % 4 * 2 + 1], i / 4);
            assert_int_equal(f->w->r[8 + m][i], low | high << 16);
        }
        assert_int_equal(f->w->r[12][i], word_of(&f->cta.shared[f->w->r[2][i / 4] + i % 4 * 4]));
    }
    run_fault(f, "LDSM.16.M88 R12, [R2]", 0xff, EMU_NO_LANE, "all 32 lanes");
    /* addresses of lanes that name no row are not looked at */
    f->w->r[2][31] = 3;
    run_ok(f, "LDSM.16.MT88.2 R8, [R2]", ~0u);
    run_fault(f, "LDSM.16.MT88.4 R8, [R2]", ~0u, 31, "misaligned");
    fixture_free(f);
}

static void matrix_stores_undo_matrix_loads(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"STSM.16.M88.4 [R2], R4", "LDSM.16.M88.4 R8, [R2]"},
        {"STSM.16.MT88.4 [R2], R4", "LDSM.16.MT88.4 R8, [R2]"},
    };
    for (uint32_t c = 0; c < 2; c++) {
        struct memory_fixture *f = fixture_new(90, false, 15);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            f->w->r[2][i] = 0x400 + 16 * i;
        run_ok(f, pairs[c][0], ~0u);
        run_ok(f, pairs[c][1], ~0u);
        assert_memory_equal(f->w->r[8], f->w->r[4], 4 * sizeof(emu_lanes));
        fixture_free(f);
    }
}

static void races_between_warps_are_faults_until_a_barrier(void **state)
{
    (void)state;
    struct memory_fixture *f = fixture_new(80, true, 17);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < WARP_LANES; i++)
            f->warps[k].r[2][i] = 4 * i;
    run_ok(f, "STS [R2], R8", ~0u);
    run_ok(f, "LDS R9, [R2]", ~0u); /* its own */
    f->w = &f->warps[1];
    run_fault(f, "LDS R9, [R2]", 1u << 4, 4,
              "race on shared memory at offset 0x10: another warp "
              "wrote it");
    run_fault(f, "STS [R2], R8", 1u << 4, 4, "another warp wrote it");
    f->cta.epoch++;
    run_ok(f, "LDS R9, [R2]", ~0u);
    f->w = &f->warps[0];
    run_ok(f, "LDS R9, [R2]", ~0u);
    run_fault(f, "STS.U8 [R2], R9", 1, 0, "another warp read it");
    f->cta.epoch++;
    run_ok(f, "ATOMS.ADD RZ, [R2], R8", ~0u);
    f->w = &f->warps[1];
    run_ok(f, "ATOMS.ADD RZ, [R2], R8", ~0u);
    run_fault(f, "LDS R9, [R2]", 1, 0, "another warp wrote it");
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory_keeps_what_was_stored),
        cmocka_unit_test(reading_shared_memory_that_nobody_wrote_is_a_fault),
        cmocka_unit_test(shared_bounds_are_the_ctas),
        cmocka_unit_test(copies_go_from_global_to_shared_memory),
        cmocka_unit_test(zero_filling_copies_end_with_zeros),
        cmocka_unit_test(matrix_loads_spread_rows_over_lanes),
        cmocka_unit_test(matrix_stores_undo_matrix_loads),
        cmocka_unit_test(races_between_warps_are_faults_until_a_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

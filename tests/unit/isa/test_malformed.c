#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/opcode.h"

static const struct {
    const char *text;
    const char *message; /* part of it */
} bad_texts[] = {
    {"", "found nothing"},
    {"  ; ", "found nothing"},
    {"@", "nothing after a sign"},
    {"@R1 MOV R1, R2", "expected a guard"},
    {"@P0MOV R1, R2", "expected a guard"},
    {"@P0", "expected an opcode"},
    {"@P8 MOV R1, R2", "register number out of range"},
    {"mov R1, R2", "expected an opcode"},
    {"0x1", "expected an opcode"},
    {"MOV, R1", "expected an opcode"},
    {"MOV R1,, R2", "at each side of a comma"},
    {"MOV R1, R2,", "at each side of a comma"},
    {"MOV , R2", "at each side of a comma"},
    {"MOV R1, -", "nothing after a sign"},
    {"MOV R256, R2", "register number out of range"},
    {"MOV R99999999999999999999, R2", "register number out of range"},
    {"UMOV UR64, UR2", "register number out of range"},
    {"BSYNC B16", "register number out of range"},
    {"MOV R1, R2.", "nothing after a dot"},
    {"MOV R1, R2; R3", "unexpected character"},
    {"MOV R1, R2#", "unexpected character"},
    {"LDG.E R1, [R2", "unbalanced brackets"},
    {"LDG.E R1, R2]", "unbalanced brackets"},
    {"LDG.E R1, []", "expected a register or a number"},
    {"LDG.E R1, [R2+]", "expected a register or a number"},
    {"LDG.E R1, [R2*4]", "expected \"]\""},
    {"LDG.E R1, [1.5]", "whole number"},
    {"LDG.E R1, [R1+R2+R3+R4+R5]", "too many registers"},
    {"LDG.E R1, desc[UR4][R2", "unbalanced brackets"},
    {"FADD R1, R2, c[0x0]", "expected \"[\""},
    {"FADD R1, R2, c[0x20][0x0]", "constant bank above 31"},
    {"FADD R1, R2, c[0x0][0x100000000]", "constant offset above 32 bits"},
    {"MOV R1, 0x1ffffffffffffffff", "number above 64 bits"},
    {"MOV R1, 0x", "expected a number"},
    {"BAR.SYNC 0x10", "barrier number of at most 15"},
    {"BAR.SYNC 0x0, 0x10000", "thread count of at most 65535"},
    {"DEPBAR.LE SB6, 0x0", "SB0 to SB5"},
    {"DEPBAR.LE SB0, 0x40", "counter limit of at most 63"},
    {"DEPBAR.LE SB0, 0x0, {6}", "counters 0 to 5"},
    {"DEPBAR.LE SB0, 0x0, {}", "expected a number"},
    {"NOP R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16",
     "more than 16 operands"},
    {"NOP R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12", "more than 12 register operands"},
};

static void malformed_text_is_an_error_with_its_place(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof bad_texts / sizeof bad_texts[0]; i++) {
        struct inst inst;
        struct sim_err err = {0};
        if (inst_from_text(&inst, bad_texts[i].text, 0, 86, NULL, NULL, &arena, "in.sass", 7, &err))
            fail_msg("accepted \"%s\"", bad_texts[i].text);
        if (!strstr(err.msg, bad_texts[i].message))
            fail_msg("\"%s\": %s", bad_texts[i].text, err.msg);
        assert_int_equal(err.code, ERR_INPUT);
        assert_string_equal(err.file, "in.sass");
        assert_int_equal(err.line, 7);
    }
    arena_free(&arena);
}

/* Every prefix of a long instruction, and every one-character change of it, is decoded or refused;
 * the sanitizers watch. */
static void damaged_text_is_decoded_or_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "@!UP0 LDG.E.128.STRONG.GPU R4, desc[UR4][R2.64+-0x10], P0 ;",
        "DEPBAR.LE SB0, 0x1, {4,3} ;",
        "FFMA R4, -|R2|.reuse, c[0x0] [R4+0x160].F32, 1.5e-05 ;",
        "BRX R4 -0x10 (*BRANCH .L_x_1*) ;",
    };
    static const char noise[] = "[](){},;.+-|!@`\"0xRZUPTB9 \x01\xff";
    struct arena arena = {0};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        size_t len = strlen(texts[t]);
        for (size_t i = 0; i < len; i++) {
            for (size_t n = 0; n < sizeof noise; n++) {
                char text[128];
                memcpy(text, texts[t], len + 1);
                text[i] = noise[n]; /* the last one ends the text here */
                struct inst inst;
                struct sim_err err = {0};
                bool ok = inst_from_text(&inst, text, 0, 90, NULL, NULL, &arena, "f", 1, &err);
                assert_true(ok || err.code == ERR_INPUT);
            }
        }
        arena_reset(&arena);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_text_is_an_error_with_its_place),
        cmocka_unit_test(damaged_text_is_decoded_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

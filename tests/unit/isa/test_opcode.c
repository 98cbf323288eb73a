#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/opcode.h"

static void names_are_unique_and_found(void **state)
{
    (void)state;
    assert_true(opcode_count() > 250);
    for (uint16_t i = 0; i < opcode_count(); i++) {
        const struct opcode_info *info = opcode_info(i);
        assert_int_equal(opcode_find(info->name, strlen(info->name)), i);
        assert_true(info->doc[0] && info->pipe[0]);
        assert_true(info->op_class < OP_CLASS_COUNT);
    }
}

static void prefixes_of_a_name_are_not_it(void **state)
{
    (void)state;
    assert_int_equal(opcode_find("FFM", 3), OPCODE_UNKNOWN);
    assert_int_equal(opcode_find("FFMAX", 5), OPCODE_UNKNOWN);
    assert_int_equal(opcode_find("", 0), OPCODE_UNKNOWN);
    assert_int_not_equal(opcode_find("FFMA.FTZ", 4), OPCODE_UNKNOWN);
}

static void memory_rows_have_space_and_direction(void **state)
{
    (void)state;
    for (uint16_t i = 0; i < opcode_count(); i++) {
        const struct opcode_info *info = opcode_info(i);
        bool moves = info->flags & (INST_LOAD | INST_STORE | INST_ATOMIC);
        enum op_class c = (enum op_class)info->op_class;
        if (moves != op_class_is_memory(c) && c != OP_CLASS_mem_misc)
            fail_msg("%s", info->name);
        if ((info->flags & INST_LOAD) && (info->flags & INST_STORE))
            fail_msg("%s loads and stores", info->name);
    }
}

static void versions_between_known_ones_act_like_the_older(void **state)
{
    (void)state;
    const struct opcode_info *dfma = opcode_info(opcode_find("DFMA", 4));
    assert_true(sm_version_known(86));
    assert_false(sm_version_known(88));
    assert_true(opcode_is_variable(dfma, 88));
    assert_false(opcode_is_variable(dfma, 91));
    assert_true(opcode_is_variable(dfma, 500));
    assert_true(opcode_is_variable(dfma, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_and_found),
        cmocka_unit_test(prefixes_of_a_name_are_not_it),
        cmocka_unit_test(memory_rows_have_space_and_direction),
        cmocka_unit_test(versions_between_known_ones_act_like_the_older),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

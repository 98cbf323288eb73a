/* Every instruction of the seven listings of the CUDA suite has semantics and decodes. */
#include "support.h"

#include <unistd.h>

#include "isa/modifier.h"
#include "trace/sass_file.h"

#define SASS_FOLDER SUBCORE_SOURCE_DIR "/../shared/sass"
#define SHOWN_FAILURES 20

struct tally {
    uint32_t decoded, without_semantics, failed;
    char last_missing[32];
};

/* Encoded branches and the like need a whole program; they are tested with the machine. */
static bool needs_program(const char *opcode)
{
    static const char *const names[] = {"BRA",  "BRX",  "BRXU", "JMP", "JMX",
                                        "JMXU", "CALL", "RET",  "BSSY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (modifier_base_is(opcode, names[i]))
            return true;
    return false;
}

static void decode_one(const struct sass_function *f, uint32_t i, struct tally *t)
{
    const struct inst *inst = &f->insts[i];
    if (needs_program(inst->opcode))
        return;
    if (!emu_semantics_find(inst->opcode)) {
        snprintf(t->last_missing, sizeof t->last_missing, "%s", inst->opcode);
        t->without_semantics++;
        return;
    }
    struct test_op op;
    struct sim_err err = {0};
    if (test_try_decode(&op, inst->text, f->sm, f->words[i].lo, f->words[i].hi, &err)) {
        t->decoded++;
    } else if (t->failed++ < SHOWN_FAILURES) {
        print_message("sm_%u %s pc 0x%x: %s\n", f->sm, f->name, inst->pc, err.msg);
    }
    test_op_free(&op);
}

static void check_listing(uint32_t sm)
{
    char path[256];
    snprintf(path, sizeof path, "%s/kernels.sm_%u.sass.gz", SASS_FOLDER, sm);
    struct sass_file *file;
    struct sim_err err = {0};
    if (!sass_file_load(&file, path, &err))
        fail_msg("%s: %s", path, err.msg);
    struct tally t = {0};
    for (size_t k = 0; k < sass_file_count(file); k++) {
        const struct sass_function *f = sass_file_function(file, k);
        for (uint32_t i = 0; i < f->inst_count; i++)
            decode_one(f, i, &t);
    }
    sass_file_free(file);
    if (t.without_semantics)
        print_message("sm_%u: %u instructions without semantics, such as %s\n", sm,
                      t.without_semantics, t.last_missing);
    assert_int_equal(t.failed, 0);
    assert_int_equal(t.without_semantics, 0);
    assert_true(t.decoded > 1000);
}

static void all_instructions_of_the_suite_decode(void **state)
{
    (void)state;
    if (access(SASS_FOLDER, R_OK) != 0)
        skip();
    static const uint32_t versions[] = {75, 80, 86, 89, 90, 100, 120};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        check_listing(versions[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_instructions_of_the_suite_decode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Decoded instructions for tests of the unit layer. */
#ifndef SUBCORE_TESTS_EXEC_SUPPORT_H
#define SUBCORE_TESTS_EXEC_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/opcode.h"
#include "unit/exec_inst.h"

#define CODE_MAX 16

struct code {
    struct arena arena;
    struct config cfg;
    struct inst insts[CODE_MAX];
    const struct inst *list[CODE_MAX];
    struct kernel kernel;
    struct exec_table table;
};

static inline void code_defaults(struct code *c)
{
    memset(c, 0, sizeof *c);
    config_defaults(&c->cfg);
}

/* Decodes `text`, with a control code ("[B------:R-:W-:-:S01] ...") or without, for sm_86 under
 * c->cfg. Returns the last instruction decoded; pointers to earlier ones may move. */
static inline const struct exec_inst *code_add(struct code *c, const char *text, bool control_bits)
{
    struct sim_err err = {0};
    uint32_t i = c->kernel.inst_count;
    struct inst *in = &c->insts[i];
    struct ctrl ctrl;
    const char *body = *text == '[' ? strchr(text, ']') + 1 : text;
    if (!inst_from_text(in, body, i * INST_BYTES, 86, NULL, NULL, &c->arena, "test", i, &err))
        fail_msg("%s: %s", text, err.msg);
    if (*text == '[') {
        if (!ctrl_parse(text + 1, (size_t)(body - text) - 2, &ctrl))
            fail_msg("%s: bad control code", text);
        in->ctrl = ctrl;
        in->flags |= INST_HAS_CTRL;
    }
    c->list[i] = in;
    c->kernel.insts = c->list;
    c->kernel.inst_count++;
    c->table.control_bits = control_bits;
    assert_true(exec_table_grow(&c->table, &c->kernel, &c->cfg, &err));
    return &c->table.insts[i];
}

static inline void code_free(struct code *c)
{
    exec_table_free(&c->table);
    arena_free(&c->arena);
}

#endif

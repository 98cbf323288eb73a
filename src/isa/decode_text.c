#include "isa/decode.h"
#include "isa/modifier.h"

bool inst_from_text(struct inst *out, const char *text, uint32_t pc, uint32_t sm,
                    const uint64_t *lo, const uint64_t *hi, struct arena *arena, const char *file,
                    uint32_t line, struct sim_err *err)
{
    struct sass_place at = {file, line, sm};
    struct sass_text parts;
    TRY(sass_text_parse(&parts, text, &at, err));
    char *opcode = arena_strndup(arena, parts.opcode, parts.opcode_len);
    char *body = arena_strndup(arena, parts.body, parts.body_len);
    if (!opcode || !body)
        return err_memory(err, "an instruction");
    *out = (struct inst){
        .pc = pc,
        .opcode = opcode,
        .text = body,
        .opcode_id = opcode_find(opcode, modifier_base_length(opcode)),
        .guard_file = parts.guard_file,
        .guard = parts.guard,
        .guard_negate = parts.guard_negate,
    };
    struct form f = {.opcode = opcode, .args = parts.args, .arg_count = parts.arg_count, .at = at};
    if (out->opcode_id != OPCODE_UNKNOWN)
        f.info = opcode_info(out->opcode_id);
    form_init(&f);
    if (hi) {
        out->ctrl = ctrl_decode(*hi);
        out->flags |= INST_HAS_CTRL;
    }
    TRY(class_refine(out, &f, err));
    return operands_build(out, &f, lo, hi, err);
}

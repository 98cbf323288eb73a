#include "report/inst_text.h"

static void add_operand(struct buf *out, const struct operand *o)
{
    static const char *const prefix[REG_FILE_COUNT] = {"R", "UR", "P", "UP", "B"};
    const char *name = o->file < REG_FILE_COUNT ? prefix[o->file] : "?";
    bool address = o->role == OPERAND_ADDRESS;
    buf_printf(out, "%s%s%u", address ? "[" : "", name, (unsigned)o->index);
    if (o->count > 1)
        buf_printf(out, "..%s%u", name, o->index + o->count - 1u);
    buf_puts(out, address ? "]" : "");
}

/* Instructions without SASS text: the guard, the opcode and its registers. */
static void add_operands(struct buf *out, const struct inst *in)
{
    if (in->guard != 7)
        buf_printf(out, "@%s%s%u ", in->guard_negate ? "!" : "",
                   in->guard_file == REG_UNIFORM_PREDICATE ? "UP" : "P", (unsigned)in->guard);
    buf_puts(out, in->opcode);
    for (uint32_t i = 0; i < in->operand_count; i++) {
        buf_puts(out, i == 0 ? " " : ", ");
        add_operand(out, &in->operands[i]);
    }
}

void inst_text(struct buf *out, const struct inst *in)
{
    if (in->text)
        buf_puts(out, in->text);
    else
        add_operands(out, in);
}

/* Accel-Sim trace lines list registers without saying what they are for. They are put back into
 * arguments as the text would have them, and decoded like text. */
#include "isa/decode.h"
#include "isa/modifier.h"

#include <ctype.h>
#include <string.h>

#define MAX_OPCODE_LENGTH 128

/* The fields of the line, and the arguments made from them. */
struct line {
    const struct trace_reg *src;
    uint32_t n_src;
    int64_t imm;
    uint32_t sm;
    struct form f;
    struct sass_arg args[SASS_MAX_ARGS];
    enum op_class op_class; /* before refinement */
};

static bool opcode_valid(const char *opcode)
{
    size_t len = strlen(opcode);
    if (len == 0 || len > MAX_OPCODE_LENGTH || !isupper((unsigned char)opcode[0]))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)opcode[i]) && opcode[i] != '.' && opcode[i] != '_')
            return false;
    return true;
}

static struct sass_reg to_reg(struct trace_reg t, uint32_t sm)
{
    uint16_t zero = sass_zero_index((enum reg_file)t.file, sm);
    return (struct sass_reg){.file = t.file, .index = t.index, .zero = t.index == zero};
}

static bool regs_valid(const struct trace_reg *regs, uint32_t n, uint32_t sm)
{
    for (uint32_t i = 0; i < n; i++) {
        if (regs[i].file >= REG_FILE_COUNT)
            return false;
        uint32_t limit =
            regs[i].file == REG_BARRIER ? 15 : sass_zero_index((enum reg_file)regs[i].file, sm);
        if (regs[i].index > limit)
            return false;
    }
    return true;
}

static struct sass_arg *push(struct line *l, enum sass_arg_kind kind)
{
    struct sass_arg *a = &l->args[l->f.arg_count++];
    a->kind = (uint8_t)kind;
    a->text = "";
    return a;
}

static void push_reg(struct line *l, struct trace_reg t)
{
    struct sass_arg *a = push(l, SASS_REGISTER);
    a->reg_count = 1;
    a->regs[0] = to_reg(t, l->sm);
}

/* Adds a register to an address; more than an address can have are left out, they are not
 * registers of any real instruction. */
static void address_add(struct line *l, struct sass_arg *a, struct trace_reg t)
{
    if (a->reg_count < SASS_MAX_ARG_REGS)
        a->regs[a->reg_count++] = to_reg(t, l->sm);
}

/* Data registers of a memory instruction, as opposed to those of its address. */
static uint32_t data_sources(const struct line *l)
{
    const char *opcode = l->f.opcode;
    switch (l->op_class) {
    case OP_CLASS_stg_reg:
    case OP_CLASS_sts_reg:
        return modifier_has(opcode, "256") ? 2 : 1;
    case OP_CLASS_stsm:
    case OP_CLASS_redg:
        return 1;
    case OP_CLASS_atoms:
    case OP_CLASS_atomg:
        if (modifier_has(opcode, "POPC"))
            return 0;
        return modifier_has(opcode, "CAS") || modifier_has(opcode, "CAST") ? 2 : 1;
    case OP_CLASS_mem_misc:
        return l->f.info && (l->f.info->flags & (INST_STORE | INST_ATOMIC)) ? 1 : 0;
    default:
        return 0;
    }
}

static uint32_t general_sources(const struct line *l)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n_src; i++)
        n += l->src[i].file == REG_GENERAL;
    return n;
}

/* Address registers come first, then data; uniform ones belong to the address. */
static void memory_args(struct line *l)
{
    uint32_t general = general_sources(l);
    uint32_t data = data_sources(l);
    uint32_t in_address = general > data ? general - data : 0;
    bool constant = l->op_class == OP_CLASS_ldc_imm;
    struct sass_arg *shared = NULL;
    if (l->op_class == OP_CLASS_ldgsts && in_address > 1)
        shared = push(l, SASS_ADDRESS);
    else if (l->op_class == OP_CLASS_ldgsts)
        push(l, SASS_ADDRESS);
    struct sass_arg *address = push(l, constant ? SASS_CONST : SASS_ADDRESS);
    for (uint32_t i = 0; i < l->n_src; i++) {
        struct trace_reg t = l->src[i];
        if (t.file == REG_GENERAL && in_address > 0) {
            in_address--;
            address_add(l, shared ? shared : address, t);
            shared = NULL;
        } else if (t.file == REG_UNIFORM) {
            address_add(l, address, t);
        } else {
            push_reg(l, t);
        }
    }
}

static bool has_three_sources(const char *opcode)
{
    static const char *const names[] = {"FFMA",    "FFMA2",  "IMAD", "HFMA2", "DFMA",
                                        "IADD3",   "LOP3",   "SHF",  "PRMT",  "VIADDMNMX",
                                        "VIMNMX3", "FMNMX3", "IDP"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (modifier_base_is(opcode, names[i]))
            return true;
    return false;
}

/* Three-source opcodes with two registers listed: the missing operand is a constant, an immediate
 * or a uniform register, in the middle or at the end; the middle is taken. It matters to IMAD.WIDE,
 * whose last operand is a pair: before sm_90 a constant comes last (a pointer) and an immediate in
 * the middle (an element size). */
static void arithmetic_args(struct line *l)
{
    uint32_t hole = UINT32_MAX;
    if (l->n_src == 2 && has_three_sources(l->f.opcode)) {
        bool last = l->op_class == OP_CLASS_imad && l->imm == 0 && l->sm < 90;
        hole = last ? 2 : 1;
    }
    for (uint32_t i = 0; i < l->n_src; i++) {
        if (i == hole)
            push(l, SASS_IMMEDIATE);
        push_reg(l, l->src[i]);
    }
    if (hole == 2)
        push(l, SASS_IMMEDIATE);
}

/* Later tracers list every register of a wide destination: drops those the first one covers. */
static void merge_dests(struct inst *out)
{
    uint8_t n = 0;
    for (uint8_t i = 0; i < out->operand_count; i++) {
        struct operand o = out->operands[i];
        bool covered = false;
        for (uint8_t j = 0; j < n && o.role == OPERAND_DEST; j++) {
            const struct operand *d = &out->operands[j];
            covered |= d->role == OPERAND_DEST && d->file == o.file && o.index >= d->index &&
                       o.index < d->index + d->count;
        }
        if (!covered)
            out->operands[n++] = o;
    }
    out->operand_count = n;
}

bool inst_from_trace(struct inst *out, const char *opcode, uint32_t pc, uint32_t sm,
                     const struct trace_reg *dst, uint32_t n_dst, const struct trace_reg *src,
                     uint32_t n_src, int64_t imm, struct arena *arena, struct sim_err *err)
{
    if (!opcode_valid(opcode))
        return err_set(err, ERR_INPUT, NULL, 0, 0,
                       "expected an opcode such as LDG.E.64, found \"%.60s\"", opcode);
    if (n_dst > INST_MAX_OPERANDS || n_src > INST_MAX_OPERANDS || n_dst + n_src > INST_MAX_OPERANDS)
        return err_set(err, ERR_INPUT, NULL, 0, 0, "more than %d registers listed for %.60s",
                       INST_MAX_OPERANDS, opcode);
    if (!regs_valid(dst, n_dst, sm) || !regs_valid(src, n_src, sm))
        return err_set(err, ERR_INPUT, NULL, 0, 0, "register number out of range for %.60s",
                       opcode);
    char *copy = arena_strndup(arena, opcode, strlen(opcode));
    if (!copy)
        return err_memory(err, "an instruction");
    *out = (struct inst){
        .pc = pc,
        .opcode = copy,
        .opcode_id = opcode_find(copy, modifier_base_length(copy)),
        .guard_file = REG_PREDICATE,
        .guard = 7,
    };
    struct line l = {.src = src, .n_src = n_src, .imm = imm, .sm = sm};
    l.f = (struct form){.opcode = copy, .args = l.args, .at = {NULL, 0, sm}};
    if (out->opcode_id != OPCODE_UNKNOWN)
        l.f.info = opcode_info(out->opcode_id);
    l.op_class = l.f.info ? (enum op_class)l.f.info->op_class : class_guess(copy);
    for (uint32_t i = 0; i < n_dst; i++)
        push_reg(&l, dst[i]);
    if (op_class_is_memory(l.op_class))
        memory_args(&l);
    else
        arithmetic_args(&l);
    form_set_dests(&l.f, n_dst);
    TRY(class_refine(out, &l.f, err));
    TRY(operands_build(out, &l.f, NULL, NULL, err));
    merge_dests(out);
    if ((out->flags & INST_DEPBAR) && (imm < 0 || imm > 63))
        return err_set(err, ERR_INPUT, NULL, 0, 0,
                       "expected a counter limit of 0 to 63 for %.60s, found %lld", opcode,
                       (long long)imm);
    out->depbar_limit = out->flags & INST_DEPBAR ? (uint8_t)imm : 0;
    return true;
}

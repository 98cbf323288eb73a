/* Operation class and flags from modifiers and address kind. */
#include "isa/decode.h"
#include "isa/modifier.h"

#include <string.h>

static bool starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

enum op_class class_guess(const char *opcode)
{
    static const struct {
        const char *prefix;
        enum op_class op_class;
    } guesses[] = {
        {"UTM", OP_CLASS_tma},     {"UBLK", OP_CLASS_tma},    {"UTC", OP_CLASS_gmma},
        {"U", OP_CLASS_uniform},   {"LDS", OP_CLASS_lds_reg}, {"LDC", OP_CLASS_ldc_imm},
        {"LD", OP_CLASS_ldg_reg},  {"STS", OP_CLASS_sts_reg}, {"ST", OP_CLASS_stg_reg},
        {"ATOMS", OP_CLASS_atoms}, {"ATOM", OP_CLASS_atomg},  {"REDUX", OP_CLASS_redux},
        {"RED", OP_CLASS_redg},
    };
    size_t len = modifier_base_length(opcode);
    if (len >= 4 && memcmp(opcode + len - 4, "GMMA", 4) == 0)
        return OP_CLASS_gmma;
    if (len >= 3 && memcmp(opcode + len - 3, "MMA", 3) == 0 && opcode[0] != 'U')
        return OP_CLASS_hmma_16816_f32;
    for (uint32_t i = 0; i < sizeof guesses / sizeof guesses[0]; i++)
        if (starts_with(opcode, guesses[i].prefix))
            return guesses[i].op_class;
    return OP_CLASS_alu;
}

/* Space and direction of an unknown opcode, which the prefix rule took for a memory operation. */
static void guess_memory(struct inst *out)
{
    switch ((enum op_class)out->op_class) {
    case OP_CLASS_lds_reg:
        out->mem_space = MEM_SHARED;
        out->flags |= INST_LOAD;
        break;
    case OP_CLASS_ldc_imm:
        out->mem_space = MEM_CONSTANT;
        out->flags |= INST_LOAD;
        break;
    case OP_CLASS_ldg_reg:
        out->mem_space = MEM_GENERIC;
        out->flags |= INST_LOAD;
        break;
    case OP_CLASS_sts_reg:
        out->mem_space = MEM_SHARED;
        out->flags |= INST_STORE;
        break;
    case OP_CLASS_stg_reg:
        out->mem_space = MEM_GENERIC;
        out->flags |= INST_STORE;
        break;
    case OP_CLASS_atoms:
        out->mem_space = MEM_SHARED;
        out->flags |= INST_ATOMIC | INST_LOAD;
        break;
    case OP_CLASS_atomg:
    case OP_CLASS_redg:
        out->mem_space = MEM_GENERIC;
        out->flags |= INST_ATOMIC | INST_BYPASS_L1 |
                      (out->op_class == OP_CLASS_redg ? INST_STORE : INST_LOAD);
        break;
    default:
        break;
    }
}

/* True when an address has a register of the general file; descriptors do not count. */
static bool has_general_address(const struct form *f)
{
    for (uint32_t i = 0; i < f->arg_count; i++) {
        const struct sass_arg *a = &f->args[i];
        if (a->kind != SASS_ADDRESS && a->kind != SASS_CONST)
            continue;
        for (uint32_t j = 0; j < a->reg_count; j++)
            if (a->regs[j].file == REG_GENERAL && !a->regs[j].zero && !a->regs[j].descriptor)
                return true;
    }
    return false;
}

static enum op_class by_address(const struct form *f, enum op_class c)
{
    bool general = has_general_address(f);
    switch (c) {
    case OP_CLASS_ldg_reg:
        return general ? OP_CLASS_ldg_reg : OP_CLASS_ldg_ureg;
    case OP_CLASS_stg_reg:
        return general ? OP_CLASS_stg_reg : OP_CLASS_stg_ureg;
    case OP_CLASS_lds_reg:
        return general ? OP_CLASS_lds_reg : OP_CLASS_lds_ureg;
    case OP_CLASS_sts_reg:
        return general ? OP_CLASS_sts_reg : OP_CLASS_sts_ureg;
    case OP_CLASS_ldc_imm:
        return general ? OP_CLASS_ldc_reg : OP_CLASS_ldc_imm;
    default:
        return c;
    }
}

static enum op_class hmma_class(const char *opcode)
{
    if (modifier_has(opcode, "SP"))
        return OP_CLASS_hmma_sparse;
    if (modifier_has(opcode, "TF32"))
        return OP_CLASS_hmma_1688_tf32;
    bool f16 = modifier_has(opcode, "F16") && !modifier_has(opcode, "F32");
    if (modifier_has(opcode, "1688") || modifier_has(opcode, "884"))
        return f16 ? OP_CLASS_hmma_1688_f16 : OP_CLASS_hmma_1688_f32;
    return f16 ? OP_CLASS_hmma_16816_f16 : OP_CLASS_hmma_16816_f32;
}

static enum op_class imma_class(const char *opcode)
{
    if (modifier_has(opcode, "16816") && !modifier_has(opcode, "SP"))
        return OP_CLASS_imma_16816;
    struct modifier m;
    while (modifier_next(&opcode, &m))
        if (modifier_number(m))
            return m.text[0] == '8' ? OP_CLASS_imma_8816 : OP_CLASS_imma_16832;
    return OP_CLASS_imma_16832;
}

/* Results that are predicates only: LOP3.LUT P1, RZ, ... */
static bool only_predicates(const struct form *f)
{
    bool predicate = false;
    for (uint32_t i = 0; i < f->dest_count; i++) {
        const struct sass_reg *r = &f->args[i].regs[0];
        if (f->args[i].kind != SASS_REGISTER || r->zero)
            continue;
        if (r->file != REG_PREDICATE && r->file != REG_UNIFORM_PREDICATE)
            return false;
        predicate = true;
    }
    return predicate;
}

static enum op_class by_modifiers(const struct form *f, enum op_class c)
{
    if (modifier_base_is(f->opcode, "HMMA"))
        return hmma_class(f->opcode);
    if (modifier_base_is(f->opcode, "IMMA"))
        return imma_class(f->opcode);
    if (c == OP_CLASS_imad && modifier_base_is(f->opcode, "IMAD") &&
        (modifier_has(f->opcode, "WIDE") || modifier_has(f->opcode, "HI")))
        return OP_CLASS_imad_wide;
    if (c == OP_CLASS_half && modifier_has(f->opcode, "MMA"))
        return OP_CLASS_half_mma;
    if (c == OP_CLASS_alu && only_predicates(f))
        return OP_CLASS_predicate;
    if (c == OP_CLASS_uniform && only_predicates(f))
        return OP_CLASS_uniform_predicate;
    return by_address(f, c);
}

static uint32_t membar_flags(const char *opcode)
{
    if (!modifier_base_is(opcode, "MEMBAR"))
        return 0;
    if (modifier_has(opcode, "SYS"))
        return INST_MEMBAR_SYS;
    if (modifier_has(opcode, "CTA"))
        return INST_MEMBAR_CTA;
    return INST_MEMBAR_GPU; /* .GPU, and .CLUSTER and .VC, which reach beyond the SM */
}

static uint32_t flags_from_modifiers(const struct form *f)
{
    uint32_t flags = membar_flags(f->opcode);
    if (modifier_base_is(f->opcode, "BAR")) {
        bool arrives = modifier_has(f->opcode, "ARV");
        flags |= arrives ? INST_BARRIER_ARRIVE : INST_BARRIER_SYNC;
    }
    /* Turing prints .SYS on weak accesses too, so the scope counts only behind .STRONG. */
    bool strong = modifier_has(f->opcode, "STRONG") &&
                  (modifier_has(f->opcode, "GPU") || modifier_has(f->opcode, "SYS") ||
                   modifier_has(f->opcode, "VC"));
    bool bypass = strong || modifier_has(f->opcode, "BYPASS") || modifier_has(f->opcode, "MMIO");
    if (bypass && f->info && f->info->mem_space != MEM_SHARED && f->info->mem_space != MEM_NONE)
        flags |= INST_BYPASS_L1;
    for (uint32_t i = 0; i < f->arg_count; i++)
        if (f->args[i].kind == SASS_NAME && f->args[i].len >= 8 &&
            memcmp(f->args[i].text, "SR_CLOCK", 8) == 0)
            flags |= INST_CLOCK;
    return flags;
}

static bool set_barrier(struct inst *out, const struct form *f, struct sim_err *err)
{
    bool has_id = false;
    for (uint32_t i = 0; i < f->arg_count; i++) {
        const struct sass_arg *a = &f->args[i];
        if (a->kind == SASS_REGISTER && a->regs[0].file == REG_GENERAL && !has_id)
            has_id = true; /* an id in a register is unknown here: 0 */
        if (a->kind != SASS_IMMEDIATE)
            continue;
        uint64_t limit = has_id ? UINT16_MAX : 15;
        if (!a->is_integer || a->value > limit)
            return err_set(err, ERR_INPUT, f->at.file, f->at.line, 0,
                           "expected a barrier %s of at most %u, found \"%.*s\"",
                           has_id ? "thread count" : "number", (unsigned)limit,
                           (int)(a->len < 40 ? a->len : 40), a->text);
        if (has_id)
            out->barrier_count = (uint16_t)a->value;
        else
            out->barrier_id = (uint8_t)a->value;
        has_id = true;
    }
    return true;
}

/* DEPBAR.LE SB0, 0x1, {3,2} or DEPBAR {3,2}. */
static bool set_depbar(struct inst *out, const struct form *f, struct sim_err *err)
{
    for (uint32_t i = 0; i < f->arg_count; i++) {
        const struct sass_arg *a = &f->args[i];
        if (a->kind == SASS_COUNTER)
            out->depbar_counter = (uint8_t)a->value;
        if (a->kind == SASS_COUNTER_SET)
            out->depbar_mask = (uint8_t)a->value;
        if (a->kind != SASS_IMMEDIATE)
            continue;
        if (!a->is_integer || a->value > 63)
            return err_set(err, ERR_INPUT, f->at.file, f->at.line, 0,
                           "expected a counter limit of at most 63, found \"%.*s\"",
                           (int)(a->len < 40 ? a->len : 40), a->text);
        out->depbar_limit = (uint8_t)a->value;
    }
    if (f->arg_count && f->args[0].kind == SASS_COUNTER_SET) {
        uint8_t lowest = 0;
        while (!((out->depbar_mask >> lowest) & 1))
            lowest++;
        out->depbar_counter = lowest;
    }
    return true;
}

static void set_constant(struct inst *out, const struct form *f)
{
    for (uint32_t i = f->dest_count; i < f->arg_count; i++) {
        if (f->args[i].kind != SASS_CONST)
            continue;
        out->const_bank = f->args[i].bank;
        out->const_offset = (uint32_t)f->args[i].value;
        if (out->mem_space != MEM_CONSTANT)
            out->flags |= INST_CONST_OPERAND;
        return;
    }
}

bool class_refine(struct inst *out, const struct form *f, struct sim_err *err)
{
    enum op_class c = f->info ? (enum op_class)f->info->op_class : class_guess(f->opcode);
    out->op_class = (uint8_t)c;
    if (f->info) {
        out->flags |= f->info->flags;
        out->mem_space = f->info->mem_space;
        if (opcode_is_variable(f->info, f->at.sm))
            out->flags |= INST_VARIABLE;
    } else {
        out->flags |= INST_UNKNOWN | (op_class_is_memory(c) ? INST_VARIABLE : 0);
        guess_memory(out);
    }
    out->flags |= flags_from_modifiers(f);
    c = by_modifiers(f, c);
    out->op_class = (uint8_t)c;
    bool moves_data = out->flags & (INST_LOAD | INST_STORE | INST_ATOMIC);
    if (op_class_is_memory(c) && (moves_data || modifier_base_is(f->opcode, "SYNCS")))
        out->mem_width = width_memory(f->opcode, c);
    if (c == OP_CLASS_ldsm || c == OP_CLASS_stsm)
        out->matrix_count = out->mem_width / 4;
    set_constant(out, f);
    if (modifier_base_is(f->opcode, "BAR"))
        return set_barrier(out, f, err);
    if (out->flags & INST_DEPBAR)
        return set_depbar(out, f, err);
    return true;
}

/* Atomics on global, generic and shared memory, with a result (ATOM, ATOMG, ATOMS) and without
 * (RED, REDG). Lanes act in ascending order. */
#include <string.h>

#include "base/bits.h"
#include "emu/atomic.h"
#include "emu/memory.h"
#include "emu/memory_address.h"
#include "emu/memory_transfer.h"
#include "emu/semantics.h"
#include "isa/modifier.h"

/* Sources 0 and 1 are the address, then come the operands. */
#define OPERAND_B 2
#define OPERAND_C 3
/* param[3]: operation, and type << 8; param[1] is free, there is one address. */
#define PARAM_ATOMIC 3
#define TYPE_SHIFT 8u

static uint64_t operand(const struct emu_warp *w, const struct emu_source *s, uint32_t lane,
                        bool wide)
{
    switch (s->kind) {
    case EMU_SRC_REG:
        if (s->reg == REG_RZ)
            return 0;
        return w->r[s->reg][lane] | (wide ? (uint64_t)w->r[s->reg + 1][lane] << 32 : 0);
    case EMU_SRC_UREG:
        return w->ur[s->reg] | (wide ? (uint64_t)w->ur[s->reg + 1] << 32 : 0);
    case EMU_SRC_VALUE:
        return s->value;
    default:
        return 0;
    }
}

/* One lane's operation on the bytes at `p`. Returns what the lane gets. */
static uint64_t act(const struct emu_warp *w, const struct emu_op *op, uint32_t lane, uint8_t *p)
{
    uint32_t bytes = op->param[EMU_PARAM_BYTES];
    enum emu_atomic_op what = op->param[PARAM_ATOMIC] & 0xff;
    enum emu_atomic_type type = op->param[PARAM_ATOMIC] >> TYPE_SHIFT;
    uint64_t old = 0;
    memcpy(&old, p, bytes);
    uint64_t b = operand(w, &op->source[OPERAND_B], lane, bytes == 8);
    uint64_t c = operand(w, &op->source[OPERAND_C], lane, bytes == 8);
    uint64_t new = emu_atomic_apply(what, type, old, b, c);
    memcpy(p, &new, bytes);
    return what == EMU_ATOMIC_CAST ? old == b : old;
}

/* Registers are written after all lanes acted: the result may be an operand's register. */
static void run_on(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                   const struct emu_at *at)
{
    emu_lanes low = {0}, high = {0};
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t i = lowest_bit(left);
        uint64_t result = act(w, op, i, at->lane[i]);
        low[i] = (uint32_t)result;
        high[i] = (uint32_t)(result >> 32);
    }
    emu_write_lanes(w->r[op->dest], low, mask);
    if (op->param[EMU_PARAM_BYTES] == 8)
        emu_write_lanes(w->r[op->dest + 1], high, mask);
}

static void run_global(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t addr[WARP_LANES];
    struct emu_at at;
    emu_addresses(w, op, EMU_ADDRESS, addr);
    emu_report(w, mask, addr);
    if (emu_global_at(w, op, mask, addr, op->param[EMU_PARAM_BYTES], &at))
        run_on(w, op, mask, &at);
}

/* A form with a predicate result acts on global memory only and says so: code falls back to a loop
 * around it for other spaces. */
static void run_generic(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t addr[WARP_LANES];
    struct emu_at at;
    emu_addresses(w, op, EMU_ADDRESS, addr);
    emu_report(w, mask, addr);
    uint32_t local = mask & emu_in_local_window(addr), acting = mask;
    if (op->pdest[0] != 7)
        acting &= ~(emu_in_shared_window(addr) | local);
    else if (local) {
        emu_fault_set(w, op, lowest_bit(local), "atomic on local memory");
        return;
    }
    if (acting && !emu_generic_at(w, op, acting, addr, EMU_ATOMIC, &at))
        return;
    if (acting)
        run_on(w, op, acting, &at);
    emu_write_predicate(w, op->pdest[0], acting, mask);
}

static void run_shared(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t offset[WARP_LANES];
    struct emu_at at;
    emu_offsets(w, op, EMU_ADDRESS, offset);
    emu_report_offsets(w, mask, offset);
    if (emu_shared_at(w, op, mask, offset, EMU_ATOMIC, &at))
        run_on(w, op, mask, &at);
}

/* ATOMS.CAST.SPIN P0, ...: success as a predicate. */
static void run_shared_cast(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t offset[WARP_LANES], done = 0;
    struct emu_at at;
    emu_offsets(w, op, EMU_ADDRESS, offset);
    emu_report_offsets(w, mask, offset);
    if (!emu_shared_at(w, op, mask, offset, EMU_ATOMIC, &at))
        return;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t i = lowest_bit(left);
        done |= (uint32_t)act(w, op, i, at.lane[i]) << i;
    }
    emu_write_predicate(w, op->pdest[0], done, mask);
}

static const char *const op_names[] = {
#define X(name) #name,
    EMU_ATOMIC_OPS(X)
#undef X
};

static bool find_op(const struct emu_decode *d, enum emu_atomic_op *out, struct sim_err *err)
{
    const char *cursor = d->inst->opcode;
    struct modifier m;
    while (modifier_next(&cursor, &m))
        for (uint32_t i = 0; i < EMU_ATOMIC_OP_COUNT; i++)
            if (modifier_is(m, op_names[i])) {
                *out = (enum emu_atomic_op)i;
                return true;
            }
    return emu_decode_error(d, err, "this operation has no semantics yet");
}

static enum emu_atomic_type find_type(const struct emu_decode *d)
{
    static const struct {
        const char *name;
        enum emu_atomic_type type;
    } types[] = {{"S32", EMU_ATOMIC_S32},     {"64", EMU_ATOMIC_U64},       {"U64", EMU_ATOMIC_U64},
                 {"S64", EMU_ATOMIC_S64},     {"F32", EMU_ATOMIC_F32},      {"F64", EMU_ATOMIC_F64},
                 {"F16x2", EMU_ATOMIC_F16X2}, {"BF16x2", EMU_ATOMIC_BF16X2}};
    for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (emu_has(d, types[i].name))
            return types[i].type;
    return EMU_ATOMIC_U32;
}

/* Modifiers that do not change values: scopes and orders; every one must be known, since a vector
 * or a rounding would. */
static bool check_modifiers(const struct emu_decode *d, struct sim_err *err)
{
    static const char *const known[] = {
        "E",      "64",  "U64", "S64", "S32",      "U32",  "32",      "F32",    "F64",    "F16x2",
        "BF16x2", "FTZ", "RN",  "GPU", "SYS",      "CTA",  "SM",      "STRONG", "SPIN",   "EF",
        "EL",     "LU",  "NA",  "EU",  "CONSTANT", "WEAK", "RELAXED", "VC",     "PRIVATE"};
    const char *cursor = d->inst->opcode;
    struct modifier m;
    while (modifier_next(&cursor, &m)) {
        bool ok = false;
        for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++)
            ok |= modifier_is(m, known[i]);
        for (uint32_t i = 0; i < EMU_ATOMIC_OP_COUNT; i++)
            ok |= modifier_is(m, op_names[i]);
        if (!ok)
            return emu_decode_error(d, err, "modifier .%.*s has no semantics yet", (int)m.len,
                                    m.text);
    }
    return true;
}

/* The operands after the address, from text argument `arg`. */
static bool decode_operands(struct emu_op *op, const struct emu_decode *d, uint32_t arg,
                            struct sim_err *err)
{
    enum emu_atomic_op what = op->param[PARAM_ATOMIC] & 0xff;
    uint32_t bytes = op->param[EMU_PARAM_BYTES], count = 1;
    if (what == EMU_ATOMIC_CAS || what == EMU_ATOMIC_CAST)
        count = 2;
    else if (what == EMU_ATOMIC_POPC)
        count = 0;
    if (d->text.arg_count != arg + count)
        return emu_decode_error(d, err, "expected %u operands after the address, found %u", count,
                                d->text.arg_count - arg);
    for (uint32_t i = 0; i < count; i++)
        TRY(emu_data_from_arg(op, OPERAND_B + i, d, arg + i, bytes, err));
    return true;
}

static bool decode(struct emu_op *op, const struct emu_decode *d, bool far, struct sim_err *err)
{
    enum emu_atomic_op what = EMU_ATOMIC_OP_COUNT;
    enum emu_atomic_type type = find_type(d);
    TRY(check_modifiers(d, err));
    TRY(find_op(d, &what, err));
    TRY(emu_width_from_opcode(op, d, err));
    if (!emu_atomic_exists(what, type) || op->param[EMU_PARAM_BYTES] < 4 ||
        op->param[EMU_PARAM_BYTES] > 8)
        return emu_decode_error(d, err, "this operation has no semantics on this type");
    op->param[PARAM_ATOMIC] = (uint32_t)what | (uint32_t)type << TYPE_SHIFT;
    uint32_t arg = 0;
    while (arg < d->text.arg_count && d->text.args[arg].kind == SASS_REGISTER) {
        if (d->text.args[arg].regs[0].file == REG_PREDICATE)
            TRY(emu_pdest_from_arg(op, 0, d, arg, err));
        else
            TRY(emu_dest_from_arg(op, d, arg, err));
        arg++;
    }
    if (op->dest != EMU_SINK && op->dest + op->param[EMU_PARAM_BYTES] / 4 > REG_RZ)
        return emu_decode_error(d, err, "the destination reaches past R254");
    TRY(emu_address_from_arg(op, EMU_ADDRESS, d, arg, far, err));
    return decode_operands(op, d, arg + 1, err);
}

bool emu_decode_atomg(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_global;
    TRY(decode(op, d, emu_has(d, "E"), err));
    return op->pdest[0] == 7 ||
           emu_decode_error(d, err, "ATOMG with a predicate result has no semantics yet");
}

bool emu_decode_atom(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_generic;
    return decode(op, d, emu_has(d, "E"), err);
}

bool emu_decode_atoms(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(decode(op, d, false, err));
    bool cast = (op->param[PARAM_ATOMIC] & 0xff) == EMU_ATOMIC_CAST;
    op->run = cast && op->pdest[0] != 7 ? run_shared_cast : run_shared;
    return true;
}

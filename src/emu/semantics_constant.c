/* Loads from constant banks: LDC to general, ULDC and LDCU to uniform registers. */
#include <string.h>

#include "base/bits.h"
#include "emu/memory_address.h"
#include "emu/memory_transfer.h"
#include "emu/semantics.h"

#define PARAM_BANK 0 /* param[] of indexed loads */
#define PARAM_OFFSET 1

/* The bytes of bank PARAM_BANK at `offset`; NULL after a fault. */
static const uint8_t *constant_bytes(struct emu_warp *w, const struct emu_op *op, uint32_t lane,
                                     uint32_t offset)
{
    const struct emu_constants *c = &w->cta->launch->constants;
    uint32_t bank = op->param[PARAM_BANK], bytes = op->param[EMU_PARAM_BYTES];
    if (!c->data[bank])
        emu_fault_set(w, op, lane, "constant bank %u is not known", bank);
    else if (c->bytes[bank] < bytes || offset > c->bytes[bank] - bytes)
        emu_fault_set(w, op, lane, "constant load of %u bytes at c[0x%x][0x%x], whose size is %u",
                      bytes, bank, offset, c->bytes[bank]);
    else if (offset & (bytes - 1))
        emu_fault_set(w, op, lane, "misaligned constant load of %u bytes at c[0x%x][0x%x]", bytes,
                      bank, offset);
    else
        return c->data[bank] + offset;
    return NULL;
}

/* One or two bytes in the low end of `word`, extended as the operation says. */
static uint32_t extend(const struct emu_op *op, uint32_t word)
{
    uint32_t shift = 32 - 8 * op->param[EMU_PARAM_BYTES];
    return op->param[EMU_PARAM_SIGNED] ? (uint32_t)((int32_t)(word << shift) >> shift)
                                       : word << shift >> shift;
}

/* Words of a load at `p`; returns how many. */
static uint32_t read_words(const struct emu_op *op, const uint8_t *p, uint32_t out[4])
{
    uint32_t bytes = op->param[EMU_PARAM_BYTES];
    out[0] = 0;
    memcpy(out, p, bytes);
    if (bytes < 4)
        out[0] = extend(op, out[0]);
    return bytes < 4 ? 1 : bytes / 4;
}

static void run_ldc_index(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t words[4];
    uint64_t addr[WARP_LANES] = {0};
    const uint32_t *index = w->r[op->source[0].reg];
    emu_lanes offset;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        addr[i] = offset[i] = index[i] + op->param[PARAM_OFFSET];
    emu_report(w, mask, addr);
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t i = lowest_bit(left);
        const uint8_t *p = constant_bytes(w, op, i, offset[i]);
        if (!p)
            return;
        uint32_t n = read_words(op, p, words);
        for (uint32_t k = 0; k < n; k++)
            w->r[op->dest + k][i] = words[k];
    }
}

static void run_uldc_index(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uint32_t words[4];
    uint32_t offset = w->ur[op->source[0].reg] + op->param[PARAM_OFFSET];
    const uint8_t *p = constant_bytes(w, op, EMU_NO_LANE, offset);
    if (!p)
        return;
    uint32_t n = read_words(op, p, words);
    for (uint32_t k = 0; k < n; k++)
        w->ur[op->dest + k] = words[k];
}

/* Values that were known when the kernel was decoded are in source[k].value. */
static void run_ldc(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    for (uint32_t k = 0; k < op->source_count; k++) {
        emu_lanes v;
        for (uint32_t i = 0; i < WARP_LANES; i++)
            v[i] = (uint32_t)op->source[k].value;
        emu_write_lanes(w->r[op->dest + k], v, mask);
    }
}

static void run_uldc(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    for (uint32_t k = 0; k < op->source_count; k++)
        w->ur[op->dest + k] = (uint32_t)op->source[k].value;
}

static bool decode_known(struct emu_op *op, const struct emu_decode *d, const struct sass_arg *a,
                         struct sim_err *err)
{
    uint32_t bytes = op->param[EMU_PARAM_BYTES], offset = (uint32_t)a->value;
    if (offset & (bytes - 1) & 3)
        return emu_decode_error(d, err, "misaligned constant");
    op->source_count = (uint8_t)(bytes < 4 ? 1 : bytes / 4);
    for (uint32_t k = 0; k < op->source_count; k++) {
        uint32_t word;
        TRY(d->constant(d->user, a->bank, (offset & ~3u) + 4 * k, &word, err));
        op->source[k].kind = EMU_SRC_VALUE;
        op->source[k].value = bytes < 4 ? extend(op, word >> (8 * (offset & 3))) : word;
    }
    return true;
}

static bool decode_constant(struct emu_op *op, const struct emu_decode *d, enum reg_file file,
                            struct sim_err *err)
{
    if (d->text.arg_count != 2 || d->text.args[1].kind != SASS_CONST)
        return emu_decode_error(d, err, "expected a destination and a constant");
    if (emu_has(d, "IL") || emu_has(d, "IS") || emu_has(d, "ISL"))
        return emu_decode_error(d, err, "this form of constant index has no semantics yet");
    const struct sass_arg *a = &d->text.args[1];
    TRY(emu_width_from_opcode(op, d, err));
    TRY(emu_dest_from_arg(op, d, 0, err));
    if (d->text.args[0].regs[0].file != file)
        return emu_decode_error(d, err, "expected the other kind of destination register");
    uint32_t last = op->dest + op->param[EMU_PARAM_BYTES] / 4;
    if (op->dest != EMU_SINK && last > REG_RZ)
        return emu_decode_error(d, err, "the destination reaches past the last register");
    const struct sass_reg *index = NULL;
    for (uint32_t i = 0; i < a->reg_count; i++) {
        if (a->regs[i].descriptor)
            return emu_decode_error(d, err, "bindless constants have no semantics yet");
        if (!a->regs[i].zero && index)
            return emu_decode_error(d, err, "expected at most one index register");
        if (!a->regs[i].zero)
            index = &a->regs[i];
    }
    if (!index)
        return decode_known(op, d, a, err);
    if (index->file != file)
        return emu_decode_error(d, err, "expected an index in the file of the destination");
    op->run = file == REG_GENERAL ? run_ldc_index : run_uldc_index;
    op->param[PARAM_BANK] = a->bank;
    op->param[PARAM_OFFSET] = (uint32_t)a->value;
    op->source[0].kind = file == REG_GENERAL ? EMU_SRC_REG : EMU_SRC_UREG;
    op->source[0].reg = index->index;
    return true;
}

bool emu_decode_ldc(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_ldc;
    return decode_constant(op, d, REG_GENERAL, err);
}

bool emu_decode_uldc(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_uldc;
    return decode_constant(op, d, REG_UNIFORM, err);
}

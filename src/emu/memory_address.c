#include "emu/memory_address.h"

#include <string.h>

#include "emu/hot.h"
#include "emu/record.h"

/* param[slot]: how the registers of an address are read. */
#define WIDE 0x1u         /* the general register is a pair */
#define UNIFORM_WIDE 0x2u /* the uniform register is a pair */
#define SCALE_SHIFT 8u    /* ".X4": the general register is shifted left by so much */

/* The log2 of ".X4", ".X8" or ".X16" in the text of an address. */
static uint32_t scale_of(const struct sass_arg *a)
{
    static const struct {
        const char *text;
        uint32_t shift;
    } scales[] = {{".X16", 4}, {".X8", 3}, {".X4", 2}, {".X2", 1}};
    for (uint32_t k = 0; k < sizeof scales / sizeof scales[0]; k++) {
        size_t n = strlen(scales[k].text);
        for (size_t i = 0; i + n <= a->len; i++)
            if (memcmp(a->text + i, scales[k].text, n) == 0)
                return scales[k].shift;
    }
    return 0;
}

bool emu_address_from_arg(struct emu_op *op, enum emu_address_slot slot, const struct emu_decode *d,
                          uint32_t arg, bool far, struct sim_err *err)
{
    if (arg >= d->text.arg_count || d->text.args[arg].kind != SASS_ADDRESS)
        return emu_decode_error(d, err, "expected an address as operand %u", arg + 1);
    const struct sass_arg *a = &d->text.args[arg];
    struct emu_source *general = &op->source[2 * slot], *uniform = general + 1;
    op->param[slot] = scale_of(a) << SCALE_SHIFT;
    general->value = a->value;
    for (uint32_t i = 0; i < a->reg_count; i++) {
        const struct sass_reg *r = &a->regs[i];
        if (r->descriptor || r->zero)
            continue;
        if (r->file != REG_GENERAL && r->file != REG_UNIFORM)
            return emu_decode_error(d, err, "expected registers in an address");
        struct emu_source *s = r->file == REG_GENERAL ? general : uniform;
        if (s->kind != EMU_SRC_NONE)
            return emu_decode_error(d, err, "expected one register of a kind in an address");
        s->kind = r->file == REG_GENERAL ? EMU_SRC_REG : EMU_SRC_UREG;
        s->reg = r->index;
        if (far && !r->narrow)
            op->param[slot] |= s == general ? WIDE : UNIFORM_WIDE;
    }
    return true;
}

/* What is the same in all lanes. */
static uint64_t common_part(const struct emu_warp *w, const struct emu_op *op,
                            enum emu_address_slot slot)
{
    const struct emu_source *general = &op->source[2 * slot], *uniform = general + 1;
    uint64_t sum = general->value;
    if (uniform->kind == EMU_SRC_UREG) {
        sum += w->ur[uniform->reg];
        if (op->param[slot] & UNIFORM_WIDE)
            sum += (uint64_t)w->ur[uniform->reg + 1] << 32;
    }
    return sum;
}

EMU_HOT void emu_addresses(const struct emu_warp *w, const struct emu_op *op,
                           enum emu_address_slot slot, uint64_t addr[WARP_LANES])
{
    const struct emu_source *s = &op->source[2 * slot];
    uint64_t common = common_part(w, op, slot);
    if (s->kind != EMU_SRC_REG) {
        for (uint32_t i = 0; i < WARP_LANES; i++)
            addr[i] = common;
    } else if (op->param[slot] & WIDE) {
        const uint32_t *low = w->r[s->reg], *high = w->r[s->reg + 1];
        for (uint32_t i = 0; i < WARP_LANES; i++)
            addr[i] = (low[i] | (uint64_t)high[i] << 32) + common;
    } else {
        const uint32_t *low = w->r[s->reg];
        for (uint32_t i = 0; i < WARP_LANES; i++)
            addr[i] = low[i] + common;
    }
}

EMU_HOT void emu_offsets(const struct emu_warp *w, const struct emu_op *op,
                         enum emu_address_slot slot, uint32_t offset[WARP_LANES])
{
    const struct emu_source *s = &op->source[2 * slot];
    uint32_t common = (uint32_t)common_part(w, op, slot);
    if (s->kind != EMU_SRC_REG) {
        for (uint32_t i = 0; i < WARP_LANES; i++)
            offset[i] = common;
        return;
    }
    const uint32_t *low = w->r[s->reg];
    uint32_t shift = op->param[slot] >> SCALE_SHIFT;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        offset[i] = (low[i] << shift) + common;
}

EMU_HOT void emu_report(struct emu_warp *w, uint32_t mask, const uint64_t addr[WARP_LANES])
{
    struct emu_access *a = w->access;
    a->used = true;
    a->mask = mask;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        a->addr[i] = addr[i];
}

EMU_HOT void emu_report_offsets(struct emu_warp *w, uint32_t mask,
                                const uint32_t offset[WARP_LANES])
{
    struct emu_access *a = w->access;
    a->used = true;
    a->mask = mask;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        a->addr[i] = offset[i];
}

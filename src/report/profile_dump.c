#include <inttypes.h>

#include "base/bits.h"
#include "isa/opcode.h"
#include "report/inst_text.h"
#include "report/profile.h"

static void add_addresses(struct buf *out, const struct dyn_inst *d)
{
    if (d->addr_mode == ADDR_STRIDE) {
        buf_printf(out, "  0x%" PRIx64 " stride %" PRId32, d->addr.base, d->stride);
        return;
    }
    const char *gap = "  ";
    for (uint32_t mask = d->mask; mask != 0; mask &= mask - 1) {
        buf_printf(out, "%s0x%" PRIx64, gap, profile_address(d, lowest_bit(mask)));
        gap = ",";
    }
}

void profile_dump(struct buf *out, const struct cta_stream *cta, const struct warp_stream *warp,
                  const struct dyn_inst *d)
{
    const struct inst *in = cta->kernel->insts[d->inst];
    buf_printf(out, "%u,%u,%u %u 0x%04x %08x ", cta->id.x, cta->id.y, cta->id.z, warp->warp, in->pc,
               d->mask);
    if (cta->kernel->has_ctrl) {
        char ctrl[24];
        ctrl_format(in->ctrl, ctrl);
        buf_printf(out, "[%s] ", ctrl);
    }
    inst_text(out, in);
    if (d->addr_mode != ADDR_NONE)
        add_addresses(out, d);
    buf_puts(out, "\n");
}

uint32_t profile_faults(struct buf *out, const struct kernel *k, const struct profile *p)
{
    uint32_t lines = 0;
    for (uint32_t f = 0; f < PROFILE_FAULT_COUNT; f++) {
        if (p->faults[f] == 0)
            continue;
        const struct profile_place *at = &p->first[f];
        buf_printf(out, "kernel %" PRIu64 ": %s: %" PRIu64, k->id,
                   profile_fault_text((enum profile_fault)f), p->faults[f]);
        if (f != PROFILE_FAULT_MISSING_CTAS)
            buf_printf(out, ", the first in CTA %" PRIu64 ", warp %u", at->cta, at->warp);
        if (f != PROFILE_FAULT_MISSING_CTAS && f != PROFILE_FAULT_EMPTY_WARPS)
            buf_printf(out, ", pc 0x%04x %s", k->insts[at->inst]->pc, k->insts[at->inst]->opcode);
        buf_puts(out, "\n");
        lines++;
    }
    return lines;
}

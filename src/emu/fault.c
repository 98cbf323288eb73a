#include "emu/fault.h"

#include <inttypes.h>
#include <stdio.h>

#include "emu/cta.h"
#include "emu/op.h"

void emu_fault_set(struct emu_warp *w, const struct emu_op *op, uint32_t lane, const char *fmt, ...)
{
    struct emu_fault *f = &w->cta->fault;
    if (f->set)
        return;
    f->set = true;
    f->warp = w->index;
    f->lane = lane;
    f->inst = op->inst;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, ap);
    va_end(ap);
}

bool emu_fault_error(const struct emu_cta *cta, struct sim_err *err)
{
    const struct emu_fault *f = &cta->fault;
    char lane[24] = "";
    if (f->lane != EMU_NO_LANE)
        snprintf(lane, sizeof lane, " lane %" PRIu32, f->lane);
    const char *text = f->inst->text ? f->inst->text : f->inst->opcode;
    return err_set(err, ERR_SIM, cta->launch->file, 0, 0,
                   "kernel %s: CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") warp %" PRIu32
                   "%s: pc 0x%04" PRIx32 ": %s: %s",
                   cta->launch->kernel, cta->id.x, cta->id.y, cta->id.z, f->warp, lane, f->inst->pc,
                   text, f->text);
}

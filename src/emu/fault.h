/* Faults of handlers: what a kernel must not do, such as an access outside every buffer.
 *
 * A handler that finds one notes it with emu_fault_set() and returns (it may have done part of its
 * work; the CTA is given up). The machine looks at cta->fault.set after every instruction, or at
 * least before the CTA ends, and turns it into an error with emu_fault_error(). */
#ifndef SUBCORE_EMU_FAULT_H
#define SUBCORE_EMU_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define EMU_FAULT_TEXT 512
#define EMU_NO_LANE 0xffffffffu /* the fault is the whole warp's */

struct emu_warp;
struct emu_op;
struct emu_cta;
struct inst;

struct emu_fault {
    bool set;
    uint32_t warp, lane;
    const struct inst *inst;
    char text[EMU_FAULT_TEXT];
};

/* Notes a fault of `w` in its CTA; the first one stays. */
void emu_fault_set(struct emu_warp *w, const struct emu_op *op, uint32_t lane, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The CTA's fault as an ERR_SIM that names kernel, CTA, warp, lane, pc and text of the
 * instruction. Returns false. */
bool emu_fault_error(const struct emu_cta *cta, struct sim_err *err);

#endif

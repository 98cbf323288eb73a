/* An instruction as text. */
#ifndef SUBCORE_REPORT_INST_TEXT_H
#define SUBCORE_REPORT_INST_TEXT_H

#include "base/buf.h"
#include "isa/inst.h"

/* Its SASS where that is known, else guard, opcode and registers. */
void inst_text(struct buf *out, const struct inst *in);

#endif

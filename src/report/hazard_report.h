/* Hazards found by --check-hazards, as text and JSON. */
#ifndef SUBCORE_REPORT_HAZARD_REPORT_H
#define SUBCORE_REPORT_HAZARD_REPORT_H

#include "base/buf.h"
#include "report/json_writer.h"
#include "sim/result.h"
#include "trace/kernel.h"

/* One line, without the line break: "RAW hazard: kernel 1 pc 0x0080 FADD ... read R4 2 cycles
 * before the result of pc 0x0070 is available (cycle 41, SM 0, CTA 0, warp 3)". */
void hazard_text(struct buf *out, const struct kernel *k, const struct hazard_record *h);

/* The same as an object of an array. `early_by` 0 = unknown. */
void hazard_json(struct json *j, const struct kernel *k, const struct hazard_record *h);

#endif

/* Parts that several JSON documents have in common. */
#ifndef SUBCORE_REPORT_JSON_PARTS_H
#define SUBCORE_REPORT_JSON_PARTS_H

#include "report/json_writer.h"
#include "report/opcode_tally.h"
#include "trace/kernel.h"

/* "opcodes": {"FFMA": {"warp_instructions": ..., "thread_instructions": ...}, ...} */
void json_opcodes(struct json *j, const struct opcode_tally *t);

/* [x, y, z] */
void json_dim(struct json *j, const char *key, struct dim3 d);

#endif

#include "report/json_parts.h"

void json_opcodes(struct json *j, const struct opcode_tally *t)
{
    json_object(j, "opcodes");
    for (size_t i = 0; i < t->count; i++) {
        json_object_inline(j, t->rows[i].name);
        json_u64(j, "warp_instructions", t->rows[i].inst);
        json_u64(j, "thread_instructions", t->rows[i].thread);
        json_object_end(j);
    }
    json_object_end(j);
}

void json_dim(struct json *j, const char *key, struct dim3 d)
{
    json_array_inline(j, key);
    json_u64(j, NULL, d.x);
    json_u64(j, NULL, d.y);
    json_u64(j, NULL, d.z);
    json_array_end(j);
}

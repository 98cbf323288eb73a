#include "emu/semantics.h"

#include <string.h>

#include "isa/modifier.h"

struct row {
    const char *opcode;
    emu_decode_fn decode;
};

/* Ends with an empty row, so that it is never empty. */
static const struct row rows[] = {
#define SEM(opcode, function) {#opcode, function},
#include "emu/semantics.def"
#undef SEM
    {NULL, NULL},
};

emu_decode_fn emu_semantics_find(const char *opcode)
{
    size_t len = modifier_base_length(opcode);
    for (const struct row *r = rows; r->opcode; r++)
        if (strlen(r->opcode) == len && memcmp(r->opcode, opcode, len) == 0)
            return r->decode;
    return NULL;
}

/* The dot-separated modifiers of a full opcode such as "LDG.E.128.CONSTANT". */
#ifndef SUBCORE_ISA_MODIFIER_H
#define SUBCORE_ISA_MODIFIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct modifier {
    const char *text; /* not terminated */
    size_t len;
};

/* Length of the first token, the opcode proper. */
size_t modifier_base_length(const char *opcode);

/* Steps through the modifiers: starts with *cursor = opcode; false after the last one. */
bool modifier_next(const char **cursor, struct modifier *out);

/* True when `m` is exactly `token`. */
bool modifier_is(struct modifier m, const char *token);

/* True when the opcode has the modifier `token`. */
bool modifier_has(const char *opcode, const char *token);

/* True when the opcode proper is `name`. */
bool modifier_base_is(const char *opcode, const char *name);

/* The decimal number that `m` is, or 0 when it is none or above 10^6. */
uint32_t modifier_number(struct modifier m);

#endif

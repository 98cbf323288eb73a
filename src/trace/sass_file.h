/* SASS dumps (`cuobjdump -sass`, `nvdisasm -hex`) as functions of decoded instructions.
 *
 * The file owns all memory it hands out until sass_file_free(). Read-only after loading. */
#ifndef SUBCORE_TRACE_SASS_FILE_H
#define SUBCORE_TRACE_SASS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "isa/inst.h"

/* The 128-bit encoding of an instruction. */
struct sass_word {
    uint64_t lo, hi;
};

/* A label of nvdisasm, "`(.L_x_0)" in operands. */
struct sass_label {
    const char *name;
    uint32_t inst; /* index of the instruction after it; inst_count at the end */
};

struct sass_function {
    const char *name; /* as the dump writes it (mangled) */
    uint32_t sm;      /* 86, 90...; 0 = the dump does not say */
    uint32_t inst_count;
    const struct inst *insts;      /* pc order, insts[i].pc == 16 * i normally */
    const struct sass_word *words; /* [inst_count], their encodings */
    uint32_t label_count;          /* none in dumps of cuobjdump */
    const struct sass_label *labels;
};

struct sass_file;

/* Reads a whole dump (plain, gz, xz or zst). */
bool sass_file_load(struct sass_file **out, const char *path, struct sim_err *err);

/* The function called `name`, or NULL. */
const struct sass_function *sass_file_find(const struct sass_file *f, const char *name);

/* Number of functions, and function i in the order of the dump. */
size_t sass_file_count(const struct sass_file *f);
const struct sass_function *sass_file_function(const struct sass_file *f, size_t i);

/* Frees the file; NULL is allowed. */
void sass_file_free(struct sass_file *f);

#endif

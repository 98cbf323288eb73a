/* Reading configuration YAML through libyaml's events.
 *
 * Events rather than documents: nothing of the file is built in memory, so its size bounds the work
 * and an alias cannot expand. Internal to the cfg layer. */
#ifndef SUBCORE_CFG_YAML_H
#define SUBCORE_CFG_YAML_H

#include "cfg/schema.h"
#include "cfg/value.h"

#define YAML_MAX_BYTES (4u << 20)
#define YAML_EXTENDS_SIZE 512

/* What one file sets. */
struct yaml_patch {
    struct config values;
    uint32_t line[SCHEMA_KEYS];      /* where a key is set; 0 = not here */
    char extends[YAML_EXTENDS_SIZE]; /* "" = extends nothing */
    uint32_t extends_line, extends_col;
};

/* Reads a file's text. All faults go to `errors`, named with `file`; returns false when there are
 * any. `patch` is initialised here. */
bool yaml_read(const char *file, const char *text, size_t len, struct yaml_patch *patch,
               struct err_list *errors);

/* Reads the value of a --set. Faults go to `errors` without a line. */
bool yaml_read_value(const char *file, const char *text, struct value *out,
                     struct err_list *errors);

#endif

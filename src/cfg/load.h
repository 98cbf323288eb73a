/* Loading a configuration: defaults, a YAML file with `extends`, then --set overrides.
 *
 * Every key knows its origin. All faults of a file are reported at once in an err_list. */
#ifndef SUBCORE_CFG_LOAD_H
#define SUBCORE_CFG_LOAD_H

#include <stddef.h>

#include "base/buf.h"
#include "cfg/config.h"

enum key_type {
    KEY_TYPE_U32,
    KEY_TYPE_BOOL,
    KEY_TYPE_ENUM,
    KEY_TYPE_SET,
    KEY_TYPE_W3,
    KEY_TYPE_STR
};

struct key_word {
    const char *word, *doc;
};

/* One key, expanded: groups give one key a member. */
struct key_info {
    const char *path; /* "subcore key path", such as "fetch.buffer_entries" or "op.fma.latency" */
    enum key_type type;
    size_t offset;                /* in struct config */
    uint32_t min, max;            /* numbers */
    const struct key_word *words; /* KEY_TYPE_ENUM, KEY_TYPE_SET */
    uint32_t word_count;
    const char *unit, *doc, *source; /* source of the default */
};

/* All keys in order of output. Built once, at the first use from any thread. */
size_t config_key_count(void);
const struct key_info *config_key(size_t i);

/* Key with this path, or NULL. */
const struct key_info *config_find_key(const char *path);

/* Key with this path. When there is none: NULL, and an error at that place of `file` with what the
 * user may have meant. */
const struct key_info *config_need_key(const char *path, const char *file, uint32_t line,
                                       uint32_t col, struct err_list *errors);

/* A configuration with the origin of every value. */
struct config_origin {
    char file[256]; /* "" = default, "--set" = command line, else a file */
    uint32_t line;
};
struct loaded_config {
    struct config cfg;
    struct config_origin *origins; /* [config_key_count()], heap */
    char name[64];                 /* card's name or the file's */
    char path[512];
};

/* Loads `name_or_path`: a path that exists, else configs/<name>.yaml in the search path:
 * $SUBCORE_CONFIGS, ./configs, <directory of the executable>/../share/subcore/configs,
 * <source tree>/configs, <install prefix>/share/subcore/configs. `sets` are "key.path=value". On
 * failure returns false with the faults in `errors`. */
bool config_load(struct loaded_config *out, const char *name_or_path, const char *const *sets,
                 size_t n_sets, struct err_list *errors);

void config_free(struct loaded_config *c);

/* Prints a value of a key as YAML ("4", "[1, 2, 4]", "cggty"). */
void config_print_value(const struct config *cfg, const struct key_info *key, struct buf *out);

/* Fingerprint-free helper for `config list`: names of the cards found in the search path, sorted.
 * Returns a heap array of heap strings, *n entries. */
char **config_list(size_t *n);

#endif

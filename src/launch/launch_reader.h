/* Mappings and scalars of launch files. Internal to launch_file.c and launch_arg.c. */
#ifndef SUBCORE_LAUNCH_LAUNCH_READER_H
#define SUBCORE_LAUNCH_LAUNCH_READER_H

#include "cfg/yaml_events.h"
#include "launch/launch_file.h"

#define LAUNCH_MAX_KEYS 16
#define LAUNCH_NAME_SHOWN 80

struct launch_reader {
    struct yaml_reader r;
    struct arena *arena;
    struct launch_arg args[LAUNCH_MAX_ARGS]; /* of the launch being read */
    char where[LAUNCH_NAME_SHOWN + 16];      /* "launch 'x'", for messages */
};

/* Adds an error at the current event. Always false. */
#define LAUNCH_FAIL(l, ...)                                                                        \
    err_list_add((l)->r.errors, ERR_INPUT, (l)->r.file, yaml_line(&(l)->r), yaml_col(&(l)->r),     \
                 __VA_ARGS__)

/* Adds "out of memory". Always false. */
bool launch_no_memory(struct launch_reader *l);

/* Keys of one mapping. `seen` holds the line of each; take gets the index with the current event
 * at the value, and must leave it at the value's last event. */
struct launch_keys {
    const char *const *names;
    uint32_t count;
    uint32_t seen[LAUNCH_MAX_KEYS];
    uint32_t unknown; /* keys that are none of `names` */
    bool (*take)(struct launch_reader *l, uint32_t key, void *user);
    void *user;
};

/* The current event begins a mapping: goes through its keys. Unknown and duplicate keys are errors.
 * Returns false only when the YAML is malformed. */
bool launch_read_keys(struct launch_reader *l, struct launch_keys *keys);

/* The current event as messages show it, in quotes where the file has them. */
const char *launch_shown(const struct launch_reader *l, char text[LAUNCH_NAME_SHOWN]);

/* Text of the current scalar in the arena. NULL and an error when the event is no scalar, is empty
 * or holds control characters, or when memory is out. `key` is for messages. */
const char *launch_read_text(struct launch_reader *l, const char *key);

/* Value of the current scalar: a plain whole number in [least, most]. */
bool launch_read_number(struct launch_reader *l, const char *key, uint64_t least, uint64_t most,
                        uint64_t *out);

/* The current event begins an argument: reads it. Returns false only when the YAML is malformed. */
bool launch_read_arg(struct launch_reader *l, struct launch_arg *arg);

#endif

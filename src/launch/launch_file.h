/* Launch files: YAML lists of kernel launches, with the arguments and how buffers are filled.
 *
 * A file is read whole; all its faults are reported at once with line and column. Nothing of a
 * launch is made here: launch.h does that, one launch at a time. */
#ifndef SUBCORE_LAUNCH_LAUNCH_FILE_H
#define SUBCORE_LAUNCH_LAUNCH_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "trace/kernel.h"

#define LAUNCH_FILE_MAX_BYTES ((size_t)16 << 20)
#define LAUNCH_MAX_ARGS 256
#define LAUNCH_MAX_LAUNCHES 4096
#define LAUNCH_MAX_REGISTERS 255
#define LAUNCH_MAX_SHARED (1u << 20)
/* Buffers of one launch together. */
#define LAUNCH_MAX_BYTES ((uint64_t)4 << 30)

enum launch_number { LAUNCH_UNSIGNED, LAUNCH_SIGNED, LAUNCH_FLOAT };

enum launch_type {
#define LAUNCH_TYPE(name, bytes, kind) LAUNCH_TYPE_##name,
#include "launch/launch_types.def"
#undef LAUNCH_TYPE
    LAUNCH_TYPE_COUNT
};

struct launch_type_info {
    const char *name;
    uint32_t bytes;
    enum launch_number kind;
};

/* Row of launch_types.def. */
const struct launch_type_info *launch_type_info(enum launch_type t);

/* Initialisers: X(name, argument in messages; "" = takes none). */
#define LAUNCH_INITS(X)                                                                            \
    X(zeros, "")                                                                                   \
    X(iota, "")                                                                                    \
    X(hash, "SEED")                                                                                \
    X(ring, "STRIDE")                                                                              \
    X(times, "N")                                                                                  \
    X(file, "PATH")

enum launch_init {
#define X(name, argument) LAUNCH_INIT_##name,
    LAUNCH_INITS(X)
#undef X
        LAUNCH_INIT_COUNT
};

struct launch_arg {
    bool is_buffer;
    enum launch_type type; /* of the scalar or of the buffer's elements */
    uint64_t value;        /* scalar: its bits in the low bytes */
    uint64_t count;        /* buffer: elements, from 1 on */
    enum launch_init init;
    uint64_t number;  /* SEED, STRIDE or N */
    const char *path; /* LAUNCH_INIT_file, relative to the launch file's folder */
    uint32_t line;
};

struct launch_spec {
    const char *name, *kernel;
    struct dim3 grid, block, cluster;
    uint32_t arg_count;
    struct launch_arg *args;
    uint32_t registers;       /* 0 = not given */
    uint32_t shared;          /* dynamic bytes */
    const char *sass, *cubin; /* as written, or NULL */
    uint32_t line;
};

struct launch_file {
    struct arena arena;
    const char *path;
    struct launch_spec *launches;
    uint32_t count;
};

/* True when the first `n` bytes look like a launch file: a YAML list in which `kernel:` occurs. */
bool launch_file_probe(const char *bytes, size_t n);

/* Reads the file at `path` (plain or compressed). False with at least one item in `errors`. */
bool launch_file_load(struct launch_file **out, const char *path, struct err_list *errors);

/* Parses text; `path` is for messages and is copied. */
bool launch_file_parse(struct launch_file **out, const char *path, const char *text, size_t len,
                       struct err_list *errors);

/* The launch called `name`, or NULL. */
const struct launch_spec *launch_file_find(const struct launch_file *f, const char *name);

/* `name` relative to the folder of the launch file, in the arena; NULL when memory is out. */
char *launch_file_path(struct arena *a, const struct launch_file *f, const char *name);

/* NULL is allowed. */
void launch_file_free(struct launch_file *f);

#endif

#include "launch/launch_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stream.h"
#include "launch/launch_reader.h"
#include "trace/span.h"

/* Keys of a launch: X(name, required). */
#define LAUNCH_KEYS(X)                                                                             \
    X(name, true)                                                                                  \
    X(kernel, true)                                                                                \
    X(grid, true)                                                                                  \
    X(block, true)                                                                                 \
    X(args, true)                                                                                  \
    X(registers, false)                                                                            \
    X(shared, false)                                                                               \
    X(sass, false)                                                                                 \
    X(cubin, false)                                                                                \
    X(cluster, false)

enum launch_key {
#define X(name, required) KEY_##name,
    LAUNCH_KEYS(X)
#undef X
        KEY_COUNT
};

static const char *const key_names[] = {
#define X(name, required) #name,
    LAUNCH_KEYS(X)
#undef X
};

static const bool key_required[] = {
#define X(name, required) required,
    LAUNCH_KEYS(X)
#undef X
};

/* CUDA's limits. */
static const uint32_t grid_max[3] = {0x7fffffff, 65535, 65535};
static const uint32_t block_max[3] = {1024, 1024, 64};
static const uint32_t cluster_max[3] = {16, 16, 16};
#define BLOCK_THREADS_MAX 1024

/* One to three numbers; those that are left out are 1. */
static bool read_dim(struct launch_reader *l, const char *key, const uint32_t max[3],
                     struct dim3 *out)
{
    uint64_t v[3] = {1, 1, 1};
    uint32_t n = 0;
    *out = (struct dim3){1, 1, 1};
    if (l->r.event.type != YAML_SEQUENCE_START_EVENT) {
        LAUNCH_FAIL(l, "%s: %s must be a list of one to three numbers, such as [256]", l->where,
                    key);
        return yaml_skip_value(&l->r);
    }
    for (;; n++) {
        TRY(yaml_next(&l->r));
        if (l->r.event.type == YAML_SEQUENCE_END_EVENT)
            break;
        if (n < 3)
            launch_read_number(l, key, 1, max[n], &v[n]);
        TRY(yaml_skip_value(&l->r));
    }
    if (n < 1 || n > 3)
        LAUNCH_FAIL(l, "%s: %s has %u numbers, but must have one to three", l->where, key, n);
    *out = (struct dim3){(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]};
    return true;
}

static bool read_block(struct launch_reader *l, struct launch_spec *s)
{
    uint32_t before = l->r.errors->count;
    TRY(read_dim(l, "block", block_max, &s->block));
    uint64_t threads = (uint64_t)s->block.x * s->block.y * s->block.z;
    if (threads > BLOCK_THREADS_MAX && l->r.errors->count == before)
        LAUNCH_FAIL(l, "%s: a block of %" PRIu64 " threads, but %d are the limit", l->where,
                    threads, BLOCK_THREADS_MAX);
    return true;
}

/* Names become file names (--dump-buffers) and stand behind "FILE:". */
static void check_name(struct launch_reader *l, const char *name)
{
    if (strpbrk(name, "/:") || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        LAUNCH_FAIL(l, "%s: the name must be usable as the name of a file, without '/' and ':'",
                    l->where);
}

static bool read_name(struct launch_reader *l, struct launch_spec *s)
{
    s->name = launch_read_text(l, "name");
    if (s->name) {
        char shown[LAUNCH_NAME_SHOWN];
        value_text(shown, sizeof shown, s->name, strlen(s->name));
        snprintf(l->where, sizeof l->where, "launch '%s'", shown);
        check_name(l, s->name);
    }
    return yaml_skip_value(&l->r);
}

static bool read_args(struct launch_reader *l, struct launch_spec *s)
{
    if (l->r.event.type != YAML_SEQUENCE_START_EVENT) {
        LAUNCH_FAIL(l, "%s: args must be a list of arguments, such as [{i32: 4}]", l->where);
        return yaml_skip_value(&l->r);
    }
    memset(l->args, 0, sizeof l->args);
    uint64_t total = 0;
    uint32_t n = 0;
    for (;; n++) {
        TRY(yaml_next(&l->r));
        if (l->r.event.type == YAML_SEQUENCE_END_EVENT)
            break;
        if (n >= LAUNCH_MAX_ARGS) {
            TRY(yaml_skip_value(&l->r));
            continue;
        }
        const struct launch_arg *arg = &l->args[n];
        TRY(launch_read_arg(l, &l->args[n]));
        if (arg->is_buffer)
            total += arg->count * launch_type_info(arg->type)->bytes;
    }
    if (n > LAUNCH_MAX_ARGS)
        LAUNCH_FAIL(l, "%s: %u arguments, but %d are the limit", l->where, n, LAUNCH_MAX_ARGS);
    if (total > LAUNCH_MAX_BYTES)
        LAUNCH_FAIL(l, "%s: the buffers have %" PRIu64 " bytes, but %" PRIu64 " are the limit",
                    l->where, total, LAUNCH_MAX_BYTES);
    s->arg_count = n < LAUNCH_MAX_ARGS ? n : LAUNCH_MAX_ARGS;
    s->args = arena_array(l->arena, s->arg_count + 1, sizeof *s->args);
    if (!s->args)
        return launch_no_memory(l);
    memcpy(s->args, l->args, s->arg_count * sizeof *s->args);
    return true;
}

static bool take_launch_key(struct launch_reader *l, uint32_t key, void *user)
{
    struct launch_spec *s = user;
    uint64_t v = 0;
    switch ((enum launch_key)key) {
    case KEY_name:
        return read_name(l, s);
    case KEY_kernel:
        s->kernel = launch_read_text(l, "kernel");
        break;
    case KEY_grid:
        return read_dim(l, "grid", grid_max, &s->grid);
    case KEY_block:
        return read_block(l, s);
    case KEY_args:
        return read_args(l, s);
    case KEY_registers:
        launch_read_number(l, "registers", 1, LAUNCH_MAX_REGISTERS, &v);
        s->registers = (uint32_t)v;
        break;
    case KEY_shared:
        launch_read_number(l, "shared", 0, LAUNCH_MAX_SHARED, &v);
        s->shared = (uint32_t)v;
        break;
    case KEY_sass:
        s->sass = launch_read_text(l, "sass");
        break;
    case KEY_cubin:
        s->cubin = launch_read_text(l, "cubin");
        break;
    case KEY_cluster:
        return read_dim(l, "cluster", cluster_max, &s->cluster);
    case KEY_COUNT:
        break;
    }
    return yaml_skip_value(&l->r);
}

static bool read_launch(struct launch_reader *l, struct launch_spec *s, uint32_t number)
{
    s->line = yaml_line(&l->r);
    s->cluster = (struct dim3){1, 1, 1};
    snprintf(l->where, sizeof l->where, "launch %u", number);
    if (l->r.event.type != YAML_MAPPING_START_EVENT) {
        LAUNCH_FAIL(l, "%s must be a mapping, such as {name: x, kernel: k, ...}", l->where);
        return yaml_skip_value(&l->r);
    }
    struct launch_keys keys = {
        .names = key_names, .count = KEY_COUNT, .take = take_launch_key, .user = s};
    TRY(launch_read_keys(l, &keys));
    for (uint32_t i = 0; i < KEY_COUNT; i++)
        if (key_required[i] && keys.seen[i] == 0)
            err_list_add(l->r.errors, ERR_INPUT, l->r.file, s->line, 0, "%s has no '%s'", l->where,
                         key_names[i]);
    return true;
}

/* Launches are found by name and files are named by it, so that names must differ. */
static void check_names(struct launch_reader *l, const struct launch_file *f)
{
    const struct launch_spec *last = &f->launches[f->count - 1];
    for (uint32_t i = 0; last->name && i + 1 < f->count; i++)
        if (f->launches[i].name && strcmp(f->launches[i].name, last->name) == 0) {
            err_list_add(l->r.errors, ERR_INPUT, l->r.file, last->line, 0,
                         "%s: the name is taken (line %u)", l->where, f->launches[i].line);
            return;
        }
}

static bool read_list(struct launch_reader *l, struct launch_file *f)
{
    uint32_t cap = 0;
    for (;;) {
        TRY(yaml_next(&l->r));
        if (l->r.event.type == YAML_SEQUENCE_END_EVENT)
            return f->count > 0 || LAUNCH_FAIL(l, "the list of launches is empty");
        if (f->count == LAUNCH_MAX_LAUNCHES)
            return LAUNCH_FAIL(l, "more than %d launches", LAUNCH_MAX_LAUNCHES);
        if (f->count == cap) {
            cap = cap ? 2 * cap : 16;
            struct launch_spec *grown = realloc(f->launches, cap * sizeof *grown);
            if (!grown)
                return launch_no_memory(l);
            f->launches = grown;
        }
        struct launch_spec *s = &f->launches[f->count++];
        memset(s, 0, sizeof *s);
        TRY(read_launch(l, s, f->count));
        check_names(l, f);
    }
}

static bool read_stream(struct launch_reader *l, struct launch_file *f)
{
    TRY(yaml_next(&l->r)); /* stream start */
    TRY(yaml_next(&l->r));
    if (l->r.event.type != YAML_DOCUMENT_START_EVENT)
        return LAUNCH_FAIL(l, "the file is empty: expected a list of launches");
    TRY(yaml_next(&l->r));
    if (l->r.event.type != YAML_SEQUENCE_START_EVENT)
        return LAUNCH_FAIL(l, "expected a list of launches, each with a '-' in front");
    TRY(read_list(l, f));
    TRY(yaml_next(&l->r)); /* document end */
    TRY(yaml_next(&l->r));
    return l->r.event.type == YAML_STREAM_END_EVENT ||
           LAUNCH_FAIL(l, "a launch file is one YAML document, but a second one starts here");
}

bool launch_file_parse(struct launch_file **out, const char *path, const char *text, size_t len,
                       struct err_list *errors)
{
    uint32_t before = errors->count;
    struct launch_file *f = calloc(1, sizeof *f);
    struct launch_reader *l = calloc(1, sizeof *l);
    *out = NULL;
    bool ok = f && l;
    if (ok)
        f->path = arena_strndup(&f->arena, path, strlen(path));
    if (!ok || !f->path)
        ok = err_list_add(errors, ERR_RESOURCE, path, 0, 0, "out of memory while reading launches");
    if (ok) {
        l->arena = &f->arena;
        ok = yaml_open(&l->r, path, text, len, errors);
    }
    if (ok) {
        ok = read_stream(l, f) && errors->count == before && errors->dropped == 0;
        yaml_close(&l->r);
    }
    free(l);
    if (ok)
        *out = f;
    else
        launch_file_free(f);
    return ok;
}

/* The whole text of a file; *out is heap-owned. */
static bool read_all(const char *path, char **out, size_t *len, struct sim_err *err)
{
    struct stream *s;
    TRY(stream_open(&s, path, err));
    char *text = malloc(LAUNCH_FILE_MAX_BYTES + 1);
    bool ok = text || err_memory(err, "reading launches");
    ok = ok && stream_read(s, text, LAUNCH_FILE_MAX_BYTES + 1, len, err);
    if (ok && *len > LAUNCH_FILE_MAX_BYTES)
        ok = err_set(err, ERR_INPUT, path, 0, 0,
                     "the file is larger than %zu bytes: not a launch file", LAUNCH_FILE_MAX_BYTES);
    stream_close(s);
    if (ok)
        *out = text;
    else
        free(text);
    return ok;
}

bool launch_file_load(struct launch_file **out, const char *path, struct err_list *errors)
{
    char *text = NULL;
    size_t len = 0;
    struct sim_err err = {.code = ERR_NONE};
    *out = NULL;
    if (!read_all(path, &text, &len, &err)) {
        err_list_add(errors, err.code, err.file, err.line, err.col, "%s", err.msg);
        err_clear(&err);
        return false;
    }
    bool ok = launch_file_parse(out, path, text, len, errors);
    free(text);
    return ok;
}

bool launch_file_probe(const char *bytes, size_t n)
{
    struct span rest = {bytes, n};
    for (;;) {
        rest = span_trim(rest);
        bool comment = span_starts(rest, "#") || span_starts(rest, "---") || span_starts(rest, "%");
        if (!comment)
            break;
        rest = span_skip(rest, span_find(rest, "\n"));
    }
    bool list =
        rest.n > 1 && (rest.p[0] == '[' || (rest.p[0] == '-' && strchr(" \t\r\n", rest.p[1])));
    return list && span_find(rest, "kernel:") < rest.n;
}

const struct launch_spec *launch_file_find(const struct launch_file *f, const char *name)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (strcmp(f->launches[i].name, name) == 0)
            return &f->launches[i];
    return NULL;
}

char *launch_file_path(struct arena *a, const struct launch_file *f, const char *name)
{
    const char *slash = strrchr(f->path, '/');
    size_t folder = name[0] == '/' || !slash ? 0 : (size_t)(slash - f->path) + 1;
    size_t len = strlen(name);
    char *path = arena_alloc(a, folder + len + 1);
    if (path) {
        memcpy(path, f->path, folder);
        memcpy(path + folder, name, len);
    }
    return path;
}

void launch_file_free(struct launch_file *f)
{
    if (!f)
        return;
    free(f->launches);
    arena_free(&f->arena);
    free(f);
}

#include "launch/launch_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/distance.h"
#include "base/stream.h"
#include "launch/launch_kernel.h"

/* Enough for the comments above the first launch. */
#define PROBE_BYTES ((size_t)16 << 10)

struct launch_input {
    struct launch_input_options opt;
    struct launch_file *file;
    struct arena arena;  /* paths */
    uint32_t base;       /* where positions count from */
    uint32_t first, end; /* range to run */
    uint32_t next, count;
    /* The sources in use, by path: launches mostly share them. */
    const char *sass_path, *cubin_path, *res_path;
    struct sass_file *sass;
    struct cubin *cubin;
    struct res_usage *res;
    struct launch *launch;
    struct kernel *kernel;
};

/* FILE of "FILE:NAME" in *file (heap) and NAME in *name; *name = NULL when `path` is a file itself
 * or has no colon. */
static bool split(const char *path, char **file, const char **name, struct sim_err *err)
{
    struct stat st;
    const char *colon = strrchr(path, ':');
    size_t len = strlen(path);
    *name = NULL;
    if (colon && stat(path, &st) != 0) {
        len = (size_t)(colon - path);
        *name = colon + 1;
    }
    *file = strndup(path, len);
    return *file || err_memory(err, "opening launches");
}

bool launch_input_probe(const char *path)
{
    struct sim_err err = {.code = ERR_NONE};
    struct stream *s = NULL;
    char *file = NULL;
    const char *name, *bytes;
    size_t n;
    bool ok = split(path, &file, &name, &err) && stream_open(&s, file, &err) &&
              stream_peek(s, PROBE_BYTES, &bytes, &n, &err) && launch_file_probe(bytes, n);
    stream_close(s);
    free(file);
    err_clear(&err);
    return ok;
}

/* The first error as `err`, the others as its detail. */
static void merge_errors(const struct err_list *errors, struct sim_err *err)
{
    struct buf detail = {0};
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32];
    for (uint32_t i = 1; i < errors->count; i++) {
        err_format(&errors->items[i], text, sizeof text);
        buf_printf(&detail, "%s\n", text);
    }
    if (errors->dropped > 0)
        buf_printf(&detail, "%u more errors\n", errors->dropped);
    const struct sim_err *e = &errors->items[0];
    err_set(err, e->code, e->file, e->line, e->col, "%s", e->msg);
    if (detail.len > 0)
        err->detail = buf_take(&detail);
    buf_free(&detail);
}

static bool load_file(struct launch_input *in, const char *path, struct sim_err *err)
{
    struct err_list *errors = calloc(1, sizeof *errors);
    if (!errors)
        return err_memory(err, "reading launches");
    bool ok = launch_file_load(&in->file, path, errors);
    if (!ok)
        merge_errors(errors, err);
    free(errors);
    return ok;
}

static bool select_launches(struct launch_input *in, const char *name, struct sim_err *err)
{
    const struct launch_file *f = in->file;
    uint64_t first = in->opt.kernel_first, last = in->opt.kernel_last;
    in->first = 0;
    in->end = f->count;
    if (name) {
        const struct launch_spec *s = launch_file_find(f, name);
        struct closest near = {.word = name};
        for (uint32_t i = 0; !s && i < f->count; i++)
            closest_offer(&near, f->launches[i].name);
        if (!s)
            return err_set(err, ERR_USAGE, f->path, 0, 0, "holds no launch '%s'%s%s%s", name,
                           near.found ? " (did you mean '" : "", near.found ? near.found : "",
                           near.found ? "'?)" : "");
        in->first = (uint32_t)(s - f->launches);
        in->end = in->first + 1;
    }
    in->base = in->first;
    in->count = in->end - in->first;
    if (first != 0 || last != 0) {
        uint64_t count = in->count;
        if (first < 1 || first > last || first > count)
            return err_set(err, ERR_USAGE, f->path, 0, 0,
                           "expected a range of launches within 1-%" PRIu64 ", found %" PRIu64
                           "-%" PRIu64,
                           count, first, last);
        in->end = in->first + (uint32_t)(last < count ? last : count);
        in->first += (uint32_t)first - 1;
    }
    in->next = in->first;
    return true;
}

bool launch_input_open(struct launch_input **out, const char *path,
                       const struct launch_input_options *opt, struct sim_err *err)
{
    char *file = NULL;
    const char *name = NULL;
    *out = NULL;
    struct launch_input *in = calloc(1, sizeof *in);
    if (!in)
        return err_memory(err, "opening launches");
    in->opt = *opt;
    bool ok = split(path, &file, &name, err) && load_file(in, file, err) &&
              select_launches(in, name, err);
    free(file);
    if (ok)
        *out = in;
    else
        launch_input_close(in);
    return ok;
}

static void close_launch(struct launch_input *in)
{
    launch_kernel_close(in->kernel);
    launch_free(in->launch);
    in->kernel = NULL;
    in->launch = NULL;
}

/* The option's path, or else the launch's, resolved. *out = NULL when there is neither. */
static bool source_path(struct launch_input *in, const char *option, const char *key,
                        const char **out, struct sim_err *err)
{
    *out = option;
    if (!option && key)
        *out = launch_file_path(&in->arena, in->file, key);
    return option || !key || *out || err_memory(err, "opening launches");
}

static bool same_path(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool use_sass(struct launch_input *in, const struct launch_spec *s, struct sim_err *err)
{
    const char *path;
    TRY(source_path(in, in->opt.sass, s->sass, &path, err));
    if (!path)
        return err_set(err, ERR_INPUT, in->file->path, s->line, 0,
                       "launch '%s' needs the code of its kernels: --sass F, or a key 'sass'",
                       s->name);
    if (same_path(path, in->sass_path))
        return true;
    sass_file_free(in->sass);
    in->sass = NULL;
    in->sass_path = NULL;
    TRY(sass_file_load(&in->sass, path, err));
    in->sass_path = path;
    return true;
}

static bool use_cubin(struct launch_input *in, const struct launch_spec *s, struct sim_err *err)
{
    const char *path;
    TRY(source_path(in, in->opt.cubin, s->cubin, &path, err));
    if (same_path(path, in->cubin_path))
        return true;
    cubin_free(in->cubin);
    in->cubin = NULL;
    in->cubin_path = NULL;
    if (path)
        TRY(cubin_load(&in->cubin, path, err));
    in->cubin_path = path;
    return true;
}

static bool use_res_usage(struct launch_input *in, struct sim_err *err)
{
    if (!in->opt.res_usage || in->res)
        return true;
    return res_usage_load(&in->res, in->opt.res_usage, err);
}

static bool open_launch(struct launch_input *in, uint32_t index, struct sim_err *err)
{
    const struct launch_spec *s = &in->file->launches[index];
    TRY(use_sass(in, s, err));
    TRY(use_cubin(in, s, err));
    TRY(use_res_usage(in, err));
    struct launch_sources src = {.file = in->file,
                                 .sass = in->sass,
                                 .sass_path = in->sass_path,
                                 .cubin = in->cubin,
                                 .res = in->res,
                                 .checks = in->opt.checks};
    TRY(launch_create(&in->launch, s, &src, err));
    return launch_kernel_open(&in->kernel, in->launch, index + 1, err);
}

bool launch_input_next(struct launch_input *in, struct kernel **out, struct sim_err *err)
{
    *out = NULL;
    close_launch(in);
    while (in->next < in->end) {
        if (open_launch(in, in->next++, err)) {
            *out = in->kernel;
            return true;
        }
        close_launch(in);
        if (!in->opt.keep_going || err->code != ERR_INPUT)
            return false;
        if (in->opt.failed)
            in->opt.failed(in->opt.user, err);
        err_clear(err);
    }
    return true;
}

bool launch_input_again(struct launch_input *in, struct kernel **out, struct sim_err *err)
{
    launch_kernel_close(in->kernel);
    in->kernel = NULL;
    *out = NULL;
    TRY(launch_kernel_open(&in->kernel, in->launch, in->next, err));
    *out = in->kernel;
    return true;
}

struct launch *launch_input_launch(const struct launch_input *in)
{
    return in->launch;
}

bool launch_input_failed(const struct launch_input *in)
{
    return in->kernel && launch_kernel_failed(in->kernel);
}

uint64_t launch_input_position(const struct launch_input *in)
{
    return in->next - in->base;
}

uint64_t launch_input_count(const struct launch_input *in)
{
    return in->count;
}

void launch_input_close(struct launch_input *in)
{
    if (!in)
        return;
    close_launch(in);
    sass_file_free(in->sass);
    cubin_free(in->cubin);
    res_usage_free(in->res);
    launch_file_free(in->file);
    arena_free(&in->arena);
    free(in);
}

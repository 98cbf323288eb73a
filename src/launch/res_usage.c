#include "launch/res_usage.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/stream.h"
#include "trace/span.h"

struct res_usage {
    struct arena arena; /* names */
    const char *path;
    struct res_usage_kernel *kernels;
    uint32_t count, cap;
};

static bool add_kernel(struct res_usage *r, struct span name, struct sim_err *err)
{
    if (r->count == r->cap) {
        uint32_t cap = r->cap ? 2 * r->cap : 64;
        struct res_usage_kernel *grown = realloc(r->kernels, cap * sizeof *grown);
        if (!grown)
            return err_memory(err, "reading resource usage");
        r->kernels = grown;
        r->cap = cap;
    }
    const char *copy = arena_strndup(&r->arena, name.p, name.n);
    if (!copy)
        return err_memory(err, "reading resource usage");
    r->kernels[r->count++] = (struct res_usage_kernel){.name = copy};
    return true;
}

/* "REG:18 STACK:0 SHARED:0 LOCAL:0 ..." */
static bool take_numbers(struct span line, struct res_usage_kernel *k)
{
    const struct {
        const char *key;
        uint32_t *out;
    } fields[] = {{"REG:", &k->registers},
                  {"STACK:", &k->stack_bytes},
                  {"SHARED:", &k->shared_bytes},
                  {"LOCAL:", &k->local_bytes}};
    for (struct span word = span_word(&line); word.n > 0; word = span_word(&line)) {
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
            uint64_t v;
            if (!span_starts(word, fields[i].key))
                continue;
            if (!span_u64(span_skip(word, strlen(fields[i].key)), &v) || v > 1u << 24)
                return false;
            *fields[i].out = (uint32_t)v;
        }
        line = span_trim(line);
    }
    return k->registers > 0;
}

static bool read_lines(struct res_usage *r, struct stream *s, struct sim_err *err)
{
    static const char function[] = "Function ";
    bool expects = false; /* the numbers of the last function */
    char *text;
    size_t len;
    for (;;) {
        TRY(stream_line(s, &text, &len, err));
        uint32_t number = (uint32_t)stream_line_number(s);
        if (!text)
            break;
        struct span line = span_trim((struct span){text, len});
        if (span_starts(line, function) && line.n > sizeof function && line.p[line.n - 1] == ':') {
            line.n--;
            TRY(add_kernel(r, span_skip(line, sizeof function - 1), err));
            expects = true;
        } else if (expects && span_starts(line, "REG:")) {
            if (!take_numbers(line, &r->kernels[r->count - 1]))
                return err_set(err, ERR_INPUT, r->path, number, 0,
                               "expected REG:N STACK:N SHARED:N LOCAL:N, found '" SPAN_FMT "'",
                               SPAN_ARG(line));
            expects = false;
        } else if (expects && line.n > 0) {
            return err_set(err, ERR_INPUT, r->path, number, 0,
                           "expected the resources of function %s (REG:...), found '" SPAN_FMT "'",
                           r->kernels[r->count - 1].name, SPAN_ARG(line));
        }
    }
    if (expects)
        return err_set(err, ERR_INPUT, r->path, 0, 0, "ends before the resources of function %s",
                       r->kernels[r->count - 1].name);
    if (r->count == 0)
        return err_set(err, ERR_INPUT, r->path, 0, 0,
                       "expected the output of cuobjdump -res-usage, found no function");
    return true;
}

bool res_usage_load(struct res_usage **out, const char *path, struct sim_err *err)
{
    struct stream *s;
    *out = NULL;
    TRY(stream_open(&s, path, err));
    struct res_usage *r = calloc(1, sizeof *r);
    bool ok = r || err_memory(err, "reading resource usage");
    if (ok) {
        r->path = arena_strndup(&r->arena, path, strlen(path));
        ok = (r->path || err_memory(err, "reading resource usage")) && read_lines(r, s, err);
    }
    stream_close(s);
    if (ok)
        *out = r;
    else
        res_usage_free(r);
    return ok;
}

const struct res_usage_kernel *res_usage_find(const struct res_usage *r, const char *kernel)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (strcmp(r->kernels[i].name, kernel) == 0)
            return &r->kernels[i];
    return NULL;
}

const char *res_usage_path(const struct res_usage *r)
{
    return r->path;
}

void res_usage_free(struct res_usage *r)
{
    if (!r)
        return;
    free(r->kernels);
    arena_free(&r->arena);
    free(r);
}

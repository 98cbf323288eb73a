#include "trace/list.h"
#include "trace/native.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/stream.h"
#include "trace/span.h"

static const char *const archive_suffixes[] = {"", ".gz", ".xz", ".zst"};
#define ARCHIVE_SUFFIXES 4

bool list_probe(const char *bytes, size_t n)
{
    struct span text = {bytes, n};
    while (text.n > 0) {
        size_t end = span_find(text, "\n");
        struct span line = span_trim((struct span){text.p, end});
        text = span_skip(text, end < text.n ? end + 1 : end);
        if (line.n > 0 && *line.p != '#')
            return span_starts(line, "MemcpyHtoD") || span_starts(line, "kernel");
    }
    return false;
}

static bool add(struct kernel_list *l, struct list_entry e, struct sim_err *err)
{
    if (l->count == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 64;
        struct list_entry *p = realloc(l->entries, cap * sizeof *p);
        if (!p)
            return err_memory(err, "reading a kernelslist");
        l->entries = p;
        l->cap = cap;
    }
    l->entries[l->count++] = e;
    l->kernels += e.kernel != NULL;
    return true;
}

bool list_add_kernel(struct kernel_list *l, const char *path, uint32_t line, struct sim_err *err)
{
    const char *copy = arena_strndup(&l->arena, path, strlen(path));
    if (!copy)
        return err_memory(err, "reading a kernelslist");
    return add(l, (struct list_entry){.kernel = copy, .line = line}, err);
}

/* Bytes from kernel `i` to the next one, or to the end of the file as far as it is known. */
static uint64_t native_bytes(const struct native_item *items, size_t n, size_t i)
{
    for (size_t next = i + 1; next < n; next++) {
        if (items[next].is_kernel && items[next].offset > items[i].offset)
            return items[next].offset - items[i].offset;
    }
    return 0;
}

bool list_add_native(struct kernel_list *l, const char *path, struct sim_err *err)
{
    struct native_item *items;
    size_t n;
    TRY(native_index(path, &items, &n, err));
    const char *copy = arena_strndup(&l->arena, path, strlen(path));
    bool ok = copy != NULL || err_memory(err, "reading a trace");
    for (size_t i = 0; ok && i < n; i++) {
        struct list_entry e = {.copy_addr = items[i].copy_addr, .copy_bytes = items[i].copy_bytes};
        if (items[i].is_kernel)
            e = (struct list_entry){
                .kernel = copy, .offset = items[i].offset, .bytes = native_bytes(items, n, i)};
        ok = add(l, e, err);
    }
    free(items);
    return ok;
}

static bool ends_with(struct span s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

/* Puts directory, stem, form and suffix together in `path`; true when such a file exists. */
static bool exists(struct buf *path, struct span dir, struct span stem, const char *form,
                   const char *suffix)
{
    path->len = 0;
    buf_add(path, dir.p, dir.n);
    buf_add(path, stem.p, stem.n);
    buf_puts(path, form);
    buf_puts(path, suffix);
    return !path->failed && access(path->data, F_OK) == 0;
}

static bool find_variant(struct buf *path, struct span dir, struct span name)
{
    if (exists(path, dir, name, "", ""))
        return true;
    struct span stem = name;
    for (int i = 1; i < ARCHIVE_SUFFIXES; i++)
        if (ends_with(name, archive_suffixes[i]))
            stem.n = name.n - strlen(archive_suffixes[i]);
    /* "kernel-1.trace" of a raw list is "kernel-1.traceg" or ".tracez" once grouped. */
    bool raw = ends_with(stem, ".trace");
    const char *form = raw ? "g" : ".traceg";
    for (int i = 0; i < ARCHIVE_SUFFIXES; i++)
        if (exists(path, dir, stem, "", archive_suffixes[i]))
            return true;
    for (int i = 0; i < ARCHIVE_SUFFIXES; i++)
        if (exists(path, dir, stem, form, archive_suffixes[i]))
            return true;
    return exists(path, dir, stem, raw ? "z" : ".tracez", "");
}

static bool add_named(struct kernel_list *l, struct span dir, struct span name, uint32_t line,
                      struct sim_err *err)
{
    if (*name.p == '/')
        dir.n = 0;
    struct buf path = {0};
    /* A trace that is missing is reported when its turn comes, under its name in the list. */
    if (!find_variant(&path, dir, name))
        exists(&path, dir, name, "", "");
    bool ok = path.failed ? err_memory(err, "reading a kernelslist")
                          : list_add_kernel(l, path.data, line, err);
    buf_free(&path);
    return ok;
}

static bool add_copy(struct kernel_list *l, struct span line, const char *path, uint32_t number,
                     struct sim_err *err)
{
    struct span rest = line;
    span_field(&rest, ',');
    struct span address = span_field(&rest, ','), bytes = span_field(&rest, ',');
    struct list_entry e = {.line = number};
    bool ok = rest.n == 0 && address.n > 0 && bytes.n > 0 && span_u64(address, &e.copy_addr) &&
              span_u64(bytes, &e.copy_bytes);
    if (!ok)
        return err_set(err, ERR_INPUT, path, number, 0,
                       "expected 'MemcpyHtoD,ADDRESS,BYTES', found '" SPAN_FMT "'", SPAN_ARG(line));
    return add(l, e, err);
}

static bool add_line(struct kernel_list *l, struct span line, const char *path, uint32_t number,
                     struct diag *diag, struct sim_err *err)
{
    if (line.n == 0 || *line.p == '#')
        return true;
    const char *slash = strrchr(path, '/');
    struct span dir = {path, slash ? (size_t)(slash - path) + 1 : 0};
    if (span_starts(line, "MemcpyHtoD"))
        return add_copy(l, line, path, number, err);
    if (span_starts(line, "kernel"))
        return add_named(l, dir, line, number, err);
    return diag_warn(diag, err, path, number,
                     "unknown command '" SPAN_FMT "' is ignored (known: MemcpyHtoD, kernel...)",
                     SPAN_ARG(line));
}

bool list_read(struct kernel_list *l, const char *path, struct diag *diag, struct sim_err *err)
{
    struct stream *s;
    l->path = arena_strndup(&l->arena, path, strlen(path));
    if (!l->path)
        return err_memory(err, "reading a kernelslist");
    TRY(stream_open(&s, path, err));
    char *text;
    size_t len;
    bool ok;
    while ((ok = stream_line(s, &text, &len, err)) && text) {
        uint64_t n = stream_line_number(s);
        uint32_t number = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
        ok = add_line(l, span_trim(span_of(text)), path, number, diag, err);
        if (!ok)
            break;
    }
    stream_close(s);
    if (ok && l->kernels == 0)
        ok = err_set(err, ERR_INPUT, path, 0, 0,
                     "expected at least one line 'kernel-....traceg', found none");
    return ok;
}

void list_free(struct kernel_list *l)
{
    free(l->entries);
    arena_free(&l->arena);
    memset(l, 0, sizeof *l);
}

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/stream.h"
#include "trace/accelsim.h"
#include "trace/kernel.h"
#include "trace/list.h"
#include "trace/listing.h"
#include "trace/native.h"
#include "trace/sass_file.h"
#include "trace/stream_id.h"

/* Enough for the comments above the first line that tells the format. */
#define PROBE_BYTES ((size_t)16 << 10)

enum source { SOURCE_UNKNOWN, SOURCE_NATIVE, SOURCE_TRACE, SOURCE_LIST, SOURCE_LISTING };

struct input {
    struct input_options opt;
    struct kernel_list list;
    struct sass_file *sass;
    size_t next;       /* entry of the list */
    uint64_t position; /* kernels passed */
    struct kernel *kernel;
    enum source source;                  /* of `kernel` */
    struct kernel *beside[INPUT_BESIDE]; /* given before it, still open */
    enum source beside_source[INPUT_BESIDE];
    uint32_t beside_count;
    uint64_t done_bytes, total_bytes, kernel_bytes;
};

static bool probe(const char *path, enum source *out, char found[41], struct sim_err *err)
{
    struct stream *s;
    TRY(stream_open(&s, path, err));
    const char *bytes;
    size_t n;
    bool ok = stream_peek(s, PROBE_BYTES, &bytes, &n, err);
    *out = SOURCE_UNKNOWN;
    if (ok && native_probe(bytes, n))
        *out = SOURCE_NATIVE;
    else if (ok && accelsim_probe(bytes, n))
        *out = SOURCE_TRACE;
    else if (ok && list_probe(bytes, n))
        *out = SOURCE_LIST;
    else if (ok && listing_probe(bytes, n))
        *out = SOURCE_LISTING;
    size_t shown = 0;
    for (; ok && shown < n && shown < 40 && bytes[shown] != '\n'; shown++)
        found[shown] = bytes[shown] >= ' ' && bytes[shown] <= '~' ? bytes[shown] : '?';
    found[shown] = '\0';
    if (n == 0)
        ok = ok && err_set(err, ERR_INPUT, path, 0, 0, "expected an input, found an empty file");
    stream_close(s);
    return ok;
}

static bool add_file(struct input *in, const char *path, struct sim_err *err)
{
    enum source source;
    char found[41];
    TRY(probe(path, &source, found, err));
    if (source == SOURCE_LIST)
        return list_read(&in->list, path, in->opt.diag, err);
    if (source == SOURCE_NATIVE)
        return list_add_native(&in->list, path, err);
    if (source == SOURCE_UNKNOWN)
        return err_set(
            err, ERR_INPUT, path, 0, 0,
            "expected a subcore trace, an Accel-Sim trace ('-kernel name = ...'), a kernelslist or "
            "a SASS listing, found '%s'",
            found);
    return list_add_kernel(&in->list, path, 0, err);
}

static bool join_path(const char *dir, const char *name, struct buf *out, struct sim_err *err)
{
    out->len = 0;
    buf_puts(out, dir);
    if (out->len > 0 && out->data[out->len - 1] != '/')
        buf_puts(out, "/");
    buf_puts(out, name);
    return out->failed ? err_memory(err, "opening an input") : true;
}

static bool is_kernel_file(const char *name)
{
    return strncmp(name, "kernel", 6) == 0 && strncmp(name, "kernelslist", 11) != 0 &&
           strstr(name, ".trace");
}

/* The only kernel file of a directory that has no list. */
static bool add_single(struct input *in, const char *dir, struct buf *path, struct sim_err *err)
{
    DIR *d = opendir(dir);
    if (!d)
        return err_set(err, ERR_INPUT, dir, 0, 0, "cannot open: %s", strerror(errno));
    uint32_t count = 0;
    bool ok = true;
    for (struct dirent *e; ok && (e = readdir(d));) {
        if (is_kernel_file(e->d_name) && count++ == 0)
            ok = join_path(dir, e->d_name, path, err);
    }
    closedir(d);
    TRY(ok);
    if (count == 1)
        return add_file(in, path->data, err);
    return err_set(
        err, ERR_INPUT, dir, 0, 0,
        "expected kernelslist.g, kernelslist or one kernel trace in the directory, found "
        "%u kernel traces",
        count);
}

static bool add_directory(struct input *in, const char *dir, struct sim_err *err)
{
    static const char *const lists[] = {"kernelslist.g", "kernelslist"};
    struct buf path = {0};
    bool ok = true, found = false;
    for (size_t i = 0; ok && !found && i < sizeof lists / sizeof *lists; i++) {
        struct stat st;
        ok = join_path(dir, lists[i], &path, err);
        found = ok && stat(path.data, &st) == 0;
    }
    if (ok)
        ok = found ? list_read(&in->list, path.data, in->opt.diag, err)
                   : add_single(in, dir, &path, err);
    buf_free(&path);
    return ok;
}

static uint64_t file_bytes(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

static uint64_t entry_bytes(const struct list_entry *e)
{
    return e->offset ? e->bytes : file_bytes(e->kernel);
}

static bool in_range(const struct input *in, uint64_t position)
{
    uint64_t first = in->opt.kernel_first, last = in->opt.kernel_last;
    return (first == 0 && last == 0) || (position >= first && position <= last);
}

static bool check_range(const struct input *in, const char *path, struct sim_err *err)
{
    uint64_t first = in->opt.kernel_first, last = in->opt.kernel_last;
    if ((first == 0 && last == 0) || (first >= 1 && first <= last && first <= in->list.kernels))
        return true;
    return err_set(
        err, ERR_USAGE, path, 0, 0, "expected a range of kernels within 1-%llu, found %llu-%llu",
        (unsigned long long)in->list.kernels, (unsigned long long)first, (unsigned long long)last);
}

static bool open_all(struct input *in, const char *path, struct sim_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return err_set(err, ERR_INPUT, path, 0, 0, "cannot open: %s", strerror(errno));
    if (S_ISFIFO(st.st_mode))
        return err_set(err, ERR_INPUT, path, 0, 0,
                       "expected a file or a directory, found a pipe: inputs are read more than "
                       "once");
    if (S_ISDIR(st.st_mode))
        TRY(add_directory(in, path, err));
    else
        TRY(add_file(in, path, err));
    TRY(check_range(in, path, err));
    if (in->opt.sass_path)
        TRY(sass_file_load(&in->sass, in->opt.sass_path, err));
    uint64_t position = 0;
    for (size_t i = 0; i < in->list.count; i++)
        if (in->list.entries[i].kernel && in_range(in, ++position))
            in->total_bytes += entry_bytes(&in->list.entries[i]);
    return true;
}

bool input_open(struct input **out, const char *path, const struct input_options *opt,
                struct sim_err *err)
{
    *out = NULL;
    struct input *in = calloc(1, sizeof *in);
    if (!in)
        return err_memory(err, "opening an input");
    in->opt = *opt;
    if (!open_all(in, path, err)) {
        input_close(in);
        return false;
    }
    *out = in;
    return true;
}

static void close_one(struct kernel *k, enum source source)
{
    if (source == SOURCE_LISTING)
        listing_close(k);
    else if (source == SOURCE_NATIVE)
        native_kernel_close(k);
    else
        accelsim_close(k);
}

static void close_kernel(struct input *in)
{
    for (; in->beside_count > 0; in->beside_count--)
        close_one(in->beside[in->beside_count - 1], in->beside_source[in->beside_count - 1]);
    if (!in->kernel)
        return;
    close_one(in->kernel, in->source);
    in->kernel = NULL;
    in->done_bytes += in->kernel_bytes;
}

/* A file that a list names holds one kernel. */
static bool open_native(struct input *in, const struct list_entry *e, struct sim_err *err)
{
    struct kernel_list one = {0};
    uint64_t offset = e->offset;
    bool ok = true;
    if (offset == 0) {
        ok = list_add_native(&one, e->kernel, err);
        if (ok && one.kernels != 1)
            ok = err_set(err, ERR_INPUT, e->kernel, 0, 0,
                         "expected one kernel in a trace that a list names, found %llu",
                         (unsigned long long)one.kernels);
        for (size_t i = 0; ok && i < one.count; i++)
            offset = one.entries[i].kernel ? one.entries[i].offset : offset;
        list_free(&one);
    }
    return ok && native_kernel_open(&in->kernel, e->kernel, offset, err);
}

static bool open_kernel(struct input *in, const struct list_entry *e, struct sim_err *err)
{
    const char *path = e->kernel;
    enum source source;
    char found[41];
    TRY(probe(path, &source, found, err));
    in->source = source;
    if ((source == SOURCE_LISTING || source == SOURCE_NATIVE) && in->sass)
        TRY(diag_warn(in->opt.diag, err, path, 0,
                      "this input has operands and control bits of its own: --sass is ignored"));
    if (source == SOURCE_NATIVE)
        return open_native(in, e, err);
    if (source == SOURCE_LISTING)
        return listing_open(&in->kernel, path, in->opt.diag, err);
    if (source == SOURCE_TRACE)
        return accelsim_open(&in->kernel, path, in->sass, in->opt.diag, err);
    return err_set(
        err, ERR_INPUT, path, 0, 0,
        "expected a subcore trace, an Accel-Sim trace ('-kernel name = ...') or a SASS listing, "
        "found '%s'",
        found);
}

/* A file that is listed but missing: the place to look is the list. */
static bool check_listed(const struct input *in, const struct list_entry *e, struct sim_err *err)
{
    if (e->line == 0 || access(e->kernel, F_OK) == 0)
        return true;
    return err_set(err, ERR_INPUT, in->list.path, e->line, 0,
                   "cannot open %s: %s (nor with .gz, .xz, .zst)", e->kernel, strerror(errno));
}

/* Opens a kernel; with keep_going a bad one is reported and *skipped. */
static bool try_kernel(struct input *in, const struct list_entry *e, bool *skipped,
                       struct sim_err *err)
{
    *skipped = false;
    in->kernel_bytes = entry_bytes(e);
    if (check_listed(in, e, err) && open_kernel(in, e, err))
        return true;
    bool input_fault = err->code == ERR_INPUT;
    if (!in->opt.keep_going || !input_fault)
        return false;
    if (in->opt.failed)
        in->opt.failed(in->opt.user, err);
    err_clear(err);
    in->done_bytes += in->kernel_bytes;
    *skipped = true;
    return true;
}

bool input_next(struct input *in, struct input_item *item, struct sim_err *err)
{
    close_kernel(in);
    *item = (struct input_item){.kind = INPUT_END};
    while (in->next < in->list.count) {
        const struct list_entry *e = &in->list.entries[in->next++];
        if (!e->kernel) {
            *item = (struct input_item){
                .kind = INPUT_MEMCPY, .copy_addr = e->copy_addr, .copy_bytes = e->copy_bytes};
            return true;
        }
        if (!in_range(in, ++in->position))
            continue;
        bool skipped;
        TRY(try_kernel(in, e, &skipped, err));
        if (skipped)
            continue;
        *item = (struct input_item){
            .kind = INPUT_KERNEL, .kernel = in->kernel, .position = in->position};
        return true;
    }
    return true;
}

static bool is_beside(const struct input *in, const uint64_t *streams, uint32_t count)
{
    uint64_t stream;
    if (!in->kernel || in->next >= in->list.count || in->beside_count == INPUT_BESIDE - 1)
        return false;
    const struct list_entry *e = &in->list.entries[in->next];
    if (!e->kernel || !in_range(in, in->position + 1) ||
        !stream_id_of(e->kernel, e->offset, &stream))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (streams[i] == stream)
            return false;
    return true;
}

bool input_next_beside(struct input *in, const uint64_t *streams, uint32_t count,
                       struct kernel **out, uint64_t *position, struct sim_err *err)
{
    *out = NULL;
    if (!is_beside(in, streams, count))
        return true;
    const struct list_entry *e = &in->list.entries[in->next++];
    in->beside[in->beside_count] = in->kernel;
    in->beside_source[in->beside_count++] = in->source;
    in->kernel = NULL;
    in->done_bytes += in->kernel_bytes;
    in->kernel_bytes = entry_bytes(e);
    *position = ++in->position;
    TRY(check_listed(in, e, err) && open_kernel(in, e, err));
    *out = in->kernel;
    return true;
}

bool input_again(struct input *in, struct kernel **out, struct sim_err *err)
{
    *out = NULL;
    close_kernel(in);
    in->done_bytes -= in->kernel_bytes;
    TRY(open_kernel(in, &in->list.entries[in->next - 1], err));
    *out = in->kernel;
    return true;
}

void input_progress(const struct input *in, uint64_t *done, uint64_t *total)
{
    *done = in->done_bytes;
    *total = in->total_bytes;
    if (in->kernel)
        *done += in->source == SOURCE_TRACE ? accelsim_consumed(in->kernel) : 0;
}

uint64_t input_kernel_count(const struct input *in)
{
    return in->list.kernels;
}

void input_close(struct input *in)
{
    if (!in)
        return;
    close_kernel(in);
    sass_file_free(in->sass);
    list_free(&in->list);
    free(in);
}

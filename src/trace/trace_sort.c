#include "trace/trace_sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUN_BUFFER ((size_t)16 << 10)
#define WRITE_BUFFER ((size_t)256 << 10)

/* A record as it lies in memory and in the file: this, the text, a NUL. */
struct stored {
    uint64_t cta, line;
    uint32_t warp, len;
};

/* A sorted sequence in the file that is being merged. */
struct run {
    uint64_t pos, end; /* what of the file is not in `buf` yet */
    char *buf;
    size_t cap, at, have;
    struct stored head; /* the next record; its text lies at buf + at + sizeof head */
    bool done;
};

struct trace_sort {
    size_t memory;
    char *text; /* records not yet in a run */
    size_t text_len, text_cap;
    size_t *order; /* offsets of the records in `text` */
    size_t count, count_cap;
    size_t next; /* reading from memory only: position in `order` */
    FILE *file;  /* NULL while everything fits in memory */
    uint64_t file_len;
    struct run *runs;
    size_t run_count, run_cap;
    size_t *heap; /* run indices, smallest head first */
    size_t heap_len;
    bool pop_first; /* the heap's first record was given out */
};

bool trace_sort_new(struct trace_sort **out, size_t memory, struct sim_err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return err_memory(err, "sorting a trace");
    (*out)->memory = memory;
    return true;
}

static int compare(const struct stored *a, const struct stored *b)
{
    if (a->cta != b->cta)
        return a->cta < b->cta ? -1 : 1;
    if (a->warp != b->warp)
        return a->warp < b->warp ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static struct stored load(const char *p)
{
    struct stored s;
    memcpy(&s, p, sizeof s);
    return s;
}

/* qsort() takes no context: sorts by merging, which also needs no worst case of its own. */
static void merge_sort(const char *text, size_t *a, size_t *spare, size_t n)
{
    if (n < 2)
        return;
    size_t half = n / 2;
    merge_sort(text, a, spare, half);
    merge_sort(text, a + half, spare, n - half);
    memcpy(spare, a, half * sizeof *a);
    size_t i = 0, j = half, k = 0;
    while (i < half) {
        bool right = false;
        if (j < n) {
            struct stored l = load(text + spare[i]), r = load(text + a[j]);
            right = compare(&r, &l) < 0;
        }
        a[k++] = right ? a[j++] : spare[i++];
    }
}

static bool sort_memory(struct trace_sort *s, struct sim_err *err)
{
    if (s->count < 2)
        return true;
    size_t *spare = malloc((s->count / 2 + 1) * sizeof *spare);
    if (!spare)
        return err_memory(err, "sorting a trace");
    merge_sort(s->text, s->order, spare, s->count);
    free(spare);
    return true;
}

static bool disk_error(struct sim_err *err, const char *what)
{
    return err_set(err, ERR_RESOURCE, NULL, 0, 0,
                   "cannot %s a temporary file to sort a raw trace (set TMPDIR): %s", what,
                   strerror(errno));
}

static bool open_file(struct trace_sort *s, struct sim_err *err)
{
    const char *dir = getenv("TMPDIR");
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/subcore_sort_XXXXXX", dir && *dir ? dir : "/tmp");
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return disk_error(err, "create");
    }
    int fd = mkstemp(path);
    if (fd < 0)
        return disk_error(err, "create");
    unlink(path);
    s->file = fdopen(fd, "w+b");
    if (!s->file) {
        close(fd);
        return disk_error(err, "open");
    }
    setvbuf(s->file, NULL, _IOFBF, WRITE_BUFFER);
    return true;
}

static bool add_run(struct trace_sort *s, uint64_t start, struct sim_err *err)
{
    if (s->run_count == s->run_cap) {
        size_t cap = s->run_cap ? s->run_cap * 2 : 16;
        struct run *p = realloc(s->runs, cap * sizeof *p);
        if (!p)
            return err_memory(err, "sorting a trace");
        s->runs = p;
        s->run_cap = cap;
    }
    s->runs[s->run_count++] = (struct run){.pos = start, .end = s->file_len};
    return true;
}

static bool spill(struct trace_sort *s, struct sim_err *err)
{
    TRY(sort_memory(s, err));
    if (!s->file)
        TRY(open_file(s, err));
    uint64_t start = s->file_len;
    for (size_t i = 0; i < s->count; i++) {
        const char *p = s->text + s->order[i];
        size_t n = sizeof(struct stored) + load(p).len + 1;
        if (fwrite(p, 1, n, s->file) != n)
            return disk_error(err, "write");
        s->file_len += n;
    }
    s->count = 0;
    s->text_len = 0;
    return add_run(s, start, err);
}

static bool reserve(struct trace_sort *s, size_t n, struct sim_err *err)
{
    if (s->text_len + n > s->text_cap) {
        size_t cap = s->text_cap ? s->text_cap * 2 : (size_t)1 << 16;
        while (cap < s->text_len + n)
            cap *= 2;
        char *p = realloc(s->text, cap);
        if (!p)
            return err_memory(err, "sorting a trace");
        s->text = p;
        s->text_cap = cap;
    }
    if (s->count == s->count_cap) {
        size_t cap = s->count_cap ? s->count_cap * 2 : 1024;
        size_t *p = realloc(s->order, cap * sizeof *p);
        if (!p)
            return err_memory(err, "sorting a trace");
        s->order = p;
        s->count_cap = cap;
    }
    return true;
}

bool trace_sort_add(struct trace_sort *s, const struct sort_record *r, struct sim_err *err)
{
    struct stored head = {r->cta, r->line, r->warp, r->len};
    size_t n = sizeof head + r->len + 1;
    bool full = s->text_len + n + (s->count + 1) * sizeof *s->order > s->memory;
    if (full && s->count > 0)
        TRY(spill(s, err));
    TRY(reserve(s, n, err));
    s->order[s->count++] = s->text_len;
    memcpy(s->text + s->text_len, &head, sizeof head);
    memcpy(s->text + s->text_len + sizeof head, r->text, r->len);
    s->text[s->text_len + n - 1] = '\0';
    s->text_len += n;
    return true;
}

/* Reads until `want` bytes lie at buf + at. */
static bool run_fill(struct trace_sort *s, struct run *r, size_t want, struct sim_err *err)
{
    if (r->have - r->at >= want)
        return true;
    if (r->cap < want || !r->buf) {
        size_t cap = want > RUN_BUFFER ? want : RUN_BUFFER;
        char *p = realloc(r->buf, cap);
        if (!p)
            return err_memory(err, "sorting a trace");
        r->buf = p;
        r->cap = cap;
    }
    memmove(r->buf, r->buf + r->at, r->have - r->at);
    r->have -= r->at;
    r->at = 0;
    while (r->have < want) {
        uint64_t left = r->end - r->pos;
        size_t n = r->cap - r->have < left ? r->cap - r->have : (size_t)left;
        ssize_t got = pread(fileno(s->file), r->buf + r->have, n, (off_t)r->pos);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return disk_error(err, "read");
        r->have += (size_t)got;
        r->pos += (uint64_t)got;
    }
    return true;
}

/* Loads the record at the run's position. */
static bool run_load(struct trace_sort *s, struct run *r, struct sim_err *err)
{
    r->done = r->pos == r->end && r->at == r->have;
    if (r->done)
        return true;
    TRY(run_fill(s, r, sizeof r->head, err));
    r->head = load(r->buf + r->at);
    return run_fill(s, r, sizeof r->head + r->head.len + 1, err);
}

static bool before(const struct trace_sort *s, size_t a, size_t b)
{
    return compare(&s->runs[s->heap[a]].head, &s->runs[s->heap[b]].head) < 0;
}

static void sift_down(struct trace_sort *s, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t c = 2 * i + 1; c <= 2 * i + 2 && c < s->heap_len; c++)
            if (before(s, c, least))
                least = c;
        if (least == i)
            return;
        size_t t = s->heap[i];
        s->heap[i] = s->heap[least];
        s->heap[least] = t;
        i = least;
    }
}

bool trace_sort_finish(struct trace_sort *s, struct sim_err *err)
{
    if (!s->file)
        return sort_memory(s, err);
    if (s->count > 0)
        TRY(spill(s, err));
    if (fflush(s->file) != 0)
        return disk_error(err, "write");
    free(s->text);
    free(s->order);
    s->text = NULL;
    s->order = NULL;
    s->heap = malloc(s->run_count * sizeof *s->heap);
    if (!s->heap)
        return err_memory(err, "sorting a trace");
    for (size_t i = 0; i < s->run_count; i++) {
        TRY(run_load(s, &s->runs[i], err));
        s->heap[s->heap_len++] = i;
    }
    for (size_t i = s->heap_len; i-- > 0;)
        sift_down(s, i);
    return true;
}

static void give(char *p, struct sort_record *out)
{
    struct stored head = load(p);
    *out = (struct sort_record){head.cta, head.line, head.warp, head.len, p + sizeof head};
}

static bool next_merged(struct trace_sort *s, struct sort_record *out, struct sim_err *err)
{
    if (s->pop_first) {
        struct run *r = &s->runs[s->heap[0]];
        r->at += sizeof r->head + r->head.len + 1;
        TRY(run_load(s, r, err));
        if (r->done)
            s->heap[0] = s->heap[--s->heap_len];
        sift_down(s, 0);
    }
    s->pop_first = s->heap_len > 0;
    if (s->heap_len > 0) {
        struct run *r = &s->runs[s->heap[0]];
        give(r->buf + r->at, out);
    }
    return true;
}

bool trace_sort_next(struct trace_sort *s, struct sort_record *out, struct sim_err *err)
{
    *out = (struct sort_record){0};
    if (s->file)
        return next_merged(s, out, err);
    if (s->next < s->count)
        give(s->text + s->order[s->next++], out);
    return true;
}

void trace_sort_free(struct trace_sort *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->run_count; i++)
        free(s->runs[i].buf);
    if (s->file)
        fclose(s->file);
    free(s->runs);
    free(s->heap);
    free(s->text);
    free(s->order);
    free(s);
}

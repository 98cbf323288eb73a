#include "trace/accelsim.h"

#include <stdlib.h>
#include <string.h>

#include "trace/accelsim_kernel.h"
#include "trace/accelsim_text.h"

bool accelsim_probe(const char *bytes, size_t n)
{
    size_t i = 0;
    while (i < n && (bytes[i] == '\n' || bytes[i] == '\r' || bytes[i] == ' '))
        i++;
    return i + 1 < n && bytes[i] == '-' && bytes[i + 1] >= 'a' && bytes[i + 1] <= 'z';
}

bool accelsim_next_line(struct accelsim_kernel *k, struct sim_err *err)
{
    if (k->held) {
        k->held = false;
        return true;
    }
    for (;;) {
        TRY(stream_line(k->in, &k->line, &k->len, err));
        k->at.line = stream_line_number(k->in);
        if (!k->line)
            return true;
        const char *p = text_skip_blanks(k->line);
        k->len -= (size_t)(p - k->line);
        k->line += p - k->line;
        bool mark = *p == '#' && (strncmp(p, "#BEGIN_TB", 9) == 0 || strncmp(p, "#END_TB", 7) == 0);
        bool comment = *p == '#' && !mark;
        if (k->len > 0 && !comment)
            return true;
    }
}

bool accelsim_learn_format(struct accelsim_kernel *k, const char *line, struct sim_err *err)
{
    k->format.version = k->header.version;
    k->format.lineinfo = k->header.lineinfo;
    k->format_known = true;
    return line_detect_prefix(&k->format, line, k->raw, &k->at, err);
}

/* The header ends at the first block or instruction; `#traces format` is a comment. */
static bool read_header(struct accelsim_kernel *k, struct sim_err *err)
{
    for (;;) {
        TRY(accelsim_next_line(k, err));
        bool key = k->line && k->line[0] == '-' && !line_is_instruction(k->line);
        if (!key)
            break;
        if (memchr(k->line, '\0', k->len))
            return place_expected_line(&k->at, "text", k->line, err);
        TRY(accelsim_header_line(&k->header, k->line, &k->arena, &k->at, err));
    }
    TRY(accelsim_header_check(&k->header, &k->at, err));
    if (!k->line)
        return place_error(&k->at, err,
                           "expected #BEGIN_TB or an instruction, found the end of "
                           "the file: the trace has no CTA");
    k->raw = line_is_instruction(k->line);
    if (!k->raw && k->line[0] != '#')
        return place_expected_line(&k->at, "#BEGIN_TB or an instruction", k->line, err);
    k->builder.raw = k->raw;
    k->held = true;
    return true;
}

/* Opens the file and reads to the first CTA. */
static bool start(struct accelsim_kernel *k, struct sim_err *err)
{
    const char *bytes;
    size_t n;
    TRY(stream_open(&k->in, k->path, err));
    TRY(stream_peek(k->in, STREAM_PEEK_MAX, &bytes, &n, err));
    if (tracez_probe(bytes, n)) {
        stream_close(k->in);
        k->in = NULL;
        return accelsim_binary_open(k, err);
    }
    TRY(read_header(k, err));
    return !k->raw || accelsim_raw_sort(k, err);
}

static bool rewind_kernel(struct accelsim_kernel *k, struct sim_err *err)
{
    stream_close(k->in);
    tracez_close(k->binary);
    trace_sort_free(k->sort);
    k->in = NULL;
    k->binary = NULL;
    k->sort = NULL;
    memset(&k->header, 0, sizeof k->header);
    memset(&k->record, 0, sizeof k->record);
    k->held = false;
    k->builder.least_cta = 0;
    k->cta_seen = 0;
    k->at.diag = NULL;
    return start(k, err);
}

static void unlink_cta(struct accelsim_kernel *k, struct accelsim_cta *cta)
{
    if (cta->prev)
        cta->prev->next = cta->next;
    else
        k->open = cta->next;
    if (cta->next)
        cta->next->prev = cta->prev;
}

static void link_open(struct accelsim_kernel *k, struct accelsim_cta *cta)
{
    cta->prev = NULL;
    cta->next = k->open;
    if (k->open)
        k->open->prev = cta;
    k->open = cta;
}

static void close_cta(struct cta_stream *stream)
{
    struct accelsim_cta *cta = stream->state;
    struct accelsim_kernel *k = stream->kernel->state;
    unlink_cta(k, cta);
    cta_reset(cta);
    cta->next = k->free;
    k->free = cta;
}

static bool refill(struct warp_stream *w, struct sim_err *err)
{
    const struct accelsim_kernel *k = w->cta->kernel->state;
    return cta_refill(w, k->table.is_memory, err);
}

static bool take_cta(struct accelsim_kernel *k, struct accelsim_cta **out, struct sim_err *err)
{
    struct accelsim_cta *cta = k->free;
    if (cta)
        k->free = cta->next;
    else if (!(cta = calloc(1, sizeof *cta)))
        return err_memory(err, "reading a CTA");
    link_open(k, cta);
    *out = cta;
    return true;
}

/* At the end: a trace may lack CTAs (lost, or not traced); users run such traces. */
static bool check_complete(struct accelsim_kernel *k, struct sim_err *err)
{
    if (k->cta_seen == k->k.cta_count)
        return true;
    return place_warn(&k->at, err, "the trace holds %llu of %llu CTAs of the grid",
                      (unsigned long long)k->cta_seen, (unsigned long long)k->k.cta_count);
}

static bool read_cta(struct kernel *pub, struct cta_stream **out, struct sim_err *err)
{
    struct accelsim_kernel *k = pub->state;
    struct accelsim_cta *cta;
    bool end;
    *out = NULL;
    TRY(take_cta(k, &cta, err));
    TRY(k->binary ? accelsim_binary_cta(k, cta, &end, err)
        : k->raw  ? accelsim_raw_cta(k, cta, &end, err)
                  : accelsim_grouped_cta(k, cta, &end, err));
    pub->insts = k->table.insts;
    pub->inst_count = k->table.inst_count;
    if (end) {
        cta->stream.state = cta;
        cta->stream.kernel = pub;
        close_cta(&cta->stream);
        return check_complete(k, err);
    }
    k->cta_seen++;
    *out = &cta->stream;
    return true;
}

static bool open_cta(struct kernel *pub, struct cta_stream **out, struct sim_err *err)
{
    struct accelsim_kernel *k = pub->state;
    if (!k->ahead)
        return read_cta(pub, out, err);
    *out = k->ahead;
    k->ahead = NULL;
    return true;
}

static const struct kernel_ops accelsim_ops = {
    .open_cta = open_cta, .refill = refill, .close_cta = close_cta};

static void publish(struct accelsim_kernel *k)
{
    const struct accelsim_header *h = &k->header;
    k->k = (struct kernel){
        .name = h->name,
        .id = h->id,
        .sm_version = h->binary_version,
        .grid = h->grid,
        .block = h->block,
        .registers = h->registers,
        .shared_bytes = h->shared_bytes,
        .stream = h->stream,
        .shared_base = h->shared_base,
        .local_base = h->local_base,
        .cta_count = (uint64_t)h->grid.x * h->grid.y * h->grid.z,
        .file = k->path,
        .ops = &accelsim_ops,
        .state = k,
    };
}

/* Reads the whole trace, so that all its instructions are joined before the first CTA runs. */
static bool join_all(struct accelsim_kernel *k, struct sim_err *err)
{
    uint32_t sm = k->table.sass->sm;
    if (sm != 0 && k->header.binary_version != 0 && sm != k->header.binary_version)
        TRY(place_warn(&k->at, err, "the SASS is for sm_%u, the trace for sm_%u", sm,
                       k->header.binary_version));
    struct cta_stream *cta;
    do {
        TRY(read_cta(&k->k, &cta, err));
        if (cta)
            close_cta(cta);
    } while (cta);
    k->k.has_ctrl = k->table.unjoined == 0;
    if (!k->k.has_ctrl)
        TRY(place_warn(&k->at, err, "%u instructions of the trace have no control bits in the SASS",
                       k->table.unjoined));
    TRY(rewind_kernel(k, err));
    k->k.name = k->header.name;
    return true;
}

static bool open_kernel(struct accelsim_kernel *k, const struct sass_file *sass,
                        struct sim_err *err)
{
    TRY(start(k, err));
    publish(k);
    k->table.sm = k->header.binary_version;
    k->table.sass = sass ? sass_file_find(sass, k->header.name) : NULL;
    if (sass && !k->table.sass)
        TRY(place_warn(&k->at, err, "the SASS has no function of this name: no control bits"));
    if (k->table.sass)
        TRY(join_all(k, err));
    return read_cta(&k->k, &k->ahead, err);
}

bool accelsim_open(struct kernel **out, const char *path, const struct sass_file *sass,
                   struct diag *diag, struct sim_err *err)
{
    *out = NULL;
    struct accelsim_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return err_memory(err, "opening a trace");
    k->k.state = k;
    size_t n = strlen(path) + 1;
    k->path = malloc(n);
    if (!k->path) {
        free(k);
        return err_memory(err, "opening a trace");
    }
    memcpy(k->path, path, n);
    k->at = (struct accelsim_place){.file = k->path, .diag = diag};
    k->builder = (struct accelsim_builder){
        .header = &k->header, .format = &k->format, .table = &k->table, .at = &k->at};
    k->table.format = &k->format;
    if (!open_kernel(k, sass, err)) {
        accelsim_close(&k->k);
        return false;
    }
    *out = &k->k;
    return true;
}

uint64_t accelsim_consumed(const struct kernel *pub)
{
    const struct accelsim_kernel *k = pub->state;
    return k->binary ? tracez_consumed(k->binary) : stream_consumed(k->in);
}

static void free_ctas(struct accelsim_cta *cta)
{
    while (cta) {
        struct accelsim_cta *next = cta->next;
        cta_free(cta);
        cta = next;
    }
}

void accelsim_close(struct kernel *pub)
{
    if (!pub)
        return;
    struct accelsim_kernel *k = pub->state;
    free_ctas(k->open);
    free_ctas(k->free);
    cta_builder_free(&k->builder);
    trace_sort_free(k->sort);
    table_free(&k->table);
    stream_close(k->in);
    tracez_close(k->binary);
    arena_free(&k->arena);
    free(k->path);
    free(k);
}

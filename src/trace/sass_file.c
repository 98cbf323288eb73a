#include "trace/sass_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/stream.h"
#include "isa/opcode.h"
#include "trace/sass_line.h"

/* A function of 16 MiB of code; the largest real ones have some 100,000 instructions. */
#define FUNCTION_INST_MAX (1u << 20)

struct sass_file {
    struct arena arena; /* names and texts */
    struct sass_function *functions;
    size_t count, cap;
};

/* State while reading. */
struct reader {
    struct sass_file *file;
    const char *path;
    uint32_t line_number;
    uint32_t sm;
    bool sections; /* nvdisasm: only sections .text.NAME hold code */
    bool in_function;
    uint32_t source_line;
    const char *source;      /* file of source_line */
    struct inst *insts;      /* of the function being read; becomes its `insts` */
    struct sass_word *words; /* likewise */
    uint32_t count, cap;
    struct sass_label *labels; /* likewise */
    uint32_t label_count, label_cap;
    bool pending; /* an instruction waits for its high word */
    uint32_t pending_line, pc;
    char *text;
    uint64_t lo;
};

#define READER_ERROR(r, err, ...)                                                                  \
    err_set(err, ERR_INPUT, (r)->path, (r)->line_number, 0, __VA_ARGS__)

static bool end_function(struct reader *r, struct sim_err *err)
{
    if (r->pending)
        return err_set(err, ERR_INPUT, r->path, r->pending_line, 0,
                       "the instruction at 0x%x has no second line with its high word", r->pc);
    if (!r->in_function)
        return true;
    struct sass_function *fn = &r->file->functions[r->file->count - 1];
    if (r->count == 0)
        return READER_ERROR(r, err, "function \"%s\" holds no instructions", fn->name);
    fn->insts = r->insts;
    fn->words = r->words;
    fn->inst_count = r->count;
    fn->labels = r->labels;
    fn->label_count = r->label_count;
    r->insts = NULL;
    r->words = NULL;
    r->labels = NULL;
    r->count = r->cap = r->label_count = r->label_cap = 0;
    r->in_function = false;
    return true;
}

static bool begin_function(struct reader *r, struct span name, struct sim_err *err)
{
    TRY(end_function(r, err));
    if (name.n == 0)
        return READER_ERROR(r, err, "a function without a name");
    struct sass_file *f = r->file;
    if (f->count == f->cap) {
        size_t cap = f->cap ? 2 * f->cap : 16;
        struct sass_function *grown = realloc(f->functions, cap * sizeof *grown);
        if (!grown)
            return err_memory(err, "reading SASS");
        f->functions = grown;
        f->cap = cap;
    }
    char *copy = arena_strndup(&f->arena, name.p, name.n);
    if (!copy)
        return err_memory(err, "reading SASS");
    f->functions[f->count++] = (struct sass_function){.name = copy, .sm = r->sm};
    r->in_function = true;
    r->source_line = 0;
    return true;
}

static bool grow_insts(struct reader *r, struct sim_err *err)
{
    if (r->count < r->cap)
        return true;
    if (r->cap >= FUNCTION_INST_MAX)
        return READER_ERROR(r, err, "a function of more than %u instructions", FUNCTION_INST_MAX);
    uint32_t cap = r->cap ? 2 * r->cap : 64;
    struct inst *grown = realloc(r->insts, cap * sizeof *grown);
    if (!grown)
        return err_memory(err, "reading SASS");
    r->insts = grown;
    struct sass_word *words = realloc(r->words, cap * sizeof *words);
    if (!words)
        return err_memory(err, "reading SASS");
    r->words = words;
    r->cap = cap;
    return true;
}

static bool add_label(struct reader *r, struct span name, struct sim_err *err)
{
    if (r->label_count == r->label_cap) {
        uint32_t cap = r->label_cap ? 2 * r->label_cap : 16;
        struct sass_label *grown = realloc(r->labels, cap * sizeof *grown);
        if (!grown)
            return err_memory(err, "reading SASS");
        r->labels = grown;
        r->label_cap = cap;
    }
    char *copy = arena_strndup(&r->file->arena, name.p, name.n);
    if (!copy)
        return err_memory(err, "reading SASS");
    r->labels[r->label_count++] = (struct sass_label){copy, r->count};
    return true;
}

/* First line of an instruction. */
static bool read_inst(struct reader *r, const struct sass_line *l, struct sim_err *err)
{
    if (!r->in_function)
        return READER_ERROR(r, err,
                            "an instruction outside a function: expected \"Function : NAME\" or a "
                            "section .text.NAME before it");
    if (r->pending)
        return end_function(r, err);
    if (!l->has_word)
        return READER_ERROR(r, err,
                            "the instruction at 0x%x has no encoding (use cuobjdump -sass or "
                            "nvdisasm -hex)",
                            l->pc);
    if (l->pc != r->count * INST_BYTES)
        return READER_ERROR(r, err, "expected offset 0x%x, found 0x%x%s", r->count * INST_BYTES,
                            l->pc,
                            l->pc % INST_BYTES == 8 ? " (code before sm_70 is not supported)" : "");
    r->text = arena_strndup(&r->file->arena, l->text.p, l->text.n);
    if (!r->text)
        return err_memory(err, "reading SASS");
    r->pending = true;
    r->pending_line = r->line_number;
    r->pc = l->pc;
    r->lo = l->word;
    return true;
}

/* Second line: the instruction is whole. */
static bool read_high(struct reader *r, uint64_t hi, struct sim_err *err)
{
    if (!r->pending)
        return READER_ERROR(r, err, "a high word without an instruction on the line before");
    TRY(grow_insts(r, err));
    struct inst *in = &r->insts[r->count];
    TRY(inst_from_text(in, r->text, r->pc, r->sm, &r->lo, &hi, &r->file->arena, r->path,
                       r->pending_line, err));
    in->line = r->source_line;
    in->source = r->source_line ? r->source : NULL;
    r->words[r->count] = (struct sass_word){r->lo, hi};
    r->count++;
    r->pending = false;
    return true;
}

/* Consecutive lines mostly name one file. */
static bool read_source(struct reader *r, const struct sass_line *l, struct sim_err *err)
{
    r->source_line = l->number;
    if (r->source && span_is(l->name, r->source))
        return true;
    r->source = arena_strndup(&r->file->arena, l->name.p, l->name.n);
    return r->source ? true : err_memory(err, "reading SASS");
}

/* Lines inside a function that are neither instructions nor words. */
static bool read_other(struct reader *r, const struct sass_line *l, struct sim_err *err)
{
    switch (l->kind) {
    case SASS_LINE_SM:
        if (r->in_function && l->number != r->sm && r->count > 0)
            TRY(end_function(r, err));
        r->sm = l->number;
        return true;
    case SASS_LINE_SOURCE:
        return read_source(r, l, err);
    case SASS_LINE_END:
        return end_function(r, err);
    case SASS_LINE_LABEL:
        return !r->in_function || add_label(r, l->name, err);
    case SASS_LINE_TEXT:
        if (r->in_function)
            return READER_ERROR(r, err, "expected an instruction, found text");
        return true;
    default:
        return true;
    }
}

static bool read_line(struct reader *r, struct span text, struct sim_err *err)
{
    struct sass_line l = sass_line_read(text);
    if (l.kind == SASS_LINE_SECTION) {
        TRY(end_function(r, err));
        r->sections = true;
        if (!span_starts(l.name, ".text."))
            return true;
        return begin_function(r, span_skip(l.name, strlen(".text.")), err);
    }
    if (r->sections && !r->in_function)
        return l.kind != SASS_LINE_SM || read_other(r, &l, err);
    if (r->pending && l.kind != SASS_LINE_HIGH && l.kind != SASS_LINE_BAD)
        return end_function(r, err);
    switch (l.kind) {
    case SASS_LINE_BAD:
        return READER_ERROR(r, err, SPAN_FMT, SPAN_ARG(l.name));
    case SASS_LINE_FUNCTION:
        return begin_function(r, l.name, err);
    case SASS_LINE_INST:
        return read_inst(r, &l, err);
    case SASS_LINE_HIGH:
        return read_high(r, l.word, err);
    default:
        return read_other(r, &l, err);
    }
}

static bool read_stream(struct reader *r, struct stream *s, struct sim_err *err)
{
    for (;;) {
        char *line;
        size_t len;
        TRY(stream_line(s, &line, &len, err));
        if (!line)
            break;
        r->line_number = (uint32_t)stream_line_number(s);
        TRY(read_line(r, (struct span){line, len}, err));
    }
    TRY(end_function(r, err));
    if (r->file->count == 0)
        return err_set(err, ERR_INPUT, r->path, 0, 0,
                       "no SASS function found: expected the output of cuobjdump -sass or nvdisasm "
                       "-hex");
    return true;
}

bool sass_file_load(struct sass_file **out, const char *path, struct sim_err *err)
{
    struct sass_file *f = calloc(1, sizeof *f);
    if (!f)
        return err_memory(err, "reading SASS");
    struct reader r = {.file = f, .path = path};
    struct stream *s = NULL;
    bool ok = stream_open(&s, path, err) && read_stream(&r, s, err);
    stream_close(s);
    free(r.insts);
    free(r.words);
    free(r.labels);
    if (!ok) {
        sass_file_free(f);
        return false;
    }
    *out = f;
    return true;
}

const struct sass_function *sass_file_find(const struct sass_file *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->functions[i].name, name) == 0)
            return &f->functions[i];
    return NULL;
}

size_t sass_file_count(const struct sass_file *f)
{
    return f->count;
}

const struct sass_function *sass_file_function(const struct sass_file *f, size_t i)
{
    return &f->functions[i];
}

void sass_file_free(struct sass_file *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->count; i++) {
        free((void *)f->functions[i].insts);
        free((void *)f->functions[i].words);
        free((void *)f->functions[i].labels);
    }
    free(f->functions);
    arena_free(&f->arena);
    free(f);
}

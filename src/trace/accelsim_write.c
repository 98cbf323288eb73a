#include "trace/accelsim_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bits.h"
#include "base/buf.h"
#include "base/outfile.h"
#include "isa/sass_text.h"
#include "trace/accelsim_line.h"
#include "trace/accelsim_text.h"

#define TRACER_VERSION 5
/* Accel-Sim's reader takes no more. */
#define SOURCES_MAX 4
/* Text of a warp that is kept before its number of instructions is known is unbounded by nature;
 * text of complete warps is written when there is this much. */
#define FLUSH_BYTES 65536

/* What all executions of an instruction share. */
struct static_text {
    const char *head; /* "1 R8 LDG.E.64 1 R4 8 ": registers, opcode, width */
    int64_t immediate;
    bool has_address;
    uint64_t window; /* added to its addresses */
};

struct accelsim_writer {
    struct trace_writer writer;
    char *folder;
    struct outfile list, file; /* `file`: the kernel being written */
    const struct kernel *kernel;
    uint64_t id;               /* of the kernel; ascends */
    struct arena arena;        /* of the kernel */
    struct static_text *insts; /* heap; [made] */
    uint32_t made, cap;
    const struct cta_stream *cta;
    uint32_t warp; /* being collected */
    uint64_t warp_insts;
    struct buf lines, out;
};

static bool path_of(const struct accelsim_writer *w, const char *name, struct buf *out,
                    struct sim_err *err)
{
    out->len = 0;
    buf_printf(out, "%s/%s", w->folder, name);
    return out->failed ? err_memory(err, "writing a trace") : true;
}

static bool drain(struct accelsim_writer *w, struct buf *text, struct outfile *to,
                  struct sim_err *err)
{
    (void)w;
    if (text->failed)
        return err_memory(err, "writing a trace");
    bool ok = text->len == 0 || outfile_write(to, text->data, text->len, err);
    text->len = 0;
    return ok;
}

static bool is_general(const struct sass_reg *r)
{
    return r->file == REG_GENERAL && !r->descriptor;
}

/* Registers as the tracer lists them: the first operand is the destination when it is a register
 * that the instruction writes; sources are general registers, RZ too, those of addresses included.
 */
static void put_registers(struct buf *out, const struct inst *in, const struct sass_text *t)
{
    bool stores = (in->flags & INST_STORE) != 0 || t->arg_count == 0;
    bool has_dest = !stores && t->args[0].kind == SASS_REGISTER && is_general(&t->args[0].regs[0]);
    struct buf sources = {0};
    uint32_t n = 0;
    for (uint32_t a = has_dest; a < t->arg_count; a++)
        for (uint32_t r = 0; r < t->args[a].reg_count && n < SOURCES_MAX; r++)
            if (is_general(&t->args[a].regs[r])) {
                const struct sass_reg *reg = &t->args[a].regs[r];
                buf_printf(&sources, " R%u", reg->zero ? REG_RZ : reg->index);
                n++;
            }
    if (has_dest)
        buf_printf(out, "1 R%u ", t->args[0].regs[0].zero ? REG_RZ : t->args[0].regs[0].index);
    else
        buf_puts(out, "0 ");
    buf_printf(out, "%s %u%s", in->opcode, n, sources.data ? sources.data : "");
    out->failed = out->failed || sources.failed;
    buf_free(&sources);
}

/* Width in the trace: 0 for what has no address. */
static uint32_t width_of(const struct inst *in)
{
    bool spaces = in->mem_space != MEM_NONE && in->mem_space != MEM_CONSTANT;
    return spaces && op_class_is_memory((enum op_class)in->op_class) ? in->mem_width : 0;
}

static bool from_sass(struct accelsim_writer *w, const struct inst *in, struct static_text *out,
                      struct sim_err *err)
{
    struct buf text = {0};
    struct sass_text t;
    struct sass_place at = {.file = w->kernel->file, .sm = w->kernel->sm_version};
    if (!in->text)
        return err_set(err, ERR_INPUT, w->kernel->file, 0, 0,
                       "kernel %s: the instruction at 0x%x has no text", w->kernel->name, in->pc);
    TRY(sass_text_parse(&t, in->text, &at, err));
    put_registers(&text, in, &t);
    buf_printf(&text, " %u ", width_of(in));
    for (uint32_t a = 0; a < t.arg_count; a++)
        if (t.args[a].kind == SASS_IMMEDIATE && t.args[a].is_integer)
            out->immediate = (int32_t)(uint32_t)t.args[a].value;
    out->head = text.failed ? NULL : arena_strndup(&w->arena, text.data, text.len);
    out->has_address = width_of(in) > 0;
    buf_free(&text);
    return out->head ? true : err_memory(err, "writing a trace");
}

/* What a reader kept of the line of another trace. Files of the own format may hold anything. */
static bool from_line(struct accelsim_writer *w, const struct inst *in, struct static_text *out,
                      struct sim_err *err)
{
    static const struct accelsim_format format = {.version = TRACER_VERSION};
    struct accelsim_place at = {.file = w->kernel->file, .kernel = w->kernel->name};
    struct line_static line;
    const char *p = in->traced, *head;
    if (!text_i64(&p, &out->immediate))
        return place_expected(&at, "an immediate before the line of an instruction", p, err);
    head = text_skip_blanks(p);
    p = head;
    TRY(line_read_static(&format, &p, &line, &at, err));
    if (*p)
        return place_expected(&at, "the end of the line of an instruction", p, err);
    struct buf text = {0};
    buf_printf(&text, "%s ", head);
    out->head = text.failed ? NULL : arena_strndup(&w->arena, text.data, text.len);
    out->has_address = line.shape.width > 0;
    buf_free(&text);
    return out->head ? true : err_memory(err, "writing a trace");
}

/* Texts of the instructions that came with the last CTA. */
static bool make_statics(struct accelsim_writer *w, struct sim_err *err)
{
    const struct kernel *k = w->kernel;
    if (k->inst_count > w->cap) {
        struct static_text *grown = realloc(w->insts, k->inst_count * sizeof *grown);
        if (!grown)
            return err_memory(err, "writing a trace");
        w->insts = grown;
        w->cap = k->inst_count;
    }
    for (; w->made < k->inst_count; w->made++) {
        const struct inst *in = k->insts[w->made];
        struct static_text *out = &w->insts[w->made];
        memset(out, 0, sizeof *out);
        TRY(in->traced ? from_line(w, in, out, err) : from_sass(w, in, out, err));
        if ((in->flags & INST_WAS_GENERIC) && in->mem_space == MEM_SHARED)
            out->window = k->shared_base;
    }
    return true;
}

static void put_header(struct buf *out, const struct kernel *k, uint64_t id)
{
    buf_printf(out, "-kernel name = %s\n-kernel id = %" PRIu64 "\n", k->name, id);
    buf_printf(out, "-grid dim = (%u,%u,%u)\n", k->grid.x, k->grid.y, k->grid.z);
    buf_printf(out, "-block dim = (%u,%u,%u)\n", k->block.x, k->block.y, k->block.z);
    buf_printf(out, "-shmem = %u\n-nregs = %u\n", k->shared_bytes, k->registers);
    buf_printf(out, "-binary version = %u\n-cuda stream id = %" PRIu64 "\n", k->sm_version,
               k->stream);
    buf_printf(out, "-shmem base_addr = 0x%016" PRIx64 "\n", k->shared_base);
    buf_printf(out, "-local mem base_addr = 0x%016" PRIx64 "\n", k->local_base);
    buf_printf(out, "-nvbit version = none (subcore)\n-accelsim tracer version = %d\n",
               TRACER_VERSION);
    buf_puts(out,
             "-enable lineinfo = 0\n\n#traces format = [line_num] PC mask dest_num [reg_dests] "
             "opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] "
             "immediate\n\n");
}

static void kernel_file(const struct accelsim_writer *w, char name[64])
{
    snprintf(name, 64, "kernel-%" PRIu64 ".traceg", w->id);
}

static bool begin_kernel(struct trace_writer *tw, const struct kernel *k, struct sim_err *err)
{
    struct accelsim_writer *w = (struct accelsim_writer *)tw;
    struct buf path = {0};
    char name[64];
    /* Numbers come from the input, where several contexts may share them; names must differ. */
    w->id = k->id > w->id ? k->id : w->id + 1;
    w->kernel = k;
    w->made = 0;
    kernel_file(w, name);
    bool ok = path_of(w, name, &path, err) && outfile_open(&w->file, path.data, err);
    buf_free(&path);
    TRY(ok);
    put_header(&w->out, k, w->id);
    return drain(w, &w->out, &w->file, err);
}

static bool put_copy(struct trace_writer *tw, uint64_t addr, uint64_t bytes, struct sim_err *err)
{
    struct accelsim_writer *w = (struct accelsim_writer *)tw;
    buf_printf(&w->out, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", addr, bytes);
    return drain(w, &w->out, &w->list, err);
}

static bool end_warp(struct accelsim_writer *w, struct sim_err *err)
{
    if (w->lines.failed)
        return err_memory(err, "writing a trace");
    buf_printf(&w->out, "warp = %u\ninsts = %" PRIu64 "\n", w->warp, w->warp_insts);
    buf_add(&w->out, w->lines.data ? w->lines.data : "", w->lines.len);
    buf_puts(&w->out, "\n");
    w->lines.len = 0;
    w->warp_insts = 0;
    w->warp++;
    return w->out.len < FLUSH_BYTES || drain(w, &w->out, &w->file, err);
}

static bool begin_cta(struct trace_writer *tw, const struct cta_stream *cta, struct sim_err *err)
{
    struct accelsim_writer *w = (struct accelsim_writer *)tw;
    TRY(make_statics(w, err));
    w->cta = cta;
    w->warp = 0;
    buf_printf(&w->out, "#BEGIN_TB\n\nthread block = %u,%u,%u\n\n", cta->id.x, cta->id.y,
               cta->id.z);
    return true;
}

static uint64_t lane_address(const struct dyn_inst *d, uint32_t lane)
{
    if (d->addr_mode == ADDR_LIST)
        return d->addr.list[lane];
    return d->addr_mode == ADDR_NONE
               ? 0
               : d->addr.base + (uint64_t)((int64_t)d->stride * (int64_t)lane);
}

/* Mode 1: the active lanes are neighbours and evenly apart; mode 0: one address each. */
static void put_addresses(struct buf *out, const struct dyn_inst *d, uint64_t window)
{
    if (d->mask == 0) {
        buf_puts(out, "1 0x0 0 ");
        return;
    }
    uint32_t first = lowest_bit(d->mask), last = highest_bit(d->mask);
    bool run = popcount32(d->mask) == last - first + 1;
    if (d->addr_mode != ADDR_LIST && run) {
        buf_printf(out, "1 0x%" PRIx64 " %d ", lane_address(d, first) + window, d->stride);
        return;
    }
    buf_puts(out, "0 ");
    for (uint32_t i = first; i <= last; i++)
        if (d->mask >> i & 1)
            buf_printf(out, "0x%016" PRIx64 " ", lane_address(d, i) + window);
}

static bool put_inst(struct trace_writer *tw, uint32_t warp, const struct dyn_inst *d,
                     struct sim_err *err)
{
    struct accelsim_writer *w = (struct accelsim_writer *)tw;
    while (w->warp < warp)
        TRY(end_warp(w, err));
    const struct static_text *s = &w->insts[d->inst];
    const struct inst *in = w->kernel->insts[d->inst];
    buf_printf(&w->lines, "%04x %08x %s", in->pc, d->mask, s->head);
    if (s->has_address)
        put_addresses(&w->lines, d, s->window);
    buf_printf(&w->lines, "%" PRId64 " \n", s->immediate);
    w->warp_insts++;
    return true;
}

static bool end_cta(struct trace_writer *tw, struct sim_err *err)
{
    struct accelsim_writer *w = (struct accelsim_writer *)tw;
    while (w->warp < w->cta->warp_count)
        TRY(end_warp(w, err));
    buf_puts(&w->out, "#END_TB\n\n");
    return drain(w, &w->out, &w->file, err);
}

static bool end_kernel(struct trace_writer *tw, struct sim_err *err)
{
    struct accelsim_writer *w = (struct accelsim_writer *)tw;
    char name[64];
    arena_free(&w->arena);
    kernel_file(w, name);
    buf_printf(&w->out, "%s\n", name);
    return outfile_commit(&w->file, err) && drain(w, &w->out, &w->list, err);
}

static bool drop_kernel(struct trace_writer *tw, struct sim_err *err)
{
    struct accelsim_writer *w = (struct accelsim_writer *)tw;
    (void)err;
    outfile_abort(&w->file);
    arena_free(&w->arena);
    w->lines.len = w->out.len = 0;
    w->warp_insts = 0;
    return true;
}

static bool close_writer(struct trace_writer *tw, bool keep, struct sim_err *err)
{
    struct accelsim_writer *w = (struct accelsim_writer *)tw;
    bool ok = true;
    outfile_abort(&w->file);
    if (keep && w->list.stream)
        ok = outfile_commit(&w->list, err);
    outfile_abort(&w->list);
    arena_free(&w->arena);
    buf_free(&w->lines);
    buf_free(&w->out);
    free(w->insts);
    free(w->folder);
    free(w);
    return ok;
}

static const struct trace_writer_ops accelsim_writer_ops = {.copy = put_copy,
                                                            .drop_kernel = drop_kernel,
                                                            .begin_kernel = begin_kernel,
                                                            .begin_cta = begin_cta,
                                                            .inst = put_inst,
                                                            .end_cta = end_cta,
                                                            .end_kernel = end_kernel,
                                                            .close = close_writer};

bool accelsim_write_open(struct trace_writer **out, const char *folder, struct sim_err *err)
{
    *out = NULL;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return err_set(err, ERR_RESOURCE, folder, 0, 0, "cannot make the folder: %s",
                       strerror(errno));
    struct accelsim_writer *w = calloc(1, sizeof *w);
    struct buf path = {0};
    if (!w)
        return err_memory(err, "writing a trace");
    w->writer.ops = &accelsim_writer_ops;
    w->folder = strdup(folder);
    bool ok = w->folder || err_memory(err, "writing a trace");
    ok = ok && path_of(w, "kernelslist.g", &path, err) && outfile_open(&w->list, path.data, err);
    buf_free(&path);
    if (ok)
        *out = &w->writer;
    else
        close_writer(&w->writer, false, err);
    return ok;
}

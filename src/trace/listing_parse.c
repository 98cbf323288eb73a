#include "trace/listing_parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/stream.h"

#define DEFAULT_SM 86u

bool listing_grow(void *array, uint32_t count, uint32_t *cap, size_t size, struct sim_err *err)
{
    if (count < *cap)
        return true;
    void *old;
    memcpy(&old, array, sizeof old);
    uint32_t wider = *cap ? 2 * *cap : 64;
    void *grown = realloc(old, wider * size);
    if (!grown)
        return err_memory(err, "reading a listing");
    memcpy(array, &grown, sizeof grown);
    *cap = wider;
    return true;
}

bool listing_set_sm(struct listing_parser *p, uint32_t sm, struct sim_err *err)
{
    uint32_t *now = &p->l->kernel.sm_version;
    if (*now != 0 && *now != sm)
        return LISTING_ERROR(p, err, "sm_%u here, but sm_%u before", sm, *now);
    if (p->l->inst_count > 0 && *now == 0 && sm != DEFAULT_SM)
        return LISTING_ERROR(p, err, "sm_%u here, but code before it was read as sm_%u", sm,
                             DEFAULT_SM);
    *now = sm;
    return true;
}

bool listing_add_op(struct listing_parser *p, struct listing_op op, struct sim_err *err)
{
    struct listing *l = p->l;
    if (l->op_count == LISTING_MAX_OPS)
        return LISTING_ERROR(p, err, "a listing of more than %u instructions", LISTING_MAX_OPS);
    TRY(listing_grow(&l->ops, l->op_count, &l->op_cap, sizeof *l->ops, err));
    op.block = p->block;
    op.line = p->at.line;
    l->ops[l->op_count++] = op;
    return true;
}

static bool add_label(struct listing_parser *p, struct span name, struct sim_err *err)
{
    struct listing *l = p->l;
    if (span_starts(name, ".text."))
        return true;
    if (l->label_count == LISTING_MAX_OPS)
        return LISTING_ERROR(p, err, "a listing of more than %u labels", LISTING_MAX_OPS);
    TRY(listing_grow(&l->labels, l->label_count, &l->label_cap, sizeof *l->labels, err));
    char *copy = arena_strndup(&l->arena, name.p, name.n);
    if (!copy)
        return err_memory(err, "reading a listing");
    l->labels[l->label_count++] = (struct listing_label){copy, l->op_count, p->block, p->at.line};
    return true;
}

/* "CLOCK R5" and "CLOCK" stand for CS2R; other text is copied. A guard is kept. */
static const char *inst_text(struct listing_parser *p, struct span text)
{
    struct span rest = text;
    struct span guard = {text.p, 0};
    if (span_starts(rest, "@")) {
        guard = span_word(&rest);
        guard.n = (size_t)(rest.p - text.p);
    }
    if (!span_is(span_word(&rest), "CLOCK"))
        return arena_strndup(&p->l->arena, text.p, text.n);
    struct span reg = rest.n > 0 ? rest : span_of("RZ");
    char *out = arena_alloc(&p->l->arena, guard.n + reg.n + sizeof "CS2R , SR_CLOCKLO");
    if (!out)
        return NULL;
    char *end = out;
    memcpy(end, guard.p, guard.n);
    end += guard.n;
    memcpy(end, "CS2R ", 5);
    end += 5;
    memcpy(end, reg.p, reg.n);
    end += reg.n;
    memcpy(end, ", SR_CLOCKLO", 12);
    return out;
}

/* What the annotations of an instruction may and must say. */
static bool check_note(struct listing_parser *p, const struct listing_inst *li, struct sim_err *err)
{
    const struct inst *in = li->inst;
    const struct listing_note *n = &li->note;
    bool memory = op_class_is_memory((enum op_class)in->op_class);
    bool optional = in->mem_space == MEM_CONSTANT || in->op_class == OP_CLASS_ldc_imm ||
                    in->op_class == OP_CLASS_ldc_reg || in->op_class == OP_CLASS_mem_misc;
    if (memory && !optional && n->addr_kind == LISTING_ADDR_NONE)
        return LISTING_ERROR(
            p, err,
            "%s is a memory access and needs \"// @addr A stride S\" or \"// @addrs "
            "A,B,...\"",
            in->opcode);
    if (!memory && n->addr_kind != LISTING_ADDR_NONE)
        return LISTING_ERROR(p, err, "%s takes no address", in->opcode);
    if (n->has_taken && !listing_is_control(in))
        return LISTING_ERROR(p, err, "@taken on %s, which is no branch or EXIT", in->opcode);
    if (n->masks && listing_is_control(in))
        return LISTING_ERROR(p, err, "@mask on %s: a branch or EXIT is for all lanes", in->opcode);
    if (n->masks && in->guard == 7 && !in->guard_negate)
        return LISTING_ERROR(p, err, "@mask on an instruction without a guard");
    return true;
}

/* Decodes the instruction that p->inst, p->text and p->note hold; `hi` is NULL without encoding. */
static bool add_inst(struct listing_parser *p, const uint64_t *hi, struct sim_err *err)
{
    struct listing *l = p->l;
    struct inst *in = arena_alloc(&l->arena, sizeof *in);
    if (!in)
        return err_memory(err, "reading a listing");
    uint32_t sm = l->kernel.sm_version ? l->kernel.sm_version : DEFAULT_SM;
    TRY(inst_from_text(in, p->text, p->inst.pc, sm, hi ? &p->inst.word : NULL, hi, &l->arena,
                       p->at.file, p->at.line, err));
    if (p->has_ctrl) {
        in->ctrl = p->ctrl;
        in->flags |= INST_HAS_CTRL;
    }
    bool has_ctrl = (in->flags & INST_HAS_CTRL) != 0;
    if (l->inst_count > 0 && has_ctrl != l->kernel.has_ctrl)
        return LISTING_ERROR(
            p, err, "%s",
            has_ctrl ? "this instruction has control bits, but none before it has"
                     : "this instruction has no control bits, but those before it have");
    l->kernel.has_ctrl = has_ctrl;
    in->line = p->at.line;
    in->source = l->kernel.file;
    struct listing_inst li = {.inst = in,
                              .note = p->note,
                              .line = p->at.line,
                              .op = l->op_count,
                              .target = LISTING_NO_INDEX,
                              .slot = LISTING_NO_INDEX};
    TRY(check_note(p, &li, err));
    TRY(listing_grow(&l->insts, l->inst_count, &l->inst_cap, sizeof *l->insts, err));
    TRY(listing_add_op(p, (struct listing_op){.index = l->inst_count}, err));
    l->insts[l->inst_count++] = li;
    return true;
}

/* The first or only line of an instruction. `offset` = its pc was written. */
static bool begin_inst(struct listing_parser *p, const struct sass_line *l, bool offset,
                       struct sim_err *err)
{
    p->inst = *l;
    if (!offset)
        p->inst.pc = p->next_pc;
    if (p->inst.pc % INST_BYTES != 0 || p->inst.pc < p->next_pc || p->inst.pc > UINT32_MAX - 64)
        return LISTING_ERROR(p, err, "expected offset 0x%x or a larger multiple of %d, found 0x%x",
                             p->next_pc, INST_BYTES, p->inst.pc);
    p->next_pc = p->inst.pc + INST_BYTES;
    p->text = inst_text(p, l->text);
    if (!p->text)
        return err_memory(err, "reading a listing");
    p->note = (struct listing_note){.addr_kind = LISTING_ADDR_NONE};
    TRY(listing_note_read(&p->note, l->comment, &p->l->arena, p->at, err));
    if (!l->has_word)
        return add_inst(p, NULL, err);
    p->pending = true;
    p->pending_line = p->at.line;
    return true;
}

static bool end_inst(struct listing_parser *p, const struct sass_line *l, struct sim_err *err)
{
    if (!p->pending)
        return LISTING_ERROR(p, err, "a high word without an instruction on the line before");
    p->pending = false;
    TRY(listing_note_read(&p->note, l->comment, &p->l->arena, p->at, err));
    uint32_t line = p->at.line;
    p->at.line = p->pending_line;
    TRY(add_inst(p, &l->word, err));
    p->at.line = line;
    return true;
}

/* "[B0-----:R-:W1:-:S02] TEXT ;", with an offset before the text or not */
static bool ctrl_line(struct listing_parser *p, struct span s, struct sim_err *err)
{
    size_t end = span_find(s, "]");
    if (end == s.n || !ctrl_parse(s.p + 1, end - 1, &p->ctrl))
        return LISTING_ERROR(
            p, err, "expected a control code as [B0-----:R-:W1:-:S02], found \"" SPAN_FMT "\"",
            SPAN_ARG(((struct span){s.p, end < s.n ? end + 1 : s.n})));
    p->has_ctrl = true;
    s = span_trim(span_skip(s, end + 1));
    struct sass_line l = {.kind = SASS_LINE_INST};
    bool offset = span_starts(s, "/*");
    if (offset)
        l = sass_line_read(s);
    else
        sass_line_rest(s, &l);
    if (l.kind != SASS_LINE_INST)
        return LISTING_ERROR(p, err, "expected an instruction after the control code%s" SPAN_FMT,
                             l.kind == SASS_LINE_BAD ? ": " : "", SPAN_ARG(l.name));
    return begin_inst(p, &l, offset, err);
}

/* Text that is no dump line: an instruction without control code, or a heading of a dump. */
static bool text_line(struct listing_parser *p, struct span s, struct sim_err *err)
{
    static const char *const headings[] = {"Fatbin ",    "=====",        "arch =",   "code version",
                                           "host =",     "compile_size", "producer", "identifier",
                                           "compressed", "has debug"};
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++)
        if (span_starts(s, headings[i]))
            return true;
    struct sass_line l = {.kind = SASS_LINE_INST};
    if (span_find((struct span){s.p, span_find(s, "//")}, ";") == span_find(s, "//"))
        return LISTING_ERROR(p, err,
                             "expected a directive, a label or an instruction that ends with ';', "
                             "found \"" SPAN_FMT "\"",
                             SPAN_ARG(s));
    sass_line_rest(s, &l);
    if (l.kind != SASS_LINE_INST)
        return LISTING_ERROR(p, err, SPAN_FMT, SPAN_ARG(l.name));
    return begin_inst(p, &l, false, err);
}

/* A function of a dump begins: it is the code, or it is skipped. */
static bool begin_function(struct listing_parser *p, struct span name, struct sim_err *err)
{
    struct kernel *k = &p->l->kernel;
    char *copy = arena_strndup(&p->l->arena, name.p, name.n);
    if (!copy)
        return err_memory(err, "reading a listing");
    p->skipping = k->name && strcmp(k->name, copy) != 0;
    if (p->skipping) {
        p->other = copy;
        return true;
    }
    if (p->function && !k->name)
        return LISTING_ERROR(p, err,
                             "this dump holds several functions (%s, %s...): pick one with "
                             "\".kernel NAME\" before it, or give the dump to --sass",
                             p->function, copy);
    if (p->function || p->l->op_count > 0)
        return LISTING_ERROR(p, err, "function \"%s\" begins after other code", copy);
    p->function = copy;
    return true;
}

static bool dump_line(struct listing_parser *p, const struct sass_line *l, struct span s,
                      struct sim_err *err)
{
    switch (l->kind) {
    case SASS_LINE_INST:
        return begin_inst(p, l, true, err);
    case SASS_LINE_LABEL:
        return add_label(p, l->name, err);
    case SASS_LINE_DIRECTIVE:
        return listing_directive(p, s, err);
    case SASS_LINE_TEXT:
        return text_line(p, s, err);
    case SASS_LINE_BAD:
        return LISTING_ERROR(p, err, SPAN_FMT, SPAN_ARG(l->name));
    default:
        return true;
    }
}

static bool read_line(struct listing_parser *p, struct span text, struct sim_err *err)
{
    struct span s = span_trim(text);
    if (s.n == 0 || s.p[0] == '#')
        return true;
    struct sass_line l = sass_line_read(s);
    if (l.kind == SASS_LINE_SECTION) {
        p->skipping = true;
        if (span_starts(l.name, ".text."))
            return begin_function(p, span_skip(l.name, 6), err);
        return true;
    }
    if (l.kind == SASS_LINE_FUNCTION)
        return begin_function(p, l.name, err);
    if (l.kind == SASS_LINE_SM && !p->pending)
        return listing_set_sm(p, l.number, err);
    if (p->skipping)
        return true;
    if (l.kind == SASS_LINE_HIGH)
        return end_inst(p, &l, err);
    if (p->pending)
        return err_set(err, ERR_INPUT, p->at.file, p->pending_line, 0,
                       "the instruction at 0x%x has no second line with its high word", p->inst.pc);
    p->has_ctrl = false;
    if (s.p[0] == '[')
        return ctrl_line(p, s, err);
    return dump_line(p, &l, s, err);
}

/* After the last line. */
static bool end_of_file(struct listing_parser *p, struct sim_err *err)
{
    struct listing *l = p->l;
    if (p->pending)
        return err_set(err, ERR_INPUT, p->at.file, p->pending_line, 0,
                       "the instruction at 0x%x has no second line with its high word", p->inst.pc);
    if (p->other && !p->function && l->inst_count == 0)
        return err_set(err, ERR_INPUT, p->at.file, 0, 0,
                       "no function \"%s\" in this dump; it holds \"%s\"", l->kernel.name,
                       p->other);
    if (l->inst_count == 0)
        return err_set(err, ERR_INPUT, p->at.file, 0, 0, "the listing holds no instructions");
    if (p->block != 0) {
        const struct listing_op *start = &l->ops[l->blocks[p->block].start];
        return err_set(err, ERR_INPUT, p->at.file, start->line, 0, "%s without %s",
                       start->kind == LISTING_LOOP ? ".loop" : ".warp",
                       start->kind == LISTING_LOOP ? ".endloop" : ".endwarp");
    }
    if (!l->kernel.name)
        l->kernel.name = p->function;
    if (l->kernel.sm_version == 0)
        l->kernel.sm_version = DEFAULT_SM;
    return true;
}

bool listing_parse(struct listing *l, const char *path, struct sim_err *err)
{
    struct listing_parser p = {.l = l, .at = {path, 0}};
    l->active_warps = UINT32_MAX;
    TRY(listing_grow(&l->blocks, 0, &l->block_cap, sizeof *l->blocks, err));
    l->blocks[l->block_count++] = (struct listing_block){.parent = 0};
    struct stream *s = NULL;
    TRY(stream_open(&s, path, err));
    char *line = NULL;
    size_t len = 0;
    bool ok;
    while ((ok = stream_line(s, &line, &len, err)) && line) {
        p.at.line = (uint32_t)stream_line_number(s);
        ok = read_line(&p, (struct span){line, len}, err);
        if (!ok)
            break;
    }
    stream_close(s);
    return ok && end_of_file(&p, err);
}

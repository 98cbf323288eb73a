/* Decodes a kernel for one launch. */
#include "emu/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emu/control.h"
#include "emu/memory.h"
#include "emu/semantics.h"
#include "isa/opcode.h"
#include "trace/pack.h"

#define DEFAULT_MAX_STEPS (UINT64_C(1) << 32)
#define MAX_BLOCK_THREADS 1024u

/* While instructions are decoded. */
struct builder {
    struct emu_program *p;
    const struct sass_label **labels; /* sorted by name */
    uint32_t label_count;
};

static bool read_constant(void *user, uint32_t bank, uint32_t offset, uint32_t *word,
                          struct sim_err *err)
{
    const struct emu_launch *l = user;
    if (bank >= EMU_CONST_BANKS || !l->constants.data[bank])
        return err_set(err, ERR_INPUT, l->file, 0, 0,
                       "kernel %s reads constant bank %u, which is not known (it comes from the "
                       "cubin)",
                       l->kernel, bank);
    if (l->constants.bytes[bank] < 4 || offset > l->constants.bytes[bank] - 4)
        return err_set(err, ERR_INPUT, l->file, 0, 0,
                       "kernel %s reads c[0x%x][0x%x], past the %u bytes of that bank", l->kernel,
                       bank, offset, l->constants.bytes[bank]);
    memcpy(word, l->constants.data[bank] + offset, sizeof *word);
    return true;
}

static int compare_labels(const void *a, const void *b)
{
    const struct sass_label *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static bool sort_labels(struct builder *b, struct sim_err *err)
{
    const struct sass_function *code = b->p->launch.code;
    b->label_count = code->label_count;
    if (b->label_count == 0)
        return true;
    b->labels = malloc(b->label_count * sizeof(const struct sass_label *));
    if (!b->labels)
        return err_memory(err, "decoding a kernel");
    for (uint32_t i = 0; i < b->label_count; i++)
        b->labels[i] = &code->labels[i];
    qsort(b->labels, b->label_count, sizeof(const struct sass_label *), compare_labels);
    return true;
}

/* The instruction behind the label in "`(NAME)", or EMU_NO_TARGET. */
static uint32_t find_label(const struct builder *b, const struct sass_arg *a)
{
    if (a->len < 4 || memcmp(a->text, "`(", 2) != 0)
        return EMU_NO_TARGET;
    const char *name = a->text + 2;
    size_t len = a->len - 3;
    uint32_t lo = 0, hi = b->label_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        const char *other = b->labels[mid]->name;
        int order = strncmp(other, name, len);
        if (order == 0 && other[len] == '\0')
            return b->labels[mid]->inst;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return EMU_NO_TARGET;
}

/* The place that an instruction's last operand names, as it does in branches. */
static uint32_t find_target(const struct builder *b, const struct sass_text *text)
{
    uint32_t target = EMU_NO_TARGET;
    for (uint32_t i = text->arg_count; i-- > 0 && target == EMU_NO_TARGET;) {
        const struct sass_arg *a = &text->args[i];
        if (a->kind == SASS_NAME)
            target = find_label(b, a);
        else if (a->kind == SASS_IMMEDIATE && a->is_integer && a->text[-1] != '-' &&
                 a->value % INST_BYTES == 0 && a->value / INST_BYTES < b->p->count)
            target = (uint32_t)(a->value / INST_BYTES);
        else if (a->kind == SASS_IMMEDIATE)
            break;
    }
    return target < b->p->count ? target : EMU_NO_TARGET;
}

/* The counter of a load that takes long enough for other warps to get far. */
static uint8_t load_counter(const struct inst *in)
{
    bool far = in->mem_space == MEM_GLOBAL || in->mem_space == MEM_GENERIC ||
               in->mem_space == MEM_LOCAL || in->mem_space == MEM_TEXTURE;
    bool load = (in->flags & INST_HAS_CTRL) && (in->flags & (INST_LOAD | INST_ATOMIC));
    return load && far && in->ctrl.write_bar < DEP_COUNTERS ? (uint8_t)(1u << in->ctrl.write_bar)
                                                            : 0;
}

static struct emu_step make_step(const struct inst *in)
{
    struct emu_step s = {.guard = {.index = in->guard,
                                   .neg = in->guard_negate,
                                   .uniform = in->guard_file == REG_UNIFORM_PREDICATE}};
    if (in->guard != 7 || in->guard_negate)
        s.flags |= EMU_STEP_GUARDED;
    if (pack_has_address(in) || in->op_class == OP_CLASS_ldc_reg)
        s.flags |= EMU_STEP_MEMORY;
    if (in->op_class == OP_CLASS_branch || in->op_class == OP_CLASS_barrier)
        s.flags |= EMU_STEP_FLOW;
    if (in->flags & INST_CLOCK)
        s.flags |= EMU_STEP_CLOCK;
    s.loads = load_counter(in);
    return s;
}

/* Marks the instructions that wait for counters of loads. */
static void mark_waits(struct emu_program *p)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < p->count; i++)
        used |= p->steps[i].loads;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct inst *in = &p->launch.code->insts[i];
        uint32_t waits = in->flags & INST_HAS_CTRL ? in->ctrl.wait_mask & used : 0;
        p->steps[i].waits = (uint8_t)waits;
        if (waits)
            p->steps[i].flags |= EMU_STEP_WAIT;
    }
}

/* General registers lie in R0..R254 also where several are used. */
static bool check_registers(struct emu_program *p, const struct emu_decode *d, struct sim_err *err)
{
    const struct inst *in = d->inst;
    for (uint32_t i = 0; i < in->operand_count; i++) {
        const struct operand *o = &in->operands[i];
        if (o->file != REG_GENERAL)
            continue;
        uint32_t end = (uint32_t)o->index + o->count;
        if (end > REG_RZ)
            return emu_decode_error(d, err, "register R%u does not exist", end - 1);
        if (end > p->rows)
            p->rows = end;
    }
    return true;
}

static bool decode_inst(struct builder *b, uint32_t i, struct sim_err *err)
{
    struct emu_program *p = b->p;
    const struct emu_launch *l = &p->launch;
    struct emu_op *op = &p->ops[i];
    const struct inst *in = &l->code->insts[i];
    *op = (struct emu_op){.inst = in, .dest = EMU_SINK, .dest2 = EMU_SINK, .pdest = {7, 7}};
    for (uint32_t k = 0; k < 3; k++)
        op->psource[k].index = 7;
    struct emu_decode d = {.inst = in,
                           .lo = l->code->words[i].lo,
                           .hi = l->code->words[i].hi,
                           .sm = l->sm,
                           .kernel = l->kernel,
                           .arena = &p->arena,
                           .constant = read_constant,
                           .user = &p->launch};
    struct sass_place at = {.file = l->file, .sm = l->sm};
    TRY(sass_text_parse(&d.text, in->text, &at, err));
    op->next = i + 1;
    op->target = find_target(b, &d.text);
    TRY(check_registers(p, &d, err));
    emu_decode_fn decode = emu_semantics_find(in->opcode);
    if (!decode)
        return emu_decode_error(&d, err, "functional execution does not know this instruction");
    TRY(decode(op, &d, err));
    p->steps[i] = make_step(in);
    return true;
}

static void run_past_end(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    emu_fault_set(w, op, EMU_NO_LANE, "execution goes past the end of the code");
}

static bool decode_code(struct emu_program *p, struct sim_err *err)
{
    p->count = p->launch.code->inst_count;
    p->ops = arena_array(&p->arena, (size_t)p->count + 1, sizeof *p->ops);
    p->steps = arena_array(&p->arena, (size_t)p->count + 1, sizeof *p->steps);
    if (!p->ops || !p->steps)
        return err_memory(err, "decoding a kernel");
    struct builder b = {.p = p};
    bool ok = sort_labels(&b, err);
    for (uint32_t i = 0; ok && i < p->count; i++)
        ok = decode_inst(&b, i, err);
    free(b.labels);
    if (ok)
        mark_waits(p);
    p->end = (struct inst){.pc = p->count * INST_BYTES, .opcode = "(end of the code)"};
    p->ops[p->count] = (struct emu_op){.inst = &p->end, .run = run_past_end, .next = p->count};
    p->steps[p->count] = (struct emu_step){.flags = EMU_STEP_FLOW, .guard = {.index = 7}};
    return ok;
}

static bool check_launch(const struct emu_launch *l, struct sim_err *err)
{
    uint64_t threads = (uint64_t)l->block.x * l->block.y;
    threads = threads > MAX_BLOCK_THREADS ? threads : threads * l->block.z;
    if (threads < 1 || threads > MAX_BLOCK_THREADS)
        return err_set(err, ERR_INPUT, l->file, 0, 0,
                       "kernel %s: expected a block of 1 to %u threads, found (%u,%u,%u)",
                       l->kernel, MAX_BLOCK_THREADS, l->block.x, l->block.y, l->block.z);
    if (l->grid.x == 0 || l->grid.y == 0 || l->grid.z == 0)
        return err_set(err, ERR_INPUT, l->file, 0, 0,
                       "kernel %s: expected a grid of at least one CTA, found (%u,%u,%u)",
                       l->kernel, l->grid.x, l->grid.y, l->grid.z);
    return true;
}

static bool make_warps(struct emu_program *p, struct sim_err *err)
{
    struct emu_cta *cta = &p->cta;
    const struct dim3 block = p->launch.block;
    uint32_t threads = block.x * block.y * block.z;
    cta->launch = &p->launch;
    cta->warp_count = (threads + WARP_LANES - 1) / WARP_LANES;
    cta->barrier_result = arena_array(&p->arena, cta->warp_count, sizeof *cta->barrier_result);
    p->warps = aligned_alloc(64, cta->warp_count * sizeof *p->warps);
    if (!p->warps || !cta->barrier_result)
        return err_memory(err, "executing a kernel");
    memset(p->warps, 0, cta->warp_count * sizeof *p->warps);
    p->barriers = (struct emu_barriers){.cta = cta, .warps = p->warp_list};
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct emu_warp *w = &p->warps[i].warp;
        uint32_t left = threads - i * WARP_LANES;
        p->warp_list[i] = w;
        w->exists = left >= WARP_LANES ? ~0u : (1u << left) - 1;
        w->cta = cta;
        w->index = i;
        w->flow = &p->warps[i].flow;
        w->flow->barriers = &p->barriers;
        w->flow->code_count = p->count;
        w->access = &p->access;
    }
    return emu_memory_open(cta, err);
}

bool emu_program_create(struct emu_program **out, const struct emu_launch *launch,
                        struct sim_err *err)
{
    *out = NULL;
    TRY(check_launch(launch, err));
    struct emu_program *p = calloc(1, sizeof *p);
    if (!p)
        return err_memory(err, "decoding a kernel");
    p->launch = *launch;
    p->max_steps = launch->checks.max_cta_steps ? launch->checks.max_cta_steps : DEFAULT_MAX_STEPS;
    bool ok = decode_code(p, err);
    if (ok && launch->counts) {
        p->tally = arena_array(&p->arena, (size_t)p->count + 1, sizeof *p->tally);
        ok = p->tally || err_memory(err, "decoding a kernel");
    }
    if (!ok || !make_warps(p, err)) {
        free(p->warps);
        arena_free(&p->arena);
        free(p);
        return false;
    }
    *out = p;
    return true;
}

void emu_program_free(struct emu_program *p)
{
    if (!p)
        return;
    emu_memory_close(&p->cta);
    free(p->warps);
    arena_free(&p->arena);
    free(p);
}

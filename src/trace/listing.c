#include "trace/listing.h"

#include <stdlib.h>
#include <string.h>

#include "trace/listing_parse.h"

/* What the first line that is neither blank nor comment says. */
static bool probe_line(struct span s)
{
    struct sass_line l = sass_line_read(s);
    switch (l.kind) {
    case SASS_LINE_INST:
    case SASS_LINE_SM:
    case SASS_LINE_FUNCTION:
    case SASS_LINE_SECTION:
    case SASS_LINE_LABEL:
        return l.kind != SASS_LINE_LABEL || s.p[0] == '.';
    case SASS_LINE_DIRECTIVE:
        return listing_directive_known(l.name);
    default:
        return span_starts(s, "[B") || span_starts(s, "Fatbin ");
    }
}

bool listing_probe(const char *first_bytes, size_t n)
{
    struct span text = {first_bytes, n};
    bool comment = false;
    while (text.n > 0) {
        struct span line = span_field(&text, '\n');
        if (span_starts(line, "//"))
            comment = true;
        else if (line.n > 0 && line.p[0] != '#')
            return probe_line(line);
    }
    return comment;
}

/* Registers a thread needs for the code: up to the highest one used. */
static uint32_t used_registers(const struct listing *l)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < l->inst_count; i++) {
        const struct inst *in = l->insts[i].inst;
        for (uint32_t k = 0; k < in->operand_count; k++) {
            const struct operand *o = &in->operands[k];
            if (o->file == REG_GENERAL && (uint32_t)o->index + o->count > count)
                count = (uint32_t)o->index + o->count;
        }
    }
    return count;
}

/* In allocation steps of 8. */
static uint32_t count_registers(const struct listing *l)
{
    uint32_t count = (used_registers(l) + 7) / 8 * 8;
    return count > REG_RZ ? REG_RZ : count;
}

/* What is simulated, but perhaps not as its writer meant. */
static bool check_code(const struct listing *l, struct diag *diag, struct sim_err *err)
{
    uint32_t used = used_registers(l);
    if (l->kernel.registers != 0 && used > l->kernel.registers)
        TRY(diag_warn(diag, err, l->kernel.file, 0,
                      "the code uses %u registers, .registers says %u", used, l->kernel.registers));
    for (uint32_t i = 0; i < l->inst_count; i++)
        if (l->insts[i].inst->flags & INST_UNKNOWN)
            TRY(diag_warn(diag, err, l->kernel.file, l->insts[i].line, "opcode %s is not known",
                          l->insts[i].inst->opcode));
    return true;
}

/* The file's name without folders and endings. */
static const char *base_name(struct listing *l, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t n = strcspn(name, ".");
    return n > 0 ? arena_strndup(&l->arena, name, n) : "listing";
}

/* Fills what directives left open. */
static bool complete_kernel(struct listing *l, const char *path, struct sim_err *err)
{
    struct kernel *k = &l->kernel;
    if (!k->name)
        k->name = base_name(l, path);
    l->table = arena_array(&l->arena, l->inst_count, sizeof *l->table);
    if (!k->name || !l->table)
        return err_memory(err, "reading a listing");
    for (uint32_t i = 0; i < l->inst_count; i++)
        l->table[i] = l->insts[i].inst;
    k->insts = l->table;
    k->inst_count = l->inst_count;
    k->id = 1;
    k->ops = &listing_ops;
    k->state = l;
    k->cta_count = (uint64_t)k->grid.x * k->grid.y * k->grid.z;
    if (k->registers == 0)
        k->registers = count_registers(l);
    return true;
}

/* A block of one warp, unless a directive said more. */
static bool complete_block(struct listing *l, struct sim_err *err)
{
    struct kernel *k = &l->kernel;
    if (k->grid.x == 0)
        k->grid = (struct dim3){1, 1, 1};
    if (l->warp_count == 0) {
        k->block = (struct dim3){WARP_LANES, 1, 1};
        l->warp_count = 1;
        l->last_lanes = UINT32_MAX;
    }
    if (l->active_warps != UINT32_MAX && l->active_warps >> (l->warp_count - 1) > 1)
        return err_set(err, ERR_INPUT, k->file, l->active_line, 0,
                       ".active_warps names a warp that is not there: the block has %u",
                       l->warp_count);
    return true;
}

bool listing_open(struct kernel **out, const char *path, struct diag *diag, struct sim_err *err)
{
    struct listing *l = calloc(1, sizeof *l);
    if (!l)
        return err_memory(err, "reading a listing");
    l->kernel.state = l;
    l->kernel.file = arena_strndup(&l->arena, path, strlen(path));
    bool ok = l->kernel.file ? true : err_memory(err, "reading a listing");
    ok = ok && listing_parse(l, l->kernel.file, err) && complete_block(l, err) &&
         listing_resolve(l, diag, err) && check_code(l, diag, err) && complete_kernel(l, path, err);
    if (!ok) {
        listing_close(&l->kernel);
        return false;
    }
    *out = &l->kernel;
    return true;
}

void listing_close(struct kernel *k)
{
    if (!k)
        return;
    struct listing *l = k->state;
    free(l->insts);
    free(l->ops);
    free(l->blocks);
    free(l->labels);
    arena_free(&l->arena);
    free(l);
}

#include "launch/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/memory.h"
#include "launch/launch_abi.h"
#include "launch/launch_init.h"

/* Bytes of parameters that a kernel can have. */
#define PARAM_BYTES_MAX 32764

/* What is being made. */
struct builder {
    struct launch *l;
    const struct launch_spec *spec;
    const struct launch_sources *src;
    const struct launch_abi *abi;
    struct cubin_kernel *cubin; /* NULL = no cubin */
    uint32_t offsets[LAUNCH_MAX_ARGS];
    uint32_t param_bytes;
};

#define BUILD_ERROR(b, line, err, ...)                                                             \
    err_set(err, ERR_INPUT, (b)->src->file->path, line, 0, __VA_ARGS__)

static bool find_code(struct builder *b, struct sim_err *err)
{
    const struct launch_spec *s = b->spec;
    const struct sass_function *code = sass_file_find(b->src->sass, s->kernel);
    if (!code)
        return BUILD_ERROR(b, s->line, err, "launch '%s': %s holds no kernel '%s'", s->name,
                           b->src->sass_path, s->kernel);
    uint32_t other = b->src->cubin ? cubin_sm(b->src->cubin) : 0;
    uint32_t sm = code->sm ? code->sm : other;
    if (other != 0 && other != sm)
        return BUILD_ERROR(b, s->line, err, "launch '%s': %s is for sm_%u, but %s is for sm_%u",
                           s->name, b->src->sass_path, sm, cubin_path(b->src->cubin), other);
    b->abi = launch_abi(sm);
    if (sm == 0)
        return BUILD_ERROR(b, s->line, err,
                           "launch '%s': %s does not say for which architecture it is (expected a "
                           "line 'code for sm_..')",
                           s->name, b->src->sass_path);
    if (!b->abi)
        return BUILD_ERROR(b, s->line, err, "launch '%s': sm_%u is not supported", s->name, sm);
    b->l->emu.code = code;
    b->l->emu.sm = sm;
    return true;
}

static bool read_cubin(struct builder *b, struct sim_err *err)
{
    const struct emu_launch *e = &b->l->emu;
    if (!b->src->cubin)
        return true;
    b->cubin = arena_alloc(&b->l->arena, sizeof *b->cubin);
    if (!b->cubin)
        return err_memory(err, "making a launch");
    TRY(cubin_kernel(b->src->cubin, b->spec->kernel, b->cubin, err));
    uint64_t code_bytes = (uint64_t)e->code->inst_count * INST_BYTES;
    if (b->cubin->code_bytes != code_bytes)
        return BUILD_ERROR(b, b->spec->line, err,
                           "launch '%s': kernel %s has %" PRIu64
                           " bytes of code in %s, but %" PRIu64 " in %s: they are not of one build",
                           b->spec->name, b->spec->kernel, b->cubin->code_bytes,
                           cubin_path(b->src->cubin), code_bytes, b->src->sass_path);
    if (b->cubin->has_params && b->cubin->param_base != b->abi->params)
        return BUILD_ERROR(b, b->spec->line, err,
                           "launch '%s': parameters at 0x%x of bank 0, but sm_%u has them at 0x%x",
                           b->spec->name, b->cubin->param_base, e->sm, b->abi->params);
    for (uint32_t bank = 1; bank < CUBIN_BANKS && bank < EMU_CONST_BANKS; bank++) {
        b->l->emu.constants.data[bank] = b->cubin->bank[bank];
        b->l->emu.constants.bytes[bank] = b->cubin->bank_bytes[bank];
    }
    return true;
}

/* Registers of a thread by what the code names. */
static uint32_t count_registers(const struct sass_function *code)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < code->inst_count; i++) {
        const struct inst *in = &code->insts[i];
        for (uint32_t o = 0; o < in->operand_count; o++) {
            uint32_t end = (uint32_t)in->operands[o].index + in->operands[o].count;
            if (in->operands[o].file == REG_GENERAL && end > n)
                n = end;
        }
    }
    return n < LAUNCH_MAX_REGISTERS ? n : LAUNCH_MAX_REGISTERS;
}

static bool uses_space(const struct sass_function *code, enum mem_space space)
{
    for (uint32_t i = 0; i < code->inst_count; i++)
        if (code->insts[i].mem_space == space)
            return true;
    return false;
}

/* Registers, shared memory and stack: launch file, cubin, -res-usage, code, in this order. */
static bool find_resources(struct builder *b, struct sim_err *err)
{
    struct emu_launch *e = &b->l->emu;
    const struct launch_spec *s = b->spec;
    const struct res_usage_kernel *res = NULL;
    if (b->src->res && !(res = res_usage_find(b->src->res, s->kernel)))
        return BUILD_ERROR(b, s->line, err, "launch '%s': %s says nothing about kernel %s", s->name,
                           res_usage_path(b->src->res), s->kernel);
    bool known = b->cubin || res;
    e->registers = b->cubin && b->cubin->registers ? b->cubin->registers : res ? res->registers : 0;
    if (e->registers == 0)
        e->registers = count_registers(e->code);
    if (s->registers != 0)
        e->registers = s->registers;
    e->local_bytes = b->cubin ? b->cubin->frame_bytes
                     : res    ? res->stack_bytes + res->local_bytes
                              : 0;
    if (!known && uses_space(e->code, MEM_LOCAL))
        e->local_bytes = LAUNCH_DEFAULT_STACK;
    uint64_t fixed = b->cubin ? b->cubin->shared_bytes : res ? res->shared_bytes : 0;
    uint32_t system = e->sm >= 90 ? EMU_SHARED_SYSTEM : 0;
    if (!known && s->shared == 0 && uses_space(e->code, MEM_SHARED))
        return BUILD_ERROR(b, s->line, err,
                           "launch '%s': kernel %s uses shared memory; --cubin or --res-usage must "
                           "say how much",
                           s->name, s->kernel);
    if (fixed < system && (fixed > 0 || s->shared > 0))
        fixed = system;
    if (fixed + s->shared > LAUNCH_MAX_SHARED || e->local_bytes > LAUNCH_MAX_SHARED)
        return BUILD_ERROR(b, s->line, err,
                           "launch '%s': %" PRIu64 " bytes of shared memory and a stack of %u "
                           "bytes, but %u are the limit",
                           s->name, fixed + s->shared, e->local_bytes, LAUNCH_MAX_SHARED);
    e->shared_bytes = (uint32_t)fixed + s->shared;
    b->l->shared_charge = e->shared_bytes - (e->shared_bytes > 0 ? system : 0);
    return true;
}

static uint32_t arg_bytes(const struct launch_arg *a)
{
    return a->is_buffer ? 8 : launch_type_info(a->type)->bytes;
}

/* Offsets of the parameters: naturally aligned, and as the cubin has them. */
static bool place_params(struct builder *b, struct sim_err *err)
{
    const struct launch_spec *s = b->spec;
    const struct cubin_kernel *c = b->cubin;
    if (c && (c->param_count > 0 || c->has_params) && c->param_count != s->arg_count)
        return BUILD_ERROR(b, s->line, err,
                           "launch '%s' has %u arguments, but kernel %s has %u parameters", s->name,
                           s->arg_count, s->kernel, c->param_count);
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->arg_count; i++) {
        uint32_t bytes = arg_bytes(&s->args[i]);
        at = (at + bytes - 1) / bytes * bytes;
        if (c && c->param_count > 0) {
            if (c->params[i].bytes != bytes)
                return BUILD_ERROR(b, s->args[i].line, err,
                                   "launch '%s': argument %u has %u bytes, but the parameter of "
                                   "kernel %s has %u",
                                   s->name, i, bytes, s->kernel, c->params[i].bytes);
            at = c->params[i].offset;
        }
        b->offsets[i] = at;
        at += bytes;
        if (at > PARAM_BYTES_MAX)
            return BUILD_ERROR(b, s->line, err, "launch '%s': more than %d bytes of arguments",
                               s->name, PARAM_BYTES_MAX);
        b->param_bytes = at > b->param_bytes ? at : b->param_bytes;
    }
    return true;
}

static bool make_buffer(struct builder *b, uint32_t arg, uint64_t *next, struct sim_err *err)
{
    const struct launch_arg *a = &b->spec->args[arg];
    struct emu_launch *e = &b->l->emu;
    uint64_t bytes = a->count * launch_type_info(a->type)->bytes;
    char *name = arena_alloc(&b->l->arena, 24), *path = NULL;
    uint8_t *data = calloc(1, (size_t)bytes);
    if (!name || !data) {
        free(data);
        return err_memory(err, "making the buffers of a launch");
    }
    snprintf(name, 24, "argument %u", arg);
    b->l->buffer_arg[e->buffer_count] = arg;
    e->buffers[e->buffer_count++] =
        (struct emu_buffer){.addr = *next, .bytes = bytes, .data = data, .name = name};
    *next += (bytes + LAUNCH_ALIGN - 1) / LAUNCH_ALIGN * LAUNCH_ALIGN + LAUNCH_ALIGN;
    if (a->init == LAUNCH_INIT_file) {
        path = launch_file_path(&b->l->arena, b->src->file, a->path);
        if (!path)
            return err_memory(err, "making the buffers of a launch");
    }
    return launch_init_fill(data, a, path, err);
}

static bool make_buffers(struct builder *b, struct sim_err *err)
{
    const struct launch_spec *s = b->spec;
    uint64_t next = LAUNCH_FIRST_ADDRESS;
    b->l->emu.buffers = arena_array(&b->l->arena, s->arg_count + 1, sizeof(struct emu_buffer));
    b->l->buffer_arg = arena_array(&b->l->arena, s->arg_count + 1, sizeof(uint32_t));
    if (!b->l->emu.buffers || !b->l->buffer_arg)
        return err_memory(err, "making the buffers of a launch");
    for (uint32_t i = 0; i < s->arg_count; i++)
        if (s->args[i].is_buffer)
            TRY(make_buffer(b, i, &next, err));
    return true;
}

static void put(uint8_t *bank, uint32_t offset, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; offset != LAUNCH_ABI_NONE && i < bytes; i++)
        bank[offset + i] = (uint8_t)(value >> (8 * i));
}

static bool fill_bank0(struct builder *b, struct sim_err *err)
{
    struct emu_launch *e = &b->l->emu;
    const struct launch_abi *abi = b->abi;
    uint32_t bytes = abi->params + (b->param_bytes + 15) / 16 * 16, buffer = 0;
    uint8_t *bank = arena_alloc(&b->l->arena, bytes);
    if (!bank)
        return err_memory(err, "making a launch");
    const uint32_t block[3] = {e->block.x, e->block.y, e->block.z};
    const uint32_t grid[3] = {e->grid.x, e->grid.y, e->grid.z};
    for (uint32_t i = 0; i < 3; i++) {
        put(bank, abi->block + 4 * i, block[i], 4);
        put(bank, abi->grid + 4 * i, grid[i], 4);
    }
    put(bank, abi->stack_pointer, emu_memory_stack_pointer(e), 4);
    put(bank, abi->shared_window, EMU_SHARED_WINDOW, 8);
    put(bank, abi->local_window, EMU_LOCAL_WINDOW, 8);
    for (uint32_t i = 0; i < b->spec->arg_count; i++) {
        const struct launch_arg *a = &b->spec->args[i];
        uint64_t value = a->is_buffer ? e->buffers[buffer++].addr : a->value;
        put(bank, abi->params + b->offsets[i], value, arg_bytes(a));
    }
    e->constants.data[0] = bank;
    e->constants.bytes[0] = bytes;
    return true;
}

static bool build(struct builder *b, struct sim_err *err)
{
    const struct launch_spec *s = b->spec;
    if (s->grid.x % s->cluster.x || s->grid.y % s->cluster.y || s->grid.z % s->cluster.z)
        return BUILD_ERROR(b, s->line, err,
                           "launch '%s': the grid must be whole clusters of %ux%ux%u CTAs", s->name,
                           s->cluster.x, s->cluster.y, s->cluster.z);
    TRY(find_code(b, err));
    TRY(read_cubin(b, err));
    TRY(find_resources(b, err));
    TRY(place_params(b, err));
    TRY(make_buffers(b, err));
    return fill_bank0(b, err);
}

bool launch_create(struct launch **out, const struct launch_spec *spec,
                   const struct launch_sources *src, struct sim_err *err)
{
    *out = NULL;
    struct launch *l = calloc(1, sizeof *l);
    struct builder *b = calloc(1, sizeof *b);
    bool ok = (l && b) || err_memory(err, "making a launch");
    if (ok) {
        l->spec = spec;
        l->emu.kernel = spec->kernel;
        l->emu.file = src->file->path;
        l->emu.grid = spec->grid;
        l->emu.block = spec->block;
        l->emu.checks = src->checks;
        *b = (struct builder){.l = l, .spec = spec, .src = src};
        ok = build(b, err);
    }
    free(b);
    if (ok)
        *out = l;
    else
        launch_free(l);
    return ok;
}

void launch_free(struct launch *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < l->emu.buffer_count; i++)
        free(l->emu.buffers[i].data);
    arena_free(&l->arena);
    free(l);
}

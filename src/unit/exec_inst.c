#include "unit/exec_inst.h"

#include <stdlib.h>
#include <string.h>

#include "isa/modifier.h"

uint32_t dep_register(uint32_t file, uint32_t index)
{
    switch (file) {
    case REG_GENERAL:
        return index < 255 ? index : DEP_REGISTERS;
    case REG_UNIFORM:
        return index < 255 ? DEP_UNIFORM_BASE + index : DEP_REGISTERS;
    case REG_PREDICATE:
        return index < 7 ? DEP_PREDICATE_BASE + index : DEP_REGISTERS;
    case REG_UNIFORM_PREDICATE:
        return index < 7 ? DEP_UNIFORM_PREDICATE_BASE + index : DEP_REGISTERS;
    default:
        return DEP_REGISTERS;
    }
}

static void add_id(uint16_t *ids, uint8_t *count, uint32_t max, uint32_t id)
{
    if (id == DEP_REGISTERS)
        return;
    for (uint32_t i = 0; i < *count; i++) {
        if (ids[i] == id)
            return;
    }
    if (*count < max)
        ids[(*count)++] = (uint16_t)id;
}

/* A register named twice is read once (H200 probes, section 3). */
static void add_read(struct exec_inst *e, const struct operand *o, uint32_t reg, bool cacheable)
{
    uint8_t slot = (uint8_t)(1u << (o->slot < RFC_SLOTS ? o->slot : RFC_SLOTS - 1));
    for (uint32_t i = 0; i < e->read_count; i++) {
        if (e->reads[i].reg == reg) {
            e->reads[i].slots |= slot;
            e->reads[i].reuse |= o->reuse ? slot : 0;
            e->reads[i].cacheable &= cacheable;
            return;
        }
    }
    if (e->read_count == EXEC_MAX_READS)
        return;
    struct reg_read *r = &e->reads[e->read_count++];
    r->reg = (uint8_t)reg;
    r->bank = (uint8_t)(reg % RF_BANKS);
    r->slots = slot;
    r->reuse = o->reuse ? slot : 0;
    r->cacheable = cacheable;
    e->bank_reads[r->bank]++;
}

static void add_operand(struct exec_inst *e, const struct operand *o)
{
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t reg = o->index + i;
        uint32_t id = dep_register(o->file, reg);
        if (o->role == OPERAND_DEST) {
            add_id(e->dests, &e->dest_count, EXEC_MAX_WRITES, id);
            if (o->file == REG_GENERAL && reg < REG_RZ)
                e->bank_writes[reg % RF_BANKS]++;
            continue;
        }
        add_id(e->sources, &e->source_count, EXEC_MAX_DEPS, id);
        if (o->file == REG_GENERAL && reg < REG_RZ)
            add_read(e, o, reg, i < RF_BANKS);
    }
}

static bool is_predicate(const struct operand *o)
{
    return o->file == REG_PREDICATE || o->file == REG_UNIFORM_PREDICATE;
}

static uint32_t width_index(const struct inst *in)
{
    uint32_t bytes = in->matrix_count ? 4u * in->matrix_count : in->mem_width;
    return bytes <= 4 ? 0 : bytes <= 8 ? 1 : 2;
}

static uint32_t find_set(struct exec_table *t, uint32_t units, bool all)
{
    for (uint32_t i = 0; i < t->set_count; i++) {
        if (t->sets[i].units == units && t->sets[i].all == all)
            return i;
    }
    if (t->set_count == MAX_UNIT_SETS)
        return 0;
    t->sets[t->set_count] = (struct unit_set){units, all};
    return t->set_count++;
}

static uint32_t memory_flags(const struct inst *in)
{
    uint32_t f = 0;
    if (!op_class_is_memory((enum op_class)in->op_class))
        return 0;
    if (in->mem_space == MEM_SHARED)
        f |= EXEC_MEMORY | EXEC_SHARED;
    else if (in->mem_space == MEM_CONSTANT)
        f |= EXEC_CONSTANT;
    else if (in->mem_space == MEM_GLOBAL || in->mem_space == MEM_LOCAL ||
             in->mem_space == MEM_GENERIC)
        f |= EXEC_MEMORY | EXEC_GLOBAL | EXEC_LONG;
    if (in->mem_space == MEM_LOCAL)
        f |= EXEC_LOCAL;
    if (in->op_class == OP_CLASS_ldgsts)
        f |= EXEC_COPY | EXEC_GLOBAL | EXEC_LONG | EXEC_MEMORY;
    if ((f & EXEC_GLOBAL) && (in->flags & (INST_BYPASS_L1 | INST_ATOMIC)))
        f |= EXEC_TO_L2;
    return f;
}

static enum l1d_op l1d_op_of(const struct inst *in)
{
    if (in->flags & INST_ATOMIC)
        return (in->flags & INST_LOAD) ? L1D_ATOMIC : L1D_REDUCTION;
    if (in->mem_space == MEM_LOCAL)
        return (in->flags & INST_LOAD) ? L1D_LOCAL_LOAD : L1D_LOCAL_STORE;
    return (in->flags & INST_LOAD) ? L1D_GLOBAL_LOAD : L1D_GLOBAL_STORE;
}

/* Lanes exchange data, or get data of their own, over the data path of shared memory. */
static bool takes_lane_pass(const struct inst *in)
{
    return in->op_class == OP_CLASS_shfl || in->op_class == OP_CLASS_movm ||
           (in->op_class == OP_CLASS_s2r && in->text &&
            (strstr(in->text, "SR_TID") || strstr(in->text, "SR_LANEID")));
}

/* What modifiers change of an access. */
static uint32_t variant_flags(const struct inst *in)
{
    uint32_t f = takes_lane_pass(in) ? EXEC_LANE_PASS : 0;
    if ((in->flags & INST_ATOMIC) && modifier_has(in->opcode, "POPC"))
        f |= EXEC_COUNTING;
    if ((in->flags & INST_ATOMIC) &&
        (modifier_has(in->opcode, "CAS") || modifier_has(in->opcode, "CAST")))
        f |= EXEC_CAS;
    if ((in->flags & INST_LOAD) &&
        (modifier_has(in->opcode, "NA") || modifier_has(in->opcode, "LU")))
        f |= EXEC_NO_ALLOCATE;
    return f;
}

static void set_control(struct exec_inst *e, const struct inst *in, bool control_bits,
                        const struct config *cfg)
{
    e->stall = 1;
    e->write_bar = e->read_bar = NO_COUNTER;
    if (!control_bits)
        return;
    e->flags |= EXEC_CONTROL_BITS;
    e->wait_mask = in->ctrl.wait_mask;
    e->write_bar = in->ctrl.write_bar < DEP_COUNTERS ? in->ctrl.write_bar : NO_COUNTER;
    e->read_bar = in->ctrl.read_bar < DEP_COUNTERS ? in->ctrl.read_bar : NO_COUNTER;
    e->stall = in->ctrl.stall;
    if (in->ctrl.stall == 0 && in->ctrl.yield) {
        e->stall = (uint8_t)cfg->issue.drain_cycles;
        e->flags |= EXEC_DRAIN;
    } else if (in->ctrl.yield && in->ctrl.stall <= 1) {
        e->stall = 2; /* not in the next cycle */
        e->flags |= EXEC_YIELD;
    } else if (in->ctrl.stall == 0) {
        e->stall = 2; /* H200 probes, section 6 */
    }
}

/* On Hopper instructions of the fixed-latency datapaths do not look at barriers. */
static bool passes_barrier(const struct exec_inst *e, const struct op_cfg *op)
{
    return e->queue == QUEUE_none && op->units && !(op->units & UNIT_BIT(control)) &&
           (e->flags & EXEC_CONTROL_BITS) && !e->wait_mask;
}

static void build(struct exec_table *t, struct exec_inst *e, const struct inst *in,
                  const struct config *cfg)
{
    const struct op_cfg *op = &cfg->op[in->op_class];
    uint32_t w = width_index(in);
    memset(e, 0, sizeof *e);
    e->inst = in;
    e->line = in->pc / cfg->icache.line_bytes;
    e->inst_flags = in->flags;
    e->op_class = in->op_class;
    e->queue = (uint8_t)op->queue;
    e->shared_unit = (uint8_t)op->shared_unit;
    e->unit_set = (uint8_t)(op->units ? find_set(t, op->units, op->all_units) : 0);
    e->interval = (uint16_t)op->interval[w];
    e->shared_interval = (uint16_t)op->shared_interval[w];
    e->grant = (uint16_t)op->grant[w];
    e->full_warp = (uint16_t)op->full_warp[w];
    e->width_passes = (uint8_t)(1u << w);
    e->blocks = op->blocks;
    e->blocks_interval = (uint16_t)op->blocks_interval;
    e->war = (uint16_t)op->war[w];
    e->raw = (uint16_t)op->raw[w];
    e->latency = (uint16_t)op->latency;
    e->latency_other = (uint16_t)op->latency_other;
    e->scoreboard_latency =
        (uint16_t)(((in->flags & INST_PREDICATE_DEST) ? cfg->latency.guard : op->latency) +
                   cfg->dependence.scoreboard_release_cycles);
    e->allocate_hold = (uint8_t)op->allocate_hold;
    e->operand_latency = (uint8_t)op->operand_latency;
    e->flags = memory_flags(in);
    e->l1d_op = (uint8_t)l1d_op_of(in);
    e->flags |= variant_flags(in);
    if (op->queue == QUEUE_texture)
        e->flags |= EXEC_LONG;
    set_control(e, in, t->control_bits, cfg);
    if (cfg->sm.barrier_lets_pass && passes_barrier(e, op))
        e->flags |= EXEC_PASSES_BARRIER;
    /* Predicates are read at issue, registers where the operands are read. */
    for (uint32_t i = 0; i < in->operand_count; i++) {
        if (!is_predicate(&in->operands[i]))
            add_operand(e, &in->operands[i]);
    }
    e->queued_source_count = e->source_count;
    for (uint32_t i = 0; i < in->operand_count; i++) {
        if (is_predicate(&in->operands[i]))
            add_operand(e, &in->operands[i]);
    }
    if (in->guard != 7)
        add_id(e->sources, &e->source_count, EXEC_MAX_DEPS,
               dep_register(in->guard_file, in->guard));
    if (e->dest_count > 0)
        e->flags |= EXEC_RESULT;
    uint32_t regs = (uint32_t)e->bank_writes[0] + e->bank_writes[1];
    e->return_registers = (uint8_t)(regs ? regs : e->dest_count > 0);
}

bool exec_table_grow(struct exec_table *t, const struct kernel *k, const struct config *cfg,
                     struct sim_err *err)
{
    if (t->set_count == 0)
        t->set_count = 1;
    if (k->inst_count > t->cap) {
        uint32_t cap = t->cap ? t->cap : 256;
        while (cap < k->inst_count)
            cap *= 2;
        struct exec_inst *p = realloc(t->insts, cap * sizeof *p);
        if (!p)
            return err_memory(err, "decoding instructions");
        t->insts = p;
        t->cap = cap;
    }
    for (; t->count < k->inst_count; t->count++)
        build(t, &t->insts[t->count], k->insts[t->count], cfg);
    return true;
}

void exec_table_free(struct exec_table *t)
{
    free(t->insts);
    memset(t, 0, sizeof *t);
}

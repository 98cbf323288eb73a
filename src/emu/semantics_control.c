/* Branches, calls, ends of threads, and instructions that do nothing here. */
#include <inttypes.h>

#include "base/bits.h"
#include "emu/barrier.h"
#include "emu/control.h"
#include "emu/cta.h"
#include "emu/flow.h"
#include "emu/semantics.h"
#include "isa/modifier.h"

void emu_run_nothing(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)w;
    (void)op;
    (void)mask;
}

uint32_t emu_control_register(const struct emu_decode *d, enum reg_file file)
{
    for (uint32_t i = 0; i < d->text.arg_count; i++)
        if (d->text.args[i].kind == SASS_REGISTER && d->text.args[i].regs[0].file == file)
            return i;
    return UINT32_MAX;
}

bool emu_control_predicate(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    uint32_t arg = emu_control_register(d, REG_PREDICATE);
    if (arg == UINT32_MAX)
        arg = emu_control_register(d, REG_UNIFORM_PREDICATE);
    return arg == UINT32_MAX || emu_psource_from_arg(op, 0, d, arg, err);
}

bool emu_control_barrier(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    uint32_t arg = emu_control_register(d, REG_BARRIER);
    if (arg == UINT32_MAX)
        return emu_decode_error(d, err, "expected a convergence barrier B0 to B15");
    op->param[0] = d->text.args[arg].regs[0].index;
    return true;
}

static bool need_target(const struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    return op->target != EMU_NO_TARGET ||
           emu_decode_error(d, err, "expected a target inside the kernel's code");
}

static void run_jump(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t taken = mask & emu_predicate_of(w, &op->psource[0]);
    if (taken)
        emu_flow_jump(w->flow, taken, op->target);
}

/* BRA.DIV: taken when lanes of the given mask are missing; BRA.CONV: when none is. */
static void run_jump_diverged(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t want = emu_lane_value(w, &op->source[0], lowest_bit(mask)) & w->exists & ~w->exited;
    bool diverged = (want & ~w->flow->active) != 0;
    if (diverged == (op->param[0] != 0))
        run_jump(w, op, mask);
}

/* Lanes go to the byte offsets that they hold in a register pair, plus param[0..1]. */
static void run_jump_register(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    struct emu_flow *f = w->flow;
    const struct emu_source *s = &op->source[0];
    emu_lanes lo_space, hi_space;
    const uint32_t *lo = emu_lanes_of(w, s, lo_space);
    const uint32_t *hi = emu_lanes_hi_of(w, s, hi_space);
    uint64_t base = (uint64_t)op->param[1] << 32 | op->param[0];
    uint32_t left = mask & emu_predicate_of(w, &op->psource[0]);
    struct emu_group to[WARP_LANES + 1];
    uint32_t n = 0;
    if (f->active & ~left)
        to[n++] = (struct emu_group){.mask = f->active & ~left, .pc = f->pc};
    while (left) {
        uint32_t first = lowest_bit(left), same = 0;
        for (uint32_t i = first; i < WARP_LANES; i++)
            if (left >> i & 1 && lo[i] == lo[first] && hi[i] == hi[first])
                same |= 1u << i;
        uint64_t pc = base + ((uint64_t)hi[first] << 32 | lo[first]);
        if (pc % INST_BYTES || pc / INST_BYTES >= f->code_count) {
            emu_fault_set(w, op, first, "jump to 0x%" PRIx64 ", outside of the kernel's code", pc);
            return;
        }
        to[n++] = (struct emu_group){.mask = same, .pc = (uint32_t)(pc / INST_BYTES)};
        left &= ~same;
    }
    emu_flow_split(f, to, n);
}

/* The register pair of an indirect jump, and what is added to it. */
static bool decode_indirect(struct emu_op *op, const struct emu_decode *d, uint32_t arg,
                            struct sim_err *err)
{
    TRY(emu_source_from_arg(op, d, arg, 64, false, err));
    uint64_t base = 0;
    if (emu_has(d, "REL") && op->target != EMU_NO_TARGET)
        base = (uint64_t)op->target * INST_BYTES; /* the text names the place itself */
    else if (arg + 1 < d->text.arg_count && d->text.args[arg + 1].is_integer) {
        struct emu_op offset = {0};
        TRY(emu_source_from_arg(&offset, d, arg + 1, 64, false, err));
        base = offset.source[0].value;
        if (modifier_base_is(d->inst->opcode, "BRX") || modifier_base_is(d->inst->opcode, "BRXU"))
            base += d->inst->pc + INST_BYTES;
    }
    op->param[0] = (uint32_t)base;
    op->param[1] = (uint32_t)(base >> 32);
    op->run = run_jump_register;
    return true;
}

static uint32_t jump_register(const struct emu_decode *d)
{
    uint32_t arg = emu_control_register(d, REG_GENERAL);
    return arg != UINT32_MAX ? arg : emu_control_register(d, REG_UNIFORM);
}

bool emu_decode_jump(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(emu_control_predicate(op, d, err));
    uint32_t arg = jump_register(d);
    bool div = emu_has(d, "DIV"), conv = emu_has(d, "CONV");
    if (arg != UINT32_MAX && !div && !conv)
        return decode_indirect(op, d, arg, err);
    TRY(need_target(op, d, err));
    op->run = run_jump;
    if (div || conv) {
        if (arg == UINT32_MAX)
            return emu_decode_error(d, err, "expected a register with a mask of lanes");
        TRY(emu_source_from_arg(op, d, arg, 32, false, err));
        op->param[0] = div;
        op->run = run_jump_diverged;
    }
    return true;
}

static void run_exit(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t ends = mask & emu_predicate_of(w, &op->psource[0]);
    if (!ends)
        return;
    emu_flow_exit(w, ends);
    emu_barriers_after_exit(w->flow->barriers);
}

bool emu_decode_exit(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_exit;
    return emu_control_predicate(op, d, err);
}

static void run_trap(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_fault_set(w, op, lowest_bit(mask), "trap: the kernel stops itself (assertion or __trap)");
}

bool emu_decode_bpt(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    (void)err;
    op->run = emu_has(d, "DRAIN") ? emu_run_nothing : run_trap;
    return true;
}

bool emu_decode_nothing(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    (void)d;
    (void)err;
    op->run = emu_run_nothing;
    return true;
}

/* LEPC: addresses of code are offsets in the kernel. */
static void run_lepc(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        w->r[op->dest][lowest_bit(lanes)] = op->param[0];
        w->r[op->dest + 1][lowest_bit(lanes)] = 0;
    }
}

static void run_ulepc(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    w->ur[op->dest] = op->param[0];
    w->ur[op->dest + 1] = 0;
}

static bool decode_lepc(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(emu_dest_from_arg(op, d, 0, err));
    op->param[0] = d->inst->pc;
    if (d->text.arg_count > 1) {
        TRY(need_target(op, d, err));
        op->param[0] = op->target * INST_BYTES;
    }
    return true;
}

bool emu_decode_lepc(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_lepc;
    return decode_lepc(op, d, err);
}

bool emu_decode_ulepc(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_ulepc;
    return decode_lepc(op, d, err);
}

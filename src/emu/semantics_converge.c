/* Convergence of lanes in a warp: BSSY, BSYNC, BREAK, BMOV, WARPSYNC, YIELD, ELECT. */
#include "base/bits.h"
#include "emu/control.h"
#include "emu/flow.h"
#include "emu/semantics.h"

static void run_bssy(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_flow_set_members(w->flow, op->param[0], mask);
}

static void run_bsync(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t lanes = mask & emu_predicate_of(w, &op->psource[0]);
    if (lanes)
        emu_flow_bsync(w, op->param[0], lanes);
}

static void run_break(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t lanes = mask & emu_predicate_of(w, &op->psource[0]);
    if (lanes)
        emu_flow_break(w, op->param[0], lanes);
}

bool emu_decode_bssy(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_bssy;
    return emu_control_barrier(op, d, err);
}

bool emu_decode_bsync(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_bsync;
    TRY(emu_control_predicate(op, d, err));
    return emu_control_barrier(op, d, err);
}

bool emu_decode_break(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_break;
    TRY(emu_control_predicate(op, d, err));
    return emu_control_barrier(op, d, err);
}

/* BMOV R, B: a lane reads the members as it knows them; param[1]: clears them. */
static void run_bmov_read(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t *members = w->flow->members[op->param[0]];
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        uint32_t lane = lowest_bit(lanes);
        w->r[op->dest][lane] = members[lane];
        if (op->param[1])
            members[lane] = 0;
    }
}

static void run_bmov_write(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t *members = w->flow->members[op->param[0]];
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
        members[lowest_bit(lanes)] = emu_lane_value(w, &op->source[0], lowest_bit(lanes));
}

bool emu_decode_bmov(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(emu_control_barrier(op, d, err));
    if (emu_control_register(d, REG_BARRIER) == 0) {
        op->run = run_bmov_write;
        return emu_source_from_arg(op, d, 1, 32, false, err);
    }
    op->run = run_bmov_read;
    op->param[1] = emu_has(d, "CLEAR");
    return emu_dest_from_arg(op, d, 0, err);
}

static void run_warpsync(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t want =
        op->source_count ? emu_lane_value(w, &op->source[0], lowest_bit(mask)) : w->exists;
    emu_flow_warpsync(w, want, mask);
}

bool emu_decode_warpsync(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_warpsync;
    if (emu_has(d, "ALL"))
        return true;
    return emu_source_from_arg(op, d, 0, 32, false, err);
}

static void run_yield(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)op;
    (void)mask;
    emu_flow_rotate(w->flow);
}

bool emu_decode_yield(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    (void)d;
    (void)err;
    op->run = run_yield;
    return true;
}

/* Other warps go on first: the warp may wait for what they do. */
static void run_nanosleep(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    run_yield(w, op, mask);
    w->flow->yields = true;
}

bool emu_decode_nanosleep(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    (void)d;
    (void)err;
    op->run = run_nanosleep;
    return true;
}

/* The lowest lane is elected: its predicate is true, its number goes to the uniform register. */
static void run_elect(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t lanes = mask & emu_predicate_of(w, &op->psource[0]);
    uint32_t elected = lanes & (0 - lanes);
    emu_write_predicate(w, op->pdest[0], elected, mask);
    w->ur[op->dest] = lanes ? lowest_bit(lanes) : 0;
}

bool emu_decode_elect(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_elect;
    TRY(emu_pdest_from_arg(op, 0, d, 0, err));
    TRY(emu_dest_from_arg(op, d, 1, err));
    return d->text.arg_count < 3 || emu_psource_from_arg(op, 0, d, 2, err);
}

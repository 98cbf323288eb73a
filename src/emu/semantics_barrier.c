/* CTA barriers: BAR.SYNC, BAR.ARV, BAR.RED. */
#include "base/bits.h"
#include "emu/barrier.h"
#include "emu/control.h"
#include "emu/flow.h"
#include "emu/semantics.h"

enum bar_kind { BAR_KIND_SYNC, BAR_KIND_ARRIVE, BAR_KIND_REDUCE };

/* param[0] = kind, param[1] = reduction; sources: barrier, threads */
static void run_bar(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t lane = lowest_bit(mask);
    struct emu_arrival a = {.mask = mask, .waits = op->param[0] != BAR_KIND_ARRIVE};
    a.id = emu_lane_value(w, &op->source[0], lane);
    a.expected = op->source_count > 1 ? emu_lane_value(w, &op->source[1], lane) : 0;
    if (a.id >= EMU_BARRIERS) {
        emu_fault_set(w, op, lane, "expected a barrier 0 to %d, found %u", EMU_BARRIERS - 1, a.id);
        return;
    }
    if (a.expected % WARP_LANES) {
        emu_fault_set(w, op, lane, "expected a multiple of 32 threads, found %u", a.expected);
        return;
    }
    if (op->param[0] == BAR_KIND_REDUCE) {
        a.reduction = (uint8_t)op->param[1];
        a.value = emu_predicate_of(w, &op->psource[0]);
    }
    emu_barrier_arrive(w, &a);
}

static bool decode_kind(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    if (emu_has(d, "SYNC") || emu_has(d, "SYNCALL")) {
        op->param[0] = BAR_KIND_SYNC;
    } else if (emu_has(d, "ARV")) {
        op->param[0] = BAR_KIND_ARRIVE;
    } else if (emu_has(d, "RED")) {
        op->param[0] = BAR_KIND_REDUCE;
        op->param[1] = emu_has(d, "POPC")  ? EMU_REDUCE_POPC
                       : emu_has(d, "AND") ? EMU_REDUCE_AND
                                           : EMU_REDUCE_OR;
    } else {
        return emu_decode_error(d, err, "expected BAR.SYNC, BAR.ARV or BAR.RED");
    }
    return true;
}

bool emu_decode_bar(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    TRY(decode_kind(op, d, err));
    op->run = run_bar;
    TRY(emu_control_predicate(op, d, err));
    uint32_t predicate = emu_control_register(d, REG_PREDICATE);
    for (uint32_t i = 0; i < d->text.arg_count && op->source_count < 2; i++)
        if (i != predicate)
            TRY(emu_source_from_arg(op, d, i, 32, false, err));
    if (op->source_count == 0)
        return emu_decode_error(d, err, "expected a barrier's number");
    return true;
}

/* Special registers: S2R, S2UR, CS2R, CS2UR; results of barrier reductions: B2R. */
#include <string.h>

#include "base/bits.h"
#include "emu/memory.h"
#include "emu/memory_transfer.h"
#include "emu/semantics.h"

static const char *const names[] = {
#define SPECIAL(name, value) name,
#include "emu/special.def"
#undef SPECIAL
};

enum { SPECIAL_COUNT = sizeof names / sizeof names[0] };

/* Warps an SM can hold. */
static uint32_t warps_of_an_sm(uint32_t sm)
{
    switch (sm) {
    case 75:
        return 32;
    case 86:
    case 87:
    case 89:
    case 120:
    case 121:
        return 48;
    default:
        return 64;
    }
}

/* Value of special register `index` in a lane. */
static uint64_t value_of(const struct emu_warp *w, uint32_t index, uint32_t lane)
{
    const struct emu_cta *cta = w->cta;
    const struct emu_launch *launch = cta->launch;
    uint32_t thread = w->index * WARP_LANES + lane;
    uint32_t n = 0;
#define SPECIAL(name, value)                                                                       \
    if (index == n++)                                                                              \
        return (uint64_t)(value);
#include "emu/special.def"
#undef SPECIAL
    return 0;
}

/* param[0]: index of the special register; param[1]: words of the result. */
static void run_s2r(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes low, high;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint64_t v = value_of(w, op->param[0], i);
        low[i] = (uint32_t)v;
        high[i] = (uint32_t)(v >> 32);
    }
    emu_write_lanes(w->r[op->dest], low, mask);
    if (op->param[1] == 2)
        emu_write_lanes(w->r[op->dest + 1], high, mask);
}

/* What is not the same in all lanes is taken from the first active one. */
static void run_s2ur(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t v = value_of(w, op->param[0], lowest_bit(mask));
    w->ur[op->dest] = (uint32_t)v;
    if (op->param[1] == 2)
        w->ur[op->dest + 1] = (uint32_t)(v >> 32);
}

static bool decode_special(struct emu_op *op, const struct emu_decode *d, uint32_t words,
                           struct sim_err *err)
{
    TRY(emu_dest_from_arg(op, d, 0, err));
    if (d->text.arg_count != 2 || d->text.args[1].kind != SASS_NAME)
        return emu_decode_error(d, err, "expected the name of a special register");
    const struct sass_arg *a = &d->text.args[1];
    op->param[1] = words;
    if (words == 2 && op->dest != EMU_SINK && op->dest + 1 >= REG_RZ)
        return emu_decode_error(d, err, "the destination reaches past the last register");
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        if (strlen(names[i]) == a->len && memcmp(names[i], a->text, a->len) == 0) {
            op->param[0] = i;
            return true;
        }
    return emu_decode_error(d, err, "special register %.*s has no semantics yet", (int)a->len,
                            a->text);
}

bool emu_decode_s2r(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_s2r;
    return decode_special(op, d, 1, err);
}

bool emu_decode_s2ur(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_s2ur;
    return decode_special(op, d, 1, err);
}

bool emu_decode_cs2r(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_s2r;
    return decode_special(op, d, emu_has(d, "32") ? 1 : 2, err);
}

bool emu_decode_cs2ur(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_s2ur;
    return decode_special(op, d, emu_has(d, "32") ? 1 : 2, err);
}

static void run_b2r(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t result = w->cta->barrier_result[w->index];
    emu_lanes out;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        out[i] = result;
    emu_write_lanes(w->r[op->dest], out, mask);
    emu_write_predicate(w, op->pdest[0], result ? ~0u : 0, mask);
}

/* "B2R.RESULT R2" and "B2R.RESULT RZ, P0". */
bool emu_decode_b2r(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_b2r;
    if (!emu_has(d, "RESULT"))
        return emu_decode_error(d, err, "only B2R.RESULT has semantics");
    TRY(emu_dest_from_arg(op, d, 0, err));
    return d->text.arg_count < 2 || emu_pdest_from_arg(op, 0, d, 1, err);
}

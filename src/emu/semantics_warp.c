/* What lanes of a warp tell each other: SHFL, VOTE, VOTEU, MATCH, REDUX, CREDUX. */
#include <string.h>

#include "base/bits.h"
#include "emu/hot.h"
#include "emu/memory_transfer.h"
#include "emu/semantics.h"

enum shuffle { SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY };

/* Source lane of every lane. `b` is an offset or a lane, `c` holds the clamp in bits 0 to 4 and the
 * mask of lane bits that name a segment in bits 8 to 12. Returns the lanes whose source is in their
 * segment; the others read themselves. Only the low five bits of b count. */
EMU_HOT static uint32_t source_lanes(uint32_t mode, const emu_lanes b, const emu_lanes c,
                                     emu_lanes from)
{
    uint32_t inside = 0;
    emu_lanes ok;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint32_t offset = b[i] & 31, clamp = c[i] & 31, segment = c[i] >> 8 & 31;
        uint32_t lowest = i & segment, bound = lowest | (clamp & ~segment & 31);
        int32_t up = (int32_t)i - (int32_t)offset;
        uint32_t j = mode == SHUFFLE_IDX    ? (lowest | (offset & ~segment))
                     : mode == SHUFFLE_DOWN ? i + offset
                                            : i ^ offset;
        ok[i] = mode == SHUFFLE_UP ? up >= (int32_t)bound : j <= bound;
        from[i] = !ok[i] ? i : mode == SHUFFLE_UP ? (uint32_t)up : j;
    }
    for (uint32_t i = 0; i < WARP_LANES; i++)
        inside |= ok[i] << i;
    return inside;
}

/* param[0] = enum shuffle. A lane that is not active gives 0. */
EMU_HOT static void run_shfl(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes tmp[3], from, out;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], tmp[0]);
    const uint32_t *b = emu_lanes_of(w, &op->source[1], tmp[1]);
    const uint32_t *c = emu_lanes_of(w, &op->source[2], tmp[2]);
    uint32_t inside = source_lanes(op->param[0], b, c, from);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        out[i] = mask >> from[i] & 1 ? a[from[i] & 31] : 0;
    emu_write_lanes(w->r[op->dest], out, mask);
    emu_write_predicate(w, op->pdest[0], inside, mask);
}

bool emu_decode_shfl(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    static const char *const modes[] = {"IDX", "UP", "DOWN", "BFLY"};
    op->run = run_shfl;
    uint32_t mode = 0;
    while (mode < 4 && !emu_has(d, modes[mode]))
        mode++;
    if (mode == 4)
        return emu_decode_error(d, err, "expected .IDX, .UP, .DOWN or .BFLY");
    op->param[0] = mode;
    TRY(emu_pdest_from_arg(op, 0, d, 0, err));
    TRY(emu_dest_from_arg(op, d, 1, err));
    for (uint32_t i = 0; i < 3; i++)
        TRY(emu_source_from_arg(op, d, 2 + i, 32, false, err));
    return true;
}

enum vote { VOTE_ANY, VOTE_ALL, VOTE_EQ };

static bool outcome(uint32_t mode, uint32_t votes, uint32_t mask)
{
    switch (mode) {
    case VOTE_ANY:
        return votes != 0;
    case VOTE_ALL:
        return votes == mask;
    default:
        return votes == 0 || votes == mask;
    }
}

/* param[0] = enum vote. */
static void run_vote(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t votes = emu_predicate_of(w, &op->psource[0]) & mask;
    emu_lanes out;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        out[i] = votes;
    emu_write_lanes(w->r[op->dest], out, mask);
    emu_write_predicate(w, op->pdest[0], outcome(op->param[0], votes, mask) ? ~0u : 0, mask);
}

static void run_voteu(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t votes = emu_predicate_of(w, &op->psource[0]) & mask;
    w->ur[op->dest] = votes;
    if (op->pdest[0] != 7) {
        uint32_t bit = 1u << op->pdest[0];
        bool set = outcome(op->param[0], votes, mask);
        w->up = (uint8_t)(set ? w->up | bit : w->up & ~bit);
    }
}

/* "VOTE.ANY [R2,] P0, P1": the register gets the votes of all lanes. */
static bool decode_vote(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    static const char *const modes[] = {"ANY", "ALL", "EQ"};
    uint32_t mode = 0, n = d->text.arg_count;
    while (mode < 3 && !emu_has(d, modes[mode]))
        mode++;
    if (mode == 3)
        return emu_decode_error(d, err, "expected .ANY, .ALL or .EQ");
    op->param[0] = mode;
    if (n != 2 && n != 3)
        return emu_decode_error(d, err, "expected two or three operands");
    if (n == 3)
        TRY(emu_dest_from_arg(op, d, 0, err));
    TRY(emu_pdest_from_arg(op, 0, d, n - 2, err));
    return emu_psource_from_arg(op, 0, d, n - 1, err);
}

bool emu_decode_vote(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_vote;
    return decode_vote(op, d, err);
}

bool emu_decode_voteu(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_voteu;
    return decode_vote(op, d, err);
}

/* Active lanes whose value is lane `i`'s. */
static uint32_t equals(uint32_t i, const uint32_t *low, const uint32_t *high, uint32_t mask)
{
    uint32_t same = 0;
    for (uint32_t j = 0; j < WARP_LANES; j++)
        same |= (uint32_t)(low[j] == low[i] && high[j] == high[i]) << j;
    return same & mask;
}

/* param[0]: ALL instead of ANY; param[1]: 64-bit values. */
static void run_match(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes tmp[2], out;
    const uint32_t *low = emu_lanes_of(w, &op->source[0], tmp[0]);
    const uint32_t *high = op->param[1] ? emu_lanes_hi_of(w, &op->source[0], tmp[1]) : w->r[REG_RZ];
    uint32_t first = equals(lowest_bit(mask), low, high, mask);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        out[i] = op->param[0] ? (first == mask ? mask : 0) : equals(i, low, high, mask);
    emu_write_lanes(w->r[op->dest], out, mask);
    emu_write_predicate(w, op->pdest[0], first == mask ? ~0u : 0, mask);
}

/* "MATCH.ANY R2, R3" and "MATCH.ALL P0, R2, R3". */
bool emu_decode_match(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    bool all = emu_has(d, "ALL");
    op->run = run_match;
    op->param[0] = all;
    op->param[1] = emu_has(d, "U64");
    if (!all && !emu_has(d, "ANY"))
        return emu_decode_error(d, err, "expected .ANY or .ALL");
    uint32_t arg = 0;
    if (all)
        TRY(emu_pdest_from_arg(op, 0, d, arg++, err));
    TRY(emu_dest_from_arg(op, d, arg, err));
    return emu_source_from_arg(op, d, arg + 1, op->param[1] ? 64 : 32, false, err);
}

enum reduction { REDUCE_AND, REDUCE_OR, REDUCE_XOR, REDUCE_SUM, REDUCE_MIN, REDUCE_MAX };

static uint32_t reduce(uint32_t how, uint32_t a, uint32_t b)
{
    switch (how) {
    case REDUCE_AND:
        return a & b;
    case REDUCE_OR:
        return a | b;
    case REDUCE_XOR:
        return a ^ b;
    case REDUCE_SUM:
        return a + b;
    case REDUCE_MIN:
        return a < b ? a : b;
    default:
        return a < b ? b : a;
    }
}

/* param[0] = enum reduction; param[1] = 0x80000000 to compare as signed. */
static void run_redux(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes tmp;
    const uint32_t *a = emu_lanes_of(w, &op->source[0], tmp);
    uint32_t flip = op->param[1];
    uint32_t v = a[lowest_bit(mask)] ^ flip;
    for (uint32_t left = mask & (mask - 1); left; left &= left - 1)
        v = reduce(op->param[0], v, a[lowest_bit(left)] ^ flip);
    w->ur[op->dest] = v ^ flip;
}

/* Without a name the operation is AND. */
bool emu_decode_redux(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    static const char *const names[] = {"AND", "OR", "XOR", "SUM", "MIN", "MAX"};
    op->run = run_redux;
    op->param[0] = REDUCE_AND;
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (emu_has(d, names[i]))
            op->param[0] = i;
    if (emu_has(d, "F32") || d->text.arg_count != 2 || d->text.args[0].kind != SASS_REGISTER ||
        d->text.args[0].regs[0].file != REG_UNIFORM)
        return emu_decode_error(d, err,
                                "only whole numbers from a register to a uniform register "
                                "have semantics");
    bool ordered = op->param[0] == REDUCE_MIN || op->param[0] == REDUCE_MAX;
    op->param[1] = ordered && emu_has(d, "S32") ? 0x80000000u : 0;
    TRY(emu_dest_from_arg(op, d, 0, err));
    return emu_source_from_arg(op, d, 1, 32, false, err);
}

/* MOV, MOV32I, UMOV, R2UR. */
#include "emu/lanes.h"
#include "emu/operands.h"
#include "emu/semantics.h"

static inline uint32_t move(uint32_t a, uint32_t p, uint32_t q)
{
    (void)p;
    (void)q;
    return a;
}
LANES_1(run_move, move)

EMU_HOT static void run_move_64(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    struct lanes64 a;
    lanes64_read(&a, w, &op->source[0]);
    emu_lanes hi;
    EACH_LANE(i)
    {
        hi[i] = a.hi[i];
    } /* the first store may overwrite it */
    uint32_t *d = w->r[op->dest], *e = w->r[op->dest + 1];
    LANES_STORE(d, mask, a.lo[i])
    LANES_STORE(e, mask, hi[i])
}

static void run_move_64_uniform(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    uniform64_write(w, op->dest, uniform64_of(w, &op->source[0]));
}

/* MOV d, a with, in some listings, the byte mask 0xf. */
bool emu_decode_mov(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "64 U32", err));
    uint32_t words = emu_has(d, "64") ? 2 : 1, bytes = 0xf;
    TRY(operands_dest(&o, words));
    TRY(operands_source(&o, 32 * words));
    if (operands_left(&o))
        TRY(operands_number(&o, 0xf, &bytes));
    if (bytes != 0xf)
        return emu_decode_error(d, err, "expected the byte mask 0xf, found 0x%x", bytes);
    if (words == 2)
        LANES_PICK(&o, run_move_64);
    else
        LANES_PICK(&o, run_move);
    return operands_end(&o);
}

/* The value of the first lane; code makes sure that all have the same. */
static void run_r2ur(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    emu_lanes tmp;
    w->ur[op->dest] = lanes_of(w, &op->source[0], tmp)[__builtin_ctz(mask)];
}

/* R2UR [P,] UR, R; .BROADCAST (sm_100) says that lanes may differ. */
bool emu_decode_r2ur(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    struct operands o;
    TRY(operands_start(&o, op, d, "BROADCAST", err));
    o.dest_file = REG_UNIFORM;
    TRY(operands_pdests(&o, 1));
    TRY(operands_no_pdest(&o));
    TRY(operands_dest(&o, 1));
    TRY(operands_source(&o, 32));
    op->run = run_r2ur;
    return operands_end(&o);
}

/* Global, generic and local loads and stores, QSPC, and waiting for copies. */
#include "emu/memory.h"
#include "emu/memory_address.h"
#include "emu/memory_transfer.h"
#include "emu/record.h"
#include "emu/semantics.h"

static void run_ldg(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t addr[WARP_LANES];
    struct emu_at at;
    emu_addresses(w, op, EMU_ADDRESS, addr);
    emu_report(w, mask, addr);
    if (emu_global_at(w, op, mask, addr, op->param[EMU_PARAM_BYTES], &at))
        emu_load(w, op, mask, &at, 4);
}

static void run_stg(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t addr[WARP_LANES];
    struct emu_at at;
    emu_addresses(w, op, EMU_ADDRESS, addr);
    emu_report(w, mask, addr);
    if (emu_global_at(w, op, mask, addr, op->param[EMU_PARAM_BYTES], &at))
        emu_store(w, op, mask, &at, 4);
}

static void run_ld(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t addr[WARP_LANES];
    struct emu_at at;
    emu_addresses(w, op, EMU_ADDRESS, addr);
    emu_report(w, mask, addr);
    if (emu_generic_at(w, op, mask, addr, EMU_READ, &at))
        emu_load_generic(w, op, mask, &at);
}

static void run_st(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t addr[WARP_LANES];
    struct emu_at at;
    emu_addresses(w, op, EMU_ADDRESS, addr);
    emu_report(w, mask, addr);
    if (emu_generic_at(w, op, mask, addr, EMU_WRITE, &at))
        emu_store_generic(w, op, mask, &at);
}

static void run_ldl(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t offset[WARP_LANES];
    struct emu_at at;
    emu_offsets(w, op, EMU_ADDRESS, offset);
    emu_report_offsets(w, mask, offset);
    if (emu_local_at(w, op, mask, offset, &at))
        emu_load(w, op, mask, &at, EMU_LOCAL_STEP);
}

static void run_stl(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t offset[WARP_LANES];
    struct emu_at at;
    emu_offsets(w, op, EMU_ADDRESS, offset);
    emu_report_offsets(w, mask, offset);
    if (emu_local_at(w, op, mask, offset, &at))
        emu_store(w, op, mask, &at, EMU_LOCAL_STEP);
}

/* "[P0,] R2, [address]": loads that also give a predicate have none of their own semantics here. */
static bool decode_load(struct emu_op *op, const struct emu_decode *d, bool far,
                        struct sim_err *err)
{
    uint32_t arg = 0;
    if (d->text.arg_count > 2 && d->text.args[0].kind == SASS_REGISTER &&
        d->text.args[0].regs[0].file == REG_PREDICATE) {
        if (!d->text.args[0].regs[0].zero)
            return emu_decode_error(d, err, "a load with a predicate result has no semantics yet");
        arg = 1;
    }
    if (d->text.arg_count != arg + 2)
        return emu_decode_error(d, err, "expected a destination and an address");
    TRY(emu_width_from_opcode(op, d, err));
    TRY(emu_dest_from_arg(op, d, arg, err));
    if (op->dest != EMU_SINK && op->dest + op->param[EMU_PARAM_BYTES] / 4 > REG_RZ)
        return emu_decode_error(d, err, "the destination reaches past R254");
    return emu_address_from_arg(op, EMU_ADDRESS, d, arg + 1, far, err);
}

static bool decode_store(struct emu_op *op, const struct emu_decode *d, bool far,
                         struct sim_err *err)
{
    if (d->text.arg_count != 2)
        return emu_decode_error(d, err, "expected an address and data");
    TRY(emu_width_from_opcode(op, d, err));
    TRY(emu_address_from_arg(op, EMU_ADDRESS, d, 0, far, err));
    return emu_data_from_arg(op, EMU_SOURCE_DATA, d, 1, op->param[EMU_PARAM_BYTES], err);
}

bool emu_decode_ldg(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_ldg;
    return decode_load(op, d, emu_has(d, "E"), err);
}

bool emu_decode_stg(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_stg;
    return decode_store(op, d, emu_has(d, "E"), err);
}

bool emu_decode_ld(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_ld;
    return decode_load(op, d, emu_has(d, "E"), err);
}

bool emu_decode_st(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_st;
    return decode_store(op, d, emu_has(d, "E"), err);
}

bool emu_decode_ldl(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_ldl;
    return decode_load(op, d, false, err);
}

bool emu_decode_stl(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_stl;
    return decode_store(op, d, false, err);
}

/* Spaces QSPC asks for; a CTA without a cluster shares its distributed shared memory with nobody.
 */
enum query { QUERY_SHARED, QUERY_LOCAL, QUERY_GLOBAL };

static void run_qspc(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t addr[WARP_LANES];
    emu_addresses(w, op, EMU_ADDRESS, addr);
    emu_report(w, mask, addr);
    uint32_t shared = emu_in_shared_window(addr), local = emu_in_local_window(addr);
    uint32_t is = op->param[EMU_PARAM_BYTES] == QUERY_SHARED  ? shared
                  : op->param[EMU_PARAM_BYTES] == QUERY_LOCAL ? local
                                                              : ~(shared | local);
    emu_write_predicate(w, op->pdest[0], is, mask);
}

bool emu_decode_qspc(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_qspc;
    TRY(emu_pdest_from_arg(op, 0, d, 0, err));
    TRY(emu_dest_from_arg(op, d, 1, err));
    if (op->dest != EMU_SINK)
        return emu_decode_error(d, err, "QSPC with a register result has no semantics yet");
    if (emu_has(d, "S") || emu_has(d, "D"))
        op->param[EMU_PARAM_BYTES] = QUERY_SHARED;
    else if (emu_has(d, "L"))
        op->param[EMU_PARAM_BYTES] = QUERY_LOCAL;
    else if (emu_has(d, "G"))
        op->param[EMU_PARAM_BYTES] = QUERY_GLOBAL;
    else
        return emu_decode_error(d, err, "expected .S, .D, .L or .G");
    return emu_address_from_arg(op, EMU_ADDRESS, d, 2, emu_has(d, "E"), err);
}

static void run_nothing(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)w;
    (void)op;
    (void)mask;
}

/* LDGDEPBAR and DEPBAR: copies are complete when they are issued. */
bool emu_decode_depbar(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    (void)d;
    (void)err;
    op->run = run_nothing;
    return true;
}

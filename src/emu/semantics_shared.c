/* Shared memory: LDS, STS, the matrix forms LDSM and STSM, and the copy LDGSTS. */
#include <string.h>

#include "base/bits.h"
#include "emu/memory.h"
#include "emu/memory_address.h"
#include "emu/memory_transfer.h"
#include "emu/semantics.h"

static void run_lds(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t offset[WARP_LANES];
    struct emu_at at;
    emu_offsets(w, op, EMU_ADDRESS, offset);
    emu_report_offsets(w, mask, offset);
    if (emu_shared_at(w, op, mask, offset, EMU_READ, &at))
        emu_load(w, op, mask, &at, 4);
}

/* "LDS RZ, [RZ]" waits for the memory unit; what it reads is nobody's. */
static void run_lds_nothing(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t offset[WARP_LANES];
    emu_offsets(w, op, EMU_ADDRESS, offset);
    emu_report_offsets(w, mask, offset);
}

static void run_sts(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint32_t offset[WARP_LANES];
    struct emu_at at;
    emu_offsets(w, op, EMU_ADDRESS, offset);
    emu_report_offsets(w, mask, offset);
    if (emu_shared_at(w, op, mask, offset, EMU_WRITE, &at))
        emu_store(w, op, mask, &at, 4);
}

bool emu_decode_lds(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    if (d->text.arg_count != 2)
        return emu_decode_error(d, err, "expected a destination and an address");
    TRY(emu_width_from_opcode(op, d, err));
    TRY(emu_dest_from_arg(op, d, 0, err));
    op->run = op->dest == EMU_SINK ? run_lds_nothing : run_lds;
    if (op->dest != EMU_SINK && op->dest + op->param[EMU_PARAM_BYTES] / 4 > REG_RZ)
        return emu_decode_error(d, err, "the destination reaches past R254");
    return emu_address_from_arg(op, EMU_ADDRESS, d, 1, false, err);
}

bool emu_decode_sts(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    if (d->text.arg_count != 2)
        return emu_decode_error(d, err, "expected an address and data");
    op->run = run_sts;
    TRY(emu_width_from_opcode(op, d, err));
    TRY(emu_address_from_arg(op, EMU_ADDRESS, d, 0, false, err));
    return emu_data_from_arg(op, EMU_SOURCE_DATA, d, 1, op->param[EMU_PARAM_BYTES], err);
}

/* LDSM and STSM move 8x8 matrices of 16-bit elements. Lane 8m + r gives the address of row r of
 * matrix m, 16 bytes; lane i holds elements 2(i % 4) and 2(i % 4) + 1 of row i / 4, or of column
 * i / 4 when the matrix is transposed on the way. */
#define MATRIX_ROW_BYTES 16u
#define MATRIX_ROWS 8u
#define PARAM_MATRICES 3 /* param[]: matrices; bit 8: transposed */
#define TRANSPOSED 0x100u

/* Byte place of half `h` of lane `i`'s register in a matrix whose rows are at `row`. */
static uint8_t *element(uint8_t *const row[MATRIX_ROWS], uint32_t i, uint32_t h, bool transposed)
{
    uint32_t along = 2 * (i % 4) + h, across = i / 4;
    return transposed ? row[along] + 2 * (size_t)across : row[across] + 2 * (size_t)along;
}

/* Rows of all matrices; false after a fault. */
static bool matrix_rows(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                        enum emu_use use, struct emu_at *at)
{
    uint32_t matrices = op->param[PARAM_MATRICES] & 0xff;
    uint32_t offset[WARP_LANES];
    emu_offsets(w, op, EMU_ADDRESS, offset);
    emu_report_offsets(w, mask, offset);
    if (mask != ~0u) {
        emu_fault_set(w, op, EMU_NO_LANE, "expected all 32 lanes to take part, found mask 0x%08x",
                      mask);
        return false;
    }
    uint32_t rows = matrices == 4 ? ~0u : (1u << (MATRIX_ROWS * matrices)) - 1;
    return emu_shared_at(w, op, rows, offset, use, at);
}

static void run_ldsm(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    struct emu_at at;
    if (!matrix_rows(w, op, mask, EMU_READ, &at))
        return;
    bool transposed = op->param[PARAM_MATRICES] & TRANSPOSED;
    for (uint32_t m = 0; m < (op->param[PARAM_MATRICES] & 0xff); m++)
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint16_t half[2];
            for (uint32_t h = 0; h < 2; h++)
                memcpy(&half[h], element(&at.lane[MATRIX_ROWS * m], i, h, transposed), 2);
            w->r[op->dest + m][i] = half[0] | (uint32_t)half[1] << 16;
        }
}

static void run_stsm(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    struct emu_at at;
    if (!matrix_rows(w, op, mask, EMU_WRITE, &at))
        return;
    bool transposed = op->param[PARAM_MATRICES] & TRANSPOSED;
    for (uint32_t m = 0; m < (op->param[PARAM_MATRICES] & 0xff); m++) {
        emu_lanes tmp;
        const uint32_t *v = emu_data_word(w, &op->source[EMU_SOURCE_DATA], m, tmp);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            for (uint32_t h = 0; h < 2; h++) {
                uint16_t half = (uint16_t)(v[i] >> (16 * h));
                memcpy(element(&at.lane[MATRIX_ROWS * m], i, h, transposed), &half, 2);
            }
    }
}

static bool decode_matrix(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    bool transposed = emu_has(d, "MT88");
    if (!emu_has(d, "16") || (!transposed && !emu_has(d, "M88")))
        return emu_decode_error(d, err, "only .16.M88 and .16.MT88 have semantics");
    if (d->text.arg_count != 2)
        return emu_decode_error(d, err, "expected two operands");
    op->param[EMU_PARAM_BYTES] = MATRIX_ROW_BYTES;
    op->param[PARAM_MATRICES] = d->inst->matrix_count | (transposed ? TRANSPOSED : 0);
    return true;
}

bool emu_decode_ldsm(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_ldsm;
    TRY(decode_matrix(op, d, err));
    TRY(emu_dest_from_arg(op, d, 0, err));
    if (op->dest != EMU_SINK && op->dest + d->inst->matrix_count > REG_RZ)
        return emu_decode_error(d, err, "the destination reaches past R254");
    return emu_address_from_arg(op, EMU_ADDRESS, d, 1, false, err);
}

bool emu_decode_stsm(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    op->run = run_stsm;
    TRY(decode_matrix(op, d, err));
    TRY(emu_address_from_arg(op, EMU_ADDRESS, d, 0, false, err));
    return emu_data_from_arg(op, EMU_SOURCE_DATA, d, 1, 4u * d->inst->matrix_count, err);
}

/* LDGSTS [shared], [global] {, P}. A lane whose predicate is false writes zeros and reads nothing.
 * .ZFILL copies the bytes from the address to the end of its aligned block, from the start of that
 * block: its last address bits say how many bytes at the end of the destination are 0. */
#define PARAM_COPY 3 /* param[]: flags below */
#define COPY_FILLS 1u

static bool copy_lane(struct emu_warp *w, const struct emu_op *op, uint32_t lane, uint64_t addr,
                      uint8_t *to)
{
    const struct emu_launch *l = w->cta->launch;
    uint32_t bytes = op->param[EMU_PARAM_BYTES];
    uint32_t zeros = op->param[PARAM_COPY] & COPY_FILLS ? (uint32_t)addr & (bytes - 1) : 0;
    uint64_t from = addr - zeros;
    if (from & (bytes - 1)) {
        emu_fault_set(w, op, lane, "misaligned copy of %u bytes from 0x%llx", bytes,
                      (unsigned long long)addr);
        return false;
    }
    uint32_t n = emu_memory_find(l, from, bytes - zeros);
    if (n == EMU_NO_BUFFER) {
        emu_memory_fault_global(w, op, lane, from, bytes - zeros);
        return false;
    }
    memset(to, 0, bytes);
    memcpy(to, l->buffers[n].data + (from - l->buffers[n].addr), bytes - zeros);
    return true;
}

static void run_ldgsts(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t addr[WARP_LANES];
    uint32_t offset[WARP_LANES];
    struct emu_at to;
    emu_addresses(w, op, EMU_ADDRESS, addr);
    emu_offsets(w, op, EMU_ADDRESS_SHARED_SIDE, offset);
    emu_report(w, mask, addr);
    if (!emu_shared_at(w, op, mask, offset, EMU_WRITE, &to))
        return;
    uint32_t bytes = op->param[EMU_PARAM_BYTES], reads = emu_predicate_of(w, &op->psource[0]);
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t i = lowest_bit(left);
        if (!(reads >> i & 1))
            memset(to.lane[i], 0, bytes);
        else if (!copy_lane(w, op, i, addr[i], to.lane[i]))
            return;
    }
}

bool emu_decode_ldgsts(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    uint32_t n = d->text.arg_count;
    if (n != 2 && n != 3)
        return emu_decode_error(d, err, "expected two addresses and at most a predicate");
    op->run = run_ldgsts;
    TRY(emu_width_from_opcode(op, d, err));
    if (op->param[EMU_PARAM_BYTES] < 4)
        return emu_decode_error(d, err, "expected 4, 8 or 16 bytes");
    op->param[PARAM_COPY] = emu_has(d, "ZFILL") ? COPY_FILLS : 0;
    TRY(emu_address_from_arg(op, EMU_ADDRESS_SHARED_SIDE, d, 0, false, err));
    TRY(emu_address_from_arg(op, EMU_ADDRESS, d, 1, emu_has(d, "E"), err));
    return n == 2 || emu_psource_from_arg(op, 0, d, 2, err);
}

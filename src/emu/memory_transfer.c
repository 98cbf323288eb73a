#include "emu/memory_transfer.h"

#include <string.h>

#include "base/bits.h"
#include "emu/hot.h"

EMU_HOT void emu_write_lanes(emu_lanes to, const emu_lanes from, uint32_t mask)
{
    if (mask == ~0u) {
        memcpy(to, from, sizeof(emu_lanes));
        return;
    }
    for (uint32_t i = 0; i < WARP_LANES; i++)
        to[i] = mask >> i & 1 ? from[i] : to[i];
}

static uint32_t word_at(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* One or two bytes, extended as the operation says. */
static uint32_t narrow_at(const struct emu_op *op, const uint8_t *p)
{
    bool is_signed = op->param[EMU_PARAM_SIGNED];
    if (op->param[EMU_PARAM_BYTES] == 1)
        return is_signed ? (uint32_t)(int8_t)*p : *p;
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return is_signed ? (uint32_t)(int16_t)v : v;
}

/* Consecutive lanes of consecutive words. */
EMU_HOT static void load_dense(struct emu_warp *w, uint32_t dest, const uint8_t *from,
                               uint32_t words)
{
    if (words == 1) {
        memcpy(w->r[dest], from, sizeof(emu_lanes));
        return;
    }
    uint32_t block[WARP_LANES * 4];
    memcpy(block, from, sizeof(emu_lanes) * words);
    for (uint32_t k = 0; k < words; k++)
        for (uint32_t i = 0; i < WARP_LANES; i++)
            w->r[dest + k][i] = block[i * words + k];
}

void emu_load(struct emu_warp *w, const struct emu_op *op, uint32_t mask, const struct emu_at *at,
              uint32_t step)
{
    uint32_t words = op->param[EMU_PARAM_BYTES] / 4;
    if (words > 0 && at->dense) {
        load_dense(w, op->dest, at->lane[0], words);
        return;
    }
    emu_lanes v;
    if (words == 0) {
        for (uint32_t i = 0; i < WARP_LANES; i++)
            v[i] = narrow_at(op, at->lane[i]);
        emu_write_lanes(w->r[op->dest], v, mask);
    }
    for (uint32_t k = 0; k < words; k++) {
        for (uint32_t i = 0; i < WARP_LANES; i++)
            v[i] = word_at(at->lane[i] + (size_t)k * step);
        emu_write_lanes(w->r[op->dest + k], v, mask);
    }
}

void emu_load_generic(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                      const struct emu_at *at)
{
    uint32_t words = op->param[EMU_PARAM_BYTES] / 4;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t i = lowest_bit(left);
        if (words == 0)
            w->r[op->dest][i] = narrow_at(op, at->lane[i]);
        for (uint32_t k = 0; k < words; k++)
            w->r[op->dest + k][i] = word_at(at->lane[i] + (size_t)k * at->step[i]);
    }
}

const uint32_t *emu_data_word(const struct emu_warp *w, const struct emu_source *s, uint32_t k,
                              emu_lanes tmp)
{
    if (s->kind == EMU_SRC_REG)
        return s->reg == REG_RZ ? w->r[REG_RZ] : w->r[s->reg + k];
    if (s->kind == EMU_SRC_VALUE && k == 0)
        return s->lanes;
    if (s->kind == EMU_SRC_VALUE)
        return k == 1 && s->lanes_hi ? s->lanes_hi : w->r[REG_RZ];
    for (uint32_t i = 0; i < WARP_LANES; i++)
        tmp[i] = w->ur[s->reg + k];
    return tmp;
}

EMU_HOT static void store_dense(uint8_t *to, const uint32_t *const data[4], uint32_t words)
{
    uint32_t block[WARP_LANES * 4];
    for (uint32_t k = 0; k < words; k++)
        for (uint32_t i = 0; i < WARP_LANES; i++)
            block[i * words + k] = data[k][i];
    memcpy(to, block, sizeof(emu_lanes) * words);
}

/* Lanes in the order in which they are stored. Hardware takes as many lanes at a time as make 128
 * bytes, and of these the lowest wins where several write one place (seen on an H200). */
struct store_order {
    uint32_t mask;  /* lanes left */
    uint32_t group; /* lanes at a time */
};

/* The next lane, or WARP_LANES. */
static inline uint32_t next_lane(struct store_order *o)
{
    if (!o->mask)
        return WARP_LANES;
    uint32_t start = lowest_bit(o->mask) / o->group * o->group;
    uint32_t members = o->group == WARP_LANES ? ~0u : ((1u << o->group) - 1) << start;
    uint32_t lane = highest_bit(o->mask & members);
    o->mask &= ~(1u << lane);
    return lane;
}

void emu_store(const struct emu_warp *w, const struct emu_op *op, uint32_t mask,
               const struct emu_at *at, uint32_t step)
{
    uint32_t bytes = op->param[EMU_PARAM_BYTES], words = bytes < 4 ? 1 : bytes / 4;
    emu_lanes tmp[4];
    const uint32_t *data[4];
    for (uint32_t k = 0; k < words; k++)
        data[k] = emu_data_word(w, &op->source[EMU_SOURCE_DATA], k, tmp[k]);
    if (at->dense && bytes >= 4) {
        store_dense(at->lane[0], data, words);
        return;
    }
    uint32_t part = bytes < 4 ? bytes : 4;
    struct store_order next = {.mask = mask, .group = WARP_LANES / words};
    for (uint32_t i; (i = next_lane(&next)) < WARP_LANES;)
        for (uint32_t k = 0; k < words; k++)
            memcpy(at->lane[i] + (size_t)k * step, &data[k][i], part);
}

void emu_store_generic(const struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                       const struct emu_at *at)
{
    uint32_t bytes = op->param[EMU_PARAM_BYTES], words = bytes < 4 ? 1 : bytes / 4;
    uint32_t part = bytes < 4 ? bytes : 4;
    emu_lanes tmp;
    for (uint32_t k = 0; k < words; k++) {
        const uint32_t *data = emu_data_word(w, &op->source[EMU_SOURCE_DATA], k, tmp);
        struct store_order next = {.mask = mask, .group = WARP_LANES / words};
        for (uint32_t i; (i = next_lane(&next)) < WARP_LANES;)
            memcpy(at->lane[i] + (size_t)k * at->step[i], &data[i], part);
    }
}

bool emu_data_from_arg(struct emu_op *op, uint32_t index, const struct emu_decode *d, uint32_t arg,
                       uint32_t bytes, struct sim_err *err)
{
    op->source_count = (uint8_t)index;
    TRY(emu_source_from_arg(op, d, arg, bytes > 4 ? 64 : 32, false, err));
    const struct emu_source *s = &op->source[index];
    uint32_t words = bytes > 4 ? bytes / 4 : 1;
    if (s->kind == EMU_SRC_REG && s->reg != REG_RZ && s->reg + words > REG_RZ)
        return emu_decode_error(d, err, "register R%u and what follows it are not all registers",
                                s->reg);
    if (s->neg || s->abs || s->inv)
        return emu_decode_error(d, err, "a sign on data that is stored has no semantics yet");
    return true;
}

/* Bytes a lane that a modifier says. */
static const struct {
    const char *modifier;
    uint32_t bytes;
} widths[] = {{"U8", 1},  {"S8", 1},  {"U16", 2}, {"S16", 2}, {"64", 8},
              {"U64", 8}, {"S64", 8}, {"F64", 8}, {"128", 16}};

bool emu_width_from_opcode(struct emu_op *op, const struct emu_decode *d, struct sim_err *err)
{
    uint32_t bytes = 4;
    for (uint32_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (emu_has(d, widths[i].modifier))
            bytes = widths[i].bytes;
    if (d->inst->mem_width && d->inst->mem_width != bytes)
        return emu_decode_error(d, err, "accesses of %u bytes have no semantics yet",
                                d->inst->mem_width);
    op->param[EMU_PARAM_BYTES] = bytes;
    op->param[EMU_PARAM_SIGNED] = emu_has(d, "S8") || emu_has(d, "S16");
    return true;
}

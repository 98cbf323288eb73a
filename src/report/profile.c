#include "report/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "isa/opcode.h"

#define SECTOR_BYTES 32
#define SECTORS_PER_LINE (PROFILE_LINE_BYTES / SECTOR_BYTES)

/* Size of the shared and local windows of generic addresses. */
#define WINDOW_BYTES ((uint64_t)1 << 24)

/* Sectors of one access: 32 lanes of at most 16 bytes, each over two sectors when not aligned. */
#define ACCESS_SECTORS 64

uint64_t profile_address(const struct dyn_inst *d, uint32_t lane)
{
    if (d->addr_mode == ADDR_LIST)
        return d->addr.list[lane];
    return d->addr.base + (uint64_t)((int64_t)lane * d->stride);
}

static bool in_window(uint64_t base, uint64_t addr)
{
    return base != 0 && addr >= base && addr - base < WINDOW_BYTES;
}

static enum profile_space space_of(const struct kernel *k, const struct inst *in,
                                   const struct dyn_inst *d)
{
    switch ((enum mem_space)in->mem_space) {
    case MEM_SHARED:
        return PROFILE_SHARED;
    case MEM_LOCAL:
        return PROFILE_LOCAL;
    case MEM_CONSTANT:
        return PROFILE_CONSTANT;
    case MEM_TEXTURE:
        return PROFILE_TEXTURE;
    case MEM_GENERIC: {
        if (d->addr_mode == ADDR_NONE || d->mask == 0)
            return PROFILE_GLOBAL;
        uint64_t addr = profile_address(d, lowest_bit(d->mask));
        if (in_window(k->shared_base, addr))
            return PROFILE_SHARED;
        return in_window(k->local_base, addr) ? PROFILE_LOCAL : PROFILE_GLOBAL;
    }
    default:
        return PROFILE_GLOBAL;
    }
}

static void fault(struct profile *p, enum profile_fault f, const struct warp_stream *w,
                  uint32_t inst)
{
    if (p->faults[f]++ == 0)
        p->first[f] = (struct profile_place){w->cta->linear_id, w->warp, inst};
}

static void add_sector(uint64_t *sectors, uint32_t *n, uint64_t sector)
{
    for (uint32_t i = *n; i > 0; i--)
        if (sectors[i - 1] == sector)
            return;
    sectors[(*n)++] = sector;
}

/* Footprint of an access to memory behind the L1D. */
static void add_lines(struct profile *p, const struct inst *in, const struct dyn_inst *d)
{
    uint64_t sectors[ACCESS_SECTORS];
    uint32_t n = 0, width = in->mem_width > 0 ? in->mem_width : 4;
    for (uint32_t mask = d->mask; mask != 0; mask &= mask - 1) {
        uint64_t addr = profile_address(d, lowest_bit(mask));
        add_sector(sectors, &n, addr / SECTOR_BYTES);
        if ((addr + width - 1) / SECTOR_BYTES != addr / SECTOR_BYTES)
            add_sector(sectors, &n, (addr + width - 1) / SECTOR_BYTES);
    }
    for (uint32_t i = 0; i < n; i++)
        line_set_add(&p->lines, sectors[i] / SECTORS_PER_LINE);
    p->line_accesses++;
    p->sectors += n;
}

static bool has_zero_address(const struct dyn_inst *d)
{
    for (uint32_t mask = d->mask; mask != 0; mask &= mask - 1)
        if (profile_address(d, lowest_bit(mask)) == 0)
            return true;
    return false;
}

static void add_memory(struct profile *p, const struct warp_stream *w, const struct inst *in,
                       const struct dyn_inst *d)
{
    enum profile_space space = space_of(w->cta->kernel, in, d);
    if (in->flags & INST_ATOMIC)
        p->memory[space].atomics++;
    else if (in->flags & INST_STORE)
        p->memory[space].stores++;
    else if (in->flags & INST_LOAD)
        p->memory[space].loads++;
    else
        return;
    if ((space != PROFILE_GLOBAL && space != PROFILE_LOCAL) || d->mask == 0)
        return;
    if (d->addr_mode == ADDR_NONE) {
        fault(p, PROFILE_FAULT_NO_ADDRESSES, w, d->inst);
        return;
    }
    /* The local window begins at 0. */
    if (space == PROFILE_GLOBAL && has_zero_address(d))
        fault(p, PROFILE_FAULT_ZERO_ADDRESSES, w, d->inst);
    add_lines(p, in, d);
}

static void add_instruction(struct profile *p, const struct warp_stream *w,
                            const struct dyn_inst *d)
{
    const struct inst *in = w->cta->kernel->insts[d->inst];
    uint32_t lanes = popcount32(d->mask);
    p->warp_instructions++;
    p->thread_instructions += lanes;
    p->full_instructions += lanes == WARP_LANES;
    p->branches += (in->flags & INST_BRANCH) != 0;
    p->classes[in->op_class]++;
    p->counts[d->inst].inst++;
    p->counts[d->inst].thread += lanes;
    if (in->flags & INST_UNKNOWN)
        fault(p, PROFILE_FAULT_UNKNOWN_OPCODES, w, d->inst);
    if (in->mem_space != MEM_NONE)
        add_memory(p, w, in, d);
}

/* The static table may have grown with the CTA that was opened. */
static bool grow_counts(struct profile *p, const struct kernel *k, struct sim_err *err)
{
    if (p->count_size >= k->inst_count)
        return true;
    struct inst_count *counts = realloc(p->counts, k->inst_count * sizeof *counts);
    if (!counts)
        return err_memory(err, "reading a kernel");
    memset(counts + p->count_size, 0, (k->inst_count - p->count_size) * sizeof *counts);
    p->counts = counts;
    p->count_size = k->inst_count;
    return true;
}

struct visitor {
    profile_visit *visit;
    void *user;
};

static bool read_warp(struct profile *p, struct warp_stream *w, const struct visitor *v,
                      struct sim_err *err)
{
    uint64_t before = p->warp_instructions;
    uint32_t last = 0;
    for (;;) {
        for (; w->next < w->end; w->next++) {
            add_instruction(p, w, w->next);
            last = w->next->inst;
            if (v->visit)
                v->visit(v->user, w->cta, w, w->next);
        }
        if (w->finished)
            break;
        TRY(w->cta->kernel->ops->refill(w, err));
    }
    p->warps++;
    if (p->warp_instructions == before)
        fault(p, PROFILE_FAULT_EMPTY_WARPS, w, 0);
    else if (!(w->cta->kernel->insts[last]->flags & INST_EXIT))
        fault(p, PROFILE_FAULT_NO_EXIT, w, last);
    return true;
}

bool profile_kernel(struct profile *p, struct kernel *k, profile_visit *visit, void *user,
                    struct sim_err *err)
{
    const struct visitor v = {visit, user};
    for (;;) {
        struct cta_stream *cta = NULL;
        TRY(k->ops->open_cta(k, &cta, err));
        if (!cta)
            break;
        bool ok = grow_counts(p, k, err);
        for (uint32_t i = 0; ok && i < cta->warp_count; i++)
            ok = read_warp(p, &cta->warps[i], &v, err);
        k->ops->close_cta(cta);
        TRY(ok);
        p->ctas++;
    }
    if (p->ctas < k->cta_count)
        p->faults[PROFILE_FAULT_MISSING_CTAS] = k->cta_count - p->ctas;
    return opcode_tally_add(&p->opcodes, k->insts, p->counts, p->count_size, err);
}

size_t profile_pipes(const struct profile *p, struct profile_share out[PROFILE_PIPES_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < p->opcodes.count; i++) {
        const struct opcode_row *row = &p->opcodes.rows[i];
        uint16_t id = opcode_find(row->name, strlen(row->name));
        const char *pipe = id == OPCODE_UNKNOWN ? "unknown" : opcode_info(id)->pipe;
        size_t at = 0;
        while (at < n && strcmp(out[at].name, pipe) != 0)
            at++;
        if (at == PROFILE_PIPES_MAX)
            continue;
        if (at == n)
            out[n++] = (struct profile_share){pipe, 0};
        out[at].count += row->inst;
    }
    return n;
}

void profile_free(struct profile *p)
{
    line_set_free(&p->lines);
    opcode_tally_free(&p->opcodes);
    free(p->counts);
    memset(p, 0, sizeof *p);
}

const char *profile_space_name(enum profile_space s)
{
    static const char *const names[PROFILE_SPACE_COUNT] = {"global", "local", "shared", "constant",
                                                           "texture"};
    return names[s];
}

const char *profile_fault_text(enum profile_fault f)
{
    static const char *const texts[PROFILE_FAULT_COUNT] = {
#define X(name, text) text,
        PROFILE_FAULTS(X)
#undef X
    };
    return texts[f];
}

#include "emu/record.h"

#include <stdlib.h>
#include <string.h>

bool emu_record_begin(struct emu_record *r, uint64_t linear_id, struct dim3 id, uint32_t warps,
                      struct sim_err *err)
{
    if (warps > r->warp_cap) {
        struct pack_warp *p = realloc(r->warps, warps * sizeof *p);
        if (!p)
            return err_memory(err, "recording a CTA");
        memset(p + r->warp_cap, 0, (warps - r->warp_cap) * sizeof *p);
        r->warps = p;
        r->warp_cap = warps;
    }
    r->linear_id = linear_id;
    r->id = id;
    r->warp_count = warps;
    for (uint32_t i = 0; i < warps; i++)
        pack_reset(&r->warps[i]);
    return true;
}

bool emu_record_plain(struct emu_record *r, uint32_t warp, uint32_t inst, uint32_t mask,
                      struct sim_err *err)
{
    return pack_add_plain(&r->warps[warp], inst, mask) || err_memory(err, "recording a CTA");
}

bool emu_record_memory(struct emu_record *r, uint32_t warp, uint32_t inst, uint32_t mask,
                       const struct emu_access *access, struct sim_err *err)
{
    struct dyn_inst d = {.inst = inst, .mask = mask, .addr_mode = ADDR_NONE};
    if (access->used && mask) {
        d.addr_mode = ADDR_LIST;
        d.addr.list = access->addr;
    }
    return pack_add(&r->warps[warp], &d) || err_memory(err, "recording a CTA");
}

bool emu_record_end(struct emu_record *r, struct sim_err *err)
{
    for (uint32_t i = 0; i < r->warp_count; i++) {
        if (!pack_end(&r->warps[i]))
            return err_memory(err, "recording a CTA");
    }
    return true;
}

size_t emu_record_bytes(const struct emu_record *r)
{
    size_t n = 0;
    for (uint32_t i = 0; i < r->warp_count; i++)
        n += r->warps[i].flow.len + r->warps[i].addresses.len;
    return n;
}

void emu_record_free(struct emu_record *r)
{
    for (uint32_t i = 0; i < r->warp_cap; i++)
        pack_free(&r->warps[i]);
    free(r->warps);
    memset(r, 0, sizeof *r);
}

void emu_record_open(struct pack_cursor *c, const struct emu_record *r, uint32_t warp)
{
    const struct pack_warp *w = &r->warps[warp];
    pack_open(c, w->flow.data, w->flow.len, w->addresses.data, w->addresses.len);
}

#include "emu/memory_race.h"

#include <inttypes.h>

static bool report(struct emu_warp *w, const struct emu_op *op, uint32_t lane, uint32_t offset,
                   const char *what)
{
    emu_fault_set(w, op, lane,
                  "race on shared memory at offset 0x%" PRIx32 ": %s since the last barrier",
                  offset, what);
    return false;
}

/* Whether others wrote this byte since the last barrier in a way that `use` must not meet. */
static bool written_by_others(const struct emu_race *r, const struct emu_warp *w, enum emu_use use)
{
    return r->write_epoch == w->cta->epoch && r->writer != w->index &&
           !(use == EMU_ATOMIC && r->atomic);
}

static void note_read(struct emu_race *r, const struct emu_warp *w)
{
    if (r->read_epoch != w->cta->epoch)
        r->reader = (uint16_t)w->index;
    else if (r->reader != w->index)
        r->reader = EMU_MANY_WARPS;
    r->read_epoch = w->cta->epoch;
}

bool emu_race_use(struct emu_warp *w, const struct emu_op *op, uint32_t lane, uint32_t offset,
                  uint32_t bytes, enum emu_use use)
{
    for (uint32_t i = 0; i < bytes; i++) {
        struct emu_race *r = &w->cta->races[offset + i];
        if (written_by_others(r, w, use))
            return report(w, op, lane, offset + i, "another warp wrote it");
        if (use == EMU_READ) {
            note_read(r, w);
            continue;
        }
        if (r->read_epoch == w->cta->epoch && r->reader != w->index)
            return report(w, op, lane, offset + i, "another warp read it");
        bool shared = r->write_epoch == w->cta->epoch && r->writer != w->index;
        r->writer = shared ? EMU_MANY_WARPS : (uint16_t)w->index;
        r->write_epoch = w->cta->epoch;
        r->atomic = use == EMU_ATOMIC;
    }
    return true;
}

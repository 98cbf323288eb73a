#include "emu/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/op.h"

#define FIRST_SM_WITH_SYSTEM_SHARED 90u
#define STACK_ALIGN 16u
#define MAX_LOCAL_BYTES (512u * 1024)  /* of a thread: CUDA programming guide */
#define MAX_SHARED_BYTES (256u * 1024) /* of a CTA: more than any card has */
#define SLACK 16u /* the widest access may start at the last byte while it is checked */

uint32_t emu_memory_stack_pointer(const struct emu_launch *launch)
{
    return (launch->local_bytes + STACK_ALIGN - 1) & ~(STACK_ALIGN - 1);
}

static size_t local_words(const struct emu_cta *cta)
{
    return (size_t)cta->warp_count * (cta->local_bytes / 4) * WARP_LANES;
}

bool emu_memory_open(struct emu_cta *cta, struct sim_err *err)
{
    const struct emu_launch *l = cta->launch;
    if (l->local_bytes > MAX_LOCAL_BYTES)
        return err_set(err, ERR_INPUT, l->file, 0, 0,
                       "kernel %s: %" PRIu32
                       " bytes of local memory a thread; at most %u are possible",
                       l->kernel, l->local_bytes, MAX_LOCAL_BYTES);
    if (l->shared_bytes > MAX_SHARED_BYTES)
        return err_set(err, ERR_INPUT, l->file, 0, 0,
                       "kernel %s: %" PRIu32 " bytes of shared memory; at most %u are possible",
                       l->kernel, l->shared_bytes, MAX_SHARED_BYTES);
    cta->shared_first = l->sm >= FIRST_SM_WITH_SYSTEM_SHARED ? EMU_SHARED_SYSTEM : 0;
    cta->local_bytes = emu_memory_stack_pointer(l);
    cta->last_buffer = 0;
    cta->local = NULL;
    cta->races = NULL;
    cta->shared = calloc((size_t)l->shared_bytes + SLACK, 1);
    cta->written = calloc((size_t)l->shared_bytes + SLACK, 1);
    bool ok = cta->shared && cta->written;
    if (ok && local_words(cta) > 0)
        ok = (cta->local = calloc(local_words(cta), sizeof *cta->local)) != NULL;
    if (ok && l->checks.races)
        ok = (cta->races = calloc((size_t)l->shared_bytes + 1, sizeof *cta->races)) != NULL;
    if (ok)
        return true;
    emu_memory_close(cta);
    return err_memory(err, "executing a CTA");
}

void emu_memory_begin(struct emu_cta *cta)
{
    const struct emu_launch *l = cta->launch;
    memset(cta->shared, 0, l->shared_bytes);
    memset(cta->written, 0, l->shared_bytes);
    if (cta->races)
        memset(cta->races, 0, l->shared_bytes * sizeof *cta->races);
    if (cta->local)
        memset(cta->local, 0, local_words(cta) * sizeof *cta->local);
    cta->fault.set = false;
}

void emu_memory_close(struct emu_cta *cta)
{
    free(cta->shared);
    free(cta->written);
    free(cta->races);
    free(cta->local);
    cta->shared = cta->written = NULL;
    cta->races = NULL;
    cta->local = NULL;
}

/* Number of buffers that start at or below addr. */
static uint32_t buffers_up_to(const struct emu_launch *l, uint64_t addr)
{
    uint32_t low = 0, high = l->buffer_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l->buffers[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t emu_memory_find(const struct emu_launch *launch, uint64_t addr, uint32_t bytes)
{
    uint32_t n = buffers_up_to(launch, addr);
    if (n == 0)
        return EMU_NO_BUFFER;
    const struct emu_buffer *b = &launch->buffers[n - 1];
    bool inside = b->bytes >= bytes && addr - b->addr <= b->bytes - bytes;
    return inside ? n - 1 : EMU_NO_BUFFER;
}

void emu_memory_fault_global(struct emu_warp *w, const struct emu_op *op, uint32_t lane,
                             uint64_t addr, uint32_t bytes)
{
    const struct emu_launch *l = w->cta->launch;
    uint32_t n = buffers_up_to(l, addr);
    char nearest[160] = "there are no buffers";
    if (l->buffer_count > 0) {
        const struct emu_buffer *below = n > 0 ? &l->buffers[n - 1] : NULL;
        const struct emu_buffer *above = n < l->buffer_count ? &l->buffers[n] : NULL;
        uint64_t end = below ? below->addr + below->bytes : 0;
        uint64_t past = addr > end ? addr - end : 0;
        bool is_above = !below || (above && above->addr - addr < past);
        const struct emu_buffer *b = is_above ? above : below;
        uint64_t last = b->addr + b->bytes;
        snprintf(nearest, sizeof nearest,
                 "the nearest is %.60s, %" PRIu64 " bytes at 0x%" PRIx64 ", and this is %" PRIu64
                 " bytes %s",
                 b->name ? b->name : "a buffer", b->bytes, b->addr,
                 is_above ? b->addr - addr : addr + bytes - last,
                 is_above ? "before it" : "past its end");
    }
    emu_fault_set(w, op, lane,
                  "global access of %" PRIu32 " bytes at 0x%" PRIx64 " is in no buffer: %s", bytes,
                  addr, nearest);
}

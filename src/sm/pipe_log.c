#include "sm/pipe_log.h"

#include <stdlib.h>

static struct pipe_record *next_record(struct sm *sm)
{
    if (sm->pipe_count == sm->pipe_cap) {
        uint32_t cap = sm->pipe_cap ? sm->pipe_cap * 2 : 1024;
        struct pipe_record *p = realloc(sm->pipe, cap * sizeof *p);
        if (!p) {
            err_memory(&sm->err, "keeping the timeline");
            return NULL;
        }
        sm->pipe = p;
        sm->pipe_cap = cap;
    }
    return &sm->pipe[sm->pipe_count++];
}

struct pipe_record *pipe_log(struct subcore *sc, const struct warp *w, enum pipe_event event,
                             uint32_t inst, cycle_t now)
{
    struct sm *sm = sc->sm;
    struct pipe_record *r = next_record(sm);
    if (r)
        *r = (struct pipe_record){.cycle = now - sm->kernel_start,
                                  .cta = w->stream->cta->linear_id,
                                  .sm = sm->id,
                                  .inst = inst,
                                  .warp_slot = w->slot,
                                  .warp = (uint16_t)w->stream->warp,
                                  .subcore = sc->index,
                                  .event = (uint8_t)event};
    return r;
}

void pipe_log_stall(struct subcore *sc, uint32_t mask, enum stall_reason reason, cycle_t at,
                    uint64_t cycles)
{
    struct sm *sm = sc->sm;
    struct pipe_record *r = mask ? next_record(sm) : NULL;
    if (r)
        *r = (struct pipe_record){.cycle = at - sm->kernel_start,
                                  .stall_cycles = cycles,
                                  .sm = sm->id,
                                  .warps = (uint16_t)mask,
                                  .subcore = sc->index,
                                  .event = PIPE_STALL,
                                  .reason = (uint8_t)reason};
}

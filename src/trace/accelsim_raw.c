#include "base/bits.h"
#include "trace/accelsim_kernel.h"
#include "trace/accelsim_text.h"

/* Text held in memory before runs go to disk. */
#define SORT_MEMORY ((size_t)64 << 20)

/* CTA and warp of a raw line; checked here, since sorting needs them. */
static bool read_owner(const struct accelsim_kernel *k, const char *p, struct sort_record *r,
                       struct sim_err *err)
{
    const struct dim3 g = k->header.grid;
    struct dim3 id;
    if (!text_u32(&p, &id.x) || !text_u32(&p, &id.y) || !text_u32(&p, &id.z))
        return place_expected(&k->at, "a CTA coordinate", p, err);
    if (!text_u32(&p, &r->warp))
        return place_expected(&k->at, "a warp number", p, err);
    if (id.x >= g.x || id.y >= g.y || id.z >= g.z)
        return place_error(&k->at, err, "expected a CTA of the grid (%u,%u,%u), found %u,%u,%u",
                           g.x, g.y, g.z, id.x, id.y, id.z);
    uint32_t warps = cta_warp_count(k->header.block);
    if (r->warp >= warps)
        return place_error(&k->at, err, "expected a warp below %u, found %u", warps, r->warp);
    r->cta = id.x + g.x * (id.y + (uint64_t)g.y * id.z);
    return true;
}

static bool add_line(struct accelsim_kernel *k, struct sim_err *err)
{
    struct sort_record r = {.line = k->at.line, .text = k->line};
    if (!line_is_instruction(k->line))
        return place_expected_line(&k->at, "an instruction", k->line, err);
    if (k->len > SORT_LINE_MAX)
        return place_error(&k->at, err, "expected a line of at most 1 MiB, found %zu bytes",
                           k->len);
    r.len = (uint32_t)k->len;
    TRY(read_owner(k, k->line, &r, err));
    return trace_sort_add(k->sort, &r, err);
}

bool accelsim_raw_sort(struct accelsim_kernel *k, struct sim_err *err)
{
    if (!k->format_known)
        TRY(accelsim_learn_format(k, k->line, err));
    TRY(trace_sort_new(&k->sort, SORT_MEMORY, err));
    k->held = true;
    for (;;) {
        TRY(accelsim_next_line(k, err));
        if (!k->line)
            break;
        TRY(add_line(k, err));
    }
    TRY(trace_sort_finish(k->sort, err));
    return trace_sort_next(k->sort, &k->record, err);
}

static struct dim3 cta_id(struct dim3 g, uint64_t linear)
{
    uint64_t row = linear / g.x;
    return (struct dim3){(uint32_t)(linear % g.x), (uint32_t)(row % g.y), (uint32_t)(row / g.y)};
}

bool accelsim_raw_cta(struct accelsim_kernel *k, struct accelsim_cta *cta, bool *end,
                      struct sim_err *err)
{
    *end = !k->record.text;
    if (*end)
        return true;
    uint64_t linear = k->record.cta;
    uint32_t warp = UINT32_MAX;
    k->at.line = k->record.line;
    TRY(cta_begin(&k->builder, cta, &k->k, cta_id(k->header.grid, linear), err));
    while (k->record.text && k->record.cta == linear) {
        k->at.line = k->record.line;
        if (k->record.warp != warp) {
            if (warp != UINT32_MAX)
                TRY(cta_end_warp(&k->builder, err));
            warp = k->record.warp;
            TRY(cta_begin_warp(&k->builder, warp, err));
        }
        TRY(cta_add_line(&k->builder, k->record.text, k->record.len, err));
        TRY(trace_sort_next(k->sort, &k->record, err));
    }
    TRY(cta_end_warp(&k->builder, err));
    return cta_finish(&k->builder, err);
}

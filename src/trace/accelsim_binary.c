#include <string.h>

#include "trace/accelsim_kernel.h"
#include "trace/accelsim_text.h"

/* The header is the text of a `.traceg` up to its first CTA. */
static bool read_header(struct accelsim_kernel *k, struct sim_err *err)
{
    char *line = tracez_header(k->binary);
    k->at.line = 1;
    for (char *next; line; line = next, k->at.line++) {
        next = strchr(line, '\n');
        size_t n = next ? (size_t)(next - line) : strlen(line);
        if (next)
            *next++ = '\0';
        if (n > 0 && line[n - 1] == '\r')
            line[n - 1] = '\0';
        const char *text = text_skip_blanks(line);
        if (*text == '-')
            TRY(accelsim_header_line(&k->header, text, &k->arena, &k->at, err));
        else if (*text && *text != '#')
            return place_expected_line(&k->at, "a header line '-key = value'", text, err);
    }
    k->at.line = 0; /* behind it there are no lines to count */
    return accelsim_header_check(&k->header, &k->at, err);
}

bool accelsim_binary_open(struct accelsim_kernel *k, struct sim_err *err)
{
    TRY(tracez_open(&k->binary, &k->at, err));
    return read_header(k, err);
}

static bool read_warp(struct accelsim_kernel *k, uint32_t warp, struct sim_err *err)
{
    struct accelsim_builder *b = &k->builder;
    uint32_t insts;
    TRY(cta_begin_warp(b, warp, err));
    TRY(tracez_warp(k->binary, &insts, err));
    for (;;) {
        char *line;
        size_t len;
        TRY(tracez_line(k->binary, &line, &len, err));
        if (!line)
            break;
        if (!line_is_instruction(line))
            return place_expected_line(&k->at, "an instruction", line, err);
        if (!k->format_known)
            TRY(accelsim_learn_format(k, line, err));
        TRY(cta_add_line(b, line, len, err));
    }
    /* Whether the number counts the marks of a replay is not documented. */
    if (b->lines != insts && b->lines - b->marks != insts)
        return place_error(&k->at, err, "expected %u instructions, found %llu", insts,
                           (unsigned long long)b->lines);
    return cta_end_warp(b, err);
}

bool accelsim_binary_cta(struct accelsim_kernel *k, struct accelsim_cta *cta, bool *end,
                         struct sim_err *err)
{
    struct dim3 id;
    uint32_t warps = 0;
    TRY(tracez_cta(k->binary, cta_warp_count(k->header.block), &id, &warps, end, err));
    if (*end)
        return true;
    TRY(cta_begin(&k->builder, cta, &k->k, id, err));
    for (uint32_t w = 0; w < warps; w++)
        TRY(read_warp(k, w, err));
    return cta_finish(&k->builder, err);
}

#include <stdio.h>
#include <string.h>

#include "trace/accelsim_kernel.h"
#include "trace/accelsim_text.h"

static bool unexpected(const struct accelsim_kernel *k, const char *what, struct sim_err *err)
{
    if (!k->line)
        return place_error(&k->at, err, "expected %s, found the end of the file", what);
    return place_expected_line(&k->at, what, k->line, err);
}

static bool is_word(const char *line, const char *word)
{
    size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && *text_skip_blanks(line + n) == '\0';
}

/* A line "<key> = N". */
static bool read_number(struct accelsim_kernel *k, const char *key, uint64_t max, uint64_t *out,
                        struct sim_err *err)
{
    char what[64] = "'";
    strcat(strcat(what, key), " = N'");
    TRY(accelsim_next_line(k, err));
    const char *v = k->line ? accelsim_value(k->line, key) : NULL;
    if (!v)
        return unexpected(k, what, err);
    const char *start = v;
    if (!text_u64(&v, max, out))
        return place_error(&k->at, err, "expected a number up to %llu after '%s =', found '%.40s'",
                           (unsigned long long)max, key, start);
    if (*text_skip_blanks(v) != '\0')
        return place_expected(&k->at, "the end of the line", v, err);
    return true;
}

/* The cluster lines of version 6 (ids in the grid of clusters, in the cluster, rank). */
static bool skip_cluster_lines(struct accelsim_kernel *k, struct sim_err *err)
{
    static const char *const keys[] = {"cluster id", "cluster cta", "cluster rank"};
    for (;;) {
        TRY(accelsim_next_line(k, err));
        if (!k->line || strncmp(k->line, "cluster", 7) != 0) {
            k->held = true;
            return true;
        }
        const char *v = NULL;
        for (uint32_t i = 0; i < 3 && !v; i++)
            v = accelsim_value(k->line, keys[i]);
        struct dim3 ids;
        uint32_t rank;
        if (!v || (!accelsim_dim3(v, &ids) && !text_u32(&v, &rank)))
            return unexpected(k, "'cluster id|cta = x,y,z' or 'cluster rank = N'", err);
    }
}

static bool is_warp_end(const char *line)
{
    return *line == '#' || accelsim_value(line, "warp");
}

/* The lines of one warp. They end at the first line that is no instruction; N is only checked. */
static bool read_lines(struct accelsim_kernel *k, uint64_t expected, struct sim_err *err)
{
    struct accelsim_builder *b = &k->builder;
    for (;;) {
        TRY(accelsim_next_line(k, err));
        if (!k->line || !line_is_instruction(k->line))
            break;
        if (!k->format_known)
            TRY(accelsim_learn_format(k, k->line, err));
        TRY(cta_add_line(b, k->line, k->len, err));
    }
    k->held = true;
    /* Whether N counts the marks of a replay is not documented. */
    if (b->lines == expected || b->lines - b->marks == expected)
        return cta_end_warp(b, err);
    char what[96];
    snprintf(what, sizeof what, "%llu instructions as 'insts =' says",
             (unsigned long long)expected);
    if (b->lines > expected || !k->line || is_warp_end(k->line))
        return place_error(&k->at, err, "expected %s, found %llu%s", what,
                           (unsigned long long)b->lines, k->line ? "" : " and the end of the file");
    snprintf(what, sizeof what, "instruction %llu of %llu", (unsigned long long)b->lines + 1,
             (unsigned long long)expected);
    return place_expected_line(&k->at, what, k->line, err);
}

static bool read_warp(struct accelsim_kernel *k, struct sim_err *err)
{
    uint64_t warp, count;
    TRY(read_number(k, "warp", UINT32_MAX, &warp, err));
    TRY(cta_begin_warp(&k->builder, (uint32_t)warp, err));
    TRY(read_number(k, "insts", UINT64_MAX, &count, err));
    return read_lines(k, count, err);
}

static bool read_id(struct accelsim_kernel *k, struct dim3 *id, struct sim_err *err)
{
    TRY(accelsim_next_line(k, err));
    const char *v = k->line ? accelsim_value(k->line, "thread block") : NULL;
    if (!v || !accelsim_dim3(v, id))
        return unexpected(k, "'thread block = x,y,z'", err);
    return true;
}

bool accelsim_grouped_cta(struct accelsim_kernel *k, struct accelsim_cta *cta, bool *end,
                          struct sim_err *err)
{
    TRY(accelsim_next_line(k, err));
    *end = !k->line;
    if (*end)
        return true;
    if (!is_word(k->line, "#BEGIN_TB"))
        return unexpected(k, "#BEGIN_TB", err);
    struct dim3 id;
    TRY(read_id(k, &id, err));
    TRY(cta_begin(&k->builder, cta, &k->k, id, err));
    TRY(skip_cluster_lines(k, err));
    for (;;) {
        TRY(accelsim_next_line(k, err));
        if (k->line && is_word(k->line, "#END_TB"))
            break;
        if (!k->line || !accelsim_value(k->line, "warp"))
            return unexpected(k, "'warp = N' or #END_TB", err);
        k->held = true;
        TRY(read_warp(k, err));
    }
    return cta_finish(&k->builder, err);
}

/* Runs the rows of one table (see probe.h) on the H200 and compares.
 *
 * usage: probe_table TABLE [--write REASON] [KEY=VALUE...]
 * --write records the model's values in the rows that are not as measured, with REASON for those
 * that had none. KEY=VALUE changes the configuration, to try values out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cfg/load.h"
#include "gpu/gpu.h"
#include "probes/probe.h"
#include "trace/listing.h"

#define FIELDS 7
#define CLOCKS_MAX 64
#define SUBCORES 4
#define L2_BYTES (1u << 18) /* what the L2 holds of the data when a probe starts */
#define SETS_MAX 32
#define STALLS_MAX 64

enum field { NAME, WARPS, BAR, CODE, MEASURED, MODEL, REASON };

struct clocks {
    const struct probe_listing *listing;
    bool check_hazards;
    bool hazard[PROBE_INSTS]; /* at instruction i */
    uint64_t value[PROBE_WARPS][CLOCKS_MAX];
    uint32_t count[PROBE_WARPS];
};

struct bench {
    struct loaded_config config;
    char path[64]; /* of the listing */
    uint32_t rows, wrong, gaps;
};

static void print_error(const char *what, const struct sim_err *err)
{
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE];
    err_format(err, text, sizeof text);
    fprintf(stderr, "%s: %s\n", what, text);
}

static bool keep_clocks(void *user, const struct kernel *k, const struct issue_record *r, size_t n,
                        struct sim_err *err)
{
    struct clocks *c = user;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        uint32_t at = k->insts[r[i].inst]->pc / INST_BYTES;
        uint32_t w = r[i].warp;
        if (at < PROBE_INSTS && c->listing->marked[at] && c->count[w] < CLOCKS_MAX)
            c->value[w][c->count[w]++] = r[i].control;
    }
    return true;
}

static bool simulate(struct bench *b, struct clocks *c, struct sim_err *err)
{
    static struct diag diag;
    memset(&diag, 0, sizeof diag);
    FILE *f = fopen(b->path, "w");
    if (!f || fputs(c->listing->text.data, f) < 0 || fclose(f) != 0)
        return err_set(err, ERR_INPUT, b->path, 0, 0, "cannot write the listing");
    struct kernel *k = NULL;
    struct gpu *g = NULL;
    struct sim_options options = {.sms = 1,
                                  .max_cycles = 1000000,
                                  .issue_log = keep_clocks,
                                  .issue_user = c,
                                  .check_hazards = c->check_hazards,
                                  .diag = &diag};
    struct kernel_result result = {0};
    bool ok =
        listing_open(&k, b->path, &diag, err) && gpu_create(&g, &b->config.cfg, &options, err);
    if (ok) {
        gpu_memcpy(g, PROBE_GLOBAL, L2_BYTES);
        ok = gpu_run_kernel(g, k, &result, err);
    }
    for (uint32_t i = 0; ok && i < result.hazard_kept; i++)
        c->hazard[k->insts[result.hazards[i].inst]->pc / INST_BYTES] = true;
    kernel_result_free(&result);
    gpu_destroy(g);
    listing_close(k);
    return ok;
}

/* The warps of one sub-core, relative to its first clock read. */
struct group {
    uint32_t warps;
    const struct clocks *c;
    uint64_t base;
};

static int compare_groups(const void *x, const void *y)
{
    const struct group *a = x, *b = y;
    uint32_t wa = 0, wb = 0;
    for (uint32_t ma = a->warps, mb = b->warps; ma && mb; ma &= ma - 1, mb &= mb - 1) {
        wa = (uint32_t)__builtin_ctz(ma);
        wb = (uint32_t)__builtin_ctz(mb);
        for (uint32_t i = 0; i < a->c->count[wa] && i < b->c->count[wb]; i++) {
            uint64_t p = a->c->value[wa][i] - a->base, q = b->c->value[wb][i] - b->base;
            if (p != q)
                return p < q ? -1 : 1;
        }
    }
    return (a->warps & 0xfu) < (b->warps & 0xfu) ? -1 : 1;
}

static uint32_t make_groups(const struct clocks *c, struct group *g)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < SUBCORES; s++) {
        struct group group = {.warps = c->listing->warps & (0x11111111u << s), .c = c};
        if (!group.warps)
            continue;
        group.base = UINT64_MAX;
        for (uint32_t m = group.warps; m; m &= m - 1) {
            uint32_t w = (uint32_t)__builtin_ctz(m);
            if (c->count[w] && c->value[w][0] < group.base)
                group.base = c->value[w][0];
        }
        g[n++] = group;
    }
    qsort(g, n, sizeof *g, compare_groups);
    return n;
}

/* The clocks as `measured` writes them. */
static void describe(const struct clocks *c, bool span, struct buf *out)
{
    struct group groups[SUBCORES];
    uint32_t n = make_groups(c, groups);
    uint64_t last = 0;
    const char *separator = "";
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t m = groups[i].warps; m; m &= m - 1) {
            uint32_t w = (uint32_t)__builtin_ctz(m);
            if (!span)
                buf_puts(out, separator);
            separator = " / ";
            if (!span && !c->count[w])
                buf_puts(out, "-");
            for (uint32_t k = 0; k < c->count[w]; k++) {
                uint64_t v = c->value[w][k] - groups[i].base;
                if (!span)
                    buf_printf(out, "%s%llu", k ? " " : "", (unsigned long long)v);
                last = v > last ? v : last;
            }
        }
    }
    if (span)
        buf_printf(out, "span %llu", (unsigned long long)last);
}

/* The pair of a row once for every stall count; the consumers are marked. */
static bool stalls_code(const char *pair, const uint32_t *stalls, uint32_t n, struct buf *out)
{
    const char *arrow = strstr(pair, " => ");
    if (!arrow)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        buf_printf(out, "NOP {s15} *5; NOP {s15,b3f}; %.*s", (int)(arrow - pair), pair);
        uint32_t rest = stalls[i], first = rest < 15 ? rest : 15;
        buf_printf(out, " {s%u}", first);
        for (rest -= first; rest > 0; rest -= first) {
            first = rest < 15 ? rest : 15;
            buf_printf(out, "; NOP {s%u}", first);
        }
        buf_printf(out, "; !%s; ", arrow + 4);
    }
    buf_puts(out, "NOP");
    return true;
}

static uint32_t parse_stalls(const char *list, uint32_t *stalls)
{
    uint32_t n = 0;
    for (const char *p = list; *p; p += *p == ',') {
        char *end;
        uint32_t from = (uint32_t)strtoul(p, &end, 10), to = from;
        if (*end == '-')
            to = (uint32_t)strtoul(end + 1, &end, 10);
        while (from <= to && n < STALLS_MAX)
            stalls[n++] = from++;
        p = end;
    }
    return n;
}

/* The smallest stall count with which no hazard is reported, nor with a longer one. */
static void describe_stalls(const struct clocks *c, const uint32_t *stalls, uint32_t n,
                            struct buf *out)
{
    uint32_t i = 0, right = 0;
    for (uint32_t at = 0; at < c->listing->count; at++) {
        if (c->listing->marked[at] && c->hazard[at])
            right = i + 1;
        i += c->listing->marked[at];
    }
    if (right < n)
        buf_printf(out, "%u", stalls[right]);
    else
        buf_puts(out, "none");
}

static bool run_row(struct bench *b, char **field, struct buf *got)
{
    static struct probe_listing listing;
    static struct clocks clocks;
    struct sim_err err = {0};
    struct buf code = {0};
    uint32_t stalls[STALLS_MAX], n = 0;
    bool pair = strncmp(field[BAR], "stalls ", 7) == 0, ok = true;
    if (pair) {
        n = parse_stalls(field[BAR] + 7, stalls);
        ok = stalls_code(field[CODE], stalls, n, &code);
    }
    ok = ok && probe_make_listing(&listing, field[WARPS], strcmp(field[BAR], "bar") == 0,
                                  pair ? code.data : field[CODE]);
    buf_free(&code);
    if (!ok) {
        fprintf(stderr, "%s: %s\n", field[NAME], listing.text.data);
        buf_free(&listing.text);
        return false;
    }
    memset(&clocks, 0, sizeof clocks);
    clocks.listing = &listing;
    clocks.check_hazards = pair;
    ok = simulate(b, &clocks, &err);
    if (ok && pair)
        describe_stalls(&clocks, stalls, n, got);
    else if (ok)
        describe(&clocks, strncmp(field[MEASURED], "span", 4) == 0, got);
    else
        print_error(field[NAME], &err);
    err_clear(&err);
    buf_free(&listing.text);
    return ok;
}

static uint32_t split(char *line, char **field)
{
    uint32_t n = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *p = line; p && n < FIELDS; n++) {
        field[n] = p;
        p = strstr(p, " | ");
        if (p) {
            *p = '\0';
            p += 3;
        }
    }
    return n;
}

static void check_row(struct bench *b, char **field, uint32_t n, const char *reason,
                      struct buf *out)
{
    struct buf got = {0};
    b->rows++;
    if (!run_row(b, field, &got)) {
        b->wrong++;
        return;
    }
    bool gap = strcmp(got.data, field[MEASURED]) != 0;
    const char *expected = n > MODEL ? field[MODEL] : field[MEASURED];
    b->gaps += gap;
    if (strcmp(got.data, expected) != 0 || (n > MODEL && (!gap || n <= REASON))) {
        b->wrong++;
        if (!out)
            printf("%s: model %s, %s %s, measured %s\n", field[NAME], got.data,
                   n > MODEL ? "recorded" : "expected", expected, field[MEASURED]);
    }
    if (out) {
        buf_printf(out, "%s | %s | %s | %s | %s", field[NAME], field[WARPS], field[BAR],
                   field[CODE], field[MEASURED]);
        if (gap)
            buf_printf(out, " | %s | %s", got.data, n > REASON ? field[REASON] : reason);
        buf_puts(out, "\n");
    }
    buf_free(&got);
}

static bool run_table(struct bench *b, const char *path, const char *reason, struct buf *out)
{
    static char line[1 << 16];
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    while (fgets(line, sizeof line, f)) {
        char *field[FIELDS];
        uint32_t n = line[0] == '#' ? 0 : split(line, field);
        if (n == 0 && out)
            buf_printf(out, "%s", line);
        if (n > MEASURED)
            check_row(b, field, n, reason, out);
        else if (n > 0) {
            fprintf(stderr, "%s: fields missing in \"%s\"\n", path, line);
            b->wrong++;
        }
    }
    fclose(f);
    return true;
}

static bool write_table(const char *path, const struct buf *text)
{
    FILE *f = fopen(path, "w");
    return f && fwrite(text->data, 1, text->len, f) == text->len && fclose(f) == 0;
}

static bool load_config(struct bench *b, char **given, uint32_t n)
{
    /* The L2 is small: no probe needs more, and it is made anew for each. */
    const char *sets[SETS_MAX + 1] = {"l2.bytes=3145728"};
    static struct err_list errors;
    for (uint32_t i = 0; i < n && i < SETS_MAX; i++)
        sets[i + 1] = given[i];
    if (config_load(&b->config, "h200", sets, n + 1, &errors))
        return true;
    print_error("configuration", &errors.items[0]);
    return false;
}

int main(int argc, char **argv)
{
    struct bench b = {.path = "/tmp/subcore-probe-XXXXXX"};
    bool write = argc > 3 && strcmp(argv[2], "--write") == 0;
    int first = write ? 4 : 2;
    char path[4096];
    if (argc < 2 || argc > first + SETS_MAX) {
        fprintf(stderr, "usage: probe_table TABLE [--write REASON] [KEY=VALUE...]\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/tests/data/probes/%s.probes", SUBCORE_SOURCE_DIR, argv[1]);
    int fd = mkstemp(b.path);
    if (fd < 0 || close(fd) != 0 || !load_config(&b, argv + first, (uint32_t)(argc - first)))
        return 2;
    struct buf out = {0};
    bool ok = run_table(&b, path, write ? argv[3] : "", write ? &out : NULL);
    if (ok && write)
        ok = write_table(path, &out);
    buf_free(&out);
    unlink(b.path);
    config_free(&b.config);
    printf("%s: %u probes, %u not as measured, %u wrong\n", argv[1], b.rows, b.gaps,
           write ? 0 : b.wrong);
    return ok && (write || b.wrong == 0) ? 0 : 1;
}

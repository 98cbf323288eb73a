#include "study/point.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/outfile.h"
#include "study/simulate.h"
#include "study/statistic.h"

/* Larger than any point's file: 32 warnings and a message. */
#define FILE_MAX ((size_t)1 << 20)

bool point_keeps(uint32_t statistic)
{
    static const char hazards[] = "hazards.";
    char name[STATISTIC_NAME_SIZE];
    statistic_name(statistic, name);
    return statistic_is_count(statistic) && strncmp(name, hazards, sizeof hazards - 1) != 0;
}

void point_free(struct point_result *r)
{
    free(r->message);
    free(r->values);
    free(r->warnings);
    memset(r, 0, sizeof *r);
}

bool point_fail(struct point_result *out, const char *message, struct sim_err *err)
{
    point_free(out);
    out->message = strdup(message);
    if (!out->message)
        return err_memory(err, "keeping a result");
    for (char *s = out->message; *s; s++)
        if ((unsigned char)*s < 0x20)
            *s = ' ';
    out->done = out->failed = true;
    return true;
}

static bool keep_values(struct point_result *out, const struct summary *total,
                        const struct diag *diag, struct sim_err *err)
{
    struct buf warnings = {0};
    for (uint32_t i = 0; i < diag->count; i++)
        buf_printf(&warnings, "%s\n", diag->items[i].text);
    out->values = calloc(statistic_count(), sizeof *out->values);
    if (!out->values || warnings.failed) {
        buf_free(&warnings);
        return err_memory(err, "keeping a result");
    }
    for (uint32_t i = 0; i < statistic_count(); i++)
        if (point_keeps(i))
            out->values[i] = statistic_counted(i, total);
    out->warnings = warnings.len > 0 ? buf_take(&warnings) : NULL;
    out->done = true;
    return true;
}

/* An error that is the result of the point. */
static bool take_failure(struct point_result *out, struct sim_err *failure, struct sim_err *err)
{
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32];
    if (failure->code == ERR_INTERRUPT) {
        *err = *failure;
        return false;
    }
    err_format(failure, text, sizeof text);
    err_clear(failure);
    return point_fail(out, text, err);
}

bool point_run(const struct plan *p, uint32_t point, const volatile sig_atomic_t *stop,
               struct point_result *out, struct sim_err *err)
{
    const struct plan_variant *v = &p->variants[p->points[point].variant];
    const struct study_input *in = &p->sweep->inputs[p->points[point].input];
    struct loaded_config config;
    struct sim_err failure = {0};
    memset(out, 0, sizeof *out);
    if (v->error)
        return point_fail(out, v->error, err);
    struct diag *diag = calloc(1, sizeof *diag);
    struct err_list *errors = calloc(1, sizeof *errors);
    bool ok = diag && errors;
    if (!ok)
        err_memory(err, "simulating a point");
    else if (!plan_load_config(p, v, &config, errors))
        ok = take_failure(out, &errors->items[0], err);
    else {
        struct summary total;
        struct simulate_options opt = {
            .config = &config.cfg,
            .files = in->files,
            .sim = {.threads = 1, .max_cycles = p->sweep->max_cycles, .stop = stop, .diag = diag},
            .warm = p->sweep->warm};
        ok = simulate(in->path, &opt, &total, &failure) ? keep_values(out, &total, diag, err)
                                                        : take_failure(out, &failure, err);
        summary_free(&total);
        config_free(&config);
    }
    free(errors);
    free(diag);
    return ok;
}

void point_path(const struct plan *p, uint32_t point, const char *dir, struct buf *out)
{
    buf_printf(out, "%s/points/%016" PRIx64 ".txt", dir, p->points[point].id);
}

static void print_result(const struct plan *p, uint32_t point, const struct point_result *r,
                         struct buf *out)
{
    char name[STATISTIC_NAME_SIZE];
    buf_puts(out, p->points[point].key);
    if (r->failed)
        buf_printf(out, "failed %s\n", r->message);
    for (uint32_t i = 0; !r->failed && i < statistic_count(); i++) {
        if (!point_keeps(i))
            continue;
        statistic_name(i, name);
        buf_printf(out, "%s %" PRIu64 "\n", name, r->values[i]);
    }
    for (const char *w = r->warnings; w && *w;) {
        size_t n = strcspn(w, "\n");
        buf_printf(out, "warning %.*s\n", (int)n, w);
        w += n + (w[n] == '\n');
    }
    if (!out->failed)
        buf_printf(out, "end %016" PRIx64 "\n", hash_bytes(HASH_START, out->data, out->len));
}

bool point_store(const struct plan *p, uint32_t point, const char *dir,
                 const struct point_result *r, struct sim_err *err)
{
    struct buf path = {0}, text = {0};
    struct outfile file = {0};
    point_path(p, point, dir, &path);
    print_result(p, point, r, &text);
    bool ok = !path.failed && !text.failed;
    if (!ok)
        err_memory(err, "writing a result");
    else
        ok = outfile_open(&file, path.data, err) &&
             outfile_write(&file, text.data, text.len, err) && outfile_commit(&file, err);
    outfile_abort(&file);
    buf_free(&path);
    buf_free(&text);
    return ok;
}

/* The text behind the key when the file is whole and has that key, else NULL. The line `end` is cut
 * off. */
static char *check_file(struct buf *text, const char *key)
{
    char expected[32];
    size_t tail = sizeof "end 0123456789abcdef\n" - 1, len = strlen(key);
    if (text->len < len + tail || memcmp(text->data, key, len) != 0)
        return NULL;
    char *end = text->data + text->len - tail;
    snprintf(expected, sizeof expected, "end %016" PRIx64 "\n",
             hash_bytes(HASH_START, text->data, text->len - tail));
    if (strcmp(end, expected) != 0)
        return NULL;
    *end = '\0';
    return text->data + len;
}

/* The first statistic from i on that is kept. */
static uint32_t next_kept(uint32_t i)
{
    while (i < statistic_count() && !point_keeps(i))
        i++;
    return i;
}

/* One line "NAME VALUE"; values stand in the order of the statistics, `next` is expected. */
static bool take_line(struct point_result *out, uint32_t *next, char *line, struct buf *warnings)
{
    char name[STATISTIC_NAME_SIZE];
    char *blank = strchr(line, ' ');
    if (!blank)
        return false;
    *blank = '\0';
    if (strcmp(line, "warning") == 0) {
        buf_printf(warnings, "%s\n", blank + 1);
        return true;
    }
    if (strcmp(line, "failed") == 0) {
        out->message = strdup(blank + 1);
        out->failed = true;
        return out->message != NULL;
    }
    if (*next >= statistic_count())
        return false;
    statistic_name(*next, name);
    out->values[*next] = strtoull(blank + 1, NULL, 10);
    *next = next_kept(*next + 1);
    return strcmp(line, name) == 0;
}

static bool take_lines(struct point_result *out, char *body)
{
    uint32_t next = next_kept(0);
    struct buf warnings = {0};
    bool ok = true;
    out->values = calloc(statistic_count(), sizeof *out->values);
    if (!out->values)
        return false;
    for (char *line = body; ok && *line;) {
        char *end = strchr(line, '\n');
        if (!end)
            break;
        *end = '\0';
        ok = take_line(out, &next, line, &warnings);
        line = end + 1;
    }
    ok = ok && (out->failed || next == statistic_count()) && !warnings.failed;
    out->warnings = ok && warnings.len > 0 ? buf_take(&warnings) : NULL;
    buf_free(&warnings);
    out->done = ok;
    return ok;
}

bool point_load(const struct plan *p, uint32_t point, const char *dir, struct point_result *out,
                struct sim_err *err)
{
    struct buf path = {0}, text = {0};
    char part[4096];
    memset(out, 0, sizeof *out);
    point_path(p, point, dir, &path);
    FILE *f = path.failed ? NULL : fopen(path.data, "rb");
    for (size_t n; f && text.len < FILE_MAX && (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_add(&text, part, n);
    if (f)
        fclose(f);
    char *body = text.failed || text.len == 0 ? NULL : check_file(&text, p->points[point].key);
    if (body && !take_lines(out, body))
        point_free(out);
    bool ok = !path.failed && !text.failed;
    buf_free(&path);
    buf_free(&text);
    return ok || err_memory(err, "reading a result");
}

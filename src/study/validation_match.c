/* Pairs what was simulated with what was measured: by name, or kernel by kernel in order. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/area.h"
#include "study/statistic.h"
#include "study/validation_job.h"

/* Column of distances between instructions when the suite names none. */
#define DISTANCE_COLUMN "cycles"

/* A measurement is kept with at most so many repetitions. */
#define REPEATS_MAX 256

/* The part being matched. */
struct match {
    struct validation *v;
    const struct jobs *jobs;
    const struct suite_part *part;
    uint32_t index;
    const struct measured *m; /* where the columns are from */
    uint32_t column, low, high;
};

static bool is_distance(const struct suite_part *p)
{
    return p->kind == SUITE_ISSUE || p->kind == SUITE_CONTROL;
}

/* Files of measurements of an input. */
static uint32_t files_of(const struct suite_part *p, const struct suite_input *in,
                         const uint32_t **files)
{
    *files = in->measured != MEASURED_NONE ? &in->measured : p->measured;
    return in->measured != MEASURED_NONE ? 1 : p->measured_count;
}

/* What a row of distances or of a CSV is named after. */
static const char *input_of_row(const struct measured *m, const struct measured_row *row,
                                bool distance)
{
    uint32_t column = distance ? measured_column(m, "input") : MEASURED_NONE;
    return column != MEASURED_NONE ? row->cells[column] : row->name;
}

bool validation_wants(const struct suite *s, const struct suite_part *p,
                      const struct suite_input *in)
{
    const uint32_t *files;
    uint32_t count = files_of(p, in, &files);
    for (uint32_t f = 0; f < count; f++) {
        const struct measured *m = &s->measured[files[f]];
        if (m->nsight)
            return true;
        for (uint32_t r = 0; r < m->row_count; r++)
            if (strcmp(input_of_row(m, &m->rows[r], is_distance(p)), in->name) == 0)
                return true;
    }
    return false;
}

/* Index of the columns that say from where to where a distance goes. */
static bool distance_columns(const struct measured *m, uint32_t *from, uint32_t *to,
                             struct sim_err *err)
{
    static const char *const names[] = {"input", "from", "to"};
    for (uint32_t i = 0; i < 3; i++)
        if (measured_column(m, names[i]) == MEASURED_NONE)
            return measured_no_column(m, names[i], err);
    *from = measured_column(m, "from");
    *to = measured_column(m, "to");
    return true;
}

bool validation_distances(const struct suite *s, const struct suite_part *p, struct job *job,
                          struct sim_err *err)
{
    const uint32_t *files;
    uint32_t count = files_of(p, job->input, &files), from, to;
    for (uint32_t f = 0; is_distance(p) && f < count; f++) {
        const struct measured *m = &s->measured[files[f]];
        TRY(distance_columns(m, &from, &to, err));
        for (uint32_t r = 0; r < m->row_count; r++) {
            const struct measured_row *row = &m->rows[r];
            if (strcmp(input_of_row(m, row, true), job->input->name) != 0)
                continue;
            struct distance d = {.found = false};
            if (!event_read(&d.from, row->cells[from]) || d.from.next ||
                !event_read(&d.to, row->cells[to]))
                return err_set(
                    err, ERR_INPUT, m->file, row->line, 0,
                    "expected WARP:OPCODE:N to WARP:OPCODE:N or next, found '%s' to '%s'",
                    row->cells[from], row->cells[to]);
            struct distance *more =
                realloc(job->distances, (job->distance_count + 1) * sizeof *more);
            if (!more)
                return err_memory(err, "validating");
            job->distances = more;
            more[job->distance_count++] = d;
        }
    }
    return true;
}

/* The column to compare with: the suite's, else the one of the statistic's hardware counter, else
 * the only one there is. */
static bool choose_column(struct match *t, struct sim_err *err)
{
    const struct measured *m = t->m;
    char counter[STATISTIC_NAME_SIZE] = "";
    const char *name = t->part->column;
    if (!name && is_distance(t->part))
        name = DISTANCE_COLUMN;
    if (!name && t->part->kind == SUITE_STATISTIC)
        statistic_counter(t->part->statistic, counter);
    if (!name && counter[0] && measured_column(m, counter) != MEASURED_NONE)
        name = counter;
    if (!name && !m->nsight && m->column_count == 2)
        name = m->columns[measured_column(m, "name") == 0 ? 1 : 0];
    if (!name && counter[0])
        return err_set(err, ERR_INPUT, m->file, 0, 0,
                       "has no column '%s', the hardware counter of %s; name one with the key "
                       "column",
                       counter, t->part->statistic_name);
    if (!name)
        return err_set(err, ERR_INPUT, m->file, 0, 0,
                       "no hardware counter stands for %s; name a column with the key column",
                       t->part->statistic_name);
    t->column = measured_column(m, name);
    if (t->column == MEASURED_NONE)
        return measured_no_column(m, name, err);
    t->v->parts[t->index].column = m->columns[t->column];
    return true;
}

static bool choose_range(struct match *t, struct sim_err *err)
{
    const char *const names[] = {t->part->column_min, t->part->column_max};
    uint32_t *const out[] = {&t->low, &t->high};
    for (uint32_t i = 0; i < 2; i++) {
        *out[i] = names[i] ? measured_column(t->m, names[i]) : MEASURED_NONE;
        if (names[i] && *out[i] == MEASURED_NONE)
            return measured_no_column(t->m, names[i], err);
    }
    return true;
}

static bool use_file(struct match *t, uint32_t file, struct sim_err *err)
{
    const struct measured *m = &t->v->suite->measured[file];
    if (t->m == m)
        return true;
    t->m = m;
    return choose_column(t, err) && choose_range(t, err);
}

/* Repetitions of one measurement. */
struct repeats {
    double values[REPEATS_MAX];
    uint32_t count;
    double low, high; /* by columns; NAN = none */
};

static bool add_repeat(struct match *t, const struct measured_row *row, struct repeats *r,
                       struct sim_err *err)
{
    const uint32_t columns[] = {t->column, t->low, t->high};
    double values[3] = {NAN, NAN, NAN};
    bool found[3] = {false};
    for (uint32_t i = 0; i < 3; i++)
        if (columns[i] != MEASURED_NONE)
            TRY(measured_value(t->m, row, columns[i], &values[i], &found[i], err));
    if (found[0] && r->count < REPEATS_MAX)
        r->values[r->count++] = values[0];
    if (found[1] && !(r->low <= values[1]))
        r->low = values[1];
    if (found[2] && !(r->high >= values[2]))
        r->high = values[2];
    return true;
}

static int ascending(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;
    return a < b ? -1 : a > b;
}

/* Median and range; the range of several measurements is at least that of their values. */
static struct pair settle(struct repeats *r, double simulated)
{
    qsort(r->values, r->count, sizeof r->values[0], ascending);
    uint32_t n = r->count;
    double median = n % 2 ? r->values[n / 2] : (r->values[n / 2 - 1] + r->values[n / 2]) / 2;
    struct pair p = {simulated, median, r->low, r->high};
    if (n > 1 && !(p.low <= r->values[0]))
        p.low = r->values[0];
    if (n > 1 && !(p.high >= r->values[n - 1]))
        p.high = r->values[n - 1];
    return p;
}

static bool add_row(struct match *t, const char *name, struct repeats *r, double simulated,
                    struct sim_err *err)
{
    struct validation *v = t->v;
    if (v->row_count == v->row_cap) {
        uint32_t cap = v->row_cap ? 2 * v->row_cap : 128;
        struct validation_row *more = arena_array(&v->arena, cap, sizeof *more);
        if (!more)
            return err_memory(err, "validating");
        if (v->row_count > 0)
            memcpy(more, v->rows, v->row_count * sizeof *more);
        v->rows = more;
        v->row_cap = cap;
    }
    const char *copy = arena_strndup(&v->arena, name, strlen(name));
    if (!copy)
        return err_memory(err, "validating");
    v->rows[v->row_count++] =
        (struct validation_row){.part = t->index, .name = copy, .pair = settle(r, simulated)};
    return true;
}

/* Storage of dependence management in percent of the register file. */
static double area_percent(const struct config *cfg)
{
    uint64_t bits = area_register_file_bits(cfg->sm.registers);
    struct area a = cfg->dependence.mode == DEPENDENCE_scoreboard
                        ? area_scoreboards(cfg->sm.warps, cfg->dependence.war_consumers, bits)
                        : area_control_bits(cfg->sm.warps, bits);
    return (double)a.percent_hundredths / 100;
}

static bool value_of(const struct match *t, const struct job *job, const struct summary *s,
                     double *value)
{
    if (t->part->kind == SUITE_STATISTIC)
        return statistic_value(t->part->statistic, s, value);
    *value = area_percent(job->config);
    return true;
}

/* Rows of an input by its name: the total of its kernels. */
static bool match_name(struct match *t, const struct job *job, struct sim_err *err)
{
    const uint32_t *files;
    uint32_t count = files_of(t->part, job->input, &files);
    struct repeats r = {.low = NAN, .high = NAN};
    double simulated;
    for (uint32_t f = 0; f < count; f++) {
        TRY(use_file(t, files[f], err));
        for (uint32_t i = 0; i < t->m->row_count; i++)
            if (strcmp(t->m->rows[i].name, job->input->name) == 0)
                TRY(add_repeat(t, &t->m->rows[i], &r, err));
    }
    if (r.count == 0 || !value_of(t, job, &job->total, &simulated))
        return true;
    return add_row(t, job->input->name, &r, simulated, err);
}

static bool match_distances(struct match *t, const struct job *job, struct sim_err *err)
{
    const uint32_t *files;
    uint32_t count = files_of(t->part, job->input, &files), from = 0, to = 0;
    for (uint32_t f = 0; f < count; f++) {
        TRY(use_file(t, files[f], err));
        TRY(distance_columns(t->m, &from, &to, err));
        for (uint32_t i = 0; i < t->m->row_count; i++) {
            const struct measured_row *row = &t->m->rows[i];
            struct repeats r = {.low = NAN, .high = NAN};
            struct distance want;
            if (strcmp(input_of_row(t->m, row, true), job->input->name) != 0)
                continue;
            event_read(&want.from, row->cells[from]);
            event_read(&want.to, row->cells[to]);
            const struct distance *d = job->distances;
            while (!event_same(&d->from, &want.from) || !event_same(&d->to, &want.to))
                d++;
            if (!d->found)
                return err_set(err, ERR_INPUT, t->m->file, row->line, 0,
                               "%s issues no '%s' with '%s' behind it", job->input->name,
                               row->cells[from], row->cells[to]);
            TRY(add_repeat(t, row, &r, err));
            uint64_t cycles = t->part->kind == SUITE_ISSUE ? d->issue : d->control;
            TRY(r.count == 0 || add_row(t, row->name, &r, (double)cycles, err));
        }
    }
    return true;
}

/* Name of a row that is one kernel of an input. */
static void kernel_name(char out[256], const struct job *job, uint32_t kernel)
{
    if (job->kernel_count == 1)
        snprintf(out, 256, "%s", job->input->name);
    else
        snprintf(out, 256, "%s/%u %s", job->input->name, kernel + 1, job->kernels[kernel].name);
}

/* Kernel `kernel` of a job was launch `row` of each export. */
static bool match_kernel(struct match *t, const struct job *job, uint32_t kernel, uint32_t row,
                         struct sim_err *err)
{
    const uint32_t *files;
    uint32_t count = files_of(t->part, job->input, &files);
    struct repeats r = {.low = NAN, .high = NAN};
    const struct job_kernel *k = &job->kernels[kernel];
    char name[256];
    double simulated;
    for (uint32_t f = 0; f < count; f++) {
        TRY(use_file(t, files[f], err));
        const struct measured_row *launch = &t->m->rows[row];
        if (!measured_same_kernel(launch->name, k->name))
            return err_set(err, ERR_INPUT, t->m->file, launch->line, 0,
                           "launch %u is %s, but kernel %u of the inputs is %s", row + 1,
                           launch->name, row + 1, k->name);
        TRY(add_repeat(t, launch, &r, err));
    }
    if (r.count == 0 || !value_of(t, job, &k->numbers, &simulated))
        return true;
    kernel_name(name, job, kernel);
    return add_row(t, name, &r, simulated, err);
}

static bool check_launches(struct match *t, const uint32_t *files, uint32_t count, uint32_t kernels,
                           struct sim_err *err)
{
    for (uint32_t f = 0; f < count; f++) {
        const struct measured *m = &t->v->suite->measured[files[f]];
        if (m->row_count != kernels)
            return err_set(err, ERR_INPUT, m->file, 0, 0,
                           "holds %u launches, but the inputs ran %u kernels; they are matched in "
                           "order",
                           m->row_count, kernels);
    }
    return true;
}

/* Kernels of all inputs against one export after another, in order. */
static bool match_in_order(struct match *t, struct sim_err *err)
{
    const struct suite *s = t->v->suite;
    uint32_t kernels = 0, row = 0;
    bool all = true;
    for (uint32_t i = 0; i < s->input_count; i++) {
        const struct job *job = jobs_find(t->jobs, &s->inputs[i], t->part->warm);
        if (s->inputs[i].measured != MEASURED_NONE)
            continue;
        all = all && job && job->done;
        kernels += job ? job->kernel_count : 0;
    }
    if (!all && t->jobs->opt->name_count > 0)
        return err_set(
            err, ERR_USAGE, s->tree.file, 0, 0,
            "launches of an export of Nsight Compute are matched in order: no inputs can "
            "be chosen");
    if (!all)
        return true; /* an input has failed */
    TRY(check_launches(t, t->part->measured, t->part->measured_count, kernels, err));
    for (uint32_t i = 0; i < s->input_count; i++) {
        const struct job *job = jobs_find(t->jobs, &s->inputs[i], t->part->warm);
        for (uint32_t k = 0; s->inputs[i].measured == MEASURED_NONE && k < job->kernel_count; k++)
            TRY(match_kernel(t, job, k, row++, err));
    }
    return true;
}

static bool match_input(struct match *t, const struct job *job, struct sim_err *err)
{
    const uint32_t *files;
    uint32_t count = files_of(t->part, job->input, &files);
    if (is_distance(t->part))
        return match_distances(t, job, err);
    if (count == 0 || !t->v->suite->measured[files[0]].nsight)
        return match_name(t, job, err);
    if (job->input->measured == MEASURED_NONE)
        return true; /* match_in_order() */
    TRY(check_launches(t, files, count, job->kernel_count, err));
    for (uint32_t k = 0; k < job->kernel_count; k++)
        TRY(match_kernel(t, job, k, k, err));
    return true;
}

bool validation_match(struct validation *v, const struct jobs *jobs, uint32_t part,
                      struct sim_err *err)
{
    const struct suite *s = v->suite;
    struct match t = {.v = v, .jobs = jobs, .part = &s->parts[part], .index = part};
    bool in_order = false;
    for (uint32_t f = 0; f < t.part->measured_count; f++)
        in_order = in_order || s->measured[t.part->measured[f]].nsight;
    if (in_order)
        TRY(match_in_order(&t, err));
    for (uint32_t i = 0; i < s->input_count; i++) {
        const struct job *job = jobs_find(jobs, &s->inputs[i], t.part->warm);
        if (job && job->done)
            TRY(match_input(&t, job, err));
    }
    return true;
}

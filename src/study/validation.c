#include "study/validation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/distance.h"
#include "study/validation_job.h"

static bool no_memory(struct err_list *errors)
{
    return err_list_add(errors, ERR_RESOURCE, NULL, 0, 0, "out of memory while validating");
}

static bool pass_on(struct err_list *errors, struct sim_err *err)
{
    err_list_add(errors, err->code, err->file, err->line, err->col, "%s", err->msg);
    err_clear(err);
    return false;
}

/* The part that is asked for, or one of its statistics. */
static bool part_selected(const char *part, const char *name)
{
    if (!part || !name)
        return !part;
    size_t n = strlen(part);
    return strncmp(name, part, n) == 0 && (name[n] == '\0' || name[n] == '/');
}

/* The names of the command line are inputs, that of --part a part. */
static bool check_selection(const struct suite *s, const struct validation_options *o,
                            struct err_list *errors)
{
    bool ok = true;
    for (size_t n = 0; n < o->name_count; n++) {
        struct closest near = {.word = o->names[n]};
        uint32_t i = 0;
        for (; i < s->input_count && strcmp(s->inputs[i].name, o->names[n]) != 0; i++)
            closest_offer(&near, s->inputs[i].name);
        if (i == s->input_count)
            ok = err_list_add(errors, ERR_USAGE, s->tree.file, 0, 0, "has no input '%s'%s%s%s",
                              o->names[n], near.found ? " (did you mean '" : "",
                              near.found ? near.found : "", near.found ? "'?)" : "");
    }
    struct closest near = {.word = o->part};
    for (uint32_t i = 0; o->part && i < s->part_count; i++) {
        if (part_selected(o->part, s->parts[i].name))
            return ok;
        if (s->parts[i].name)
            closest_offer(&near, s->parts[i].name);
    }
    if (o->part)
        ok = err_list_add(errors, ERR_USAGE, s->tree.file, 0, 0, "has no part '%s'%s%s%s", o->part,
                          near.found ? " (did you mean '" : "", near.found ? near.found : "",
                          near.found ? "'?)" : "");
    return ok;
}

static bool input_selected(const struct validation_options *o, const struct suite_input *in)
{
    for (size_t n = 0; n < o->name_count; n++)
        if (strcmp(o->names[n], in->name) == 0)
            return true;
    return o->name_count == 0;
}

/* The configuration of an input: cards and settings of launches of one file are the same. */
static bool load_config(struct jobs *j, const struct suite *s, uint32_t job,
                        struct err_list *errors)
{
    const struct suite_input *in = j->items[job].input;
    for (uint32_t i = 0; i < job; i++) {
        const struct suite_input *other = j->items[i].input;
        if (other->card == in->card && other->sets == in->sets) {
            j->items[job].config = j->items[i].config;
            return true;
        }
    }
    size_t n = 0, most = s->set_count + in->set_count + j->opt->set_count;
    const char **sets = malloc((most + 1) * sizeof(*sets));
    const char *card = j->opt->card ? j->opt->card
                       : in->card   ? in->card
                       : s->card    ? s->card
                                    : j->opt->default_card;
    if (!sets)
        return no_memory(errors);
    for (uint32_t i = 0; i < s->set_count; i++)
        sets[n++] = s->sets[i];
    for (uint32_t i = 0; i < in->set_count; i++)
        sets[n++] = in->sets[i];
    for (size_t i = 0; i < j->opt->set_count; i++)
        sets[n++] = j->opt->sets[i];
    struct loaded_config *config = &j->configs[j->config_count];
    bool ok = config_load(config, card, sets, n, errors);
    free(sets);
    j->config_count += ok;
    j->items[job].config = &config->cfg;
    return ok;
}

/* One job an input that a selected part wants cold, or warm. */
static bool plan_jobs(struct jobs *j, const struct validation *v, struct err_list *errors)
{
    const struct suite *s = v->suite;
    j->items = calloc(2 * (size_t)s->input_count + 1, sizeof *j->items);
    j->configs = calloc(2 * (size_t)s->input_count + 1, sizeof *j->configs);
    if (!j->items || !j->configs)
        return no_memory(errors);
    for (uint32_t i = 0; i < 2 * s->input_count; i++) {
        const struct suite_input *in = &s->inputs[i / 2];
        bool warm = i % 2, wanted = false;
        for (uint32_t p = 0; p < s->part_count; p++)
            wanted = wanted || (v->parts[p].selected && s->parts[p].warm == warm &&
                                validation_wants(s, &s->parts[p], in));
        if (!wanted || !input_selected(j->opt, in))
            continue;
        struct job *job = &j->items[j->count++];
        *job = (struct job){.input = in, .warm = warm, .diag = calloc(1, sizeof *job->diag)};
        if (!job->diag)
            return no_memory(errors);
        job->diag->strict = j->opt->diag->strict;
        TRY(load_config(j, s, j->count - 1, errors));
        struct sim_err err = {0};
        for (uint32_t p = 0; p < s->part_count; p++)
            if (v->parts[p].selected && s->parts[p].warm == warm &&
                !validation_distances(s, &s->parts[p], job, &err))
                return pass_on(errors, &err);
    }
    return true;
}

/* Inputs that nothing is compared with. */
static bool warn_unmeasured(const struct validation *v, const struct validation_options *o,
                            struct err_list *errors)
{
    const struct suite *s = v->suite;
    struct sim_err err = {0};
    for (uint32_t i = 0; i < s->input_count; i++) {
        bool wanted = !input_selected(o, &s->inputs[i]) || o->part;
        for (uint32_t p = 0; !wanted && p < s->part_count; p++)
            wanted = validation_wants(s, &s->parts[p], &s->inputs[i]);
        if (!wanted && !diag_warn(o->diag, &err, s->tree.file, 0, "input '%s' is not measured",
                                  s->inputs[i].name))
            return pass_on(errors, &err);
    }
    return true;
}

static bool keep_failures(struct validation *v, const struct jobs *j)
{
    v->failures = arena_array(&v->arena, j->count + 1, sizeof *v->failures);
    for (uint32_t i = 0; v->failures && i < j->count; i++) {
        const struct job *job = &j->items[i];
        if (job->done)
            continue;
        char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32];
        err_format(&job->err, text, sizeof text);
        struct validation_failure *f = &v->failures[v->failure_count++];
        f->name = job->input->name;
        f->code = job->err.code;
        f->message = arena_strndup(&v->arena, text, strlen(text));
        if (!f->message)
            return false;
    }
    return v->failures != NULL;
}

/* Warnings of the simulations, in their order. */
static bool pass_warnings(const struct jobs *j, struct err_list *errors)
{
    struct sim_err err = {0};
    for (uint32_t i = 0; i < j->count; i++) {
        const struct diag *d = j->items[i].diag;
        for (uint32_t k = 0; k < d->count; k++)
            if (!diag_warn(j->opt->diag, &err, NULL, 0, "%s: %s", j->items[i].input->name,
                           d->items[k].text))
                return pass_on(errors, &err);
    }
    return true;
}

static bool compare(struct validation *v, const struct jobs *j, struct err_list *errors)
{
    struct sim_err err = {0};
    struct pair *pairs;
    for (uint32_t p = 0; p < v->suite->part_count; p++) {
        v->parts[p].first = v->row_count;
        if (v->parts[p].selected && !validation_match(v, j, p, &err))
            return pass_on(errors, &err);
        v->parts[p].count = v->row_count - v->parts[p].first;
    }
    if (v->row_count == 0 && v->failure_count == 0)
        return err_list_add(errors, ERR_INPUT, v->suite->tree.file, 0, 0,
                            "nothing to compare: no input is measured");
    pairs = malloc((v->row_count + 1) * sizeof *pairs);
    if (!pairs)
        return no_memory(errors);
    for (uint32_t i = 0; i < v->row_count; i++)
        pairs[i] = v->rows[i].pair;
    bool ok = true;
    for (uint32_t p = 0; ok && p < v->suite->part_count; p++)
        ok = agreement_of(&v->parts[p].agreement, pairs + v->parts[p].first, v->parts[p].count);
    free(pairs);
    return ok || no_memory(errors);
}

static bool run(struct validation *v, struct jobs *j, struct err_list *errors)
{
    struct sim_err err = {0};
    TRY(plan_jobs(j, v, errors));
    TRY(warn_unmeasured(v, j->opt, errors));
    if (!jobs_run(j, &err))
        return pass_on(errors, &err);
    TRY(pass_warnings(j, errors));
    if (!keep_failures(v, j))
        return no_memory(errors);
    return compare(v, j, errors);
}

bool validation_run(struct validation *out, const struct suite *suite,
                    const struct validation_options *opt, struct err_list *errors)
{
    struct jobs jobs = {.opt = opt, .lock = PTHREAD_MUTEX_INITIALIZER};
    memset(out, 0, sizeof *out);
    out->suite = suite;
    out->chosen = opt->part != NULL;
    out->card = opt->card ? opt->card : suite->card ? suite->card : opt->default_card;
    out->parts = arena_array(&out->arena, suite->part_count, sizeof *out->parts);
    if (!out->parts)
        return no_memory(errors);
    TRY(check_selection(suite, opt, errors));
    for (uint32_t p = 0; p < suite->part_count; p++)
        out->parts[p].selected = part_selected(opt->part, suite->parts[p].name);
    bool ok = run(out, &jobs, errors);
    jobs_free(&jobs);
    return ok;
}

void validation_free(struct validation *v)
{
    arena_free(&v->arena);
    memset(v, 0, sizeof *v);
}

/* Distances between issued instructions. */
#include <stdlib.h>
#include <string.h>

#include "isa/inst.h"
#include "study/validation_job.h"

bool event_read(struct event *e, const char *text)
{
    memset(e, 0, sizeof *e);
    e->next = strcmp(text, "next") == 0;
    if (e->next)
        return true;
    const char *opcode = strchr(text, ':'), *nth = opcode ? strchr(opcode + 1, ':') : NULL;
    if (!nth || nth == opcode + 1 || (size_t)(nth - opcode) > sizeof e->opcode)
        return false;
    memcpy(e->opcode, opcode + 1, (size_t)(nth - opcode) - 1);
    char *end;
    e->any_warp = text[0] == '*' && opcode == text + 1;
    e->warp = e->any_warp ? 0 : (uint32_t)strtoul(text, &end, 10);
    if (!e->any_warp && (text[0] < '0' || text[0] > '9' || end != opcode))
        return false;
    e->nth = (uint32_t)strtoul(nth + 1, &end, 10);
    return nth[1] >= '1' && nth[1] <= '9' && *end == '\0';
}

bool event_same(const struct event *a, const struct event *b)
{
    return a->next == b->next && a->any_warp == b->any_warp && a->warp == b->warp &&
           a->nth == b->nth && strcmp(a->opcode, b->opcode) == 0;
}

/* `opcode` up to a dot or its end. */
static bool has_opcode(const struct inst *in, const char *opcode)
{
    size_t n = strlen(opcode);
    return strncmp(in->opcode, opcode, n) == 0 && (in->opcode[n] == '\0' || in->opcode[n] == '.');
}

static bool of_warp(const struct event *e, const struct issue_record *r)
{
    return r->cta == 0 && (e->any_warp || r->warp == e->warp);
}

/* Where the timed part begins: the first clock read of the warp, if it has one. */
static size_t timed_part(const struct job *job, const struct kernel *k, const struct event *e)
{
    for (size_t i = 0; i < job->log_count; i++)
        if (of_warp(e, &job->log[i]) && (k->insts[job->log[i].inst]->flags & INST_CLOCK))
            return i;
    return 0;
}

static const struct issue_record *find(const struct job *job, const struct kernel *k,
                                       const struct event *e)
{
    uint32_t seen = 0;
    for (size_t i = timed_part(job, k, e); i < job->log_count; i++)
        if (of_warp(e, &job->log[i]) && has_opcode(k->insts[job->log[i].inst], e->opcode) &&
            ++seen == e->nth)
            return &job->log[i];
    return NULL;
}

static const struct issue_record *find_next(const struct job *job, const struct issue_record *from)
{
    for (const struct issue_record *r = from + 1; r < job->log + job->log_count; r++)
        if (r->cta == from->cta && r->warp == from->warp)
            return r;
    return NULL;
}

void event_find(struct job *job, const struct kernel *k)
{
    for (uint32_t i = 0; i < job->distance_count; i++) {
        struct distance *d = &job->distances[i];
        const struct issue_record *from = find(job, k, &d->from);
        const struct issue_record *to = !from        ? NULL
                                        : d->to.next ? find_next(job, from)
                                                     : find(job, k, &d->to);
        d->found = from && to && to->cycle >= from->cycle;
        if (d->found) {
            d->issue = to->cycle - from->cycle;
            d->control = to->control - from->control;
        }
    }
}

#include "report/summary.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "cfg/words.h"

bool summary_of_kernel(struct summary *s, const struct kernel *k, const struct kernel_result *r,
                       struct sim_err *err)
{
    memset(s, 0, sizeof *s);
    s->cycles = r->cycles;
    s->elapsed_cycles = r->elapsed_cycles;
    s->sm_active_cycles_max = r->sm_active_cycles_max;
    s->sm_active_cycles_sum = r->sm_active_cycles_sum;
    s->sms_used = r->sms_used;
    s->warp_capacity = r->sm_active_cycles_sum * r->max_warps;
    s->warp_instructions = r->warp_instructions;
    s->thread_instructions = r->thread_instructions;
    s->ctas = r->ctas;
    memcpy(s->hazards, r->hazard_total, sizeof s->hazards);
    s->stats = r->stats;
    s->host_seconds = r->host_seconds;
    size_t n = r->inst_count < k->inst_count ? r->inst_count : k->inst_count;
    return opcode_tally_add(&s->opcodes, k->insts, r->counts, r->counts ? n : 0, err);
}

bool summary_add(struct summary *total, const struct summary *kernel, uint64_t end_cycle,
                 struct sim_err *err)
{
    TRY(opcode_tally_merge(&total->opcodes, &kernel->opcodes, err));
    total->cycles = max_u64(total->cycles, end_cycle);
    total->elapsed_cycles = total->cycles;
    total->sm_active_cycles_max += kernel->sm_active_cycles_max;
    total->sm_active_cycles_sum += kernel->sm_active_cycles_sum;
    total->sms_used = max_u64(total->sms_used, kernel->sms_used);
    total->warp_capacity += kernel->warp_capacity;
    total->warp_instructions += kernel->warp_instructions;
    total->thread_instructions += kernel->thread_instructions;
    total->ctas += kernel->ctas;
    for (size_t i = 0; i < HAZARD_KIND_COUNT; i++)
        total->hazards[i] += kernel->hazards[i];
    stats_add(&total->stats, &kernel->stats);
    total->host_seconds += kernel->host_seconds;
    return true;
}

void summary_free(struct summary *s)
{
    opcode_tally_free(&s->opcodes);
}

const char *hazard_kind_name(enum hazard_kind kind)
{
    static const char *const names[HAZARD_KIND_COUNT] = {"RAW", "WAW", "WAR"};
    return names[kind];
}

const char *dependence_mode_name(uint32_t mode)
{
#define WORD(type, word, doc) #word,
    static const char *const names[] = {DEPENDENCE_WORDS(WORD)};
#undef WORD
    return mode < DEPENDENCE_COUNT ? names[mode] : "unknown";
}

/* Members of the summary itself, by their JSON names. */
static const struct {
    const char *name;
    size_t offset;
} members[] = {
#define MEMBER(name)                                                                               \
    {                                                                                              \
#name, offsetof(struct summary, name)                                                      \
    }
    MEMBER(cycles),
    MEMBER(elapsed_cycles),
    MEMBER(sm_active_cycles_max),
    MEMBER(sm_active_cycles_sum),
    MEMBER(sms_used),
    MEMBER(ctas),
    MEMBER(warp_instructions),
    MEMBER(thread_instructions),
#undef MEMBER
};

/* The name of a counter in the JSON: "icache.l0.hits" for hits of icache_l0. */
static bool is_counter(const struct stat_info *info, const char *name)
{
    static const char nested[] = "icache_";
    char place[128];
    snprintf(place, sizeof place, "%s.%s", info->group, info->name);
    if (strncmp(place, nested, sizeof nested - 1) == 0)
        place[sizeof nested - 2] = '.';
    return strcmp(name, place) == 0;
}

bool summary_value(const struct summary *s, const char *name, uint64_t *value)
{
    static const char stalls[] = "issue.stalls.";
    const void *at = NULL;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (strcmp(name, members[i].name) == 0)
            at = (const char *)s + members[i].offset;
    for (size_t i = 0; i < stat_count(); i++)
        if (is_counter(stat_info(i), name))
            at = (const char *)&s->stats + stat_info(i)->offset;
    for (uint32_t r = 0; r < STALL_COUNT; r++)
        if (strncmp(name, stalls, sizeof stalls - 1) == 0 &&
            strcmp(name + sizeof stalls - 1, stall_name((enum stall_reason)r)) == 0)
            at = &s->stats.stalls[r];
    if (at)
        memcpy(value, at, sizeof *value);
    return at != NULL;
}

#include "report/summary.h"

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

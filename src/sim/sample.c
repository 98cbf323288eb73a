#include "sim/sample.h"

/* v * num / den, rounded. */
static uint64_t scaled(uint64_t v, uint64_t num, uint64_t den)
{
    return v / den * num + (v % den * num + den / 2) / den;
}

static void scale_stats(struct sim_stats *s, uint64_t num, uint64_t den)
{
    uint64_t *v = (uint64_t *)s; /* nothing but counters */
    for (size_t i = 0; i < sizeof *s / sizeof *v; i++)
        v[i] = scaled(v[i], num, den);
}

static uint64_t waves(const struct kernel_result *r, uint64_t ctas)
{
    uint64_t wave = (uint64_t)r->ctas_per_sm * r->sms;
    return (ctas + wave - 1) / wave;
}

void sample_scale(struct kernel_result *r, uint64_t ctas)
{
    uint64_t n = r->ctas_simulated, launch = r->elapsed_cycles - r->cycles;
    r->sampled = true;
    r->ctas = ctas;
    r->waves = waves(r, ctas);
    r->waves_simulated = waves(r, n);
    r->cycles = scaled(r->cycles, r->waves, r->waves_simulated);
    r->elapsed_cycles = r->cycles + launch;
    r->sm_active_cycles_max = scaled(r->sm_active_cycles_max, r->waves, r->waves_simulated);
    r->sm_active_cycles_sum = scaled(r->sm_active_cycles_sum, ctas, n);
    uint64_t used = scaled(r->sms_used, ctas, n);
    r->sms_used = used < r->sms ? (uint32_t)used : r->sms;
    scale_stats(&r->stats, ctas, n);
    r->warp_instructions = r->stats.issue_issued;
    r->thread_instructions = r->stats.issue_thread_instructions;
    for (uint32_t i = 0; i < r->inst_count; i++) {
        r->counts[i].inst = scaled(r->counts[i].inst, ctas, n);
        r->counts[i].thread = scaled(r->counts[i].thread, ctas, n);
        if (r->by_inst)
            scale_stats(&r->by_inst[i], ctas, n);
    }
}

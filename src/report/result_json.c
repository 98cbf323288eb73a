#include <stdlib.h>
#include <string.h>

#include "cfg/area.h"
#include "report/config_json.h"
#include "report/hazard_report.h"
#include "report/json_parts.h"
#include "report/run_report.h"

/* Digits of ratios. */
#define DECIMALS 4

/* Groups of this prefix are nested: icache_l0 is icache.l0. */
#define NESTED_PARENT "icache"
#define NESTED_PREFIX NESTED_PARENT "_"

static bool is_nested(const char *group)
{
    return strncmp(group, NESTED_PREFIX, strlen(NESTED_PREFIX)) == 0;
}

static uint64_t stat_value(const struct sim_stats *s, const struct stat_info *info)
{
    uint64_t v;
    memcpy(&v, (const char *)s + info->offset, sizeof v);
    return v;
}

static void write_stalls(struct json *j, const struct sim_stats *s)
{
    json_object(j, "stalls");
    for (uint32_t r = 0; r < STALL_COUNT; r++)
        json_u64(j, stall_name((enum stall_reason)r), s->stalls[r]);
    json_object_end(j);
}

static void end_group(struct json *j, const struct sim_stats *s, const char *group)
{
    for (size_t i = 0; i < ratio_count(); i++) {
        uint64_t num, den;
        if (strcmp(ratio_info(i)->group, group) != 0)
            continue;
        ratio_value(s, i, &num, &den);
        json_ratio(j, ratio_info(i)->name, num, den, DECIMALS);
    }
    if (strcmp(group, "issue") == 0)
        write_stalls(j, s);
    json_object_end(j);
}

static void write_stats(struct json *j, const struct sim_stats *s)
{
    const char *open = NULL;
    for (size_t i = 0; i < stat_count(); i++) {
        const struct stat_info *info = stat_info(i);
        if (!open || strcmp(open, info->group) != 0) {
            bool was_nested = open && is_nested(open), nested = is_nested(info->group);
            if (open)
                end_group(j, s, open);
            if (was_nested && !nested)
                json_object_end(j);
            if (nested && !was_nested)
                json_object(j, NESTED_PARENT);
            json_object(j, nested ? info->group + strlen(NESTED_PREFIX) : info->group);
            open = info->group;
        }
        json_u64(j, info->name, stat_value(s, info));
    }
    if (open)
        end_group(j, s, open);
    if (open && is_nested(open))
        json_object_end(j);
}

static void write_host(struct json *j, const struct run_info *info, const struct summary *s)
{
    if (!info->with_host)
        return;
    /* Microseconds, so that no digit of a double is printed. */
    uint64_t us = s->host_seconds > 0 ? (uint64_t)(s->host_seconds * 1e6) : 0;
    double rate = us > 0 ? (double)s->warp_instructions * 1e6 / (double)us : 0;
    json_object(j, "host");
    json_ratio(j, "seconds", us, 1000000, 6);
    json_u64(j, "warp_instructions_per_second", (uint64_t)rate);
    json_u64(j, "threads", info->threads);
    json_object_end(j);
}

/* The members that kernels and the total share, from the cycles on. */
static void write_summary(struct json *j, const struct summary *s)
{
    json_u64(j, "cycles", s->cycles);
    json_u64(j, "elapsed_cycles", s->elapsed_cycles);
    json_u64(j, "sm_active_cycles_max", s->sm_active_cycles_max);
    json_ratio(j, "sm_active_cycles_avg", s->sm_active_cycles_sum, s->sms_used, DECIMALS);
    json_u64(j, "sm_active_cycles_sum", s->sm_active_cycles_sum);
    json_u64(j, "sms_used", s->sms_used);
    json_u64(j, "ctas", s->ctas);
    json_u64(j, "warp_instructions", s->warp_instructions);
    json_u64(j, "thread_instructions", s->thread_instructions);
    json_ratio(j, "ipc", s->warp_instructions, s->sm_active_cycles_sum, DECIMALS);
    json_ratio(j, "ipc_gpu", s->warp_instructions, s->cycles, DECIMALS);
    json_ratio(j, "occupancy", s->stats.issue_resident_warp_cycles, s->warp_capacity, DECIMALS);
    write_stats(j, &s->stats);
    json_opcodes(j, &s->opcodes);
}

static void write_hazards(struct json *j, const struct summary *s, const struct kernel_report *k)
{
    json_object(j, "hazards");
    json_u64(j, "raw", s->hazards[HAZARD_RAW]);
    json_u64(j, "waw", s->hazards[HAZARD_WAW]);
    json_u64(j, "war", s->hazards[HAZARD_WAR]);
    if (k) {
        json_array(j, "records");
        for (uint32_t i = 0; i < k->result->hazard_kept; i++)
            hazard_json(j, k->kernel, &k->result->hazards[i]);
        json_array_end(j);
    }
    json_object_end(j);
}

/* What keeps dependent instructions apart, and its storage. */
static void write_dependence(struct json *j, const struct config *cfg, uint32_t mode)
{
    uint64_t file_bits = area_register_file_bits(cfg->sm.registers);
    struct area a = mode == DEPENDENCE_control_bits
                        ? area_control_bits(cfg->sm.warps, file_bits)
                        : area_scoreboards(cfg->sm.warps, cfg->dependence.war_consumers, file_bits);
    json_object(j, "dependence");
    json_string(j, "mode", dependence_mode_name(mode));
    json_u64(j, "area_bits_per_warp", a.warp_bits);
    json_u64(j, "area_bits_per_sm", a.sm_bits);
    json_ratio(j, "area_percent_of_register_file", a.percent_hundredths, 100, 2);
    json_object_end(j);
}

void result_json_begin(struct json *j, const struct run_info *info)
{
    json_object(j, NULL);
    json_string(j, "version", info->version);
    json_string(j, "card", info->config->name);
    config_json(j, "config", info->config);
    json_array(j, "input");
    for (size_t i = 0; i < info->input_count; i++)
        json_string(j, NULL, info->inputs[i]);
    json_array_end(j);
    json_array(j, "kernels");
}

void result_json_kernel(struct json *j, const struct run_info *info, const struct kernel_report *k)
{
    const struct kernel *kernel = k->kernel;
    const struct kernel_result *r = k->result;
    json_object(j, NULL);
    json_u64(j, "kernel", kernel->id);
    json_string(j, "name", kernel->name);
    json_string(j, "launch", kernel->launch);
    json_string(j, "file", kernel->file);
    json_bool(j, "complete", k->complete);
    json_bool(j, "warm", k->warm);
    json_dim(j, "grid", kernel->grid);
    json_dim(j, "block", kernel->block);
    json_u64(j, "registers", kernel->registers);
    json_u64(j, "shared_bytes", kernel->shared_bytes);
    json_bool(j, "sampled", r->sampled);
    json_u64(j, "ctas_simulated", r->ctas_simulated);
    json_u64(j, "warps_per_cta", r->warps_per_cta);
    json_u64(j, "ctas_per_sm", r->ctas_per_sm);
    json_string(j, "ctas_limited_by", r->ctas_limited_by);
    json_object(j, "ctas_limits");
    for (uint32_t i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        json_u64(j, occupancy_limit_name((enum occupancy_limit)i), r->ctas_limit[i]);
    json_object_end(j);
    json_u64(j, "shared_config_bytes", r->shared_config_bytes);
    write_dependence(j, &info->config->cfg, r->dependence_mode);
    json_u64(j, "start_cycle", r->start_cycle);
    write_summary(j, k->summary);
    if (info->with_hazards)
        write_hazards(j, k->summary, k);
    if (k->pcs)
        pc_table_json(j, k->pcs);
    write_host(j, info, k->summary);
    json_object_end(j);
}

static void write_lines(struct json *j, const char *key, const char *lines)
{
    json_array(j, key);
    while (lines && *lines) {
        size_t n = strcspn(lines, "\n");
        char *line = strndup(lines, n);
        json_string(j, NULL, line);
        free(line);
        lines += n + (lines[n] == '\n');
    }
    json_array_end(j);
}

static void write_warnings(struct json *j, const struct diag *d)
{
    json_array(j, "warnings");
    for (uint32_t i = 0; i < d->count; i++) {
        json_object(j, NULL);
        json_string(j, "message", d->items[i].text);
        json_u64(j, "count", d->items[i].count);
        json_object_end(j);
    }
    json_array_end(j);
    json_u64(j, "warnings_dropped", d->dropped);
}

void result_json_end(struct json *j, const struct run_info *info, const struct run_end *end,
                     const char *failures)
{
    json_array_end(j);
    write_lines(j, "failed", failures);
    write_warnings(j, end->diag);
    json_bool(j, "complete", !end->interrupted && !end->stopped && !(failures && *failures));
    json_bool(j, "interrupted", end->interrupted);
    json_object(j, "memcpy");
    json_u64(j, "count", end->memcpy_count);
    json_u64(j, "bytes", end->memcpy_bytes);
    json_object_end(j);
    json_object(j, "total");
    json_u64(j, "kernels", end->kernels);
    write_summary(j, end->total);
    if (info->with_hazards)
        write_hazards(j, end->total, NULL);
    write_host(j, info, end->total);
    json_object_end(j);
    json_object_end(j);
}

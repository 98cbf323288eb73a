#include "report/json_parts.h"
#include "report/profile.h"

static void write_faults(struct json *j, const struct profile *p)
{
    static const char *const keys[PROFILE_FAULT_COUNT] = {"missing_ctas",  "empty_warps",
                                                          "missing_exits", "zero_addresses",
                                                          "no_addresses",  "unknown_opcodes"};
    json_object(j, "faults");
    for (uint32_t f = 0; f < PROFILE_FAULT_COUNT; f++)
        json_u64(j, keys[f], p->faults[f]);
    json_object_end(j);
}

static void write_memory(struct json *j, const struct profile *p)
{
    json_object(j, "memory");
    for (uint32_t s = 0; s < PROFILE_SPACE_COUNT; s++) {
        json_object_inline(j, profile_space_name((enum profile_space)s));
        json_u64(j, "loads", p->memory[s].loads);
        json_u64(j, "stores", p->memory[s].stores);
        json_u64(j, "atomics", p->memory[s].atomics);
        json_object_end(j);
    }
    json_u64(j, "footprint_lines", p->lines.count);
    json_u64(j, "footprint_bytes", (uint64_t)p->lines.count * PROFILE_LINE_BYTES);
    json_bool(j, "footprint_is_lower_bound", p->lines.full);
    json_ratio(j, "sectors_per_access", p->sectors, p->line_accesses, 4);
    json_object_end(j);
}

static void write_mix(struct json *j, const struct profile *p)
{
    json_object(j, "classes");
    for (uint32_t c = 0; c < OP_CLASS_COUNT; c++)
        if (p->classes[c] > 0)
            json_u64(j, op_class_name((enum op_class)c), p->classes[c]);
    json_object_end(j);
    struct profile_share pipes[PROFILE_PIPES_MAX];
    size_t n = profile_pipes(p, pipes);
    json_object(j, "pipes");
    for (size_t i = 0; i < n; i++)
        json_u64(j, pipes[i].name, pipes[i].count);
    json_object_end(j);
    json_opcodes(j, &p->opcodes);
}

void profile_json(struct json *j, const struct kernel *k, const struct profile *p)
{
    json_object(j, NULL);
    json_u64(j, "kernel", k->id);
    json_string(j, "name", k->name);
    json_string(j, "launch", k->launch);
    json_string(j, "file", k->file);
    json_u64(j, "sm_version", k->sm_version);
    json_bool(j, "control_bits", k->has_ctrl);
    json_dim(j, "grid", k->grid);
    json_dim(j, "block", k->block);
    json_u64(j, "registers", k->registers);
    json_u64(j, "shared_bytes", k->shared_bytes);
    json_u64(j, "ctas", p->ctas);
    json_u64(j, "grid_ctas", k->cta_count);
    json_u64(j, "warps", p->warps);
    json_u64(j, "warp_instructions", p->warp_instructions);
    json_u64(j, "thread_instructions", p->thread_instructions);
    json_ratio(j, "active_lanes", p->thread_instructions, p->warp_instructions, 4);
    json_u64(j, "all_lanes_active", p->full_instructions);
    json_u64(j, "branches", p->branches);
    write_memory(j, p);
    write_mix(j, p);
    write_faults(j, p);
    json_object_end(j);
}

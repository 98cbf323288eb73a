/* Rules that hold between keys: one row a rule. */
#include "cfg/derive.h"

#include <stdio.h>
#include <string.h>

#include "cfg/schema.h"

#define RULE_KEYS 6

struct rule {
    bool (*holds)(const struct config *c);
    const char *message;
    const char *keys[RULE_KEYS]; /* the keys it is about */
};

static bool power_of_two(uint32_t v)
{
    return v != 0 && (v & (v - 1)) == 0;
}

/* Whole sets: the capacity is a multiple of line x ways (x slices). */
static bool whole_sets(uint32_t bytes, uint32_t line, uint32_t ways, uint32_t slices)
{
    return bytes % ((uint64_t)line * ways * slices) == 0;
}

static bool warps_divide(const struct config *c)
{
    return c->sm.warps % 4 == 0;
}
static bool registers_allocate(const struct config *c)
{
    return c->sm.registers % c->sm.register_allocation == 0;
}
static bool reserved_fits(const struct config *c)
{
    return c->sm.shared_reserved_bytes <= c->sm.shared_bytes;
}
static bool unified_holds_shared(const struct config *c)
{
    return c->l1d.unified_bytes >= c->sm.shared_bytes;
}
static bool icache_line(const struct config *c)
{
    return power_of_two(c->icache.line_bytes);
}
static bool icache_l0_sets(const struct config *c)
{
    return whole_sets(c->icache.l0_bytes, c->icache.line_bytes, c->icache.l0_ways, 1);
}
static bool icache_l1_sets(const struct config *c)
{
    return whole_sets(c->icache.l1_bytes, c->icache.line_bytes, c->icache.l1_ways, 1);
}
static bool icache_l15_sets(const struct config *c)
{
    return whole_sets(c->icache.l15_bytes, c->icache.l15_line_bytes, c->icache.l15_ways, 1);
}
static bool icache_l15_line(const struct config *c)
{
    return power_of_two(c->icache.l15_line_bytes) && c->icache.l15_line_bytes >= c->l2.line_bytes;
}
static bool constant_way(const struct config *c)
{
    uint32_t way = c->icache.l15_request_cycles + c->icache.l15_reply_cycles;
    return c->icache.l15_bytes == 0 ||
           (c->constant.l0_miss_cycles >= way && c->constant.ldc_miss_cycles >= way);
}
/* What the L2 answers comes no sooner than what the cache of the GPC has: a window ends before. */
static bool icache_l15_nearer(const struct config *c)
{
    uint32_t way = c->icache.l15_request_cycles + c->icache.l15_reply_cycles;
    uint32_t l2 = c->l2.request_cycles + c->l2.access_cycles + c->l2.reply_cycles;
    return c->icache.l15_bytes == 0 || l2 >= way + c->icache.l15_nearer_cycles;
}
static bool constant_line(const struct config *c)
{
    return power_of_two(c->constant.line_bytes);
}
static bool constant_l0_sets(const struct config *c)
{
    return whole_sets(c->constant.l0_bytes, c->constant.line_bytes, c->constant.l0_ways, 1);
}
static bool constant_ldc_sets(const struct config *c)
{
    return whole_sets(c->constant.ldc_bytes, c->constant.line_bytes, c->constant.ldc_ways, 1);
}
static bool l1d_line(const struct config *c)
{
    return power_of_two(c->l1d.line_bytes) && power_of_two(c->l1d.sector_bytes);
}
static bool l1d_sectors(const struct config *c)
{
    return c->l1d.line_bytes % c->l1d.sector_bytes == 0;
}
static bool l1d_sets(const struct config *c)
{
    return whole_sets(c->l1d.unified_bytes, c->l1d.line_bytes, c->l1d.ways, 1);
}
static bool l2_line(const struct config *c)
{
    return power_of_two(c->l2.line_bytes) && c->l2.line_bytes % c->l1d.sector_bytes == 0 &&
           c->l2.line_bytes / c->l1d.sector_bytes <= 16;
}
static bool l2_same_line(const struct config *c)
{
    return c->l2.line_bytes == c->l1d.line_bytes;
}
static bool l2_sets(const struct config *c)
{
    return whole_sets(c->l2.bytes, c->l2.line_bytes, c->l2.ways, c->l2.slices);
}
static bool l2_set_count(const struct config *c)
{
    return c->l2.bytes / c->l2.line_bytes / c->l2.ways / c->l2.slices <= 1u << 20;
}
static bool l2_partitions(const struct config *c)
{
    return c->l2.slices % c->l2.partitions == 0;
}
/* Slices of a partition and channels form groups: some of one kind and one of the other each. */
static bool dram_groups(const struct config *c)
{
    uint32_t slices = c->l2.slices / c->l2.partitions, channels = c->dram.channels;
    uint32_t more = slices > channels ? slices : channels;
    uint32_t fewer = slices > channels ? channels : slices;
    /* Fewer slices than partitions break the rule before. */
    return fewer == 0 || (more % fewer == 0 && more / fewer * c->l2.partitions <= 64);
}
static bool dram_access(const struct config *c)
{
    uint32_t bytes = c->dram.access_bytes;
    return power_of_two(bytes) && bytes % c->l1d.sector_bytes == 0 && bytes <= c->l2.line_bytes;
}
static bool dram_rows(const struct config *c)
{
    return power_of_two(c->dram.row_bytes) && c->dram.row_bytes >= c->l2.line_bytes;
}
static bool dram_banks(const struct config *c)
{
    return power_of_two(c->dram.banks);
}
static bool dram_refresh(const struct config *c)
{
    /* In whole core cycles, rounded up, as the DRAM counts them. */
    uint64_t mhz = c->gpu.core_mhz;
    return (c->dram.refresh_ns * mhz + 999) / 1000 <
           (c->dram.refresh_interval_ns * mhz + 999) / 1000;
}
static bool dram_bus(const struct config *c)
{
    return c->dram.bus_bits % 8 == 0;
}

static const struct rule rules[] = {
    {warps_divide, "the warps of an SM must divide evenly among its 4 sub-cores", {"sm.warps"}},
    {registers_allocate,
     "the registers must be a multiple of the allocation unit",
     {"sm.registers", "sm.register_allocation"}},
    {reserved_fits,
     "the shared memory taken from every CTA must fit into the SM's",
     {"sm.shared_reserved_bytes", "sm.shared_bytes"}},
    {unified_holds_shared,
     "the L1D and shared memory together must be at least the largest shared memory",
     {"l1d.unified_bytes", "sm.shared_bytes"}},
    {icache_line, "a line must be a power of two", {"icache.line_bytes"}},
    {icache_l0_sets,
     "the capacity must be a multiple of line x ways",
     {"icache.l0_bytes", "icache.line_bytes", "icache.l0_ways"}},
    {icache_l1_sets,
     "the capacity must be a multiple of line x ways",
     {"icache.l1_bytes", "icache.line_bytes", "icache.l1_ways"}},
    {icache_l15_sets,
     "the capacity must be a multiple of line x ways",
     {"icache.l15_bytes", "icache.l15_line_bytes", "icache.l15_ways"}},
    {icache_l15_line,
     "a line must be a power of two and at least a line of the L2",
     {"icache.l15_line_bytes", "l2.line_bytes"}},
    {constant_way,
     "a miss cannot be faster than the way to the GPC's cache and back",
     {"constant.l0_miss_cycles", "constant.ldc_miss_cycles", "icache.l15_request_cycles",
      "icache.l15_reply_cycles"}},
    {icache_l15_nearer,
     "the L2 cannot answer the GPC's cache sooner than that one answers",
     {"l2.request_cycles", "l2.access_cycles", "l2.reply_cycles", "icache.l15_request_cycles",
      "icache.l15_reply_cycles", "icache.l15_nearer_cycles"}},
    {constant_line, "a line must be a power of two", {"constant.line_bytes"}},
    {constant_l0_sets,
     "the capacity must be a multiple of line x ways",
     {"constant.l0_bytes", "constant.line_bytes", "constant.l0_ways"}},
    {constant_ldc_sets,
     "the capacity must be a multiple of line x ways",
     {"constant.ldc_bytes", "constant.line_bytes", "constant.ldc_ways"}},
    {l1d_line, "a line and a sector must be powers of two", {"l1d.line_bytes", "l1d.sector_bytes"}},
    {l1d_sectors, "a line must be a multiple of a sector", {"l1d.line_bytes", "l1d.sector_bytes"}},
    {l1d_sets,
     "the capacity must be a multiple of line x ways",
     {"l1d.unified_bytes", "l1d.line_bytes", "l1d.ways"}},
    {l2_line,
     "a line must be a power of two and 1 to 16 sectors of the L1D",
     {"l2.line_bytes", "l1d.sector_bytes"}},
    {l2_sets,
     "the capacity must be a multiple of line x ways x slices",
     {"l2.bytes", "l2.line_bytes", "l2.ways", "l2.slices"}},
    {l2_same_line,
     "the lines of the L1D and of the L2 must be the same",
     {"l1d.line_bytes", "l2.line_bytes"}},
    {l2_set_count,
     "a slice must have at most 1048576 sets",
     {"l2.bytes", "l2.line_bytes", "l2.ways", "l2.slices"}},
    {l2_partitions,
     "the slices must divide evenly among the partitions",
     {"l2.slices", "l2.partitions"}},
    {dram_groups,
     "of the slices of a partition and the channels, one must be a multiple of the other, and at "
     "most 64 fold",
     {"l2.slices", "l2.partitions", "dram.channels"}},
    {dram_access,
     "an access must be a power of two, a multiple of the L1D's sector and at most a line",
     {"dram.access_bytes", "l1d.sector_bytes", "l2.line_bytes"}},
    {dram_rows,
     "a row must be a power of two and at least a line",
     {"dram.row_bytes", "l2.line_bytes"}},
    {dram_banks, "the banks must be a power of two", {"dram.banks"}},
    {dram_refresh,
     "a refresh must be shorter than the interval",
     {"dram.refresh_ns", "dram.refresh_interval_ns", "gpu.core_mhz"}},
    {dram_bus, "the bus must be whole bytes", {"dram.bus_bits"}},
};

/* Rules of every operation class; the keys are those of op.<class>. */
struct op_rule {
    bool (*holds)(const struct op_cfg *op, enum op_class c);
    const char *message;
    const char *keys[RULE_KEYS];
};

static bool is_fixed(const struct op_cfg *op)
{
    return op->queue == QUEUE_none;
}

static bool memory_is_queued(const struct op_cfg *op, enum op_class c)
{
    bool queue = op->queue == QUEUE_memory || op->queue == QUEUE_constant;
    bool unit = op->shared_unit == SHARED_UNIT_memory || op->shared_unit == SHARED_UNIT_constant;
    return !op_class_is_memory(c) || (queue && unit);
}
/* Classes that only take an issue slot or wait at issue. */
static bool fixed_has_unit(const struct op_cfg *op, enum op_class c)
{
    bool needs_none =
        c == OP_CLASS_nop || c == OP_CLASS_barrier || c == OP_CLASS_depbar || c == OP_CLASS_membar;
    return !is_fixed(op) || needs_none || op->units != 0;
}
static bool queued_has_no_unit(const struct op_cfg *op, enum op_class c)
{
    (void)c;
    return is_fixed(op) || op->units == 0;
}
static bool fixed_is_not_shared(const struct op_cfg *op, enum op_class c)
{
    (void)c;
    return !is_fixed(op) || op->shared_unit == SHARED_UNIT_none;
}
static bool interval_is_positive(const struct op_cfg *op, enum op_class c)
{
    (void)c;
    return op->interval[0] && op->interval[1] && op->interval[2];
}
static bool shared_interval_is_positive(const struct op_cfg *op, enum op_class c)
{
    (void)c;
    return op->shared_unit == SHARED_UNIT_none ||
           (op->shared_interval[0] && op->shared_interval[1] && op->shared_interval[2]);
}
static bool result_after_grant(const struct op_cfg *op, enum op_class c)
{
    (void)c;
    return is_fixed(op) ||
           (op->raw[0] > op->grant[0] && op->raw[1] > op->grant[1] && op->raw[2] > op->grant[2]);
}

static const struct op_rule op_rules[] = {
    {memory_is_queued,
     "a memory operation needs the queue and the shared unit 'memory' or 'constant'",
     {"queue", "shared_unit"}},
    {fixed_has_unit, "an operation of fixed latency needs a unit", {"units", "queue"}},
    {queued_has_no_unit, "an operation with a queue has no unit of its own", {"units", "queue"}},
    {fixed_is_not_shared,
     "a unit shared by the SM is reached through a queue",
     {"shared_unit", "queue"}},
    {interval_is_positive, "an interval is at least one cycle", {"interval"}},
    {shared_interval_is_positive,
     "an interval of a shared unit is at least one cycle",
     {"shared_interval", "shared_unit"}},
    {result_after_grant, "the result comes after the hand-over", {"raw", "grant"}},
};

/* The command line is closer to the user than the file, that closer than the files it extends. */
static unsigned closeness(const struct loaded_config *c, const struct config_origin *o)
{
    if (o->file[0] == '\0')
        return 0;
    if (o->line == 0)
        return 3;
    return strcmp(o->file, c->path) == 0 ? 2 : 1;
}

/* One error: the message with the values it is about, at the key the user set last. */
static void report(const struct loaded_config *c, const char *prefix, const char *message,
                   const char *const *keys, struct err_list *errors)
{
    static const struct config_origin nowhere;
    const struct config_origin *at = &nowhere;
    struct buf values = {0};
    for (size_t i = 0; i < RULE_KEYS && keys[i]; i++) {
        char path[SCHEMA_PATH_SIZE];
        snprintf(path, sizeof path, "%s%s", prefix, keys[i]);
        const struct key_info *key = config_find_key(path);
        buf_printf(&values, "%s%s is ", i ? ", " : "", path);
        config_print_value(&c->cfg, key, &values);
        const struct config_origin *origin = &c->origins[schema_index(key)];
        if (closeness(c, origin) > closeness(c, at))
            at = origin;
    }
    err_list_add(errors, ERR_CONFIG, at->file[0] ? at->file : c->path, at->line, 0, "%s: %s",
                 message, values.data ? values.data : "");
    buf_free(&values);
}

bool derive_check(const struct loaded_config *c, struct err_list *errors)
{
    uint32_t before = errors->count + errors->dropped;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (!rules[i].holds(&c->cfg))
            report(c, "", rules[i].message, rules[i].keys, errors);
    for (size_t op = 0; op < OP_CLASS_COUNT; op++) {
        char prefix[SCHEMA_PATH_SIZE / 2];
        snprintf(prefix, sizeof prefix, "op.%s.", op_class_name((enum op_class)op));
        for (size_t i = 0; i < sizeof op_rules / sizeof op_rules[0]; i++)
            if (!op_rules[i].holds(&c->cfg.op[op], (enum op_class)op))
                report(c, prefix, op_rules[i].message, op_rules[i].keys, errors);
    }
    return errors->count + errors->dropped == before;
}

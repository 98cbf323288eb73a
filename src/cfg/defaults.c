/* Defaults of every key, from the rows of sections/. */
#include <string.h>

#include "cfg/config.h"

#define KEY_U32(name, def, lo, hi, unit, doc, src) section->name = def;
#define KEY_BOOL(name, def, doc, src) section->name = def;
#define KEY_ENUM(name, type, def, doc, src) section->name = def;
#define KEY_SET(name, type, def, doc, src) section->name = def;
#define KEY_W3(name, a, b, c, lo, hi, unit, doc, src)                                              \
    section->name[0] = a;                                                                          \
    section->name[1] = b;                                                                          \
    section->name[2] = c;
#define KEY_STR(name, def, doc, src)                                                               \
    _Static_assert(sizeof def <= sizeof section->name, "default of " #name " is too long");        \
    memcpy(section->name, def, sizeof def);

static void gpu_defaults(struct gpu_cfg *section)
{
#include "cfg/sections/gpu.def"
}
static void sm_defaults(struct sm_cfg *section)
{
#include "cfg/sections/sm.def"
}
static void fetch_defaults(struct fetch_cfg *section)
{
#include "cfg/sections/fetch.def"
}
static void icache_defaults(struct icache_cfg *section)
{
#include "cfg/sections/icache.def"
}
static void constant_defaults(struct constant_cfg *section)
{
#include "cfg/sections/constant.def"
}
static void register_file_defaults(struct register_file_cfg *section)
{
#include "cfg/sections/register_file.def"
}
static void issue_defaults(struct issue_cfg *section)
{
#include "cfg/sections/issue.def"
}
static void dependence_defaults(struct dependence_cfg *section)
{
#include "cfg/sections/dependence.def"
}
static void latency_defaults(struct latency_cfg *section)
{
#include "cfg/sections/latency.def"
}
static void l1d_defaults(struct l1d_cfg *section)
{
#include "cfg/sections/l1d.def"
}
static void shared_memory_defaults(struct shared_memory_cfg *section)
{
#include "cfg/sections/shared_memory.def"
}
static void l2_defaults(struct l2_cfg *section)
{
#include "cfg/sections/l2.def"
}
static void dram_defaults(struct dram_cfg *section)
{
#include "cfg/sections/dram.def"
}
static void membar_defaults(struct membar_cfg *section)
{
#include "cfg/sections/membar.def"
}
static void op_defaults(struct op_cfg *section)
{
#include "cfg/sections/op.def"
}

struct op_default {
    enum op_class op;
    bool fixed;
    struct op_cfg cfg; /* a fixed class sets units .. latency_other, a variable one queue .. raw */
};

#define OP_FIXED(c, u, all, iv, lat, other, hold, source)                                          \
    {OP_CLASS_##c,                                                                                 \
     true,                                                                                         \
     {.units = (u),                                                                                \
      .all_units = (all),                                                                          \
      .interval = {iv, iv, iv},                                                                    \
      .latency = (lat),                                                                            \
      .latency_other = (other),                                                                    \
      .allocate_hold = (hold)}},
#define OP_VARIABLE(c, q, unit, iv, shared_iv, g, w, r, source)                                    \
    {OP_CLASS_##c,                                                                                 \
     false,                                                                                        \
     {.queue = QUEUE_##q,                                                                          \
      .shared_unit = SHARED_UNIT_##unit,                                                           \
      .interval = iv,                                                                              \
      .shared_interval = shared_iv,                                                                \
      .grant = {g, g, g},                                                                          \
      .war = w,                                                                                    \
      .raw = r}},
static const struct op_default op_table[] = {
#include "cfg/sections/op_default.def"
};

static void apply_op(struct op_cfg *to, const struct op_default *row)
{
    const struct op_cfg *from = &row->cfg;
    memcpy(to->interval, from->interval, sizeof to->interval);
    if (row->fixed) {
        to->units = from->units;
        to->all_units = from->all_units;
        to->latency = from->latency;
        to->latency_other = from->latency_other;
        to->allocate_hold = from->allocate_hold;
        return;
    }
    to->queue = from->queue;
    to->shared_unit = from->shared_unit;
    memcpy(to->shared_interval, from->shared_interval, sizeof to->shared_interval);
    memcpy(to->grant, from->grant, sizeof to->grant);
    memcpy(to->war, from->war, sizeof to->war);
    memcpy(to->raw, from->raw, sizeof to->raw);
}

void config_defaults(struct config *cfg)
{
    memset(cfg, 0, sizeof *cfg);
#define X(section) section##_defaults(&cfg->section);
    CFG_SECTIONS(X)
#undef X
#define QUEUE_DEFAULT(name, n, source) cfg->queue[QUEUE_##name].entries = n;
#include "cfg/sections/queue_default.def"
#define SHARED_UNIT_DEFAULT(name, cycles, source)                                                  \
    cfg->shared_unit[SHARED_UNIT_##name].interval = cycles;
#include "cfg/sections/shared_unit_default.def"
    for (size_t i = 0; i < OP_CLASS_COUNT; i++)
        op_defaults(&cfg->op[i]);
    for (size_t i = 0; i < sizeof op_table / sizeof op_table[0]; i++)
        apply_op(&cfg->op[op_table[i].op], &op_table[i]);
}

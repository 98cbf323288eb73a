/* The resolved configuration: one struct a section, generated from the key tables in sections/.
 *
 * Filled by config_load(); read-only afterwards. Components take a pointer to their own section. */
#ifndef SUBCORE_CFG_CONFIG_H
#define SUBCORE_CFG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/err.h"
#include "cfg/words.h"
#include "isa/inst.h"

/* Plain sections: X(name), each from sections/<name>.def. The order is that of the output. */
#define CFG_SECTIONS(X)                                                                            \
    X(gpu)                                                                                         \
    X(sm)                                                                                          \
    X(fetch)                                                                                       \
    X(icache)                                                                                      \
    X(constant)                                                                                    \
    X(register_file)                                                                               \
    X(issue)                                                                                       \
    X(dependence)                                                                                  \
    X(latency)                                                                                     \
    X(l1d)                                                                                         \
    X(shared_memory)                                                                               \
    X(l2)                                                                                          \
    X(dram)                                                                                        \
    X(membar)

#define KEY_U32(name, def, lo, hi, unit, doc, src) uint32_t name;
#define KEY_BOOL(name, def, doc, src) bool name;
#define KEY_ENUM(name, type, def, doc, src) uint32_t name;
#define KEY_SET(name, type, def, doc, src) uint32_t name;
#define KEY_W3(name, a, b, c, lo, hi, unit, doc, src) uint32_t name[3];
#define KEY_STR(name, def, doc, src) char name[64];

struct gpu_cfg {
#include "cfg/sections/gpu.def"
};
struct sm_cfg {
#include "cfg/sections/sm.def"
};
struct fetch_cfg {
#include "cfg/sections/fetch.def"
};
struct icache_cfg {
#include "cfg/sections/icache.def"
};
struct constant_cfg {
#include "cfg/sections/constant.def"
};
struct register_file_cfg {
#include "cfg/sections/register_file.def"
};
struct issue_cfg {
#include "cfg/sections/issue.def"
};
struct dependence_cfg {
#include "cfg/sections/dependence.def"
};
struct latency_cfg {
#include "cfg/sections/latency.def"
};
struct l1d_cfg {
#include "cfg/sections/l1d.def"
};
struct shared_memory_cfg {
#include "cfg/sections/shared_memory.def"
};
struct l2_cfg {
#include "cfg/sections/l2.def"
};
struct dram_cfg {
#include "cfg/sections/dram.def"
};
struct membar_cfg {
#include "cfg/sections/membar.def"
};
/* Groups: one mapping a member, `op.ffma.latency`, `queue.memory.entries`. */
struct op_cfg {
#include "cfg/sections/op.def"
};
struct queue_cfg {
#include "cfg/sections/queue.def"
};
struct shared_unit_cfg {
#include "cfg/sections/shared_unit.def"
};

#undef KEY_U32
#undef KEY_BOOL
#undef KEY_ENUM
#undef KEY_SET
#undef KEY_W3
#undef KEY_STR

struct config {
#define X(section) struct section##_cfg section;
    CFG_SECTIONS(X)
#undef X
    struct queue_cfg queue[QUEUE_COUNT];
    struct shared_unit_cfg shared_unit[SHARED_UNIT_COUNT];
    struct op_cfg op[OP_CLASS_COUNT];
};

/* Fills every key with its default. */
void config_defaults(struct config *cfg);

#endif
